"""Suspending and resuming processes by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.machine.memory import sds
from fsconsole.machine.memory.images import Image
from fsconsole.machine.operate import Refused
from fsconsole.machine.parts import Done
from fsconsole.shares.scenario.job_actions import ResumeProcess, SuspendProcess
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

if TYPE_CHECKING:
    from fsconsole.machine.memory.manager import MemoryManager


def suspend(memory: MemoryManager, action: SuspendProcess) -> Done:
    """Let a process, and all of its job, stand still; Refused where it cannot or does already."""
    image, name = _image_of(memory, action.pid)
    if image.suspended:
        who = "by the SDS daemon " if image.suspended == "daemon" else ""
        msg = f"{name} is suspended {who}already"
        raise Refused(msg)
    if memory.store.owner_of(image) == 0:
        msg = f"{name} belongs to the system, which is never suspended"
        raise Refused(msg)
    sds.suspend(memory.store, image, "hand")
    memory.changed()
    given = f"; its SDS, {image.sds_clicks / CLICKS_PER_MW:.1f} MW, is written out" if image.has_sds else ""
    return Done(f"{name} is suspended{given}", name, "running", "suspended")


def resume(memory: MemoryManager, action: ResumeProcess) -> Done:
    """Let a suspended process go on; Refused where it is not suspended."""
    image, name = _image_of(memory, action.pid)
    if not image.suspended:
        msg = f"{name} is not suspended"
        raise Refused(msg)
    sds.resume(memory.store, image)
    memory.changed()
    then = " as soon as there is SDS for it" if image.sds in ("waiting", "reading", "writing") else ""
    return Done(f"{name} goes on{then}", name, "suspended", "waits for SDS" if then else "running")


def _image_of(memory: MemoryManager, pid: int) -> tuple[Image, str]:
    """(image, what it is called) of a process; LookupError where it does not live."""
    table = memory.store.table
    row = table.row_of(pid)
    return memory.images[int(table.image[row])], f"process {pid}"
