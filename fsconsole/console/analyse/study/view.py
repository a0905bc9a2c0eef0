"""What pages of a study have in common: their base, the box of finished runs, the field of a job's number."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from fsconsole.batch.clock import Clock
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.shares.files import write_atomic

_JOB_PX = 92
_DIGITS = 18


class StudyView(QWidget):
    """A page, or a part of one, that computes in threads and only while it is seen.

    Signals: changed() with something else to export, page_wanted(id) of another page of the study.
    """

    changed = Signal()
    page_wanted = Signal(str)

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._tasks = Tasks(self)
        self._time: Clock | None = None  # Clock of the jobs shown.

    def _refresh(self) -> None:
        """Show what is selected, if the view is seen."""
        raise NotImplementedError

    def _moment(self, second: int) -> str:
        """Format a second of the trace for a table."""
        return self._time.words(second, is_exact=True) if self._time is not None else str(second)

    def _write(self, path: Path, data: bytes) -> None:
        """Write an exported file and report it."""
        try:
            write_atomic(path, data)
        except OSError as error:
            words = f"Cannot write {path.name}: {error.strerror or error}"
        else:
            words = f"{path.name} written to {path.parent}"
        self._selection.session.message.emit(words)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()


class RunBox(QComboBox):
    """The finished runs, of which the one is chosen that is selected in all views."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._cells: list[Cell] = []
        self.setAccessibleName("Run")
        self.setToolTip("Run")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.activated.connect(self._on_picked)
        for signal in (selection.study_changed, selection.results_changed):
            signal.connect(self._fill)
        selection.cell_selected.connect(self._on_selected)
        self._fill()

    @Slot()
    def _fill(self) -> None:
        """Offer what is done by now."""
        state = self._selection.state
        found = [cell for cell in state.cells if state.state(cell) == "done"] if state is not None else []
        if found != self._cells:
            self._cells = found
            self.clear()
            has_one = len({cell.workload for cell in found}) == 1
            for cell in found:
                self.addItem(format_run(cell, is_brief=has_one))
        self._on_selected()

    @Slot()
    def _on_selected(self) -> None:
        cell = self._selection.cell
        self.setCurrentIndex(self._cells.index(cell) if cell in self._cells else -1)

    @Slot(int)
    def _on_picked(self, place: int) -> None:
        self._selection.select_cell(self._cells[place])


def keep_filter(box: SearchBox, selection: StudySelection, name: str) -> None:
    """Restore a page's filter for the same study, and offer earlier filters for all studies."""
    state = selection.state
    of = state.name if state is not None else None
    box.keep(selection.session.preferences, f"study/filter/{name}", of)


def comparable_cells(selection: StudySelection) -> list[Cell]:
    """Return other finished runs with the workload and the seed of the selected run."""
    state, cell = selection.state, selection.cell
    if state is None or cell is None:
        return []
    same = [one for one in state.cells if (one.workload, one.seed) == (cell.workload, cell.seed)]
    return [one for one in same if one != cell and state.state(one) == "done"]


class JobField(QLineEdit):
    """The number of a job."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setFixedWidth(_JOB_PX)

    @property
    def job(self) -> int | None:
        """The number typed; None for another text."""
        text = self.text().strip()
        return int(text) if text.isdecimal() and len(text) < _DIGITS else None


def format_run(cell: Cell, *, is_brief: bool) -> str:
    """Format a run for a box; brief where all are of one workload."""
    seed = "" if cell.seed is None else f", seed {cell.seed}"
    return f"{cell.policy.label}{seed}" if is_brief else f"{cell.policy.label}, {cell.workload}{seed}"
