"""What of a window cannot be read: words that are cut, parts that lie over each other, by geometry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QSizePolicy,
    QTabBar,
    QTableView,
    QWidget,
)

from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.elided import ElidedLabel, RichLine
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WorkspaceArea

_TURNS = 40  # of the event loop at most, until nothing moves any more
_STILL = 4


def settle(window: QWidget) -> None:
    """Let events be dealt with until all parts of a window keep their places."""
    same, before = 0, None
    for _ in range(_TURNS):
        QApplication.processEvents()
        now = [(id(one), one.geometry().getRect()) for one in window.findChildren(QWidget) if one.isVisible()]
        same = same + 1 if now == before else 0
        before = now
        if same >= _STILL:
            return


def unreadable(window: ConsoleWindow) -> list[str]:
    """What is cut or covered, in words; nothing where all is well."""
    return [*_cut(window), *_squeezed(window), *_covered(window)]


def cut_in(dialog: QWidget) -> list[str]:
    """What is cut in a dialog, or lies over something else, in words."""
    return [*_cut(dialog), *_squeezed(dialog)]


def scrolls(window: ConsoleWindow) -> bool:
    """Return True if the page at the front is larger than its room."""
    page = window.frame.stack.currentWidget()
    if not isinstance(page, WorkspaceArea):
        return False
    return any(bar.maximum() > 0 for bar in (page.horizontalScrollBar(), page.verticalScrollBar()))


def is_whole(widget: QWidget) -> bool:
    """Return True if nothing of a widget is out of sight or covered by another one beside it."""
    return QRegion(widget.rect()).subtracted(widget.visibleRegion()).isEmpty()


def _in_sight(window: QWidget) -> Iterator[QWidget]:
    for one in window.findChildren(QWidget):
        if one.isVisible() and one.window() is window and not one.visibleRegion().isEmpty():
            yield one


def _cut(window: QWidget) -> Iterator[str]:
    """Labels and buttons that are smaller than their words."""
    for one in _in_sight(window):
        if isinstance(one, ElidedLabel | RichLine):
            if _lines_px(one) > one.height():
                yield f"letters are cut at the foot: {_name(one)}"
        elif isinstance(one, QLabel) and one.text() and not one.wordWrap():
            if one.sizeHint().width() > one.width() + 1 or _lines_px(one) > one.height():
                yield f"label is cut: {_name(one)} {one.sizeHint().toTuple()} in {one.size().toTuple()}"
        elif isinstance(one, QAbstractButton) and not _is_drawn_by_qt(one):
            needs = one.minimumSizeHint() if _is_elastic(one) else one.sizeHint()
            if needs.width() > one.width() + 1 or min(needs.height(), _lines_px(one)) > one.height():
                yield f"button is cut: {_name(one)} {needs.toTuple()} in {one.size().toTuple()}"


def _squeezed(window: QWidget) -> Iterator[str]:
    """Parts of one layout that lie over each other, or stick out of what they stand in."""
    for parent in _in_sight(window):
        layout = parent.layout()
        if layout is None or isinstance(parent, QMainWindow):
            continue
        items = (layout.itemAt(at) for at in range(layout.count()))
        widgets = (item.widget() for item in items if item is not None)
        shown = [one for one in widgets if one is not None and one.isVisible()]
        for one, other in combinations(shown, 2):
            common = one.geometry() & other.geometry()
            if common.width() > 1 and common.height() > 1 and not _are_pages(parent):
                yield f"{_name(one)} and {_name(other)} overlap in {_name(parent)}"
        for one in shown:
            if not parent.rect().adjusted(-1, -1, 1, 1).contains(one.geometry()):
                yield f"{_name(one)} sticks out of {_name(parent)}"


def _covered(window: ConsoleWindow) -> Iterator[str]:
    """Docks that lie over each other, and heads that something else lies over."""
    workspace = window.current
    if workspace is None:
        return
    docks = [one for one in workspace.findChildren(Dock) if _is_seen(one, workspace)]
    for one, other in combinations(docks, 2):
        common = _place(one, workspace) & _place(other, workspace)
        if common.width() > 1 and common.height() > 1:
            yield f"docks overlap: {one.windowTitle()} and {other.windowTitle()}"
    for dock in docks:
        if not workspace.rect().contains(_place(dock, workspace)):
            yield f"dock sticks out: {dock.windowTitle()}"
        if not scrolls(window) and not is_whole(dock.header._title):
            yield f"title is covered: {dock.windowTitle()}"
        for header in dock.content.findChildren(QHeaderView):
            if header.isVisible() and header.orientation() is Qt.Orientation.Horizontal:
                needed = header.fontMetrics().height()
                seen = header.viewport().visibleRegion().boundingRect().height()
                if not scrolls(window) and seen < needed:
                    yield f"column titles are covered: {dock.windowTitle()}"


def _is_seen(dock: Dock, workspace: QWidget) -> bool:
    return dock.isVisible() and dock.content.isVisible() and dock.geometry().right() > 0


def _place(one: QWidget, within: QWidget) -> QRect:
    return QRect(one.mapTo(within, QPoint(0, 0)), one.size())


def _lines_px(one: QWidget) -> int:
    """Height of the letters of a line, from the top of the highest to the foot of the lowest."""
    metrics = one.fontMetrics()
    return metrics.capHeight() + metrics.descent()


def _is_elastic(one: QAbstractButton) -> bool:
    """Return True if a button elides its own words."""
    return bool(one.sizePolicy().horizontalPolicy().value & QSizePolicy.PolicyFlag.ShrinkFlag.value)


def _is_drawn_by_qt(one: QAbstractButton) -> bool:
    """Return True if a button is a corner or an arrow of Qt's, or has one sign that it was sized for."""
    return (
        isinstance(one.parentWidget(), QHeaderView | QLineEdit | QTabBar | QTableView) or len(one.text()) <= 1
    )


def _are_pages(parent: QWidget) -> bool:
    return parent.inherits("QStackedWidget")


def _name(one: QWidget) -> str:
    words = one.accessibleName() or getattr(one, "text", str)()
    return f"{type(one).__name__} '{words}'"
