"""The user's actions on the machine: log in and out, start, renice and end processes, record runs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.files.questions import Questions
from fsconsole.console.live.machine.dialogs import LoginDialog, NiceDialog, StartDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.plain_words import menu_words
from fsconsole.shares.scenario.actions import EndProcess, Login, Logout
from fsconsole.targets.snapshot import ProcessRow
from fsconsole.text.words import count_words, listed


class Operator:
    """Asks for the arguments in a dialog and passes the action to the simulated machine."""

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        """Use `window` as the parent of dialogs."""
        self._session, self._window = session, window

    def log_in(self) -> None:
        """Ask for a user and log them in."""
        document, snapshot = self._session.document, self._session.snapshot
        if document is not None and snapshot is not None:
            LoginDialog(document.tree, snapshot.logged_in, self._session.act, self._window).open()

    def start(self) -> None:
        """Ask for a process to start; the selected user is the default."""
        self._start_for(next((node for node in self._session.selection if self._is_user(node)), None))

    def log_out(self, nodes: set[int]) -> None:
        """Log users out; their processes end."""
        for node in sorted(nodes):
            self._session.act(Logout(node))

    def end(self, rows: list[ProcessRow]) -> None:
        """End the processes in some rows."""
        for row in rows:
            self._session.act(EndProcess(row.pid))

    def renice(self, rows: list[ProcessRow]) -> None:
        """Ask for another nice value."""
        if rows:
            pids = [row.pid for row in rows]
            NiceDialog(pids, rows[0].nice, self._session.act, self._window).open()

    def logged_in(self, nodes: set[int]) -> set[int]:
        """Return the nodes whose user is logged in."""
        snapshot = self._session.snapshot
        return nodes & snapshot.logged_in if snapshot is not None else set()

    def add_log_out(self, menu: QMenu, nodes: set[int]) -> None:
        """Add an action to a menu that names the nodes to log out; none if that is impossible."""
        users, document = self.logged_in(nodes), self._session.document
        if not users or document is None:
            return
        names = [document.tree.node(node).name for node in sorted(users)]
        who = listed(names) if len(names) < 3 else count_words(len(names), "user")
        menu.addAction(f"Log out {menu_words(who)}", lambda: self.log_out(users))

    def add_user_actions(self, menu: QMenu, node: int) -> None:
        """Put what can be done with a user into a menu; nothing for a group."""
        document, session = self._session.document, self._session
        if document is None or not self._is_user(node):
            return
        name = menu_words(document.tree.node(node).name)
        if self.logged_in({node}):
            menu.addAction(f"Log out {name}", lambda: session.act(Logout(node)))
        else:
            menu.addAction(f"Log in {name}", lambda: session.act(Login(node)))
        menu.addAction(f"Start process of {name}…", lambda: self._start_for(node))

    def _start_for(self, node: int | None) -> None:
        document = self._session.document
        if document is not None:
            StartDialog(document.tree, node, self._session.act, self._window).open()

    def _is_user(self, node: int) -> bool:
        document = self._session.document
        return document is not None and node in document.tree and not document.tree.node(node).is_group


class Recorder:
    """Records what the machine does, having asked where."""

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        """Use `window` as the parent of dialogs."""
        self._session = session
        self.questions = Questions(window)

    def is_recording(self) -> bool:
        """Return True if a run folder is being written."""
        snapshot = self._session.newest
        return snapshot is not None and snapshot.recording is not None

    def toggle(self) -> None:
        """Begin to write a run folder, or close it."""
        if self.is_recording():
            self._session.stop_recording()
            return
        path = self.ask_run_folder()
        if path is not None:
            self._session.record(path, overwrite=True)

    def ask_run_folder(self) -> Path | None:
        """Ask for the folder of a recording; by default it is beside the document."""
        document = self._session.document
        if document is None:
            return None
        wished = self._session.folder / f"{Path(document.name).stem}.run"
        return self.questions.run_folder("Record into", wished)
