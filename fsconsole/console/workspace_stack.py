"""The workspaces and Welcome: made when they are first shown, one at the front."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QScrollArea, QStackedWidget, QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.console.workspace import Workspace
from fsconsole.targets.base import Capability

if TYPE_CHECKING:
    from fsconsole.console.analyse.workspace import AnalyseWorkspace

# Id, title, icon and keys of each tab.
TABS = (
    ("design", "Design", "tree", "Ctrl+1"),
    ("observe", "Observe", "plots", "Ctrl+2"),
    ("operate", "Operate", "monitor", "Ctrl+3"),
    ("analyse", "Analyse", "analyse", "Ctrl+4"),
)
WORKSPACES = tuple(row[0] for row in TABS)
_MAKE_EVERY_MS = 100
_LONGEST_WAIT_S = 10.0  # Menus name the commands of all workspaces at last, whatever a cluster does.
_GAP_PX = 4
_LEAST_PAGE = QSize(320, 200)
# Contents of a tab that depend on the target: the first one whose capability the target has.
FACES: dict[str, tuple[tuple[Capability[Any] | None, str], ...]] = {
    "observe": ((None, "live"),),
    "operate": ((CLUSTER, "operate.jobs"), (None, "operate.nights")),
}


def tab_id(workspace_id: str) -> str:
    """Return the id of the action that shows a workspace."""
    return f"show_{workspace_id}"


class WorkspaceStack(QStackedWidget):
    """Shows one workspace at a time, or Welcome while nothing is open.

    None holds the window large: a workspace that needs more room than there is scrolls, once it has adapted
    itself; those behind it adapt when they are shown.

    Signals: made(Workspace) after a workspace was made; turned() after another page came to the front, or
    what belongs to it may be something else.
    """

    made = Signal(object)
    turned = Signal()

    def __init__(
        self,
        session: ConsoleSession,
        table: ActionTable,
        is_opening: Callable[[], bool],
        make_welcome: Callable[[], QWidget],
        awaits_data: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take what the window knows.

        Args:
            session: what is open.
            table: the window's actions.
            is_opening: whether something to work on will be there in a moment.
            make_welcome: makes what is shown while nothing is open.
            awaits_data: whether threads prepare what will be shown first.
        """
        super().__init__()
        self._session, self._table = session, table
        self._is_opening, self._make_welcome = is_opening, make_welcome
        self._awaits_data, self._waits_since_s = awaits_data, 0.0
        self._workspaces: dict[str, Workspace] = {}
        self._areas: dict[QWidget, WorkspaceArea] = {}
        self._welcome: QWidget | None = None
        self._tasks = Tasks(self)
        self.wanted = "observe"

    def workspace(self, workspace_id: str) -> Workspace:
        """Return a workspace, made now if it was not shown before."""
        found = self._workspaces.get(self._face(workspace_id))
        return found if found is not None else self._make(workspace_id)

    @property
    def current(self) -> Workspace | None:
        """The workspace shown; None while Welcome is."""
        return self._workspaces.get(self._face(self.wanted)) if self.shows_workspaces() else None

    @property
    def analyse(self) -> AnalyseWorkspace:
        """The workspace that shows studies."""
        return cast("AnalyseWorkspace", self.workspace("analyse"))

    def is_shown(self, workspace_id: str) -> bool:
        """Return True if a workspace is at the front."""
        return self.shows_workspaces() and self.wanted == workspace_id

    def shows_workspaces(self) -> bool:
        """Return True if there is something to work on, or will be in a moment."""
        has_content = any(one.has_content for one in self._workspaces.values())
        return self._session.document is not None or self._is_opening() or has_content

    @Slot(str)
    def show_workspace(self, workspace_id: str) -> None:
        """Bring a workspace to the front."""
        self.wanted = workspace_id
        self._session.preferences.set_value("workspace", workspace_id)
        self.show_current()

    @Slot()
    def show_current(self) -> None:
        """Bring the wanted workspace, or Welcome, to the front with the focus; in front it keeps its own."""
        before = self.currentWidget()
        if self.shows_workspaces():
            self.setCurrentWidget(self._areas[self.workspace(self.wanted)])
        else:
            self.setCurrentWidget(self._welcome_page())
        focus: QWidget | None = self.window().focusWidget()
        if focus is None or self.currentWidget() is not before or not self.page.isAncestorOf(focus):
            self.page.setFocus()
        self.turned.emit()

    @Slot()
    def import_all(self) -> None:
        """Import the modules of all workspaces in a thread, the wanted one first.

        Imported when it is shown, one would keep the window from answering for half a second.
        """
        wanted = (one for one in (self.wanted, *WORKSPACES) if one in WORKSPACES)
        faces = dict.fromkeys(self._face(one) for one in wanted)
        self._tasks.run(lambda: [import_module(_module(face)) for face in faces], lambda _: None)

    @Slot()
    def make_missing(self) -> None:
        """Make one workspace that was not shown yet, then the next: menus and search name all commands.

        The first data come before: the threads that read them would share the processor with this one.
        """
        missing = next((one for one in WORKSPACES if self._face(one) not in self._workspaces), None)
        if missing is None:
            return
        # An open menu would be closed under the pointer.
        if QApplication.activePopupWidget() is None and not self._tasks.is_busy() and not self._waits():
            self.workspace(missing)
        QTimer.singleShot(_MAKE_EVERY_MS, self, self.make_missing)

    def _waits(self) -> bool:
        """Return True while the first data are awaited, for some seconds."""
        self._waits_since_s = self._waits_since_s or time.monotonic()
        is_late = time.monotonic() - self._waits_since_s >= _LONGEST_WAIT_S
        return not is_late and (self._is_opening() or self._awaits_data())

    def restore_state(self) -> None:
        """Bring to the front what was there at the last end; it is made when it is shown."""
        wanted = self._session.preferences.value("workspace", "observe")
        self.wanted = wanted if wanted in WORKSPACES else "observe"

    def keep_state(self) -> None:
        """Remember the layouts for the next start."""
        for face, workspace in self._workspaces.items():
            for size, layout in workspace.layouts().items():
                self._session.preferences.set_blob(f"{face}/layout{size}", layout)

    def _face(self, workspace_id: str) -> str:
        """Return the package of the workspace behind a tab."""
        faces = FACES.get(workspace_id, ())
        offer = self._session.offer
        return next((one for need, one in faces if need is None or offer(need) is not None), workspace_id)

    def _welcome_page(self) -> QWidget:
        if self._welcome is None:
            self._welcome = self._make_welcome()
            self.addWidget(self._welcome)
        return self._welcome

    def _make(self, workspace_id: str) -> Workspace:
        face = self._face(workspace_id)
        module = import_module(_module(face))
        name = f"{face.rpartition('.')[2].title()}Workspace"
        with self._table.one_refresh():
            made = cast("Workspace", getattr(module, name)(self._session, self._table, self.window()))
            self._workspaces[face] = made
            made.add_actions()
        made.setContentsMargins(_GAP_PX, _GAP_PX, _GAP_PX, _GAP_PX)
        blob = self._session.preferences.blob
        made.keep_layouts({name: blob(f"{face}/layout{name}") for name in made.layout_names()})
        # The area scrolls if the window is too small, and nothing overlaps.
        area = self._areas[made] = WorkspaceArea(made)
        self.addWidget(area)  # Adding the first area also shows it.
        self.made.emit(made)
        return made

    @property
    def page(self) -> QWidget:
        """What is at the front: a workspace, or Welcome."""
        page = self.currentWidget()
        return page.workspace if isinstance(page, WorkspaceArea) else page

    def minimumSizeHint(self) -> QSize:
        return _LEAST_PAGE


def _module(face: str) -> str:
    return f"fsconsole.console.{face}.workspace"


class WorkspaceArea(QScrollArea):
    """Shows a workspace in the room there is; where that is less than it needs, it scrolls."""

    def __init__(self, workspace: QWidget) -> None:
        super().__init__()
        self.workspace = workspace
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(workspace)
        for part in (workspace, self.viewport()):
            part.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self.workspace.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return _LEAST_PAGE
