"""The canvas of a live plot: curves by pyqtgraph; axes, grid, events and cursors painted around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsView, QSizePolicy, QWidget

from fsconsole.console.kit.text_twin import TextTwin, curves_twin
from fsconsole.console.live.plots import plot_annotations
from fsconsole.console.live.plots.layer import Layer
from fsconsole.console.live.plots.plot_annotations import Scales
from fsconsole.console.live.plots.plot_curves import (
    MAX_CURVES,
    CurveItem,
    Curves,
    Drawn,
    RestBand,
    alone,
    curve_pen,
    smallest_positive,
)
from fsconsole.console.live.plots.value_range import ValueRange
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.figures.quantities import Quantity
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.recording.notes import NoteMark
from fsconsole.shares.flat import Floats
from fsconsole.text.durations import clock
from fsconsole.text.words import listed

RIGHT = 16
_LEFT = 52  # At the text size of the specification.
ABOVE = 6
BELOW = 5
_POINTS_PER_PX = 2
_MOST_NAMED = 6
_DOT_PX = 2.0  # Radius of a reading without neighbours.


def left_px() -> int:
    """Return the pixels left of a plot for the words of its value axis."""
    return scaled(_LEFT)


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is painted over the curves: event times with words, notes, spans without
    values, the present, the cursor.

    With `is_past` all views stand at the cursor, and what came after it is faint.
    """

    events: tuple[tuple[float, str], ...] = ()
    now_s: float | None = None
    cursor_s: float | None = None
    is_past: bool = False
    notes: tuple[NoteMark, ...] = ()
    gaps: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CurveAppearance:
    """How the curves are drawn just now: their styles by node, the selected ones, whether time passes."""

    styles: tuple[tuple[int, CurveStyle], ...]
    selected: frozenset[int] = frozenset()
    running: bool = False


class PlotCanvas(pg.GraphicsView):
    """The drawing of one quantity's curves over time; a subclass adds the user's control.

    Signals: range_changed() after the value axis shows another range, or measures in another way.
    """

    accessible_role = Role.Chart

    range_changed = Signal()

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.quantity = quantity
        self.setAccessibleName(f"Plot of {quantity.title}")
        self.setFrameShape(self.Shape.NoFrame)
        self.setMinimumHeight(60)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.enableMouse(False)
        box = pg.ViewBox(enableMouse=False, enableMenu=False)
        # A `PlotItem` around it would make axes, a title and a menu that are never seen: 3 ms a plot.
        frame = pg.GraphicsWidget()
        self._margins = QGraphicsGridLayout(frame)
        self._margins.addItem(box, 0, 0)
        self._set_margins()
        self.setCentralItem(frame)
        box.disableAutoRange()
        box.setDefaultPadding(0)
        self._box = box
        self._curves: dict[int, CurveItem] = {}
        self._pens: dict[int, tuple[object, ...]] = {}
        self._data: tuple[object, ...] = ()
        self._look: CurveAppearance | None = None
        self._overlay = Overlay()
        self._x = (0.0, 1.0)
        self._range = ValueRange(is_percent=self.is_percent)
        self._offset_s = 0.0
        self._raw: tuple[Sequence[int], Floats, Floats, bool] = ((), np.empty(0), np.empty((0, 0)), False)
        self._names: Mapping[int, str] = {}
        self._say_time: Callable[[float], str] = clock
        self._band = RestBand()
        self._add(self._band)
        self._band.setZValue(-10)
        self._ring_values: dict[int, float] = {}
        self._mark_s: float | None = None
        self._selected: tuple[float, float] | None = None
        self._layers: list[Layer] = []
        self._place()

    def lay_under(self, layer: Layer) -> None:
        """Draw another run's curves under these from now on, and under those laid before."""
        self._layers.append(layer)
        for item in layer.items:
            self._add(item)
        self._data = ()

    @property
    def y_limits(self) -> tuple[float, float]:
        """Lowest and highest value of the y axis, in recorded units."""
        return self._range.values

    @property
    def is_log(self) -> bool:
        """Whether the value axis measures in powers of ten."""
        return self._range.is_log

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has chosen the range of values, which then does not follow the curves."""
        return self._range.by_hand

    @property
    def is_percent(self) -> bool:
        """Whether the axis is fixed at 0 to 100 %."""
        return self.quantity.axis.unit == "%" and not self.quantity.is_sparse

    def curve_data(self, node: int) -> tuple[Floats, Floats]:
        """Return times in s and values that are drawn for a node, [k] each; empty for one without a curve."""
        curve = self._curves.get(node)
        if curve is None or not curve.isVisible() or curve.xData is None:
            return np.empty(0), np.empty(0)
        if self._range.is_log:
            nodes, times, values, _ = self._raw
            return times, values[list(nodes).index(node)]
        return curve.xData, curve.yData

    def show_names(self, names: Mapping[int, str], say_time: Callable[[float], str]) -> None:
        """Name the curves by node, and give times in words."""
        self._names, self._say_time = names, say_time
        title, tip = self.quantity.title, self.quantity.tip
        curves = f"{title} of {listed(list(names.values()), _MOST_NAMED)}." if names else "No curves."
        self.setAccessibleDescription(f"{curves} {tip}".rstrip())

    def text_twin(self) -> TextTwin:
        """Return the values of the curves in sight."""
        axis = self.quantity.axis
        unit = f" [{axis.unit}]" if axis.unit else ""
        nodes, times, values, _ = self._raw
        rows = [(at, self._names[node]) for at, node in enumerate(nodes) if node in self._names]
        curves = [(f"{name}{unit}", values[at] * axis.scale) for at, name in rows]
        return curves_twin("Time", times, self._say_time, curves) if curves else TextTwin()

    @property
    def dots(self) -> list[tuple[int, float, float]]:
        """Node, time and value of each reading from which no line goes on, of a quantity that is sparse."""
        found: list[tuple[int, float, float]] = []
        for node in self._curves if self.quantity.is_sparse else ():
            times, values = self.curve_data(node)
            found += [(node, float(times[at]), float(values[at])) for at in alone(values)]
        return found

    def show_data(
        self,
        target: Curves,
        column: str,
        drawn: Drawn,
        span: tuple[float, float],
        *,
        running: bool,
        offset_s: float = 0.0,
    ) -> None:
        """Draw what is known in a span of time; nothing where all is as before.

        `offset_s` is what the clock shows at time 0.
        """
        wide = max(16, int(self.width() - left_px() - RIGHT))
        beneath = tuple(layer.revision(column) for layer in self._layers)
        data = (id(target), target.revision(column), column, drawn, span, wide, beneath)
        if data == self._data:
            return
        self._data = data
        if span != self._x:
            self._x, self._offset_s = span, offset_s
            self._place()
        times, values = target.curves(column, drawn.nodes, *span, wide // 2)
        fine = len(drawn.nodes) <= MAX_CURVES and len(times) <= _POINTS_PER_PX * wide
        largest = float(np.nanmax(values)) if values.size and not np.isnan(values).all() else 0.0
        smallest = smallest_positive(values) if self._range.is_log else 0.0
        band = self._band.show_rest(target, column, drawn.rest, span, wide // 4, self._range.places)
        beneath_top = self._draw_beneath(column, drawn.nodes, times, values)
        if self._range.follow(smallest, max(largest, band, beneath_top), running=running):
            self._place()
            if self._range.is_log:  # Positions on a logarithmic axis depend on the range.
                self._band.show_again(self._range.places)
                self._draw_beneath(column, drawn.nodes, times, values)
        self._raw = (drawn.nodes, times, values, fine)
        self._set_curves(*self._raw)

    def _draw_beneath(self, column: str, nodes: Sequence[int], times: Floats, values: Floats) -> float:
        """Draw the other runs; returns their largest value."""
        points = max(16, int(self.width() - left_px() - RIGHT)) // 2
        for layer in self._layers:
            for item in layer.draw(column, nodes, self._x, points, times, values, self._range.places):
                self._add(item)
        return max((layer.largest for layer in self._layers), default=0.0)

    def show_look(self, look: CurveAppearance) -> None:
        """Draw the curves in these styles from now on."""
        if look == self._look:
            return
        self._look = look
        styles = dict(look.styles)
        for node, curve in self._curves.items():
            if node in styles:
                self._dress(node, curve, styles[node], look)

    def show_overlay(self, overlay: Overlay) -> None:
        """Paint events, present and cursor elsewhere; repaints only where that can be seen."""
        moved = self._pixels_of(overlay) != self._pixels_of(self._overlay)
        self._overlay = overlay
        if moved:
            self.scene().update()

    def show_rings(self, values: dict[int, float]) -> None:
        """Put a ring at each node's value on the cursor."""
        if values != self._ring_values:
            self._ring_values = values
            self.scene().update()

    def follow_theme(self) -> None:
        """Draw all in the colours of the present theme."""
        look, self._look = self._look, None
        self._pens.clear()
        if look is not None:
            self.show_look(look)
        self._band.follow_theme()
        for layer in self._layers:
            layer.follow_theme()
        self.resetCachedContent()
        self.scene().update()

    def start_y_anew(self) -> None:
        """Let the y range begin small again and follow the values, as for another run."""
        self._range.reset()
        self._data = ()
        self._show_range()

    def set_log(self, *, is_log: bool) -> None:
        """Draw values on a logarithmic or a linear axis, with a range that fits the curves."""
        if is_log != self._range.is_log:
            self._range.set_log(is_log=is_log)
            self._data = ()
            self._show_range()

    def zoom_values(self, about: float, factor: float) -> None:
        """Make the range of values `factor` times as large; a coordinate of the axis keeps its place."""
        self._range.zoom(about, factor)
        self._show_range()

    def pan_values(self, by: float) -> None:
        """Move the range of values by a length in coordinates of the axis."""
        self._range.pan(by)
        self._show_range()

    def show_mark(self, mark_s: float | None) -> None:
        """Paint the second cursor at a time, or none."""
        if mark_s != self._mark_s:
            self._mark_s = mark_s
            self.scene().update()

    @property
    def scales(self) -> Scales:
        """Places of times and values in the widget."""
        return Scales(self.plot_area(), self._x, self._range.ends, self._range.floor, self._offset_s)

    def plot_area(self) -> QRectF:
        """Return the area of the curves, in pixels."""
        return QRectF(
            left_px(), ABOVE, max(1, self.width() - left_px() - RIGHT), max(1, self.height() - ABOVE - BELOW)
        )

    # -- inside ---------------------------------------------------------------------------------------------

    def _set_margins(self) -> None:
        self._margins.setContentsMargins(left_px(), ABOVE, RIGHT, BELOW)

    def _add(self, curve: CurveItem) -> CurveItem:
        self._box.addItem(curve, ignoreBounds=True)
        curve.fill_view(self._extent())
        return curve

    def _extent(self) -> QRectF:
        low, high = self._range.ends
        return QRectF(self._x[0], low, self._x[1] - self._x[0], high - low)

    def _show_range(self) -> None:
        """Show another range of values; on powers of ten curves are drawn again for it."""
        self._place()
        if self._range.is_log:
            self._data = ()
        self.scene().update()
        self.range_changed.emit()

    def _place(self) -> None:
        self._box.setRange(xRange=self._x, yRange=self._range.ends, padding=0, disableAutoRange=False)
        beneath = [item for layer in self._layers for item in layer.items]
        for curve in (*self._curves.values(), self._band, *beneath):
            curve.fill_view(self._extent())
        self.resetCachedContent()  # Axes and grid are repainted only now.

    def _set_curves(self, nodes: Sequence[int], times: Floats, values: Floats, antialias: bool) -> None:
        values = self._range.places(values)
        shown = set(nodes)
        for node, curve in self._curves.items():
            if node not in shown and curve.isVisible():
                curve.hide()
        gaps = [bool(np.isnan(line).any()) for line in values]
        for node, line, has_gap in zip(nodes, values, gaps, strict=True):
            curve = self._curve_of(node)
            if not curve.isVisible():
                curve.show()
            curve.setData(
                times,
                line,
                connect="finite" if has_gap else "all",
                skipFiniteCheck=not has_gap,
                antialias=antialias,
            )

    def _curve_of(self, node: int) -> CurveItem:
        if node not in self._curves:
            self._curves[node] = self._add(CurveItem())
            self._dress_new(node, self._curves[node])
        return self._curves[node]

    def _dress_new(self, node: int, curve: CurveItem) -> None:
        if self._look is not None:
            style = dict(self._look.styles).get(node)
            if style is not None:
                self._dress(node, curve, style, self._look)

    def _dress(self, node: int, curve: CurveItem, style: CurveStyle, look: CurveAppearance) -> None:
        is_chosen = node in look.selected
        wanted = (style, 2 if is_chosen and not look.running else 1, self.devicePixelRatioF())
        if self._pens.get(node) != wanted:
            self._pens[node] = wanted
            curve.setPen(curve_pen(colour(style.colour_token), style.dash, wanted[1], wanted[2]))
        curve.setZValue(10 if is_chosen else 0)

    def _pixels_of(self, overlay: Overlay) -> tuple[object, ...]:
        scales = self.scales
        now = None if overlay.now_s is None else round(scales.x_of(overlay.now_s))
        cursor = None if overlay.cursor_s is None else round(scales.x_of(overlay.cursor_s))
        return now, cursor, overlay.is_past, overlay.events, overlay.notes, overlay.gaps

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(560, 90)

    def minimumSizeHint(self) -> QSize:
        return QSize(290, 60)

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect, colour("surface"))
        plot_annotations.paint_axes(painter, self.scales, self.quantity.axis.scale, self.height())

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        overlay, scales = self._overlay, self.scales
        self._paint_dots(painter, scales)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        if overlay.is_past and overlay.cursor_s is not None:
            plot_annotations.paint_later(painter, scales, overlay.cursor_s)
        if self._mark_s is not None:
            plot_annotations.paint_mark(painter, scales, self._mark_s, overlay.cursor_s)
        if self._selected is not None:
            plot_annotations.paint_selection(painter, scales, self._selected)
        plot_annotations.paint_gaps(painter, scales, overlay.gaps)
        plot_annotations.paint_notes(painter, scales, overlay.notes)
        plot_annotations.paint_events(painter, scales, overlay.events)
        if overlay.now_s is not None:
            plot_annotations.paint_present(painter, scales, overlay.now_s)
        if overlay.cursor_s is not None:
            styles = self._look.styles if self._look is not None else ()
            tokens = {node: style.colour_token for node, style in styles}
            plot_annotations.paint_cursor(painter, scales, overlay.cursor_s, self._ring_values, tokens)

    def _paint_dots(self, painter: QPainter, scales: Scales) -> None:
        """Paint readings that no line shows, below events and cursor."""
        styles = dict(self._look.styles) if self._look is not None else {}
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for node, time_s, value in self.dots:
            if node in styles:
                painter.setBrush(colour(styles[node].colour_token))
                painter.drawEllipse(QPointF(scales.x_of(time_s), scales.y_of(value)), _DOT_PX, _DOT_PX)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self.follow_theme()
        elif event.type() is QEvent.Type.StyleChange:
            self._set_margins()
        is_handled: bool = super().event(event)
        return is_handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._data = ()
