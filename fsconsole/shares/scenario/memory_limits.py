"""What asks for more memory or SDS than a machine has, where settings change how much there is."""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.shares.scenario.actions import StartProcess
from fsconsole.shares.scenario.job_actions import SubmitJob
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.text.words import listed

ROOM_SETTINGS = frozenset({"memory.size_mw", "memory.sds_mw"})
_MOST_NAMED = 5


def without_room(scenario: Scenario) -> list[str]:
    """For memory and for SDS, who needs more of it than there can ever be; as files are checked.

    Memory of size 0 is not simulated and has room for all; an SDS of size 0 is none.
    """
    memory = scenario.machine.memory
    found, wanted = [], list(_wanted(scenario))
    sizes = [(who, mw) for who, mw, _ in wanted] if memory.size_mw else []
    for setting, asked in (("size_mw", sizes), ("sds_mw", [(who, mw) for who, _, mw in wanted])):
        there = getattr(memory, setting)
        short = list(dict.fromkeys(f"{who} ({mw:g} MW)" for who, mw in asked if mw > there))
        if short:
            found.append(f"memory.{setting} {there:g} MW is too little for {listed(short, _MOST_NAMED)}")
    held = sum(load.count * load.work.sds_clicks for load in scenario.workloads) / CLICKS_PER_MW
    if held > memory.sds_mw > 0:
        found.append(
            f"memory.sds_mw {memory.sds_mw:g} MW is too little for workloads, which hold {held:g} MW"
        )
    return found


def _wanted(scenario: Scenario) -> Iterator[tuple[str, float, float]]:
    """(who, MW of memory, MW of SDS) of each job and process that ever comes."""
    actions = [event.action for event in scenario.events]
    jobs = [*scenario.jobs, *(one.job for one in actions if isinstance(one, SubmitJob))]
    loads = [*scenario.workloads, *(one for one in actions if isinstance(one, StartProcess))]
    for job in jobs:
        yield f"job {job.name}", max(job.memory_mw, job.setup_mw), job.sds_mw
    for load in loads:
        memory, sds = load.work.clicks / CLICKS_PER_MW, load.work.sds_clicks / CLICKS_PER_MW
        yield f"process {load.command}".rstrip(), memory, sds
