"""Walking from dock to dock by the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget


def focus_next_dock(workspace: QWidget, step: int) -> None:
    """Give the focus to the next (1) or previous (-1) dock that is in sight, round and round."""
    docks = _docks_in_sight(workspace)
    if not docks:
        return
    here = QApplication.focusWidget()
    at = next((row for row, dock in enumerate(docks) if here is not None and dock.isAncestorOf(here)), None)
    row = (at + step) % len(docks) if at is not None else (0 if step > 0 else -1)
    _focus(docks[row])


def _docks_in_sight(workspace: QWidget) -> list[QDockWidget]:
    """From left to right and, among those that begin at the same place, from top to bottom."""
    docks = [dock for dock in workspace.findChildren(QDockWidget) if not dock.visibleRegion().isEmpty()]
    return sorted(docks, key=lambda dock: _place(dock, workspace))


def _place(dock: QDockWidget, workspace: QWidget) -> tuple[int, int]:
    corner = dock.mapTo(workspace, QPoint(0, 0))
    return corner.x(), corner.y()


def _focus(dock: QDockWidget) -> None:
    """The first widget of the dock that takes the focus by Tab."""
    body = dock.widget()
    for widget in (body, *body.findChildren(QWidget)):
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if takes and widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            return
