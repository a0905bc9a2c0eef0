"""Walking from dock to dock by the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget


def focus_next_dock(workspace: QWidget, step: int) -> None:
    """Give the focus to the next (1) or previous (-1) dock in sight that takes it, round and round."""
    docks = [dock for dock in _docks_in_sight(workspace) if _takes_focus(dock) is not None]
    if not docks:
        return
    here = QApplication.focusWidget()
    at = next((row for row, dock in enumerate(docks) if here is not None and dock.isAncestorOf(here)), None)
    row = (at + step) % len(docks) if at is not None else (0 if step > 0 else -1)
    widget = _takes_focus(docks[row])
    if widget is not None:
        widget.setFocus(Qt.FocusReason.TabFocusReason)


def _docks_in_sight(workspace: QWidget) -> list[QWidget]:
    """The docks and what stands between them: left to right, then top to bottom where they begin alike."""
    parts: list[QWidget | None] = [*workspace.findChildren(QDockWidget)]
    if isinstance(workspace, QMainWindow) and workspace.centralWidget() not in parts:
        parts.append(workspace.centralWidget())  # None where docks fill the whole
    in_sight = [part for part in parts if part is not None and not part.visibleRegion().isEmpty()]
    return sorted(in_sight, key=lambda part: _place(part, workspace))


def _place(part: QWidget, workspace: QWidget) -> tuple[int, int]:
    corner = part.mapTo(workspace, QPoint(0, 0))
    return corner.x(), corner.y()


def _takes_focus(part: QWidget) -> QWidget | None:
    """The first widget that takes the focus by Tab: of a dock's content, else of its header."""
    rooms = [part.widget(), part.titleBarWidget()] if isinstance(part, QDockWidget) else [part]
    for room in rooms:
        for widget in (room, *room.findChildren(QWidget)):
            takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
            if takes and widget.isVisible() and widget.isEnabled():
                return widget
    return None
