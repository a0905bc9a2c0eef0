"""The SDS daemon: suspends holders of lower share priority for a waiting request (Brady et al. 3.1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb

from fsconsole.machine.memory import sds
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.store import Store

_MOST_TRIED = 20_000


def would_act(store: Store) -> bool:
    """Return True if a check would change anything at present."""
    requests = sds.waiting(store)
    return bool(_not_needed(store) or (requests and _to_suspend(store, requests[0])))


def look(store: Store) -> None:
    """Resume images whose room is no longer needed, then make room for the best request."""
    for image in _not_needed(store):
        sds.resume(store, image)
    for request in sds.waiting(store)[:1]:
        for pid in _to_suspend(store, request):
            sds.suspend(store, store.images[pid], "daemon", request.pid)


def _not_needed(store: Store) -> list[Image]:
    requests = {image.pid for image in store.images.values() if image.sds == "waiting"}
    return [image for image in suspended(store) if image.suspended_for not in requests]


def resume_all(store: Store) -> None:
    """Resume all images because the daemon ends."""
    for image in suspended(store):
        sds.resume(store, image)


def suspended(store: Store) -> list[Image]:
    """Return the images that the daemon has suspended."""
    return [image for image in store.images.values() if image.suspended == "daemon"]


def _to_suspend(store: Store, request: Image) -> tuple[int, ...]:
    """Return pids of the holders that give way to a request; none if that is not enough or not needed."""
    images = [image for image in store.images.values() if image.pid != request.pid]
    on_its_way = sum(image.sds_clicks for image in images if image.suspended and image.has_sds)
    on_its_way += sum(image.sds_clicks for image in images if image.sds == "writing" and not image.suspended)
    needed = request.sds_clicks - store.sds_free_clicks - on_its_way
    if needed <= 0:
        return ()
    priority = store.priority_of(request)
    held = {
        image.pid: image.sds_clicks
        for image in images
        if image.sds == "held" and not image.suspended and store.priority_of(image) < priority
    }
    return fewest(held, needed) or ()


def fewest(held: Mapping[int, int], needed: int) -> tuple[int, ...] | None:
    """Return the fewest holders with enough together, the smallest such set; None if all have less.

    With very many sets of that number: the largest holders, and the smallest last one that suffices.
    """
    sizes = sorted(held.items(), key=lambda item: (-item[1], item[0]))
    number, got = 0, 0
    while got < needed:
        if number == len(sizes):
            return None
        got += sizes[number][1]
        number += 1
    if comb(len(sizes), number) <= _MOST_TRIED:
        sets = (chosen for chosen in combinations(sizes, number) if _sum(chosen) >= needed)
        return tuple(pid for pid, _ in min(sets, key=_sum))
    first = sizes[: number - 1]
    last = [item for item in sizes[number - 1 :] if _sum((*first, item)) >= needed][-1]
    return tuple(pid for pid, _ in (*first, last))


def _sum(chosen: tuple[tuple[int, int], ...]) -> int:
    return sum(size for _, size in chosen)
