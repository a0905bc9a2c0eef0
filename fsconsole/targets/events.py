"""Events of a target, with their times."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Event:
    """A time with its event, or with a note about it.

    Attributes:
        texts: all of it.
        notes: how many of the texts, at their end, are notes.
    """

    time_s: float
    texts: tuple[str, ...]
    is_planned: bool = False
    notes: int = 0

    @property
    def text(self) -> str:
        """Text of the first event."""
        return self.texts[0]

    @property
    def label(self) -> str:
        """Short label: the first text, and how many others follow."""
        more = len(self.texts) - 1
        return f"{self.texts[0]} (+{more})" if more else self.texts[0]


def without_notes(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return only the events, of those that `with_notes` gave."""
    happened = (replace(one, texts=one.texts[: len(one.texts) - one.notes], notes=0) for one in events)
    return tuple(event for event in happened if event.texts)


def with_notes(events: Sequence[Event], notes: Sequence[tuple[float, str]]) -> tuple[Event, ...]:
    """Return events and notes, which are (time, text), on one line; those of one time are one event."""
    found = {(event.time_s, event.is_planned): event for event in events}
    for time_s, text in notes:
        there = found.get((time_s, False), Event(time_s, ()))
        found[time_s, False] = replace(there, texts=(*there.texts, text), notes=there.notes + 1)
    return tuple(sorted(found.values(), key=lambda event: event.time_s))


def neighbour(events: Sequence[Event], time_s: float, step: int) -> float | None:
    """Return the time of the next event after (step 1) or before (step -1) a time; None if there is none."""
    times = [event.time_s for event in events if not event.is_planned]
    at = bisect_right(times, time_s) if step > 0 else bisect_left(times, time_s) - 1
    return times[at] if 0 <= at < len(times) else None


def last_before(events: Sequence[Event], time_s: float) -> Event | None:
    """Return the last event at or before a time."""
    past = [event for event in events if event.time_s <= time_s]
    return past[-1] if past else None
