"""The machine over time as one picture: jobs on their nodes, reservations, how many wait."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.analyse.study.gantt_image import SpanImage, Spans, colours_of
from fsconsole.console.analyse.study.gantt_painter import GanttPainter, Shown
from fsconsole.console.analyse.study.gantt_scene import Scene, job_words, moment_words
from fsconsole.console.analyse.study.gantt_sight import Areas, Sight, areas_of
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin
from fsconsole.console.style.theme import colour, theme
from fsconsole.text.durations import duration
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.insight.area_sums import Area
    from fsconsole.batch.insight.losses import HeldSpans
    from fsconsole.batch.schedule import ReservationLog


class GanttCanvas(Chart):
    """One picture of a run, painted as one. Signals: moved() with another sight."""

    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene: Scene | None = None
        self._sight: Sight | None = None
        self._log: ReservationLog | None = None
        self._spans: Spans | None = None
        self._held_spans: HeldSpans | None = None
        self._strip: Spans | None = None
        self._user = ""
        self._are_coloured = True
        self._shown = Shown()
        self._images = SpanImage(), SpanImage()
        self._ratio: float | None = None  # Pixel ratio of an image that is not drawn for the screen.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Machine over time")
        theme().changed.connect(self.update)

    # -- what is shown ------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """Run that is drawn; None for none."""
        return self._scene

    @property
    def sight(self) -> Sight | None:
        """What of it is in sight."""
        return self._sight

    @property
    def shown(self) -> Shown:
        """Job, time and others that are marked."""
        return self._shown

    @property
    def areas(self) -> Areas:
        """Where the parts are."""
        return areas_of(self.width(), self.height())

    def show_scene(self, scene: Scene | None) -> None:
        """Show another run, the same time of it if it has that; its reservations come later."""
        before = self._sight
        self._scene, self._log, self._strip, self._held_spans = scene, None, None, None
        self._shown = replace(self._shown, job=None, held=(), has_log=False)
        self._sight = None
        if scene is None:
            self._shown = replace(self._shown, area=None)
        else:
            machine = self.areas.machine
            whole = Sight.of_all(
                scene.first_s, scene.last_s, scene.lanes.count, machine.width, machine.height
            )
            self._sight = whole.like(before) if before is not None else whole
        self._colour()
        self.moved.emit()

    def show_log(self, log: ReservationLog, spans: HeldSpans) -> None:
        """Show who holds reservations."""
        self._log, self._held_spans = log, spans
        self._shown = replace(self._shown, has_log=True)
        self._colour()
        self._hold()

    def show_user(self, user: str) -> None:
        """Highlight a user's jobs; none for an empty name."""
        self._user = user
        self._colour()

    def set_coloured(self, are_coloured: bool) -> None:
        """Set whether the users with most node-hours are coloured while none is selected."""
        self._are_coloured = are_coloured
        self._colour()

    def show_job(self, row: int | None) -> None:
        """Outline a job, and bring it into sight."""
        self._shown = replace(self._shown, job=row)
        if row is not None and self._scene is not None and self._sight is not None:
            start_s = int(self._scene.schedule.start_s[row])
            submit_s = int(self._scene.schedule.jobs.submit_s[row])
            self.look(self._sight.with_second(start_s if start_s >= 0 else submit_s))
        self._name()
        self.update()

    def show_cursor(self, second: int | None) -> None:
        """Draw the line of the cursor, and what is reserved then."""
        self._shown = replace(self._shown, cursor_s=second)
        self._hold()
        self._name()

    def show_area(self, area: Area | None) -> None:
        """Frame a stretch of time and lanes."""
        self._shown = replace(self._shown, area=area)
        self.update()

    def span(self, first_s: float, last_s: float) -> None:
        """Have all from one second to another to look around in, as a run beside this one needs it."""
        if self._sight is not None:
            self.look(self._sight.spanning(first_s, last_s))

    def words(self) -> str:
        """Return the jobs and nodes at the cursor in words."""
        if self._scene is None or self._shown.cursor_s is None:
            return ""
        held = self._shown.held if self._log is not None else None
        return moment_words(self._scene, self._shown.cursor_s, held)

    def picture(self, ratio: float) -> QImage:
        """Return an image of the canvas for a file, with a scale for its pixels."""
        made = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        made.setDevicePixelRatio(ratio)
        self._ratio = ratio
        self.render(made)
        self._ratio = None
        return made

    def look(self, sight: Sight) -> None:
        """Have another part of it in sight."""
        if sight != self._sight:
            self._sight = sight
            self._name()
            self.moved.emit()
            self.update()

    # -- inside -------------------------------------------------------------------------------------------

    def _colour(self) -> None:
        """Recompute which span has which colour."""
        scene = self._scene
        self._spans = self._strip = None
        if scene is not None:
            user = scene.user_of(self._user)
            self._shown = replace(self._shown, user=user)
            lanes = scene.lanes
            tint = scene.tints(user, are_coloured=self._are_coloured)
            self._spans = Spans(lanes.start_s, scene.end_s, lanes.first, lanes.wide, tint)
            if self._held_spans is not None:
                by_job = np.zeros(len(scene.schedule.jobs), dtype=np.uint8)
                by_job[lanes.job] = tint
                self._strip = _strip_of(self._held_spans, by_job)
        self._name()
        self.update()

    def _hold(self) -> None:
        from fsconsole.batch.insight.schedule_snapshot import held_at

        cursor = self._shown.cursor_s
        held = held_at(self._log, cursor) if cursor is not None else ()
        self._shown = replace(self._shown, held=held)
        self.update()

    def _name(self) -> None:
        scene, row = self._scene, self._shown.job
        words = self.words()
        job = job_words(scene, row) if scene is not None and row is not None else ""
        self.setAccessibleDescription(". ".join(part for part in (self._sight_words(), job, words) if part))

    def _sight_words(self) -> str:
        scene, sight = self._scene, self._sight
        if scene is None or sight is None:
            return "No run is shown"
        begin, end = scene.time.words(sight.begin_s), scene.time.words(sight.end_s)
        jobs = count_words(len(scene.jobs_in(sight.begin_s, sight.end_s, sight.top, sight.bottom)), "job")
        return f"{scene.schedule.label}: {jobs} in sight, from {begin} to {end}"

    def text_twin(self) -> TextTwin:
        """Return the jobs in sight, in the order in which they start."""
        scene, sight = self._scene, self._sight
        if scene is None or sight is None:
            return TextTwin()
        rows = scene.jobs_in(sight.begin_s, sight.end_s, sight.top, sight.bottom)
        return TextTwin(_columns(scene), tuple(rows.tolist()))

    def _chosen_token(self) -> str:
        scene = self._scene
        user = scene.user_of(self._user) if scene is not None else None
        token = scene.token_of(user) if scene is not None and user is not None else "c5"
        return "c5" if token.startswith("g") else token

    def _images_now(self, scene: Scene, sight: Sight, areas: Areas) -> tuple[QImage, QImage | None]:
        """Return jobs and reservations in sight as images."""
        assert self._spans is not None  # noqa: S101 (there is a scene)
        colours, ratio, strip = (
            colours_of(self._chosen_token()),
            self._ratio or self.devicePixelRatioF(),
            self._strip,
        )
        jobs = self._images[0].paint(self._spans, scene.lanes.between, sight, colours, ratio)
        if strip is None:
            return jobs, None

        def near(_begin_s: int, end_s: int) -> slice:
            return slice(0, int(np.searchsorted(strip.start_s, end_s)))

        flat = replace(sight, top=0.0, bottom=1.0, lanes=1.0, height=areas.strip.height)
        return jobs, self._images[1].paint(strip, near, flat, colours, ratio)

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(720, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 150)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._sight is not None:
            machine = self.areas.machine
            self._sight = self._sight.sized(machine.width, machine.height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            scene, sight = self._scene, self._sight
            if scene is not None and sight is not None:
                areas = self.areas
                jobs, strip = self._images_now(scene, sight, areas)
                GanttPainter(painter, scene, sight, areas).paint(jobs, strip, self._shown)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(colour("accent"))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))


def _columns(scene: Scene) -> tuple[Column[int], ...]:
    """Return the columns of the jobs, by row."""
    schedule, say = scene.schedule, scene.time.words
    jobs = schedule.jobs
    start, submit, end = schedule.start_s, jobs.submit_s, schedule.end_s
    return (
        Column("Job", lambda row: str(jobs.job_id[row]), order=lambda row: jobs.job_id[row], is_number=True),
        Column("User", lambda row: f"#{jobs.users[int(jobs.user[row])]}"),
        Column("Nodes", lambda row: thousands(jobs.nodes[row]), order=lambda row: jobs.nodes[row],
               is_number=True),
        Column("Submitted", lambda row: say(submit[row]), order=lambda row: submit[row]),
        Column("Started", lambda row: say(start[row]), order=lambda row: start[row]),
        Column("Ended", lambda row: say(end[row]), order=lambda row: end[row]),
        Column("Wait", lambda row: duration(int(start[row] - submit[row])),
               order=lambda row: start[row] - submit[row], is_number=True),
        Column("Runtime", lambda row: duration(int(end[row] - start[row])),
               order=lambda row: end[row] - start[row], is_number=True),
    )  # fmt: skip


def _strip_of(spans: HeldSpans, tints: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> Spans:
    """Return all reservations on one lane; simultaneous ones overlap."""
    lane = np.zeros(len(spans.job), dtype=np.int32)
    return Spans(spans.from_s, spans.until_s, lane, lane + 1, tints[spans.job])
