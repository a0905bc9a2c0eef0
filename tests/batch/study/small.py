"""A study small enough for tests: three days of two months on 8 nodes, and an executor without processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.study.executors import LocalExecutor, answer
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.stored_jobs import StoredJobs
from fsconsole.batch.study.study_file import read_study
from fsconsole.batch.study.task import CellResult, Work
from fsconsole.batch.traces.write_swf import write_swf
from tests.batch.measures.schedules import kth_jobs

# 1996-10-30 00:00:00 UTC; the trace goes on into November.
_HEADER = "; UnixStartTime: 846633600\n; MaxProcs: 8\n"


def swf_text(jobs: int = 40, *, every_s: int = 5000) -> str:
    """A trace of so many jobs of three users, some of which have to wait."""
    lines = [_HEADER]
    for number in range(1, jobs + 1):
        submit, runtime, nodes = number * every_s, 4000 + 3000 * (number % 5), 1 + (number * 3) % 8
        lines.append(
            f"{number} {submit} -1 {runtime} {nodes} -1 -1 {nodes} -1 -1 1 {number % 3} -1 -1 -1 -1 -1 -1\n"
        )
    return "".join(lines)


def undated_text() -> str:
    """A trace of two spans of 30 days that does not say when it began, as generated ones do not."""
    return swf_text(520, every_s=8000).partition("\n")[2]


def write_small(
    folder: Path, *, policies: Iterable[str] = ("fcfs-backfill", "relshare"), more: str = ""
) -> Path:
    """A trace and a study of it with two windows; gives the study's file."""
    (folder / "small.swf").write_text(swf_text())
    listed = "".join(f"  - {policy}\n" for policy in policies)
    text = f"version: 1\nname: Small\nworkloads:\n  - trace: small.swf\npolicies:\n{listed}"
    path = folder / "small.yaml"
    path.write_text(f"{text}windows: [4h, 1d]\n{more}")
    return path


@dataclass
class HereExecutor:
    """Works out cells when it is asked what it has heard; remembers which.

    Attributes:
        fails: words of cells that fail, while they are in it.
        after: how many answers are given before the test's own exception is raised.
    """

    fails: set[str] = field(default_factory=set)
    worked_out: list[str] = field(default_factory=list)
    waiting: deque[tuple[Any, Path]] = field(default_factory=deque)

    where = "this process"
    workers = 1

    def room(self) -> int:
        return 2 - len(self.waiting)

    def submit(self, task: Any, jobs: Path) -> None:
        self.waiting.append((task, jobs))

    def answers(self, timeout_s: float) -> list[CellResult]:
        task, jobs = self.waiting.popleft()
        words = task.cell.words
        self.worked_out.append(words)
        started = CellResult(task.cell.key, "started")
        if words in self.fails:
            return [started, CellResult(task.cell.key, "failed", text="it was told to fail")]
        return [started, task.compute(StoredJobs.read(jobs).table())]

    def abandon(self) -> None:
        self.waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.abandon()


class HereWorkers(LocalExecutor):
    """Processes of this machine to those who ask, but this process computes: none has to be started."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers)
        self._given: deque[tuple[Work, Path]] = deque()
        self._tables: dict[Path, JobTable] = {}

    def room(self) -> int:
        return 2 - len(self._given)

    def submit(self, task: Work, jobs: Path) -> None:
        self._given.append((task, jobs))

    def answers(self, timeout_s: float) -> list[CellResult]:
        task, jobs = self._given.popleft()
        return [CellResult(task.key, "started"), answer(task, jobs, self._tables)]

    def abandon(self) -> None:
        self._given.clear()


def run_kth_and_a_month(folder: Path) -> StudyFolder:
    """Run a study of KTH as a whole, and of one month of it, under FCFS and RelShare(1d)."""
    write_swf(kth_jobs(), folder / "kth.swf")
    path = folder / "study.yaml"
    path.write_text(
        "version: 1\nname: KTH\n"
        "workloads: [{trace: kth.swf, procs: 100}, {trace: kth.swf, procs: 100, months: [1997-03]}]\n"
        "policies: [fcfs-backfill, {policy: relshare, window: 1d}]\n"
    )
    return run_study(read_study(path), folder / "results", HereExecutor())
