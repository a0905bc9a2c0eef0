"""Memory of a machine as one of its parts: images, swap device, memory scheduler and SDS.

Passes of the memory scheduler are on a grid of `memory.pass_s` since 0. A pass without work is left out:
after each pass the end of that time is computed (`swap_pass.quiet_until`), and any event (a process, SDS, a
setting, a share priority, a process held or released) ends it early. Passes without work change nothing, so
that the run is the same with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import blocking
from fsconsole.machine.memory import sds, sds_daemon, swap_pass, swapping
from fsconsole.machine.memory.eviction import Contest
from fsconsole.machine.memory.image_ranking import Columns, columns_of
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store
from fsconsole.machine.memory.swap_device import SwapDevice, Transfer
from fsconsole.machine.memory.swap_pass import FOR_GOOD, Persistence
from fsconsole.machine.operate import Refused
from fsconsole.machine.parts import Done
from fsconsole.shares.scenario.actions import ResumeProcess, SuspendProcess
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

_SEEN = blocking.ASLEEP | blocking.SUSPENDED | blocking.NO_SDS | blocking.CHECKPOINTED


class MemoryManager:
    """The allocation of memory and SDS; a `Part`.

    Attributes:
        images: by pid of the first process.
        persistence: the counter against thrashing.
    """

    name = "memory"

    def __init__(self, machine: Machine) -> None:
        """Attach to a machine, with empty memory."""
        self._store = Store(machine)
        self.persistence = Persistence()
        self.handlers: Mapping[type[Any], Callable[[Any], Done]] = {
            SuspendProcess: lambda action: suspend_process(self, action),
            ResumeProcess: lambda action: resume_process(self, action),
        }
        self._spec = machine.spec.memory
        self._done_tick = 0
        self._due = 1
        self._worked_out = 0
        self._seen: tuple[bytes, bytes, bytes] | None = None
        self._columns: Columns | None = None
        self._ranks: bytes | None = None
        self._would_look: bool | None = None
        self._reordered = False

    # -- what others ask ----------------------------------------------------------------------------------

    @property
    def store(self) -> Store:
        """Images, device and processes, for the modules of this package."""
        return self._store

    @property
    def images(self) -> dict[int, Image]:
        """Images by the pid of their first process."""
        return self._store.images

    @property
    def used_clicks(self) -> int:
        """Memory in use, including images on their way."""
        return self._store.used_clicks

    @property
    def sds_used_clicks(self) -> int:
        """SDS in use, including SDS being written or read."""
        return self._store.sds_used_clicks

    def grow(self, pid: int, clicks: int) -> None:
        """Change the size of an image; a growing one is held, goes out and comes back.

        Raises:
            ValueError: the size exceeds the memory.
        """
        if 0 < self._store.size_clicks < clicks:
            msg = f"{clicks} clicks do not fit into the memory of {self._store.size_clicks} clicks"
            raise ValueError(msg)
        swapping.grow(self._store, self.images[pid], clicks)
        self.changed()

    def ask_sds(self, pid: int, clicks: int) -> None:
        """Queue an image for SDS, held until it has it.

        Raises:
            ValueError: the request exceeds the SDS.
        """
        if clicks > self._store.sds_size_clicks:
            msg = f"{clicks} clicks do not fit into the SDS of {self._store.sds_size_clicks} clicks"
            raise ValueError(msg)
        sds.ask(self._store, self.images[pid], clicks)
        self.changed()

    def give_back_sds(self, pid: int) -> None:
        """Free an image's SDS."""
        sds.give_back(self._store, self.images[pid])
        sds.grant(self._store)
        self.changed()

    # -- a part of the machine ----------------------------------------------------------------------------

    def start(self) -> None:
        """Place all images in order of pid while there is room, and likewise their SDS."""
        self.started(tuple(self._store.table.pid.tolist()))

    def next_tick(self) -> int | None:
        """Return the tick of the next transfer's end, device service, daemon check or useful pass."""
        store = self._store
        if store.spec is not self._spec:
            return store.tick
        ticks = [store.device.end_tick, store.next_served_tick(), self._sds_tick(), self._pass_tick()]
        return min((tick for tick in ticks if tick is not None), default=None)

    def act(self) -> None:
        """Do the work that is due."""
        store = self._store
        if store.spec is not self._spec:
            self._would_look = None  # The daemon may just have been switched on.
            if not store.spec.sds_daemon:
                sds_daemon.resume_all(store)
        self._spec, self._reordered = store.spec, False
        self._turn_device()
        self._settle()
        if store.spec.sds_daemon and store.tick % self._period(store.spec.sds_poll_s) == 0:
            sds_daemon.look(store)
        sds.grant(store)
        contest = self._pass() if store.size_clicks else None
        if store.touched or store.device.waiting:
            self.changed()
        self._done_tick = self._worked_out = store.tick
        self._due = self._quiet_until(contest) if store.size_clicks else FOR_GOOD
        self._seen = _to_see(self._store)

    def started(self, pids: tuple[int, ...]) -> None:
        """Place new images while there is room; the others start outside memory."""
        store = self._store
        for pid in pids:
            row = store.table.row_of(pid)
            if int(store.table.image[row]) == pid:
                self._place(pid, int(store.table.clicks[row]), int(store.table.sds_clicks[row]))
        self.changed()

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return no rows, [0]: processes that have used up their CPU time end."""
        return rows[:0]

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Free memory and SDS of images whose processes are gone, by pid [dropped]."""
        del pids
        self._sync()
        sds.grant(self._store)
        self.changed()

    def to_json(self) -> dict[str, Any]:
        """Return the state that is not in the process table."""
        return {
            "images": [image.to_json() for image in self.images.values()],
            "device": self._store.device.to_json(),
            "persistence": asdict(self.persistence),
        }

    def from_json(self, data: dict[str, Any]) -> None:
        """Restore the state that `to_json` returned."""
        store = self._store
        store.images = {item["pid"]: Image(**item) for item in data["images"]}
        store.device = SwapDevice.from_json(data["device"])
        store.touched = False
        self.persistence = Persistence(**data["persistence"])
        self._spec = store.spec
        self._seen = self._columns = self._ranks = None
        self._done_tick, self._due = store.tick, store.tick + 1

    # -- inside -------------------------------------------------------------------------------------------

    def _pass(self) -> Contest | None:
        """Run a pass if it is due; return the images' state if it is still valid after it."""
        store = self._store
        if store.tick % self._period(store.spec.pass_s) or store.device.moves_memory:
            return None
        self._sync()
        contest = self._contest()
        swap_pass.run_pass(store, self.persistence, contest)
        return None if store.touched or store.device.moves_memory else contest

    def _contest(self) -> Contest:
        """Return the present competition of images."""
        if self._columns is None or self._store.touched:
            self._columns = columns_of(self._store)
        return swap_pass.contest_of(self._store, self._columns)

    def _quiet_until(self, contest: Contest | None) -> int:
        """Return the tick up to which no pass has work."""
        if self.persistence.count or any(image.marked for image in self.images.values()):
            return self._store.tick + 1
        if all(image.in_memory for image in self.images.values()):
            return FOR_GOOD
        return swap_pass.quiet_until(self._store, contest or self._contest())

    def _place(self, pid: int, clicks: int, sds_clicks: int) -> None:
        """Place an image in memory if there is room now and later; otherwise it is out."""
        store, tick = self._store, self._store.tick
        room = min(store.planned_room(), store.size_clicks - store.used_clicks)
        fits = store.size_clicks == 0 or clicks == 0 or (clicks <= room and not self.persistence.count)
        image = Image(pid, clicks, "in" if fits else "out", tick, tick, tick)
        store.images[pid] = image
        if fits:
            image.most_clicks = clicks
        else:
            image.wants_since = tick
            store.hold(image, blocking.SWAPPED)
        if sds_clicks and store.sds_size_clicks:
            sds.ask(store, image, sds_clicks)

    def changed(self) -> None:
        """Note a change: begin the next transfer, and check again at the next pass."""
        self._turn_device()
        store = self._store
        store.recount()
        self._seen = self._columns = self._would_look = None
        self._ranks = store.machine.state.rank.tobytes()
        self._done_tick, self._due, self._worked_out = store.tick, store.tick + 1, store.tick

    def _turn_device(self) -> None:
        """End the transfers that are over, and begin the next one."""
        store = self._store
        while True:
            ended = store.device.finish(store.tick)
            if ended is not None:
                self._moved(ended)
            begun = store.device.begin(store.tick, store.hz, store.spec)
            if begun is not None and begun.kind == "in":
                image = store.images[begun.pid]
                image.where, image.since_tick = "coming in", store.tick
            if ended is None and begun is None:
                return

    def _moved(self, transfer: Transfer) -> None:
        store, image = self._store, self._store.images[transfer.pid]
        store.touched = True
        if transfer.kind == "out":
            swapping.is_out(store, image)
        elif transfer.kind == "in":
            swapping.is_in(store, image)
        elif transfer.kind == "sds out":
            sds.is_written(store, image)
            sds.grant(store)
        else:
            sds.has_it(store, image)

    def _settle(self) -> None:
        """Hold processes that a device has served, and continue those that waited for that."""
        for image in list(self.images.values()):
            if image.holding:
                self._store.settle(image)
                sds.write_out(self._store, image)
                swapping.leave_to_grow(self._store, image)

    def _sync(self) -> None:
        """Forget images without processes."""
        store = self._store
        alive = set(store.table.image.tolist())
        for pid in [pid for pid in store.images if pid not in alive]:
            store.device.forget(pid)
            del store.images[pid]
            store.touched = True
        if self.persistence.pid not in store.images:
            self.persistence.forget()

    def _period(self, seconds: float) -> int:
        return max(1, self._store.machine.spec.ticks(seconds))

    def _sds_tick(self) -> int | None:
        """Return the tick at which the daemon has work, or the order of waiting images may have changed."""
        store = self._store
        if not any(image.sds == "waiting" or image.suspended == "daemon" for image in self.images.values()):
            return None
        ranks = store.machine.state.rank.tobytes()
        if ranks != self._ranks:
            self._ranks, self._would_look, self._reordered = ranks, None, True
        if self._reordered:
            return store.tick
        if self._would_look is None:
            self._would_look = store.spec.sds_daemon and sds_daemon.would_act(store)
        until = store.priorities_until()
        if not self._would_look:
            return until
        period = self._period(store.spec.sds_poll_s)
        looks = (self._done_tick // period + 1) * period
        return looks if until is None else min(looks, until)

    def _pass_tick(self) -> int | None:
        """Return the first pass that may have work."""
        store = self._store
        if store.size_clicks == 0 or store.device.moves_memory:
            return None
        resting = not self.persistence.count
        if resting and all(image.in_memory and not image.marked for image in self.images.values()):
            return None
        self._look_again()
        period = self._period(store.spec.pass_s)
        return -(-self._due // period) * period if self._due < FOR_GOOD else None

    def _look_again(self) -> None:
        """Recompute the end of the quiet time if it has changed or may have moved further away."""
        tick = self._store.tick
        seen = _to_see(self._store)
        if seen != self._seen:
            self._seen, self._due = seen, min(self._due, max(tick, self._done_tick + 1))
        elif self._worked_out < tick < self._due and 2 * tick > self._worked_out + self._due:
            self._due = self._quiet_until(None)
            self._worked_out = tick


def _to_see(store: Store) -> tuple[bytes, bytes, bytes]:
    """Return data that others change and a pass reads: reasons of holds, share priorities, nice values."""
    held = store.table.held
    bits = np.where(held & blocking.SWAPPED, held, held & _SEEN)
    nice = store.table.nice.tobytes() if store.spec.nice_factor else b""
    return bits.tobytes(), store.machine.state.rank.tobytes(), nice


def suspend_process(memory: MemoryManager, action: SuspendProcess) -> Done:
    """Suspend a process and all of its job.

    Raises:
        Refused: it cannot be suspended, or is suspended already.
    """
    image, name = _image_of(memory, action.pid)
    if image.suspended:
        who = " by the SDS daemon" if image.suspended == "daemon" else ""
        msg = f"{name} is already suspended{who}"
        raise Refused(msg)
    if memory.store.owner_of(image) == 0:
        msg = f"{name} belongs to the system, whose processes are never suspended"
        raise Refused(msg)
    sds.suspend(memory.store, image, "hand")
    memory.changed()
    given = (
        f"; its SDS, {image.sds_clicks / CLICKS_PER_MW:.1f} MW, is being written out" if image.has_sds else ""
    )
    return Done(f"{name} is suspended{given}", name, "running", "suspended")


def resume_process(memory: MemoryManager, action: ResumeProcess) -> Done:
    """Resume a suspended process.

    Raises:
        Refused: it is not suspended.
    """
    image, name = _image_of(memory, action.pid)
    if not image.suspended:
        msg = f"{name} is not suspended"
        raise Refused(msg)
    sds.resume(memory.store, image)
    memory.changed()
    then = " as soon as SDS is free for it" if image.sds in ("waiting", "reading", "writing") else ""
    return Done(f"{name} goes on{then}", name, "suspended", "waits for SDS" if then else "running")


def _image_of(memory: MemoryManager, pid: int) -> tuple[Image, str]:
    """Return (image, its label) of a process.

    Raises:
        LookupError: the process does not live.
    """
    table = memory.store.table
    row = table.row_of(pid)
    return memory.images[int(table.image[row])], f"process {pid}"
