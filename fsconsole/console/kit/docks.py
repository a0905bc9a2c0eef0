"""Docks of a workspace: the next one by the keyboard, one alone, which are closed or collapsed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QByteArray, QObject, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QMenu, QWidget

from fsconsole.console.widgets.dock import Dock


def focus_next_dock(workspace: QWidget, step: int) -> None:
    """Give the focus to the next (1) or previous (-1) dock in sight that takes it, round and round."""
    docks = [dock for dock in _docks_in_sight(workspace) if _takes_focus(dock) is not None]
    if not docks:
        return
    here = QApplication.focusWidget()
    at = next((row for row, dock in enumerate(docks) if here is not None and dock.isAncestorOf(here)), None)
    row = (at + step) % len(docks) if at is not None else (0 if step > 0 else -1)
    _focus(docks[row])


def show_dock(dock: Dock) -> None:
    """Bring a dock into sight and give it the focus."""
    dock.bring_forward()
    _focus(dock)


class DockMaximiser(QObject):
    """Shows one dock of a workspace alone, and puts all others back where they were.

    Signals: changed() before a dock is shown alone, and after all are back.
    """

    changed = Signal()

    def __init__(self, workspace: QMainWindow, version: int) -> None:
        """`version` is that of saved layouts."""
        super().__init__(workspace)
        self._workspace, self._version = workspace, version
        self._dock: Dock | None = None
        self._layout = QByteArray()
        self._collapsed: tuple[Dock, ...] = ()
        self._is_arranging = False

    @property
    def layout(self) -> QByteArray | None:
        """Layout to restore; None while all docks are shown."""
        return self._layout if self._dock is not None else None

    @property
    def dock(self) -> Dock | None:
        """The one that is shown alone."""
        return self._dock

    def follow(self) -> None:
        """Listen to all docks, once the workspace has them."""
        for dock in self._docks():
            dock.maximise_wanted.connect(partial(self.toggle, dock))
            dock.visibilityChanged.connect(partial(self._on_visibility, dock))

    def toggle(self, dock: Dock | None) -> None:
        """Show a dock alone, or all again."""
        if self._dock is not None:
            self.restore()
        elif dock is not None:
            self._show_alone(dock)

    @Slot()
    def restore(self) -> None:
        """Show all docks where they were."""
        if self._dock is None:
            return
        self._is_arranging = True
        central: QWidget | None = self._workspace.centralWidget()
        if central is not None:
            central.show()
        self._workspace.restoreState(self._layout, self._version)
        for dock in self._collapsed:
            dock.set_collapsed(True)
        self._dock.header.mark_maximised(False)
        self._dock, self._is_arranging = None, False
        self.changed.emit()

    def _show_alone(self, dock: Dock) -> None:
        self._layout = self._workspace.saveState(self._version)
        self._collapsed = tuple(one for one in self._docks() if one.is_collapsed)
        self._dock, self._is_arranging = dock, True
        self.changed.emit()
        others: list[QWidget | None] = [*self._docks(), self._workspace.centralWidget()]
        for one in others:
            if one is not None and one is not dock:
                one.hide()
        dock.set_collapsed(False)
        dock.show()
        dock.header.mark_maximised(True)
        self._is_arranging = False

    def _docks(self) -> list[Dock]:
        return self._workspace.findChildren(Dock)

    def _on_visibility(self, dock: Dock, is_visible: bool) -> None:
        """Have all docks back once another one is shown; not now, as Qt's layout is still at it."""
        if is_visible and self._is_other(dock) and not self._is_arranging:
            QTimer.singleShot(0, self, partial(self._restore_with, dock))

    def _restore_with(self, dock: Dock) -> None:
        if self._is_other(dock):
            self.restore()
            dock.bring_forward()

    def _is_other(self, dock: Dock) -> bool:
        return self._dock is not None and dock is not self._dock and not dock.isHidden()


class DockMenu(QObject):
    """Lists the docks of the workspace in front each time a menu opens; a check mark is on those shown."""

    def __init__(self, menu: QMenu, first: QAction, docks: Callable[[], Sequence[Dock]]) -> None:
        """Place `docks` above the action that is there already."""
        super().__init__(menu)
        self._menu, self._first, self._docks = menu, first, docks
        menu.aboutToShow.connect(self._fill)

    @Slot()
    def _fill(self) -> None:
        kept = self._menu.actions()[self._menu.actions().index(self._first) :]
        for action in self._menu.actions():
            if action not in kept:
                self._menu.removeAction(action)
                action.deleteLater()
        for dock in self._docks():
            action = QAction(dock.windowTitle(), self._menu)
            action.setCheckable(True)
            action.setChecked(not dock.isHidden())
            action.toggled.connect(partial(_show_or_close, dock))
            self._menu.insertAction(self._first, action)
        self._menu.insertSeparator(self._first)


def _show_or_close(dock: Dock, is_shown: bool) -> None:
    dock.setVisible(is_shown)
    if is_shown:
        dock.bring_forward()


def dock_with_focus(workspace: QWidget) -> Dock | None:
    """Return the dock that has the focus; where none has, the one that is seen first."""
    here = QApplication.focusWidget()
    seen = [part for part in _docks_in_sight(workspace) if isinstance(part, Dock)]
    with_focus = (dock for dock in seen if here is not None and dock.isAncestorOf(here))
    return next(with_focus, seen[0] if seen else None)


def _docks_in_sight(workspace: QWidget) -> list[QWidget]:
    """Return the docks and their separators: left to right, then top to bottom."""
    parts: list[QWidget | None] = [*workspace.findChildren(QDockWidget)]
    if isinstance(workspace, QMainWindow) and workspace.centralWidget() not in parts:
        parts.append(workspace.centralWidget())  # None where docks fill the window.
    in_sight = [part for part in parts if part is not None and not part.visibleRegion().isEmpty()]
    return sorted(in_sight, key=lambda part: _place(part, workspace))


def _place(part: QWidget, workspace: QWidget) -> tuple[int, int]:
    corner = part.mapTo(workspace, QPoint(0, 0))
    return corner.x(), corner.y()


def _focus(part: QWidget) -> None:
    """Give a part the focus as Tab does, so that it is marked."""
    widget = _takes_focus(part)
    if widget is not None:
        # Controls then draw their focus rings.
        widget.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        widget.setFocus(Qt.FocusReason.TabFocusReason)


def _takes_focus(part: QWidget) -> QWidget | None:
    """Return the first widget that takes the focus by Tab: of a dock's content, else of its header."""
    rooms = [part.widget(), part.titleBarWidget()] if isinstance(part, QDockWidget) else [part]
    for room in rooms:
        for widget in (room, *room.findChildren(QWidget)):
            takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
            if takes and widget.isVisible() and widget.isEnabled():
                return widget
    return None
