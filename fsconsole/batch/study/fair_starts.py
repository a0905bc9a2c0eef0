"""Fair start times of a study's cells: computed on demand, since each waiting job is simulated once more."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsconsole.batch.measures.fair_start import FairStart, fair_starts, summarise_fair_starts
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_json

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.spec import Cell

_POLL_S = 0.2


def read_fair_start(path: Path) -> dict[str, Any]:
    """Return the columns of a cell's fair start times; none where they were not computed, or cannot be
    read.
    """
    try:
        found = read_json(path)
        return {"unfair_starts": float(found["unfair"]), "fair_start_miss_h": float(found["avg_miss_h"])}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def fair_start_of(folder: StudyFolder, cell: Cell) -> FairStart:
    """Compute the fair start times of one finished cell; StudyError where its schedule cannot be read."""
    run = folder.month_run(cell)
    return summarise_fair_starts(run.schedule, fair_starts(run.schedule, run.measured), run.measured)


def compute_fair_starts(
    folder: StudyFolder,
    workers: int,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Compute and store what is missing of all finished cells; what was stored by then stays.

    Args:
        folder: of the study.
        workers: processes of this machine, at least 1.
        progress: called with how many cells have them, and how many there are.
        cancelled: asked a few times a second.

    Raises:
        StudyError: a schedule cannot be read.
    """
    cells = folder.finished()
    missing = [cell for cell in cells if not read_fair_start(folder.fair_start_path(cell))]
    done = len(cells) - len(missing)
    progress(done, len(cells))
    if not missing:
        return
    folder.fair_start_path(missing[0]).parent.mkdir(exist_ok=True)
    with ProcessPoolExecutor(min(workers, len(missing)), get_context("spawn")) as pool:
        waiting = {pool.submit(_compute, str(folder.path), cell.key) for cell in missing}
        try:
            while waiting and not cancelled():
                ended, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                for future in ended:
                    future.result()
                    done += 1
                    progress(done, len(cells))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _compute(path: str, key: str) -> None:
    """In a process of its own: compute a cell and store it."""
    folder = _opened(path)
    cell = next(cell for cell in folder.cells() if cell.key == key)
    made = fair_start_of(folder, cell)
    write_atomic(folder.fair_start_path(cell), json.dumps({"cell": cell.words, **asdict(made)}))


_FOLDERS: dict[str, StudyFolder] = {}


def _opened(path: str) -> StudyFolder:
    """Return the folder of a study, opened once in a process."""
    from fsconsole.batch.study.folder import StudyFolder

    if path not in _FOLDERS:
        _FOLDERS[path] = StudyFolder(Path(path))
    return _FOLDERS[path]
