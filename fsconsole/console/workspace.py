"""A workspace: a main window inside the frame, with docks whose places are its own."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock

LAYOUT_VERSION = 4  # one more with every dock that comes or goes
NARROW_PX = 1500
LOW_PX = 900
# Narrower than the smallest window: its real size is still to come.
_ROOM_PX = 1000


class Workspace(QMainWindow):
    """Base of Design, Observe and so on.

    Attributes:
        id, title, icon: name in settings, word on the tab, icon name.
        explains: whether it has a panel that says why.
        session: what all views share.
        table: the actions of the window; its own are in there once the window has taken it in.

    Signals: facts_changed() when `status_text` has something new to say.
    """

    id = ""
    title = ""
    icon = ""
    explains = False
    table: ActionTable
    facts_changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        """Make the docks; subclasses add theirs."""
        super().__init__(parent, Qt.WindowType.Widget)
        self.session = session
        self.setObjectName(self.id)
        self.setDockNestingEnabled(True)
        self._default_state = QByteArray()
        self._persons_state = QByteArray()  # to be restored once there is the room that it had
        self._compact = (False, False)
        self._is_placed = False
        self._is_persons = False

    @property
    def has_content(self) -> bool:
        """Whether there is something to work on here although no document is open."""
        return False

    def actions_of_workspace(self) -> list[Action]:
        """Entries of the action table that belong to this workspace."""
        return []

    def tool_bar_ids(self) -> list[str]:
        """Ids of the actions that stand on the tool bar while this workspace is shown."""
        return []

    def mode_widget(self) -> QWidget | None:
        """What stands right of the target while this workspace is shown; asked once it has its table."""
        return None

    def status_text(self) -> str:
        """Facts about what is shown, for the left of the status bar."""
        return ""

    def title_text(self) -> str:
        """What is in front besides the scenario, for the window's title; asked with `status_text`."""
        return ""

    def status_details(self) -> str:
        """What there is no room for in the status bar, for its tool tip."""
        return ""

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight, where `explains`."""

    def keep_default_layout(self) -> None:
        """Remember the docks' places as those that a reset brings back."""
        self._default_state = self.saveState(LAYOUT_VERSION)

    def restore_layout(self, state: QByteArray) -> None:
        """Put the docks where a person left them; their sizes are left alone from then on.

        In a window that is shown already a new workspace is small at first, and sizes would grow with it to
        others than they were: there they are restored once more when it has its room.
        """
        self._is_persons = self.restoreState(state, LAYOUT_VERSION)
        self._persons_state = state if self.window().isVisible() else QByteArray()

    def reset_layout(self) -> None:
        """Put the docks where they were first, in their first sizes."""
        if not self._default_state.isEmpty():
            self.restoreState(self._default_state, LAYOUT_VERSION)
            for dock in self.findChildren(Dock):
                dock.set_collapsed(False)
                dock.show()
        self._is_persons = False
        self._fit()
        self._place_soon()

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit a window narrower than 1500 or lower than 900 pixels; called when that changes."""

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the docks their first sizes; not called for a layout that a person has chosen."""

    def _fit(self) -> None:
        narrow, low = self._compact
        self.adapt(narrow=narrow, low=low)

    def _place_soon(self) -> None:
        QTimer.singleShot(0, self, self._place)  # once the docks have the new width

    @Slot()
    def _place(self) -> None:
        narrow, low = self._compact
        if not self._is_persons:
            self.share_out(narrow=narrow, low=low)
        elif not self._persons_state.isEmpty():
            self.restoreState(self._persons_state, LAYOUT_VERSION)
            self._fit()
        self._persons_state = QByteArray()

    def _fit_when_needed(self) -> None:
        """Docks take sizes only once they are shown, in a window that has its own."""
        window = self.window()
        compact = (window.width() < NARROW_PX, window.height() < LOW_PX)
        is_first = not self._is_placed and self.isVisible() and self.width() >= _ROOM_PX
        self._is_placed = self._is_placed or is_first
        is_other = compact != self._compact
        if is_other:
            self._compact = compact
            self._fit()
        if is_other or is_first:
            self._place_soon()

    def showEvent(self, event: QShowEvent) -> None:
        """The docks get their sizes once there is room to share out."""
        super().showEvent(event)
        self._fit_when_needed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the subclass when the window becomes narrow or low, or is so no longer."""
        super().resizeEvent(event)
        self._fit_when_needed()
