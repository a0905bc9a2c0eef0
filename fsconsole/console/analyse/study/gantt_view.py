"""The machine over time, to look around in: jobs on their nodes, reservations, how many wait."""

from __future__ import annotations

from enum import Enum, auto
from math import ceil, floor

from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from fsconsole.batch.insight.area_sums import Area
from fsconsole.console.analyse.study.gantt_canvas import GanttCanvas
from fsconsole.console.analyse.study.gantt_scene import job_lines, job_words
from fsconsole.console.analyse.study.gantt_sight import Sight

ZOOM = 1.25
_STEP_PART = 0.1  # Fraction of the view that an arrow key moves.
_PAGE_PART = 0.9
_NOTCH = 120
_DRAG_PX = 4
_NEAR_PX = 5  # Distance at which the pointer grips the line of the cursor.
_Key = Qt.Key
_LETTERS = (_Key.Key_W, _Key.Key_A, _Key.Key_S, _Key.Key_D, _Key.Key_F)
_SHIFT = Qt.KeyboardModifier.ShiftModifier


class _Drag(Enum):
    """What a drag does."""

    AREA = auto()
    MOVE = auto()
    TIME = auto()


class GanttView(GanttCanvas):
    """A Gantt chart with pointer and key control.

    The wheel zooms time at the pointer, with Shift nodes. Dragging selects an area; with Shift, or with the
    middle button, it moves what is in sight, as A, D, arrows and Page keys do. W, S, +, - and 0 zoom and fit,
    F looks at the area or the job selected. A click selects a job and sets the cursor, Shift+arrows take it
    from event to event. Dragging the cursor's line, or below the nodes, moves the cursor. Signals:
    job_picked(row) or None, cursor_picked(second); area_drawn(Area) during a drag, area_picked(Area) or None
    after it; pointed(words).
    """

    job_picked = Signal(object)
    area_drawn = Signal(object)
    area_picked = Signal(object)
    cursor_picked = Signal(int)
    pointed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed: tuple[QPointF, Sight] | None = None
        self._from: tuple[float, float] | None = None  # Second and lane at which the button was pressed.
        self._is_dragged = False
        self._drag = _Drag.AREA
        self.setMouseTracking(True)

    # -- looking around -----------------------------------------------------------------------------------

    @Slot()
    def fit(self) -> None:
        """Show the whole run."""
        if self._sight is not None:
            self.look(self._sight.all())

    @Slot()
    def zoom_in(self) -> None:
        """Show a shorter stretch of time."""
        self.zoom(1 / ZOOM)

    @Slot()
    def zoom_out(self) -> None:
        """Show a longer stretch of time."""
        self.zoom(ZOOM)

    def zoom(self, factor: float) -> None:
        """Zoom at the cursor if it is in sight, else in the middle."""
        sight, cursor = self._sight, self._shown.cursor_s
        if sight is not None:
            is_in = cursor is not None and sight.begin_s <= cursor <= sight.end_s
            self.look(sight.zoomed(factor, float(cursor) if is_in and cursor is not None else None))

    @Slot()
    def look_at_selected(self) -> None:
        """Fit the view to the selected area, else to the job."""
        area = self._shown.area
        if area is None:
            self.look_at_job()
        elif self._sight is not None:
            self.look(self._sight.to(area.begin_s, area.end_s, (area.top, area.bottom)))

    @Slot()
    def look_at_job(self) -> None:
        """Fit the view to the selected job, with as much time around it."""
        scene, row = self._scene, self._shown.job
        if scene is None or row is None or self._sight is None:
            return
        start, end = int(scene.schedule.start_s[row]), int(scene.schedule.end_s[row])
        submit = int(scene.schedule.jobs.submit_s[row])
        self.look(self._sight.around(submit if start >= 0 else submit - 1, end if start >= 0 else submit))

    def pan(self, by_x: float, by_y: float = 0.0) -> None:
        """Move what is in sight by pixels."""
        if self._sight is not None:
            self.look(self._sight.moved(by_x, by_y))

    # -- inside -------------------------------------------------------------------------------------------

    def row_at(self, at: QPointF) -> int | None:
        """Return the row of the job at a place; None where there is none."""
        scene, sight, machine = self._scene, self._sight, self.areas.machine
        if scene is None or sight is None or not machine.holds(at.x(), at.y()):
            return None
        return scene.job_at(sight.second(at.x() - machine.x), sight.lane(at.y() - machine.y))

    def _place_of(self, at: QPointF, sight: Sight) -> tuple[float, float]:
        """Return the second and the lane at a point, cut where the nodes end."""
        machine = self.areas.machine
        x, y = min(max(at.x(), machine.x), machine.right), min(max(at.y(), machine.y), machine.bottom)
        return sight.second(x - machine.x), sight.lane(y - machine.y)

    def _area_to(self, at: QPointF) -> Area | None:
        """Return the area from where the drag began, wherever that is now; whole seconds and lanes."""
        sight = self._sight
        if sight is None or self._from is None:
            return None
        (first_s, last_s), (low, high) = (
            sorted(ends) for ends in zip(self._from, self._place_of(at, sight), strict=True)
        )
        begin_s, end_s, top, bottom = floor(first_s), ceil(last_s), floor(low), ceil(high)
        return Area(begin_s, max(end_s, begin_s + 1), top, max(min(bottom, ceil(sight.lanes)), top + 1))

    def _second_at(self, x: float) -> int | None:
        machine = self.areas.machine
        if self._sight is None or not machine.x <= x <= machine.right:
            return None
        return int(self._sight.second(x - machine.x))

    def _is_time_at(self, at: QPointF) -> bool:
        """Return True if a drag from a place moves the cursor: on its line, or below the nodes."""
        sight, cursor, machine = self._sight, self._shown.cursor_s, self.areas.machine
        if sight is None or not machine.x <= at.x() <= machine.right or at.y() < machine.y:
            return False
        is_near = cursor is not None and abs(machine.x + sight.x(cursor) - at.x()) <= _NEAR_PX
        return is_near or at.y() > machine.bottom

    def _scrub_to(self, x: float) -> None:
        """Move the cursor below a pointer; at most to the ends of what is in sight."""
        machine = self.areas.machine
        second = self._second_at(min(max(x, machine.x), machine.right))
        if second is not None:
            self.cursor_picked.emit(second)

    def _show_hand(self, at: QPointF) -> None:
        """Show by the pointer whether a drag moves time."""
        if self._is_time_at(at):
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        else:
            self.unsetCursor()

    def _step_cursor(self, step: int) -> None:
        scene, sight, cursor = self._scene, self._sight, self._shown.cursor_s
        if scene is None or sight is None:
            return
        at = cursor if cursor is not None else (sight.begin_s + sight.end_s) / 2
        found = scene.next_event(at, step)
        if found is not None:
            self.look(sight.with_second(found))
            self.cursor_picked.emit(found)

    def _keys(self) -> dict[int, tuple[float, float]]:
        """Return the pixels by which keys move the visible part."""
        machine = self.areas.machine
        wide, high = machine.width, machine.height
        return {
            _Key.Key_Left: (-_STEP_PART * wide, 0.0),
            _Key.Key_Right: (_STEP_PART * wide, 0.0),
            _Key.Key_A: (-_STEP_PART * wide, 0.0),
            _Key.Key_D: (_STEP_PART * wide, 0.0),
            _Key.Key_Up: (0.0, -_STEP_PART * high),
            _Key.Key_Down: (0.0, _STEP_PART * high),
            _Key.Key_PageUp: (-_PAGE_PART * wide, 0.0),
            _Key.Key_PageDown: (_PAGE_PART * wide, 0.0),
            _Key.Key_Home: (-float("inf"), 0.0),
            _Key.Key_End: (float("inf"), 0.0),
        }

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The wheel zooms time at the pointer, nodes with Shift, and scrolls sideways.
        sight, machine = self._sight, self.areas.machine
        turned = event.angleDelta()
        if sight is None:
            return
        at = event.position()
        if turned.y() and event.modifiers() & _SHIFT:
            self.look(sight.zoomed_lanes(ZOOM ** (-turned.y() / _NOTCH), sight.lane(at.y() - machine.y)))
        elif turned.y():
            self.look(sight.zoomed(ZOOM ** (-turned.y() / _NOTCH), sight.second(at.x() - machine.x)))
        elif turned.x():
            self.pan(-float(turned.x()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        button = event.button()
        if button not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton) or self._sight is None:
            return
        self._pressed, self._is_dragged = (event.position(), self._sight), False
        self._from = self._place_of(event.position(), self._sight)
        if button is Qt.MouseButton.MiddleButton or event.modifiers() & _SHIFT:
            self._drag = _Drag.MOVE
        else:
            self._drag = _Drag.TIME if self._is_time_at(event.position()) else _Drag.AREA

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            scene, row = self._scene, self.row_at(event.position())
            self.pointed.emit(job_words(scene, row) if scene is not None and row is not None else "")
            self._show_hand(event.position())
            return
        origin, sight = self._pressed
        by = origin - event.position()
        if self._is_dragged or by.manhattanLength() >= _DRAG_PX:
            self._is_dragged = True
            if self._drag is _Drag.TIME:
                self._scrub_to(event.position().x())
            elif self._drag is _Drag.AREA:
                self.setCursor(Qt.CursorShape.CrossCursor)
                self.area_drawn.emit(self._area_to(event.position()))
            else:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.look(sight.moved(by.x(), by.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, None
        self._show_hand(event.position())
        if pressed is not None and self._is_dragged and self._drag is _Drag.AREA:
            self.area_picked.emit(self._area_to(event.position()))
        second = self._second_at(event.position().x())
        if (
            pressed is not None
            and not self._is_dragged
            and second is not None
            and self._drag is not _Drag.MOVE
        ):
            self.area_picked.emit(None)
            self.cursor_picked.emit(second)
            row = self.row_at(event.position())
            if row is not None or self.areas.machine.holds(event.position().x(), event.position().y()):
                self.job_picked.emit(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = _Key(event.key())
        if event.modifiers() & _SHIFT and key in (_Key.Key_Left, _Key.Key_Right):
            self._step_cursor(1 if key is _Key.Key_Right else -1)
        elif key in self._keys():
            self.pan(*self._keys()[key])
        elif key in (_Key.Key_Plus, _Key.Key_Equal, _Key.Key_W):
            self.zoom_in()
        elif key in (_Key.Key_Minus, _Key.Key_S):
            self.zoom_out()
        elif key is _Key.Key_F:
            self.look_at_selected()
        elif key is _Key.Key_0:
            self.fit()
        elif key in (_Key.Key_Return, _Key.Key_Enter):
            self.look_at_job()
        elif key is _Key.Key_Escape and self._shown.area is not None:
            self.area_picked.emit(None)
        elif key is _Key.Key_Escape and self._shown.job is not None:
            self.job_picked.emit(None)
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit("")

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(QPointF(event.pos()))
            words = job_lines(self._scene, row) if self._scene is not None and row is not None else ""
            QToolTip.showText(event.globalPos(), words, self)
            return True
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and _is_letter(event)
        ):
            event.accept()  # W is also the key of an action of the window.
            return True
        return super().event(event)


def _is_letter(event: QKeyEvent) -> bool:
    """Return True if a key is one of the letters that move or zoom the view."""
    return event.key() in _LETTERS and event.modifiers() == Qt.KeyboardModifier.NoModifier
