"""A workspace: a main window inside the frame, with docks whose places are its own."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.session import ConsoleSession

LAYOUT_VERSION = 1
NARROW_PX = 1500
LOW_PX = 900


class Workspace(QMainWindow):
    """Base of Design, Observe and so on.

    Attributes:
        id, title, icon: name in settings, word on the tab, icon name.
        session: what all views share.
        table: the actions of the window; its own are in there once the window has taken it in.
    """

    id = ""
    title = ""
    icon = ""
    table: ActionTable

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        """Make the docks; subclasses add theirs."""
        super().__init__(parent, Qt.WindowType.Widget)
        self.session = session
        self.setObjectName(self.id)
        self.setDockNestingEnabled(True)
        self._default_state = QByteArray()
        self._compact = (False, False)

    def actions_of_workspace(self) -> list[Action]:
        """Entries of the action table that belong to this workspace."""
        return []

    def tool_bar_ids(self) -> list[str]:
        """Ids of the actions that stand on the tool bar while this workspace is shown."""
        return []

    def status_text(self) -> str:
        """Facts about what is shown, for the left of the status bar."""
        return ""

    def keep_default_layout(self) -> None:
        """Remember the docks' places as those that a reset brings back."""
        self._default_state = self.saveState(LAYOUT_VERSION)

    def reset_layout(self) -> None:
        """Put the docks where they were first."""
        if not self._default_state.isEmpty():
            self.restoreState(self._default_state, LAYOUT_VERSION)
            for dock in self.findChildren(QDockWidget):
                dock.show()

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit a window narrower than 1500 or lower than 900 pixels; called when that changes."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the subclass when the window becomes narrow or low, or is so no longer."""
        super().resizeEvent(event)
        window = self.window()
        compact = (window.width() < NARROW_PX, window.height() < LOW_PX)
        if compact != self._compact:
            self._compact = compact
            self.adapt(narrow=compact[0], low=compact[1])
