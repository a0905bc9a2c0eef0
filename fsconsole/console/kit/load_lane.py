"""A lane of planned load over time: how many processors are asked for, beside how many there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.kit.time_scale import MARGIN, TimeScale
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text_at
from fsconsole.text import durations, numbers
from fsconsole.text.words import count_words

_FILL = 0.25
_ENDED = "scenario ended"
_TOP, _BOTTOM = 3, 3
_ROOM_ABOVE = 1.1  # Margin so that the highest step does not touch the edge.


class LoadLane(Chart):
    """Steps of the processors asked for, over a whole run; a line where there are no more.

    Attributes:
        end_s: where the plan ends; a run may go on after that, with the load that was there.
    """

    def __init__(self, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: Sequence[tuple[float, float]] = ()
        self._first_s, self._whole_s, self._cpus = 0.0, 1.0, 1
        self.end_s = float("inf")
        keep_height(self, height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Planned load")
        self.setAccessibleDescription("No load is planned")
        theme().changed.connect(self.update)

    @property
    def most(self) -> float:
        """The most processors that are asked for at a time."""
        return max((asked for _, asked in self._steps), default=0.0)

    def show_load(self, steps: Sequence[tuple[float, float]], whole_s: float, cpus: int) -> None:
        """Show steps (time, processors asked for) over a run of that length on so many processors."""
        self._steps, self._whole_s, self._cpus = tuple(steps), max(whole_s, 1e-9), cpus
        peak = count_words(round(self.most), "processor")
        self.setAccessibleDescription(f"At most {peak} requested of {cpus}")
        self.update()

    def set_range(self, first_s: float, whole_s: float) -> None:
        """Set the times at the ends: a run can begin later, and continue past its planned end."""
        if (first_s, whole_s) != (self._first_s, self._whole_s):
            self._first_s, self._whole_s = first_s, whole_s
            self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each step of the plan."""
        columns: tuple[Column[tuple[float, float]], ...] = (
            Column("From", lambda step: durations.clock(step[0]), order=lambda step: step[0]),
            Column(
                "Processors requested",
                lambda step: numbers.fixed(step[1], 1),
                order=lambda step: step[1],
                is_number=True,
            ),
        )
        return rows_twin(self._steps, columns)

    @property
    def _scale(self) -> TimeScale:
        return TimeScale(self._first_s, self._whole_s, self.width())

    def describe(self, time_s: float) -> str:
        """Return the load at a time, in words."""
        at = bisect_right(self._steps, time_s, key=lambda step: step[0]) - 1
        asked = self._steps[at][1] if at >= 0 else 0.0
        if time_s > self.end_s:
            return f"{durations.clock(time_s)}  {_ENDED} at {durations.clock(self.end_s)}"
        words = f"{numbers.fixed(asked, 1)} of {count_words(self._cpus, 'processor')} requested"
        return f"{durations.clock(time_s)}  planned load: {words}"

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            scale = self._scale
            time_s = scale.time(event.pos().x())
            inside = self._steps and scale.first_s <= time_s <= scale.last_s
            QToolTip.showText(event.globalPos(), self.describe(time_s) if inside else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            floor = self.height() - _BOTTOM
            top = max(self.most, self._cpus) * _ROOM_ABOVE
            per_cpu = (floor - _TOP) / top
            right, scale = self.width() - MARGIN, self._scale
            points, y = [QPointF(MARGIN, floor)], float(floor)
            for time_s, asked in self._steps:
                x = min(max(scale.x(time_s), MARGIN), right)
                points.append(QPointF(x, y))
                y = floor - asked * per_cpu
                points.append(QPointF(x, y))
            points += [QPointF(right, y), QPointF(right, floor)]
            fill = QColor(colour("accent"))
            fill.setAlphaF(_FILL)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(points))
            painter.setPen(colour("accent"))
            painter.drawPolyline(QPolygonF(points[1:-1]))
            painter.setPen(colour("line2"))
            painter.drawLine(QLineF(MARGIN, floor + 0.5, right, floor + 0.5))
            self._paint_limit(painter, floor - self._cpus * per_cpu, right)
            if scale.last_s > self.end_s:
                self._paint_end(painter, max(scale.x(self.end_s), MARGIN), right)

    def _paint_end(self, painter: QPainter, left: float, right: float) -> None:
        """Hatch the time after the end of the plan, with a label if there is room."""
        room = QRectF(left, _TOP, right - left, self.height() - _TOP - _BOTTOM)
        painter.fillRect(room, colour("surface"))
        painter.fillRect(room, paint.hatch(painter, colour("line2")))
        metrics = QFontMetricsF(painter.font())
        width = metrics.horizontalAdvance(_ENDED)
        if width + 8 <= room.width():
            base = QPointF(left + 6, room.center().y() + metrics.ascent() / 2 - 1)
            ground = QRectF(base.x() - 2, base.y() - metrics.ascent(), width + 4, metrics.height())
            painter.fillRect(ground, colour("surface"))
            painter.setPen(colour("muted"))
            draw_text_at(painter, base, _ENDED)

    def _paint_limit(self, painter: QPainter, y: float, right: float) -> None:
        """Paint the line of all processors, with its words over its left end."""
        painter.setFont(tabular_font("caption"))
        metrics = QFontMetricsF(painter.font())
        words = count_words(self._cpus, "processor")
        y = round(y) + 0.5
        pen = QPen(colour("muted"))
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLine(QLineF(MARGIN, y, right, y))
        is_above = y >= metrics.height()
        base = y - metrics.descent() - 1 if is_above else y + metrics.ascent() + 1
        base = min(max(base, metrics.ascent()), self.height() - metrics.descent())
        width, height = metrics.horizontalAdvance(words), metrics.height()
        painter.fillRect(QRectF(MARGIN + 2, base - metrics.ascent(), width + 4, height), colour("surface"))
        painter.setPen(colour("text"))
        draw_text_at(painter, QPointF(MARGIN + 4, base), words)
