"""Dates and times of day where a machine stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

import polars as pl  # brings the table of time zones along, for which Python itself needs one of the system


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
