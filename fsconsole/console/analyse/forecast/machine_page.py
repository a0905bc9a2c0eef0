"""The page of a simulated machine: its nodes from the instant that is shown, run on a copy."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.app.forecast.machine import Present, ShareWay, past_times, standing, used
from fsconsole.app.forecast.machine_question import MachineAnswer, answer, figures_of, shares_resting
from fsconsole.app.forecast.question import Superseded
from fsconsole.console.analyse.forecast.machine_form import MachineForm
from fsconsole.console.analyse.forecast.page import ForecastPage
from fsconsole.console.kit.changes_field import Before
from fsconsole.console.kit.tasks import Task
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree, TreeError
from fsconsole.targets.base import REWIND
from fsconsole.text.durations import clock

NOW = "now"
_RUNNING = "The curves appear when a copy of the machine has run."
_EMPTY = "The forecast of a simulated machine starts from the open scenario and its current instant."


class MachinePage(ForecastPage):
    """Answers the newest question continuously, from the displayed instant. Signals: changed()."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.start: Present | None = None
        self._document: object = None
        nothing = ShareTree("root")
        before = Before(Scenario(nothing), nothing, {})
        self.form = MachineForm(before)
        self.lay_out(self.form, self.form.words)
        self._connect_signals()
        self.show_empty()

    @property
    def is_possible(self) -> bool:
        """Whether a simulated machine is open whose state can be copied."""
        return can_forecast(self._session)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.take_now()

    @Slot()
    def take_now(self) -> None:
        """Forecast from the displayed instant if the page is visible."""
        if not self.isVisible():
            return
        session, form = self._session, self.form
        document, rewind, machine = session.document, session.offer(REWIND), session.machine
        if document is None or rewind is None or machine is None:
            self._forget()
            return
        snapshot = session.snapshot
        tree = document.tree if snapshot is None or not session.past.is_on else snapshot.tree or document.tree
        is_other = self._document is not document
        self._document = document
        form.show_machine(
            Before(machine.scenario, tree, document.settings), self._first(tree), is_other=is_other
        )
        form.show_places(session.locked)
        self.show_empty()
        if not form.window_s.is_right:
            return
        window_s = form.window_s.read()
        target = session.target
        now_s = session.past.time_s
        if now_s is None:
            now_s = 0.0 if target is None else target.now_s
        past = [rewind.ask(time_s, used) for time_s in past_times(now_s, window_s)]
        found = rewind.ask(now_s, lambda machine: standing(machine, window_s, [one.result() for one in past]))
        self._watch(found)

    # -- inside -------------------------------------------------------------------------------------------

    def _watch(self, found: Future[Present]) -> None:
        self.tasks.watch(found, self._on_now, self.show_failed, latest=NOW)
        self.show_work()

    def _on_now(self, found: Present) -> None:
        self.start = found
        self.form.source.setText(f"{self._name} at {clock(found.now / found.scenario.machine.hz)}")
        self._ask()

    @property
    def _name(self) -> str:
        document = self._session.document
        return document.name if document is not None else ""

    def _first(self, tree: ShareTree) -> int | None:
        """Return the node that is selected, else the first that is drawn, else the first of all."""
        below = [node.id for node in tree.walk() if node.parent is not None]
        wanted = (*self._session.selection, *self._session.shown, *below)
        return next((node for node in wanted if node in tree and node != ROOT_ID), None)

    @Slot()
    def _on_form(self) -> None:
        """Start the question again; only another window needs other past instants."""
        start, form = self.start, self.form
        is_window = form.window_s.is_right and start is not None and form.window_s.read() != start.window_s
        if start is None or is_window:
            self.take_now()
        else:
            self._ask()

    def _ask(self) -> None:
        start = self.start
        question = self.form.question(start, self._name) if start is not None else None
        if question is None:
            self.drop_question(is_right=self.form.is_right, show_none=lambda: self._show(None))
            return
        asked = question

        def call(task: Task) -> MachineAnswer:
            return answer(asked, _ends_with(task), task.report)

        self.run_question(call, self._show, self._show_curves)

    def _show(self, found: MachineAnswer | None) -> None:
        self.show_work()
        self._show_curves(found)

    def _show_curves(self, found: MachineAnswer | None) -> None:
        self.form.show_answer(found)
        self.show_plots(figures_of(found) if found is not None else (), (), 1.0)

    def ask_again(self) -> None:
        """Start from the instant that is shown."""
        self.take_now()

    def doing(self) -> str:
        """Return that a copy of the machine runs."""
        return "Running a copy of the machine"

    @Slot(object, object)
    def _set_shares(self, found: MachineAnswer, way: ShareWay) -> None:
        """Set the shares of a way in the open tree, with the changes on which its result rests."""
        document = self._session.document
        if document is None:
            return
        try:
            shares, has_others = shares_resting(found, way)
            document.edit("Set shares", (SetShares(tuple(shares.items())),))
        except (TreeError, ValueError) as error:
            self.body.show_error(str(error))
            return
        name = document.tree.node(way.node).name
        sentences = [f"The shares of {name} are {way.shares} from the next delta on."]
        if len(shares) > 1:
            sentences.append("The changes above, on which the goal rests, are made too.")
        sentences.append("Undo reverts them.")
        if has_others:
            sentences.append("The goal needs the changes of parameters, policy and load too.")
        self._session.message.emit(" ".join(sentences))

    def _forget(self) -> None:
        self.tasks.cancel()
        self.start, self._document = None, None
        self.form.source.setText("")
        self._show(None)

    def show_empty(self) -> None:
        """Show plots, or what to do to get some."""
        if not self.is_possible:
            self.body.show_empty(_EMPTY)
        elif not self.plots.figures:
            is_asked = self.form.node.row is not None
            self.body.show_empty(_RUNNING if is_asked else "Choose a user or a group at the right.")
        else:
            self.body.show_content()

    @Slot()
    def _on_session(self) -> None:
        """Follow another instant or another tree; while time passes, the forecast stays."""
        if not self._session.is_running:
            self.take_now()

    def _connect_signals(self) -> None:
        self.form.changed.connect(self._on_form)
        self.form.now_wanted.connect(self.take_now)
        self.form.set_wanted.connect(self._set_shares)
        session = self._session
        for signal in (session.target_changed, session.past_moved, session.paced):
            signal.connect(self._on_session)
        session.edited.connect(self._on_session)
        session.settings_changed.connect(self._on_session)


def can_forecast(session: ConsoleSession) -> bool:
    """Return True if a simulated machine is open whose state can be copied."""
    return session.machine is not None and session.offer(REWIND) is not None


def _ends_with(task: Task) -> Callable[[], None]:
    """Return a function that raises in the thread once a newer question exists."""

    def go_on() -> None:
        if task.is_cancelled():
            raise Superseded

    return go_on
