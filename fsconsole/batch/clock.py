"""Dates and times of day in a machine's time zone, as readers expect them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache

import polars as pl  # Polars brings the table of time zones; Python itself would need the system's.

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import DAY_S, HOUR_S

_MIN = 60
_STEPS_S = (1, 5, 15, 30, _MIN, 5 * _MIN, 15 * _MIN, 30 * _MIN, *(hours * HOUR_S for hours in (1, 3, 6, 12)))
_DAYS_S = tuple(days * DAY_S for days in (1, 2, 7, 14, 28, 56, 182, 364))
_ZONE_STEP_S = 900  # Present zones change their clocks only at quarters of an hour.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def local_times(unix_s: pl.Series, zone: str) -> pl.Series:
    """Return dates and times in a zone, without a zone, of seconds since 1970.

    UTC counts if the zone is empty or unknown.
    """
    utc = pl.from_epoch(unix_s, "s").dt.replace_time_zone("UTC")
    return utc.dt.convert_time_zone(_known(zone)).dt.replace_time_zone(None)


def local_time(unix_s: int, zone: str) -> datetime:
    """Return the date and time in a zone of a second since 1970; UTC if the zone is empty or unknown."""
    local: datetime = local_times(pl.Series([unix_s]), zone).item()
    return local


def unix_times(local: Sequence[datetime], zone: str) -> list[int]:
    """Return seconds since 1970 of dates and times in a zone.

    The first one if clocks show it twice; a skipped time stands for the one an hour later.
    """
    shown = pl.Series(local, dtype=pl.Datetime("us"))
    zoned, later = (
        (shown + timedelta(hours=hours)).dt.replace_time_zone(
            _known(zone), ambiguous="earliest", non_existent="null"
        )
        for hours in (0, 1)
    )
    return zoned.fill_null(later).dt.epoch("s").to_list()


@cache
def _known(zone: str) -> str:
    try:
        pl.Series([0]).cast(pl.Datetime).dt.replace_time_zone(zone or "UTC")
    except pl.exceptions.ComputeError:
        return "UTC"
    return zone or "UTC"


class Clock:
    """The words for moments of one trace.

    A second of the trace is `1996-10-03 14:20` in the machine's time zone (UTC without one) if the trace says
    when it began, else `day 12 14:20`; day 0 begins with the trace. Seconds are shown if they are not 0. A
    call shows only the time of day for a moment on the same day as `beside_s`.
    """

    def __init__(self, jobs: JobTable, beside_s: int | None = None) -> None:
        self._unix_start_s = jobs.unix_start_s
        self._zone = jobs.time_zone
        self._beside = None if beside_s is None else self._local(beside_s).date()

    def __call__(self, second: float) -> str:
        """Return the second of the trace in words."""
        local = self._local(math.floor(second))
        return _time_of_day(local) if local.date() == self._beside else self.words(second)

    def words(self, second: float, *, is_full: bool = True, is_exact: bool = False) -> str:
        """Return a moment with its day, and with seconds if they are not 0 or `is_exact`.

        With `is_exact` the moments of a column are aligned. Unless `is_full`, the form is `3 Oct 14:20`.
        """
        local = self._local(math.floor(second))
        time = f"{local:%H:%M:%S}" if is_exact else _time_of_day(local)
        if self._unix_start_s is None:
            return f"day {(local - _EPOCH).days} {time}"
        return f"{local:%Y-%m-%d} {time}" if is_full else f"{local.day} {local:%b} {time}"

    def ticks(self, begin_s: float, end_s: float, most: int) -> list[tuple[float, str]]:
        """Return at most `most` moments with their words, on whole days, hours or minutes of the zone."""
        span = max(end_s - begin_s, 1.0)
        step = next((one for one in (*_STEPS_S, *_DAYS_S) if span / one <= max(most, 1)), None)
        if step is None:
            step = math.ceil(span / max(most, 1) / _DAYS_S[-1]) * _DAYS_S[-1]
        off = self._offset(begin_s)
        first = math.ceil((begin_s + off) / step) * step - off
        # After a change of clocks in between, ticks stay on whole local hours and days.
        places = [place + off - self._offset(place) for place in range(first, math.floor(end_s) + 1, step)]
        return [(float(place), self._tick(place, step)) for place in places if begin_s <= place <= end_s]

    def _tick(self, second: int, step: int) -> str:
        local = self._local(second)
        is_midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
        if step >= DAY_S or is_midnight:
            if self._unix_start_s is None:
                return f"day {(local - _EPOCH).days}"
            return f"{local.day} {local:%b} {local:%Y}" if step >= 28 * DAY_S else f"{local.day} {local:%b}"
        return f"{local:%H:%M}" if step >= _MIN else f"{local:%H:%M:%S}"

    def _offset(self, second: float) -> int:
        """Return the seconds by which the machine's days lead those counted from second 0."""
        if self._unix_start_s is None:
            return 0
        local = self._local(math.floor(second))
        return round((local - _EPOCH).total_seconds()) - math.floor(second)

    def _local(self, second: int) -> datetime:
        if self._unix_start_s is None:
            return _EPOCH + timedelta(seconds=second)
        unix_s = self._unix_start_s + second
        return _EPOCH + timedelta(seconds=unix_s + _zone_offset_s(unix_s // _ZONE_STEP_S, self._zone))


def _time_of_day(local: datetime) -> str:
    return f"{local:%H:%M}" if local.second == 0 else f"{local:%H:%M:%S}"


@lru_cache(maxsize=4096)
def _zone_offset_s(step: int, zone: str) -> int:
    """Return the seconds by which a zone leads UTC in a quarter of an hour since 1970."""
    shown = local_time(step * _ZONE_STEP_S, zone).replace(tzinfo=UTC)
    return round((shown - _EPOCH).total_seconds()) - step * _ZONE_STEP_S


def hours_words(node_seconds: float) -> str:
    """Return node-seconds as node-hours, without the unit: `120`, `2.5`."""
    hours = node_seconds / HOUR_S
    return f"{hours:.1f}".removesuffix(".0") if abs(hours) < 100 else f"{hours:.0f}"
