"""Times as the report and the reasons write them."""

from __future__ import annotations

from datetime import datetime, timedelta

_DAY_S, _HALF_DAY_S, _HOUR_S = 86400, 43200, 3600


def hours(seconds: float) -> str:
    """A length of time as h:mm, to the nearest minute."""
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02d}"


def hours_seconds(seconds: float) -> str:
    """A length of time as h:mm:ss, to the nearest second."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def minutes_seconds(seconds: float) -> str:
    """A length of time as m:ss; the minutes go on beyond 60."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def elapsed(seconds: float) -> str:
    """A length of time as m:ss, from an hour on as h:mm:ss."""
    return minutes_seconds(seconds) if round(seconds) < _HOUR_S else hours_seconds(seconds)


def spoken(seconds: float) -> str:
    """A length of time within a sentence: `28 min`, `4 min 20 s`, from an hour on `1 h 28 min`."""
    whole = round(seconds)
    if whole >= _HOUR_S:
        minutes = round(seconds / 60)
        parts = ((minutes // 60, "h"), (minutes % 60, "min"))
    else:
        parts = ((whole // 60, "min"), (whole % 60, "s"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count) or "0 s"


def moment(start: datetime, time_s: float) -> datetime:
    """Date and time of a simulated time, to the nearest second."""
    return start + timedelta(seconds=round(time_s))


def clock(start: datetime, time_s: float, now_s: float | None = None) -> str:
    """Time of the day as hh:mm; seen from `now_s` with the day where hh:mm alone would mislead.

    That is from half a day away on if it is another day, as most nights are over by then, and from a whole
    day away on in any case.
    """
    then = moment(start, time_s)
    away_s = 0.0 if now_s is None else time_s - now_s
    if abs(away_s) >= _DAY_S:
        return f"{then:%Y-%m-%d %H:%M}"
    if abs(away_s) >= _HALF_DAY_S and then.date() != moment(start, time_s - away_s).date():
        return f"{'tomorrow' if away_s > 0 else 'yesterday'} {then:%H:%M}"
    return f"{then:%H:%M}"
