"""The share bar: a part of something as a bar in a table cell, its number right of it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from fsconsole.console.style import paint
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text

GROUP_BAR_WIDTH = 84
MACHINE_BAR_WIDTH = 70
BAR_HEIGHT = 10

_MARGIN = 8
_GAP = 8


class ShareBarRole(IntEnum):
    """Data of a model for the bar besides the number's text (DisplayRole).

    The model also gives AccessibleTextRole, for instance by `numbers.spoken_percent`.
    """

    FRACTION = Qt.ItemDataRole.UserRole + 64
    """float 0 to 1, or None for no bar."""
    OLD_FRACTION = Qt.ItemDataRole.UserRole + 65
    """float 0 to 1: value before an uncommitted or unsaved change; None for no mark."""
    COLOUR = Qt.ItemDataRole.UserRole + 66
    """Colour token of the fill."""
    DIFFERENCE = Qt.ItemDataRole.UserRole + 67
    """Text of the change in points, in accent right of the number; None for none."""
    NOTE = Qt.ItemDataRole.UserRole + 68
    """Text on how the number is counted, muted right of it; None for none."""


class ShareBarDelegate(QStyledItemDelegate):
    """Draws track, fill, mark of the old value, number and difference of a cell."""

    def __init__(self, parent: QWidget, bar_width: int, widest: str = "100.000 %") -> None:
        """`bar_width` in px; `widest` is the longest number's text, right-aligned beside the bar."""
        super().__init__(parent)
        self._bar_width = bar_width
        self._widest = widest

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        view = option.widget
        view.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, view)
        bar = self._bar_rect(option.rect)
        fraction = index.data(ShareBarRole.FRACTION)
        if fraction is not None:
            token, old = index.data(ShareBarRole.COLOUR) or "g1", index.data(ShareBarRole.OLD_FRACTION)
            paint_bar(painter, bar, fraction, token, old)
        self._paint_texts(painter, option, bar, _beside(index))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        width = 2 * _MARGIN + self._bar_width + _GAP + self._number_px(shown)
        for text, _token in _beside(index):
            width += _GAP + option.fontMetrics.horizontalAdvance(text)
        size.setWidth(width)
        return size

    def _number_px(self, option: QStyleOptionViewItem) -> int:
        """Return the room of a number: that of the longest expected one, or its own where it is longer."""
        return max(map(option.fontMetrics.horizontalAdvance, (self._widest, option.text)))

    def _bar_rect(self, cell: QRect) -> QRect:
        y = cell.y() + (cell.height() - BAR_HEIGHT) // 2
        return QRect(cell.x() + _MARGIN, y, self._bar_width, BAR_HEIGHT)

    def _paint_texts(
        self, painter: QPainter, option: QStyleOptionViewItem, bar: QRect, beside: Iterable[tuple[str, str]]
    ) -> None:
        painter.setFont(option.font)
        metrics = option.fontMetrics
        cell, left = option.rect, bar.right() + 1 + _GAP
        width = min(self._number_px(option), max(cell.right() - left, 0))
        align = Qt.AlignmentFlag.AlignVCenter
        number = QRect(left, cell.y(), width, cell.height())
        painter.setPen(option.palette.color(option.palette.ColorRole.Text))
        draw_text(painter, number, align | Qt.AlignmentFlag.AlignRight, option.text)
        at = number.right() + _GAP
        for text, token in beside:
            painter.setPen(colour(token))
            rest = QRect(at, cell.y(), cell.right() - at, cell.height())
            draw_text(painter, rest, align | Qt.AlignmentFlag.AlignLeft, text)
            at += metrics.horizontalAdvance(text) + _GAP


def _beside(index: QModelIndex | QPersistentModelIndex) -> list[tuple[str, str]]:
    """Return texts right of the number with their colour tokens."""
    roles = ((ShareBarRole.NOTE, "muted"), (ShareBarRole.DIFFERENCE, "accent"))
    return [(text, token) for role, token in roles if (text := index.data(role))]


def paint_bar(
    painter: QPainter, bar: QRect, fraction: float, token: str, old_fraction: float | None = None
) -> None:
    """Track and fill (fraction 0 to 1, more is cut) and a 1 px mark of the value before a change."""
    paint.track(painter, bar)
    filled = _part(bar, fraction)
    if filled:
        painter.fillRect(bar.x(), bar.y(), filled, bar.height(), colour(token))
    if old_fraction is not None:
        at = min(_part(bar, old_fraction), bar.width() - 1)
        painter.fillRect(bar.x() + at, bar.y() - 1, 1, bar.height() + 2, colour("text"))


def _part(bar: QRect, fraction: float) -> int:
    return round(bar.width() * min(max(fraction, 0.0), 1.0))
