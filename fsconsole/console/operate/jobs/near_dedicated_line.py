"""The near-dedicated class over time: reservations, its running jobs, and those that they displaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.lane_painter import GAP, BarLook, LanesPainter, LanesView
from fsconsole.console.kit.lanes import AXIS, LABEL_LEFT, TOP, Bar, Lane, LanesLayout, TimeAxis
from fsconsole.console.style.sizes import grown_px, scaled, tall_lines
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text_at
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.near_dedicated import DedicatedView, NdClass, RowKind, TimeRow
from fsconsole.slurm.preemption import Certainty, Effect
from fsconsole.text import moments
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

NOTHING = "No job of the near-dedicated class runs, and it displaced no other job."
LABELS = 168.0
LEAST_LANE = 18.0
MOST_LANE = 30.0
_MARGIN_S = 600.0
_MOST_BACK_S, _MOST_AHEAD_S = 6 * 3600.0, 24 * 3600.0
_DISPLACED = {
    (Effect.SUSPEND, Certainty.LIKELY): "Suspended since {since}, probably by {job}",
    (Effect.SUSPEND, Certainty.POSSIBLE): "Suspended since {since}, possibly by {job}",
    (Effect.REQUEUE, Certainty.LIKELY): "Requeued at {since}, probably by {job}",
    (Effect.REQUEUE, Certainty.POSSIBLE): "Requeued at {since}, possibly by {job}",
    (Effect.CANCEL, Certainty.LIKELY): "Cancelled at {since}, probably by {job}",
    (Effect.CANCEL, Certainty.POSSIBLE): "Cancelled at {since}, possibly by {job}",
}


def layout_of(
    view: DedicatedView, width: float, height: float, labels: float = LABELS, grown: float = 0
) -> LanesLayout:
    """Place the rows of a view in a widget of a size, px; as many as there is room for.

    `labels` is the width of the names of lanes, `grown` by how much a line of text is higher than in the
    specification.
    """
    axis = TimeAxis.in_width(width, labels, span_of(view))
    top, least = TOP + grown, LEAST_LANE + grown
    room = max(height - top - AXIS - grown, least)
    fitting = max(int(room // least), 1)
    more = max(len(view.rows) - fitting, 0)
    if more:
        fitting = max(fitting - 1, 1)  # The last lane shows how many more there are.
        more = len(view.rows) - fitting
    rows = view.rows[:fitting]
    each = min(max(room / max(len(rows) + bool(more), 1), least), MOST_LANE + grown)
    placed = _Placed(axis, each, view, *_names_of(view))
    lanes = tuple(placed.lane(row, top + each * place) for place, row in enumerate(rows))
    now = f"Now {moments.clock(view.now_s)}"
    return LanesLayout(axis, _ticks(axis), lanes, more, axis.x(view.now_s), now, grown)


def span_of(view: DedicatedView) -> tuple[float, float]:
    """Return the times shown: all rows with a margin, but not too long ago and not too far ahead."""
    now_s = view.now_s
    starts = [row.start_s for row in view.rows]
    ends = [row.end_s for row in view.rows if row.end_s is not None]
    first = max(min([now_s, *starts]), now_s - _MOST_BACK_S)
    last = min(max([now_s, *starts, *ends]), now_s + _MOST_AHEAD_S)
    margin = max(_MARGIN_S, (last - first) * 0.04)
    return first - margin, last + margin


def _names_of(view: DedicatedView) -> tuple[Mapping[str, Job], Mapping[str, NdClass]]:
    jobs = {one.job.label: one.job for each in view.classes for one in each.running}
    jobs |= {one.job.label: one.job for one in view.displaced}
    return jobs, {one.name: one for one in view.classes}


@dataclass(frozen=True, slots=True)
class _Placed:
    """Makes lanes of rows; jobs and classes of the view by their names."""

    axis: TimeAxis
    height: float
    view: DedicatedView
    jobs: Mapping[str, Job]
    classes: Mapping[str, NdClass]

    def lane(self, row: TimeRow, y: float) -> Lane:
        if row.kind is RowKind.RESERVATION:
            bar, tip = self._reservation(row, self.classes.get(row.of))
            return Lane(row.label, "reservation", y, self.height, (bar,), tip)
        job = self.jobs.get(row.label)
        name = f"{row.label} {job.user}" if job is not None else row.label
        number = job.job_id if job is not None else 0
        if row.kind is RowKind.RUNNING:
            bars, tip = self._running(row, job)
            return Lane(name, row.of, y, self.height, bars, tip, number)
        words = self._displaced_words(row)
        bar = self.axis.bar("displaced", row.start_s, self.view.now_s, words)
        tip = f"{name}: {words}. The console computes this; Slurm does not record it."
        return Lane(name, "displaced", y, self.height, (bar,), tip, number)

    def _displaced_words(self, row: TimeRow) -> str:
        lost = next((one for one in self.view.displaced if one.job.label == row.label), None)
        since = moments.clock(row.start_s)
        if lost is None:
            return f"Displaced since {since}"
        return _DISPLACED[lost.effect, lost.certainty].format(since=since, job=lost.by[0].label)

    def _end_s(self, row: TimeRow) -> float:
        return row.end_s if row.end_s is not None else self.axis.to_s + 1

    def _reservation(self, row: TimeRow, one: NdClass | None) -> tuple[Bar, str]:
        now_s, end_s = self.view.now_s, self._end_s(row)
        who = ", ".join([*one.users, *one.accounts]) if one is not None else ""
        nodes = count_words(row.nodes, "node")
        if row.start_s > now_s:
            when = f"begins {moments.moment(row.start_s, now_s)}"
        else:
            when = f"{length_words(end_s - now_s)} left" if end_s > now_s else "over"
        words = ", ".join(filter(None, (who, nodes, when)))
        ends = f"{moments.moment(row.start_s, now_s)} to {moments.moment(row.end_s, now_s)}"
        bar = self.axis.bar("reserved", row.start_s, end_s, words)
        return bar, f"Reservation {row.label}, {ends}: {words}"

    def _running(self, row: TimeRow, job: Job | None) -> tuple[tuple[Bar, ...], str]:
        now_s, end_s = self.view.now_s, self._end_s(row)
        latest = moments.moment(row.end_s, now_s)
        ends = f"ends at {latest} at the latest" if row.end_s is not None else "no limit"
        about = f"{job.name}, {job.nodes}" if job is not None else ""
        words = ", ".join(filter(None, (about, ends)))
        tip = f"{row.label} in {row.of} since {moments.moment(row.start_s, now_s)}: {words}"
        done = self.axis.bar("done", row.start_s, now_s)
        return (done, self.axis.bar("rest", now_s, max(end_s, now_s), words)), tip


def _ticks(axis: TimeAxis) -> tuple[tuple[float, str], ...]:
    """Round times of the clock here."""
    offset = moments.local(axis.from_s).utcoffset()
    zone_s = offset.total_seconds() if offset is not None else 0.0
    times = axis.round_times((axis.from_s + zone_s) % 86400.0)
    return tuple((axis.x(at), f"{moments.local(at):%H:%M}") for at in times)


class NearLine(LanesView):
    """A click selects a row's job; Up and Down walk from job to job. Signals: job_chosen(number)."""

    job_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: DedicatedView | None = None
        self._selected: frozenset[int] = frozenset()
        self._is_muted = False
        self.setAccessibleName("Near-dedicated class over time")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_view(self, view: DedicatedView | None, *, is_muted: bool) -> None:
        """Show the present state of the class."""
        self._view, self._is_muted = view, is_muted
        self.setEnabled(view is not None)
        self.setAccessibleDescription(view.sentence if view is not None else "")
        self.update()

    def select(self, jobs: frozenset[int]) -> None:
        """Mark the rows of some jobs."""
        if jobs != self._selected:
            self._selected = jobs
            self.update()

    @property
    def shown_layout(self) -> LanesLayout | None:
        """Where everything is; None while there is nothing."""
        if self._view is None:
            return None
        return layout_of(
            self._view, float(self.width()), float(self.height()), scaled(round(LABELS)), grown_px()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(0, tall_lines(82, 4))

    def time_words(self, time_s: float) -> str:
        return f"{moments.local(time_s):%Y-%m-%d %H:%M}"

    def sizeHint(self) -> QSize:
        return QSize(800, tall_lines(160, 6))

    def paintEvent(self, _event: QPaintEvent) -> None:
        layout = self.shown_layout
        if layout is None:
            return
        with QPainter(self) as painter:
            drawn = _NearPainter(painter, layout, self.width(), self.height())
            drawn.paint(self._selected, is_muted=self._is_muted)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        layout = self.shown_layout
        lane = layout.lane_at(event.position().y()) if layout is not None else None
        if event.button() is Qt.MouseButton.LeftButton and lane is not None and lane.item:
            self.job_chosen.emit(lane.item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        layout = self.shown_layout
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        jobs = [lane.item for lane in layout.lanes if lane.item] if layout is not None else []
        if step is None or not jobs:
            super().keyPressEvent(event)
            return
        at = next((place for place, job in enumerate(jobs) if job in self._selected), None)
        row = (0 if step > 0 else len(jobs) - 1) if at is None else min(max(at + step, 0), len(jobs) - 1)
        self.job_chosen.emit(jobs[row])


class _NearPainter(LanesPainter[LanesLayout]):
    looks: ClassVar[Mapping[str, BarLook]] = {
        "reserved": BarLook("accent", 0.14, "accent"),
        "done": BarLook("c5", 0.55, "c5"),
        "rest": BarLook("c5", 0.14, "c5", is_dashed=True),
        "displaced": BarLook("warn", 0.16, "warn", is_hatched=True),
    }

    def paint(self, selected: frozenset[int], *, is_muted: bool) -> None:
        painter = self.painter
        ground = colour("raised" if is_muted else "surface")
        painter.fillRect(QRectF(0, 0, self.width, self.height), ground)
        self.paint_axis()
        self.paint_lanes(selected)
        if not self.layout.lanes:  # No bars are left of the present, so the text fits there.
            painter.setPen(colour("muted"))
            draw_text_at(painter, QPointF(LABEL_LEFT, TOP + self.metrics.ascent() + GAP), NOTHING)
        self.paint_now()
