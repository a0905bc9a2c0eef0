"""Draws the machine over time: the picture of the jobs, and what is written and marked over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from fsconsole.batch.insight.area_sums import Area
from fsconsole.console.analyse.study.gantt_scene import Scene
from fsconsole.console.analyse.study.gantt_sight import Areas, Rectangle, Sight
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.numbers import thousands

_LABEL_W, _LABEL_H = 38.0, 13.0  # Smallest box, in px, in which a job's number fits.
_MOST_LABELS = 400
_TICK_PX = 76.0
_LANE_TICKS = 4
_AREA = 0.16  # Opacity of the accent over a selected area.


@dataclass(frozen=True, slots=True)
class Shown:
    """What is marked.

    Attributes:
        job: row of the job selected; None for none.
        cursor_s: the time cursor; None for none.
        held: (row, planned start) of the reservations at the cursor.
        has_log: whether reservations are known.
        labels: whether jobs are called by their ids where there is room.
        user: whose jobs stand out, by index; None for none.
        area: the stretch of time and lanes selected; None for none.
    """

    job: int | None = None
    cursor_s: int | None = None
    held: tuple[tuple[int, int], ...] = ()
    has_log: bool = False
    labels: bool = True
    user: int | None = None
    area: Area | None = None


class GanttPainter:
    """Painter of one frame."""

    def __init__(self, painter: QPainter, scene: Scene, sight: Sight, areas: Areas) -> None:
        self._painter, self._scene, self._sight, self._areas = painter, scene, sight, areas
        self._font = tabular_font("caption")
        self._metrics = QFontMetricsF(self._font)
        painter.setFont(self._font)

    def paint(self, jobs: QImage, strip: QImage | None, shown: Shown) -> None:
        """Paint the whole picture."""
        areas, painter = self._areas, self._painter
        painter.drawImage(QPointF(areas.machine.x, areas.machine.y), jobs)
        if strip is not None:
            painter.drawImage(QPointF(areas.strip.x, areas.strip.y), strip)
        self._paint_waiting()
        self._paint_axes(shown)
        painter.save()
        painter.setClipRect(_rect(Rectangle(areas.machine.x, 0, areas.machine.width, areas.axis.y)))
        self._paint_outside()
        if shown.labels:
            self._paint_labels(shown.user)
        for row, start_s in shown.held:
            self._paint_held(row, start_s)
        if shown.job is not None:
            self._paint_selected(shown.job)
        if shown.area is not None:
            self._paint_area(shown.area)
        painter.restore()
        if shown.cursor_s is not None:
            self._paint_cursor(shown.cursor_s)

    # -- what waits, axes ---------------------------------------------------------------------------------

    def _paint_waiting(self) -> None:
        """Paint the number of waiting jobs, the maximum of each pixel, up to the largest visible number."""
        area, sight = self._areas.waiting, self._sight
        columns = int(area.width)
        edges = np.linspace(sight.begin_s, sight.end_s, columns + 1)
        counts = self._scene.waiting.most(edges)
        most = int(counts.max(initial=0))
        scale = area.height / max(most, 1)
        points = [QPointF(area.x, area.bottom)]
        for column, count in enumerate(counts.tolist()):
            y = area.bottom - count * scale
            points += (QPointF(area.x + column, y), QPointF(area.x + column + 1, y))
        points.append(QPointF(area.right, area.bottom))
        fill = QColor(colour("g2"))
        fill.setAlphaF(0.35)
        self._painter.setPen(colour("g2"))
        self._painter.setBrush(fill)
        self._painter.drawPolygon(QPolygonF(points))
        self._painter.setPen(colour("muted"))
        self._write_left(area.y + 5, f"{thousands(most)}")
        if area.height > 40:
            self._write_left(area.y + area.height / 2 + 2, "waiting")
        self._write_left(area.bottom - 5, "0")

    def _paint_axes(self, shown: Shown) -> None:
        areas, painter, sight = self._areas, self._painter, self._sight
        painter.setPen(colour("line2"))
        for area in (areas.machine, areas.waiting):
            painter.drawLine(QLineF(area.x - 0.5, area.y, area.x - 0.5, area.bottom))
            painter.drawLine(QLineF(area.x, area.bottom + 0.5, area.right, area.bottom + 0.5))
        painter.setPen(colour("muted"))
        for lane in _lane_ticks(sight.top, sight.bottom):
            y = areas.machine.y + sight.y(lane)
            self._write_left(min(max(y, areas.machine.y + 6), areas.machine.bottom - 6), thousands(lane))
        self._write_left(areas.strip.y + areas.strip.height / 2, "reserved" if shown.has_log else "…")
        most = max(int(areas.machine.width / _TICK_PX), 1)
        for second, words in self._scene.time.ticks(sight.begin_s, sight.end_s, most):
            x = areas.axis.x + sight.x(second)
            painter.setPen(colour("line2"))
            painter.drawLine(QLineF(x, areas.axis.y, x, areas.axis.y + 4))
            painter.setPen(colour("muted"))
            box = QRectF(x - 60, areas.axis.y + 4, 120, areas.axis.height - 4)
            if areas.machine.x - 30 <= x - 20 and x + 20 <= areas.machine.right + 14:
                draw_text(painter, box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, words)

    def _write_left(self, y: float, words: str) -> None:
        """Write words left of the axis, in the middle of a height."""
        box = QRectF(0, y - 8, self._areas.machine.x - 5, 16)
        draw_text(self._painter, box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    # -- over the jobs ------------------------------------------------------------------------------------

    def _paint_outside(self) -> None:
        """Hatch what is before and after the period that counts; its jobs keep their contrast."""
        scene, areas, sight = self._scene, self._areas, self._sight
        if scene.measured.all():
            return
        veil = paint.hatch(self._painter, colour("surface"))
        machine = areas.machine
        start = min(max(machine.x + sight.x(scene.period.start_s), machine.x), machine.right)
        end = min(max(machine.x + sight.x(scene.period.end_s), machine.x), machine.right)
        for left, right in ((machine.x, start), (end, machine.right)):
            self._painter.fillRect(QRectF(left, machine.y, right - left, areas.axis.y - machine.y), veil)
        pen = QPen(colour("muted"), 1, Qt.PenStyle.DotLine)
        for x in (start, end):
            if machine.x < x < machine.right:
                self._painter.setPen(pen)
                self._painter.drawLine(QLineF(x, machine.y, x, areas.axis.y))

    def _paint_labels(self, user: int | None) -> None:
        """Paint ids of jobs whose boxes have room for them."""
        scene, sight, machine = self._scene, self._sight, self._areas.machine
        if scene.longest_s * sight.px_per_s < _LABEL_W:
            return
        lanes = scene.lanes
        near = lanes.between(int(sight.begin_s), int(sight.end_s) + 1)
        starts = np.maximum(lanes.start_s[near], sight.begin_s)
        wide = (np.minimum(scene.end_s[near], sight.end_s) - starts) * sight.px_per_s
        high = lanes.wide[near] * sight.px_per_lane
        large = np.flatnonzero((wide >= _LABEL_W) & (high >= _LABEL_H))
        if len(large) > _MOST_LABELS:
            return
        jobs = scene.schedule.jobs
        for span in large.tolist():
            row = int(lanes.job[near][span])
            self._painter.setPen(colour("surface" if user is not None and jobs.user[row] == user else "text"))
            box = QRectF(
                machine.x + sight.x(float(starts[span])) + 3,
                machine.y + sight.y(float(lanes.first[near][span])),
                float(wide[span]) - 6,
                float(high[span]) - 1,
            )
            words = f"{jobs.job_id[row]}"
            if box.width() >= self._metrics.horizontalAdvance(words):
                draw_text(self._painter, box.intersected(_rect(machine)), _MIDDLE_LEFT, words)

    def _boxes(self, row: int, start_s: float, end_s: float) -> list[QRectF]:
        """Return the boxes of a job that runs between two seconds."""
        machine, sight = self._areas.machine, self._sight
        left = machine.x + sight.x(start_s)
        width = max((end_s - start_s) * sight.px_per_s, 2.0)
        return [
            QRectF(left, machine.y + sight.y(first), width, wide * sight.px_per_lane)
            for first, wide in self._scene.lanes.of_job(row)
        ]

    def _paint_held(self, row: int, start_s: int) -> None:
        """Paint a reservation: hatched where the job is to start, on the lanes that it got in the end."""
        runtime = int(self._scene.schedule.jobs.runtime_s[row])
        brush = paint.hatch(self._painter, colour("text"))
        self._painter.setPen(QPen(colour("text"), 1, Qt.PenStyle.DashLine))
        self._painter.setBrush(brush)
        for box in self._boxes(row, start_s, start_s + runtime):
            self._painter.drawRect(_within(box, self._areas.machine))

    def _paint_selected(self, row: int) -> None:
        """Paint the job selected: outlined, with a line back to when it was submitted."""
        schedule, machine, sight = self._scene.schedule, self._areas.machine, self._sight
        submit, start, end = (
            int(column[row]) for column in (schedule.jobs.submit_s, schedule.start_s, schedule.end_s)
        )
        boxes = self._boxes(row, start, end)
        painter = self._painter
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour("text"), 2))
        for box in boxes:
            painter.drawRect(_within(box, machine))
        if boxes and start > submit:
            y = min(max(boxes[0].center().y(), machine.y), machine.bottom)
            left = max(machine.x + sight.x(submit), machine.x - 2)
            right = min(machine.x + sight.x(start), machine.right + 2)
            painter.setPen(QPen(colour("text"), 2, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(left, y, right, y))
            painter.setPen(QPen(colour("text"), 2))
            painter.drawLine(QLineF(left, y - 5, left, y + 5))

    def _paint_area(self, area: Area) -> None:
        """Paint the area selected: framed, its time also over what waits."""
        machine, sight, painter = self._areas.machine, self._sight, self._painter
        left, right = machine.x + sight.x(area.begin_s), machine.x + sight.x(area.end_s)
        top, bottom = machine.y + sight.y(area.top), machine.y + sight.y(area.bottom)
        fill = QColor(colour("accent"))
        fill.setAlphaF(_AREA)
        waiting = self._areas.waiting
        painter.fillRect(
            _within(QRectF(left, waiting.y, right - left, waiting.height), waiting).intersected(
                _rect(waiting)
            ),
            fill,
        )
        box = _within(QRectF(left, top, right - left, bottom - top), machine)
        painter.fillRect(box, fill)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour("accent"), 1))
        painter.drawRect(box)

    def _paint_cursor(self, cursor_s: int) -> None:
        """Paint a line over all parts, with the moment at its foot."""
        areas, painter, sight = self._areas, self._painter, self._sight
        x = areas.machine.x + sight.x(cursor_s)
        if not areas.machine.x <= x <= areas.machine.right:
            return
        painter.setPen(QPen(colour("text"), 1))
        painter.drawLine(QLineF(x, areas.machine.y, x, areas.axis.y + 3))
        words = self._scene.time.words(cursor_s, is_full=False)
        width = self._metrics.horizontalAdvance(words) + 10
        left = min(max(x - width / 2, 0.0), areas.axis.right + 12 - width)
        tag = QRectF(left, areas.axis.y + 3, width, 16)
        painter.fillRect(tag, colour("text"))
        painter.setPen(colour("surface"))
        draw_text(painter, tag, Qt.AlignmentFlag.AlignCenter, words)


_MIDDLE_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def _rect(area: Rectangle) -> QRectF:
    return QRectF(area.x, area.y, area.width, area.height)


def _within(box: QRectF, area: Rectangle) -> QRectF:
    """Return a box cut a little outside of an area: Qt draws slowly what reaches far beyond."""
    return box.intersected(QRectF(area.x - 4, area.y - 4, area.width + 8, area.height + 8))


def _lane_ticks(top: float, bottom: float) -> Sequence[int]:
    """Return a few whole lanes from the top to the bottom."""
    span = max(bottom - top, 1.0)
    step = next(step for step in _steps() if span / step <= _LANE_TICKS)
    first = -(-int(np.ceil(top)) // step) * step
    return range(first, int(bottom) + 1, step)


def _steps() -> Sequence[int]:
    return [lead * 10**power for power in range(8) for lead in (1, 2, 5)]
