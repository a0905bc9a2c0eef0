"""Names and values right of a plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import grown_px, keep_height, keep_width, scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.figures.log_axis import letter_of
from fsconsole.figures.painted_text import draw_text, draw_text_at
from fsconsole.figures.quantities import Quantity
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.text import numbers

_WIDTH = 208  # Valid for the text size of the specification.
_TOP = 3
_TITLE = 16
_ROW = 16
_LEAST_ROW = 11  # Height of the letters of the caption font.
_TABLE_FONT_ROW_PX = 14
_SAMPLES = {1: 18, 2: 8}  # Length of the curve sample, by number of columns.
_GAPS = {1: 8, 2: 2}
_MARGIN = 8
_BUTTON_PX = 24  # Size that a pointer hits easily.
_BETWEEN_COLUMNS_PX = 6
_WHOLE_FROM = 100  # Larger values are shown without decimals.


def column_px() -> int:
    """Return the width of the column of values in pixels."""
    return scaled(_WIDTH)


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A curve's style, its name and the text of its value; `brief` has fewer digits, or the change alone."""

    style: CurveStyle
    name: str
    text: str
    brief: str = ""

    def fitting(self, metrics: QFontMetricsF, room_px: float) -> tuple[str, str]:
        """Return (name, value) for a width: digits are dropped first, then the middle of the name."""
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
        """Return (column, row) of a value of `count`: down the first column, then down the second."""
        per_column = -(-count // self.columns)
        return number // per_column, number % per_column


def arranged(count: int, height: int, grown: int = 0) -> Arrangement:
    """Return the arrangement of `count` values in a height: closer, then in two columns, then cut.

    `grown` is the number of pixels by which a line of text is higher than in the specification.
    """
    room, least_px = height - _TOP - _TITLE - grown, _LEAST_ROW + grown
    for columns in (1, 2):
        row_px = min(_ROW + grown, room // max(1, -(-count // columns)))
        if row_px >= least_px:
            return Arrangement(columns, row_px, count)
    places = 2 * max(1, room // least_px)
    return Arrangement(2, least_px, places - 1)  # The last row shows the number of hidden values.


def value_rows(
    quantity: Quantity,
    named: Mapping[int, tuple[str, CurveStyle]],
    values: Mapping[int, float],
    top: float,
    at_mark: Mapping[int, float] | None = None,
) -> tuple[str, tuple[ValueRow, ...]]:
    """Return (unit, rows) of the nodes named; all in the SI letter of the plot's top.

    With values at the mark each row has the difference from there as well.
    """
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
        text = numbers.fixed(shown, 1)
        if at_mark is not None:
            before = at_mark.get(node, float("nan"))
            change = float("nan") if value is None else (value - before) * axis.scale / divisor
            brief = numbers.signed(change, 1 if abs(change) < _WHOLE_FROM else 0)
            text = f"{text} ({brief})"
        rows.append(ValueRow(style, name, text, brief))
    return unit, tuple(rows)


class ValueColumn(QWidget):
    """A title with its unit and one row per curve. Signals: maximise_wanted() for the plot beside it."""

    accessible_role = Role.StaticText

    maximise_wanted = Signal()

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self._unit = ""
        self._rows: tuple[ValueRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        keep_width(self, _WIDTH)
        self.maximise = flat_button("", "", self.maximise_wanted.emit, self)
        keep_width(self.maximise, _BUTTON_PX)
        keep_height(self.maximise, _BUTTON_PX)
        self.maximise.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_maximised(is_maximised=False)

    def show_maximised(self, *, is_maximised: bool) -> None:
        """Show whether the plot beside it is maximised."""
        words = "Show all plots" if is_maximised else f"Show {self.quantity.title} alone"
        put_icon(self.maximise, "restore" if is_maximised else "maximise", "muted")
        self.maximise.setToolTip(f"{words} (Shift+F11)")
        self.maximise.setAccessibleName(words)

    @property
    def rows(self) -> tuple[ValueRow, ...]:
        """Rows of values that are shown."""
        return self._rows

    @property
    def unit(self) -> str:
        """Unit behind the title."""
        return self._unit

    def say(self, unit: str, rows: tuple[ValueRow, ...]) -> None:
        """Show these values and their unit."""
        if (unit, rows) == (self._unit, self._rows):
            return
        self._unit, self._rows = unit, rows
        words = ", ".join(f"{row.name} {row.text}" for row in rows)
        self.setAccessibleName(f"{self.quantity.title} at the cursor: {words}")
        self.setToolTip("\n".join(f"{row.name}  {row.text} {unit}".rstrip() for row in rows))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(column_px(), 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.maximise.move(column_px() - self.maximise.width() - 2, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._paint_title(painter)
            how = arranged(len(self._rows), self.height(), grown_px())
            small = how.columns > 1 or how.row_px < _TABLE_FONT_ROW_PX + grown_px()
            painter.setFont(tabular_font("caption" if small else "table"))
            left_out = len(self._rows) - how.shown
            places = how.shown + (left_out > 0)
            for number, row in enumerate(self._rows[: how.shown]):
                self._paint_row(painter, row, _place(how, number, places), how.columns)
            if left_out:
                painter.setPen(colour("muted"))
                draw_text(painter, _place(how, how.shown, places), _RIGHT, f"{left_out} more")

    def _paint_title(self, painter: QPainter) -> None:
        painter.setFont(tabular_font("table", semibold=True))
        metrics = QFontMetricsF(painter.font())
        room_px = column_px() - self.maximise.width() - 4
        title = metrics.elidedText(self.quantity.title, Qt.TextElideMode.ElideRight, room_px)
        painter.setPen(colour("text"))
        base = _TOP + metrics.ascent()
        draw_text_at(painter, QPointF(0, base), title)
        if self._unit:
            painter.setFont(tabular_font("table"))
            painter.setPen(colour("muted"))
            left = metrics.horizontalAdvance(title)
            plain = QFontMetricsF(painter.font())
            unit = plain.elidedText(f", {self._unit}", Qt.TextElideMode.ElideRight, room_px - left)
            draw_text_at(painter, QPointF(left, base), unit)

    def _paint_row(self, painter: QPainter, row: ValueRow, place: QRect, columns: int) -> None:
        sample = QRect(place.left(), place.top(), _SAMPLES[columns], place.height())
        paint.curve_sample(painter, sample, colour(row.style.colour_token), row.style.dash)
        metrics, gap = QFontMetricsF(painter.font()), _GAPS[columns]
        name_at = QRectF(place).adjusted(_SAMPLES[columns] + gap, 0, 0, 0)
        name, text = row.fitting(metrics, name_at.width() - gap)
        painter.setPen(colour("text"))
        draw_text(painter, place, _RIGHT, text)
        painter.setPen(colour("muted"))
        draw_text(painter, name_at, _LEFT, name)


def _place(how: Arrangement, number: int, places: int) -> QRect:
    """Return the rectangle of a row; columns share the width."""
    column, row = how.place(number, places)
    width = (column_px() - _MARGIN - _BETWEEN_COLUMNS_PX * (how.columns - 1)) // how.columns
    top = _TOP + _TITLE + grown_px() + row * how.row_px
    return QRect(column * (width + _BETWEEN_COLUMNS_PX), top, width, how.row_px)


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
