"""Ctrl+C in a table: the selected cells as lines of tab-parted values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QTableView, QTreeView

CopyRole = int(Qt.ItemDataRole.UserRole) + 72
"""str with all digits of a cell; None where the text shown is all there is."""


def copy_by_keys(view: QTreeView | QTableView) -> None:
    """Have Ctrl+C copy the selected cells while the table has the focus."""
    shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
    shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
    shortcut.activated.connect(lambda: copy_cells(view))


def copy_cells(view: QTreeView | QTableView) -> None:
    """Put the selected cells that show on the clipboard; nothing where none is selected."""
    header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
    chosen = [index for index in _selected(view) if not header.isSectionHidden(index.column())]
    if chosen:
        QGuiApplication.clipboard().setText(tsv_of(chosen, header.visualIndex))


def tsv_of(indexes: Iterable[QModelIndex], place_of: Callable[[int], int]) -> str:
    """A line for each row from the top, cells from the left; `place_of` says where a column stands."""
    lines: dict[tuple[int, ...], dict[int, str]] = {}
    for index in indexes:
        lines.setdefault(_way_to(index), {})[place_of(index.column())] = _text(index)
    return "\n".join("\t".join(line for _, line in sorted(lines[way].items())) for way in sorted(lines))


def _selected(view: QAbstractItemView) -> list[QModelIndex]:
    return view.selectionModel().selectedIndexes()


def _way_to(index: QModelIndex) -> tuple[int, ...]:
    way = []
    while index.isValid():
        way.append(index.row())
        index = index.parent()
    return tuple(reversed(way))


def _text(index: QModelIndex) -> str:
    found = index.data(CopyRole)
    return str(found if found is not None else index.data() or "")
