"""Explanation of a pending job: Slurm's reason, its place in the queue, its priority and that of the
job ahead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from fsconsole.app.jobs.dependencies import awaited_jobs
from fsconsole.app.jobs.words import reason_words, state_words
from fsconsole.app.slurm_why.answer import Answer, NoAnswer
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.limit import held_by_limit
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.job_priority import Factor, Turn, factors_of, is_unranked, turn_of, unranked
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limit_reasons import limit_of_reason
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.preemption import displaced, is_stopped_by_slurm, preemptions
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.durations import length_words, slurm_limit
from fsconsole.text.numbers import signed, thousands
from fsconsole.text.words import count_words

_ROUNDED = 1e-9
_MOST_BLANKS = 3  # A reason with more blanks is a sentence that repeats our text, not a code.
# For these reasons the change that ends the wait is known. Other reasons are shown in Slurm's words.
_CHANGES = {
    "Dependency": "The job that it depends on must end. scontrol show job {id} shows that job.",
    "DependencyNeverSatisfied": "It cannot start: remove or set its dependency, or cancel it.",
    "JobHeldUser": "Its user or an operator must release it: scontrol release {id}.",
    "JobHeldAdmin": "An operator must release it: scontrol release {id}.",
    "JobArrayTaskLimit": "Tasks of its array must end, or the limit after % must be raised.",
    "Licenses": "A licence that it requests must be returned.",
    "Reservation": "Its Slurm reservation{reservation} must begin, or the job must run without one.",
    "ReservationDeleted": "Set another Slurm reservation, or none: scontrol update jobid={id} reservation=.",
    "PartitionDown": (
        "An operator must set partition {partition} up, or the job must move to another partition."
    ),
    "PartitionInactive": (
        "An operator must activate partition {partition}, or the job must move to another one."
    ),
    "PartitionNodeLimit": "It must request fewer nodes, or move to a partition that allows as many.",
    "BadConstraints": "It must request features, CPUs or memory that a node has.",
    "InvalidAccount": "Give it an account that exists: scontrol update jobid={id} account=NAME.",
    "InvalidQOS": "Give it a QOS that exists: scontrol update jobid={id} qos=NAME.",
    "NodeDown": "The node must be up again, or the job must request another one.",
    "launch_failed_requeued_held": "An operator must check its nodes and release it: scontrol release {id}.",
}


def why_job(facts: Facts, label: str) -> Answer:
    """Return the reasons for a job's state; NoAnswer if they are unknown."""
    if "jobs" in facts.problems and not facts.jobs:
        raise NoAnswer(facts.problems["jobs"])
    try:
        found = JobIndex(facts.jobs).find(label)
    except DamagedError as error:
        raise NoAnswer(f"{error}.") from None
    if not found:
        none = f"squeue shows no job {label!r}. It may have ended, or be hidden from you."
        raise NoAnswer(" ".join((none, *facts.gaps(PartName.JOBS))))
    facts, found = _with_tasks(facts, label, found)
    gaps = facts.gaps(PartName.SETTINGS, PartName.JOBS, PartName.PARTITIONS)
    job = next((one for one in found if one.is_pending), found[0])
    if not job.is_pending:
        return _at_work(facts, job, (*facts.remarks(), *gaps))
    if job.is_mixed:
        return _mixed(facts, job, (*facts.remarks(), *gaps))
    if (at_limit := held_by_limit(facts, job)) is not None:
        return Answer(
            facts.about(f"Why job {job.label} waits"), (*at_limit.sentences, _asks(job)), at_limit.columns,
            at_limit.rows, _with_start(facts, job, at_limit.change),
            (*facts.remarks(), *at_limit.remarks, *gaps),
        )  # fmt: skip
    turn = turn_of(job, facts.jobs)
    if no_place := _why_no_place(facts, job, turn):
        turn = None
    asked = [job, *([turn.before] if turn is not None and turn.before is not None else [])]
    rows = facts.priorities(asked)
    words = reason_words(job)
    sentences = [f"Job {job.label} of {job.user} is pending: {_with_reason(job, words)}."]
    if turn is not None:
        sentences.append(_place(job, turn))
    elif no_place:
        sentences.append(f"Its place in {job.partition} is unknown: {no_place}.")
    sentences.append(_asks(job))
    mine = rows.get(job.job_id)
    before = rows.get(turn.before.job_id) if turn is not None and turn.before is not None else None
    weights = {} if facts.settings is None else facts.settings.weights
    columns, table = _table(job, turn, mine, before, weights)
    change = "It is unknown, as its place is." if no_place else ""
    change = _with_start(facts, job, _change(facts, job, turn, mine, weights, change))
    remarks = (*facts.remarks(), *gaps)
    if limit_of_reason(job.reason) is not None:
        remarks = (*remarks, *facts.limits().remarks)
    if mine is None and (turn is not None or no_place):
        remarks = (*remarks, "The parts of its priority are unknown: no row of sprio was read for it.")
    return Answer(
        facts.about(f"Why job {job.label} waits"), tuple(sentences), columns, table, change, remarks
    )


def _with_tasks(facts: Facts, label: str, found: tuple[Job, ...]) -> tuple[Facts, tuple[Job, ...]]:
    """Return the facts with each task of a mixed row by itself, and the task that a label names; the same for
    the label of several, and where the cluster does not show them.
    """
    mixed = next((one for one in found if one.is_mixed), None)
    tasks = () if mixed is None else facts.tasks(mixed)
    if mixed is None or len(meant := JobIndex(tasks).find(label)) != 1:
        return facts, found
    others = (one for one in facts.jobs if not (one.is_mixed and one.array_job_id == mixed.array_job_id))
    return replace(facts, jobs=(*others, *tasks)), meant


def _mixed(facts: Facts, job: Job, remarks: tuple[str, ...]) -> Answer:
    """Return the reasons of tasks that squeue shows in one row; such a row has no place in the queue."""
    reasons = ", ".join(_coded(one, reason_words(replace(job, reason=one))) for one in job.reasons)
    sentence = (
        f"Job {job.label} of {job.user} is pending. Its tasks wait for: {reasons}; which task for which is "
        "unknown."
    )
    change = f"On the cluster, fsconsole slurm why job {job.array_job_id or job.job_id}_TASK explains a task."
    return Answer(facts.about(f"Why job {job.label} waits"), (sentence, _asks(job)), (), (), change, remarks)


def _at_work(facts: Facts, job: Job, remarks: tuple[str, ...]) -> Answer:
    state = state_words(job)
    words = reason_words(job)
    where = f" on {job.nodes}" if job.nodes else ""
    sentence = (
        f"Job {job.label} of {job.user} is not pending: "
        f"{state.lower()}{where}{f', {words}' if words else ''}."
    )
    change = "None: only pending jobs wait."
    if is_stopped_by_slurm(job):
        change = _resumed_by_slurm(facts, job)
    elif job.state == "SUSPENDED":
        change = f"An operator must resume it: scontrol resume {job.job_id}."
    return Answer(facts.about(f"Job {job.label}"), (sentence, _asks(job)), (), (), change, remarks)


def _resumed_by_slurm(facts: Facts, job: Job) -> str:
    """Describe how a displaced job resumes."""
    found = displaced(facts.jobs, preemptions(facts.settings, facts.partitions))
    by = next((one.by[0] for one in found if one.job.job_id == job.job_id), None)
    taker = "the job that displaced it" if by is None else f"job {by.label} of {by.user} in {by.partition}"
    sure = "" if by is None else ", which probably displaced it,"
    return (
        f"Slurm suspended it, and resumes it when {taker}{sure} ends. If you resume it yourself, "
        "it shares CPUs with that job."
    )


def _why_no_place(facts: Facts, job: Job, turn: Turn | None) -> str:
    """Return the reason for which the place of a job in its queue is unknown; empty if it is known."""
    if turn is None:
        return "squeue printed no priority of it" if is_unranked(job) else ""
    if facts.gaps(PartName.JOBS):
        return "jobs are missing"
    if count := unranked(job, facts.jobs):
        return f"squeue printed no priority of {count_words(count, 'pending job')}"
    return ""


def _with_reason(job: Job, words: str) -> str:
    """Describe Slurm's reason, with Slurm's own code in brackets where it is short."""
    return _coded(job.reason, words)


def _coded(reason: str, words: str) -> str:
    if not words:
        return "Slurm has given no reason yet"
    if not reason or reason in words or reason.replace("_", " ").count(" ") > _MOST_BLANKS:
        return words
    return f"{words[:-1]}; {reason})" if words.endswith(")") else f"{words} ({reason})"


def _place(job: Job, turn: Turn) -> str:
    if turn.count == 1:
        return f"It is the only eligible job in {job.partition}."
    if turn.before is None:
        return f"It is first of {count_words(turn.count, 'eligible job')} in {job.partition}."
    return (
        f"It is number {thousands(turn.place)} of {count_words(turn.count, 'eligible job')} in "
        f"{job.partition}, with priority {thousands(job.priority)}. Just before it is job "
        f"{turn.before.label} of {turn.before.user} with {thousands(turn.before.priority or 0)}."
    )


def _asks(job: Job) -> str:
    nodes = f" on {count_words(job.node_count, 'node')}" if job.node_count else ""
    length = "" if job.time_limit_s is None else f", with time limit {slurm_limit(job.time_limit_s)}"
    return f"It requests {count_words(job.cpus, 'CPU')}{nodes}{length}, account {job.account or 'unknown'}."


def _table(
    job: Job,
    turn: Turn | None,
    mine: JobPriority | None,
    before: JobPriority | None,
    weights: Mapping[str, int],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the components of the priority, next to those of the preceding job."""
    if mine is None:
        return (), ()
    factors = factors_of(mine, weights)
    theirs = {} if before is None else {one.title: one for one in factors_of(before, weights)}
    columns = ["Factor", job.label, "Weight"]
    if turn is not None and turn.before is not None and before is not None:
        columns += [turn.before.label, "Difference"]
    rows = [_row(factor, theirs, is_wide=len(columns) > 3) for factor in factors]
    rows += [
        (title, "0", "", thousands(factor.points), thousands(-factor.points))
        for title, factor in theirs.items()
        if title not in {one.title for one in factors}
    ]
    return tuple(columns), tuple(rows)


def _row(factor: Factor, theirs: Mapping[str, Factor], *, is_wide: bool) -> tuple[str, ...]:
    cells = [
        factor.title,
        thousands(factor.points),
        "" if factor.weight is None else thousands(factor.weight),
    ]
    if is_wide:
        other = theirs[factor.title].points if factor.title in theirs else 0.0
        cells += [thousands(other), signed(factor.points - other)]
    return tuple(cells)


def _change(
    facts: Facts,
    job: Job,
    turn: Turn | None,
    mine: JobPriority | None,
    weights: Mapping[str, int],
    unplaced: str,
) -> str:
    """Return a change that lets a job start, or `unplaced` where that depends on an unknown place."""
    if job.reason == "Dependency" and (awaited := awaited_jobs(job.dependency)):
        return f"That must happen first. fsconsole slurm why job {awaited[0]} explains that job."
    known = _CHANGES.get(job.reason)
    if known is not None:
        reservation = f" {job.reservation}" if job.reservation else ""
        return known.format(id=job.job_id, partition=job.partition, reservation=reservation)
    if job.is_held:
        return f"It is held: scontrol release {job.job_id} puts it back into the queue."
    if job.reason == "BeginTime":
        at = job.start_s or job.eligible_s
        if at and facts.as_of_s is not None and at <= facts.as_of_s:
            return f"Its start time, {_moment(at)}, has passed: Slurm tries it in one of its next passes."
        when = "" if not at else f" at {_moment(at)}"
        return (
            f"Its start time must be reached{when}. To start it earlier: scontrol update "
            f"jobid={job.job_id} starttime=now."
        )
    if job.reason == "PartitionTimeLimit":
        most = next((one.max_time_s for one in facts.partitions if one.name == job.partition), None)
        allowed = "" if most is None or math.isinf(most) else f" of at most {slurm_limit(most)}"
        return f"Set a time limit{allowed}: scontrol update jobid={job.job_id} timelimit=TIME."
    if "Limit" in job.reason or job.reason.startswith(("Assoc", "QOS")):
        return (
            f"Other jobs under the same limit must end, or an operator must raise it: {job.reason} "
            "names it. Its rank has no effect until then."
        )
    if turn is None and unplaced:
        return unplaced
    if turn is None:
        return "The reason that Slurm gives must end. Its rank has no effect until then."
    if turn.before is None:
        return "Running jobs must free the resources that it requests."
    return _overtaking(job, turn, mine, weights)


def _with_start(facts: Facts, job: Job, change: str) -> str:
    """Return a change, and when Slurm expects to start the job if nothing changes."""
    start_s = None if facts.as_of_s is None else job.expected_start_s(facts.as_of_s)
    if start_s is None or facts.as_of_s is None or job.reason == "BeginTime":
        return change
    expected = length_words(start_s - facts.as_of_s)
    return f"{change} As things are, Slurm expects to start it at {_moment(start_s)}, in {expected}."


def _moment(time_s: float) -> str:
    return f"{datetime.fromtimestamp(time_s, UTC).astimezone():%Y-%m-%d %H:%M}"


def _overtaking(job: Job, turn: Turn, mine: JobPriority | None, weights: Mapping[str, int]) -> str:
    """Return the fairshare that the job needs to overtake the preceding job."""
    ahead = turn.before
    assert ahead is not None  # noqa: S101 (the first one is not asked for)
    gap = (ahead.priority or 0) - (job.priority or 0) + 1
    verb = "puts" if gap == 1 else "put"
    lead = f"{count_words(gap, 'more point')} of priority {verb} it before job {ahead.label}"
    if gap == 1:
        lead = f"Both have the same priority, so the lower number goes first: {lead}"
    if (job.user, job.account, job.partition) == (ahead.user, ahead.account, ahead.partition):
        return f"{lead}. More fairshare raises both: both are of {job.user} in {job.account}."
    weight = weights.get("fairshare")
    points = None if mine is None else mine.parts.get("fairshare")
    if weight is None:
        return f"{lead}; PriorityWeightFairShare is unknown, so what fairshare does is too."
    if not weight:
        return f"{lead}; fairshare has no weight here."
    if points is None:
        return f"{lead}."
    needed, now = (points + gap) / weight, points / weight
    if needed > 1 and now >= 1:
        return f"{lead}. Its fairshare is already 1, the highest."
    if needed > 1:
        return f"{lead}: more than a fairshare of 1 gives, which adds {thousands(weight)}."
    digits = next((many for many in range(4, 9) if f"{needed:.{many}f}" != f"{now:.{many}f}"), 9)
    needed = math.ceil(needed * 10**digits - _ROUNDED) / 10**digits  # One point less does not do it.
    return f"{lead}: a fairshare of {needed:.{digits}f} instead of {now:.{digits}f}."
