"""A box with the finished runs of a study, for views that show one."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.connections import tie


class RunBox(QComboBox):
    """The finished runs. Signals: picked(cell) when a person has picked another one."""

    picked = Signal(object)

    def __init__(self, selection: StudySelection, parent: QWidget | None = None, name: str = "Run") -> None:
        super().__init__(parent)
        self._selection = selection
        self._cells: list[Cell] = []
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.activated.connect(self._pick)
        tie(selection, "study_changed", self, "fill")
        tie(selection, "results_changed", self, "fill")
        self.fill()

    @property
    def cell(self) -> Cell | None:
        """The run chosen."""
        place = self.currentIndex()
        return self._cells[place] if 0 <= place < len(self._cells) else None

    def choose(self, cell: Cell | None) -> None:
        """Show a run as chosen; none where it is not done."""
        self.setCurrentIndex(self._cells.index(cell) if cell in self._cells else -1)

    @Slot()
    def fill(self) -> None:
        """Offer what is done by now; what was chosen stays so."""
        state, before = self._selection.state, self.cell
        found = [cell for cell in state.cells if state.state(cell) == "done"] if state is not None else []
        if found == self._cells:
            return
        self._cells = found
        self.clear()
        has_one = len({cell.workload for cell in found}) == 1
        for cell in found:
            self.addItem(words_of(cell, is_brief=has_one))
        self.choose(before)

    @Slot()
    def _pick(self) -> None:
        if self.cell is not None:
            self.picked.emit(self.cell)


class SelectedRunBox(RunBox):
    """The run that is selected in all views."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent, "Run")
        self.picked.connect(selection.select_cell)
        selection.cell_selected.connect(self._follow)
        self._follow()

    @Slot()
    def fill(self) -> None:
        """Offer what is done, the selected one chosen."""
        super().fill()
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.choose(self._selection.cell)


def words_of(cell: Cell, *, is_brief: bool) -> str:
    """A run as it is called in a box; brief where all are of one workload."""
    seed = "" if cell.seed is None else f", seed {cell.seed}"
    return f"{cell.policy.label}{seed}" if is_brief else f"{cell.policy.label}, {cell.workload}{seed}"
