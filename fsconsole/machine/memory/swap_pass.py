"""A pass of the memory scheduler: which images leave memory, and which come in.

After Brady et al. 3.1.3.3 and 3.1.3.4. Ours, where the paper is silent: the scheduler does its transfers
itself, so that there is no pass while one is under way; and an image coming in waits for those that leave for
it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.machine import tick_kernel
from fsconsole.machine.blocking import ASLEEP, MARKED
from fsconsole.machine.memory import swapping
from fsconsole.machine.memory.eviction import Contest
from fsconsole.machine.memory.image_ranking import Columns, ImageRanking, standing_of
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store

FOR_GOOD = int(tick_kernel.NEVER)


_MASK = 2**64 - 1


def drawn(seed: int, pid: int, slot: int) -> float:
    """Return a number in [0, 1) for a process and a slot (splitmix64)."""
    word = (seed * 0xD1342543DE82EF95 + pid * 0xDA942042E4DD58B5 + slot * 0x9E3779B97F4A7C15) & _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((word ^ (word >> 31)) >> 11) / 2**53


def is_locked(store: Store, image: Image) -> bool:
    """Return True if a process of an image has I/O under way, so that the image cannot leave now.

    Ours: time is cut into slots of a second, in each of which a process has locked I/O under way with the
    probability `locked_fraction`, drawn by hash of seed, pid and slot: the same in every run.
    """
    if image.marked:
        return image.locked_until > store.tick or store.busy(image)
    return store.busy(image) or _in_locked_slot(store, image)


def _in_locked_slot(store: Store, image: Image) -> bool:
    table, slot = store.table, store.tick // store.hz
    rows = store.rows_of(image)
    active = (table.locked_fraction[rows] > 0) & (table.held[rows] & ~(ASLEEP | MARKED) == 0)
    return any(
        drawn(store.machine.seed, int(table.pid[row]), slot) < table.locked_fraction[row]
        for row in rows[np.flatnonzero(active)]
    )


def mark(store: Store, image: Image) -> None:
    """Apply LCKSWP: the image starts no more I/O (ours: nor other work); present I/O ends with its slot."""
    slot_end = (store.tick // store.hz + 1) * store.hz
    image.locked_until = slot_end if _in_locked_slot(store, image) else store.tick
    image.marked = True
    store.hold(image, MARKED)


def unmark(store: Store, image: Image) -> None:
    """Remove the mark, since its memory is no longer needed."""
    image.marked = False
    store.let_go(image, MARKED)


@dataclass(slots=True)
class Persistence:
    """The counter against thrashing: up by swap-outs and marks, down by passes.

    Attributes:
        pid: pid of the image that room is made for; 0 for none.
        count: while it is above 0, no other image is served.
    """

    pid: int = 0
    count: int = 0

    def note(self, pid: int, steps: int) -> None:
        """Count images sent out or marked for an image; a new image restarts the count."""
        self.count = steps if pid != self.pid else self.count + steps
        self.pid = pid if self.count else 0

    def count_down(self) -> None:
        """Count down at the start of a pass."""
        self.note(self.pid, -min(1, self.count))

    def forget(self) -> None:
        """Reset the counter to 0."""
        self.pid, self.count = 0, 0


def contest_of(store: Store, columns: Columns) -> Contest:
    """Return the present competition of images."""
    return Contest(standing_of(store, columns), store.spec, store.hz, store.size_clicks)


def run_pass(store: Store, persistence: Persistence, contest: Contest) -> None:
    """Send out marked images that can leave, then serve each candidate in turn."""
    images = contest.standing.images
    _note_wishes(store, contest.standing)
    places = contest.candidates()
    if not places:
        persistence.forget()
    if not places or not store.spec.lckswp:
        _unmark_all(store)
    for place, image in enumerate(images):
        if image.marked and not is_locked(store, image):
            swapping.send_out(store, image)
            contest.has_left(place)
    persistence.count_down()
    if persistence.pid not in [images[place].pid for place in places]:
        persistence.forget()
    _work_through(store, contest, places, persistence)


def _note_wishes(store: Store, standing: ImageRanking) -> None:
    """Note since when images want in."""
    for place in (standing.wants & standing.out).nonzero()[0]:
        image = standing.images[place]
        if image.wants_since is None:
            image.wants_since = _wants_since(store, image)


def _wants_since(store: Store, image: Image) -> int:
    """Return the tick at which the first sleep of a process that wants to run ended; now if it did
    not sleep.
    """
    wake = store.table.wake[store.rows_of(image)]
    past = wake[(wake > image.left_tick) & (wake <= store.tick)]
    return int(past.min(initial=store.tick))


def _unmark_all(store: Store) -> None:
    for image in store.images.values():
        if image.marked:
            unmark(store, image)


def _work_through(store: Store, contest: Contest, places: list[int], persistence: Persistence) -> None:
    room = store.planned_room()
    if not contest.some_fit(room):
        return
    factor, cpus = store.spec.cpu_factor, store.machine.spec.cpus
    running = store.runnable_in_memory() if factor else 0
    for number, place in enumerate(places):
        image = contest.standing.images[place]
        if persistence.count and image.pid != persistence.pid:
            continue
        if number and factor and running >= factor * cpus:
            break
        freed = _make_room(store, contest, place, image.clicks - room, persistence)
        if freed is not None:
            swapping.bring_in(store, image)
            running += len(store.rows_of(image))
            room += freed - image.clicks


def _make_room(
    store: Store, contest: Contest, place: int, needed: int, persistence: Persistence
) -> int | None:
    """Send out images for a candidate; return the clicks that will be free, None if not enough."""
    if needed <= 0:
        return 0
    chosen = contest.chosen(place, needed)
    if chosen is None:
        return None
    steps, freed, all_leave = _send_out(store, contest, chosen)
    if store.spec.persistence:
        persistence.note(contest.standing.images[place].pid, steps)
    return freed if all_leave else None


def _send_out(store: Store, contest: Contest, places: list[int]) -> tuple[int, int, bool]:
    """Return (images sent out or marked, clicks sent out, all left); stop early without persistence."""
    steps, freed, all_leave = 0, 0, True
    for place in places:
        image = contest.standing.images[place]
        if not is_locked(store, image):
            swapping.send_out(store, image)
            contest.has_left(place)
            steps, freed = steps + 1, freed + image.clicks
            continue
        all_leave = False
        if store.spec.lckswp and not image.marked:
            mark(store, image)
            steps += 1
        if not store.spec.persistence:
            break
    return steps, freed, all_leave


def quiet_until(store: Store, contest: Contest) -> int:
    """Return the tick up to which no pass has work without an event and without marked images."""
    it, places = contest.standing, contest.candidates()
    if any(it.images[place].wants_since is None for place in it.wants.nonzero()[0]):
        return store.tick + 1  # The next pass notes the wish.
    if not places:
        return contest.quiet_until()
    if store.spec.cpu_factor or store.spec.hard_sleep == "first" or contest.some_fit(store.planned_room()):
        return store.tick + 1
    until = store.priorities_until() if store.spec.share_aware else None
    return contest.quiet_until() if until is None else min(contest.quiet_until(), until)
