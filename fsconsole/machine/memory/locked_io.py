"""Locked I/O: a process whose pages stay where they are while it goes on cannot leave memory.

Ours: time is cut into slots of a second, in each of which a process has locked I/O under way with the
probability `locked_fraction`, drawn by hash of seed, pid and slot: the same in every run.
"""

from __future__ import annotations

import numpy as np

from fsconsole.machine.holds import ASLEEP, MARKED
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store

_MASK = 2**64 - 1


def drawn(seed: int, pid: int, slot: int) -> float:
    """A number in [0, 1) for a process and a slot (splitmix64)."""
    word = (seed * 0xD1342543DE82EF95 + pid * 0xDA942042E4DD58B5 + slot * 0x9E3779B97F4A7C15) & _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((word ^ (word >> 31)) >> 11) / 2**53


def is_locked(store: Store, image: Image) -> bool:
    """Whether a process of an image has I/O under way, so that the image cannot leave now."""
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
    """LCKSWP: no more I/O is started (ours: nor anything else); what is under way ends with its slot."""
    slot_end = (store.tick // store.hz + 1) * store.hz
    image.locked_until = slot_end if _in_locked_slot(store, image) else store.tick
    image.marked = True
    store.hold(image, MARKED)


def unmark(store: Store, image: Image) -> None:
    """Nobody wants its memory any more."""
    image.marked = False
    store.let_go(image, MARKED)
