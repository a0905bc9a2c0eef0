"""`fsconsole slurm jobs`: jobs of a cluster, arrays in one row, with the reasons of waits in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from fsconsole.app.jobs.dependencies import awaited_jobs, dependency_words
from fsconsole.app.jobs.words import MAY_HIDE_JOBS, NAMES, held_words, reason_words, state_words
from fsconsole.cli.cluster import read, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import fitting, print_json, print_table
from fsconsole.slurm.job_labels import held_within
from fsconsole.slurm.jobs import Sort
from fsconsole.targets.slurm.state import ClusterState, Part, PartName
from fsconsole.text.durations import day_duration
from fsconsole.text.moments import moment
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsconsole.app.jobs.columns import Ints, JobColumns
    from fsconsole.slurm.jobs import Job

_EXPECTED = "Expected start"
_TITLES = (
    *("Job", "State", "User", "Account", "Partition", "CPUs", "Elapsed", "Left", "Nodes"),
    *("Priority", _EXPECTED, "Reason", "Name"),
)


# A narrow terminal loses these columns, in this order, before texts are cut.
_GO = ("Account", "Elapsed", "Left", "CPUs", "Nodes", "Partition", _EXPECTED)
_CUT = {"Name": 8, "Nodes": 8, "Reason": 34}


@click.command("jobs")
@click.argument("terms", nargs=-1, metavar="[TERM]...")
@via_option
@click.option("--tasks", "has_tasks", is_flag=True, help="Also list the tasks of each array, below its row.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list, with an object for each record.")
def command(terms: tuple[str, ...], via: tuple[str, ...], has_tasks: bool, as_json: bool) -> None:
    """List running and pending jobs of a Slurm cluster, arrays in one row, with the reason of each.

    The order is that of the queue: running jobs first, then pending jobs by priority.

    TERM is what the console's jobs table takes: a word, or user:anna state:pending cpus>16 depends:4711
    reservation=course.
    """
    from fsconsole.app.jobs.arrays import gathered
    from fsconsole.app.jobs.columns import Field, columns_of
    from fsconsole.app.jobs.filter import FilterError, chosen, read_filter
    from fsconsole.targets.slurm.location import clock_of

    try:
        wanted = read_filter(" ".join(terms))
    except FilterError as error:
        raise click.UsageError(str(error)) from None
    if any(term.field is Field.FAIRSHARE for term in wanted):
        raise click.UsageError("this command does not read fairshare. Use fsconsole slurm show")
    reading = read(via, PartName.JOBS)
    if PartName.JOBS not in reading.found:
        raise UserError(reading.problems[PartName.JOBS])
    if reading.settings is not None and "jobs" in reading.settings.private:
        print_problem(f"note: {MAY_HIDE_JOBS}")
    part = Part(as_of_s=clock_of(reading.place.prefix)())
    jobs = tuple(job for job in reading.found[PartName.JOBS] if not job.is_finished)
    columns = columns_of(ClusterState(0, reading.name, parts={PartName.JOBS: part}, jobs=jobs))
    found = chosen(columns, wanted)
    places = columns.queue_order()
    places = places[found[places]]
    if as_json:
        print_json([_plain(columns.jobs[at], columns) for at in places.tolist()])
        return
    opened = frozenset(columns.arrays.tolist()) if has_tasks else frozenset()
    rows = gathered(columns, places, opened)
    gone: list[str] = []
    if len(places):
        cells = list(_rows(columns, rows.places.tolist(), rows.arrays.tolist()))
        at = _TITLES.index(_EXPECTED)
        end = at + any(row[at] for row in cells)  # No column if Slurm has planned none.
        titles = [*_TITLES[:end], *_TITLES[at + 1 :]]
        cells = [[*row[:end], *row[at + 1 :]] for row in cells]
        titles, cells, gone = fitting(titles, cells, goes=_GO, cut=_CUT)
        print_table(titles, cells, numbers=False)
    click.echo(_footer(columns, places, is_all=len(places) == len(jobs)))
    if gone:
        click.echo(f"Columns left out for lack of width: {listed(gone)}.")


def _footer(columns: JobColumns, places: Ints, *, is_all: bool) -> str:
    """Return the number of jobs of each kind: `8 running, 87 pending; each task of an array is a job.`."""
    import numpy as np

    counts = np.bincount(columns.sorts[places], columns.tasks[places], minlength=len(Sort)).astype(int)
    held = {Sort.WAITING: held_words(*held_within(columns.jobs[place] for place in places.tolist()))}
    parts = [
        f"{thousands(count)} {NAMES[sort]}{held.get(sort, '')}"
        for sort, count in zip(Sort, counts, strict=True)
        if count
    ]
    tasks = columns.tasks.sum()
    of = "" if is_all else f" of {count_words(int(tasks), 'job')}"
    each = "; each task of an array is a job" if columns.arrays.any() or tasks > len(columns) else ""
    return f"{', '.join(parts) or 'No jobs'}{of}{each}."


def _rows(columns: JobColumns, places: list[int], arrays: list[int]) -> Iterator[list[str]]:
    from fsconsole.app.jobs.arrays import records_of, summary_of

    for place, array in zip(places, arrays, strict=True):
        if array:
            summary = summary_of(records_of(columns, array), columns.now_s)
            yield _row(columns, summary.job, summary.job.label, summary.state)
        else:
            job = columns.jobs[place]
            below = "  " if columns.arrays[place] else ""
            yield _row(columns, job, f"{below}{job.label}", state_words(job))


def _row(columns: JobColumns, job: Job, label: str, state: str) -> list[str]:
    from fsconsole.app.jobs.columns import Field

    elapsed, left = (columns.number(job, of) for of in (Field.ELAPSED, Field.LEFT))
    priority = f"{thousands(job.priority)}" if job.is_pending and job.priority else ""
    start_s = job.expected_start_s(columns.now_s)
    return [
        label, state, job.user, job.account, job.partition, str(job.cpus),
        "" if math.isnan(elapsed) else day_duration(elapsed), "" if math.isnan(left) else day_duration(left),
        job.nodes, priority, "" if start_s is None else moment(start_s, columns.now_s), reason_words(job),
        job.name,
    ]  # fmt: skip


def _plain(job: Job, columns: JobColumns) -> dict[str, Any]:
    from fsconsole.app.jobs.columns import Field
    from fsconsole.slurm.job_labels import task_count

    elapsed, left = (columns.number(job, of) for of in (Field.ELAPSED, Field.LEFT))
    return {
        "job": job.label, "id": job.job_id, "array": job.array_job_id or None, "tasks": task_count(job),
        "state": job.state, "user": job.user, "account": job.account, "partition": job.partition,
        "qos": job.qos, "name": job.name, "nodes": job.nodes, "cpus": job.cpus, "priority": job.priority,
        "submit_s": job.submit_s, "start_s": None if job.is_pending else job.start_s,
        "expected_start_s": job.expected_start_s(columns.now_s), "elapsed_s": _number(elapsed),
        "left_s": _number(left), "reason": job.reason, "why": reason_words(job),
        "dependency": job.dependency, "waits_for": list(awaited_jobs(job.dependency)),
        "depends": dependency_words(job.dependency), "reservation": job.reservation,
    }  # fmt: skip


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
