"""Times in the format of the report and of reasons."""

from __future__ import annotations

from datetime import datetime, timedelta

_DAY_S, _HALF_DAY_S = 86400, 43200


def moment(start: datetime, time_s: float) -> datetime:
    """Return date and time of a simulated time, to the nearest second."""
    return start + timedelta(seconds=round(time_s))


def clock(start: datetime, time_s: float, now_s: float | None = None) -> str:
    """Return the time of day as hh:mm, with the date if hh:mm alone would mislead at `now_s`.

    That is from half a day away on if the date differs, since most nights are over by then, and always from a
    whole day away on.
    """
    then = moment(start, time_s)
    away_s = 0.0 if now_s is None else time_s - now_s
    if abs(away_s) >= _DAY_S:
        return f"{then:%Y-%m-%d %H:%M}"
    if abs(away_s) >= _HALF_DAY_S and then.date() != moment(start, time_s - away_s).date():
        return f"{'tomorrow' if away_s > 0 else 'yesterday'} {then:%H:%M}"
    return f"{then:%H:%M}"
