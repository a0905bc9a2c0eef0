"""The experiments by paper or by question, with how far each has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from fsconsole.console.analyse.two_levels import NOWHERE, Index, TwoLevelModel
from fsconsole.console.style import icons
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.experiments.experiment import Experiment, Result
from fsconsole.experiments.questions import by_paper, by_question
from fsconsole.text.numbers import percent

_Role = Qt.ItemDataRole
_NAME, _STATE = 0, 1


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an experiment has come: a word, its colour's token, an icon, a sentence for the tooltip."""

    text: str
    token: str = "muted"
    icon: str = ""
    tip: str = ""
    is_on_its_way: bool = False


NOT_RUN = Progress("not run")
WAITING = Progress("waiting", "muted", "", "Starts when the earlier experiments are done", is_on_its_way=True)


def running(fraction: float) -> Progress:
    """Return the progress of one that runs."""
    return Progress(f"running {percent(fraction, 0)}", "accent", "run", is_on_its_way=True)


def measured(result: Result) -> Progress:
    """Return the progress of one that has run: how many claims hold."""
    if result.skipped:
        return Progress("skipped", "muted", "", result.skipped)
    text = f"{result.holding} of {result.counted}"
    if result.all_hold:
        return Progress(text, "ok", "ok", result.tally())
    sentences = (claim.explain() for claim in result.claims)
    return Progress(text, "warn", "warning", "\n".join(sentence for sentence in sentences if sentence))


def fault(sentence: str) -> Progress:
    """Return the progress of one that could not be measured."""
    return Progress("failed", "danger", "warning", sentence)


class ExperimentModel(TwoLevelModel):
    """A group per paper or question, a row per experiment."""

    def __init__(self, experiments: Sequence[Experiment], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self._groups = by_paper(experiments)
        self._progress: dict[str, Progress] = {}
        theme().changed.connect(self._repaint)

    def order_by_question(self, is_by_question: bool) -> None:
        """Group by the question that each answers, or by paper."""
        self.beginResetModel()
        self._groups = (by_question if is_by_question else by_paper)(self._experiments)
        self.endResetModel()

    def experiment(self, index: Index) -> Experiment | None:
        """Return the experiment of a row; None for a group."""
        if not index.isValid() or index.internalId() == 0:
            return None
        return self._groups[self.group_of(index)][1][index.row()]

    def index_of(self, name: str) -> QModelIndex:
        """Return the first cell of an experiment's row; an invalid index for an unknown name."""
        for group, (_, items) in enumerate(self._groups):
            for row, item in enumerate(items):
                if item.name == name:
                    return self.below(group, row)
        return QModelIndex()

    def progress(self, name: str) -> Progress:
        """Return the progress of an experiment."""
        return self._progress.get(name, NOT_RUN)

    def set_progress(self, name: str, progress: Progress) -> None:
        """Show the progress of an experiment."""
        self._progress[name] = progress
        first = self.index_of(name)
        self.dataChanged.emit(first, first.siblingAtColumn(_STATE))

    def group_count(self) -> int:
        """Return number of groups."""
        return len(self._groups)

    def row_count(self, group: int) -> int:
        """Return number of a group's experiments."""
        return len(self._groups[group][1])

    def _repaint(self) -> None:
        for group, (_, items) in enumerate(self._groups):
            self.dataChanged.emit(self.below(group, 0), self.below(group, len(items) - 1, _STATE))

    def _paper_data(self, row: int, column: int, role: int) -> Any:
        if column != _NAME:
            return None
        if role in (_Role.DisplayRole, _Role.AccessibleTextRole, _Role.ToolTipRole):
            return self._groups[row][0]
        return tabular_font(semibold=True) if role == _Role.FontRole else None

    def _experiment_data(self, experiment: Experiment, column: int, role: int) -> Any:
        if column == _NAME:
            if role == _Role.DisplayRole:
                return experiment.title
            tip = f"{experiment.title}\n{experiment.about}\n{experiment.name}"
            return tip if role == _Role.ToolTipRole else None
        progress = self.progress(experiment.name)
        match role:
            case _Role.DisplayRole:
                return progress.text
            case _Role.AccessibleTextRole:
                return f"{progress.text}, {progress.tip}" if progress.tip else progress.text
            case _Role.ForegroundRole:
                return colour(progress.token)
            case _Role.DecorationRole:
                return icons.icon(progress.icon, progress.token) if progress.icon else None
            case _Role.ToolTipRole:
                return progress.tip or None
        return None

    # -- Qt -----------------------------------------------------------------------------------------------

    def columnCount(self, _parent: Index = NOWHERE) -> int:
        return 2

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        experiment = self.experiment(index)
        if experiment is not None:
            return self._experiment_data(experiment, index.column(), role)
        return self._paper_data(index.row(), index.column(), role) if index.isValid() else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == _Role.DisplayRole:
            return ("Experiment", "Claims hold")[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        # Experiments can be selected, groups cannot.
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        selectable = Qt.ItemFlag.ItemIsSelectable if index.internalId() else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | selectable
