"""Walking from dock to dock by the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget


def focus_next_dock(workspace: QWidget, step: int) -> None:
    """Give the focus to the next (1) or previous (-1) dock that is in sight, round and round."""
    docks = _docks_in_sight(workspace)
    if not docks:
        return
    here = QApplication.focusWidget()
    at = next((row for row, dock in enumerate(docks) if here is not None and dock.isAncestorOf(here)), None)
    row = (at + step) % len(docks) if at is not None else (0 if step > 0 else -1)
    _focus(docks[row])


def _docks_in_sight(workspace: QWidget) -> list[QWidget]:
    """The docks and what stands between them: left to right, then top to bottom where they begin alike."""
    parts: list[QWidget | None] = [*workspace.findChildren(QDockWidget)]
    if isinstance(workspace, QMainWindow):
        parts.append(workspace.centralWidget())  # None where docks fill the whole
    in_sight = [part for part in parts if part is not None and not part.visibleRegion().isEmpty()]
    return sorted(in_sight, key=lambda part: _place(part, workspace))


def _place(part: QWidget, workspace: QWidget) -> tuple[int, int]:
    corner = part.mapTo(workspace, QPoint(0, 0))
    return corner.x(), corner.y()


def _focus(part: QWidget) -> None:
    """The first widget of the dock that takes the focus by Tab."""
    body = part.widget() if isinstance(part, QDockWidget) else part
    for widget in (body, *body.findChildren(QWidget)):
        takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if takes and widget.isVisible() and widget.isEnabled():
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            return
