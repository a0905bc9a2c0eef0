"""Months of a trace and their simulation (Vasupongayya, section III: one month of jobs at a time)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from fsconsole.batch.clock import local_time, unix_times
from fsconsole.batch.job_table import Bools, Floats, JobTable
from fsconsole.batch.policy import DAY_S, BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.text.durations import LONGEST_S, seconds

WARM_UP_S = 7 * DAY_S
COOL_DOWN_S = 14 * DAY_S
SPAN_S = 30 * DAY_S  # A trace without dates has such spans in place of months.

_FORMS = ("%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")


@dataclass(frozen=True, slots=True)
class Period:
    """A period of a trace.

    Attributes:
        start_s: first second of the trace in it.
        end_s: first second of the trace after it.
        name: its name, such as `1996-10`.
        is_whole: whether the trace's arrivals cover it; False for the months in which a trace begins and
            ends.
    """

    start_s: int
    end_s: int
    name: str
    is_whole: bool = True


@dataclass(frozen=True, eq=False, slots=True)
class MonthRun:
    """A simulated month, with the necessary jobs before and after it.

    Attributes:
        schedule: schedule of all simulated jobs.
        measured: which jobs count because they were submitted in the period, bool [jobs].
        period: the month.
    """

    schedule: Schedule
    measured: Bools
    period: Period


def whole_period(schedule: Schedule) -> Period:
    """Return the period of a schedule from the first submit to the last end; second 0 without jobs."""
    if not len(schedule.jobs):
        return Period(0, 1, "whole trace")
    return Period(int(schedule.jobs.submit_s[0]), int(schedule.end_s.max()), "whole trace")


def months_of(jobs: JobTable) -> tuple[Period, ...]:
    """Return the calendar months with submitted jobs, in the machine's time zone (UTC if unknown).

    A trace without a start date has spans of 30 days from its second 0 instead.
    """
    if not len(jobs):
        return ()
    first, last = int(jobs.submit_s[0]), int(jobs.submit_s[-1])
    if jobs.unix_start_s is None:
        edges = list(range(first // SPAN_S * SPAN_S, last + SPAN_S + 1, SPAN_S))
        names = [f"days {edge // DAY_S + 1} to {(edge + SPAN_S) // DAY_S}" for edge in edges]
    else:
        starts = _month_starts(_local(jobs, first), _local(jobs, last))
        edges = _trace_seconds(jobs, starts)
        names = [f"{start:%Y-%m}" for start in starts]
    periods = [
        Period(start, end, name, first <= start and end <= last + 1)
        for start, end, name in zip(edges[:-1], edges[1:], names, strict=False)
    ]
    return tuple(one for one in periods if jobs_in(jobs, one).any())


def jobs_in(jobs: JobTable, period: Period) -> Bools:
    """Return a mask of the jobs that were submitted in a period, bool [jobs]."""
    return (jobs.submit_s >= period.start_s) & (jobs.submit_s < period.end_s)


def days_from(jobs: JobTable, begin_s: int, end_s: int) -> list[int]:
    """Return seconds from `begin_s` to before `end_s` at the same time of day on the machine's clock.

    They are 24 hours apart except on days with a change of clocks; a trace without a start date has no such
    days.
    """
    if jobs.unix_start_s is None:
        return list(range(begin_s, end_s, DAY_S))
    first, last = _local(jobs, begin_s), _local(jobs, end_s)
    moments = [first + timedelta(days=day) for day in range(1, (last - first).days + 2)]
    return [begin_s, *(second for second in _trace_seconds(jobs, moments) if begin_s < second < end_s)]


def period_of(jobs: JobTable, from_text: str, to_text: str) -> Period:
    """Return the period from one moment of a trace to before another one.

    Moments are dates such as `1996-10`, `1996-10-15` or `1996-10-15T12:00` in the machine's time zone if the
    trace has a start date, and for all traces seconds (`1209600`, or with a unit `14d`) from its second 0.

    Raises:
        ValueError: a text is not a moment, the end is not after the start, or no job arrived between them.
    """
    start, end = second_of(jobs, from_text), second_of(jobs, to_text)
    if start >= end:
        msg = f"the period from {from_text} to {to_text} ends before it begins"
        raise ValueError(msg)
    first, last = (int(jobs.submit_s[0]), int(jobs.submit_s[-1])) if len(jobs) else (0, -1)
    period = Period(start, end, _called(from_text, to_text), first <= start and end <= last + 1)
    if not jobs_in(jobs, period).any():
        msg = f"no job was submitted from {from_text} to {to_text} (exclusive). {_extent(jobs)}"
        raise ValueError(msg)
    return period


def second_of(jobs: JobTable, text: str) -> int:
    """Return the second of the trace for a text, as in `period_of`.

    Raises:
        ValueError: the text is not a moment.
    """
    date = None if text.isdecimal() else _date(text)
    if date is not None and jobs.unix_start_s is not None:
        return _trace_seconds(jobs, [date])[0]
    if date is None:
        with suppress(ValueError):
            second = seconds(text)
            if second.is_integer() and abs(second) <= LONGEST_S:
                return int(second)
    if jobs.unix_start_s is None:
        msg = f"{text!r} is not a second of the trace, whose start time is unknown. Write 2592000 or 30d"
    else:
        msg = f"{text!r} is not a date. Write 1996-10-01, 1996-10 or 1996-10-01T12:00"
    raise ValueError(msg)


def simulate_month(
    jobs: JobTable,
    period: Period,
    cluster_nodes: int,
    policy: BatchPolicy,
    shares: Floats | None = None,
    *,
    reservations: bool = False,
    cool_down_s: int = COOL_DOWN_S,
) -> MonthRun:
    """Simulate the jobs of a period on a machine that was empty 7 days before.

    `shares` [users] are equal if None. Arrivals continue until all jobs of the period have started, or the
    trace ends. Later arrivals cannot change these starts, so the length of the simulation does not matter: it
    begins with `cool_down_s`, which is doubled until it is enough.

    Raises:
        ValueError: a job needs more nodes than the machine has, or shares do not fit the users, as in
            `simulate`.
    """
    from fsconsole.batch.simulate import simulate  # It is imported here because compiling takes seconds.

    last = int(jobs.submit_s[-1])
    begin = np.searchsorted(jobs.submit_s, period.start_s - WARM_UP_S)
    while True:
        stop = np.searchsorted(jobs.submit_s, period.end_s + cool_down_s)
        taken = jobs.rows(slice(int(begin), int(stop)))
        schedule = simulate(taken, cluster_nodes, policy, shares, reservations=reservations)
        measured = jobs_in(taken, period)
        latest = schedule.start_s[measured].max(initial=-1)
        if period.end_s + cool_down_s > last or latest <= taken.submit_s[-1]:
            return MonthRun(schedule, measured, period)
        cool_down_s *= 2


def _month_starts(first: datetime, last: datetime) -> list[datetime]:
    """Return the first days of all months from that of `first` to the one after `last`."""
    months = range(12 * first.year + first.month - 1, 12 * last.year + last.month + 1)
    return [datetime(month // 12, month % 12 + 1, 1) for month in months]  # noqa: DTZ001 (of the trace's zone)


def _local(jobs: JobTable, second: int) -> datetime:
    """Return the local date and time of a second of the trace."""
    return local_time(second + (jobs.unix_start_s or 0), jobs.time_zone)


def _trace_seconds(jobs: JobTable, moments: list[datetime]) -> list[int]:
    """Return seconds of the trace of local dates and times."""
    return [moment - (jobs.unix_start_s or 0) for moment in unix_times(moments, jobs.time_zone)]


def _date(text: str) -> datetime | None:
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 (of the trace's zone)
        except ValueError:
            continue
    return None


def _called(from_text: str, to_text: str) -> str:
    """Return the name of a period: its own for a whole month, else both ends."""
    start, end = _date(from_text), _date(to_text)
    if start and end and start.day == 1 and end in _month_starts(start, start)[1:] and start.hour == 0:
        return f"{start:%Y-%m}"
    return f"{from_text} to {to_text}"


def _extent(jobs: JobTable) -> str:
    """Return the first and the last arrival of the trace in words."""
    if not len(jobs):
        return "The trace has no jobs"
    first, last = int(jobs.submit_s[0]), int(jobs.submit_s[-1])
    if jobs.unix_start_s is None:
        return f"The trace has arrivals from {first} s to {last} s"
    ends = " to ".join(f"{_local(jobs, second):%Y-%m-%d %H:%M}" for second in (first, last))
    return f"The trace has arrivals from {ends}"
