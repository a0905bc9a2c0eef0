"""Memory of a machine as one of its parts: images, swap device, memory scheduler and SDS.

Passes of the memory scheduler stand on a grid of `memory.pass_s` since 0. A pass that could not find anything
to do is left out: after each pass it is computed up to when that is so (`swap_pass.quiet_until`), and
whatever happens (a process, SDS, a setting, a share priority, a process held or let go) ends that time.
Passes that find nothing change nothing, so that the run is the same with all of them.
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
    """Says what is in memory and who has SDS; a `Part`.

    Attributes:
        images: by pid of the first process.
        persistence: the counter against thrashing.
    """

    name = "memory"

    def __init__(self, machine: Machine) -> None:
        """Stand beside a machine, with nothing in memory."""
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
        self._seen: tuple[bytes, bytes] | None = None
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
        """Memory that is taken, by what comes or goes too."""
        return self._store.used_clicks

    @property
    def sds_used_clicks(self) -> int:
        """SDS that is taken, by what is written or read too."""
        return self._store.sds_used_clicks

    @property
    def sds_free_clicks(self) -> int:
        """SDS that can be had at once."""
        return self._store.sds_free_clicks

    def share_priority(self, row: int) -> float:
        """Return how far the policy favours a row of the tree, the larger the better; the root infinitely."""
        return self._store.share_priority(row)

    def grow(self, pid: int, clicks: int) -> None:
        """Let an image have another size: a larger one goes out and comes back; until then it is held.

        ValueError where that is more than the memory there is.
        """
        if 0 < self._store.size_clicks < clicks:
            msg = f"{clicks} clicks do not fit into the memory of {self._store.size_clicks} clicks"
            raise ValueError(msg)
        swapping.grow(self._store, self.images[pid], clicks)
        self.changed()

    def ask_sds(self, pid: int, clicks: int) -> None:
        """Let an image wait for SDS, held until it has it; ValueError for more than there is."""
        if clicks > self._store.sds_size_clicks:
            msg = f"{clicks} clicks do not fit into the SDS of {self._store.sds_size_clicks} clicks"
            raise ValueError(msg)
        sds.ask(self._store, self.images[pid], clicks)
        self.changed()

    def give_back_sds(self, pid: int) -> None:
        """Take an image's SDS away."""
        sds.give_back(self._store, self.images[pid])
        sds.grant(self._store)
        self.changed()

    # -- a part of the machine ----------------------------------------------------------------------------

    def start(self) -> None:
        """Place all images in order of pid while there is room; likewise their SDS."""
        self.started(tuple(self._store.table.pid.tolist()))

    def next_tick(self) -> int | None:
        """Return when a transfer ends, a device has served, the daemon looks or a pass could find
        something.
        """
        store = self._store
        if store.spec is not self._spec:
            return store.tick
        ticks = [store.device.end_tick, store.next_served_tick(), self._sds_tick(), self._pass_tick()]
        return min((tick for tick in ticks if tick is not None), default=None)

    def act(self) -> None:
        """Do what is due."""
        store = self._store
        if store.spec is not self._spec:
            self._would_look = None  # the daemon may have been switched on
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
        """Take new images in while there is room; the others are out from the start."""
        store = self._store
        for pid in pids:
            row = store.table.row_of(pid)
            if int(store.table.image[row]) == pid:
                self._place(pid, int(store.table.clicks[row]), int(store.table.sds_clicks[row]))
        self.changed()

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return no rows, [0]: processes that have used up their CPU time go."""
        return rows[:0]

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Free what images had whose processes are gone, by pid [dropped]."""
        del pids
        self._sync()
        sds.grant(self._store)
        self.changed()

    def to_json(self) -> dict[str, Any]:
        """Return all but what the process table holds."""
        return {
            "images": [image.to_json() for image in self.images.values()],
            "device": self._store.device.to_json(),
            "persistence": asdict(self.persistence),
        }

    def from_json(self, data: dict[str, Any]) -> None:
        """Take the state of `to_json` on."""
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
        """Run a pass if it is time for one; how images stand, if that is still so after it."""
        store = self._store
        if store.tick % self._period(store.spec.pass_s) or store.device.moves_memory:
            return None
        self._sync()
        contest = self._contest()
        swap_pass.run_pass(store, self.persistence, contest)
        return None if store.touched or store.device.moves_memory else contest

    def _contest(self) -> Contest:
        """Return how images stand against each other now."""
        if self._columns is None or self._store.touched:
            self._columns = columns_of(self._store)
        return swap_pass.contest_of(self._store, self._columns)

    def _quiet_until(self, contest: Contest | None) -> int:
        """Up to which tick no pass can find anything to do."""
        if self.persistence.count or any(image.marked for image in self.images.values()):
            return self._store.tick + 1
        if all(image.in_memory for image in self.images.values()):
            return FOR_GOOD
        return swap_pass.quiet_until(self._store, contest or self._contest())

    def _place(self, pid: int, clicks: int, sds_clicks: int) -> None:
        """Take an image in if there is room now, and will be; else it is out."""
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
        """Something has changed: let the next transfer begin, and look again at the next pass."""
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
        """Hold those that a device has served, and let follow what waited for that."""
        for image in list(self.images.values()):
            if image.holding:
                self._store.settle(image)
                sds.write_out(self._store, image)
                swapping.leave_to_grow(self._store, image)

    def _sync(self) -> None:
        """Forget images that have no process any more."""
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
        """Return when the daemon's look would do something, or the order of those that wait may
        have changed.
        """
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
        """Return the first pass that could find something to do."""
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
        """Recompute how long it will be quiet, where that has changed or may last longer than it did."""
        tick = self._store.tick
        seen = _to_see(self._store)
        if seen != self._seen:
            self._seen, self._due = seen, min(self._due, tick + 1)
        elif self._worked_out < tick < self._due and 2 * tick > self._worked_out + self._due:
            self._due = self._quiet_until(None)
            self._worked_out = tick


def _to_see(store: Store) -> tuple[bytes, bytes]:
    """Return what others change that a pass looks at: why processes are held, and share priorities."""
    held = store.table.held
    bits = np.where(held & blocking.SWAPPED, held, held & _SEEN)
    return bits.tobytes(), store.machine.state.rank.tobytes()


def suspend_process(memory: MemoryManager, action: SuspendProcess) -> Done:
    """Let a process, and all of its job, stand still; Refused where it cannot or does already."""
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
    """Let a suspended process go on; Refused where it is not suspended."""
    image, name = _image_of(memory, action.pid)
    if not image.suspended:
        msg = f"{name} is not suspended"
        raise Refused(msg)
    sds.resume(memory.store, image)
    memory.changed()
    then = " as soon as SDS is free for it" if image.sds in ("waiting", "reading", "writing") else ""
    return Done(f"{name} goes on{then}", name, "suspended", "waits for SDS" if then else "running")


def _image_of(memory: MemoryManager, pid: int) -> tuple[Image, str]:
    """(image, what it is called) of a process; LookupError where it does not live."""
    table = memory.store.table
    row = table.row_of(pid)
    return memory.images[int(table.image[row])], f"process {pid}"
