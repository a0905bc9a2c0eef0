"""Where the keyboard is: the order of Tab through the window, and the mark on the dock that has the focus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import shiboken6
from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QApplication, QMainWindow, QScrollArea, QTabBar, QWidget

from fsconsole.console.widgets.dock import Dock, DockHeader
from fsconsole.console.widgets.lost_focus import leave_lost_widget
from fsconsole.console.workspace_stack import WorkspaceStack

_ABOVE, _PAGE, _BELOW = range(3)
_BAR_PX = 40  # Approximate height of a bar in a workspace.
_AFTER_HEADER = 100_000
Place = tuple[int, int, int, int, int]


class KeyboardFocus(QObject):
    """Takes the focus through what is in sight: bars, then the docks as F6 does, then the status bar.

    Qt's own order is that in which parts were made, and it enters docks that lie behind a tab. It is not
    asked for here: a widget got by `nextInFocusChain` takes Python's hold of others with it when it goes.
    """

    def __init__(self, window: QMainWindow, stack: WorkspaceStack) -> None:
        super().__init__(window)
        self._window, self._stack = window, stack
        self._header: DockHeader | None = None
        cast("QApplication", QApplication.instance()).focusChanged.connect(self._on_focus)

    def step(self, *, is_forward: bool) -> bool:
        """Give the focus to the next stop, or to the one before; False where nothing takes it."""
        if leave_lost_widget(self._window):
            return True
        stops = self.stops()
        if not stops:
            return False
        target = stops[self._row_after(stops, is_forward=is_forward)]
        self._window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        reason = Qt.FocusReason.TabFocusReason if is_forward else Qt.FocusReason.BacktabFocusReason
        target.setFocus(reason)
        _scroll_to(target)
        return True

    def stops(self) -> list[QWidget]:
        """Return the widgets that Tab visits, in their order."""
        found = [(self._place(widget, at), widget) for at, widget in enumerate(self._takers())]
        return [widget for _, widget in sorted(found, key=lambda pair: pair[0])]

    def _row_after(self, stops: list[QWidget], *, is_forward: bool) -> int:
        here: QWidget | None = self._window.focusWidget()
        if here in stops:
            return (stops.index(here) + (1 if is_forward else -1)) % len(stops)
        part = self._part(here) if here is not None else None
        beside = [row for row, stop in enumerate(stops) if part is not None and self._part(stop) is part]
        inside = beside or [row for row, stop in enumerate(stops) if self._stack.page.isAncestorOf(stop)]
        return (inside or [0, -1])[0 if is_forward else -1]

    def _takers(self) -> Iterator[QWidget]:
        """Yield the widgets that take the focus by Tab and are in sight, or would be after scrolling."""
        for widget in self._window.findChildren(QWidget):
            takes = (widget.focusPolicy() & Qt.FocusPolicy.TabFocus) == Qt.FocusPolicy.TabFocus
            if takes and widget.window() is self._window and widget.isVisible() and widget.isEnabled():
                dock = _dock_of(widget)
                is_part = widget.focusProxy() is not None or isinstance(widget.parent(), QTabBar)
                if not is_part and (dock is None or dock.geometry().right() > 0):
                    yield widget

    def _place(self, widget: QWidget, at: int) -> Place:
        """Return the sort key: band of the window, then reading order; bars go from left to right."""
        page, part = self._stack.page, self._part(widget)
        left = widget.mapTo(self._window, QPoint(0, 0)).x()
        if not page.isAncestorOf(widget):
            top = part.mapTo(self._window, QPoint(0, 0)).y()
            is_above = top <= page.mapTo(self._window, QPoint(0, 0)).y()
            return _ABOVE if is_above else _BELOW, top, 0, left, at
        if not isinstance(page, QMainWindow):
            return _PAGE, 0, 0, 0, at
        if isinstance(part, Dock):
            in_header = part.header.isAncestorOf(widget)
            return _PAGE, part.x(), part.y(), left if in_header else _AFTER_HEADER, at
        middle = widget.mapTo(part, widget.rect().center()).y()
        return _PAGE, part.x(), part.y() + middle // _BAR_PX * _BAR_PX, left, at

    def _part(self, widget: QWidget) -> QWidget:
        """Return the part of the workspace, or of the window around it, that a widget belongs to."""
        page, frame = self._stack.page, self._window.centralWidget()
        part = widget
        while (parent := part.parentWidget()) not in (None, page, frame, self._window):
            part = parent
        return part

    @Slot(QWidget, QWidget)
    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Mark the dock that the keyboard has moved to; a click needs no mark."""
        if not shiboken6.isValid(self._window):
            return
        by_keys = QApplication.mouseButtons() == Qt.MouseButton.NoButton
        dock = _dock_of(now) if now is not None and by_keys and now.window() is self._window else None
        header = dock.header if dock is not None else None
        if header is self._header:
            return
        for one, has_focus in ((self._header, False), (header, True)):
            if one is not None:
                one.mark_focus(has_focus=has_focus)
        self._header = header


def _dock_of(widget: QWidget) -> Dock | None:
    part: QWidget | None = widget
    while part is not None and not isinstance(part, Dock):
        part = part.parentWidget()
    return part


def _scroll_to(widget: QWidget) -> None:
    part = widget.parentWidget()
    while part is not None:
        if isinstance(part, QScrollArea):
            part.ensureWidgetVisible(widget)
        part = part.parentWidget()
