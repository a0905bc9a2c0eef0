"""The facts on selected jobs, row by row. No Qt except for the controller's values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fsconsole.app.jobs.arrays import ArraySummary, summary_of
from fsconsole.app.jobs.columns import Field, JobColumns
from fsconsole.app.jobs.dependencies import dependents, waiting_words
from fsconsole.app.jobs.selection import JobSelection
from fsconsole.app.jobs.words import NAMES, name_of, reason_words
from fsconsole.slurm.job_labels import JobIndex, job_count, task_count
from fsconsole.slurm.job_priority import turn_of
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.preemption import displaced_words, is_stopped_by_slurm
from fsconsole.text import moments, numbers
from fsconsole.text.durations import day_duration, length_words
from fsconsole.text.words import count_words, listed, more_label

if TYPE_CHECKING:
    from fsconsole.console.operate.jobs.controller import JobController

_SHORT_LEFT_S = 300.0
_MOST, _MOST_NAMED = 10, 5
Fact = tuple[str, str]


def figures_of(job: Job, columns: JobColumns) -> list[tuple[str, str]]:
    """Return elapsed time, limit and remaining time, each with the token of its ink."""
    figures = []
    for field in (Field.ELAPSED, Field.LIMIT, Field.LEFT):
        value = columns.number(job, field)
        is_short = field is Field.LEFT and job.state == "RUNNING" and value < _SHORT_LEFT_S
        words = numbers.UNKNOWN if math.isnan(value) else day_duration(value)
        figures.append((words, "warn" if is_short else "text"))
    return figures


def why_waits(job: Job, controller: JobController, limit: str = "") -> list[Fact]:
    """Return the facts on why a job waits, by which `limit` it is held, and between which others; none of
    other jobs.
    """
    if not job.is_pending:
        return []
    rows = [
        ("Why", "" if job.dependency and "Depend" in job.reason else reason_words(job)),
        ("Held by", limit),
        ("Waits for", _awaited(job, controller)),
        *_turn(job, controller.columns),
    ]
    return [row for row in rows if row[1]]


def facts_of(job: Job, controller: JobController) -> list[Fact]:
    """Return the further facts on one job, without unknown ones."""
    now_s, columns = controller.now_s, controller.columns
    fairshare = columns.fairshare_of(job) if columns is not None else math.nan
    exit_code = job.exit_code if job.is_finished else None
    nodes = job.nodes or (f"{job.node_count} asked" if job.node_count else "")
    rows = [
        ("Why", "" if job.is_pending else reason_words(job)),
        ("Displaced", _displaced(job, controller)),
        ("Nodes", f"{nodes} ({job.node_count})" if job.nodes else nodes),
        ("CPUs", numbers.thousands(job.cpus)),
        ("Billing", "" if job.billing is None else f"{job.billing:g} a second"),
        ("Priority", "" if job.priority is None or job.is_pending else numbers.thousands(job.priority)),
        ("Fairshare", "" if math.isnan(fairshare) else numbers.fixed(fairshare, 6)),
        ("Submitted", _at(job.submit_s, now_s)),
        ("Eligible", _at(job.eligible_s, now_s) if job.eligible_s != job.submit_s else ""),
        ("Expected start", _at(job.expected_start_s(now_s), now_s)),
        ("Started", "" if job.is_pending else _at(job.start_s, now_s)),
        ("Ended" if job.is_finished else "Ends by", _at(job.end_s, now_s) if not job.is_pending else ""),
        ("Suspended", _at(job.suspend_s, now_s) if job.state == "SUSPENDED" else ""),
        ("Awaited by", _dependents(job, controller)),
        ("Reservation", job.reservation),
        ("Restarts", str(job.restarts) if job.restarts else ""),
        ("Requeue", "not allowed (--no-requeue)" if job.may_requeue is False else ""),
        ("Exit code", f"{exit_code[0]}, signal {exit_code[1]}" if exit_code and any(exit_code) else ""),
        ("States", " ".join(job.states) if len(job.states) > 1 else ""),
    ]
    return [row for row in rows if row[1]]


def _awaited(job: Job, controller: JobController) -> str:
    """Return the job's dependencies, with the state of each job."""
    if not job.dependency:
        return ""
    known = JobIndex(controller.columns.jobs if controller.columns is not None else ())

    def state(label: str) -> str:
        found = known.find(label) if label else ()
        if len(found) == 1 and task_count(found[0]) == 1:
            return NAMES[found[0].sort]
        return summary_of(found, controller.now_s).state if found else ""

    return waiting_words(job.dependency, state)


def _dependents(job: Job, controller: JobController) -> str:
    jobs = controller.columns.jobs if controller.columns is not None else ()
    return listed([name_of(one) for one in dependents(job, jobs)], _MOST_NAMED)


def _turn(job: Job, columns: JobColumns | None) -> list[Fact]:
    """Return the jobs before and after it in the queue, with what decides."""
    turn = turn_of(job, columns.jobs) if columns is not None else None
    if columns is None or turn is None:
        return []
    where = job.partition.replace(",", " or ")
    rank = f"{numbers.thousands(turn.place)} of {numbers.thousands(turn.count)} eligible in {where}"
    return [
        ("Turn", rank),
        ("Goes after", _neighbour(turn.before, columns)),
        ("Goes before", _neighbour(turn.after, columns)),
    ]


def _neighbour(job: Job | None, columns: JobColumns) -> str:
    if job is None:
        return ""
    fairshare = columns.fairshare_of(job)
    fairshare_text = "" if math.isnan(fairshare) else f", fairshare {numbers.fixed(fairshare, 6)}"
    return f"{name_of(job)} (priority {numbers.thousands(job.priority)}{fairshare_text})"


def array_title(array: ArraySummary) -> str:
    """Return a title such as `Array 7, 30 tasks`."""
    return f"Array {array.job.label}, {count_words(array.count, 'task')}"


def array_facts(array: ArraySummary, jobs: tuple[Job, ...], controller: JobController) -> list[Fact]:
    """Return a summary of an array's tasks, why the next one waits, and the first records."""
    job = array.job
    now_s = controller.now_s
    ran_s = sum(one.ran_s(now_s) * one.cpus for one in jobs)
    starts = [start_s for one in jobs if (start_s := one.expected_start_s(now_s)) is not None]
    rows = [
        ("States", array.state),
        ("Why", reason_words(job) if array.tasks[Sort.WAITING] else ""),
        ("Expected start", _at(min(starts, default=None), now_s)),
        ("Where", ", ".join(filter(None, (job.partition, f"account {job.account}", job.nodes)))),
        ("CPU time", f"{numbers.fixed(ran_s / 3600, 1)} h"),
        ("Tasks", listed([one.label.removeprefix(f"{job.label}_") for one in jobs], _MOST)),
    ]
    return [row for row in rows if row[1]]


def several_facts(selection: JobSelection) -> list[Fact]:
    """Return a summary of many jobs, and the first of them."""
    cpus = {"requested": selection.requested_cpus, "allocated": selection.allocated_cpus}
    jobs, places = selection.columns.jobs, selection.places.tolist()
    first = [jobs[place] for place in places[:_MOST]]
    return [
        ("States", ", ".join(f"{numbers.thousands(count)} {NAMES[sort]}" for sort, count in selection.sorts)),
        ("Users", listed([f"{user} ({numbers.thousands(count)})" for user, count in selection.users], 4)),
        ("CPUs", ", ".join(f"{numbers.thousands(count)} {how}" for how, count in cpus.items() if count)),
        ("CPU time", f"{numbers.fixed(selection.cpu_s / 3600, 1)} h"),
        ("Jobs", "\n".join([*map(_line, first), *more_label(selection.count - job_count(first))])),
    ]


def job_lines(jobs: tuple[Job, ...], most: int = _MOST) -> str:
    """Return the first ones, a line each, and how many more; each pending task of an array is one."""
    return "\n".join([*map(_line, jobs[:most]), *more_label(job_count(jobs[most:]))])


def _line(job: Job) -> str:
    return f"{name_of(job)}, {job.name}"


def _at(time_s: float | None, now_s: float) -> str:
    if time_s is None:
        return ""
    ago_s = now_s - time_s
    words = f"{length_words(abs(ago_s))} ago" if ago_s >= 0 else f"in {length_words(-ago_s)}"
    return f"{moments.moment(time_s, now_s)}, {words}"


def _displaced(job: Job, controller: JobController) -> str:
    """Return a description of the jobs that displaced it, as far as computable."""
    view = controller.near
    lost = next((one for one in view.displaced if one.job.job_id == job.job_id), None) if view else None
    if lost is not None:
        return displaced_words(lost)
    return "Slurm suspended the job and resumes it automatically." if is_stopped_by_slurm(job) else ""
