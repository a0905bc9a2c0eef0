"""A search small enough for tests: four months of few jobs on 8 nodes, and an executor without processes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from fsconsole.batch.study.stored_jobs import StoredJobs
from fsconsole.batch.study.task import CellResult, Work

# 1997-01-01 00:00:00 UTC
_HEADER = "; UnixStartTime: 852076800\n; MaxProcs: 8\n"
_DAYS = (31, 28, 31, 30)
TEXT = """\
version: 1
name: Small
trace: small.swf
train: [1997-01, 1997-02]
test: [1997-03]
groups:
  A: [1, 2]
  others: rest
goals:
  - {measure: share, of: A, target: 30 %, at_most: 31}
  - {measure: wait_growth, fewest_jobs: 3}
  - {measure: avg_wait_h, of: A}
space:
  window: {from: 4h, to: 7d, scale: log}
  expected_usage: [true, false]
  shares:
    A: {from: 1, to: 100, scale: log}
budget: 60
population: 16
seed: 3
"""


def write_trace(folder: Path, *, last_month_seed: int = 4) -> Path:
    """A trace of jobs of five users, by month from its own seed: the one of March can be another one."""
    lines, number, start = [_HEADER], 0, 0
    for month, days in enumerate(_DAYS):
        rng = np.random.default_rng(last_month_seed if month == 2 else 10 + month)
        # Nothing is left of February's jobs when March begins.
        until = start + 86400 * (12 if month == 1 else days) - 1
        for submit in np.sort(rng.integers(start, until, 90)).tolist():
            number += 1
            runtime, nodes = int(rng.integers(3600, 60_000)), int(rng.integers(1, 9))
            user = int(rng.integers(1, 6))
            lines.append(
                f"{number} {submit} -1 {runtime} {nodes} -1 -1 {nodes} -1 -1 1 {user} -1 -1 -1 -1 -1 -1\n"
            )
        start += 86400 * days
    path = folder / "small.swf"
    path.write_text("".join(lines))
    return path


def write_search(folder: Path, text: str = TEXT) -> Path:
    """The search with its trace; gives its file."""
    write_trace(folder)
    path = folder / "small.yaml"
    path.write_text(text)
    return path


@dataclass
class Here:
    """Does work when it is asked what it has heard; remembers its keys."""

    done: list[str] = field(default_factory=list)
    waiting: deque[tuple[Work, Path]] = field(default_factory=deque)
    fails: bool = False

    where = "this process"
    workers = 1

    def room(self) -> int:
        return 2 - len(self.waiting)

    def submit(self, task: Work, jobs: Path) -> None:
        self.waiting.append((task, jobs))

    def answers(self, timeout_s: float) -> list[CellResult]:
        task, jobs = self.waiting.popleft()
        self.done.append(task.key)
        if self.fails:
            return [CellResult(task.key, "failed", text="it was told to fail")]
        return [CellResult(task.key, "started"), task.compute(StoredJobs.read(jobs).table())]

    def abandon(self) -> None:
        self.waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.abandon()
