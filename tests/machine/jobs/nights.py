"""Small machines with queues for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.machine import Machine
from fsconsole.machine.parts import part_of
from fsconsole.shares.scenario.actions import Action, Work
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.spec import Device, Scenario
from tests.machine.worlds import Nested, scenario_of

TREE: Nested = {"intr": 30, "batch": 1, "nd": 300, "users": (50, {"ana": 3, "bob": 1})}


URM, MEMORY = UrmSpec(), MemorySpec(checkpoint_mw_per_s=1.0)


def job_of(name: str = "ccm", queue: str = "batch", cpu_s: float = 10.0, **more: Any) -> JobSpec:
    """A job that asks for what it needs."""
    return JobSpec(name, queue, **{"requested_cpu_s": cpu_s, "person": "sbert", **more})


def night(
    jobs: Sequence[JobSpec] = (),
    *,
    loops: Sequence[tuple[str, Work, int]] = (),
    cpus: int = 8,
    urm: UrmSpec = URM,
    memory: MemorySpec = MEMORY,
    **limits: Any,
) -> Scenario:
    """A machine with a disk, and the queues `batch`, `nd` (not started) and `own`, charged to who submits.

    `limits` are those of `batch`.
    """
    scenario = scenario_of(TREE, loops=loops, cpus=cpus, sample_s=60)
    batch, near = (scenario.tree.find(name).id for name in ("batch", "nd"))
    queues = (
        QueueSpec("batch", batch, **{"run_limit": 2, **limits}),
        QueueSpec("nd", near, started=False, priority=60),
        QueueSpec("own", run_limit=50, priority=10),
    )
    machine = replace(scenario.machine, urm=urm, memory=memory)
    return replace(scenario, machine=machine, queues=queues, jobs=tuple(jobs), devices=(Device("disk"),))


def batch_of(machine: Machine) -> Batch:
    """The machine's queues."""
    batch = part_of(machine, Batch)
    assert batch is not None
    return batch


def run(scenario: Scenario, until_s: float = 0.0) -> tuple[Machine, Batch]:
    """The machine at a time, and its queues."""
    machine = Machine(scenario)
    machine.advance_to(until_s)
    return machine, batch_of(machine)


def done(machine: Machine, action: Action) -> str:
    """The answer to an action that must be carried out."""
    outcome = machine.act(action)
    assert outcome.done, outcome.text
    return outcome.text


def refused(machine: Machine, action: Action) -> str:
    """The answer to an action that must be refused and leave everything as it was."""
    before = save(machine)
    outcome = machine.act(action)
    assert not outcome.done, outcome.text
    assert save(machine) == before
    return outcome.text


def again(machine: Machine) -> Machine:
    """The machine from its checkpoint."""
    return load(save(machine), machine.scenario)


def only(batch: Batch) -> Job:
    """The one job that there is."""
    (job,) = batch.jobs.values()
    return job
