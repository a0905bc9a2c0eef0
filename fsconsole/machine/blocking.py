"""Holding processes back: the reasons, the state of a process when it was held, and its state in words.

Several reasons may hold a process; it continues when the last one is removed. The kernel ignores held
processes; their sleep continues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.tick_kernel import HELD, QUEUED, RUNNABLE, SERVED, SLEEPING

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

# The reasons are: not in memory; suspended; waits for SDS; waits for the others of its job or for its job's
# turn; its job sleeps (data, input and output); its job has been checkpointed; marked to leave memory
# (LCKSWP).
SWAPPED, SUSPENDED, NO_SDS, BARRIER, ASLEEP, CHECKPOINTED, MARKED = (1 << bit for bit in range(7))

Rows = NDArray[np.int64]


def in_io(table: ProcessTable, rows: Rows, tick: int) -> NDArray[np.bool_]:
    """Return True if processes wait for a device or are served, bool [rows]; these stay in memory."""
    state = table.state[rows]
    busy: NDArray[np.bool_] = (state == QUEUED) | ((state == SERVED) & (table.wake[rows] > tick))
    return busy


def hold(machine: Machine, rows: Rows, why: int) -> None:
    """Hold processes back for a reason.

    A queued request keeps its place in time. A process that is being served waits for the rest of its service
    without the device, which is free for others.
    """
    table = machine.processes
    fresh = rows[table.held[rows] == 0]
    table.kept[fresh] = table.state[fresh]
    # The rest of a service is a sleep, so that the kernel wakes it as after any sleep.
    served = fresh[table.kept[fresh] == SERVED]
    table.kept[served] = SLEEPING
    table.state[fresh] = HELD
    table.held[rows] |= why
    if len(served):
        machine.free_devices()


def let_go(table: ProcessTable, rows: Rows, why: int) -> None:
    """Remove a reason; a process without another one continues where it was held."""
    rows = rows[table.held[rows] & why != 0]
    table.held[rows] &= ~why
    free = rows[table.held[rows] == 0]
    table.state[free] = table.kept[free]


# If there are several reasons, the most informative one is shown: the first of these.
_HELD_WORDS = (
    (CHECKPOINTED, "checkpointed"),
    (SUSPENDED, "suspended"),
    (NO_SDS, "waits for SDS"),
    (SWAPPED, "swapped out"),
    (MARKED, "marked to leave"),
    (ASLEEP, "asleep"),
    (BARRIER, "at barrier"),
)


def states(machine: Machine) -> NDArray[np.str_]:
    """Return the activity of each process in words, [processes], with its device or reason of its hold."""
    table = machine.processes
    ran = (table.state == RUNNABLE) & (table.last_run == machine.tick - 1) & (machine.tick > 0)
    words = np.where(ran, "running", "runnable")
    words = np.where(table.state == SLEEPING, "sleeping", words)
    for number, device in enumerate(machine.scenario.devices):
        here = table.device == number
        words = np.where(here & (table.state == QUEUED), f"waiting for {device.name}", words)
        words = np.where(here & (table.state == SERVED), f"I/O on {device.name}", words)
    is_held = table.state == HELD
    for reason, text in reversed(_HELD_WORDS) if is_held.any() else ():
        words = np.where(is_held & (table.held & reason != 0), text, words)
    return words
