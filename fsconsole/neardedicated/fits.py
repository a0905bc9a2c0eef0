"""The rows of the near-dedicated queue: whether each job fits, and its place in the plan in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fsconsole.neardedicated.plan import fit_of, fits
from fsconsole.neardedicated.times import clock
from fsconsole.neardedicated.view import Fit, PlanBar, QueueRow
from fsconsole.neardedicated.waiting import Waiting
from fsconsole.text.durations import length_words
from fsconsole.text.words import jobs_words, listed, plural

_MOST_PLACES_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Plan:
    """The lanes by request.

    `before` is the number of jobs that run before each by pace; `places` are their places in the queue.
    """

    sure: dict[int, PlanBar]
    likely: dict[int, PlanBar]
    before: dict[int, int]
    places: list[int]
    at_s: float
    end_s: float | None
    start: datetime


def queue_rows(
    waiting: Sequence[Waiting],
    at_s: float,
    end_s: float | None,
    by_estimate: Sequence[PlanBar],
    by_pace: Sequence[PlanBar],
    start: datetime,
) -> tuple[QueueRow, ...]:
    """Return a row for each job in queue order.

    `by_estimate` and `by_pace` are the lanes of the plan; the next job could start at `at_s`, the window ends
    at `end_s`; `start` is the date of 0. The fit is that of the job alone at `at_s`, regardless of jobs
    before it, unless the plan lets it run to its kill: then it takes chances, as it does at its turn. The
    reason describes its prospects in this order.
    """
    plan = _Plan(
        {bar.request: bar for bar in by_estimate},
        {bar.request: bar for bar in by_pace},
        {bar.request: number for number, bar in enumerate(by_pace)},
        [bar.place for bar in by_pace],
        at_s,
        end_s,
        start,
    )
    return tuple(_row(job, place, plan) for place, job in enumerate(waiting, 1))


def _row(job: Waiting, place: int, plan: _Plan) -> QueueRow:
    fit = _fit(job, plan)
    left_s = None if plan.end_s is None else plan.end_s - plan.at_s - job.estimate_s
    return QueueRow(
        place,
        job.request,
        job.person,
        job.name,
        job.requested_cpu_s,
        job.estimate_s,
        job.shown,
        fit,
        _why(job, fit, left_s, plan),
        left_s,
        job.memory_mw,
        job.sds_mw,
    )


def _fit(job: Waiting, plan: _Plan) -> Fit:
    bar = plan.sure.get(job.request) or plan.likely.get(job.request)
    is_cut = bar is not None and not fits(job, bar.start_s, plan.end_s)
    return Fit.TAKES_CHANCES if is_cut else fit_of(job, plan.at_s, plan.end_s)


def _why(job: Waiting, fit: Fit, left_s: float | None, plan: _Plan) -> str:
    if job.held:
        return job.held
    if left_s is None or plan.end_s is None:
        return "the window has no planned end"
    if job.request in plan.sure:
        return _planned(job, plan.sure[job.request], plan.end_s, plan)
    early = _early(job, fit, plan)
    if fit is Fit.TAKES_CHANCES:
        return early or f"only if first; killed at {clock(plan.start, plan.end_s)}"
    if fit is Fit.TOO_LONG:
        return early or f"{length_words(-left_s)} too long"
    return early or f"{length_words(left_s)} to spare if it goes first"


def _planned(job: Waiting, bar: PlanBar, end_s: float, plan: _Plan) -> str:
    """Describe a job that runs even if all jobs before it use their whole estimates."""
    if not fits(job, bar.start_s, end_s):
        return f"killed at {clock(plan.start, end_s)}"
    return f"{length_words(end_s - bar.start_s - job.estimate_s)} to spare"


def _early(job: Waiting, fit: Fit, plan: _Plan) -> str:
    """Return the jobs that must end early for this one to start in the window; empty if that cannot help."""
    bar = plan.likely.get(job.request)
    if bar is None or plan.end_s is None:
        return ""
    places = [str(place) for place in plan.places[: plan.before[job.request]]]
    running = ["the running job"] if bar.start_s < plan.at_s and (fit is not Fit.FITS or not places) else []
    if not running and not places:
        return ""
    killed = "" if fits(job, bar.start_s, plan.end_s) else f", killed at {clock(plan.start, plan.end_s)}"
    before = listed(running + _jobs(places))
    early = plural(len(places) + len(running), f"if {before} ends early", f"if {before} end early")
    return f"{early}{killed}"


def _jobs(places: list[str]) -> list[str]:
    if len(places) > _MOST_PLACES_NAMED:
        return [f"{len(places)} jobs before it"]
    return [jobs_words(places, _MOST_PLACES_NAMED)] if places else []
