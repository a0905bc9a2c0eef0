"""How many nodes are free from now on, as running jobs end and reserved ones take theirs."""

from __future__ import annotations

from collections.abc import Iterable


class Profile:
    """Free nodes as a step function of time, from `now` on.

    Args:
        now: the second from which on it holds.
        free: nodes free now.
        changes: (second, by how many nodes the number changes from that second on), in any order, all
            later than now.
    """

    def __init__(self, now: int, free: int, changes: Iterable[tuple[int, int]]) -> None:
        self.now, self.free = now, free
        by_second: dict[int, int] = {now: 0}
        for second, change in changes:
            by_second[second] = by_second.get(second, 0) + change
        self._steps: list[tuple[int, int]] = []
        for second, change in sorted(by_second.items()):
            free += change
            self._steps.append((second, free))

    def short(self, nodes: int, runtime_s: int) -> tuple[int, int] | None:
        """The first (second, free nodes) at which a job that is started now would lack nodes."""
        end = self.now + runtime_s
        for second, free in self._steps:
            if second >= end:
                return None
            if free < nodes:
                return second, free
        return None

    def first_fit(self, nodes: int, runtime_s: int) -> int | None:
        """The first second from which on there are nodes for as long as a job runs; None if there is none."""
        since: int | None = None
        for second, free in self._steps:
            if since is not None and second >= since + runtime_s:
                return since
            if free < nodes:
                since = None
            elif since is None:
                since = second
        return since
