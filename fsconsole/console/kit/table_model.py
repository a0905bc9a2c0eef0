"""Columns over rows of any kind, and the one model of such rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont

from fsconsole.console.style.icons import pixmap
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.widgets.model_news import emit_changed
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.text.visible_text import visible_line

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")
NO_INDEX = QModelIndex()
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Role = Qt.ItemDataRole
_MOST_FRESH = 50
_LIT: dict[int, str] = {_Role.BackgroundRole: "hover", _Role.ForegroundRole: "accent"}


@dataclass(frozen=True, slots=True)
class Bar(Generic[Row]):
    """A bar left of a number.

    Attributes:
        fraction: 0 to 1; None for no bar.
        token: its colour.
        width: in pixels.
        widest: the longest number that stands right of it.
    """

    fraction: Callable[[Row], float | None]
    width: int
    widest: str = "100.000 %"
    token: Callable[[Row], str] = lambda _row: "c2"


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column of a table.

    Attributes:
        title: of the header; `name` is that in the preferences, the title in small letters where empty.
        text: what a cell says; `full` what the clipboard and the tooltip get, if that is more;
            `tip` what the tooltip gets, if that is something else again.
        about: tooltip of the header.
        order: by what rows are sorted; None for the text.
        ink: token of its colour; empty for that of all text.
        icon: name and token; None for none.
        font: None for that of the table.
        width: in pixels at first; 0 takes what is left, or what Qt gives the last one.
        stretches: gets the room that the others leave, in place of the last one.
        is_name: cut in its middle where there is no room, since ends of names tell them apart.
        edit: the row with a typed text in this cell; ValueError says what would be right. None: not editable.
        more: what it answers in other roles of Qt.
    """

    title: str
    text: Callable[[Row], str]
    about: str = ""
    name: str = ""
    order: Callable[[Row], Any] | None = None
    full: Callable[[Row], str | None] | None = None
    tip: Callable[[Row], str | None] | None = None
    ink: Callable[[Row], str] | None = None
    icon: Callable[[Row], tuple[str, str] | None] | None = None
    bar: Bar[Row] | None = None
    width: int = 0
    font: Callable[[Row], QFont | None] | None = None
    is_number: bool = False
    is_name: bool = False
    stretches: bool = False
    edit: Callable[[Row, str], Row] | None = None
    more: dict[int, Callable[[Row], Any]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its name in the preferences."""
        return self.name or self.title.lower()

    def answers(self) -> dict[int, Callable[[Row], Any]]:
        """Return functions for the values of a cell, by role."""
        found: dict[int, Callable[[Row], Any]] = {
            int(_Role.DisplayRole): _in_a_line(self.text),
            CopyRole: self.full or self.text,
            int(_Role.ToolTipRole): self.tip or self.full or self.text,
        }
        if self.edit is not None:
            found[int(_Role.EditRole)] = self.text
        if self.is_number:
            found[int(_Role.TextAlignmentRole)] = lambda _row: RIGHT
        if (ink := self.ink) is not None:
            found[int(_Role.ForegroundRole)] = lambda row: colour(token) if (token := ink(row)) else None
        if (icon := self.icon) is not None:
            found[int(_Role.DecorationRole)] = lambda row: pixmap(*mark) if (mark := icon(row)) else None
        if self.font is not None:
            found[int(_Role.FontRole)] = self.font
        if self.bar is not None:
            found[int(ShareBarRole.FRACTION)] = self.bar.fraction
            found[int(ShareBarRole.COLOUR)] = self.bar.token
        return found | self.more


def _in_a_line(text: Callable[[Row], str]) -> Callable[[Row], str]:
    """Have a cell show control characters, so that a line break in a name does not part it."""
    return lambda row: visible_line(text(row))


class ColumnsModel(QAbstractTableModel, Generic[Row]):
    """Cells by declared columns; subclasses hold the rows.

    Attributes:
        is_stale: whether what is shown is of a while ago: it is muted.
        is_lit: which rows belong to what is selected elsewhere; None for none.
    """

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_stale = False
        self.is_lit: Callable[[Row], bool] | None = None
        self._declare(columns)

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of all columns."""
        return tuple(self._titles)

    def row_at(self, at: int) -> Row | None:
        """Return a row that is shown; None outside."""
        raise NotImplementedError

    def cells(self, row: Row) -> tuple[str, ...]:
        """Return the texts of a row's cells."""
        return tuple(column.text(row) for column in self.columns)

    def place(self, key: str) -> int:
        """Return the place of the column of that name."""
        return [column.key for column in self.columns].index(key)

    def set_title(self, column: int, title: str) -> None:
        """Give a column another title."""
        if title != self._titles[column]:
            self._titles[column] = title
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)

    def light(self, is_lit: Callable[[Row], bool] | None) -> None:
        """Highlight rows that belong to the selection elsewhere."""
        self.is_lit = is_lit
        self.emit_changed()

    def emit_changed(self, first: int = 0, last: int | None = None) -> None:
        """Have views draw columns, all or some of them, with all rows."""
        last = len(self.columns) - 1 if last is None else last
        emit_changed(self, (0, self.rowCount() - 1), (first, last))

    def _declare(self, columns: Sequence[Column[Row]]) -> None:
        self.columns = tuple(columns)
        self._answers = [column.answers() for column in columns]
        self._titles = [column.title for column in columns]

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if (at := index.row()) < 0:
            return None
        answer = self._answers[index.column()].get(role)
        if self.is_stale:
            if role == _Role.ForegroundRole:
                return colour("muted")
            if role == ShareBarRole.COLOUR and answer is not None:
                return "g3"
            if role == _Role.DecorationRole and (icon := self.columns[index.column()].icon) is not None:
                row = self.row_at(at)
                return pixmap(mark[0], "muted") if row is not None and (mark := icon(row)) else None
        if answer is None and self.is_lit is not None and role in _LIT:
            row = self.row_at(at)
            return colour(_LIT[role]) if row is not None and self.is_lit(row) else None
        if answer is None or (row := self.row_at(at)) is None:
            return None
        return answer(row)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == _Role.DisplayRole:
            return self._titles[section]
        if role == _Role.ToolTipRole:
            return column.about or None
        return RIGHT if role == _Role.TextAlignmentRole and column.is_number else None


class RowModel(ColumnsModel[Row]):
    """Rows in the order given, or of a column once that is sorted by; then it stays so when rows change.

    Rows with the keys that were there keep their places in selections, wherever they move.

    Signals: edited() when a cell was.

    Attributes:
        key: tells rows apart.
        given: all rows, those that the filter leaves out too.
    """

    edited = Signal()

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        parent: QObject | None = None,
        *,
        key: Callable[[Row], Hashable] = lambda row: row,
    ) -> None:
        super().__init__(columns, parent)
        self.key = key
        self.given: Sequence[Row] = ()
        self._rows: Sequence[Row] = ()
        self._keys: list[Hashable] = []
        self._sorted: tuple[int, bool] | None = None
        self._wanted: Callable[[Row], bool] | None = None

    @property
    def rows(self) -> Sequence[Row]:
        """Rows that are shown, in order."""
        return self._rows

    def row_at(self, at: int) -> Row | None:
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def row_of(self, key: Hashable) -> int:
        """Return the place of a row; -1 if it is not shown."""
        return next(iter(self.places_of((key,))), -1)

    def places_of(self, keys: Iterable[Hashable]) -> list[int]:
        """Return the places of rows in the order of their keys, without rows that are not shown."""
        place = {key: at for at, key in enumerate(self._keys)}
        return [place[key] for key in keys if key in place]

    def set_columns(self, columns: Sequence[Column[Row]]) -> None:
        """Have other columns, and no rows."""
        self.beginResetModel()
        self._declare(columns)
        self.given, self._rows, self._keys, self._sorted = (), (), [], None
        self.endResetModel()

    def set_rows(self, rows: Sequence[Row], *, is_stale: bool = False) -> None:
        """Show these rows in place of the last."""
        if rows is self.given and is_stale is self.is_stale and isinstance(rows, tuple):
            return
        self.given = rows
        was_stale, self.is_stale = self.is_stale, is_stale
        self._arrange()
        if is_stale is not was_stale:
            self.emit_changed()

    def set_row(self, at: int, row: Row) -> None:
        """Show another row in place of one with the same key."""
        self.set_rows([*self._rows[:at], row, *self._rows[at + 1 :]], is_stale=self.is_stale)

    def typed(self, index: Index, text: str) -> Row:
        """Return the row with a text in one of its cells.

        Raises:
            ValueError: the text is wrong; the message says what to write.
        """
        row, edit = self._rows[index.row()], self.columns[index.column()].edit
        return row if edit is None else edit(row, text)

    def set_filter(self, is_wanted: Callable[[Row], bool] | None) -> None:
        """Show only some of the rows; None for all."""
        self._wanted = is_wanted
        self._arrange()

    # -- inside ---------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        rows = list(self.given if self._wanted is None else filter(self._wanted, self.given))
        if self._sorted is not None:
            column, is_down = self.columns[self._sorted[0]], self._sorted[1]
            rows.sort(key=column.order or column.text, reverse=is_down)
        self._take(tuple(rows), list(map(self.key, rows)))

    def _take(self, rows: tuple[Row, ...], keys: list[Hashable]) -> None:
        """Show rows in the given order, with signals only for differences."""
        before = self._keys
        if keys == before:
            self._renew(rows)
        elif len(keys) == len(before) and set(keys) == set(before):
            self._move(rows, keys)
        elif not self._insert_at_top(rows, keys):
            self.beginResetModel()
            self._rows, self._keys = rows, keys
            self.endResetModel()

    def _renew(self, rows: tuple[Row, ...]) -> None:
        """Set other values in the same order; signals are limited to the range of differing rows."""
        before, count = self._rows, len(rows)
        self._rows = rows
        if (first := _first_difference(before, rows, range(count))) is not None:
            last = _first_difference(before, rows, range(count - 1, first, -1))
            emit_changed(self, (first, first if last is None else last), (0, len(self.columns) - 1))

    def _move(self, rows: Sequence[Row], keys: list[Hashable]) -> None:
        self.layoutAboutToBeChanged.emit()
        kept, before = self.persistentIndexList(), self._keys
        place = {key: at for at, key in enumerate(keys)} if kept else {}
        self._rows, self._keys = rows, keys
        moved = [self.index(place[before[index.row()]], index.column()) for index in kept]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _insert_at_top(self, rows: tuple[Row, ...], keys: list[Hashable]) -> bool:
        """Insert rows as in a log that shows the newest first, and forgets the oldest."""
        before = self._keys
        fresh = keys.index(before[0]) if before and before[0] in keys[: _MOST_FRESH + 1] else 0
        if not fresh or keys[fresh:] != before[: len(keys) - fresh]:
            return False
        self.beginInsertRows(QModelIndex(), 0, fresh - 1)
        self._rows, self._keys = (*rows[:fresh], *self._rows), keys[:fresh] + before
        self.endInsertRows()
        if len(keys) < len(self._keys):
            self.beginRemoveRows(QModelIndex(), len(keys), len(self._keys) - 1)
            self._rows, self._keys = self._rows[: len(keys)], keys
            self.endRemoveRows()
        self._renew(rows)
        return True

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def setData(self, index: Index, value: object, role: int = _Role.EditRole) -> bool:
        if role != _Role.EditRole:
            return False
        try:
            row = self.typed(index, str(value))
        except ValueError:
            return False
        if row != self._rows[index.row()]:
            self.set_row(index.row(), row)
            self.edited.emit()
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = super().flags(index)
        is_editable = index.isValid() and self.columns[index.column()].edit is not None
        return plain | Qt.ItemFlag.ItemIsEditable if is_editable else plain

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self.columns):
            self._sorted = (column, order is Qt.SortOrder.DescendingOrder)
            self._arrange()


class ArrangedModel(RowModel[Row]):
    """Rows that come in their order, as a thread has put them: to sort so many would hold up the window.

    Signals: order_wanted() with another column or direction.
    """

    order_wanted = Signal()

    @property
    def order(self) -> tuple[Callable[[Row], Any], bool] | None:
        """The value that rows are ordered by, and whether the largest is on top; None for as they come."""
        if self._sorted is None:
            return None
        column, is_down = self.columns[self._sorted[0]], self._sorted[1]
        return column.order or column.text, is_down

    def set_arranged(self, rows: tuple[Row, ...], keys: list[Any]) -> None:
        """Show rows in the order given, with the key of each."""
        self.given = rows
        self._take(rows, keys)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self.columns):
            self._sorted = (column, order is Qt.SortOrder.DescendingOrder)
            self.order_wanted.emit()

    def _renew(self, rows: tuple[Row, ...]) -> None:
        self._rows = rows
        self.emit_changed()  # Comparing this many rows takes longer than drawing the visible ones.


def _first_difference(old: Sequence[Row], new: Sequence[Row], places: range) -> int | None:
    return next((at for at in places if old[at] is not new[at] and old[at] != new[at]), None)
