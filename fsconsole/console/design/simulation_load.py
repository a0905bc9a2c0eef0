"""Simulation of a tree, with its load or with one that the user plans first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.files.questions import Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, TreeError
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.app.load.proposal import Proposal


class SimulationLoad(QObject):
    """Runs the machine, and plans what its users do. Signals: begun() when the machine is set to run."""

    begun = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._window = session, parent
        self.questions = Questions(parent)

    @property
    def can_plan(self) -> bool:
        """Whether there is a user to plan for, and the present is shown."""
        document = self._session.document
        return (
            document is not None
            and not document.locked
            and any(node.kind is not Kind.GROUP for node in document.tree.walk())
        )

    @Slot()
    def simulate(self) -> None:
        """Run the machine and show its plots; without any planned work, ask for it first."""
        if self.can_plan and self._is_idle():
            self._ask("Simulate", is_run=True)
        else:
            self._run()

    @Slot()
    def plan(self) -> None:
        """Ask for users' work, starting with the present plan."""
        if self.can_plan:
            self._ask("Plan load", is_run=False)

    def _is_idle(self) -> bool:
        """Return True if nothing is planned, and nothing runs."""
        from fsconsole.app.load.plan import has_load

        document, snapshot = self._session.document, self._session.snapshot
        if document is None or has_load(pruned(document.present)):
            return False
        return snapshot is None or not (snapshot.logged_in or snapshot.at_work)

    def _ask(self, verb: str, *, is_run: bool) -> None:
        from fsconsole.console.design.load.dialog import LoadDialog

        document = self._session.document
        if document is None:
            return
        chosen = [node for node in self._session.selection if node != document.tree.root.id]
        scenario = pruned(document.present)  # Leaves out the load of removed users.
        dialog = LoadDialog(scenario, chosen, verb, self.questions, self._window, can_skip=is_run)
        dialog.planned.connect(partial(self._take, is_run=is_run))
        dialog.skipped.connect(self._run)
        dialog.open()

    def _take(self, proposal: Proposal, *, is_run: bool) -> None:
        """Keep a plan; the machine gets it at once unless it has run already."""
        session, document = self._session, self._session.document
        if document is None:
            return
        try:
            document.plan_load(
                proposal.scenario, (_sessions(pruned(document.present)), _sessions(proposal.scenario))
            )
        except TreeError as error:
            session.message.emit(str(error))
            return
        target = session.target
        if target is None or target.now_s == 0:
            session.restart()
        else:
            session.message.emit("Load planned. It takes effect when the run restarts.")
        if is_run:
            self._run()

    @Slot()
    def _run(self) -> None:
        self._session.run()
        self.begun.emit()


def _sessions(scenario: Scenario) -> str:
    from fsconsole.app.load.plan import plan_of

    return count_words(sum(1 for _ in plan_of(scenario).all()), "session")
