"""One live plot: curves by pyqtgraph, axes, grid, events and cursor painted around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QWidget

from fsconsole.console.live.plots import plot_annotations
from fsconsole.console.live.plots.layer import Layer
from fsconsole.console.live.plots.plot_annotations import Scales
from fsconsole.console.live.plots.plot_curves import MAX_CURVES, CurveItem, Curves, Drawn, RestBand, curve_pen
from fsconsole.console.style.theme import colour
from fsconsole.figures.quantities import Quantity
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.flat import Floats

LEFT = 52
RIGHT = 16
ABOVE = 6
BELOW = 5
_POINTS_PER_PX = 2
_DRAG_PX = 4
_WHEEL_STEP = 0.85
_DOT_PX = 2.0  # radius of a reading that has none beside it


@dataclass(frozen=True, slots=True)
class Overlay:
    """What is painted over the curves: event times with words, the present, the cursor.

    With `is_past` all views stand at the cursor, and what came after it is faint.
    """

    events: tuple[tuple[float, str], ...] = ()
    now_s: float | None = None
    cursor_s: float | None = None
    is_past: bool = False


@dataclass(frozen=True, slots=True)
class CurveAppearance:
    """How the curves are drawn just now: their styles by node, the selected ones, whether time passes."""

    styles: tuple[tuple[int, CurveStyle], ...]
    selected: frozenset[int] = frozenset()
    running: bool = False


class LivePlot(pg.PlotWidget):
    """Curves of one quantity over time.

    Signals, in simulated seconds: hovered(time), clicked(time), panned(seconds), zoomed(about, factor),
    all_wanted() after a double click (a click comes before it), menu_wanted(global position).
    """

    hovered = Signal(float)
    clicked = Signal(float)
    panned = Signal(float)
    zoomed = Signal(float, float)
    all_wanted = Signal()
    menu_wanted = Signal(object)

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        self.quantity = quantity
        self.setAccessibleName(f"Plot of {quantity.title}")
        self.setFrameShape(self.Shape.NoFrame)
        self.setMinimumHeight(60)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        item = self.getPlotItem()
        item.hideButtons()
        for side in ("left", "bottom"):
            item.hideAxis(side)
        item.layout.setContentsMargins(LEFT, ABOVE, RIGHT, BELOW)
        box = item.getViewBox()
        box.setMouseEnabled(x=False, y=False)
        box.disableAutoRange()
        box.setDefaultPadding(0)
        self._box = box
        self._curves: dict[int, CurveItem] = {}
        self._pens: dict[int, tuple[object, ...]] = {}
        self._data: tuple[object, ...] = ()
        self._look: CurveAppearance | None = None
        self._overlay = Overlay()
        self._x = (0.0, 1.0)
        self._y = (0.0, 1.0)
        self._band = RestBand()
        self._add(self._band)
        self._band.setZValue(-10)
        self._by_hand = False
        self._ring_values: dict[int, float] = {}
        self._pressed: tuple[QPointF, float] | None = None
        self._dragged = False
        self._layer: Layer | None = None
        self._place()

    def lay_under(self, layer: Layer) -> None:
        """Draw another run's curves under these from now on."""
        self._layer = layer
        for item in layer.items:
            self._add(item)
        self._data = ()

    @property
    def y_limits(self) -> tuple[float, float]:
        """Bottom and top of the y axis, in recorded units."""
        return self._y

    @property
    def is_percent(self) -> bool:
        """Whether the axis is fixed at 0 to 100 %."""
        return self.quantity.axis.unit == "%" and not self.quantity.is_sparse

    def curve_data(self, node: int) -> tuple[Floats, Floats]:
        """Times and values that are drawn for a node; empty for one without a curve."""
        curve = self._curves.get(node)
        if curve is None or not curve.isVisible() or curve.xData is None:
            return np.empty(0), np.empty(0)
        return curve.xData, curve.yData

    @property
    def dots(self) -> list[tuple[int, float, float]]:
        """Node, time and value of each reading from which no line goes on, of a quantity that is sparse."""
        found: list[tuple[int, float, float]] = []
        for node in self._curves if self.quantity.is_sparse else ():
            times, values = self.curve_data(node)
            found += [(node, float(times[at]), float(values[at])) for at in alone(values)]
        return found

    def show_data(
        self, target: Curves, column: str, drawn: Drawn, span: tuple[float, float], *, running: bool
    ) -> None:
        """Draw what is known in a span of time; nothing where all is as before."""
        wide = max(16, int(self.width() - LEFT - RIGHT))
        beneath = None if self._layer is None else self._layer.revision(column)
        data = (id(target), target.revision(column), column, drawn, span, wide, beneath)
        if data == self._data:
            return
        self._data = data
        if span != self._x:
            self._x = span
            self._place()
        times, values = target.curves(column, drawn.nodes, *span, wide // 2)
        fine = len(drawn.nodes) <= MAX_CURVES and len(times) <= _POINTS_PER_PX * wide
        self._set_curves(drawn.nodes, times, values, antialias=fine)
        largest = float(np.nanmax(values)) if values.size and not np.isnan(values).all() else 0.0
        largest = max(largest, self._band.show_rest(target, column, drawn.rest, span, wide // 4))
        if self._layer is not None:
            for item in self._layer.draw(column, drawn.nodes, span, wide // 2, times, values):
                self._add(item)
            largest = max(largest, self._layer.largest)
        if not self.is_percent and not self._by_hand:
            top = plot_annotations.next_top(self._y[1], largest, running=running)
            if top != self._y[1]:
                self._y = (0.0, top)
                self._place()

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
        """Draw all in the colours of the theme in force."""
        look, self._look = self._look, None
        self._pens.clear()
        if look is not None:
            self.show_look(look)
        self._band.follow_theme()
        if self._layer is not None:
            self._layer.follow_theme()
        self.resetCachedContent()
        self.scene().update()

    def start_y_anew(self) -> None:
        """The y range begins small again and is no longer chosen by hand: another run, or all is wanted."""
        self._by_hand = False
        self._y = (0.0, 1.0)
        self._data = ()
        self._place()

    @property
    def scales(self) -> Scales:
        """Where times and values stand in the widget."""
        return Scales(self.plot_area(), self._x, self._y)

    def plot_area(self) -> QRectF:
        """Where the curves are, in pixels."""
        return QRectF(LEFT, ABOVE, max(1, self.width() - LEFT - RIGHT), max(1, self.height() - ABOVE - BELOW))

    # -- inside ---------------------------------------------------------------------------------------------

    def _add(self, curve: CurveItem) -> CurveItem:
        self._box.addItem(curve, ignoreBounds=True)
        curve.fill_view(self._extent())
        return curve

    def _extent(self) -> QRectF:
        return QRectF(self._x[0], self._y[0], self._x[1] - self._x[0], self._y[1] - self._y[0])

    def _place(self) -> None:
        self._box.setRange(xRange=self._x, yRange=self._y, padding=0, disableAutoRange=False)
        beneath = () if self._layer is None else self._layer.items
        for curve in (*self._curves.values(), self._band, *beneath):
            curve.fill_view(self._extent())
        self.resetCachedContent()  # axes and grid are painted again only now

    def _set_curves(self, nodes: Sequence[int], times: Floats, values: Floats, *, antialias: bool) -> None:
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
        return now, cursor, overlay.is_past, overlay.events

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(560, 90)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 60)

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect, colour("surface"))
        plot_annotations.paint_axes(painter, self.scales, self.quantity.axis.scale, self.height())

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        overlay, scales = self._overlay, self.scales
        self._paint_dots(painter, scales)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        if overlay.is_past and overlay.cursor_s is not None:
            plot_annotations.paint_later(painter, scales, overlay.cursor_s)
        plot_annotations.paint_events(painter, scales, overlay.events)
        if overlay.now_s is not None:
            plot_annotations.paint_present(painter, scales, overlay.now_s)
        if overlay.cursor_s is not None:
            styles = self._look.styles if self._look is not None else ()
            tokens = {node: style.colour_token for node, style in styles}
            plot_annotations.paint_cursor(painter, scales, overlay.cursor_s, self._ring_values, tokens)

    def _paint_dots(self, painter: QPainter, scales: Scales) -> None:
        """Readings that no line shows, below events and cursor."""
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
        is_handled: bool = super().event(event)
        return is_handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._data = ()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Zoom in time at the pointer, with Shift in y.
        turned = event.angleDelta().y() or event.angleDelta().x()
        factor = _WHEEL_STEP ** (turned / 120)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._zoom_y(factor)
        else:
            self.zoomed.emit(self.scales.time_of(event.position().x()), factor)
        event.accept()

    def _zoom_y(self, factor: float) -> None:
        self._by_hand = True
        self._y = (0.0, self._y[1] * factor)
        self._place()
        self.scene().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._dragged = (
                (event.position(), self.scales.time_of(event.position().x())),
                False,
            )
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            if event.buttons() == Qt.MouseButton.NoButton:
                self.hovered.emit(self.scales.time_of(event.position().x()))
            return
        at, time_s = self._pressed
        if not self._dragged and abs(event.position().x() - at.x()) < _DRAG_PX:
            return
        self._dragged = True
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self.panned.emit(time_s - self.scales.time_of(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and not self._dragged:
            self.clicked.emit(self.scales.time_of(event.position().x()))
        self._pressed = None
        self.viewport().unsetCursor()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        self.all_wanted.emit()
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())
        event.accept()


def alone(values: Floats) -> list[int]:
    """Places of numbers that have NaN or an end on both sides."""
    known = np.isfinite(values)
    none = np.zeros(1, bool)
    before, after = np.concatenate([none, known[:-1]]), np.concatenate([known[1:], none])
    return np.flatnonzero(known & ~before & ~after).tolist() if len(known) else []
