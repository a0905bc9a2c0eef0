"""Which job could start when: the scan of the queue, and the lanes of the timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fsconsole.neardedicated.view import Fit, PlanBar
from fsconsole.neardedicated.waiting import Waiting


def first_that_fits(waiting: Iterable[Waiting], at_s: float, end_s: float | None) -> Waiting | None:
    """The first job in queue order that may be started and ends in time by its estimate.

    One that takes chances (ND_TMC) is started though too long when it is next in line, that is when no job
    before it may be started (Brady et al. section 3.2; what "next in line" means is our reading).
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
    """Where no job is started at that time: the first that would be at place 1, since it takes chances."""
    if end_s is None or at_s >= end_s or first_that_fits(waiting, at_s, end_s) is not None:
        return None
    return next((job for job in waiting if job.take_chances and not job.held), None)


def fits(job: Waiting, at_s: float, end_s: float | None) -> bool:
    """Whether a job that starts then ends in time by its estimate."""
    return end_s is None or at_s + job.estimate_s <= end_s


def fit_of(job: Waiting, at_s: float, end_s: float | None) -> Fit:
    """Whether a job could be started then if it were next, whatever else waits."""
    if job.held:
        return Fit.HELD if job.eligible else Fit.NOT_ELIGIBLE
    if fits(job, at_s, end_s):
        return Fit.FITS
    return Fit.TAKES_CHANCES if job.take_chances else Fit.TOO_LONG


def lane_by_estimate(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """What would run one after another if all estimates were used up."""
    return _lane(waiting, at_s, end_s, lambda job: job.estimate_s)


def lane_by_pace(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """What would run one after another if jobs end as expected; each still starts by its estimate."""
    return _lane(waiting, at_s, end_s, lambda job: min(job.expected_s, job.estimate_s))


def lane_of_too_long(waiting: Sequence[Waiting], at_s: float, end_s: float | None) -> tuple[PlanBar, ...]:
    """What does not fit, from where it could start."""
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
