"""The number of free nodes over time, as running jobs end and reserved ones start."""

from __future__ import annotations

from collections.abc import Iterable


class Profile:
    """Free nodes as a step function of time, from `now` on.

    Args:
        now: the second from which on it is valid.
        free: nodes free now.
        changes: (second, change of the number of free nodes from that second on), in any order, all later
            than now.
    """

    def __init__(self, now: int, free: int, changes: Iterable[tuple[int, int]]) -> None:
        self.now, self.free = now, free
        by_second: dict[int, int] = {now: 0}
        for second, change in changes:
            by_second[second] = by_second.get(second, 0) + change
        self._changes = sorted(by_second.items())

    def short(self, nodes: int, runtime_s: int) -> tuple[int, int] | None:
        """Return the first (second, free nodes) at which a job started now would lack nodes."""
        end, free = self.now + runtime_s, self.free
        for second, change in self._changes:
            if second >= end:
                return None
            free += change
            if free < nodes:
                return second, free
        return None

    def first_fit(self, nodes: int, runtime_s: int) -> int | None:
        """Return the first second from which on a job has enough nodes for its runtime; None if never."""
        return first_fit(self._changes, self.free, nodes, runtime_s)


def first_fit(changes: Iterable[tuple[int, int]], free: int, nodes: int, runtime_s: int) -> int | None:
    """Return the first second with `nodes` free for a runtime; None if there is none.

    Changes have distinct seconds; the first one is now.
    """
    since: int | None = None
    for second, change in changes:
        if since is not None and second >= since + runtime_s:
            return since
        free += change
        if free < nodes:
            since = None
        elif since is None:
            since = second
    return since
