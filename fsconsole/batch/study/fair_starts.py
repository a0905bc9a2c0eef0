"""Fair start times of a study's cells, computed on demand, since each waiting job is simulated again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsconsole.batch.measures.fair_start import FairStart, fair_starts, summarise_fair_starts
from fsconsole.batch.study.spec import Cell, StudyError
from fsconsole.batch.study.task import CellResult
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_json

if TYPE_CHECKING:
    from fsconsole.batch.job_table import JobTable
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.task import WorkExecutor

_POLL_S = 0.2
_FILE = "fair-start.json"


def read_fair_start(path: Path) -> dict[str, Any]:
    """Return the columns of a cell's fair start times; none if they are missing or unreadable."""
    try:
        found = read_json(path)
        return {"unfair_starts": float(found["unfair"]), "fair_start_miss_h": float(found["avg_miss_h"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@dataclass(frozen=True, slots=True)
class FairStartTask:
    """The computation of a finished cell's fair start times; `shares` are those of the cell's users."""

    cell: Cell
    shares: tuple[float, ...] | None

    @property
    def key(self) -> str:
        """Name of its answer."""
        return self.cell.key

    def compute(self, jobs: JobTable) -> CellResult:
        """Simulate the cell again, then once more for each waiting job."""
        from fsconsole.batch.study.run_cell import run_of

        try:
            made = fair_start_of(run_of(self.cell, jobs, self.shares))
        except (ValueError, MemoryError) as error:
            return CellResult(self.key, "failed", text=str(error) or type(error).__name__)
        text = json.dumps({"cell": self.cell.words, **asdict(made)})
        return CellResult(self.key, "done", {_FILE: text.encode()})


def fair_start_of(run: MonthRun) -> FairStart:
    """Compute the fair start times of one run."""
    return summarise_fair_starts(run.schedule, fair_starts(run.schedule, run.measured), run.measured)


def compute_fair_starts(
    folder: StudyFolder,
    executor: WorkExecutor,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Compute and store the missing fair start times of finished cells; stored ones stay.

    Args:
        folder: folder of the study.
        executor: computes cells; running ones are ended after cancelling.
        progress: called with the number of cells done, and of all cells.
        cancelled: called a few times a second.

    Raises:
        StudyError: a cell cannot be computed, or the executor has failed.
        OSError: a file cannot be written.
    """
    cells = folder.finished()
    missing = [cell for cell in cells if not read_fair_start(folder.fair_start_path(cell))]
    done = len(cells) - len(missing)
    progress(done, len(cells))
    waiting, under_way = missing[::-1], {cell.key: cell for cell in missing}
    try:
        while under_way and not cancelled():
            while waiting and executor.room() > 0:
                cell = waiting.pop()
                shares = folder.plan.sources[cell.source].shares
                executor.submit(FairStartTask(cell, shares), folder.jobs_path(cell.source))
            for answer in executor.answers(_POLL_S):
                if answer.kind == "started":
                    continue
                cell = under_way.pop(answer.key)
                if answer.files is None:
                    msg = f"{cell.words}: {answer.text}"
                    raise StudyError(msg)
                path = folder.fair_start_path(cell)
                path.parent.mkdir(exist_ok=True)
                write_atomic(path, answer.files[_FILE])
                done += 1
                progress(done, len(cells))
    finally:
        executor.abandon()
