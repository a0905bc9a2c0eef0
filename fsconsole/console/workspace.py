"""A workspace: a main window inside the frame, with docks whose places are its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.connections import once
from fsconsole.console.kit.docks import DockMaximiser
from fsconsole.console.preference_format import LAYOUTS
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.strip import Notice

LAYOUT_VERSION = LAYOUTS.number
# Window sizes at the text size of the specification. With larger text a window counts as smaller.
_NARROW_PX, _LOW_PX = 1500, 900
_TIGHT_WIDTH_PX, _TIGHT_HEIGHT_PX = 1100, 690
_TIGHT_SIDE_PERCENT = 37
_PART_OF_WINDOW = 0.9  # A smaller workspace does not have its final size yet.


def narrow_px() -> int:
    """Return the width below which a window is narrow, at the present text size."""
    return scaled(_NARROW_PX)


def size_class(narrow: bool, low: bool, tight: bool) -> str:
    """Return the name of a class of window sizes, for settings; empty for a roomy window."""
    words = (("-narrow", narrow), ("-low", low), ("-tight", tight))
    return "".join(word for word, is_so in words if is_so)


_EITHER = (False, True)
SIZE_CLASSES = tuple(size_class(*flags) for flags in product(_EITHER, _EITHER, _EITHER))


class Workspace(QMainWindow):
    """Base of Design, Observe and so on.

    Attributes:
        id, title, icon: name in settings, text of the tab, icon name.
        explains: whether it has a panel that explains priorities.
        faces: sets of docks that are shown for different targets, as layouts are remembered for each.
        in_front: docks that are first among their tabs.
        resting: docks that are closed until they are wanted.
        session: the state common to all views.
        table: the actions of the window, which include its own once the window has added it.

    Signals: facts_changed() when `status_text` has something new to say; notice_made(Notice) after one more
    was made.
    """

    id = ""
    title = ""
    icon = ""
    explains = False
    faces: tuple[str, ...] = ("",)
    in_front: tuple[Dock, ...] = ()
    resting: tuple[Dock, ...] = ()
    facts_changed = Signal()
    notice_made = Signal(object)

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        """Make the docks; subclasses add theirs."""
        super().__init__(parent, Qt.WindowType.Widget)
        self.session, self.table = session, table
        self.setObjectName(self.id)
        self.setDockNestingEnabled(True)
        self._default_state = QByteArray()
        self._persons_state = QByteArray()  # The user's layout, restored when it fits again.
        self._compact = (False, False, False)
        self._is_placed = False
        self._is_persons = False
        self._layouts: dict[str, QByteArray] = {}
        self._last_layout = QByteArray()  # Layout before the window was resized.
        self._is_noting = False
        self._is_restoring = False
        self._is_unraised = True  # Tabs exist only after they were shown.
        self._face = ""
        self._absent: frozenset[Dock] = frozenset()
        self._note_timer = once(self, 0, self._note_layout)
        self.maximiser = DockMaximiser(self, LAYOUT_VERSION)
        self.maximiser.changed.connect(self._note_layout)

    @property
    def has_content(self) -> bool:
        """Whether there is something to work on here although no document is open."""
        return False

    def actions_of_workspace(self) -> list[Action]:
        """Return entries of the action table that belong to this workspace."""
        return []

    def add_actions(self) -> None:
        """Add its actions to the table, and give widgets those whose keys act there alone."""
        self.table.add(self.actions_of_workspace())
        self.wire()

    def wire(self) -> None:
        """Give widgets their keys; its actions are in the table now."""

    @Slot()
    def refresh_actions(self) -> None:
        """Update which actions are possible."""
        self.table.refresh()

    def pop_up(self, at: QPoint, action_ids: Iterable[str]) -> None:
        """Show a menu of actions; an empty id is a rule."""
        self.refresh_actions()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in action_ids:
            menu.addAction(self.table.qaction(action_id)) if action_id else menu.addSeparator()
        menu.popup(at)

    def tool_bar_ids(self) -> list[str]:
        """Return ids of the actions on the tool bar while this workspace is shown."""
        return []

    def mode_widget(self) -> QWidget | None:
        """Return the widget right of the target in this workspace; called once it has its table."""
        return None

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices that the window shows while this workspace is at the front."""
        return ()

    def status_text(self) -> str:
        """Return facts about what is shown, for the left of the status bar."""
        return ""

    def title_text(self) -> str:
        """Return the front page beside the scenario, for the window's title; read with `status_text`."""
        return ""

    def status_details(self) -> str:
        """Return the facts left out of the status bar, for its tooltip."""
        return ""

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight, where `explains`."""

    def keep_default_layout(self) -> None:
        """Remember the docks' places as those that a reset brings back."""
        self._default_state = self.saveState(LAYOUT_VERSION)
        for dock in self.findChildren(Dock):
            dock.visibilityChanged.connect(self._note_soon)
            dock.collapsed.connect(self._keep_collapsed)
        self.maximiser.follow()

    @property
    def docks(self) -> list[Dock]:
        """Docks that the target has something for, in the order of their titles."""
        found = [dock for dock in self.findChildren(Dock) if dock not in self._absent]
        return sorted((dock for dock in found if dock.is_closable), key=Dock.windowTitle)

    @Slot()
    def _keep_collapsed(self) -> None:
        """Remember which docks are collapsed, since Qt's layouts do not include that."""
        if self._is_placed and self.maximiser.dock is None and not self._is_restoring:
            names = [dock.objectName() for dock in self.findChildren(Dock) if dock.is_collapsed]
            self.session.preferences.set_value(self._collapsed_key, names)

    @property
    def _collapsed_key(self) -> str:
        return f"{self.id}/collapsed{self._layout_name()}"

    def keep_layouts(self, layouts: Mapping[str, QByteArray]) -> None:
        """Use layouts of earlier, by size class, once the window is of that class."""
        self._layouts = {name: state for name, state in layouts.items() if not state.isEmpty()}

    def layouts(self) -> dict[str, QByteArray]:
        """Return all layouts by size class, the present one as it is now."""
        if not self._is_placed:  # A workspace that was never shown does not have sizes of docks yet.
            return dict(self._layouts)
        now = self.maximiser.layout
        return self._layouts | {self._layout_name(): now or self.saveState(LAYOUT_VERSION)}

    @classmethod
    def layout_names(cls) -> tuple[str, ...]:
        """Return the names of stored layouts: the face, then the size class."""
        return tuple(f"{face}{size}" for face in cls.faces for size in SIZE_CLASSES)

    def show_face(self, face: str, absent: Iterable[Dock]) -> None:
        """Show the docks of another kind of target, in the layout that is remembered for it."""
        if face == self._face and frozenset(absent) == self._absent:
            return
        self.maximiser.restore()
        if self._is_placed and not self._last_layout.isEmpty():
            self._layouts[self._layout_name()] = self._last_layout
        self._face, self._absent = face, frozenset(absent)
        self._show_present()
        if self._is_placed:
            self._is_persons = False
            self._take_layout(is_first=True)
            self._fit()
            self._place_soon()

    def _layout_name(self) -> str:
        return f"{self._face}{size_class(*self._compact)}"

    def _show_present(self) -> None:
        """Put all docks into their first places, without those that the target has no data for."""
        self._is_restoring = True
        self.restoreState(self._default_state, LAYOUT_VERSION)
        for dock in self.findChildren(Dock):
            dock.set_collapsed(False)
            dock.setVisible(dock not in self._absent and dock not in self.resting)
        self._is_restoring = False
        self._is_unraised = True

    def restore_layout(self, state: QByteArray) -> None:
        """Restore the places of docks that the user left; their sizes are not changed from then on.

        In a window that is shown already a new workspace is small at first, and sizes would grow with it to
        others than they were: there they are restored once more when it has its room.
        """
        self._is_persons = self.restoreState(state, LAYOUT_VERSION)
        self._persons_state = state if self.window().isVisible() else QByteArray()

    def reset_layout(self) -> None:
        """Put the docks where they were first, in their first sizes."""
        self.maximiser.restore()
        if not self._default_state.isEmpty():
            self._show_present()
        self._is_persons = False
        self._keep_collapsed()
        self._fit()
        self._place_soon()

    @property
    def is_tight(self) -> bool:
        """Whether the window is so small that docks elsewhere side by side become tabs."""
        return self._compact[2]

    def side_px(self, px: int, most_percent: int = _TIGHT_SIDE_PERCENT) -> int:
        """Return the width for a side dock from the specification's; at most a part of a tight window."""
        wanted = scaled(px)
        return min(wanted, self.window().width() * most_percent // 100) if self.is_tight else wanted

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit a window narrower than 1500 or lower than 900 pixels; called when that changes."""

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the docks their first sizes; not called for a layout that the user has chosen."""

    def _fit(self) -> None:
        narrow, low, _ = self._compact
        self.adapt(narrow=narrow, low=low)

    def _place_soon(self) -> None:
        QTimer.singleShot(0, self, self._place)  # Deferred until the docks have the new width.

    @Slot()
    def _place(self) -> None:
        narrow, low, _ = self._compact
        if not self._is_persons:
            if self._is_unraised:
                for dock in self.in_front:
                    dock.raise_()
            self._is_unraised = False
            self.share_out(narrow=narrow, low=low)
        elif not self._persons_state.isEmpty():
            self.restoreState(self._persons_state, LAYOUT_VERSION)
            self._fit()
        self._persons_state = QByteArray()
        self._collapse_again()
        self._note_layout()

    def _collapse_again(self) -> None:
        """Collapse the docks that the user had collapsed in a window of this size."""
        names = self.session.preferences.value(self._collapsed_key, [])
        self._is_restoring = True
        for dock in self.findChildren(Dock):
            if dock.is_collapsed is not (dock.objectName() in names):
                dock.set_collapsed(not dock.is_collapsed)
        self._is_restoring = False

    @Slot()
    def _note_layout(self) -> None:
        """Remember the places of docks, since Qt moves them before it reports a window's new size."""
        if self._is_placed and not self._is_noting and self.maximiser.dock is None:
            self._is_noting = True  # A workspace may show a dock for a moment to save it.
            self._last_layout = self.saveState(LAYOUT_VERSION)
            self._is_noting = False

    @Slot()
    def _note_soon(self) -> None:
        """Remember the places once Qt has moved all: it reports what is visible in the midst of that."""
        self._note_timer.start()

    @contextmanager
    def moving_docks(self) -> Iterator[None]:
        """Note the layout once after several docks have been shown or closed, not after each."""
        was_noting, self._is_noting = self._is_noting, True
        try:
            yield
        finally:
            self._is_noting = was_noting
        self._note_layout()

    def _fit_when_needed(self) -> None:
        """Fit docks once they are shown, in a window that has its own size."""
        window = self.window()
        compact = _compact_of(window.width(), window.height())
        is_first = not self._is_placed and self.isVisible() and self._has_its_size()
        is_other = compact != self._compact
        if is_other:
            self.maximiser.restore()
        if self._is_placed and is_other and not self._last_layout.isEmpty():
            self._layouts[self._layout_name()] = self._last_layout
        was_placed = self._is_placed
        self._is_placed = self._is_placed or is_first
        was_tight, self._compact = self.is_tight, compact
        if was_tight and not self.is_tight:
            self._take_tabs_apart()
        if is_first or (is_other and was_placed):
            self._take_layout(is_first=is_first)
        if is_other or is_first:
            self._fit()
            self._place_soon()
        else:
            self._note_layout()

    def move_behind(self, first: Dock, dock: Dock) -> None:
        """Make a dock a tab behind another one; one that is closed stays closed."""
        is_closed = dock.isHidden()
        self.removeDockWidget(dock)
        self.tabifyDockWidget(first, dock)
        dock.setHidden(is_closed)

    def _take_tabs_apart(self) -> None:
        """Put docks into their first places, since Qt cannot split tabs."""
        closed = [dock for dock in self.findChildren(Dock) if dock.isHidden()]
        self._show_present()
        for dock in closed:
            dock.hide()

    def _has_its_size(self) -> bool:
        """Return True if it fills the room that the window gives it: a new one is small at first."""
        around = self.parentWidget() or self
        return around.width() >= _PART_OF_WINDOW * self.window().width()

    def _take_layout(self, *, is_first: bool) -> None:
        """Use the user's layout of this size class; one of another class never fits."""
        state = self._layouts.get(self._layout_name())
        if is_first and state is not None:
            self.restore_layout(state)
        elif not is_first:
            self._is_persons = state is not None
            self._persons_state = state if state is not None else QByteArray()

    def resizeDocks(
        self, docks: Sequence[QDockWidget], sizes: Sequence[int], orientation: Qt.Orientation
    ) -> None:
        # Skips the central widget and a dock that is being dragged: Qt would print warnings.
        nowhere = Qt.DockWidgetArea.NoDockWidgetArea
        sized = list(zip(docks, sizes, strict=True))
        placed = [(dock, size) for dock, size in sized if self.dockWidgetArea(dock) is not nowhere]
        super().resizeDocks([dock for dock, _ in placed], [size for _, size in placed], orientation)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_when_needed()

    def event(self, event: QEvent) -> bool:
        # The user moved the border between docks and has now released it.
        is_done = super().event(event)
        if event.type() is QEvent.Type.MouseButtonRelease:
            self._note_layout()
        return is_done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.maximiser.dock is not None:
            self.maximiser.restore()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_when_needed()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and self.isVisible():
            # Deferred until Qt has updated all widgets. Moving docks earlier has crashed Qt.
            QTimer.singleShot(0, self, self._fit_to_text)

    @Slot()
    def _fit_to_text(self) -> None:
        """Fit the docks once all widgets have the new size of text: words need more room, or less."""
        self._fit_when_needed()
        if self._is_placed and not self._is_persons:
            self._place_soon()


def _compact_of(width_px: int, height_px: int) -> tuple[bool, bool, bool]:
    """Return (narrow, low, tight) of a window."""
    is_tight = width_px < scaled(_TIGHT_WIDTH_PX) or height_px < scaled(_TIGHT_HEIGHT_PX)
    return width_px < narrow_px() or is_tight, height_px < scaled(_LOW_PX) or is_tight, is_tight
