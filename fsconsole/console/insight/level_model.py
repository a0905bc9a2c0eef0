"""The levels of an explanation as a table: common ones muted, the first that differ tinted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from fsconsole.console.insight.why_columns import BY_USAGE, LevelColumn, columns_for
from fsconsole.console.look import icons, marks
from fsconsole.console.look.theme import colour, theme
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.chips import ChipState, chip_width, paint_chip
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.widgets.model_news import tell_changed
from fsconsole.targets.base import Explained

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_INDENT = 8
_MARGIN = 6

ChipRole = int(_Role.UserRole) + 81
"""ChipState of a cell that is drawn as a chip; None for a plain one."""
LevelNodeRole = int(_Role.UserRole) + 82
"""Id of the node of a row."""


class LevelModel(QAbstractTableModel):
    """Rows are the explanation's levels; the columns follow the policy."""

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._levels: tuple[Any, ...] = ()
        self._columns: tuple[LevelColumn, ...] = BY_USAGE
        theme().changed.connect(self._repaint)

    def show_explanation(self, found: Explained | None) -> None:
        """Show another explanation; where it has the same rows, the selection stays."""
        levels = () if found is None else tuple(found.levels)
        columns = self._columns if found is None else columns_for(found.rule)
        is_same = columns is self._columns and [level.node for level in levels] == self.nodes
        if is_same:
            self._levels = levels
            self._repaint()
            return
        self.beginResetModel()
        self._levels, self._columns = levels, columns
        self.endResetModel()

    @property
    def levels(self) -> tuple[Any, ...]:
        """From the root: common, the way to the one, the way to the other."""
        return self._levels

    @property
    def nodes(self) -> list[int]:
        """Node ids from top to bottom."""
        return [level.node for level in self._levels]

    def is_common(self, row: int) -> bool:
        """Whether a level lies above both users."""
        return self._levels[row].which == "common" and any(level.is_parting for level in self._levels)

    def has_room(self, section: int, width: int) -> bool:
        """Whether a column shows in a table of this width."""
        return width >= self._columns[section].room_px

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Levels of both ways."""
        return 0 if parent.isValid() else len(self._levels)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """As many as the policy needs."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Text, colours and chips."""
        if not index.isValid() or index.row() >= len(self._levels):
            return None
        level, column = self._levels[index.row()], self._columns[index.column()]
        is_common = level.which == "common"
        if role == _Role.DisplayRole:
            return "common" if column.is_judged and is_common else column.text(level)
        if role in (_Role.ToolTipRole, CopyRole):
            return column.full(level)
        if role == LevelNodeRole:
            return level.node
        if role == _Role.ForegroundRole:
            return colour("muted") if is_common else None
        if role == _Role.BackgroundRole:
            return colour("alt") if level.is_parting else None
        if role == _Role.TextAlignmentRole:
            return _RIGHT if index.column() else None
        if role == _Role.DecorationRole and index.column() == 0:
            return _mark(level.depth, self._session.curves.style(level.node).colour_token)
        return self._chip(level, column) if role == ChipRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        if role == _Role.DisplayRole:
            return self._columns[section].title
        if role == _Role.ToolTipRole:
            return self._columns[section].tip or None
        return _RIGHT if role == _Role.TextAlignmentRole and section else None

    def _chip(self, level: Any, column: LevelColumn) -> ChipState | None:
        if not (column.is_judged and level.is_parting):
            return None
        values = [column.value(other) for other in self._levels if other.is_parting]
        return "ok" if column.value(level) == min(values) != max(values) else "neutral"

    def _repaint(self) -> None:
        tell_changed(self, (0, len(self._levels) - 1), (0, len(self._columns) - 1))


class ChipDelegate(QStyledItemDelegate):
    """Draws cells with a chip state as chips at the right, all others as usual."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Wide enough for the chip round the text."""
        size = super().sizeHint(option, index)
        if index.data(ChipRole) is not None:
            made = QStyleOptionViewItem(option)
            self.initStyleOption(made, index)
            size.setWidth(max(size.width(), chip_width(made.fontMetrics, made.text) + 2 * _MARGIN))
        return size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """The row's ground first, then the chip."""
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
    return _indented(depth, token, theme().palette.hex(token), icons.sharpest_ratio())


@lru_cache(maxsize=256)
def _indented(depth: int, token: str, _colour: str, ratio: float) -> QPixmap:
    """The chip of a node, further right the deeper it lies."""
    chip = marks.chip(token, ratio)
    shift = max(depth - 1, 0) * _INDENT
    made = QPixmap(round((shift + marks.CHIP_WIDTH) * ratio), chip.height())
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    with QPainter(made) as painter:
        painter.drawPixmap(shift, 0, chip)
    return made
