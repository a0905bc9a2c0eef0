"""The console's window: menus, one tool bar, the workspaces, the status bar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QKeyCombination, QMargins, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from fsconsole.console.actions import MENUS, ActionTable
from fsconsole.console.alerts.centre import AlertCentre
from fsconsole.console.alerts.notice import AlertNotice
from fsconsole.console.cluster.window_integration import WindowIntegration
from fsconsole.console.command_server import CommandServer
from fsconsole.console.commands import DOCK_MENU, WindowCommands
from fsconsole.console.connections import once
from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.recent import RECENT_MENU, RecentMenu
from fsconsole.console.files.restore import Restorer
from fsconsole.console.frame import Frame, FrameBar
from fsconsole.console.general_preferences import GeneralPreferences
from fsconsole.console.help_commands import HelpCommands
from fsconsole.console.keyboard_focus import KeyboardFocus
from fsconsole.console.kit.docks import DockMenu
from fsconsole.console.linux.window_integration import TARGET_MENU, LinuxIntegration
from fsconsole.console.notices import (
    ConflictNotice,
    FaultNotice,
    NotEnteredNotice,
    PreferencesNotice,
    RestoreNotice,
)
from fsconsole.console.past_button import PastButton
from fsconsole.console.recorded.notices import RunNotice
from fsconsole.console.session import ConsoleSession
from fsconsole.console.status import Status
from fsconsole.console.status_line import StatusLine
from fsconsole.console.time_controls import TimeControls
from fsconsole.console.tour.controller import TourController
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.console.workspace_stack import WORKSPACES, WorkspaceStack, tab_id

if TYPE_CHECKING:
    from fsconsole.console.welcome.page import WelcomePage

FIRST_SIZE = (1600, 1000)
_FRAME = QMargins(8, 32, 8, 8)  # Approximate largest frame that desktops draw around a window.
_WELCOME_TOOLS = ("new", "open")


class ConsoleWindow(QMainWindow):
    """Puts the parts together, and keeps menus and bars true.

    Attributes:
        session: what all views share.
        files: opens and saves files.
        auto_save: keeps copies of what is not saved.
        clusters: what the window has of clusters.
        linux: what the window has of this machine's control groups.
        command_server: lets other programs give the machine commands.
        table: everything that can be done.
        tours: takes users through the console.
        keyboard_focus: where Tab goes.
        stack: the workspaces.

    Signals: painted() after the window was painted for the first time.
    """

    painted = Signal()

    def __init__(self, session: ConsoleSession, questions: Questions | None = None) -> None:
        super().__init__()
        self.session = session
        self.files = FileController(session, questions or Questions(self), self)
        self.auto_save = AutoSave(session, self)
        self.auto_save.failed.connect(session.preferences.report)
        self.restorer = Restorer(self.files, self.auto_save, self)
        self.restorer.failed.connect(session.preferences.report)
        self.clusters = WindowIntegration(session, self.files, self)
        self.linux = LinuxIntegration(session, self.files, self)
        self.alerts = AlertCentre(session, self)
        self.command_server = CommandServer(session, self)
        self.table = ActionTable(self)
        self.table.shows = session.shows
        self.table.locked = lambda: session.locked
        self.stack = WorkspaceStack(
            session, self.table, self._is_opening, self._make_welcome, self.clusters.awaits_data
        )
        self.keyboard_focus = KeyboardFocus(self, self.stack)
        self._was_painted = False
        self._is_starting = False
        self._running: tuple[bool, bool] | None = None
        self._document: Document | None = None
        self._welcome: WelcomePage | None = None
        self.setWindowTitle("fsconsole")
        self.resize(*FIRST_SIZE)
        self.setAcceptDrops(True)
        self._add_actions()
        self.frame = self._made_frame()
        self.clusters.join(self.table, self.frame.bar.target, TARGET_MENU)
        self.linux.join(self.table, self.frame.bar.target)
        self.setCentralWidget(self.frame)
        self.status = Status(self, session, self.frame.status, self.frame.bar, lambda: self.current)
        self.status.listen(self.files, self.auto_save)
        self._soon = once(self, 0, self.table.refresh)
        self._fill_menus()
        self._connect_signals()
        self._watch_document()

    # -- what is shown --------------------------------------------------------------------------------------

    def workspace(self, workspace_id: str) -> Workspace:
        """Return a workspace, made now if it was not shown before."""
        return self.stack.workspace(workspace_id)

    @property
    def current(self) -> Workspace | None:
        """The workspace shown; None while Welcome is."""
        return self.stack.current

    def show_workspace(self, workspace_id: str) -> None:
        """Bring a workspace to the front."""
        self.stack.show_workspace(workspace_id)

    def start(self, path: Path | None, prefix: tuple[str, ...] | None = None) -> None:
        """Open a file, a cluster or the start page that was chosen; called once the window is painted."""
        self._is_starting = False
        last = self.clusters.connections.last_place()
        if prefix is not None:
            self.clusters.connections.connect_to(prefix)
        elif path is not None:
            self.files.open(path)
        elif self._starts_with_welcome():
            pass
        elif last is not None:
            self.clusters.connections.reconnect(last)
        else:
            self.files.open_last()
        self.restorer.look()
        self.linux.controller.look()
        self.stack.show_current()

    def restore_state(self) -> None:
        """Put window and docks where they were at the last end; `start` comes next."""
        self._is_starting = (
            self.files.has_something_to_open
            and self.clusters.connections.last_place() is None
            and not self._starts_with_welcome()
        )
        geometry = self.session.preferences.blob("window/geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        else:
            self._fit(self.screen().availableGeometry().size())
        self.stack.restore_state()

    def _starts_with_welcome(self) -> bool:
        return GeneralPreferences.read(self.session.preferences).start_page == "welcome"

    def _fit(self, available: QSize) -> None:
        """Fill a screen that has no room for the first size and a window's frame."""
        least = QSize(*FIRST_SIZE).grownBy(_FRAME)
        if least.boundedTo(available) != least:
            self.resize(QSize(*FIRST_SIZE).boundedTo(available.shrunkBy(_FRAME)))
            self.setWindowState(self.windowState() | Qt.WindowState.WindowMaximized)

    def keep_state(self) -> None:
        """Remember all that for the next start."""
        self.session.preferences.set_blob("window/geometry", self.saveGeometry())
        self.stack.keep_state()
        self.session.preferences.write()

    # -- inside --------------------------------------------------------------------------------------------

    def _add_actions(self) -> None:
        self._commands = WindowCommands(
            self, self.session, self.table, self.stack, self.files, self.command_server
        )
        self._help = HelpCommands(self, self.session, self.table, self.stack, self.files)
        self.tours = TourController(self, self.session, self.table, self.stack, self.files)
        time = TimeControls(self.session, self)
        self.table.add(
            [
                *self._commands.actions(),
                *self._help.actions(),
                *self.tours.actions(),
                *time.actions(),
                *self.clusters.actions(),
                *self.linux.actions(),
            ]
        )

    def _made_frame(self) -> Frame:
        bar = FrameBar(self.table, [tab_id(one) for one in WORKSPACES], "commands")
        bar.show_past(PastButton(self.session, self.table.qaction("past.leave"), bar))
        session = self.session
        own = (
            RestoreNotice(self.restorer),
            FaultNotice(session),
            ConflictNotice(session),
            NotEnteredNotice(session),
            RunNotice(session),
            AlertNotice(self.alerts),
            PreferencesNotice(session),
        )
        return Frame(
            bar, self.files, (*own, *self.clusters.notices(), *self.linux.notices()), self.stack, StatusLine()
        )

    def _connect_signals(self) -> None:
        session, stack = self.session, self.stack
        session.document_changed.connect(self._on_document_changed)
        session.frame.connect(self._on_frame)
        for signal in (session.edited, session.selection_changed, session.target_changed, session.outcome):
            signal.connect(self._refresh_soon)
        session.paced.connect(self._refresh_soon)
        session.past_moved.connect(self._refresh_soon)
        for signal in (session.cursor_moved, session.shown_changed, session.system_left_out_changed):
            signal.connect(self._refresh_soon)
        self.files.study_wanted.connect(self._commands.open_study)
        self.files.reading_began.connect(stack.show_current)
        self.files.reading_ended.connect(stack.show_current)
        self.files.recent.changed.connect(self._refresh_soon)
        self.clusters.changed.connect(self._refresh_soon)
        self.linux.changed.connect(self._refresh_soon)
        stack.turned.connect(self._on_turned)
        stack.made.connect(self._on_made)

    @Slot()
    def _refresh_soon(self) -> None:
        """Refresh once for all that happens in this turn of the event loop."""
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _on_frame(self) -> None:
        """Refresh the actions where the machine began to run or stopped, and not on every frame."""
        target = self.session.target
        state = (self.session.is_running, target is not None and bool(target.fault))
        if state != self._running:
            self._running = state
            self._refresh_soon()

    @Slot()
    def _on_document_changed(self) -> None:
        self._watch_document()
        self.stack.show_current()

    def _watch_document(self) -> None:
        if self._document is not None:
            self._document.stack.indexChanged.disconnect(self._refresh_soon)
            self._document.stack.cleanChanged.disconnect(self._refresh_soon)
        self._document = self.session.document
        if self._document is not None:
            self._document.stack.indexChanged.connect(self._refresh_soon)
            self._document.stack.cleanChanged.connect(self._refresh_soon)
        self.table.hide_empty_menus()

    @Slot()
    def _on_turned(self) -> None:
        """Put what belongs to the page at the front onto the bars."""
        bar, workspace = self.frame.bar, self.current
        if workspace is not None:
            bar.show_actions(workspace.tool_bar_ids())
            mode = self.clusters.mode_widget() or self.linux.mode_widget()
            bar.show_mode(mode or workspace.mode_widget())
        else:
            bar.show_actions(_WELCOME_TOOLS)
            bar.show_mode(None)
        self.frame.notices.show_page(workspace)
        self.table.refresh()
        self.status.show_facts()

    @Slot(object)
    def _on_made(self, workspace: Workspace) -> None:
        workspace.facts_changed.connect(self.status.show_facts)
        self.frame.notices.add(workspace.notices(), workspace)
        workspace.notice_made.connect(lambda notice: self.frame.notices.add((notice,), workspace))
        self._fill_menus()

    def _is_opening(self) -> bool:
        return self.files.is_reading or self._is_starting

    def _make_welcome(self) -> QWidget:
        from fsconsole.console.welcome.page import WelcomePage

        self._welcome = WelcomePage(self.table, self.files, self.clusters.connections)
        return self._welcome

    def _docks(self) -> list[Dock]:
        return self.current.docks if self.current is not None else []

    def _fill_menus(self) -> None:
        self.table.fill_menu_bar(self.menuBar(), MENUS)
        self.table.hide_empty_menus()
        RecentMenu(
            self.files.recent_actions, self.table.menu(RECENT_MENU), self.table.qaction("clear_recent")
        )
        DockMenu(self.table.menu(DOCK_MENU), self.table.qaction("maximise_dock"), self._docks)

    @Slot()
    def _on_painted(self) -> None:
        self.painted.emit()
        self.stack.import_all()

    # -- Qt's overrides ------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        # Report the first painting. Slow work may begin after it.
        handled = super().event(event)
        if event.type() is QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self, self._on_painted)
        return handled

    def focusNextPrevChild(self, is_forward: bool) -> bool:
        return self.keyboard_focus.step(is_forward=is_forward)

    def showEvent(self, event: QShowEvent) -> None:
        # Create the first page only now, since `restore_state` decides which it is.
        if self.stack.count() == 0:
            self.stack.show_current()
        super().showEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key.Key_Return if event.key() == Qt.Key.Key_Enter else Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if words := self.table.answer(QKeySequence(QKeyCombination(modifiers, key))):
            self.session.message.emit(words)
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # A file can be dropped anywhere.
        _take_file(event)

    def dropEvent(self, event: QDropEvent) -> None:
        path = _take_file(event)
        if path is not None:
            self.files.open(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.files.may_leave():
            event.ignore()
            return
        self.files.cancel_reading()
        self.clusters.connections.cancel()
        if self._welcome is not None:
            self._welcome.end_work()
        self.keep_state()
        self.auto_save.close()
        self.restorer.close()
        self.command_server.close()
        self.session.close()
        event.accept()


def _take_file(event: QDropEvent) -> Path | None:
    """Accept the first file of this machine that is dragged, as a copy: who gives it away keeps it."""
    urls = event.mimeData().urls()
    path = next((Path(url.toLocalFile()) for url in urls if url.isLocalFile()), None)
    if path is not None and Qt.DropAction.CopyAction in event.possibleActions():
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        return path
    return None
