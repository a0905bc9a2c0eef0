"""All of a run in a strip: how many nodes are in use, and which part of it is in sight below."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.analyse.study.gantt_scene import Scene
from fsconsole.console.analyse.study.gantt_sight import LEFT_PX, RIGHT_PX, Sight
from fsconsole.console.kit.text_twin import Chart, TextTwin, curves_twin
from fsconsole.console.style import paint
from fsconsole.console.style.theme import colour, theme
from fsconsole.text.numbers import percent

_HEIGHT_PX = 34
_EDGE_PX = 5  # Distance from an end of the visible part at which the pointer grips that end.
_LEAST_PX = 3
_PARTS_READ = 60  # Rows of the table for assistive technology.
_FILL = 0.45


class GanttMinimap(Chart):
    """A drag in the frame moves it, at its end changes it, elsewhere draws another one.

    Signals: looked(begin_s, end_s) when another part is wanted in sight.
    """

    looked = Signal(float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._sight: Sight | None = None
        self._curve: tuple[int, QPolygonF] = (0, QPolygonF())
        # Second that stays fixed, and the position of the pointer's grip.
        self._grip: tuple[float, float] | None = None
        self._is_moved = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName("The whole run")
        self.setAccessibleDescription("No run is shown")
        self.setToolTip("Nodes in use over the whole run. Drag to choose the time shown below.")
        theme().changed.connect(self.update)

    def show_scene(self, scene: Scene | None) -> None:
        """Show this run in place of the last."""
        self._scene, self._curve = scene, (0, QPolygonF())
        self.update()

    def show_sight(self, sight: Sight | None) -> None:
        """Frame what is in sight."""
        has_another_whole = (
            sight is None
            or self._sight is None
            or ((sight.first_s, sight.last_s) != (self._sight.first_s, self._sight.last_s))
        )
        if has_another_whole:
            self._curve = (0, QPolygonF())
        self._sight = sight
        if sight is not None:
            part = sight.seconds / (sight.last_s - sight.first_s)
            self.setAccessibleDescription(f"{percent(part)} of the time is shown")
        self.update()

    def text_twin(self) -> TextTwin:
        """Return the mean of the nodes in use over even parts of the whole run."""
        scene, sight = self._scene, self._sight
        if scene is None or sight is None:
            return TextTwin()
        edges = np.linspace(sight.first_s, sight.last_s, _PARTS_READ + 1)
        busy = scene.busy.mean(edges)
        return curves_twin(
            "From", edges[:-1], lambda at: scene.time.words(round(at)), [("Nodes in use", busy)]
        )

    # -- inside -------------------------------------------------------------------------------------------

    @property
    def _width(self) -> float:
        return max(self.width() - LEFT_PX - RIGHT_PX, 1.0)

    def _x(self, sight: Sight, second: float) -> float:
        return LEFT_PX + (second - sight.first_s) / (sight.last_s - sight.first_s) * self._width

    def _second(self, sight: Sight, x: float) -> float:
        part = min(max((x - LEFT_PX) / self._width, 0.0), 1.0)
        return sight.first_s + part * (sight.last_s - sight.first_s)

    def _ends(self, sight: Sight) -> tuple[float, float]:
        """Return the left and right edge of the frame."""
        left, right = self._x(sight, sight.begin_s), self._x(sight, sight.end_s)
        return left, max(right, left + _LEAST_PX)

    def _outline(self, scene: Scene, sight: Sight) -> QPolygonF:
        """Return the area of nodes in use, the mean of each pixel."""
        columns = int(self._width)
        if self._curve[0] != columns:
            edges = np.linspace(sight.first_s, sight.last_s, columns + 1)
            nodes = max(scene.lanes.count, 1)
            tops = self.height() - 2 - scene.busy.mean(edges) / nodes * (self.height() - 4)
            bottom = float(self.height() - 2)
            points = [QPointF(LEFT_PX, bottom)]
            points += [QPointF(LEFT_PX + column + 0.5, top) for column, top in enumerate(tops.tolist())]
            points.append(QPointF(LEFT_PX + columns, bottom))
            self._curve = columns, QPolygonF(points)
        return self._curve[1]

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        sight, x = self._sight, event.position().x()
        if event.button() is not Qt.MouseButton.LeftButton or sight is None:
            return
        left, right = self._ends(sight)
        self._is_moved = False
        if abs(x - left) <= _EDGE_PX and not sight.is_all:
            self._grip = sight.end_s, x
        elif abs(x - right) <= _EDGE_PX and not sight.is_all:
            self._grip = sight.begin_s, x
        elif left < x < right and not sight.is_all:
            self._grip, self._is_moved = (self._second(sight, x) - sight.begin_s, x), True
        else:
            self._grip = self._second(sight, x), x

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        sight, x = self._sight, event.position().x()
        if sight is None:
            return
        if self._grip is None:
            left, right = self._ends(sight)
            is_edge = not sight.is_all and min(abs(x - left), abs(x - right)) <= _EDGE_PX
            self.setCursor(Qt.CursorShape.SizeHorCursor if is_edge else Qt.CursorShape.PointingHandCursor)
            return
        kept, at = self._grip
        if self._is_moved:
            begin = self._second(sight, x) - kept
            self.looked.emit(begin, begin + sight.seconds)
        elif abs(x - at) >= _LEAST_PX:
            begin, end = sorted((kept, self._second(sight, x)))
            self.looked.emit(begin, end)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        sight, x, grip = self._sight, event.position().x(), self._grip
        self._grip = None
        if grip is None or sight is None or self._is_moved or abs(x - grip[1]) >= _LEAST_PX:
            return
        middle = self._second(sight, x)  # A click centres the view on its position.
        self.looked.emit(middle - sight.seconds / 2, middle + sight.seconds / 2)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        if self._sight is not None:
            self.looked.emit(self._sight.first_s, self._sight.last_s)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.unsetCursor()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            scene, sight = self._scene, self._sight
            if scene is not None and sight is not None:
                fill, veil = QColor(colour("g2")), paint.hatch(painter, colour("surface"))
                fill.setAlphaF(_FILL)
                painter.setPen(colour("g2"))
                painter.setBrush(fill)
                painter.drawPolygon(self._outline(scene, sight))
                left, right = self._ends(sight)
                painter.fillRect(QRectF(LEFT_PX, 0, left - LEFT_PX, self.height()), veil)
                painter.fillRect(QRectF(right, 0, LEFT_PX + self._width - right, self.height()), veil)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(colour("accent"))
                painter.drawRect(QRectF(left, 0.5, right - left, self.height() - 2))
                painter.setPen(colour("line2"))
                y = self.height() - 1.5
                painter.drawLine(QLineF(LEFT_PX, y, LEFT_PX + self._width, y))
