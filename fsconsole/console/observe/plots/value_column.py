"""The names and values right of a plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.look import paint
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour
from fsconsole.console.observe.plots import y_range
from fsconsole.figures.quantities import Quantity
from fsconsole.figures.style import numbers
from fsconsole.figures.style.curves import CurveStyle

WIDTH = 144
_ROW = 16
_TITLE = 18
_SAMPLE = 18
_MARGIN = 8


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A curve's style, its name and the text of its value."""

    style: CurveStyle
    name: str
    text: str


def value_rows(
    quantity: Quantity,
    named: Mapping[int, tuple[str, CurveStyle]],
    values: Mapping[int, float],
    top: float,
) -> tuple[str, tuple[ValueRow, ...]]:
    """(unit, rows) of the nodes named; all in the SI letter of the plot's top."""
    axis = quantity.axis
    divisor, letter = y_range.letter_of(top * axis.scale)
    unit = "%" if axis.unit == "%" else letter or ("CPU s" if axis.unit == "CPU s" else "")
    if axis.unit == "CPU s" and letter:
        unit = f"{letter} CPU s"
    rows = []
    for node, (name, style) in named.items():
        value = values.get(node)
        shown = None if value is None else value * axis.scale / divisor
        rows.append(ValueRow(style, name, numbers.fixed(shown, 1)))
    return unit, tuple(rows)


class ValueColumn(QWidget):
    """A title with its unit and one row per curve."""

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self._unit = ""
        self._rows: tuple[ValueRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.setFixedWidth(WIDTH)

    @property
    def rows(self) -> tuple[ValueRow, ...]:
        """What is shown."""
        return self._rows

    def say(self, unit: str, rows: tuple[ValueRow, ...]) -> None:
        """Show other values."""
        if (unit, rows) == (self._unit, self._rows):
            return
        self._unit, self._rows = unit, rows
        words = ", ".join(f"{row.name} {row.text}" for row in rows)
        self.setAccessibleName(f"{self.quantity.title} at the cursor: {words}")
        self.setToolTip("\n".join(f"{row.name}  {row.text} {unit}".rstrip() for row in rows))
        self.update()

    def sizeHint(self) -> QSize:
        """Fixed in width."""
        return QSize(WIDTH, 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Title, then as many rows as there is room for."""
        painter = QPainter(self)
        self._paint_title(painter)
        room = max(1, (self.height() - 5 - _TITLE) // _ROW)
        shown = self._rows if len(self._rows) <= room else self._rows[: room - 1]
        painter.setFont(tabular_font("table"))
        for number, row in enumerate(shown):
            self._paint_row(painter, row, 5 + _TITLE + number * _ROW)
        if len(shown) < len(self._rows):
            painter.setPen(colour("muted"))
            words = f"{len(self._rows) - len(shown)} more"
            at = QRect(_SAMPLE + 8, 5 + _TITLE + len(shown) * _ROW, WIDTH, _ROW)
            painter.drawText(at, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.end()

    def _paint_title(self, painter: QPainter) -> None:
        painter.setFont(tabular_font("table", semibold=True))
        metrics = QFontMetricsF(painter.font())
        title = metrics.elidedText(self.quantity.title, Qt.TextElideMode.ElideRight, WIDTH - _MARGIN)
        painter.setPen(colour("text"))
        base = 5 + metrics.ascent()
        painter.drawText(QPointF(0, base), title)
        if self._unit:
            painter.setFont(tabular_font("table"))
            painter.setPen(colour("muted"))
            painter.drawText(QPointF(metrics.horizontalAdvance(title), base), f", {self._unit}")

    def _paint_row(self, painter: QPainter, row: ValueRow, y: int) -> None:
        style = row.style
        paint.curve_sample(painter, QRect(0, y, _SAMPLE, _ROW), colour(style.colour_token), style.dash)
        metrics = QFontMetricsF(painter.font())
        right = WIDTH - _MARGIN
        number = metrics.horizontalAdvance(row.text)
        painter.setPen(colour("text"))
        painter.drawText(QRectF(0, y, right, _ROW), _RIGHT, row.text)
        left = _SAMPLE + 8
        room = right - number - 6 - left
        name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.setPen(colour("muted"))
        painter.drawText(QRectF(left, y, max(room, 0.0), _ROW), _LEFT, name)


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
