"""Tables on the clipboard: lines of tab-separated values below their titles, numbers as terminals have them.

No name is a formula for the spreadsheet that they are pasted into.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QTableView, QTreeView

from fsconsole.text.csv_text import tsv_cell
from fsconsole.text.numbers import on_terminal

CopyRole = int(Qt.ItemDataRole.UserRole) + 72
"""str with all digits of a cell; None where the text shown is all there is."""
Cells = tuple[QModelIndex, range, range]
"""Rows and columns below a row, or below an invalid index."""


def selected_cells(view: QTreeView | QTableView) -> Iterator[Cells]:
    """Yield the selection by ranges: Qt holds each row or cell of its own lists against all ranges."""
    ranges = view.selectionModel().selection()
    for one in map(ranges.at, range(ranges.size())):
        yield one.parent(), range(one.top(), one.bottom() + 1), range(one.left(), one.right() + 1)


def copy_by_keys(view: QTreeView | QTableView) -> None:
    """Have Ctrl+C copy the selected cells while the table has the focus."""
    shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
    shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
    shortcut.activated.connect(lambda: copy_cells(view))


def copy_cells(view: QTreeView | QTableView) -> None:
    """Put the selected cells that show on the clipboard, with titles; nothing where none is selected."""
    if rows := _rows_of(view, selected_cells(view)):
        copy_rows(rows)


def table_rows(view: QTreeView | QTableView, titles: Sequence[str] = ()) -> list[list[str]]:
    """Return all rows of the top level as they show, below titles, by default those of the header."""
    rows, columns = range(view.model().rowCount()), range(view.model().columnCount())
    return _rows_of(view, [(QModelIndex(), rows, columns)], titles)


def copy_rows(rows: Iterable[Sequence[str]]) -> None:
    """Put rows of cells on the clipboard."""
    copy_text("\n".join("\t".join(map(tsv_cell, row)) for row in rows))


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(on_terminal(text))


def _rows_of(
    view: QTreeView | QTableView, chosen: Iterable[Cells], titles: Sequence[str] = ()
) -> list[list[str]]:
    """Return titles, and each row from the top with its cells from the left; nothing without any row."""
    header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
    model, found = view.model(), dict[tuple[int, ...], tuple[QModelIndex, set[int]]]()
    for parent, rows, columns in chosen:
        shown, way = [at for at in columns if not header.isSectionHidden(at)], _way_to(parent)
        for row in rows if shown else ():
            found.setdefault((*way, row), (parent, set()))[1].update(shown)
    places = sorted(set().union(*(cells for _, cells in found.values())), key=header.visualIndex)
    across = Qt.Orientation.Horizontal
    names = [titles[at] if titles else str(model.headerData(at, across) or "") for at in places]
    table = [
        [_text(model.index(way[-1], at, parent)) if at in cells else "" for at in places]
        for way, (parent, cells) in sorted(found.items(), key=lambda line: line[0])
    ]
    return [names, *table] if table else []


def _way_to(index: QModelIndex) -> tuple[int, ...]:
    way = []
    while index.isValid():
        way.append(index.row())
        index = index.parent()
    return tuple(reversed(way))


def _text(index: QModelIndex) -> str:
    found = index.data(CopyRole)
    return str(found if found is not None else index.data() or "")
