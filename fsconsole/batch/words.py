"""Times of a trace and node-hours as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fsconsole.batch.clock import local_time
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import DAY_S, HOUR_S

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
