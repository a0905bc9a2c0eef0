"""The use of memory and SDS by class."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.machine.jobs.memory_requests import Image, memory_of
from fsconsole.machine.machine import Machine
from fsconsole.machine.processes import ProcessTable
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.view import Held
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.names import Names

ND_JOB, BATCH, INTERACTIVE, SYSTEM = "ND job", "Batch", "Interactive", "System"
_HAS_SDS = ("held", "reading", "writing")
_FIRST = (ND_JOB, BATCH, INTERACTIVE, SYSTEM)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """The use of memory and SDS; see `NightView`."""

    memory: tuple[Held, ...]
    sds: tuple[Held, ...]
    suspended: int
    suspended_mw: float
    swapped_out: int


def memory_use(control: NearDedicated) -> MemoryUse:
    """Return memory and SDS by class; the processes' needs if the machine does not simulate memory."""
    machine = control.machine
    table, classes = machine.processes, _classes(control)
    manager = memory_of(machine)
    images = {} if manager is None else manager.images
    memory: dict[str, int] = {}
    sds: dict[str, int] = {}
    given_up = suspended = swapped_out = 0
    for row in _image_rows(table):
        who, image = classes[int(table.owner[row])], images.get(int(table.pid[row]))
        swapped_out += image is not None and image.where == "out"
        if image is None or image.where != "out":
            memory[who] = memory.get(who, 0) + int(table.clicks[row])
        if image is None or image.sds in _HAS_SDS:
            sds[who] = sds.get(who, 0) + int(table.sds_clicks[row])
        if image is not None and _was_taken_from(image):
            given_up += int(table.sds_clicks[row]) if image.sds not in _HAS_SDS else 0
            suspended += int((table.image == table.pid[row]).sum())
    return MemoryUse(_held(memory), _held(sds), suspended, given_up / CLICKS_PER_MW, int(swapped_out))


def _was_taken_from(image: Image) -> bool:
    """Return True if an image has lost its SDS: until it has that back, though it may run before."""
    return image.sds_lost or image.sds == "writing" or (image.suspended != "" and image.sds == "held")


def _image_rows(table: ProcessTable) -> list[int]:
    """Return rows of the first process of each image, which holds its memory."""
    return [int(row) for row in (table.pid == table.image).nonzero()[0]]


def _held(clicks: dict[str, int]) -> tuple[Held, ...]:
    order = sorted(clicks, key=lambda who: (_FIRST.index(who) if who in _FIRST else len(_FIRST), who))
    return tuple(Held(who, clicks[who] / CLICKS_PER_MW) for who in order if clicks[who])


def _classes(control: NearDedicated) -> list[str]:
    """Return the class of each row of the tree: system, interactive, ND job, batch, or its own name."""
    machine, flat = control.machine, control.machine.flat
    names = [machine.tree.node(int(node)).name if int(node) in machine.tree else "" for node in flat.ids]
    names[0] = SYSTEM
    interactive = _interactive(machine)
    if interactive in flat.row_of:
        names[flat.row_of[interactive]] = INTERACTIVE
    for name, queue in control.batch.queues.items():
        node = queue.spec.node
        if node is not None and node in flat.row_of:
            names[flat.row_of[node]] = ND_JOB if name == control.spec.queue else BATCH
    return names


def _interactive(machine: Machine) -> int:
    """Return the id of the leaf that is charged for interactive processes; -1 without one."""
    reference = machine.spec.defer_interactive_to
    try:
        return Names(machine.tree).find_worker(reference, or_root=False).id if reference else -1
    except LookupError:
        return -1
