"""Resets of all usage at calendar times: PriorityUsageResetPeriod.

Source: slurm.conf(5), PriorityUsageResetPeriod.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.text.durations import length_words

_PRINTED = re.compile(r"Configuration data as of (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_STEP_S = 900  # Offsets of time zones are multiples of a quarter of an hour.
_NEAR_S = 180  # A clock that is further off shows no time zone.
_MOST_OFFSET_S = 14 * 3600
_MONTHS = {"MONTHLY": 1, "QUARTERLY": 3, "YEARLY": 12}
_SUNDAY = 7


@dataclass(frozen=True, slots=True)
class UsageReset:
    """The next reset: period, date in the cluster's time zone, and seconds until it."""

    period: str
    at: datetime
    left_s: float

    @property
    def words(self) -> str:
        """When it is, and what is not predicted."""
        when = f"{self.at:%Y-%m-%d %H:%M} cluster time, in {length_words(self.left_s)}"
        return (
            f"PriorityUsageResetPeriod={self.period}: Slurm sets all usage to 0 at {when}. "
            "Later times are not predicted."
        )


def utc_offset_s(text: str, now_s: float) -> float | None:
    """Return the offset of the cluster's time zone from UTC, s, by the time in `scontrol show config`; None
    where that has no time, or one that is not now.
    """
    found = _PRINTED.search(text)
    if found is None:
        return None
    try:
        apart_s = datetime.fromisoformat(f"{found[1]}+00:00").timestamp() - now_s
    except ValueError:
        return None
    offset_s = round(apart_s / _STEP_S) * _STEP_S
    is_offset = abs(offset_s) <= _MOST_OFFSET_S and abs(apart_s - offset_s) <= _NEAR_S
    return float(offset_s) if is_offset else None


def next_reset(settings: SlurmConfig | None, now_s: float) -> UsageReset | None:
    """Return the next reset after a time in seconds since 1970; None without one at a calendar time.

    Without the cluster's time zone that of this machine counts.
    """
    period = _period(settings)
    if settings is None or (period not in _MONTHS and period not in ("DAILY", "WEEKLY")):
        return None
    try:
        now = datetime.fromtimestamp(now_s, UTC)
        here_s = now.astimezone().utcoffset() or timedelta()
        offset_s = settings.utc_offset_s
        is_here = offset_s is None or offset_s == here_s.total_seconds()
        zone = None if is_here or offset_s is None else timezone(timedelta(seconds=offset_s))
        day = now.astimezone(zone).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
        date = _first_after(day, period)
        at = date.astimezone() if zone is None else date.replace(tzinfo=zone)
        return UsageReset(period, at, at.timestamp() - now_s)
    except (OverflowError, OSError, ValueError):
        return None


def reset_words(settings: SlurmConfig | None, now_s: float) -> tuple[str, ...]:
    """Return a sentence on the next reset of usage; empty without resets."""
    if _period(settings) == "NOW":
        return ("PriorityUsageResetPeriod=NOW: Slurm sets all usage to 0 when slurmctld starts.",)
    found = next_reset(settings, now_s)
    return () if found is None else (found.words,)


def _period(settings: SlurmConfig | None) -> str:
    return "" if settings is None else settings.values.get("priorityusageresetperiod", "").strip().upper()


def _first_after(day: datetime, period: str) -> datetime:
    """Return the first midnight after a day's that begins a period."""
    if period == "DAILY":
        return day + timedelta(days=1)
    if period == "WEEKLY":
        return day + timedelta(days=_SUNDAY - day.isoweekday() % _SUNDAY)
    months = _MONTHS[period]
    month = (day.month - 1) // months * months + months
    return day.replace(year=day.year + month // 12, month=month % 12 + 1, day=1)
