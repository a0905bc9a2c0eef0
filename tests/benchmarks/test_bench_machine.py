"""How fast the simulated machine is, alone and recorded; goals stand beside each."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from fsconsole.cli.bench import Load, measure
from fsconsole.machine.checkpoint import capture, load, save
from fsconsole.machine.machine import Machine
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import Scenario
from tests.machine.worlds import example, scenario_of

TWO_HOURS_S = 7200


def site(cpus: int, processes: int, users: int = 100) -> Scenario:
    """Ten groups of users; half of the processes compute without end, half sleep most of the time."""
    tree = {f"g{g}": (1 + g, {f"u{g}.{u}": 1 + u for u in range(users // 10)}) for g in range(10)}
    names = [name for _, children in tree.values() for name in children]
    works = (Work(), Work(0.2, 0.8))
    loops = [(names[at % users], works[at % 2]) for at in range(processes)]
    return scenario_of(tree, loops=loops, cpus=cpus)


def rate(benchmark: Any, machine: Machine, simulated_s: float, goal: float) -> None:
    """Advance in steps of `simulated_s`; simulated seconds per second must reach the goal."""
    ends = count(1)
    benchmark(lambda: machine.advance_to(next(ends) * simulated_s))
    if benchmark.stats is not None:
        reached = simulated_s / benchmark.stats.stats.median
        benchmark.extra_info["simulated_s_per_s"] = round(reached)
        assert reached > goal


def test_convex_one_cpu_five_processes(benchmark: Any) -> None:
    rate(benchmark, example("convex-series-1"), 600, goal=5000)


def test_16_cpus_500_processes(benchmark: Any) -> None:
    rate(benchmark, Machine(site(16, 500)), 60, goal=1000)


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
def test_engine_beside_the_simple_kernel(benchmark: Any, name: str) -> None:
    """In one run, so that the ratio holds on a machine that others use too; goals stand in the README."""
    load, seconds = LOADS[name]
    figures = benchmark.pedantic(measure, (load, seconds), rounds=1)
    benchmark.extra_info.update(figures)
    assert figures["ratio"] > 1.0


_COMPILE = """
import time
import numba
began = time.perf_counter()
from fsconsole.cli.bench import Load, scenario_of
from fsconsole.machine.machine import Machine
Machine(scenario_of(Load(16, 500, 100, "share", "off", False))).advance_to(9.0)
print(time.perf_counter() - began)
"""


def test_compiling(benchmark: Any, tmp_path: Path) -> None:
    """Cold, then from the cache, each in a process of its own; numba's import is not counted."""

    def fresh() -> float:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", _COMPILE]
        root = Path(__file__).resolve().parents[2]
        done = subprocess.run(command, check=True, capture_output=True, cwd=root, env=environment, text=True)
        return float(done.stdout)

    cold = benchmark.pedantic(fresh, rounds=1)
    kept = min(fresh() for _ in range(3))
    benchmark.extra_info.update(cold_s=cold, from_cache_s=kept)
    assert kept < cold


def test_two_hours_of_convex_recorded_every_10_s(benchmark: Any, tmp_path: Path) -> None:
    numbers = count()

    def recorded() -> None:
        machine = example("convex-series-1")
        writer = RunWriter(machine, tmp_path / f"{next(numbers)}.run", capture=lambda: capture(machine))
        machine.listeners.append(writer)
        machine.advance_to(TWO_HOURS_S)
        writer.close(tick=machine.tick)

    benchmark.pedantic(recorded, rounds=3, warmup_rounds=1)
    if benchmark.stats is not None:
        assert TWO_HOURS_S / benchmark.stats.stats.median > 5000


def test_recording_each_second_costs_little(benchmark: Any, tmp_path: Path) -> None:
    """Samples of 111 nodes each second, taken in and written; what the run costs without is beside it."""
    scenario = site(16, 500)
    alone, watched = Machine(scenario), Machine(scenario)
    writer = RunWriter(watched, tmp_path / "x.run", capture=lambda: capture(watched))
    watched.listeners.append(writer)
    ends = count(1)
    benchmark.pedantic(lambda: watched.advance_to(next(ends) * 60), rounds=5, warmup_rounds=1)
    writer.close()
    began = time.perf_counter()
    alone.advance_to(300)
    bare = (time.perf_counter() - began) / 5
    if benchmark.stats is not None:
        benchmark.extra_info["times_bare"] = round(benchmark.stats.stats.median / bare, 3)
        assert benchmark.stats.stats.median < 1.3 * bare


@pytest.mark.parametrize("what", ["save", "load"])
def test_a_checkpoint_of_500_processes(benchmark: Any, what: str) -> None:
    machine = Machine(site(16, 500))
    machine.advance_to(60)
    kept = save(machine)
    benchmark(lambda: save(machine) if what == "save" else load(kept, machine.scenario))
    benchmark.extra_info["kilobytes"] = round(len(kept) / 1000)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < 0.05
