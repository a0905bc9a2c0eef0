"""One way to tell views that cells have changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex

_NOWHERE = QModelIndex()


def emit_changed(
    model: QAbstractItemModel,
    rows: tuple[int, int],
    columns: tuple[int, int],
    parent: QModelIndex | QPersistentModelIndex = _NOWHERE,
    roles: Sequence[int] = (),
) -> None:
    """Emit `dataChanged` for rows and columns (first, last), as far as they are there.

    A view may name rows that an edit has just removed. Qt complains of a range that is not valid.
    """
    first_row, last_row = max(rows[0], 0), min(rows[1], model.rowCount(parent) - 1)
    first_column, last_column = max(columns[0], 0), min(columns[1], model.columnCount(parent) - 1)
    if first_row > last_row or first_column > last_column:
        return
    first, last = model.index(first_row, first_column, parent), model.index(last_row, last_column, parent)
    if first.isValid() and last.isValid():
        model.dataChanged.emit(first, last, list(roles))
