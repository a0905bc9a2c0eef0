"""Tasks and answers of executors; a light module, since passing on tasks does not need numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self

from fsconsole.batch.study.spec import Cell

if TYPE_CHECKING:
    from fsconsole.batch.job_table import JobTable

# Raise it whenever the same workload and policy give other numbers, or cells have other files.
RESULTS_VERSION = 2


@dataclass(frozen=True, slots=True)
class Task:
    """A cell to compute.

    Attributes:
        cell: the cell.
        shares: shares of each user of its job table; equal ones if None.
        dropped: number of jobs left out when the workload was read.
        version: version of the wanted results.
    """

    cell: Cell
    shares: tuple[float, ...] | None = None
    dropped: int = 0
    version: int = RESULTS_VERSION

    @property
    def key(self) -> str:
        """Name of its answer."""
        return self.cell.key

    def compute(self, jobs: JobTable) -> CellResult:
        """Compute the cell, on a worker of the executor."""
        from fsconsole.batch.study.run_cell import compute_cell

        return compute_cell(self, jobs)


@dataclass(frozen=True, slots=True)
class CellResult:
    """An executor's report on a cell: started, done (with the files of its folder) or failed.

    Attributes:
        text: for a failure, the reason in words.
        details: for a failure, the place in the program; empty if the text is enough.
    """

    key: str
    kind: Literal["started", "done", "failed"]
    files: Mapping[str, bytes] | None = None
    text: str = ""
    details: str = ""


class Work(Protocol):
    """A task of executors: a cell of a study, or settings of a search. It is sent unchanged."""

    @property
    def key(self) -> str:
        """Name of its answer."""
        ...

    def compute(self, jobs: JobTable) -> CellResult:
        """Do the work on a job table; errors become answers too."""
        ...


class Computers(Protocol):
    """A place of computation; used by one thread, as a context that ends running tasks."""

    @property
    def where(self) -> str:
        """Place of the computation in words."""
        ...

    @property
    def workers(self) -> int:
        """Number of cells computed at a time."""
        ...

    def room(self) -> int:
        """Return the number of further tasks that it accepts now."""
        ...

    def answers(self, timeout_s: float) -> list[CellResult]:
        """Return answers since the last call, after waiting up to `timeout_s` for one.

        Raises:
            StudyError: the computers are gone.
        """
        ...

    def abandon(self) -> None:
        """End running tasks without an answer."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Executor(Computers, Protocol):
    """Computes cells of studies."""

    def submit(self, task: Task, jobs: Path) -> None:
        """Accept a task; `jobs` is the path of its stored job table (`StoredJobs.read`)."""
        ...


class WorkExecutor(Computers, Protocol):
    """Computes any task that computes itself on a job table."""

    def submit(self, task: Work, jobs: Path) -> None:
        """Accept a task; `jobs` is the path of its stored job table."""
        ...
