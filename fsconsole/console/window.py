"""The console's window: menus, one tool bar, the workspaces, the status bar."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QEvent, QMargins, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from fsconsole.console.actions import ActionTable
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.cluster.window_integration import WindowIntegration
from fsconsole.console.command_server import CommandServer
from fsconsole.console.commands import DOCK_MENU, MENUS, WORKSPACES, tab_id, window_actions
from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.recent_menu import RECENT_MENU, RecentMenu, recent_actions
from fsconsole.console.files.restore import Restorer
from fsconsole.console.frame import Frame
from fsconsole.console.frame_bar import FrameBar
from fsconsole.console.kit.docks import DockMenu, dock_with_focus, focus_next_dock
from fsconsole.console.kit.tasks import run_and_wait
from fsconsole.console.notices import ConflictNotice, FaultNotice, RestoreNotice
from fsconsole.console.session import ConsoleSession
from fsconsole.console.status import Status
from fsconsole.console.status_line import StatusLine
from fsconsole.console.style.theme import ThemeMode, theme
from fsconsole.console.time_controls import TimeControls
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.targets.base import Capability

if TYPE_CHECKING:
    from fsconsole.console.analyse.study.studying import Studying
    from fsconsole.console.analyse.workspace import AnalyseWorkspace
    from fsconsole.console.welcome.page import WelcomePage

FIRST_SIZE = (1600, 1000)
_MAKE_EVERY_MS = 100
_FRAME = QMargins(8, 32, 8, 8)  # what desktops put around a window, at most about so much
_GAP = 4  # between docks, and around them
_WELCOME_TOOLS = ("new", "open")
# What stands behind a tab, where that depends on the target: the first one whose needs it can serve.
FACES: dict[str, tuple[tuple[Capability[Any] | None, str], ...]] = {
    "observe": ((None, "live"),),
    "operate": ((CLUSTER, "operate.jobs"), (None, "operate.nights")),
}


class ConsoleWindow(QMainWindow):
    """Shows one workspace at a time, or Welcome while nothing is open.

    A workspace is made when it is first shown, or a moment after the window stands. Signals: painted() after
    the window was painted for the first time.
    """

    painted = Signal()

    def __init__(self, session: ConsoleSession, questions: Questions | None = None) -> None:
        super().__init__()
        self.session = session
        self.desk = FileController(session, questions or Questions(self), self)
        self.keeper = AutoSave(session, self)
        self.restorer = Restorer(self.desk, self.keeper, self)
        self.clusters = WindowIntegration(session, self.desk, self)
        self.command_server = CommandServer(session, self)
        self.time = TimeControls(session, self.desk.questions, self)
        self.table = ActionTable(self)
        self._workspaces: dict[str, Workspace] = {}
        self._welcome: WelcomePage | None = None
        self._current = "observe"
        self._was_painted = False
        self._is_starting = False
        self._running: tuple[bool, bool] | None = None
        self._document: Document | None = None
        self.setWindowTitle("fsconsole")
        self.resize(*FIRST_SIZE)
        self.setAcceptDrops(True)
        self.table.add([*window_actions(self), *self.time.actions(), *self.clusters.actions()])
        self.frame = self._made_frame()
        self.clusters.join(self.table, self.frame.bar.target)
        self.setCentralWidget(self.frame)
        self.status = Status(self, session, self.frame.status, self.frame.bar, lambda: self.current)
        self.status.listen(self.desk, self.keeper)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.table.refresh)
        self._fill_menus()
        self._listen()
        self._watch_stack()
        self._on_kind_of_target()

    # -- what is shown --------------------------------------------------------------------------------------

    def workspace(self, workspace_id: str) -> Workspace:
        """A workspace, made now if it was not shown before."""
        found = self._workspaces.get(self._face(workspace_id))
        return found if found is not None else self._make(workspace_id)

    def _face(self, workspace_id: str) -> str:
        """The room of the workspace behind a tab."""
        faces = FACES.get(workspace_id, ())
        offer = self.session.offer
        return next((one for need, one in faces if need is None or offer(need) is not None), workspace_id)

    @property
    def current(self) -> Workspace | None:
        """The workspace shown; None while Welcome is."""
        return self._workspaces.get(self._face(self._current)) if self.shows_workspaces() else None

    def can_explain(self) -> bool:
        """Whether the workspace at the front says why."""
        return self.current is not None and self.current.explains

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight."""
        if self.current is not None:
            self.current.show_why()

    @Slot(str)
    def show_workspace(self, workspace_id: str) -> None:
        """Bring a workspace to the front."""
        self._current = workspace_id
        self.session.preferences.set_value("workspace", workspace_id)
        self._show_current()

    def is_shown(self, workspace_id: str) -> bool:
        """Whether a workspace is at the front."""
        return self.shows_workspaces() and self._current == workspace_id

    def shows_workspaces(self) -> bool:
        """Whether there is something to work on, or will be in a moment."""
        return self.has_document() or self.desk.is_reading or self._is_starting or self._has_content()

    def _has_content(self) -> bool:
        return any(one.has_content for one in self._workspaces.values())

    def start(self, path: Path | None, prefix: tuple[str, ...] | None = None) -> None:
        """Open a file or a cluster, or what was open last; called once the window is painted."""
        self._is_starting = False
        last = self.clusters.desk.last_place()
        if prefix is not None:
            self.clusters.desk.connect_to(prefix)
        elif path is not None:
            self.desk.open(path)
        elif last is not None:
            self.clusters.desk.reconnect(last)
        else:
            self.desk.open_last()
        self.restorer.look()
        self._show_current()

    def has_document(self) -> bool:
        """Whether a document is open."""
        return self.session.document is not None

    def restore_state(self) -> None:
        """Put window and docks where they were at the last end; `start` comes next."""
        self._is_starting = self.desk.has_something_to_open and self.clusters.desk.last_place() is None
        preferences = self.session.preferences
        geometry = preferences.blob("window/geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        else:
            self._fit(self.screen().availableGeometry().size())
        wanted = preferences.value("workspace", "observe")
        self._current = wanted if wanted in WORKSPACES else "observe"

    def _fit(self, available: QSize) -> None:
        """Fill a screen that has no room for the first size and a window's frame."""
        least = QSize(*FIRST_SIZE).grownBy(_FRAME)
        if least.boundedTo(available) != least:
            self.resize(QSize(*FIRST_SIZE).boundedTo(available.shrunkBy(_FRAME)))
            self.setWindowState(self.windowState() | Qt.WindowState.WindowMaximized)

    def keep_state(self) -> None:
        """Remember all that for the next start."""
        preferences = self.session.preferences
        preferences.set_blob("window/geometry", self.saveGeometry())
        for workspace_id, workspace in self._workspaces.items():
            for size, layout in workspace.layouts().items():
                preferences.set_blob(f"{workspace_id}/layout{size}", layout)
        preferences.write()

    @Slot()
    def make_missing_workspace(self) -> None:
        """Make one workspace that was not shown yet, then the next: menus and search name all commands."""
        missing = next((one for one in WORKSPACES if self._face(one) not in self._workspaces), None)
        if missing is None:
            return
        if QApplication.activePopupWidget() is None:  # an open menu would be taken from under the pointer
            self.workspace(missing)
        QTimer.singleShot(_MAKE_EVERY_MS, self, self.make_missing_workspace)

    # -- what the action table calls -----------------------------------------------------------------------

    def undo(self) -> None:
        """Take back the newest change."""
        if self.session.document is not None:
            self.session.document.stack.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        if self.session.document is not None:
            self.session.document.stack.redo()

    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return self.session.document is not None and self.session.document.stack.canUndo()

    def can_redo(self) -> bool:
        """Whether something was taken back."""
        return self.session.document is not None and self.session.document.stack.canRedo()

    def set_theme(self, mode: ThemeMode) -> None:
        """Light, dark, or as the system."""
        theme().set_mode(mode)
        self.session.preferences.set_value("theme", mode)

    def reset_layout(self) -> None:
        """Put the docks of the shown workspace where they were first."""
        if self.current is not None:
            self.current.reset_layout()

    def maximise_dock(self) -> None:
        """Show the dock with the focus alone, or all again."""
        if self.current is not None:
            self.current.maximiser.toggle(dock_with_focus(self.current))

    def collapse_dock(self) -> None:
        """Show only the title of the dock with the focus, or all of it again."""
        dock = dock_with_focus(self.current) if self.current is not None else None
        if dock is not None:
            dock.toggle_collapsed()

    def _docks(self) -> list[Dock]:
        return self.current.docks if self.current is not None else []

    def walk_docks(self, step: int) -> None:
        """Give the focus to the next (1) or previous (-1) dock."""
        focus_next_dock(self.frame.stack.currentWidget(), step)

    def search_commands(self) -> None:
        """Find a command by typing."""
        from fsconsole.console.command_search import CommandSearch

        popup = CommandSearch(self.table, self, lambda: recent_actions(self.desk))
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.open()

    def show_keyboard(self) -> None:
        """The page of shortcuts."""
        from fsconsole.console.help_pages import KeyboardDialog

        KeyboardDialog(self.table, self).open()

    def show_glossary(self) -> None:
        """What the words mean."""
        from fsconsole.console.help_pages import GlossaryDialog

        GlossaryDialog(self).open()

    def show_about(self) -> None:
        """Name and version."""
        from fsconsole.console.help_pages import AboutDialog

        AboutDialog(self).open()

    @Slot(object)
    def open_study(self, path: Path) -> None:
        """Show a study in Analyse as soon as it is read."""
        studying = self._studying()
        studying.open(path)
        self.show_workspace("analyse")

    def new_study(self) -> None:
        """Ask what is to be compared, and show it being run."""
        run_and_wait(partial(import_module, "fsconsole.console.analyse.study.new_study"), self)
        from fsconsole.console.analyse.study.new_study import NewStudyDialog

        dialog = NewStudyDialog(self.desk.questions, self)
        dialog.made.connect(self._run_study)
        dialog.open()

    @Slot(object)
    def _run_study(self, path: Path) -> None:
        self.desk.recent.add(path)
        self._studying().open(path, run=True)
        self.show_workspace("analyse")

    def _studying(self) -> Studying:
        run_and_wait(partial(import_module, "fsconsole.console.analyse.study.studying"), self)
        return cast("AnalyseWorkspace", self.workspace("analyse")).studying

    # -- inside --------------------------------------------------------------------------------------------

    def _made_frame(self) -> Frame:
        bar = FrameBar(self.table, [tab_id(one) for one in WORKSPACES], "commands")
        notices = (RestoreNotice(self.restorer), FaultNotice(self.session), ConflictNotice(self.session))
        return Frame(bar, self.desk, notices, StatusLine(), self.clusters.notices())

    def _listen(self) -> None:
        session = self.session
        session.document_changed.connect(self._watch_document)
        session.frame.connect(self._on_frame)
        for signal in (session.edited, session.selection_changed, session.target_changed, session.outcome):
            signal.connect(self._refresh_soon)
        for signal in (session.cursor_moved, session.shown_changed, session.system_left_out_changed):
            signal.connect(self._refresh_soon)
        self.desk.study_wanted.connect(self.open_study)
        self.desk.reading_began.connect(self._show_current)
        self.desk.reading_ended.connect(self._show_current)
        self.desk.recent.changed.connect(self._refresh_soon)
        self.clusters.changed.connect(self._refresh_soon)

    @Slot()
    def _refresh_soon(self) -> None:
        """Once for all that happens in this turn of the event loop."""
        if not self._soon.isActive():
            self._soon.start(0)

    @Slot()
    def _on_frame(self) -> None:
        """What can be done depends on whether the machine runs, not on every frame."""
        snapshot = self.session.snapshot
        if snapshot is None:
            return
        state = (snapshot.running, snapshot.fault is not None)
        if state != self._running:
            self._running = state
            self._refresh_soon()

    @Slot()
    def _watch_document(self) -> None:
        self._watch_stack()
        self._on_kind_of_target()
        self._show_current()

    def _on_kind_of_target(self) -> None:
        self.table.shows = self.session.shows
        self.table.hide_empty_menus()

    def _watch_stack(self) -> None:
        if self._document is not None:
            self._document.stack.indexChanged.disconnect(self._refresh_soon)
            self._document.stack.cleanChanged.disconnect(self._refresh_soon)
        self._document = self.session.document
        if self._document is not None:
            self._document.stack.indexChanged.connect(self._refresh_soon)
            self._document.stack.cleanChanged.connect(self._refresh_soon)

    @Slot()
    def _show_current(self) -> None:
        """Put the current workspace, or Welcome, to the front with what belongs to it."""
        stack, bar = self.frame.stack, self.frame.bar
        if self.shows_workspaces():
            workspace = self.workspace(self._current)
            stack.setCurrentWidget(workspace)
            bar.show_actions(workspace.tool_bar_ids())
            bar.show_mode(self.clusters.mode_widget() or workspace.mode_widget())
        else:
            stack.setCurrentWidget(self._welcome_page())
            bar.show_actions(_WELCOME_TOOLS)
            bar.show_mode(None)
        stack.currentWidget().setFocus()
        self.table.refresh()
        self.status.show_facts()

    def _welcome_page(self) -> WelcomePage:
        if self._welcome is None:
            from fsconsole.console.welcome.page import WelcomePage

            self._welcome = WelcomePage(self.table, self.desk, self.clusters.desk)
            self.frame.stack.addWidget(self._welcome)
        return self._welcome

    def _make(self, workspace_id: str) -> Workspace:
        face = self._face(workspace_id)
        module = import_module(f"fsconsole.console.{face}.workspace")
        name = f"{face.rpartition('.')[2].title()}Workspace"
        made = cast("Workspace", getattr(module, name)(self.session, self.table, self))
        self._workspaces[face] = made
        made.add_actions()
        made.facts_changed.connect(self.status.show_facts)
        made.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
        self.frame.stack.addWidget(made)
        blob = self.session.preferences.blob
        made.keep_layouts({name: blob(f"{face}/layout{name}") for name in made.layout_names()})
        self._fill_menus()
        return made

    def _fill_menus(self) -> None:
        self.table.fill_menu_bar(self.menuBar(), MENUS)
        self.table.hide_empty_menus()
        RecentMenu(self.desk, self.table.menu(RECENT_MENU), self.table.qaction("clear_recent"))
        DockMenu(self.table.menu(DOCK_MENU), self.table.qaction("maximise_dock"), self._docks)

    # -- Qt's overrides ------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        # Tell of the first painting, after which slow things may begin.
        handled = super().event(event)
        if event.type() is QEvent.Type.Paint and not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self, self.painted.emit)
        return handled

    def showEvent(self, event: QShowEvent) -> None:
        # Make what is shown first no sooner than now: `restore_state` says what that is.
        if self.frame.stack.count() == 0:
            self._show_current()
        super().showEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # A file may be dropped anywhere.
        if _dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.desk.open(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.desk.may_leave():
            event.ignore()
            return
        self.desk.cancel_reading()
        self.clusters.desk.cancel()
        if self._welcome is not None:
            self._welcome.end_work()
        self.keep_state()
        self.keeper.close()
        self.restorer.close()
        self.command_server.close()
        self.session.close()
        event.accept()


def _dropped_file(event: QDropEvent) -> Path | None:
    """The first file of this machine that is dragged."""
    urls = event.mimeData().urls()
    return next((Path(url.toLocalFile()) for url in urls if url.isLocalFile()), None)
