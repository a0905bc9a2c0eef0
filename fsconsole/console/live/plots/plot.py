"""A live plot, with its control by mouse and wheel."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolButton, QWidget

from fsconsole.console.live.plots.plot_canvas import PlotCanvas, left_px
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.figures.quantities import Quantity

_DRAG_PX = 4
_HEAD_PX = 4  # Distance at which the pointer grips the line of the play head.
_WHEEL_STEP = 0.85
_STRETCH_PX = 120  # Length of a drag along an axis that multiplies its range by e.


class LivePlot(PlotCanvas):
    """Curves of one quantity over time.

    A drag or the wheel on the plot is about time, on its value axis about values.

    Signals, in simulated seconds: hovered(time), clicked(time), marked(time) by Ctrl+click, panned(seconds),
    head_dragged(time) by a drag of the play head, the line at the instant that is looked at, zoomed(about,
    factor), selected(start, end) by Ctrl+drag, all_wanted() after a double click (a click comes before it),
    menu_wanted(global position).
    """

    hovered = Signal(float)
    clicked = Signal(float)
    marked = Signal(float)
    panned = Signal(float)
    head_dragged = Signal(float)
    zoomed = Signal(float, float)
    selected = Signal(float, float)
    all_wanted = Signal()
    menu_wanted = Signal(object)

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(quantity, parent)
        self._pressed: QPointF | None = None
        self._pressed_s = self._pressed_at = 0.0
        self._last_y = 0.0
        self._is_on_axis = self._is_on_head = self._is_selecting = self._dragged = False
        self.reset: QToolButton = flat_button(
            "Reset values",
            "Let the value axis follow the curves again (double-click the axis)",
            self.start_y_anew,
            self,
        )
        self.reset.setObjectName("reset_values")
        set_look(self.reset, "boxed")
        self.reset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.reset.hide()
        self.range_changed.connect(self._show_reset)

    def _show_reset(self) -> None:
        self.reset.setVisible(self.is_zoomed)
        self._place_reset()

    def _place_reset(self) -> None:
        self.reset.adjustSize()
        self.reset.move(left_px() + 6, round(self.plot_area().bottom()) - self.reset.height() - 4)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "reset"):
            self._place_reset()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The wheel zooms time at the pointer. On the axis it zooms values there, with Shift from the bottom.
        turned = event.angleDelta().y() or event.angleDelta().x()
        factor = _WHEEL_STEP ** (turned / 120)
        scales, at = self.scales, event.position()
        if at.x() < left_px():
            self.zoom_values(scales.coordinate_of(at.y()), factor)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.zoom_values(scales.coordinate_of(scales.area.bottom()), factor)
        else:
            self.zoomed.emit(scales.time_of(at.x()), factor)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            at, scales = event.position(), self.scales
            self._pressed, self._dragged, self._last_y = at, False, at.y()
            self._pressed_s, self._pressed_at = scales.time_of(at.x()), scales.coordinate_of(at.y())
            self._is_on_axis = at.x() < left_px()
            is_held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            self._is_selecting = is_held and not self._is_on_axis
            self._is_on_head = not is_held and self._is_near_head(at)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._pressed is None:
            if event.buttons() == Qt.MouseButton.NoButton:
                self._show_pointer(at)
            return
        moved = at - self._pressed
        if not self._dragged and abs(moved.y() if self._is_on_axis else moved.x()) < _DRAG_PX:
            return
        self._dragged = True
        if self._is_on_axis:
            self._drag_axis(event)
        elif self._is_selecting:
            self._selected = (self._pressed_s, self.scales.time_of(at.x()))
            self.scene().update()
        elif self._is_on_head:
            self.head_dragged.emit(self.scales.time_of(at.x()))
        else:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self.panned.emit(self._pressed_s - self.scales.time_of(at.x()))

    def _show_pointer(self, at: QPointF) -> None:
        if at.x() < left_px():
            self.viewport().setCursor(Qt.CursorShape.SizeVerCursor)
        else:
            if self._is_near_head(at):
                self.viewport().setCursor(Qt.CursorShape.SizeHorCursor)
            else:
                self.viewport().unsetCursor()
            self.hovered.emit(self.scales.time_of(at.x()))

    def _is_near_head(self, at: QPointF) -> bool:
        """Return True if a place is at the line of the displayed instant."""
        overlay = self._overlay
        head_s = overlay.cursor_s if overlay.is_past else overlay.now_s
        return (
            head_s is not None and at.x() >= left_px() and abs(self.scales.x_of(head_s) - at.x()) <= _HEAD_PX
        )

    def _drag_axis(self, event: QMouseEvent) -> None:
        y = event.position().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.zoom_values(self._pressed_at, math.exp((y - self._last_y) / _STRETCH_PX))
        else:
            scales = self.scales
            self.pan_values(scales.coordinate_of(self._last_y) - scales.coordinate_of(y))
        self._last_y = y

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            time_s = self.scales.time_of(event.position().x())
            if self._is_selecting and self._dragged:
                self.selected.emit(*sorted((self._pressed_s, time_s)))
            elif self._is_selecting:
                self.marked.emit(time_s)
            elif not self._is_on_axis and not self._dragged:
                self.clicked.emit(time_s)
        self._pressed = self._selected = None
        self.viewport().unsetCursor()
        self.scene().update()
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        if event.position().x() < left_px():
            self.start_y_anew()
        else:
            self.all_wanted.emit()
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())
        event.accept()
