"""The levels of an explanation as a table: common ones muted, the first that differ tinted."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from fsconsole.app.why_columns import LevelColumn, by_usage, columns_for
from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import icons, marks
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.chips import ChipState, chip_width, paint_chip
from fsconsole.targets.base import Explained

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_INDENT = 8
_MARGIN = 6

ChipRole = int(_Role.UserRole) + 81
"""ChipState of a cell that is drawn as a chip; None for a plain one."""
LevelNodeRole = int(_Role.UserRole) + 82
"""Id of the node of a row."""


class LevelModel(RowModel[Any]):
    """Rows are the explanation's levels; the columns follow the policy."""

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        self._session = session
        self._shown: tuple[LevelColumn, ...] = by_usage()
        super().__init__(self._made_columns(), parent, key=lambda level: level.node)
        theme().changed.connect(self.emit_changed)

    def show_explanation(self, found: Explained | None) -> None:
        """Show another explanation; if it has the same rows, the selection stays."""
        columns = self._shown
        if found is not None:
            columns = columns_for(found.rule, leaves_out=found.leaves_out_system)
        if columns is not self._shown:
            self._shown = columns
            self.set_columns(self._made_columns())
        self.set_rows(() if found is None else tuple(found.levels))
        self.emit_changed()  # The chips compare rows with each other.

    def is_common(self, row: int) -> bool:
        """Return True if a level lies above both users."""
        return self.rows[row].which == "common" and any(level.is_parting for level in self.rows)

    def has_room(self, section: int, width: int) -> bool:
        """Return True if a column shows in a table of this width."""
        return width >= self._shown[section].room_px

    def _made_columns(self) -> list[Column[Any]]:
        return [self._made(column, is_first=not at) for at, column in enumerate(self._shown)]

    def _made(self, column: LevelColumn, *, is_first: bool) -> Column[Any]:
        def text(level: Any) -> str:
            return "common" if column.is_judged and level.which == "common" else column.text(level)

        def mark(level: Any) -> QPixmap:
            return _mark(level.depth, self._session.curves.style(level.node).colour_token)

        more: dict[int, Callable[[Any], Any]] = {
            LevelNodeRole: lambda level: level.node,
            ChipRole: lambda level: self._chip(level, column),
            int(_Role.BackgroundRole): lambda level: colour("alt") if level.is_parting else None,
        }
        if is_first:
            more[int(_Role.DecorationRole)] = mark
        return Column(
            column.title, text, column.tip, full=column.full, is_number=not is_first, more=more,
            ink=lambda level: "muted" if level.which == "common" else "",
        )  # fmt: skip

    def _chip(self, level: Any, column: LevelColumn) -> ChipState | None:
        if not (column.is_judged and level.is_parting):
            return None
        values = [column.value(other) for other in self.rows if other.is_parting]
        return "ok" if column.value(level) == min(values) != max(values) else "neutral"


class ChipDelegate(QStyledItemDelegate):
    """Draws cells with a chip state as chips at the right, all others as usual."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        size = super().sizeHint(option, index)
        if index.data(ChipRole) is not None:
            made = QStyleOptionViewItem(option)
            self.initStyleOption(made, index)
            size.setWidth(max(size.width(), chip_width(made.fontMetrics, made.text) + 2 * _MARGIN))
        return size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        state = index.data(ChipRole)
        if state is None:
            super().paint(painter, option, index)
            return
        text = str(index.data() or "")
        empty = QStyleOptionViewItem(option)
        self.initStyleOption(empty, index)
        empty.text = ""
        view = self.parent()
        if isinstance(view, QWidget):
            view.style().drawControl(view.style().ControlElement.CE_ItemViewItem, empty, painter, view)
        width = chip_width(empty.fontMetrics, text)
        rect = empty.rect.adjusted(0, 0, -_MARGIN, 0)
        rect.setLeft(max(rect.left(), rect.right() - width + 1))
        painter.save()
        painter.setFont(empty.font)
        paint_chip(painter, rect, text, state)
        painter.restore()


def _mark(depth: int, token: str) -> QPixmap:
    return _indented(depth, token, theme().palette.hex(token), scaled(_INDENT), icons.sharpest_ratio())


@lru_cache(maxsize=256)
def _indented(depth: int, token: str, _colour: str, indent_px: int, ratio: float) -> QPixmap:
    """Return the chip of a node, further right the deeper it lies."""
    chip = marks.chip(token, ratio)
    shift = max(depth - 1, 0) * indent_px
    made = QPixmap(round(shift * ratio) + chip.width(), chip.height())
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.drawPixmap(shift, 0, chip)
    return made
