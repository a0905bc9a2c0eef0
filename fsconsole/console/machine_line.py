"""Command lines for the machine's shell, typed into this console; answers come later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.kit.tasks import Tasks
from fsconsole.recording.audit import login_name
from fsconsole.targets.base import Machine, Rewind
from fsconsole.targets.commands import answer_of_past

if TYPE_CHECKING:
    from fsconsole.machine.shell import Reply

OPERATOR = "operator"


class MachineLine(QObject):
    """Passes lines to the target and reports the answers, in order.

    Signals: replied(text, status) of each line; completed(line, words), what its last word may become;
    user_changed(name) whenever `sl` makes the shell another's, empty where it is the operator's again;
    asked() when the machine has something to answer or has answered.
    """

    replied = Signal(str, int)
    user_changed = Signal(str)
    completed = Signal(str, object)
    asked = Signal()

    def __init__(
        self,
        machine: Callable[[], Machine | None],
        folder: Callable[[], Path],
        locked: Callable[[], str],
        past: Callable[[], tuple[Rewind, float] | None],
        parent: QObject,
    ) -> None:
        """Look for files of a line in `folder`; `locked` returns why changes are not possible.

        `past` returns the displayed past instant, if any, and the source of the machine's state then.
        """
        super().__init__(parent)
        self._machine, self._folder, self._locked, self._past = machine, folder, locked, past
        self._tasks = Tasks(self)
        self.user = ""

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is still to come."""
        return self._tasks.is_busy()

    def run(self, line: str) -> None:
        """Run a command line on the machine that is open."""
        machine = self._machine()
        if machine is None:
            self.replied.emit("nothing is open", 1)
            return
        past = self._past() if self._locked() else None
        if self._locked() and past is None:
            self.replied.emit(self._locked(), 1)
            return
        if past is not None:
            rewind, time_s = past
            asked = rewind.ask(time_s, lambda copy: answer_of_past(copy, line, OPERATOR))
            self._tasks.watch(asked, self._on_reply, lambda error: self.replied.emit(str(error), 1))
            self.asked.emit()
            return
        asked = machine.command(line, OPERATOR, self._folder(), login_name())
        self._tasks.watch(asked, self._on_reply, lambda error: self.replied.emit(str(error), 1))
        self.asked.emit()

    def complete(self, line: str) -> None:
        """Request completions of a line's last word."""
        machine = self._machine()
        if machine is not None and not self._locked():
            completed = partial(self.completed.emit, line)
            asked = machine.complete(line)
            self._tasks.watch(asked, completed, lambda _: completed(()), latest="completion")
            self.asked.emit()

    @Slot()
    def forget(self) -> None:
        """Take no answers of another document."""
        self._tasks.cancel()

    @Slot()
    def reset_user(self) -> None:
        """Leave the shell of a user; another machine has another."""
        self._set_user("")

    def _set_user(self, name: str) -> None:
        if name != self.user:
            self.user = name
            self.user_changed.emit(name)

    def _on_reply(self, reply: Reply) -> None:
        self._set_user(reply.user)
        self.replied.emit(reply.text, reply.status)
        self.asked.emit()
