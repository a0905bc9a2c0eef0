"""Windows of a near-dedicated schedule in the machine's own time, as operators have moved them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

from fsconsole.shares.scenario.weekly import WeeklyWindows


@dataclass(frozen=True, slots=True)
class Planned:
    """A window to come; `scheduled_s` is when the schedule starts it, whatever an operator has made of it."""

    scheduled_s: float
    start_s: float
    end_s: float
    by_hand: bool = False

    def moved(self, start_s: float | None, end_s: float | None) -> Planned:
        """The same with another start or end."""
        start_s = self.start_s if start_s is None else start_s
        end_s = self.end_s if end_s is None else end_s
        return replace(self, start_s=start_s, end_s=end_s, by_hand=True)


@cache
def _weekly(lines: tuple[str, ...]) -> WeeklyWindows:
    return WeeklyWindows(lines)


def next_planned(
    lines: tuple[str, ...], start: datetime, now_s: float, after_s: float | None
) -> Planned | None:
    """The scheduled window that is open now or comes next; None where nothing is scheduled.

    Those that start at `after_s` or before are left out: they have been, or an operator has closed them.
    """
    weekly = _weekly(lines)
    now = start + timedelta(seconds=now_s)
    found = weekly.window_at(now)
    if found is None or (after_s is not None and _seconds(found[0], start) <= after_s):
        found = weekly.windows_after(max(now, now if after_s is None else start + timedelta(seconds=after_s)))
    if found is None:
        return None
    begin_s, end_s = (_seconds(one, start) for one in found)
    return Planned(begin_s, max(begin_s, now_s), end_s)


def _seconds(moment: datetime, start: datetime) -> float:
    return (moment - start).total_seconds()
