"""How fast the simulated machine is, alone and recorded; goals stand beside each."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from fsconsole.cli.bench import Load, measure
from fsconsole.cli.bench import scenario_of as load_scenario
from fsconsole.machine import checkpoint
from fsconsole.machine.machine import Machine
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import Scenario
from tests.benchmarks.measure import Benchmark
from tests.machine.worlds import example, scenario_of

TWO_HOURS_S = 7200


def site(cpus: int, processes: int, users: int = 100) -> Scenario:
    """Ten groups of users; half of the processes compute without end, half sleep most of the time."""
    tree = {f"g{g}": (1 + g, {f"u{g}.{u}": 1 + u for u in range(users // 10)}) for g in range(10)}
    names = [name for _, children in tree.values() for name in children]
    works = (Work(), Work(0.2, 0.8))
    loops = [(names[at % users], works[at % 2]) for at in range(processes)]
    return scenario_of(tree, loops=loops, cpus=cpus)


@pytest.mark.parametrize(
    ("made", "simulated_s"),
    [(lambda: example("convex-series-1"), 600), (lambda: Machine(site(16, 500)), 600)],
    ids=["convex_series_1", "16_cpus_500_processes"],
)
def test_advancing(bench: Benchmark, made: Callable[[], Machine], simulated_s: float) -> None:
    machine, ends = made(), count(1)
    bench(lambda: machine.advance_to(next(ends) * simulated_s))


LOADS = {
    "16_cpus_500_processes_100_users": (Load(16, 500, 100, "share", "off", False), 10_000),
    "16_cpus_500_processes_20_users": (Load(16, 500, 20, "share", "off", False), 10_000),
    "16_cpus_5000_processes": (Load(16, 5000, 100, "share", "off", False), 2_000),
    "1_cpu_5_processes": (Load(1, 5, 5, "share", "off", False), 200_000),
    "adjgroups": (Load(16, 500, 100, "share", "share", False), 10_000),
    "integral": (Load(16, 500, 100, "share", "integral", False), 10_000),
    "feedback": (Load(16, 500, 100, "feedback", "off", False), 10_000),
    "realistic": (Load(16, 500, 100, "share", "off", True), 5_000),
}


@pytest.mark.parametrize("name", LOADS)
def test_engine_beside_the_simple_kernel(bench: Benchmark, name: str) -> None:
    """The engine alone; that it is faster than the simple kernel is held in the same run."""
    load, seconds = LOADS[name]
    machine, ends = Machine(load_scenario(load)), count(1)
    bench(lambda: machine.advance_to(next(ends) * seconds / 10))
    assert measure(load, seconds / 10)["ratio"] > 1.0


_COMPILE = """
import time
import numba
began = time.process_time()
from fsconsole.cli.bench import Load, scenario_of
from fsconsole.machine.machine import Machine
Machine(scenario_of(Load(16, 500, 100, "share", "off", False))).advance_to(9.0)
print(time.process_time() - began)
"""


def test_compiling(bench: Benchmark, tmp_path: Path) -> None:
    """Cold, then from the cache, each in a process of its own; numba's import is not counted."""

    def fresh() -> float:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", _COMPILE]
        root = Path(__file__).resolve().parents[2]
        done = subprocess.run(command, check=True, capture_output=True, cwd=root, env=environment, text=True)
        return float(done.stdout)

    cold = bench.seconds_of(fresh, name="cold")
    kept = bench.seconds_of(fresh, rounds=3, name="from_cache")
    assert kept < cold


def test_two_hours_of_convex_recorded_every_10_s(bench: Benchmark, tmp_path: Path) -> None:
    numbers, scenario = count(), example("convex-series-1").scenario
    scenario = replace(scenario, plot=replace(scenario.plot, sample_s=10.0))

    def recorded() -> None:
        machine = Machine(scenario)
        writer = RunWriter(
            machine, tmp_path / f"{next(numbers)}.run", capture=lambda: checkpoint.capture(machine)
        )
        machine.listeners.append(writer)
        machine.advance_to(TWO_HOURS_S)
        writer.close(tick=machine.tick)

    bench(recorded)


def test_recording_each_second_costs_little(bench: Benchmark, tmp_path: Path) -> None:
    """Samples of 111 nodes each second, taken in and written; what the run costs without is beside it."""
    scenario = site(16, 500)
    alone, watched = Machine(scenario), Machine(scenario)
    writer = RunWriter(watched, tmp_path / "x.run", capture=lambda: checkpoint.capture(watched))
    watched.listeners.append(writer)
    ends = count(1)
    bare_ends = count(1)
    bench(lambda: watched.advance_to(next(ends) * 60), rounds=20, clock=time.thread_time)
    recorded_s = np.quantile(bench.seconds, 0.25)
    writer.close()
    bench(lambda: alone.advance_to(next(bare_ends) * 60), rounds=20, clock=time.thread_time, name="bare")
    assert recorded_s < 1.3 * np.quantile(bench.seconds, 0.25)


@pytest.mark.parametrize("what", ["save", "load"])
def test_a_checkpoint_of_500_processes(bench: Benchmark, what: str) -> None:
    machine = Machine(site(16, 500))
    machine.advance_to(60)
    kept = checkpoint.save(machine)
    bench(lambda: checkpoint.save(machine) if what == "save" else checkpoint.load(kept, machine.scenario))
