"""The console's window: menus, one tool bar, the workspaces, the status bar."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.session import ConsoleSession
from fsconsole.console.workspace import Workspace

WORKSPACES = ("design", "observe", "analyse")


class ConsoleWindow(QMainWindow):
    """Shows one workspace at a time; each is made when it is first shown."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.table = ActionTable(self)
        self._stack = QStackedWidget(self)
        self._workspaces: dict[str, Workspace] = {}
        self.setCentralWidget(self._stack)

    def workspace(self, workspace_id: str) -> Workspace:
        """A workspace, made now if it was not shown before."""
        found = self._workspaces.get(workspace_id)
        return found if found is not None else self._make(workspace_id)

    def show_workspace(self, workspace_id: str) -> None:
        """Bring a workspace to the front."""
        self._stack.setCurrentWidget(self.workspace(workspace_id))

    def _make(self, workspace_id: str) -> Workspace:
        module = import_module(f"fsconsole.console.{workspace_id}.workspace")
        made = cast("Workspace", getattr(module, f"{workspace_id.title()}Workspace")(self.session, self))
        self._workspaces[workspace_id] = made
        self.table.add(made.actions_of_workspace())
        made.table = self.table
        self._stack.addWidget(made)
        return made
