"""`fsconsole bench`: how fast the engine is on this computer."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.app.kinds import run_at
from fsconsole.cli.tables import print_json, print_table
from fsconsole.text.durations import in_words
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from collections.abc import Callable

    from fsconsole.machine.machine import Machine
    from fsconsole.shares.scenario.spec import Scenario

_GROUPS = 10
_WARM_UP_S = 100.0  # The first usages after the start are not representative.
_SIMPLE_PART = 20  # The simple kernel runs only this fraction of the seconds.
_LEAST_S = 20.0
_SAMPLE_S = 3600.0
# A realistic load has bursts and sleeps of these mean seconds. Every ninth process uses a disk.
_BURSTS_S = (2.0, 10.0, 60.0, 300.0)
_REQUEST_S = 0.05  # A disk request takes this many seconds, and comes once each CPU second.


@dataclass(frozen=True)
class Load:
    """Load of the benchmark: a machine, its users and their processes."""

    cpus: int
    processes: int
    users: int
    policy: str
    adjgroups: str
    realistic: bool


@click.group("bench")
def command() -> None:
    """Measure how fast this program is here."""


@command.command("engine")
@click.option("--cpus", type=click.IntRange(1, 4096), default=16, show_default=True)
@click.option("--processes", type=click.IntRange(1, 100_000), default=500, show_default=True)
@click.option("--users", type=click.IntRange(1, 100_000), default=100, show_default=True)
@click.option(
    "--seconds", type=click.FloatRange(1, 1e9), default=20_000, show_default=True, help="Simulated seconds."
)
@click.option("--policy", default="share", show_default=True, help="Policy, such as share or feedback.")
@click.option(
    "--adjgroups", type=click.Choice(["off", "share", "integral"]), default="off", show_default=True
)
@click.option(
    "--realistic", is_flag=True, help="Let processes sleep and use disks. Default: all compute without end."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def engine(
    cpus: int,
    processes: int,
    users: int,
    seconds: float,
    policy: str,
    adjgroups: str,
    realistic: bool,
    as_json: bool,
) -> None:
    """Measure the speed of the engine and of a simple kernel.

    The unit is simulated seconds per second. The simple kernel visits all processes in each tick, and runs
    only a part of the seconds. Compiling and the first simulated seconds are not counted.
    """
    figures = measure(Load(cpus, processes, users, policy, adjgroups, realistic), seconds)
    if as_json:
        print_json(figures)
        return
    _print(figures)


@command.command("seek")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--seeks", type=click.IntRange(1, 100_000), default=200, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--workspace", type=click.Choice(["observe", "operate", "design"]), default="observe", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def seek(run: Path, seeks: int, seed: int, workspace: str, as_json: bool) -> None:
    """Measure the time to show random instants of a run.

    RUN is a run folder; the window is off screen. A seek ends when all views are painted. Another process
    runs the whole run without a stop; `identical` is true if the machine was the same at each instant, byte
    for byte.
    """
    from fsconsole.console.seek_bench import measure as measure_seeks

    found = measure_seeks(run_at(run, is_simulated=True).path, seeks, seed, workspace)
    figures = {
        "p50_ms": round(found.percentile_ms(50), 1),
        "p95_ms": round(found.percentile_ms(95), 1),
        "seeks": seeks,
        "identical": found.identical,
        "span_s": found.span_s,
    }
    if as_json:
        print_json(figures)
    else:
        same = "identical to a run without seeks" if found.identical else "DIFFERENT from a run without seeks"
        click.echo(
            f"{seeks} seeks over {in_words(found.span_s)}: half within {figures['p50_ms']} ms, "
            f"95 % within {figures['p95_ms']} ms, {same}."
        )


def measure(load: Load, seconds: float) -> dict[str, Any]:
    """Run both kernels on a load; figures by name, speeds in simulated seconds per second."""
    began = time.perf_counter()
    import numba  # noqa: F401 (its import is counted apart)

    imported = time.perf_counter()
    from fsconsole.machine.machine import machine_for

    scenario = scenario_of(load)
    settings = {"policy.name": load.policy, "policy.adjgroups": load.adjgroups}
    machine_for(scenario, settings).advance_to(_LEAST_S)
    compiled = time.perf_counter()
    fast = _speed(lambda: machine_for(scenario, settings), seconds)

    def simple() -> Machine:
        from fsconsole.machine.reference_machine import run_span

        made = machine_for(scenario, settings)
        made.run_span = run_span
        return made

    slow = _speed(simple, max(_LEAST_S, seconds / _SIMPLE_PART))
    return {
        "simulated_s_per_wall_s": fast,
        "simple_kernel": slow,
        "ratio": fast / slow,
        "compile_s": compiled - imported,
        "import_s": imported - began,
        "seconds": seconds,
        "cpus": load.cpus,
        "processes": load.processes,
        "users": load.users,
        "policy": load.policy,
        "adjgroups": load.adjgroups,
        "realistic": load.realistic,
    }


def _speed(make: Callable[[], Machine], seconds: float) -> float:
    machine = make()
    machine.advance_to(_WARM_UP_S)
    began = time.perf_counter()
    machine.advance_to(_WARM_UP_S + seconds)
    return seconds / (time.perf_counter() - began)


def scenario_of(load: Load) -> Scenario:
    """Build users with 1 to 10 shares in ten groups with 1 to 10 shares; their processes in turn."""
    from fsconsole.shares.scenario.actions import StartProcess, Work
    from fsconsole.shares.scenario.spec import Device, MachineSpec, PlotSpec, Scenario
    from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree

    tree = ShareTree()
    groups = [tree.add(ROOT_ID, f"g{at}", 1 + at, Kind.GROUP).id for at in range(min(_GROUPS, load.users))]
    users = [tree.add(groups[at % len(groups)], f"u{at}", 1 + at % 10).id for at in range(load.users)]
    works = [Work()]
    if load.realistic:
        works = [Work(burst, burst) for burst in _BURSTS_S]
        works = [*works, *works, Work(1.0, 0.0, device="disk", io_s=_REQUEST_S)]
    loads = tuple(
        StartProcess(users[at % len(users)], works[at % len(works)], "load") for at in range(load.processes)
    )
    made = Scenario(
        tree,
        machine=MachineSpec(cpus=load.cpus),
        workloads=loads,
        plot=PlotSpec(sample_s=_SAMPLE_S, rate_window_s=_SAMPLE_S),
    )
    return replace(made, devices=(Device("disk"),)) if load.realistic else made


def _print(figures: dict[str, Any]) -> None:
    title = (
        f"{figures['cpus']} CPUs, {thousands(figures['processes'])} processes of "
        f"{thousands(figures['users'])} users, "
        f"{figures['policy']}, ADJGROUPS {figures['adjgroups']}"
    )
    rows = [
        ("Engine", thousands(figures["simulated_s_per_wall_s"]), f"{figures['ratio']:.1f}"),
        ("Simple kernel", thousands(figures["simple_kernel"]), "1.0"),
    ]
    print_table(("", "Simulated s\nper s", "Times the\nsimple kernel"), rows, title)
    click.echo(f"Compiling took {figures['compile_s']:.2f} s, importing numba {figures['import_s']:.2f} s.")
