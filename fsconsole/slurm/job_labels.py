"""Numbers of jobs as people write them: 7, 7_3, 7_[1,3,5%2], 7+1; their records, and the forms for tools.

Tried with Slurm 22.05.8: no tool takes the limit of an array (`%2`) or the steps (`0-98:7`) that squeue
prints. `scancel`, `scontrol suspend` and so on take 7_[1-3,5], `scontrol show job` only a bare number.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.parsers.findings import DamagedError, shown

_LABEL = re.compile(
    r"(?P<number>[1-9][0-9]{0,9})"
    r"(?:_(?P<task>[0-9]{1,8})|_\[(?P<tasks>[0-9,:-]+)(?P<cut>(?:,?\.\.\.)?)(?:%[0-9]+)?\]|\+(?P<part>[0-9]{1,4}))?"
)
_SPAN = re.compile(r"([0-9]{1,8})(?:-([0-9]{1,8})(?::([0-9]{1,8}))?)?")
_MOST_TASKS = 5_000_000  # It is above Slurm's own limit, MaxArraySize.


@dataclass(frozen=True, slots=True)
class JobLabel:
    """Parts of a job's label.

    Attributes:
        text: label as tools accept it, without steps and without the limit of simultaneous tasks.
        number: number of the job, array or het job.
        tasks: numbers of the selected tasks; None if the label names none.
        part: part of a het job; None if the label names none.
        is_cut: whether squeue omitted tasks at the end; the label then means all pending tasks.
    """

    text: str
    number: int
    tasks: frozenset[int] | None = None
    part: int | None = None
    is_cut: bool = False

    def means(self, job: Job) -> bool:
        """Return True if a record is meant; a bare number means all of its array or het job, as in Slurm."""
        if self.part is not None:
            return job.het_job_id == self.number and job.het_offset == self.part
        if self.tasks is None:
            return self.number in (job.job_id, job.array_job_id, job.het_job_id)
        if job.array_job_id != self.number or not job.array_tasks:
            return False
        if self.is_cut:
            return job.is_pending
        return not self.tasks.isdisjoint(tasks_of(job.array_tasks))


def read_label(text: str) -> JobLabel:
    """Read a label; DamagedError if it is not one."""
    match = _LABEL.fullmatch(text.strip())
    if match is None:
        msg = f"{shown(text)} is not a job number. Example: 7, 7_3, 7_[1-5] or 7+1"
        raise DamagedError(msg)
    number = int(match["number"])
    if match["part"] is not None:
        return JobLabel(f"{number}+{int(match['part'])}", number, part=int(match["part"]))
    if match["task"] is not None:
        return JobLabel(f"{number}_{int(match['task'])}", number, frozenset((int(match["task"]),)))
    if match["tasks"] is None:
        return JobLabel(str(number), number)
    tasks = tasks_of(match["tasks"].strip(","))
    if not tasks:
        msg = f"{shown(text)} has no task. Example: 7_[1-5]"
        raise DamagedError(msg)
    return JobLabel(f"{number}_[{_spans(tasks)}]", number, tasks, is_cut=bool(match["cut"]))


def tasks_of(text: str) -> frozenset[int]:
    """Return numbers of tasks of `3`, `1,3,5%2` or `1-9:2`; damaged and surplus ones are left out."""
    found: set[int] = set()
    for piece in text.partition("%")[0].split(","):
        if match := _SPAN.fullmatch(piece):
            found.update(_span(match)[: _MOST_TASKS - len(found)])
    return frozenset(found)


def task_count(job: Job) -> int:
    """Return the number of jobs in a record: all pending tasks of an array together, otherwise 1."""
    return _task_count(job.array_tasks)


def job_count(jobs: Iterable[Job]) -> int:
    """Return the number of jobs in records; each pending task of an array is one."""
    return sum(map(task_count, jobs))


def label_count(label: JobLabel, records: Sequence[Job]) -> int:
    """Return the number of jobs that a label means of some records; each pending task of an array is one."""
    tasks = None if label.is_cut else label.tasks
    if tasks is None:
        return sum(map(task_count, records)) or 1
    return sum(len(tasks & tasks_of(job.array_tasks)) or 1 for job in records) or len(tasks)


def held_within(jobs: Iterable[Job]) -> tuple[int, int]:
    """Return the least and the greatest number of held tasks in rows of tasks that are not all held."""
    counts = [task_count(job) for job in jobs if job.has_held and not job.is_held]
    return len(counts), sum(max(1, count - 1) for count in counts)


def counts_of(jobs: Iterable[Job]) -> Counter[Sort]:
    """Return the number of jobs of each kind of state, as `job_count`."""
    found: Counter[Sort] = Counter()
    for job in jobs:
        found[job.sort] += task_count(job)
    return found


def counts_by_partition(jobs: Iterable[Job]) -> defaultdict[str, Counter[Sort]]:
    """Return the number of jobs by partition and kind; a pending job counts in each that it may start in."""
    found: defaultdict[str, Counter[Sort]] = defaultdict(Counter)
    for job in jobs:
        for name in job.partition.split(","):
            found[name][job.sort] += task_count(job)
    return found


@lru_cache(maxsize=4096)
def _task_count(text: str) -> int:
    spans = map(_SPAN.fullmatch, text.partition("%")[0].split(","))
    return max(1, sum(len(_span(match)) for match in spans if match is not None))


def _span(match: re.Match[str]) -> range:
    low = int(match[1])
    return range(low, int(match[2] or low) + 1, int(match[3] or 1) or 1)


def _spans(tasks: Iterable[int]) -> str:
    """Format 1, 2, 3 and 5 as `1-3,5`."""
    runs: list[list[int]] = []
    for task in sorted(tasks):
        if runs and task == runs[-1][1] + 1:
            runs[-1][1] = task
        else:
            runs.append([task, task])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


class JobIndex:
    """Finds the records that a label means among many."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._by_number: dict[int, list[Job]] = defaultdict(list)
        self._by_label: dict[str, Job] = {}
        for job in jobs:
            self._by_label[job.label] = job
            for number in {job.job_id, job.array_job_id, job.het_job_id} - {0}:
                self._by_number[number].append(job)

    def find(self, label: str) -> tuple[Job, ...]:
        """Return the records of a label, empty if unknown.

        Raises:
            DamagedError: it is not a label.
        """
        exact = self._by_label.get(label)
        if exact is not None and (exact.array_job_id or exact.het_job_id) and not label.isdigit():
            return (exact,)
        asked = read_label(label)
        return tuple(job for job in self._by_number.get(asked.number, ()) if asked.means(job))
