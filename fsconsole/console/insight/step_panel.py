"""The step response: what changes, what else is tried, the answer as a plot and in words."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from fsconsole.console.figure_view import FigureView
from fsconsole.console.insight.pair import Pair
from fsconsole.console.kit.forms import ChoiceField, NumberField, is_being_typed
from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID
from fsconsole.machine.insight.control import Control
from fsconsole.machine.insight.step_response import Measures, Response, Step, step_response
from fsconsole.neardedicated.build import makers_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import REWIND
from fsconsole.text import numbers
from fsconsole.text.durations import in_words

_KINDS = (
    (("start", 1.0), "starts a process"),
    (("stop", 1.0), "ends its processes"),
    (("shares", 2.0), "gets twice its shares"),
    (("shares", 0.5), "gets half its shares"),
)
_LENGTH_HALF_LIVES = 5.0
_SHORTEST_S, _LONGEST_S = 60.0, 6 * 3600.0
_CONTROLS_PX = 330
_LEAST_STEP_PART_OF_MACHINE = 0.02


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """Input of a step response: the watched node, the step, its duration, and settings to try."""

    node: int
    step: Step
    length_s: float
    settings: dict[str, Any]
    leave_out_system: bool = False


class StepPanel(QWidget):
    """Tries a step on a copy of the machine in a thread; the machine itself continues unchanged."""

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
        self._k_mu_label = PlainLabel("and K_mu", self)
        self.button = QPushButton("Try step", self)
        self._answer = MutedLabel("", self, wraps=True)
        self._figures = QStackedWidget(self)
        self._build_ui()
        self.button.clicked.connect(self.try_it)
        pair.choices_changed.connect(self._fill)
        pair.changed.connect(self._suggest)
        self.who.activated.connect(self._choose)
        self.kind.activated.connect(self._choose)
        session.target_changed.connect(self._forget)
        session.document_changed.connect(self._on_document)
        session.edited.connect(self._on_edits)
        self._fill()

    @property
    def is_busy(self) -> bool:
        """Whether a step is being computed."""
        return self._tasks.is_busy()

    @property
    def sentence(self) -> str:
        """What the last step came to."""
        return self._answer.text()

    def show_control(self, control: Control) -> None:
        """Offer the present settings for a change."""
        before, self._control = self._control, control
        has_gain = bool(control.k_mu)
        self.k_mu.setVisible(has_gain)
        self._k_mu_label.setVisible(has_gain)
        if before is None or (before.half_life_s, before.k_mu) != (control.half_life_s, control.k_mu):
            if not is_being_typed(self.half_life):
                self.half_life.setValue(control.half_life_s)
            if not is_being_typed(self.k_mu):
                self.k_mu.setValue(control.k_mu[-1] if has_gain else 0.0)
        if before is None:
            self._suggest()

    # -- making -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        for box in (self.who, self.kind):
            box.setMinimumContentsLength(6)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        controls = QWidget(self)
        grid = QGridLayout(controls)
        grid.setContentsMargins(12, 6, 8, 6)
        grid.setVerticalSpacing(4)
        grid.addWidget(self.who, 0, 0)
        grid.addWidget(self.kind, 0, 1, 1, 3)
        grid.addWidget(PlainLabel("Try half-life", controls), 1, 0)
        grid.addWidget(self.half_life, 1, 1)
        grid.addWidget(self._k_mu_label, 1, 2)
        grid.addWidget(self.k_mu, 1, 3)
        grid.addWidget(self.button, 2, 0)
        grid.addWidget(self._answer, 3, 0, 1, 4)
        grid.setRowStretch(4, 1)
        side = scrolling(controls)
        side.setFixedWidth(_CONTROLS_PX)
        hbox(side, (self._figures, 1), on=self, spacing=INHERIT)
        empty = QWidget(self._figures)
        hint = MutedLabel("The response of the selected node to a step appears here.", empty)
        vbox(hint, on=empty, margins=None)
        self._figures.addWidget(empty)

    @Slot()
    def _choose(self) -> None:
        self._is_chosen = True

    @Slot()
    def _suggest(self) -> None:
        """Suggest that the other user stops, or starts if it is idle, until the user chooses."""
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
        """Copy the machine and compute the step."""
        machine, question = self._session.machine, self._asked_for()
        if machine is None or question is None or self.is_busy:
            return
        self._question = question
        self.button.setEnabled(False)
        self._answer.setText("Computing the step on a copy of the machine")
        rewind, at_s = self._session.offer(REWIND), self._session.past.time_s
        state = machine.checkpoint() if rewind is None or at_s is None else rewind.checkpoint(at_s)
        self._tasks.watch(state, self._run, self._on_failed)

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
        """Return True if percentages leave out system groups, as in the plots."""
        document = self._session.document
        if document is None or not self._session.leave_out_system:
            return False
        flat = document.flat
        return node in flat.row_of and not flat.is_system[flat.row_of[node]]

    def _run(self, checkpoint: bytes) -> None:
        machine, question = self._session.machine, self._question
        if machine is None or question is None:
            return
        # The document's scenario may have been edited since.
        call = partial(_step_responses, checkpoint, machine.scenario, question)
        self._tasks.run_task(call, self._show, self._on_failed)

    def _show(self, responses: Sequence[Response]) -> None:
        self.button.setEnabled(True)
        document, question = self._session.document, self._question
        if document is None or question is None or question.node not in document.tree:
            self._answer.setText("")  # The object of the query no longer exists.
            return
        self.responses = tuple(responses)
        name = document.tree.node(question.node).name
        what = f"{self.who.currentText().partition(' (')[0]} {self.kind.currentText()}"
        token = self._session.curves.style(question.node).colour_token
        self._put(FigureView(_step_figure(responses, name, what, token), self._figures))
        self._answer.setText(f"{name}, {what}.\n" + "\n".join(_step_sentence(one) for one in responses))

    def _put(self, figure: QWidget) -> None:
        self._drop_figure()
        self._figures.addWidget(figure)
        self._figures.setCurrentWidget(figure)

    def _drop_figure(self) -> None:
        before = self._figures.currentWidget()
        if isinstance(before, FigureView):
            self._figures.removeWidget(before)
            before.deleteLater()

    def _on_failed(self, error: Exception) -> None:
        self.button.setEnabled(True)
        if not isinstance(error, CancelledError):
            self._answer.setText(f"Cannot try the step: {describe_error(error)}.")

    def _stop(self) -> None:
        self._tasks.cancel()
        self.button.setEnabled(True)
        self._answer.setText("")

    @Slot()
    def _forget(self) -> None:
        """Discard results and calculations, which belong to another machine."""
        self._stop()
        self._question, self.responses = None, ()
        self._drop_figure()

    @Slot()
    def _on_document(self) -> None:
        """Discard results and choices, which belong to another document."""
        self._forget()
        self._control, self._is_chosen = None, False

    @Slot()
    def _on_edits(self) -> None:
        """Clear the step of a removed node."""
        document, question = self._session.document, self._question
        if question is not None and (document is None or question.node not in document.tree):
            self._forget()

    def sizeHint(self) -> QSize:
        return QSize(760, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(540, 112)

    def hideEvent(self, event: QHideEvent) -> None:
        # Hidden results are not computed.
        super().hideEvent(event)
        if self.is_busy:
            self._stop()


def _step_responses(
    checkpoint: bytes, scenario: Scenario, question: StepQuestion, task: Task
) -> list[Response]:
    """Run the copies one after the other, the present settings first, until the task is cancelled."""
    found: list[Response] = []
    for settings in ({}, question.settings) if question.settings else ({},):
        response = step_response(
            checkpoint, scenario, question.node, question.step, question.length_s, settings,
            leave_out_system=question.leave_out_system, is_cancelled=task.is_cancelled,
            makers=makers_of(scenario),
        )  # fmt: skip
        if response is None:
            break
        found.append(response)
    return found


def _step_figure(responses: Sequence[Response], name: str, what: str, token: str) -> FigureSpec:
    """Return the figure of the runs' CPU rates and the allocated share they approach."""
    inks = ((token, SOLID), ("c5" if token != "c5" else "c2", DASHED))
    curves = [
        Curve("now" if not response.settings else "tried", response.times, response.cpu_rate, ink, dash)
        for response, (ink, dash) in zip(responses, inks, strict=False)
    ]
    first = responses[0]
    curves.append(Curve("allocated", first.times, first.allocated_share, "g2", DOTTED))
    return FigureSpec(
        name="step-response",
        title=f"{name} when {what}",
        y_axis=Axis("CPU rate", "%", 100.0),
        x_axis=Axis("time after the step", "s", 1.0, "s"),
        curves=tuple(curves),
        events=(EventMark(0.0, what),),
        quantity="cpu_rate",
    )


def _step_sentence(response: Response) -> str:
    """Return a sentence such as `now: 50.0 to 25.0 %, settles after 2 min, overshoot 12 %`."""
    name = "now" if not response.settings else _settings_words(response.settings)
    return f"{name}: {_measure_words(response.measures)}"


def _measure_words(found: Measures) -> str:
    """Return start and end, settling time and overshoot in words."""
    way = f"{numbers.percent(found.before, unit=False)} to {numbers.percent(found.final)}"
    if abs(found.final - found.before) < _LEAST_STEP_PART_OF_MACHINE:
        return f"{way}, final value hardly changes"
    if found.settling_s is None:
        settles = "does not settle in this time"
    else:
        settles = f"settles after {numbers.fixed(found.settling_s)} s"
    over = (
        f"overshoot {numbers.percent(found.overshoot, 0)} of the step" if found.overshoot else "no overshoot"
    )
    return f"{way}, {settles}, {over}"


def _settings_words(settings: dict[str, Any]) -> str:
    """Return the settings that are tried, short."""
    parts = []
    for key, value in settings.items():
        if key == "policy.half_life_s":
            parts.append(f"half-life {in_words(value)}")
        elif key == "policy.k_mu":
            parts.append(f"K_mu {', '.join(f'{gain:g}' for gain in value)}")
        else:
            parts.append(f"{key} {value}")
    return ", ".join(parts)
