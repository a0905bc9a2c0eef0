"""The step response: what changes, what else is tried, the answer as a plot and in words."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.figure_view import FigureView
from fsconsole.console.insight.pair import Pair
from fsconsole.console.insight.step_words import step_figure, step_sentence
from fsconsole.console.insight.step_work import StepQuestion, step_responses
from fsconsole.console.kit.forms import ChoiceField, NumberField
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.machine.insight.control import Control
from fsconsole.machine.insight.step_response import Response, Step
from fsconsole.shares.tree import ROOT_ID

_KINDS = (
    (("start", 1.0), "starts a process"),
    (("stop", 1.0), "ends its processes"),
    (("shares", 2.0), "gets twice its shares"),
    (("shares", 0.5), "gets half its shares"),
)
_LENGTH_HALF_LIVES = 5.0
_SHORTEST_S, _LONGEST_S = 60.0, 6 * 3600.0
_CONTROLS_PX = 330


class StepPanel(QWidget):
    """Tries a step on a copy of the machine, which goes on untouched; a thread works it out."""

    def __init__(self, session: ConsoleSession, pair: Pair, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._pair = session, pair
        self._control: Control | None = None
        self._question: StepQuestion | None = None
        self._is_chosen = False
        self.responses: tuple[Response, ...] = ()
        self._tasks = Tasks(self)
        self.who = ChoiceField("Who changes", (), self)
        self.kind = ChoiceField("What changes", _KINDS, self)
        self.half_life = NumberField("Half-life to try", 1.0, 1e7, decimals=0, unit="s", parent=self)
        self.k_mu = NumberField("K_mu to try", 0.0, 2.0, step=0.1, parent=self)
        self._k_mu_label = QLabel("and K_mu", self)
        self.button = QPushButton("Try step", self)
        self._told = MutedLabel("", self)
        self._figures = QStackedWidget(self)
        self._lay_out()
        self.button.clicked.connect(self.try_it)
        pair.choices_changed.connect(self._fill)
        pair.changed.connect(self._suggest)
        self.who.activated.connect(self._choose)
        self.kind.activated.connect(self._choose)
        session.target_changed.connect(self._forget)
        session.document_changed.connect(self._begin_anew)
        session.edited.connect(self._on_edits)
        self._fill()

    @property
    def is_busy(self) -> bool:
        """Whether a step is being computed."""
        return self._tasks.is_busy()

    @property
    def sentence(self) -> str:
        """What the last step came to."""
        return self._told.text()

    def show_control(self, control: Control) -> None:
        """Offer the settings in force for a change."""
        before, self._control = self._control, control
        has_gain = bool(control.k_mu)
        self.k_mu.setVisible(has_gain)
        self._k_mu_label.setVisible(has_gain)
        if before is None or (before.half_life_s, before.k_mu) != (control.half_life_s, control.k_mu):
            self.half_life.setValue(control.half_life_s)
            self.k_mu.setValue(control.k_mu[-1] if has_gain else 0.0)
        if before is None:
            self._suggest()

    # -- making -------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        for box in (self.who, self.kind):
            box.setMinimumContentsLength(6)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._told.setWordWrap(True)
        controls = QWidget(self)
        grid = QGridLayout(controls)
        grid.setContentsMargins(12, 6, 8, 6)
        grid.setVerticalSpacing(4)
        grid.addWidget(self.who, 0, 0)
        grid.addWidget(self.kind, 0, 1, 1, 3)
        grid.addWidget(QLabel("Try half-life", controls), 1, 0)
        grid.addWidget(self.half_life, 1, 1)
        grid.addWidget(self._k_mu_label, 1, 2)
        grid.addWidget(self.k_mu, 1, 3)
        grid.addWidget(self.button, 2, 0)
        grid.addWidget(self._told, 3, 0, 1, 4)
        grid.setRowStretch(4, 1)
        side = scrolling(controls)
        side.setFixedWidth(_CONTROLS_PX)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(side)
        row.addWidget(self._figures, 1)
        empty = QWidget(self._figures)
        middle = QVBoxLayout(empty)
        middle.addWidget(MutedLabel("How the selected node answers to a step shows here.", empty))
        self._figures.addWidget(empty)

    @Slot()
    def _choose(self) -> None:
        self._is_chosen = True

    @Slot()
    def _suggest(self) -> None:
        """The other user stops, or starts where there is nothing to stop; until a person chooses."""
        other, snapshot = self._pair.other, self._session.snapshot
        if self._is_chosen or other is None or snapshot is None:
            return
        self.who.setCurrentIndex(self.who.findData(other))
        self.kind.setCurrentIndex(1 if any(row.node == other for row in snapshot.processes) else 0)

    @Slot()
    def _fill(self) -> None:
        kept = self.who.currentData()
        self.who.clear()
        for node, text in self._pair.choices:
            self.who.addItem(text, node)
        nodes = [node for node, _ in self._pair.choices]
        wanted = kept if kept in nodes else self._pair.other
        self.who.setCurrentIndex(nodes.index(wanted) if wanted in nodes else 0)

    # -- trying -------------------------------------------------------------------------------------------

    @Slot()
    def try_it(self) -> None:
        """Copy the machine and work the step out."""
        machine, question = self._session.machine, self._asked_for()
        if machine is None or question is None or self.is_busy:
            return
        self._question = question
        self.button.setEnabled(False)
        self._told.setText("Working it out on a copy of the machine")
        self._tasks.watch(machine.checkpoint(), self._run, self._on_failed)

    def _asked_for(self) -> StepQuestion | None:
        node, control, who = self._pair.first, self._control, self.who.currentData()
        if node is None or node == ROOT_ID or control is None or who is None:
            return None
        kind, times = self.kind.currentData()
        settings: dict[str, Any] = {}
        if self.half_life.value() != control.half_life_s:
            settings["policy.half_life_s"] = self.half_life.value()
        if control.k_mu and self.k_mu.value() != round(control.k_mu[-1], 2):
            settings["policy.k_mu"] = (self.k_mu.value(),)
        slowest = max(control.half_life_s, self.half_life.value())
        length_s = min(max(_LENGTH_HALF_LIVES * slowest, _SHORTEST_S), _LONGEST_S)
        return StepQuestion(
            node, Step(kind, int(who), times), float(round(length_s)), settings, self._leaves_out(node)
        )

    def _leaves_out(self, node: int) -> bool:
        """Whether percentages are of what is left without system groups, as in the plots."""
        document = self._session.document
        if document is None or not self._session.leave_out_system:
            return False
        flat = document.flat
        return node in flat.row_of and not flat.is_system[flat.row_of[node]]

    def _run(self, checkpoint: bytes) -> None:
        machine, question = self._session.machine, self._question
        if machine is None or question is None:
            return
        # Not the document's scenario, which may have been edited since.
        call = partial(step_responses, checkpoint, machine.scenario, question)
        self._tasks.run_task(call, self._show, self._on_failed)

    def _show(self, responses: Sequence[Response]) -> None:
        self.button.setEnabled(True)
        document, question = self._session.document, self._question
        if document is None or question is None or question.node not in document.tree:
            self._told.setText("")  # what was asked about has gone
            return
        self.responses = tuple(responses)
        name = document.tree.node(question.node).name
        what = f"{self.who.currentText().partition(' (')[0]} {self.kind.currentText()}"
        token = self._session.curves.style(question.node).colour_token
        self._put(FigureView(step_figure(responses, name, what, token), self._figures))
        self._told.setText(f"{name}, {what}.\n" + "\n".join(step_sentence(one) for one in responses))

    def _put(self, figure: QWidget) -> None:
        before = self._figures.currentWidget()
        self._figures.addWidget(figure)
        self._figures.setCurrentWidget(figure)
        if isinstance(before, FigureView):
            self._figures.removeWidget(before)
            before.deleteLater()

    def _on_failed(self, error: Exception) -> None:
        self.button.setEnabled(True)
        if not isinstance(error, CancelledError):
            self._told.setText(f"The step cannot be tried: {describe_error(error)}.")

    def _stop(self) -> None:
        self._tasks.cancel()
        self.button.setEnabled(True)
        self._told.setText("")

    @Slot()
    def _forget(self) -> None:
        """Another machine: what was computed, or is, belongs to the old one."""
        self._stop()
        self._question, self.responses = None, ()
        before = self._figures.currentWidget()
        if isinstance(before, FigureView):
            self._figures.removeWidget(before)
            before.deleteLater()

    @Slot()
    def _begin_anew(self) -> None:
        """Another document: what was chosen for the old one counts no more either."""
        self._forget()
        self._control, self._is_chosen = None, False

    @Slot()
    def _on_edits(self) -> None:
        """A step of a node that has gone is forgotten."""
        document, question = self._session.document, self._question
        if question is not None and (document is None or question.node not in document.tree):
            self._forget()

    def sizeHint(self) -> QSize:
        return QSize(760, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(540, 112)

    def hideEvent(self, event: QHideEvent) -> None:
        # What nobody waits for any more is not computed.
        super().hideEvent(event)
        if self.is_busy:
            self._stop()
