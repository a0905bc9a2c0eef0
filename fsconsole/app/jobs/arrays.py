"""Arrays of jobs: their records under one row for the whole array, in words and as labels.

Slurm has a record for each task that runs or has run, and one for all tasks that wait together (1_[4-29%4]).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fsconsole.app.jobs.columns import Ints, JobColumns
from fsconsole.app.jobs.words import NAMES, held_words, name_of
from fsconsole.slurm.job_labels import counts_of, held_within, job_count
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words


@dataclass(frozen=True, slots=True)
class ArraySummary:
    """An array in one row.

    Attributes:
        job: displayed record: the one with the least time left, or the first pending one, with the CPUs and
            nodes of all running tasks and the reason of the pending ones.
        tasks: number of tasks by kind of state.
        held: least and greatest number of held tasks among the pending ones.
    """

    job: Job
    tasks: Counter[Sort]
    held: tuple[int, int] = (0, 0)

    @property
    def count(self) -> int:
        """All tasks that Slurm knows still."""
        return self.tasks.total()

    @property
    def state(self) -> str:
        """`4 running, 26 pending (1 to 25 of them held)`."""
        held = {Sort.WAITING: held_words(*self.held)}
        return ", ".join(
            f"{thousands(self.tasks[sort])} {NAMES[sort]}{held.get(sort, '')}"
            for sort in Sort
            if self.tasks[sort]
        )

    @property
    def short_state(self) -> str:
        """Only the first kind of state, of all tasks: `4/30 running`, `26 pending`."""
        sort = next(sort for sort in Sort if self.tasks[sort])
        of = f"/{thousands(self.count)}" if self.tasks[sort] < self.count else ""
        return f"{thousands(self.tasks[sort])}{of} {NAMES[sort]}"


@dataclass(frozen=True, eq=False, slots=True)
class Gathered:
    """Rows of jobs with gathered arrays.

    Attributes:
        places: position of each row among the jobs, int64 [rows]; for an array, that of its first record.
        arrays: number of each row's array, int64 [rows]; 0 for a row of one record.
    """

    places: Ints
    arrays: Ints


def gathered(columns: JobColumns, places: Ints, opened: Collection[int]) -> Gathered:
    """Gather records of arrays in rows, at the position of their first record.

    Args:
        columns: the jobs.
        places: displayed records, in order, int64 [shown].
        opened: numbers of arrays whose records are also shown, below the array's row.

    Returns:
        Position of each row's (first) record, [rows], and the number of its array, [rows]; 0 for a single
            job.
    """
    arrays = columns.arrays[places]
    at = np.flatnonzero(arrays)
    if not len(at):
        return Gathered(places, np.zeros(len(places), np.int64))
    numbers, first, group = np.unique(arrays[at], return_index=True, return_inverse=True)
    rank = np.arange(len(places))
    rank[at] = at[first][group]
    kept = (arrays == 0) | np.isin(arrays, list(opened))
    ranks = np.concatenate([at[first], rank[kept]])
    # Rows of arrays come first, so that they stay above their tasks.
    order = np.argsort(ranks, kind="stable")
    rows = np.concatenate([places[at[first]], places[kept]])
    heads = np.concatenate([numbers, np.zeros(int(kept.sum()), np.int64)])
    return Gathered(rows[order], heads[order])


def records_of(columns: JobColumns, array: int) -> tuple[Job, ...]:
    """Return all records of an array, by number."""
    return tuple(sorted((columns.jobs[at] for at in columns.members(array)), key=lambda job: job.job_id))


def summary_of(records: Sequence[Job], now_s: float) -> ArraySummary:
    """Return the row of an array.

    Raises:
        ValueError: there are no records.
    """
    if not records:
        raise ValueError("an array has a record")
    active = [job for job in records if not job.is_pending and not job.is_finished]
    waiting = [job for job in records if job.is_pending]
    base = max(active, key=lambda job: job.ran_s(now_s)) if active else (waiting or list(records))[0]
    asking = waiting[0] if waiting else base
    shown = replace(
        base,
        job_id=base.array_job_id,
        array_tasks="",
        nodes=",".join(dict.fromkeys(job.nodes for job in active if job.nodes)),
        node_count=sum(job.node_count for job in active) or base.node_count,
        cpus=sum(job.cpus for job in active) or base.cpus,
        reason=asking.reason,
        dependency=asking.dependency,
        priority=asking.priority if waiting else base.priority,
    )
    return ArraySummary(shown, counts_of(records), held_within(waiting))


def whole_array(jobs: Sequence[Job], columns: JobColumns | None) -> ArraySummary | None:
    """Return the array whose remaining jobs are exactly the given jobs; None without one."""
    array = jobs[0].array_job_id if len(jobs) > 1 else 0
    if columns is None or not array or any(job.array_job_id != array for job in jobs):
        return None
    records, chosen = records_of(columns, array), {job.job_id for job in jobs}
    left = {job.job_id for job in left_of(records)}
    return summary_of(records, columns.now_s) if records and left <= chosen else None


def left_of(records: Sequence[Job]) -> tuple[Job, ...]:
    """Return records of an array that have not ended; all of them where all have."""
    return tuple(job for job in records if not job.is_finished) or tuple(records)


def labels_of(jobs: Sequence[Job], columns: JobColumns | None) -> tuple[str, ...]:
    """Return labels of jobs for tools: an array's number if several jobs are all that remain of it."""
    chosen: dict[int, set[int]] = {}
    for job in jobs:
        if job.array_job_id and columns is not None:
            chosen.setdefault(job.array_job_id, set()).add(job.job_id)
    whole = {
        array
        for array, ids in chosen.items()
        if len(ids) > 1
        and columns is not None
        and ids == {job.job_id for job in records_of(columns, array) if not job.is_finished}
    }
    return tuple(
        dict.fromkeys(str(job.array_job_id) if job.array_job_id in whole else job.label for job in jobs)
    )


def jobs_name(jobs: Sequence[Job], columns: JobColumns | None) -> str:
    """Return the name of jobs in a sentence: `job 7 of anna`, `array 7 of anna (4 running, 26 pending)`, `3
    jobs`.
    """
    if len(jobs) == 1:
        return f"job {name_of(jobs[0])}"
    array = whole_array(jobs, columns)
    if array is not None:
        return f"array {array.job.label} of {array.job.user} ({array.state})"
    return count_words(job_count(jobs), "job")
