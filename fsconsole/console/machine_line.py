"""Command lines for the machine's shell, typed into this console; answers come later."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.kit.tasks import Tasks
from fsconsole.targets.login import login_name

if TYPE_CHECKING:
    from fsconsole.console.session import ConsoleSession
    from fsconsole.machine.shell import Reply

OPERATOR = "operator"


class MachineLine(QObject):
    """Asks the target and tells what came of it, in order.

    Signals: replied(text, status) of each line; completed(line, words), what its last word may become;
    user_changed(name) whenever `sl` makes the shell another's, empty where it is the operator's again.
    """

    replied = Signal(str, int)
    user_changed = Signal(str)
    completed = Signal(str, object)

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._tasks = Tasks(self)
        self.user = ""
        session.document_changed.connect(self._forget)
        session.target_changed.connect(self._be_operator)

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is still to come."""
        return self._tasks.is_busy()

    def run(self, line: str) -> None:
        """Run a line; files that it names are looked for beside the open document."""
        machine, document = self._session.machine, self._session.document
        if machine is None or document is None:
            self.replied.emit("nothing is open", 1)
            return
        folder = document.path.parent if document.path is not None else Path.home()
        asked = machine.command(line, OPERATOR, folder, login_name())
        self._tasks.watch(asked, self._on_reply, lambda error: self.replied.emit(str(error), 1))
        self._session.look_again()

    def complete(self, line: str) -> None:
        """Ask what the last word of a line may become."""
        machine = self._session.machine
        if machine is not None:
            completed = partial(self.completed.emit, line)
            asked = machine.complete(line)
            self._tasks.watch(asked, completed, lambda _: completed(()), latest="completion")
            self._session.look_again()

    @Slot()
    def _forget(self) -> None:
        """What was asked about another document answers nothing any more."""
        self._tasks.cancel()

    @Slot()
    def _be_operator(self) -> None:
        """Another machine, another shell."""
        self._set_user("")

    def _set_user(self, name: str) -> None:
        if name != self.user:
            self.user = name
            self.user_changed.emit(name)

    def _on_reply(self, reply: Reply) -> None:
        self._set_user(reply.user)
        self.replied.emit(reply.text, reply.status)
        self._session.look_again()
