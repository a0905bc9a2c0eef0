"""Dates and times of day where a machine stands, and how people read them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

import polars as pl  # brings the table of time zones along, for which Python itself needs one of the system

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import DAY_S, HOUR_S


def local_times(unix_s: pl.Series, zone: str) -> pl.Series:
    """What clocks of a zone show at seconds since 1970, dates and times without a zone.

    UTC counts where the zone is empty, or not known.
    """
    utc = pl.from_epoch(unix_s, "s").dt.replace_time_zone("UTC")
    return utc.dt.convert_time_zone(_known(zone)).dt.replace_time_zone(None)


def local_time(unix_s: int, zone: str) -> datetime:
    """The same of one second."""
    local: datetime = local_times(pl.Series([unix_s]), zone).item()
    return local


def unix_times(local: Sequence[datetime], zone: str) -> list[int]:
    """Seconds since 1970 at which clocks of a zone show dates and times.

    The first one where they show it twice; a time that they jump over stands for the one an hour later.
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


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock:
    """Says when something is, in the words of one trace.

    A second of the trace is `1996-10-03 14:20` in the machine's time zone (UTC where it has none) where the
    trace says when it began, else `day 12 14:20`; day 0 begins with the trace. Seconds are told where there
    are any. Of a moment on the same day as `beside_s` the time of day alone is told.
    """

    def __init__(self, jobs: JobTable, beside_s: int | None = None) -> None:
        self._unix_start_s = jobs.unix_start_s
        self._zone = jobs.time_zone
        self._day = None if beside_s is None else self._day_and_time(beside_s)[0]

    def __call__(self, second: int) -> str:
        """The second of the trace in words."""
        day, time = self._day_and_time(second)
        return time if day == self._day else f"{day} {time}"

    def _day_and_time(self, second: int) -> tuple[str, str]:
        if self._unix_start_s is None:
            day, moment = f"day {second // DAY_S}", _EPOCH + timedelta(seconds=second % DAY_S)
        else:
            moment = local_time(self._unix_start_s + second, self._zone)
            day = f"{moment:%Y-%m-%d}"
        return day, f"{moment:%H:%M}" if moment.second == 0 else f"{moment:%H:%M:%S}"


def hours_words(node_seconds: float) -> str:
    """Node-seconds as node-hours, without the unit: `120`, `2.5`."""
    hours = node_seconds / HOUR_S
    return f"{hours:.1f}".removesuffix(".0") if abs(hours) < 100 else f"{hours:.0f}"
