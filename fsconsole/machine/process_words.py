"""What processes do, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import holds, tick_kernel

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

# The one that says most where there are several.
_HELD_WORDS = (
    (holds.CHECKPOINTED, "checkpointed"),
    (holds.SUSPENDED, "suspended"),
    (holds.NO_SDS, "waits for SDS"),
    (holds.SWAPPED, "swapped out"),
    (holds.MARKED, "marked to leave"),
    (holds.ASLEEP, "asleep"),
    (holds.BARRIER, "at barrier"),
)


def states(machine: Machine) -> NDArray[np.str_]:
    """What each process does; of those at a device, which one, and of those held back, why."""
    table = machine.processes
    ran = (table.state == tick_kernel.RUNNABLE) & (table.last_run == machine.tick - 1) & (machine.tick > 0)
    words = np.where(ran, "running", "runnable")
    words = np.where(table.state == tick_kernel.SLEEPING, "sleeping", words)
    for number, device in enumerate(machine.scenario.devices):
        here = table.device == number
        words = np.where(here & (table.state == tick_kernel.QUEUED), f"waiting for {device.name}", words)
        words = np.where(here & (table.state == tick_kernel.SERVED), f"I/O on {device.name}", words)
    is_held = table.state == tick_kernel.HELD
    for reason, text in reversed(_HELD_WORDS) if is_held.any() else ():
        words = np.where(is_held & (table.held & reason != 0), text, words)
    return words
