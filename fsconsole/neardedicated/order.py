"""The order of the near-dedicated queue by site policy (Brady et al. section 3.2: a cron job reorders it)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsconsole.neardedicated.waiting import Waiting

_KEYS: dict[str, Callable[[Waiting], tuple[float, int]]] = {
    "arrival": lambda job: (0.0, job.request),
    "shares": lambda job: (job.rank, job.request),
    "shortest": lambda job: (job.estimate_s, job.request),
    "efficiency": lambda job: (-(job.shown or 0.0), job.request),
}


def ordered(waiting: Sequence[Waiting], order: str) -> list[int]:
    """Requests in the order of a policy; as they stand for `by-hand`. Ties go by arrival."""
    key = _KEYS.get(order)
    return [job.request for job in (waiting if key is None else sorted(waiting, key=key))]


def moves(now: Sequence[int], wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Moves (request, place from 1), one after another, that bring a queue into the order wanted."""
    queue, found = list(now), []
    for place, request in enumerate(wanted):
        if queue[place] != request:
            queue.remove(request)
            queue.insert(place, request)
            found.append((request, place + 1))
    return found


def is_moved(now: Sequence[int], ordered_before: Sequence[int]) -> bool:
    """Whether somebody has moved jobs since the last round; jobs that came or went do not count."""
    there = set(now)
    before = [request for request in ordered_before if request in there]
    known = set(before)
    return [request for request in now if request in known] != before
