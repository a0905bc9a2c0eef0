"""The common data of memory management: the images, their processes and the swap device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import blocking
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.swap_device import SwapDevice
from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.tick_kernel import QUEUED, RUNNABLE, SERVED
from fsconsole.policies.registry import policy_of
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

Rows = NDArray[np.int64]
_LEAST_RANK = 1e-12


class Store:
    """Images by pid, the swap device, and the processes of the images.

    Attributes:
        machine: the machine with this memory.
        images: by the pid of the first process, in order of pid.
        device: the swap device.
        touched: whether images have changed since the last recount.
    """

    def __init__(self, machine: Machine) -> None:
        """Start without images."""
        self.machine = machine
        self.images: dict[int, Image] = {}
        self.device = SwapDevice()
        self.touched = False

    @property
    def spec(self) -> MemorySpec:
        """Settings of memory in force."""
        return self.machine.spec.memory

    @property
    def tick(self) -> int:
        """Present tick of the machine."""
        return self.machine.tick

    @property
    def hz(self) -> int:
        """Number of ticks in a second."""
        return self.machine.spec.hz

    @property
    def table(self) -> ProcessTable:
        """Process table of the machine."""
        return self.machine.processes

    @property
    def size_clicks(self) -> int:
        """Memory for users; 0 if memory is not simulated."""
        return round(self.spec.size_mw * CLICKS_PER_MW)

    @property
    def sds_size_clicks(self) -> int:
        """Size of the SDS in clicks."""
        return round(self.spec.sds_mw * CLICKS_PER_MW)

    @property
    def used_clicks(self) -> int:
        """Memory in use, including images on their way."""
        return sum(image.clicks for image in self.images.values() if image.in_memory)

    @property
    def sds_used_clicks(self) -> int:
        """SDS in use, including SDS being read or written."""
        return sum(image.sds_clicks for image in self.images.values() if image.has_sds)

    @property
    def sds_free_clicks(self) -> int:
        """Free SDS in clicks."""
        return self.sds_size_clicks - self.sds_used_clicks

    def planned_room(self) -> int:
        """Return the memory that is free after all requested transfers."""
        coming = {item.pid for item in self.device.waiting if item.kind == "in"}
        staying = (
            image.clicks
            for image in self.images.values()
            if image.where in ("in", "coming in") or image.pid in coming
        )
        return self.size_clicks - sum(staying)

    def rows_of(self, image: Image) -> Rows:
        """Return rows of an image's processes."""
        return np.flatnonzero(self.table.image == image.pid)

    def owner_of(self, image: Image) -> int:
        """Return the row of the tree that is charged for an image."""
        return int(self.table.owner[np.argmax(self.table.image == image.pid)])

    def share_priority(self, row: int) -> float:
        """Return the policy's preference for a row of the tree: 1/rank, infinite for the root."""
        return np.inf if row == 0 else 1.0 / max(float(self.machine.state.rank[row]), _LEAST_RANK)

    def share_priorities(self, rows: Rows) -> NDArray[np.float64]:
        """Return the policy's preference for rows of the tree, [rows]: 1/rank, infinite for the root."""
        rank = np.maximum(self.machine.state.rank[rows], _LEAST_RANK)
        rank[rows == 0] = 0.0
        with np.errstate(divide="ignore"):
            result: NDArray[np.float64] = 1.0 / rank
        return result

    def priority_of(self, image: Image) -> float:
        """Return the share priority of an image."""
        return self.share_priority(self.owner_of(image))

    def busy(self, image: Image) -> bool:
        """Return True if a process of an image is at a device."""
        return bool(blocking.in_io(self.table, self.rows_of(image), self.tick).any())

    def hold(self, image: Image, why: int) -> None:
        """Hold an image's processes; those at a device as soon as they have been served."""
        image.holding |= why
        self.settle(image)

    def settle(self, image: Image) -> None:
        """Hold the processes that should be held and have left their device."""
        rows = self.rows_of(image)
        busy = blocking.in_io(self.table, rows, self.tick)
        blocking.hold(self.machine, rows[~busy], image.holding)
        self.touched = True
        if not busy.any():
            image.holding = 0

    def let_go(self, image: Image, why: int) -> None:
        """Remove a reason of an image's hold."""
        image.holding &= ~why
        blocking.let_go(self.table, self.rows_of(image), why)
        self.touched = True

    def next_served_tick(self) -> int | None:
        """Return the first tick at which a device may have served a process to be held; None without
        such a process.
        """
        ticks = [self._served_tick(image) for image in self.images.values() if image.holding]
        return min(ticks, default=None)

    def _served_tick(self, image: Image) -> int:
        table, tick = self.table, self.tick
        rows = self.rows_of(image)
        queued = table.device[rows[table.state[rows] == QUEUED]]
        ticks = table.wake[rows[(table.state[rows] == SERVED) & (table.wake[rows] > tick)]].tolist()
        if len(queued):
            ahead = table.wake[(table.state == SERVED) & np.isin(table.device, queued)]
            ticks.append(max(int(ahead.min()), tick) + 1 if len(ahead) else tick + 1)
        return min(ticks, default=tick)  # No process is at a device any more, so the one to hold is held now.

    def recount(self) -> None:
        """Update the policy's numbers of runnable processes and their memory."""
        if not self.touched:
            return
        machine, table = self.machine, self.table
        n = len(machine.flat)
        machine.state.runnable[:] = table.count_by_owner(n, runnable=True)
        machine.state.clicks[:] = np.bincount(table.owner, weights=table.clicks, minlength=n).astype(np.int64)
        self.touched = False

    def priorities_until(self) -> int | None:
        """Return the tick up to which share priorities stay while usage grows; None if they do not change."""
        spec, policy = self.machine.spec, self.machine.policy_spec
        period_s = policy_of(policy).priority_period_s(policy, spec.decay_interval_s)
        if period_s is None:
            return None
        period = spec.ticks(period_s)
        return (self.tick // period + 1) * period

    def runnable_in_memory(self) -> int:
        """Return the processes that can run now."""
        return int((self.table.state == RUNNABLE).sum())
