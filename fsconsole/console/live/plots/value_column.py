"""What stands beside the plots: names and values at the right, the time axis below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.live.plots.plot import LEFT, RIGHT
from fsconsole.console.live.plots.plot_annotations import letter_of, time_grid
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.figures.quantities import Quantity
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.text import numbers

_WIDTH = 184
_TOP = 3
_TITLE = 16
_ROW = 16
_LEAST_ROW = 11  # what letters of the caption font need
_TABLE_ROW = 14  # what the table font needs
_SAMPLES = {1: 18, 2: 8}  # length of the line before a name, by number of columns
_GAPS = {1: 8, 2: 2}
_MARGIN = 8
_BETWEEN = 6  # px between two columns
_WHOLE_FROM = 100  # from here on three digits are left without decimals
_AXIS_PX = 24
_TAG_PADDING = 8
_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A curve's style, its name and the text of its value; `brief` has fewer digits."""

    style: CurveStyle
    name: str
    text: str
    brief: str = ""

    def fitting(self, metrics: QFontMetricsF, room_px: float) -> tuple[str, str]:
        """(name, value) in so many pixels: digits go before letters, then the middle of the name."""
        texts = [self.text, *filter(None, [self.brief])]
        lefts = [room_px - metrics.horizontalAdvance(text) for text in texts]
        needed = metrics.horizontalAdvance(self.name)
        text, left = next(
            (pair for pair in zip(texts, lefts, strict=True) if pair[1] >= needed), (texts[-1], lefts[-1])
        )
        return metrics.elidedText(self.name, Qt.TextElideMode.ElideMiddle, left), text


@dataclass(frozen=True, slots=True)
class Arrangement:
    """So many columns of rows of a height in pixels, and how many values have a place."""

    columns: int
    row_px: int
    shown: int

    def place(self, number: int, count: int) -> tuple[int, int]:
        """(column, row) of a value of `count`: down the first column, then down the second."""
        per_column = -(-count // self.columns)
        return number // per_column, number % per_column


def arranged(count: int, height: int) -> Arrangement:
    """Where `count` values stand in so many pixels: closer, then in two columns, before any is left out."""
    room = height - _TOP - _TITLE
    for columns in (1, 2):
        row_px = min(_ROW, room // max(1, -(-count // columns)))
        if row_px >= _LEAST_ROW:
            return Arrangement(columns, row_px, count)
    places = 2 * max(1, room // _LEAST_ROW)
    return Arrangement(2, _LEAST_ROW, places - 1)  # the last place says how many are left out


def value_rows(
    quantity: Quantity,
    named: Mapping[int, tuple[str, CurveStyle]],
    values: Mapping[int, float],
    top: float,
) -> tuple[str, tuple[ValueRow, ...]]:
    """(unit, rows) of the nodes named; all in the SI letter of the plot's top."""
    axis = quantity.axis
    divisor, letter = letter_of(top * axis.scale)
    unit = "%" if axis.unit == "%" else letter or ("CPU s" if axis.unit == "CPU s" else "")
    if axis.unit == "CPU s" and letter:
        unit = f"{letter} CPU s"
    rows = []
    for node, (name, style) in named.items():
        value = values.get(node)
        shown = None if value is None else value * axis.scale / divisor
        brief = "" if shown is None or abs(shown) < _WHOLE_FROM else numbers.fixed(shown, 0)
        rows.append(ValueRow(style, name, numbers.fixed(shown, 1), brief))
    return unit, tuple(rows)


class ValueColumn(QWidget):
    """A title with its unit and one row per curve."""

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self._unit = ""
        self._rows: tuple[ValueRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.setFixedWidth(_WIDTH)

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
        return QSize(_WIDTH, 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._paint_title(painter)
        how = arranged(len(self._rows), self.height())
        small = how.columns > 1 or how.row_px < _TABLE_ROW
        painter.setFont(tabular_font("caption" if small else "table"))
        left_out = len(self._rows) - how.shown
        places = how.shown + (left_out > 0)
        for number, row in enumerate(self._rows[: how.shown]):
            self._paint_row(painter, row, _place(how, number, places), how.columns)
        if left_out:
            painter.setPen(colour("muted"))
            painter.drawText(_place(how, how.shown, places), _RIGHT, f"{left_out} more")
        painter.end()

    def _paint_title(self, painter: QPainter) -> None:
        painter.setFont(tabular_font("table", semibold=True))
        metrics = QFontMetricsF(painter.font())
        title = metrics.elidedText(self.quantity.title, Qt.TextElideMode.ElideRight, _WIDTH - _MARGIN)
        painter.setPen(colour("text"))
        base = _TOP + metrics.ascent()
        painter.drawText(QPointF(0, base), title)
        if self._unit:
            painter.setFont(tabular_font("table"))
            painter.setPen(colour("muted"))
            painter.drawText(QPointF(metrics.horizontalAdvance(title), base), f", {self._unit}")

    def _paint_row(self, painter: QPainter, row: ValueRow, place: QRect, columns: int) -> None:
        sample = QRect(place.left(), place.top(), _SAMPLES[columns], place.height())
        paint.curve_sample(painter, sample, colour(row.style.colour_token), row.style.dash)
        metrics, gap = QFontMetricsF(painter.font()), _GAPS[columns]
        name_at = QRectF(place).adjusted(_SAMPLES[columns] + gap, 0, 0, 0)
        name, text = row.fitting(metrics, name_at.width() - gap)
        painter.setPen(colour("text"))
        painter.drawText(place, _RIGHT, text)
        painter.setPen(colour("muted"))
        painter.drawText(name_at, _LEFT, name)


def _place(how: Arrangement, number: int, places: int) -> QRect:
    """Pixels of a row; columns share the width."""
    column, row = how.place(number, places)
    width = (_WIDTH - _MARGIN - _BETWEEN * (how.columns - 1)) // how.columns
    return QRect(column * (width + _BETWEEN), _TOP + _TITLE + row * how.row_px, width, how.row_px)


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class TimeAxis(QWidget):
    """Times of the vertical grid lines, and over them the cursor's."""

    def __init__(self, span: TimeRange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range = span
        self.setFixedHeight(_AXIS_PX)
        self._span = (0.0, 1.0)
        self._cursor_s: float | None = None

    @property
    def tag(self) -> str:
        """The words at the cursor; empty where it is not pinned."""
        return "" if self._cursor_s is None else self._range.exact(self._cursor_s)

    def show_span(self, span: tuple[float, float], cursor_s: float | None) -> None:
        """Show another range or cursor."""
        if (span, cursor_s) != (self._span, self._cursor_s):
            self._span, self._cursor_s = span, cursor_s
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular_font("caption"))
        metrics = QFontMetricsF(painter.font())
        start, end = self._span
        width = self.width() - LEFT - RIGHT - _WIDTH
        painter.setPen(colour("muted"))
        for time_s in time_grid(self._span, width):
            x = LEFT + (time_s - start) / (end - start) * width
            words = self._range.words(time_s)
            half = metrics.horizontalAdvance(words) / 2
            if x - half > 0:
                painter.drawText(QRectF(x - half, 2, 2 * half + 1, _AXIS_PX - 6), _CENTRE, words)
        if self._cursor_s is not None and start <= self._cursor_s <= end:
            x = LEFT + (self._cursor_s - start) / (end - start) * width
            self._paint_tag(painter, x, metrics.horizontalAdvance(self.tag))
        painter.end()

    def _paint_tag(self, painter: QPainter, x: float, words: float) -> None:
        wide = words + 2 * _TAG_PADDING
        left = min(max(x - wide / 2, 0), self.width() - wide)
        body = QRectF(left, 1, wide, _AXIS_PX - 6)
        paint.box(painter, body.toRect(), "text", radius=2)
        painter.setPen(colour("surface"))
        painter.drawText(body, _CENTRE, self.tag)
