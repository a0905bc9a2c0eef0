"""The reason why a job has not started at a time of a finished schedule: the facts of the deciding pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.batch.insight.explanation import Delay, Explanation, OwnerStanding, Reserved, State
from fsconsole.batch.insight.schedule_snapshot import is_running
from fsconsole.batch.insight.scheduling_cycle import Look, Pass, Standing, last_pass_s, pass_at
from fsconsole.batch.insight.why_words import reasons
from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.profile import Profile
from fsconsole.batch.schedule import Schedule


def why_waiting(schedule: Schedule, row: int, at_s: int) -> Explanation:
    """Explain why a job has not started at a time; a job that does not wait then is only described.

    A wait between two passes is explained by the last one, since only passes decide.

    Args:
        schedule: a policy's schedule, or an imported one, which gives only facts that follow from starts and
            ends.
        row: row of the job in the schedule's table.
        at_s: second of the trace.

    Raises:
        IndexError: there is no such row.
        ValueError: the policy carries reservations, and the schedule is without its reservation log.
    """
    if not 0 <= row < len(schedule.jobs):
        msg = f"row {row} does not exist: the workload has {len(schedule.jobs)} jobs"
        raise IndexError(msg)
    found = _described(schedule, row, at_s)
    if found.state == "waiting":
        found = _imported(schedule, found) if schedule.policy is None else _decided(schedule, found)
    elif found.state != "not submitted" and schedule.policy is not None:
        found = _started(schedule, found)
    return replace(found, reasons=reasons(schedule, found))


def _described(schedule: Schedule, row: int, at_s: int) -> Explanation:
    jobs = schedule.jobs
    submit, start = int(jobs.submit_s[row]), int(schedule.start_s[row])
    later = np.arange(len(jobs)) > row
    overtaken_by = int((later & (schedule.start_s <= at_s) & (schedule.start_s < start)).sum())
    return Explanation(
        row=row,
        job_id=int(jobs.job_id[row]),
        user=jobs.users[int(jobs.user[row])],
        nodes=int(jobs.nodes[row]),
        runtime_s=int(jobs.runtime_s[row]),
        submit_s=submit,
        start_s=start,
        at_s=at_s,
        state=_state(submit, start, int(schedule.end_s[row]), at_s),
        waited_s=max(min(at_s, start) - submit, 0),
        overtaken_by=overtaken_by if at_s >= submit else 0,
    )


def _state(submit_s: int, start_s: int, end_s: int, at_s: int) -> State:
    if at_s < submit_s:
        return "not submitted"
    if at_s < start_s:
        return "waiting"
    return "running" if at_s < end_s else "ended"


def _decided(schedule: Schedule, found: Explanation) -> Explanation:
    """Explain by the last pass, recomputed."""
    at_s = last_pass_s(schedule, found.at_s)
    assert at_s is not None  # noqa: S101 (its own arrival was one)
    done = pass_at(schedule, at_s, found.row)
    found = replace(found, pass_s=at_s, free_after=done.free_after, agrees=_agrees(schedule, done))
    if done.look is None:  # The pass would start it, so the schedule is not this policy's.
        return found
    return _with_look(schedule, found, done, done.look)


def _started(schedule: Schedule, found: Explanation) -> Explanation:
    """Explain a start by the pass that made it."""
    done = pass_at(schedule, found.start_s)
    return replace(
        found,
        pass_s=found.start_s,
        backfilled=found.row in done.backfilled,
        reservations=tuple(_reserved(schedule, row, start) for row, start in done.held),
        agrees=_agrees(schedule, done),
    )


def _with_look(schedule: Schedule, found: Explanation, done: Pass, look: Look) -> Explanation:
    ahead = done.looked_at[: done.looked_at.index(found.row)]
    held = tuple(_reserved(schedule, row, start) for row, start in look.held)
    return replace(
        found,
        free_nodes=look.free_nodes,
        position=len(ahead) + 1,
        waiting=len(done.looked_at),
        ahead=ahead,
        ahead_ids=tuple(int(schedule.jobs.job_id[row]) for row in ahead),
        reservations=held,
        planned_start_s=dict(done.held).get(found.row),
        fits_from_s=look.fits_from_s,
        delay=_delay(found, done.at_s, held, look.short),
        standing=None if look.standing is None else _standing(schedule, look.standing),
        slowdown=_slowdown(schedule, found, done.at_s),
    )


def _reserved(schedule: Schedule, row: int, start_s: int) -> Reserved:
    jobs = schedule.jobs
    user = jobs.users[int(jobs.user[row])]
    return Reserved(row, int(jobs.job_id[row]), user, int(jobs.nodes[row]), start_s)


def _delay(
    found: Explanation, pass_s: int, held: tuple[Reserved, ...], short: tuple[int, int] | None
) -> Delay | None:
    """Return the delay: nodes that are free now become short only when a reserved job starts."""
    if short is None:
        return None
    at_s, left = short
    return Delay(at_s, left, pass_s + found.runtime_s, tuple(item for item in held if item.start_s == at_s))


def _standing(schedule: Schedule, standing: Standing) -> OwnerStanding:
    return OwnerStanding(
        schedule.jobs.users[standing.user],
        standing.window_start_s,
        standing.used / HOUR_S,
        standing.expected / HOUR_S,
        standing.entitled / HOUR_S,
        standing.priority,
        standing.rank,
        standing.users_waiting,
    )


def _slowdown(schedule: Schedule, found: Explanation, pass_s: int) -> float | None:
    """Return the slowdown by which LXF orders jobs."""
    policy = schedule.policy
    if policy is None or policy.order != "lxf":
        return None
    return policy.slowdown(pass_s - found.submit_s, found.runtime_s)


def _agrees(schedule: Schedule, done: Pass) -> bool:
    by_schedule = np.flatnonzero(schedule.start_s == done.at_s).tolist()
    return sorted(done.started) == by_schedule


def _imported(schedule: Schedule, found: Explanation) -> Explanation:
    """Explain from starts and ends only: waiting jobs, earlier arrivals, ends of running jobs."""
    jobs, at_s = schedule.jobs, found.at_s
    running = np.flatnonzero(is_running(schedule, at_s))
    free = schedule.cluster_nodes - int(jobs.nodes[running].sum())
    waits = (jobs.submit_s <= at_s) & (schedule.start_s > at_s)
    earlier = tuple(np.flatnonzero(waits[: found.row]).tolist())
    changes = zip(schedule.end_s[running].tolist(), jobs.nodes[running].tolist(), strict=True)
    return replace(
        found,
        free_nodes=free,
        free_after=free,
        position=len(earlier) + 1,
        waiting=int(waits.sum()),
        ahead=earlier,
        ahead_ids=tuple(int(jobs.job_id[row]) for row in earlier),
        fits_from_s=Profile(at_s, free, changes).first_fit(found.nodes, found.runtime_s),
    )
