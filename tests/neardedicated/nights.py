"""Small machines with near-dedicated windows, and the paper's night."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.view import NightView
from fsconsole.neardedicated.view_of import night_view
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import Event, MachineSpec, PlotSpec, Scenario
from tests.machine.worlds import tree_of

TEN_MIN_BEFORE = datetime(1996, 2, 19, 22, 50)  # noqa: DTZ001 (the machine's own clock, no zone)
WINDOW = ("daily 23:00-07:30",)
OPENS_S, HOUR_S = 600.0, 3600.0
FIRST = 41870
NO_MEMORY = MemorySpec()


def job(name: str, asked_s: float, **given: Any) -> JobSpec:
    """A job of 4 tasks that fits its estimate: half of it is used."""
    usual: dict[str, Any] = {"person": "sbert", "tasks": 4, "shown_efficiency": 0.9, "cycle_s": 120.0}
    return JobSpec(name, given.pop("queue_name", "nd"), asked_s, **(usual | given))


def scenario(
    jobs: tuple[JobSpec, ...] = (),
    *,
    events: tuple[tuple[float, Any], ...] = (),
    memory: MemorySpec = NO_MEMORY,
    cpus: int = 4,
    loads: int = 3,
    **given: Any,
) -> Scenario:
    """Three batch processes on 4 processors under NOSCHED, and a window from 23:00 to 07:30; 22:50 at 0."""
    tree = tree_of({"PRI_INTR": 30, "PRI_BATCH": 1, "PRI_ND": 300})
    ids = {node.name: node.id for node in tree.walk()}
    near = NearDedicatedSpec(**({"windows": WINDOW} | given))
    return Scenario(
        tree=tree,
        machine=MachineSpec(cpus=cpus, hz=10, start=TEN_MIN_BEFORE, memory=memory),
        policy=PolicySpec(name="fixed", nosched=True),
        workloads=(StartProcess(ids["PRI_BATCH"], Work(system_fraction=0.04, mflops=100.0), "batch", loads),)
        if loads
        else (),
        queues=(
            QueueSpec("nd", ids["PRI_ND"], started=False),
            QueueSpec("batch", ids["PRI_BATCH"], run_limit=2),
        ),
        jobs=jobs,
        near_dedicated=near,
        events=tuple(Event(at_s, action) for at_s, action in events),
        plot=PlotSpec(sample_s=60.0, rate_window_s=60.0),
    )


def machine_of(*jobs: JobSpec, **given: Any) -> Machine:
    """A machine with these jobs in its near-dedicated queue."""
    built = scenario(jobs, **given)
    return Machine(built, makers_of(built))


def control_of(machine: Machine) -> NearDedicated:
    """Its controller."""
    return next(part for part in machine.parts if isinstance(part, NearDedicated))


def night(machine: Machine) -> NightView:
    """What an operator sees."""
    view = night_view(machine)
    assert view is not None
    return view
