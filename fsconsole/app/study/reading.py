"""Reading of a study's results from its folder."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fsconsole.app.study.state import CellState, StudyState

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder

_log = logging.getLogger(__name__)


def read_state(folder: StudyFolder, name: str = "", about: str = "") -> StudyState:
    """Return a study's folder as it is now; damaged cells count as waiting and are computed again."""
    cells = folder.cells()
    damaged = _damaged(folder)
    states: dict[str, CellState] = {
        cell.key: "waiting" if cell.key in damaged else folder.state(cell) for cell in cells
    }
    failures = {cell.key: folder.failure(cell) for cell in cells if states[cell.key] == "failed"}
    done = tuple(cell for cell in cells if states[cell.key] == "done")
    summary = folder.summary(done)
    state = StudyState(name, cells, states, failures, summary, folder.users(done), folder, about)
    state.numbers.has("", "")  # It is computed here so that the window's thread does not have to.
    return state


def _damaged(folder: StudyFolder) -> set[str]:
    """Return keys of the runs that were done, but are missing from the files of the folder."""
    from fsconsole.batch.study.spec import StudyError

    found = set()
    for cell in folder.finished():
        try:
            folder.jobs_of(cell)
            folder.users_of(cell)
        except StudyError as error:
            _log.warning("%s", error)
            found.add(cell.key)
    return found
