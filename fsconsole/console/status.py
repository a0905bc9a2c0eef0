"""Keeps title, status bar and target label true."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.connections import once
from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.frame import FrameBar
from fsconsole.console.session import ConsoleSession
from fsconsole.console.status_line import StatusLine
from fsconsole.console.style.plain_words import title_words
from fsconsole.console.workspace import Workspace
from fsconsole.targets.base import PLAYBACK, RUN_FOLDER
from fsconsole.targets.base import Status as TargetStatus
from fsconsole.text.words import count_words

_FRAME_MS = 250


class Status(QObject):
    """Writes what is the case into the window's frame, a few times a second while the machine runs."""

    def __init__(
        self,
        window: QMainWindow,
        session: ConsoleSession,
        line: StatusLine,
        bar: FrameBar,
        shown: Callable[[], Workspace | None],
    ) -> None:
        """`shown` tells which workspace is at the front."""
        super().__init__(window)
        self._window, self._session, self._line, self._bar = window, session, line, bar
        self._shown = shown
        self._auto_save: AutoSave | None = None
        self._document: Document | None = None
        self._timer = once(self, _FRAME_MS, self.show_facts)
        for signal in (
            session.edited,
            session.selection_changed,
            session.shown_changed,
            session.target_changed,
            session.message,
        ):
            signal.connect(self.show_facts)
        session.frame.connect(self._frame)
        session.document_changed.connect(self._watch)
        session.message.connect(line.say)
        self._watch()

    def listen(self, files: FileController, auto_save: AutoSave) -> None:
        """Show the messages of files and copies too."""
        self._auto_save = auto_save
        files.message.connect(self._line.say)
        auto_save.kept.connect(self.show_saved)

    @Slot()
    def show_facts(self) -> None:
        """Show the facts at the left, the target and the title."""
        self._show_title()
        workspace = self._shown()
        if workspace is not None:
            self._line.facts.say(workspace.status_text(), workspace.status_details())
        else:
            self._line.facts.say("Ready")
        target = self._session.target
        status = TargetStatus("") if target is None else target.status()
        self._line.target.say(status.text, status.tip)

    @Slot()
    def show_saved(self) -> None:
        """Show title and saved state."""
        document = self._session.document
        if document is None:
            self._window.setWindowModified(False)
            self._show_title()
            self._line.saved.say("")
            return
        self._show_title()
        self._window.setWindowModified(document.is_modified)
        self._line.saved.say(self._saved_words(document))

    def _show_title(self) -> None:
        """Show what the workspace has in front, such as a study, then the scenario."""
        workspace, document = self._shown(), self._session.document
        subject = title_words(workspace.title_text()) if workspace is not None else ""
        name = f"{title_words(document.name)}[*]" if document is not None else ""
        self._window.setWindowTitle(" - ".join(part for part in (subject, name, "fsconsole") if part))

    def _saved_words(self, document: Document) -> str:
        staging = self._session.offer(STAGING)
        if staging is not None:
            return staged_words(staging.count)
        if not document.is_modified:
            return "Saved" if document.path is not None else ""
        kept_at = self._auto_save.kept_at if self._auto_save is not None else None
        return f"Not saved, copy kept {kept_at:%H:%M}" if kept_at is not None else "Not saved"

    @Slot()
    def _frame(self) -> None:
        """Show the first frame at once; what panels add to it, and later frames, when the timer ends."""
        if not self._timer.isActive():
            self._timer.start()
            self.show_facts()

    @Slot()
    def _watch(self) -> None:
        if self._document is not None:
            self._document.stack.indexChanged.disconnect(self.show_saved)
            self._document.stack.cleanChanged.disconnect(self.show_saved)
            self._document.saved.disconnect(self.show_saved)
        self._document = self._session.document
        if self._document is not None:
            self._document.stack.indexChanged.connect(self.show_saved)
            self._document.stack.cleanChanged.connect(self.show_saved)
            self._document.saved.connect(self.show_saved)
        staging = self._session.offer(STAGING)
        if staging is not None:
            staging.changed.connect(self.show_saved)  # The change set ends with the target.
        target, box = self._session.target, self._bar.target
        if target is not None and self._session.offer(RUN_FOLDER) is not None:
            box.say(target.name, icon="recorded", tip=f"The open run: {target.name}")
        elif self._session.shows(PLAYBACK):
            name = self._document.scenario.machine.name if self._document is not None else ""
            box.say(target_name(name))
        elif target is not None and box.name != target.name:
            box.say(target.name)
        self.show_saved()
        self.show_facts()


def staged_words(count: int) -> str:
    """Return the number of changes of a cluster that are not applied yet."""
    if not count:
        return "Nothing staged"
    return count_words(count, "change staged, not applied", "changes staged, not applied")


def target_name(machine: str) -> str:
    """Return the tool bar's name of a machine, which may include that it is simulated."""
    return f"{machine}, simulated" if machine and "simulated" not in machine.casefold() else machine
