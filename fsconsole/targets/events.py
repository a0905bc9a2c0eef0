"""What happens to a target, at times."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """A time and what happens at it; `texts` has all of it, `text` what there is room for."""

    time_s: float
    texts: tuple[str, ...]
    is_planned: bool = False

    @property
    def text(self) -> str:
        """The first of what happens."""
        return self.texts[0]


def neighbour(events: Sequence[Event], time_s: float, step: int) -> float | None:
    """Time of the next event after (step 1) or before (step -1) a time; None where there is none."""
    times = [event.time_s for event in events if not event.is_planned]
    at = bisect_right(times, time_s) if step > 0 else bisect_left(times, time_s) - 1
    return times[at] if 0 <= at < len(times) else None


def last_before(events: Sequence[Event], time_s: float) -> Event | None:
    """The last event at or before a time."""
    past = [event for event in events if event.time_s <= time_s]
    return past[-1] if past else None
