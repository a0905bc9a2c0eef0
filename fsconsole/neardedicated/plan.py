"""The plan: future windows, possible starts of jobs, and the lanes of the timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

from fsconsole.neardedicated.view import ExtendEffect, Fit, NightView, PlanBar, QueueRow
from fsconsole.neardedicated.waiting import Waiting
from fsconsole.shares.scenario.weekly import WeeklyWindows


@dataclass(frozen=True, slots=True)
class Planned:
    """A future window; `scheduled_s` is its start by the schedule, even if an operator has moved it."""

    scheduled_s: float
    start_s: float
    end_s: float
    by_hand: bool = False

    def moved(self, start_s: float | None, end_s: float | None) -> Planned:
        """Return the window with another start or end."""
        start_s = self.start_s if start_s is None else start_s
        end_s = self.end_s if end_s is None else end_s
        return replace(self, start_s=start_s, end_s=end_s, by_hand=True)


@cache
def _weekly(lines: tuple[str, ...]) -> WeeklyWindows:
    return WeeklyWindows(lines)


def next_planned(
    lines: tuple[str, ...], start: datetime, now_s: float, after_s: float | None
) -> Planned | None:
    """Return the scheduled window that is open now or comes next; None without one.

    Windows that start at `after_s` or before are over, or an operator has closed them.
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


def first_that_fits(waiting: Iterable[Waiting], at_s: float, end_s: float | None) -> Waiting | None:
    """Return the first job in queue order that may start and ends in time by its estimate.

    A job that takes chances (ND_TMC) is started though too long when it is next in line, that is if no job
    before it may start (Brady et al. section 3.2; the meaning of "next in line" is our reading).
    """
    if end_s is not None and at_s >= end_s:
        return None
    is_next = True
    for job in waiting:
        if job.held:
            continue
        if fits(job, at_s, end_s) or (job.take_chances and is_next):
            return job
        is_next = False
    return None


def could_take_chances(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> Waiting | None:
    """Return the first job that would take its chances if it were at place 1, in case no job can start."""
    if end_s is None or at_s >= end_s or first_that_fits(waiting, at_s, end_s) is not None:
        return None
    return next((job for job in waiting if job.take_chances and not job.held), None)


def fits(job: Waiting, at_s: float, end_s: float | None) -> bool:
    """Return True if a job that starts then ends in time by its estimate."""
    return end_s is None or at_s + job.estimate_s <= end_s


def fit_of(job: Waiting, at_s: float, end_s: float | None) -> Fit:
    """Return the fit of a job that is next at a time, regardless of other jobs."""
    if job.held:
        return Fit.HELD if job.eligible else Fit.NOT_ELIGIBLE
    if fits(job, at_s, end_s):
        return Fit.FITS
    return Fit.TAKES_CHANCES if job.take_chances else Fit.TOO_LONG


def lane_by_estimate(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """Return the sequence of jobs if all estimates are used up."""
    return _lane(waiting, at_s, end_s, lambda job: job.estimate_s)


def lane_by_pace(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """Return the sequence of jobs if they end as expected; each still starts by its estimate."""
    return _lane(waiting, at_s, end_s, lambda job: min(job.expected_s, job.estimate_s))


def lane_of_too_long(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """Return the jobs that do not fit, drawn from their possible start."""
    return tuple(
        PlanBar(job.request, place, job.label, at_s, at_s + job.estimate_s, fits=False)
        for place, job in enumerate(waiting, 1)
        if fit_of(job, at_s, end_s) is Fit.TOO_LONG
    )


def _lane(
    waiting: Sequence[Waiting], at_s: float, end_s: float | None, wall_s: Callable[[Waiting], float]
) -> tuple[PlanBar, ...]:
    places = {job.request: place for place, job in enumerate(waiting, 1)}
    left, bars = list(waiting), []
    while (job := first_that_fits(left, at_s, end_s)) is not None:
        ends_s = at_s + wall_s(job)
        if end_s is not None:
            ends_s = min(ends_s, end_s)
        bars.append(PlanBar(job.request, places[job.request], job.label, at_s, ends_s))
        left.remove(job)
        at_s = ends_s
    return tuple(bars)


def extend_effect(night: NightView, by_s: float) -> ExtendEffect | None:
    """Return the effect of extending the running job; None without one."""
    if night.job is None:
        return None
    watchdog_s = night.job.watchdog_s + by_s
    end_s = night.window.end_s
    past = 0.0 if end_s is None else max(0.0, watchdog_s - end_s)
    problem = "" if watchdog_s > night.time_s else "the watchdog's kill time would lie in the past"
    lost = tuple(row for row in night.queue if _is_lost(row, night.job.watchdog_s, watchdog_s, end_s))
    short = replace(night.job, watchdog_s=watchdog_s)
    needs_s = short.needs_until_s if short.short_s else None
    return ExtendEffect(watchdog_s, end_s, past, lost, problem, needs_s)


def no_longer_fits(estimate_s: float, before_s: float, after_s: float, end_s: float | None) -> bool:
    """Return True if a job would end in time with the earlier start but not with the later one."""
    return end_s is not None and before_s + estimate_s <= end_s < after_s + estimate_s


def _is_lost(row: QueueRow, before_s: float, after_s: float, end_s: float | None) -> bool:
    return row.fit is Fit.FITS and no_longer_fits(row.estimate_s, before_s, after_s, end_s)
