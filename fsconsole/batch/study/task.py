"""What an executor is asked, and what it answers. Light: whoever hands tasks on needs no numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self

from fsconsole.batch.study.spec import Cell

if TYPE_CHECKING:
    from fsconsole.batch.job_table import JobTable

# To be raised whenever the same workload and policy give other numbers than before, or cells other files.
RESULTS_VERSION = 2


@dataclass(frozen=True, slots=True)
class Task:
    """A cell to compute.

    Attributes:
        cell: which.
        shares: shares of each user of its job table; equal ones if None.
        dropped: jobs that were left out when the workload was read.
        version: of the results that are wanted.
    """

    cell: Cell
    shares: tuple[float, ...] | None = None
    dropped: int = 0
    version: int = RESULTS_VERSION

    @property
    def key(self) -> str:
        """What its answer is called."""
        return self.cell.key

    def compute(self, jobs: JobTable) -> CellResult:
        """Compute the cell; where the executor has it done."""
        from fsconsole.batch.study.run_cell import compute_cell

        return compute_cell(self, jobs)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What an executor tells of a cell: it is begun, done (with the files of its folder) or has failed.

    Attributes:
        text: of a failure, what went wrong, for people.
        details: of a failure, where in the program; empty where the text says it all.
    """

    key: str
    kind: Literal["started", "done", "failed"]
    files: Mapping[str, bytes] | None = None
    text: str = ""
    details: str = ""


class Work(Protocol):
    """What executors are given: a cell of a study, or settings of a search. It is sent as it is."""

    @property
    def key(self) -> str:
        """What its answer is called."""
        ...

    def compute(self, jobs: JobTable) -> CellResult:
        """Do it, on a job table; whatever goes wrong is an answer too."""
        ...


class Computers(Protocol):
    """Computes somewhere; used by one thread, as a context that ends what is under way."""

    @property
    def where(self) -> str:
        """Where cells are computed, in words."""
        ...

    @property
    def workers(self) -> int:
        """How many cells are computed at a time."""
        ...

    def room(self) -> int:
        """Return how many more tasks it takes just now."""
        ...

    def answers(self, timeout_s: float) -> list[CellResult]:
        """Return what has been heard since the last call, waiting so long for something; StudyError at its
        end.
        """
        ...

    def abandon(self) -> None:
        """End what is under way without an answer."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Executor(Computers, Protocol):
    """Computes cells of studies."""

    def submit(self, task: Task, jobs: Path) -> None:
        """Take a task; `jobs` is where its job table is stored (`StoredJobs.read`)."""
        ...


class WorkExecutor(Computers, Protocol):
    """Computes whatever can compute itself on a job table."""

    def submit(self, task: Work, jobs: Path) -> None:
        """Take a task; `jobs` is where its job table is stored."""
        ...
