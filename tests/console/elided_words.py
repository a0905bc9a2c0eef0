"""Words that are cut where they stand and are not whole in a tooltip, by what is shown where."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTableView,
    QTreeView,
    QWidget,
)

from fsconsole.console.style.header_titles import lines_that_fit, title_lines
from fsconsole.console.widgets.elided import ElidedLabel

_CELL_MARGIN = 2 * 3
_ROLE = Qt.ItemDataRole


def unexplained(window: QWidget) -> list[str]:
    """What is cut in sight and has no tooltip that holds it whole, in words."""
    found = []
    for one in window.findChildren(QWidget):
        if one.isVisible() and not one.visibleRegion().isEmpty():
            found += [
                f"{_place(one)}: {words!r}, tooltip {tip!r}" for words, tip in _cut(one) if words not in tip
            ]
    return found


def _cut(one: QWidget) -> Iterator[tuple[str, str]]:
    """Words that are cut in a widget, and the tooltip there."""
    metrics = one.fontMetrics()
    if isinstance(one, ElidedLabel):
        if one._shown() != one.text():
            yield one.text(), one.toolTip()
    elif isinstance(one, QTabBar):
        for at in range(one.count()):
            if metrics.horizontalAdvance(one.tabText(at)) > one.tabRect(at).width():
                yield one.tabText(at), one.tabToolTip(at)
    elif isinstance(one, QComboBox):
        option = QStyleOptionComboBox()
        one.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = one.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, one)
        if not one.isEditable() and metrics.horizontalAdvance(one.currentText()) > room.width():
            yield one.currentText(), one.toolTip()
    elif isinstance(one, QHeaderView):
        yield from _cut_titles(one)
    elif isinstance(one, QTableView | QTreeView):
        yield from _cut_cells(one)


def _cut_titles(header: QHeaderView) -> Iterator[tuple[str, str]]:
    model, metrics = header.model(), header.fontMetrics()
    if header.orientation() is Qt.Orientation.Vertical:
        return
    for at in range(header.count()):
        title = str(model.headerData(at, header.orientation(), _ROLE.DisplayRole) or "")
        if header.isSectionHidden(at) or not title:
            continue
        lines = title_lines(
            title, metrics, header.sectionSize(at) - 4, lines_that_fit(metrics, header.height())
        )
        if any("…" in line for line in lines) and "…" not in title:
            about = str(model.headerData(at, header.orientation(), _ROLE.ToolTipRole) or "")
            yield title, about


def _cut_cells(view: QTableView | QTreeView) -> Iterator[tuple[str, str]]:
    metrics = view.fontMetrics()
    header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
    for index in _in_sight(view):
        words = str(index.data(_ROLE.DisplayRole) or "")
        if header.isSectionHidden(index.column()) or not words:
            continue
        room = view.visualRect(index).width() - _CELL_MARGIN
        if index.data(_ROLE.DecorationRole) is not None:
            room -= view.iconSize().width()
        if metrics.horizontalAdvance(words) > room:
            yield words, str(index.data(_ROLE.ToolTipRole) or "")


def _in_sight(view: QAbstractItemView) -> Iterator[QModelIndex]:
    y, height = 2, view.viewport().height()
    while y < height:
        first = view.indexAt(QPoint(2, y))
        if not first.isValid():
            return
        for column in range(first.model().columnCount(first.parent())):
            yield first.siblingAtColumn(column)
        y = view.visualRect(first).bottom() + 3


def _place(one: QWidget) -> str:
    above = one.parentWidget()
    name = one.accessibleName() or (above.accessibleName() if above is not None else "")
    return f"{type(one).__name__} {name}"
