"""The reasons why a job waits, in sentences."""

from __future__ import annotations

import math

from fsconsole.batch.clock import Clock, hours_words
from fsconsole.batch.insight.explanation import Delay, Explanation, OwnerStanding, Reserved
from fsconsole.batch.insight.losses import Cause, JobReservations
from fsconsole.batch.policy import HOUR_S, BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words, jobs_words, listed, ordinal, plural, times_words

_NAMED = 3  # More reservations than these are only counted, to keep the answer short.


def reasons(schedule: Schedule, found: Explanation) -> tuple[str, ...]:
    """Return sentences on why a job waits, the main reason before its background."""
    clock = Clock(schedule.jobs, beside_s=found.at_s)
    sentences = [_opening(found, clock)]
    if found.state != "waiting":
        return (*sentences, _how_it_started(found)) if found.agrees else tuple(sentences)
    sentences.append(_place(found, schedule.policy))
    if schedule.policy is not None:
        sentences += _of_policy(schedule.policy, found, clock)
    else:
        sentences += _of_starts(schedule, found, clock)
    sentences += [f"{_jobs_that_came_later(found.overtaken_by)} before it."] if found.overtaken_by else []
    return tuple(text for text in sentences if text)


def _opening(found: Explanation, clock: Clock) -> str:
    job = f"Job {found.job_id} of user {found.user}"
    asks = f"{count_words(found.nodes, 'node')} for {length_words(found.runtime_s)}"
    if found.state == "not submitted":
        return f"{job} ({asks}) is submitted only at {clock(found.submit_s)}."
    if found.state == "running":
        return (
            f"{job} ({asks}) started at {clock(found.start_s)} after waiting {length_words(found.waited_s)}."
        )
    if found.state == "ended":
        end = clock(found.start_s + found.runtime_s)
        return f"{job} ({asks}) ended at {end} after waiting {length_words(found.waited_s)}."
    if found.waited_s == 0:
        return f"{job} arrives and requests {asks}; {_free(found)}."
    return f"{job} has waited {length_words(found.waited_s)} for {asks}; {_free(found)}."


def _how_it_started(found: Explanation) -> str:
    if not found.backfilled:
        return "It was first in order: no job with a reservation was ahead of it."
    held = jobs_words([item.job_id for item in found.reservations])
    return f"It was backfilled: it started beside the reservations of {held} and delays none of them."


def _free(found: Explanation) -> str:
    if found.free_nodes is None:
        return f"{count_words(found.free_after or 0, 'is', 'are')} free"
    if found.free_after == found.free_nodes:
        return f"{count_words(found.free_nodes, 'is', 'are')} free"
    were = count_words(found.free_nodes, "was", "were")
    return f"{were} free when it was considered, {count_words(found.free_after or 0, 'is', 'are')} now"


def _place(found: Explanation, policy: BatchPolicy | None) -> str:
    if found.position is None:
        return ""
    if policy is None:
        order = f"{ordinal(found.position)} by arrival of {count_words(found.waiting or 0, 'waiting job')}"
        return f"It is {order}. The order of its scheduler is unknown."
    behind = f", behind {jobs_words(found.ahead_ids)}" if found.ahead_ids else ""
    slowdown = "" if found.slowdown is None else f" (slowdown {found.slowdown:.4g})"
    return f"It is {ordinal(found.position)} of {found.waiting} in order{slowdown}{behind}."


def _of_policy(policy: BatchPolicy, found: Explanation, clock: Clock) -> list[str]:
    if found.free_nodes is None:
        return [
            "Under this policy the job would have started, so the schedule does not come from this policy."
        ]
    sentences = [_main_reason(found, clock)]
    if found.standing is not None:
        sentences.append(_standing(policy, found.standing, clock))
    if found.agrees is False:
        sentences.append("In this pass the schedule differs from the decision of its policy.")
    return sentences


def _main_reason(found: Explanation, clock: Clock) -> str:
    held = _others_hold(found.reservations, clock)
    if found.planned_start_s is not None:
        planned = clock(found.planned_start_s)
        return f"It holds a reservation itself and is planned to start at {planned}. {held}".strip()
    later = (
        ""
        if found.fits_from_s is None
        else f" If nothing changes it would fit from {clock(found.fits_from_s)}."
    )
    if found.delay is not None:
        return f"{held} {_delay(found, found.delay, clock)}{later}".strip()
    missing = found.nodes - (found.free_nodes or 0)
    return f"{held} It lacks {count_words(missing, 'node')}.{later}".strip()


def _others_hold(held: tuple[Reserved, ...], clock: Clock) -> str:
    if not held:
        return ""
    each = [
        f"job {item.job_id} of user {item.user} ({count_words(item.nodes, 'node')}, "
        f"starts {clock(item.start_s)})"
        for item in held[:_NAMED]
    ]
    each += [jobs_words([item.job_id for item in held[_NAMED:]])] if len(held) > _NAMED else []
    who = listed(each)
    return plural(
        len(each), f"Another job holds the reservation: {who}.", f"Other jobs hold reservations: {who}."
    )


def _delay(found: Explanation, delay: Delay, clock: Clock) -> str:
    left = "none is" if delay.left_nodes <= 0 else f"only {count_words(delay.left_nodes, 'is', 'are')}"
    beside = plural(len(delay.delayed), "reservation")
    delayed = jobs_words([item.job_id for item in delay.delayed])
    return (
        f"If it started now it would run until {clock(delay.ends_s)}, past {clock(delay.at_s)}. It "
        f"would take {count_words(found.nodes, 'node')} where {left} left over beside the {beside}. "
        f"That would delay {delayed}."
    )


def _standing(policy: BatchPolicy, standing: OwnerStanding, clock: Clock) -> str:
    used = hours_words((standing.used_nh + standing.expected_nh) * HOUR_S)
    entitled = hours_words(standing.entitled_nh * HOUR_S)
    expected = hours_words(standing.expected_nh * HOUR_S)
    part = f" ({expected} of them expected from running and reserved jobs)" if standing.expected_nh else ""
    return (
        f"Its owner has used {used}{part} of {entitled} entitled node-hours since "
        f"{clock(standing.since_s)}{_figure(policy, standing)}, rank {standing.rank} of "
        f"{count_words(standing.users_waiting, 'user')} waiting."
    )


def _figure(policy: BatchPolicy, standing: OwnerStanding) -> str:
    if policy.order == "upper":
        return (
            ", more than that and therefore after others" if standing.priority < 0 else ", not more than that"
        )
    if policy.order == "lower":
        return (
            ", less than that and therefore before others"
            if standing.priority > 0
            else ", not less than that"
        )
    if policy.order == "weighted":
        return f" (shares / weighted usage {_short(standing.priority)})"
    if policy.form == "difference":
        return f" (remaining {hours_words(standing.priority)} node-hours)"
    return (
        " (nothing used: first)" if math.isinf(standing.priority) else f" (ratio {_short(standing.priority)})"
    )


def _short(value: float) -> str:
    """Return a number with three digits, or all those before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _of_starts(schedule: Schedule, found: Explanation, clock: Clock) -> list[str]:
    """Return sentences on a schedule that no policy here made."""
    free = found.free_nodes or 0
    if found.nodes > free:
        missing = count_words(found.nodes - max(free, 0), "node")
        when = (
            "" if found.fits_from_s is None else f", free from {clock(found.fits_from_s)} as running jobs end"
        )
        sentences = [f"It lacks {missing}{when}."]
    else:
        sentences = ["Enough nodes are free, but its scheduler held them back or scheduled only later."]
    sentences.append(f"In {schedule.source or 'the schedule'} it started at {clock(found.start_s)}.")
    return sentences


def _jobs_that_came_later(count: int) -> str:
    return count_words(count, "later job has started", "later jobs have started")


_CAUSES: dict[Cause, str] = {
    "own easy jobs": "to smaller or shorter jobs of its owner",
    "arrival": "to jobs that had just arrived",
    "new window": "as a new window began",
    "order": "to jobs that moved ahead of it",
}


def reservation_words(schedule: Schedule, found: JobReservations) -> str:
    """Return a sentence such as `Job 812 of user 8 held a reservation 15 times, for 2 d in all, and …`."""
    jobs = schedule.jobs
    job = f"Job {found.job_id} of user {jobs.users[int(jobs.user[found.row])]}"
    if not found.spans:
        return f"{job} never held a reservation."
    held = f"{job} held a reservation {times_words(len(found.spans))}, for {length_words(found.held_s)}"
    held += " in all" if len(found.spans) > 1 else ""
    if not found.losses:
        return f"{held}, and started from it."
    causes = [
        f"{times_words(len(lost))} {words}"
        for cause, words in _CAUSES.items()
        if (lost := found.lost_to(cause))
    ]
    return f"{held}, and lost it {times_words(len(found.losses))}: {', '.join(causes)}."
