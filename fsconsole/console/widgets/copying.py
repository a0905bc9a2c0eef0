"""Tables on the clipboard: lines of tab-separated values, with numbers as terminals have them.

No name is a formula for the spreadsheet that they are pasted into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QTableView, QTreeView

from fsconsole.text.csv_text import tsv_cell
from fsconsole.text.numbers import on_terminal

CopyRole = int(Qt.ItemDataRole.UserRole) + 72
"""str with all digits of a cell; None where the text shown is all there is."""


def copy_by_keys(view: QTreeView | QTableView) -> None:
    """Have Ctrl+C copy the selected cells while the table has the focus."""
    shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
    shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
    shortcut.activated.connect(lambda: copy_cells(view))


def copy_cells(view: QTreeView | QTableView) -> None:
    """Put the selected cells that show on the clipboard; nothing where none is selected."""
    if isinstance(view, QTableView):
        text = _tsv_of_table(view)
    else:
        header = view.header()
        chosen = view.selectionModel().selectedIndexes()
        shown = [index for index in chosen if not header.isSectionHidden(index.column())]
        text = tsv_of(shown, header.visualIndex)
    if text:
        copy_text(text)


def copy_rows(rows: Iterable[Sequence[str]]) -> None:
    """Put rows of cells on the clipboard."""
    copy_text("\n".join("\t".join(map(tsv_cell, row)) for row in rows))


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(on_terminal(text))


def tsv_of(indexes: Iterable[QModelIndex], place_of: Callable[[int], int]) -> str:
    """Return a line for each row from the top, cells from the left; `place_of` gives a column's place."""
    lines: dict[tuple[int, ...], dict[int, str]] = {}
    for index in indexes:
        lines.setdefault(_way_to(index), {})[place_of(index.column())] = _text(index)
    return "\n".join("\t".join(line for _, line in sorted(lines[way].items())) for way in sorted(lines))


def _tsv_of_table(view: QTableView) -> str:
    """Return the selection of a table as TSV, by ranges: an index for each of 100,000 cells takes seconds."""
    model, header, ranges = view.model(), view.horizontalHeader(), view.selectionModel().selection()
    cells: dict[int, set[int]] = {}
    for one in map(ranges.at, range(ranges.size())):
        columns = [at for at in range(one.left(), one.right() + 1) if not header.isSectionHidden(at)]
        for row in range(one.top(), one.bottom() + 1) if columns else ():
            cells.setdefault(row, set()).update(columns)
    return "\n".join(
        "\t".join(_text(model.index(row, at)) for at in sorted(columns, key=header.visualIndex))
        for row, columns in sorted(cells.items())
    )


def _way_to(index: QModelIndex) -> tuple[int, ...]:
    way = []
    while index.isValid():
        way.append(index.row())
        index = index.parent()
    return tuple(reversed(way))


def _text(index: QModelIndex) -> str:
    found = index.data(CopyRole)
    return tsv_cell(str(found if found is not None else index.data() or ""))
