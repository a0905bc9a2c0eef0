"""A figure on the screen: the same painter as on paper, so it is sharp at any size and in both themes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QByteArray, QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.kit.text_twin import Chart, TextTwin, curves_twin
from fsconsole.console.style.fonts import TextSize, ui_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.arrange import UNITS_PER_INCH, arrange
from fsconsole.figures.data import columns_of, in_shown_units
from fsconsole.figures.files import image_of, svg_bytes
from fsconsole.figures.paint import paint_figure
from fsconsole.figures.spec import FigureSpec, FigureStyle, Floats
from fsconsole.text.numbers import fixed, si
from fsconsole.text.words import capitalised, listed

PX_PER_INCH = 96.0
UNITS_PER_PX = UNITS_PER_INCH / PX_PER_INCH
_PT_PER_PX = 72 / PX_PER_INCH
_MOST_NAMED = 6
_TALLEST = 1.2  # Height divided by width. In a taller figure every slope looks steep.


class FigureView(Chart):
    """Shows one figure, as large as there is room, in the colours of the theme.

    A line follows the pointer, or Left and Right. Signals: pointed(text) with the values at the line, empty
    when it goes.
    """

    pointed = Signal(str)
    text_size: TextSize = "table"

    def __init__(self, spec: FigureSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spec = spec
        self._cursor_at: float | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()
        theme().changed.connect(self.update)

    @property
    def spec(self) -> FigureSpec:
        """Figure that is shown; None for none."""
        return self._spec

    def show_figure(self, spec: FigureSpec) -> None:
        """Show this figure in place of the last."""
        self._spec = spec
        self._point_at(None)
        self._describe()
        self.update()

    def _describe(self) -> None:
        spec = self._spec
        self.setAccessibleName(f"{spec.title}. {spec.caption}".strip())
        names = [curve.name for part in spec.parts for curve in part.curves]
        across = spec.x_axis.title
        words = f"{spec.y_axis.title} by {across}: {listed(names, _MOST_NAMED)}" if names else "No values yet"
        self.setAccessibleDescription(words)

    def text_twin(self) -> TextTwin:
        """Return the values of all curves."""
        spec = in_shown_units(self._spec)
        (_, places), *curves = columns_of(spec)
        title = capitalised(spec.x_axis.title)
        return curves_twin(title, places, self._x_words, curves, kinds=spec.x_axis.kinds)

    def style_shown(self) -> FigureStyle:
        """Return the style of the figure as drawn here."""
        return FigureStyle(
            theme="dark" if theme().is_dark else "light",
            font_pt=ui_font(self.text_size).pixelSize() * _PT_PER_PX,
            cursor_at=self._cursor_at,
        )

    def values_at(self, at: float) -> str:
        """Return time and value of every curve at a place, in words."""
        axis = self._spec.y_axis
        kinds = self._spec.x_axis.kinds
        parts = [kinds[round(at)] if kinds else self._x_words(at)]
        for curve in self._spec.curves:
            value = _value_at(curve.x, curve.y, at) * axis.scale
            parts.append(f"{curve.name} {fixed(value, 1) if axis.unit == '%' else si(value)}")
        return f"{parts[0]}:  {'   '.join(parts[1:])}  {axis.unit}"

    def _x_words(self, at: float) -> str:
        """Return an x with its unit; with digits where a unit is more than what is recorded."""
        axis = self._spec.x_axis
        return f"{fixed(at * axis.scale, 2 if axis.scale < 1 else 0)} {axis.unit}"

    def sizeHint(self) -> QSize:
        return QSize(720, 460)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 160)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._sample_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is not None:
            self._point_at(self._neighbour(step))
        elif event.key() == Qt.Key.Key_Escape and self._cursor_at is not None:
            self._point_at(None)
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            style = self.style_shown()
            painter.fillRect(self.rect(), colour(style.ground))
            painter.scale(1 / UNITS_PER_PX, 1 / UNITS_PER_PX)
            paint_figure(painter, self._spec, style, self._size())
            if self.hasFocus():
                painter.resetTransform()
                painter.setPen(colour("accent"))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _size(self) -> tuple[float, float]:
        height = min(self.height(), _TALLEST * self.width())
        return self.width() * UNITS_PER_PX, height * UNITS_PER_PX

    def _point_at(self, at: float | None) -> None:
        if at != self._cursor_at:
            self._cursor_at = at
            self.pointed.emit("" if at is None else self.values_at(at))
            self.update()

    def _times(self) -> Floats:
        """Return recorded x of the first curve that has any."""
        return next((curve.x for curve in self._spec.curves if len(curve.x)), np.empty(0))

    def _neighbour(self, step: int) -> float | None:
        """Return the sample that is `step` places from the line; without a line, the last one."""
        times = self._times()
        if not len(times):
            return None
        if self._cursor_at is None:
            return float(times[-1])
        place = int(np.searchsorted(times, self._cursor_at)) + step
        return float(times[min(max(place, 0), len(times) - 1)])

    def _sample_at(self, x_px: float) -> float | None:
        """Return recorded x nearest to a place; None beside the plot or without data."""
        at = arrange(self._spec, self.style_shown(), *self._size())
        share = (x_px * UNITS_PER_PX - at.plot.left()) / at.plot.width()
        times = self._times()
        if not 0 <= share <= 1 or not len(times):
            return None
        low, high = at.x_range
        wanted = (low + share * (high - low)) / at.x_scale
        return float(times[np.argmin(np.abs(times - wanted))])


def copy_figure(spec: FigureSpec, style: FigureStyle, dpi: float) -> None:
    """Put a figure on the clipboard, as a picture and as SVG."""
    data = QMimeData()
    data.setImageData(image_of(spec, replace(style, cursor_at=None), dpi))
    data.setData("image/svg+xml", QByteArray(svg_bytes(spec, replace(style, cursor_at=None))))
    QGuiApplication.clipboard().setMimeData(data)


def _value_at(x: Floats, y: Floats, at: float) -> float:
    if not len(x):
        return float("nan")
    return float(y[int(np.argmin(np.abs(x - at)))])
