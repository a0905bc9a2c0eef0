"""Accepts command lines for the machine from the user's other programs while the console runs."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from fsconsole.console.kit.tasks import Task, Tasks, main_thread_calls
from fsconsole.console.session import ConsoleSession
from fsconsole.targets.ipc.socket_paths import PlaceError

if TYPE_CHECKING:
    from fsconsole.targets.ipc.server import LineServer

PREFERENCE = "accept_commands"
_CLOSE_WITHIN_S = 5.0


class CommandServer(QObject):
    """Opens and shuts the local socket; all work for it is done in its own threads.

    Signals: answered() when something that was asked there is done; failed(words) where it cannot be opened.
    """

    answered = Signal()
    failed = Signal(str)

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._calls, self._tasks = main_thread_calls(), Tasks(self)
        self._lock = Lock()
        self._server: LineServer | None = None
        self._is_wanted = False
        self._task: Task | None = None
        self.answered.connect(session.look_again)
        self.failed.connect(session.message)

    @property
    def is_allowed(self) -> bool:
        """Whether the user allows other programs; True by default."""
        return bool(self._session.preferences.value(PREFERENCE, True))

    @property
    def is_open(self) -> bool:
        """Whether other programs can connect now."""
        return self._server is not None

    def open_if_allowed(self) -> None:
        """Listen, unless the user has switched this off."""
        if self.is_allowed:
            self._set_wanted(is_wanted=True)

    def toggle(self) -> None:
        """Let others in, or not; remembered."""
        allowed = not self.is_allowed
        self._session.preferences.set_value(PREFERENCE, allowed)
        self._set_wanted(is_wanted=allowed)

    def close(self) -> None:
        """Stop listening, and wait for the end."""
        self._set_wanted(is_wanted=False)
        if self._task is not None:
            self._task.wait(_CLOSE_WITHIN_S)

    def _set_wanted(self, *, is_wanted: bool) -> None:
        if not is_wanted and self._task is None:
            return  # The socket was never opened.
        self._is_wanted = is_wanted
        self._task = self._tasks.run(self._obey, lambda _: None, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, PlaceError):
            raise error
        self.failed.emit(f"Cannot accept commands from outside: {error}")

    def _obey(self) -> None:
        """Open or close according to the last request, in a thread, since folders may be slow."""
        from fsconsole.targets.ipc.server import LineServer
        from fsconsole.targets.ipc.socket_paths import HAS_SOCKETS

        with self._lock:
            if self._is_wanted and self._server is None and HAS_SOCKETS:
                self._server = LineServer(self._ask, self._about)
            elif not self._is_wanted and self._server is not None:
                self._server.close()
                self._server = None

    # -- in the threads of the server -----------------------------------------------------------------------

    def _ask(self, line: str, who: str, folder: Path) -> Future[Any]:
        machine = self._session.machine
        if machine is None:
            nothing: Future[Any] = Future()
            is_open = self._session.target is not None
            what = "a target that accepts such commands" if is_open else "nothing"
            nothing.set_exception(RuntimeError(f"{what} is open in the console"))
            return nothing
        future = machine.command(line, who, folder)
        future.add_done_callback(self._on_answer)
        return future

    def _on_answer(self, _: Future[Any]) -> None:
        if self._is_wanted:
            self._calls.call(self._on_answered)

    def _on_answered(self) -> None:
        """Emit the signal in the window's thread, unless this object is gone by now."""
        if isValid(self):
            self.answered.emit()

    def _about(self) -> dict[str, str]:
        document = self._session.document
        if document is None:
            return {"title": "", "machine": ""}
        return {"title": document.name, "machine": document.scenario.machine.name}
