"""Experiments as a whole: list at the left, figures in the middle, claims and notes at the right."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHeaderView,
    QPlainTextEdit,
    QScrollArea,
    QTreeView,
    QWidget,
)

from fsconsole.console.actions import Action
from fsconsole.console.analyse import experiment_model as state
from fsconsole.console.analyse.claims_panel import ClaimsPanel
from fsconsole.console.analyse.experiment_model import ExperimentModel
from fsconsole.console.analyse.figure_tabs import FigureTabs
from fsconsole.console.analyse.runner import ExperimentRunner
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.widgets.chips import Chip
from fsconsole.console.widgets.dock import DockBody
from fsconsole.console.widgets.labels import FactLabel, MutedLabel
from fsconsole.experiments.claims import describe_tally
from fsconsole.experiments.experiment import Experiment, Note, Result
from fsconsole.experiments.registry import experiments

LIST_WIDTH = 368
_NO_NOTES = "Remarks appear when the experiment has run."
_BY_QUESTION = "analyse/by-question"
_KINDS = {"ours": "Ours", "paper": "Paper"}


class ExperimentController(QObject):
    """Runs experiments and shows the results of the selected one.

    Signals: opened() when the user opens the selected experiment; shown(title, is_measured) when its display
    has changed; changed() when the possible actions have changed.
    """

    opened = Signal()
    shown = Signal(str, bool)
    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.experiments = experiments()
        self.results: dict[str, Result] = {}
        self.runner = ExperimentRunner(self)
        self.model = ExperimentModel(self.experiments, self)
        self.list = ExperimentList(parent)
        self.figures = FigureTabs(parent)
        self.centre = DockBody(self.figures, parent)
        self.claims = ClaimsPanel(parent)
        self.notes = NotesPanel(parent)
        self.model.order_by_question(self.is_by_question)
        self.list.show_experiments(self.model)
        self._connect_signals()

    @property
    def current(self) -> Experiment | None:
        """Experiment that is selected; None for none."""
        return self.model.experiment(self.list.currentIndex())

    @property
    def words(self) -> str:
        """How much has been measured and what holds."""
        claims = [claim for result in self.results.values() for claim in result.claims]
        text = f"{len(self.experiments)} experiments, {len(self.results)} run"
        return f"{text}, {describe_tally(claims)}" if claims else text

    def select(self, name: str) -> None:
        """Select an experiment and show its results."""
        self.list.setCurrentIndex(self.model.index_of(name))

    def run_current(self) -> None:
        """Run the selected experiment."""
        if self.current is not None:
            self.opened.emit()
            self.runner.run([self.current])

    def run_all(self) -> None:
        """Run all experiments, one after the other."""
        self.runner.run(self.experiments)

    @property
    def is_by_question(self) -> bool:
        """Whether experiments are grouped by the question that they answer, not by paper."""
        return bool(self._session.preferences.value(_BY_QUESTION, False))

    def toggle_order(self) -> None:
        """Group experiments by question, or by paper again; the one selected stays."""
        self._session.preferences.set_value(_BY_QUESTION, not self.is_by_question)
        self._order()
        self.changed.emit()

    def _order(self) -> None:
        current = self.current
        self.model.order_by_question(self.is_by_question)
        self.list.show_groups()
        if current is not None:
            self.select(current.name)

    def actions(self) -> list[Action]:
        """Run, run all, stop."""
        menu, group, runner = "Simulation", "experiments", self.runner
        return [
            Action(
                "analyse.run", "Run experiment", self.run_current, icon="run", menu=menu, group=group,
                short="Run", enabled=lambda: self.current is not None,
                why_not=lambda: "Select an experiment first", tip="Run the selected experiment",
            ),
            Action(
                "analyse.run_all", "Run all experiments", self.run_all, icon="run-all", menu=menu,
                group=group, short="Run all", tip="Run all experiments, one after the other",
            ),
            Action(
                "analyse.stop", "Stop experiments", runner.stop, icon="stop-window", menu=menu, group=group,
                short="Stop", enabled=lambda: runner.is_busy, why_not=lambda: "No experiment is running",
                tip="Cancel running and queued experiments",
            ),
            Action(
                "analyse.by_question", "Experiments by question", self.toggle_order, menu=menu, group=group,
                checked=lambda: self.is_by_question, words="papers order group",
                tip="Group experiments by question instead of by paper",
            ),
        ]  # fmt: skip

    # -- inside -------------------------------------------------------------------------------------------

    def _connect_signals(self) -> None:
        runner = self.runner
        runner.queued.connect(self._on_queued)
        runner.started.connect(self._on_started)
        runner.progressed.connect(self._on_progress)
        runner.finished.connect(self._on_finished)
        runner.failed.connect(self._on_failed)
        runner.stopped.connect(self._on_stopped)
        runner.idle.connect(self.changed)
        self.figures.changed.connect(self.changed)
        self.list.selectionModel().currentChanged.connect(self._on_selected)
        self.list.activated.connect(self.run_current)

    def _show_current(self) -> None:
        experiment = self.current
        if experiment is None:
            return
        result = self.results.get(experiment.name)
        self.figures.show_figures(result.figures if result is not None else ())
        self.claims.show_claims(result.claims if result is not None else ())
        if result is None:
            self.notes.show_notes(())
        else:
            self.notes.show_notes(result.notes, result.text)
        self._show_empty(experiment, result)

    def _show_empty(self, experiment: Experiment, result: Result | None) -> None:
        if result is None:
            if self.model.progress(experiment.name).is_on_its_way:
                self.centre.show_empty(f"{experiment.about} Measuring…", "Stop", self.runner.stop)
            else:
                self.centre.show_empty(f"{experiment.about} Not run yet.", "Run experiment", self.run_current)
        elif result.figures:
            self.centre.show_content()
        else:
            self.centre.show_empty("This experiment draws no figure. See its claims.")
        self.shown.emit(experiment.title, result is not None)

    def _set_progress(self, name: str, progress: state.Progress) -> None:
        self.model.set_progress(name, progress)
        current = self.current
        if current is not None and current.name == name:
            self._show_empty(current, self.results.get(name))

    @Slot(QModelIndex, QModelIndex)
    def _on_selected(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self.centre.clear_error()
        self._show_current()
        self.opened.emit()
        self.changed.emit()

    @Slot(str)
    def _on_queued(self, name: str) -> None:
        self._set_progress(name, state.WAITING)

    @Slot(str)
    def _on_started(self, name: str) -> None:
        self._set_progress(name, state.running(0.0))
        self.changed.emit()

    @Slot(str, float)
    def _on_progress(self, name: str, fraction: float) -> None:
        if self.runner.is_busy:
            self.model.set_progress(name, state.running(fraction))

    @Slot(str, object)
    def _on_finished(self, name: str, result: Result) -> None:
        self.results[name] = result
        self.model.set_progress(name, state.measured(result))
        if self.current is not None and self.current.name == name:
            self.centre.clear_error()
            self._show_current()
        self._session.message.emit(f"{name}: {result.tally()}")

    @Slot(str, str)
    def _on_failed(self, name: str, sentence: str) -> None:
        self._set_progress(name, state.fault(sentence))
        self.centre.show_error(f"The experiment {name} failed: {sentence}", self.run_current)

    @Slot(str)
    def _on_stopped(self, name: str) -> None:
        result = self.results.get(name)
        self._set_progress(name, state.measured(result) if result is not None else state.NOT_RUN)


class ExperimentList(QTreeView):
    """The experiments by paper."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Experiments")
        self.setUniformRowHeights(True)
        self.setIndentation(16)

    def sizeHint(self) -> QSize:
        return QSize(LIST_WIDTH, 600)

    def show_experiments(self, model: ExperimentModel) -> None:
        """Show experiments with all groups open; names get the width that the progress leaves."""
        self.setModel(model)
        self.show_groups()
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def show_groups(self) -> None:
        """Open all groups, with titles as wide as the list."""
        for row in range(self.model().rowCount()):
            self.setFirstColumnSpanned(row, self.rootIndex(), True)
        self.expandAll()


class NotesPanel(QScrollArea):
    """Each note with a chip for its kind; below them the output of the experiment."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Remarks")
        self.show_notes(())

    def show_notes(self, notes: tuple[Note, ...], text: str = "") -> None:
        """Show other notes, and lines that keep their columns."""
        sheet = QWidget()
        sheet.setBackgroundRole(QPalette.ColorRole.Base)
        sheet.setAutoFillBackground(True)
        layout = QGridLayout(sheet)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.setColumnStretch(1, 1)
        layout.setRowStretch(len(notes) + 1, 1)
        for row, note in enumerate(notes):
            layout.addWidget(Chip(_KINDS[note.kind], parent=sheet), row, 0, Qt.AlignmentFlag.AlignTop)
            fact = FactLabel(sheet)
            fact.setText(note.text)
            layout.addWidget(fact, row, 1)
        if not notes and not text:
            empty = MutedLabel(_NO_NOTES, sheet, "base", wraps=True)
            empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(empty, 0, 0, 2, 2)
        if text:
            layout.addWidget(_printed(text, sheet), len(notes), 0, 1, 2)
        self.setWidget(sheet)

    def sizeHint(self) -> QSize:
        return QSize(380, 240)


def _printed(text: str, parent: QWidget) -> QPlainTextEdit:
    """Make a view of printed lines at their full height, with its own scroll bar."""
    made = QPlainTextEdit(text, parent)
    made.setAccessibleName("Report")
    made.setReadOnly(True)
    made.setFont(fixed_font())
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    made.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    lines = made.fontMetrics().lineSpacing() * (made.blockCount() + 1)
    made.setFixedHeight(lines + made.horizontalScrollBar().sizeHint().height())
    return made
