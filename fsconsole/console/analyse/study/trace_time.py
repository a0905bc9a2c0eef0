"""Moments at a time axis that is days or minutes long, in the words of a trace. No Qt."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsconsole.batch.job_table import JobTable

_MIN, _H, _D = 60, 3600, 86400
_STEPS = (1, 5, 15, 30, _MIN, 5 * _MIN, 15 * _MIN, 30 * _MIN, _H, 3 * _H, 6 * _H, 12 * _H)
_DAYS = tuple(days * _D for days in (1, 2, 7, 14, 28, 56, 182, 364))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TraceTime:
    """Says when a second of a trace is: `1996-10-03 14:20` where it has dates, else `day 12 14:20`."""

    def __init__(self, jobs: JobTable) -> None:
        self._start_s = jobs.unix_start_s
        self._zone = jobs.time_zone or "UTC"

    def words(self, second: float, *, is_full: bool = True, is_exact: bool = False) -> str:
        """A moment, with its seconds where it has any, or always if `is_exact`, so that columns are even.

        If not `is_full`, `3 Oct 14:20`.
        """
        local = self._local(math.floor(second))
        time = f"{local:%H:%M:%S}" if is_exact or local.second else f"{local:%H:%M}"
        if self._start_s is None:
            return f"day {(local - _EPOCH).days} {time}"
        return f"{local:%Y-%m-%d} {time}" if is_full else f"{local.day} {local:%b} {time}"

    def ticks(self, begin_s: float, end_s: float, most: int) -> list[tuple[float, str]]:
        """At most so many moments with their words, on whole days, hours or minutes of the machine's zone."""
        span = max(end_s - begin_s, 1.0)
        step = next((one for one in (*_STEPS, *_DAYS) if span / one <= max(most, 1)), None)
        if step is None:
            step = math.ceil(span / max(most, 1) / _DAYS[-1]) * _DAYS[-1]
        off = self._offset(begin_s)
        first = math.ceil((begin_s + off) / step) * step - off
        # Where clocks are set back or forth in between, what follows stays on whole hours and days of theirs.
        places = [place + off - self._offset(place) for place in range(first, math.floor(end_s) + 1, step)]
        return [(float(place), self._tick(place, step)) for place in places if begin_s <= place <= end_s]

    def _tick(self, second: int, step: int) -> str:
        local = self._local(second)
        is_midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
        if step >= _D or is_midnight:
            if self._start_s is None:
                return f"day {(local - _EPOCH).days}"
            return f"{local.day} {local:%b} {local:%Y}" if step >= 28 * _D else f"{local.day} {local:%b}"
        return f"{local:%H:%M}" if step >= _MIN else f"{local:%H:%M:%S}"

    def _offset(self, second: float) -> int:
        """By how much the machine's days are before those that are counted from second 0."""
        if self._start_s is None:
            return 0
        local = self._local(math.floor(second))
        return round((local - _EPOCH).total_seconds()) - math.floor(second)

    def _local(self, second: int) -> datetime:
        if self._start_s is None:
            return _EPOCH + timedelta(seconds=second)
        unix_s = self._start_s + second
        return _EPOCH + timedelta(seconds=unix_s + zone_offset_s(unix_s // _H, self._zone))


@lru_cache(maxsize=4096)
def zone_offset_s(unix_h: int, zone: str) -> int:
    """By how many seconds clocks of a zone are before UTC in an hour since 1970; 0 for zones not known."""
    from fsconsole.batch.clock import local_time

    shown = local_time(unix_h * _H, zone).replace(tzinfo=UTC)
    return round((shown - _EPOCH).total_seconds()) - unix_h * _H
