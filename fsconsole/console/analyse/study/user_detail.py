"""One user of a run: the reason for their type, their days under several policies, their jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from fsconsole.app.study.figure_runs import (
    DaysOf,
    cells_by_day,
    days_of,
    place_of_second,
    specs_by_day,
)
from fsconsole.app.study.user_facts import jobs_frame
from fsconsole.batch.clock import Clock
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.figures_page import PartView, key_of
from fsconsole.console.analyse.study.gantt_scene import reservations_in
from fsconsole.console.analyse.study.of_runs import OfRuns
from fsconsole.console.analyse.study.plot import Signs
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import StudyView
from fsconsole.console.kit.frames import FrameModel, FrameRow, FrameTable, frame_column
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons, flat_button
from fsconsole.console.widgets.dock import DockBody
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.figures.spec import FigureSpec, FigureStyle
from fsconsole.text.durations import duration
from fsconsole.text.numbers import fixed

if TYPE_CHECKING:
    from fsconsole.batch.insight.losses import HeldSpans

BY_DAY, HOURS, JOBS = "jobs by day", "node-hours by day", "jobs"
_FIGURES = {BY_DAY: 1, HOURS: 2}
_MOST_PARTS = 3
_LOW_PX = 400
_CHOOSE = "Select a user above."


class DaysView(PartView):
    """A user's days under one policy, low and wide; its title names the quantity.

    Attributes:
        marked_at: place of the day that holds the time cursor; None for none.
    """

    marked_at: float | None = None

    def style_shown(self) -> FigureStyle:
        """Return the style without axis titles, since a common heading names the quantity."""
        style = super().style_shown()
        at = self.marked_at if style.cursor_at is None else style.cursor_at
        return replace(style, axis_titles="none", cursor_at=at)

    def mark(self, place: float | None) -> None:
        """Mark another day, or none."""
        if place != self.marked_at:
            self.marked_at = place
            self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 76)

    def sizeHint(self) -> QSize:
        return QSize(700, 130)


class UserDetail(StudyView):
    """Figs. 2 or 3 of the user selected, a part for each policy, or their jobs."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._days = OfRuns(self, days_of)
        self._spans: tuple[str, HeldSpans] | None = None
        self._shown: tuple[object, ...] = ()
        self._found: tuple[DaysOf, ...] = ()
        self.parts: list[DaysView] = []
        self.specs: list[FigureSpec] = []
        self._name = PlainLabel("", self)
        self.reason = MutedLabel("", self, wraps=True)
        self.choice = SegmentedButtons(
            ((BY_DAY, "Jobs by day"), (HOURS, "Node-hours by day"), (JOBS, "Jobs")), "Show", self
        )
        tip = "Show the user's jobs in the machine over time"
        self.machine = flat_button("Machine", tip, self._show_machine, self)
        self.why = flat_button("Why", "Show why the selected job waited", self._ask_why, self)
        self.model = FrameModel(_job_columns(self._moment), self)
        self.view = FrameTable(self.model, "Jobs of the user", self, "wait_s")
        self._figures, self.key = QWidget(self), Signs(self)
        self._row_or_column = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._values = MutedLabel("", self)
        self._sheet = QWidget(self)
        self._stack = QStackedWidget(self._sheet)
        self.body = DockBody(self._sheet, self)
        self._build_ui()
        self._connect_signals()
        self._refresh()

    @property
    def current_figure(self) -> FigureSpec | None:
        """The part that has the focus, else the first; None where jobs are shown."""
        if self.choice.value == JOBS or not self.specs:
            return None
        place = next((place for place, view in enumerate(self.parts) if view.hasFocus()), 0)
        return self.specs[place]

    def show_reason(self, sentence: str) -> None:
        """Show why the user suffers; empty for users who do not."""
        self.reason.setText(sentence)
        self.reason.setVisible(bool(sentence))

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Show what is chosen of the user selected, while it is seen."""
        selection = self._selection
        state, cell, user = selection.state, selection.cell, selection.user
        self._name.setText(f"User #{user}" if user else "No user")
        self.why.setEnabled(selection.job is not None)
        if not self.isVisible():
            return
        if state is None or cell is None or not user:
            self._put([])
            self.body.show_empty(_CHOOSE)
        elif self.choice.value == JOBS:
            self._show_jobs(cell, user)
        else:
            self._show_days(cell, user)

    def _show_days(self, cell: Cell, user: str) -> None:
        state = self._selection.state
        assert state is not None  # noqa: S101 (a run is selected)
        self._stack.setCurrentWidget(self._figures)
        cells = [cell, *(one for one in cells_by_day(state, cell.workload) if one != cell)][:_MOST_PARTS]
        found = self._days.of(state, cells)
        if found is None:
            self._put([])
            self.body.show_empty("Computing days…")
            return
        self._put(specs_by_day(found, user, _FIGURES[self.choice.value]))
        self._found = found
        self._on_cursor_moved()
        if self.specs:
            self.body.show_content()
        else:
            self.body.show_empty(f"User #{user} has no jobs here.")

    def _show_jobs(self, cell: Cell, user: str) -> None:
        self._stack.setCurrentWidget(self.view)
        run, reserved = self._selection.runs.of(cell), self._selection.reserved.of(cell)
        if run is None:
            self.body.show_empty("Reading the jobs…")
            return
        spans = self._spans[1] if self._spans is not None and self._spans[0] == cell.key else None
        if spans is None and reserved is not None and not self._tasks.is_busy("spans"):
            self._tasks.run(
                lambda: (cell.key, reservations_in(reserved)),
                self._on_spans,
                lambda error: self._on_failed(describe_error(error)),
                latest="spans",
            )
        shown = (cell.key, user, spans is not None)
        if shown != self._shown:
            self._shown = shown
            self._time = Clock(run.schedule.jobs)
            self.model.show_frame(jobs_frame(run, user, spans))
            self._on_job_selected()
        self.body.show_content()

    @Slot()
    def _on_days(self) -> None:
        self.body.clear_error()
        self._refresh()

    def _on_spans(self, found: tuple[str, HeldSpans]) -> None:
        self._spans = found
        self._refresh()

    @Slot(str)
    def _on_failed(self, words: str) -> None:
        self.body.show_error(f"Cannot compute this: {words}")

    @Slot()
    def _on_study_changed(self) -> None:
        self._tasks.cancel()
        self._days.forget()
        self._spans, self._shown = None, ()
        self.body.clear_error()
        self.show_reason("")
        self._refresh()

    def _put(self, specs: list[FigureSpec]) -> None:
        """Put the parts in place, one for each policy."""
        self.specs = specs
        while len(self.parts) > len(specs):
            self.parts.pop().deleteLater()
        while len(self.parts) < len(specs):
            view = DaysView(specs[len(self.parts)], self._figures)
            view.pointed.connect(self._values.setText)
            self._row_or_column.addWidget(view)
            self.parts.append(view)
        for view, spec in zip(self.parts, specs, strict=True):
            view.show_figure(replace(spec, title=f"{spec.title}, {spec.y_axis.title}", caption=""))
        signs = key_of(specs, specs)
        self.key.show_signs(signs)
        self.key.setVisible(bool(signs))
        self.changed.emit()

    @Slot(int)
    def _on_picked(self, row: int) -> None:
        self._selection.select_job(int(self.model.value(row, "job_id")))
        submit, start = int(self.model.value(row, "submit_s")), int(self.model.value(row, "start_s"))
        self._selection.set_cursor((submit + start) // 2)

    @Slot()
    def _on_job_selected(self) -> None:
        job = self._selection.job
        self.why.setEnabled(job is not None)
        if job is not None:
            self.view.show_current("job_id", job)

    @Slot()
    def _on_cursor_moved(self) -> None:
        """Mark the day of the time cursor."""
        at_s, user = self._selection.cursor_s, self._selection.user
        place = None if at_s is None else place_of_second(self._found, user, at_s)
        for part in self.parts:
            part.mark(place)

    @Slot()
    def _ask_why(self) -> None:
        self.page_wanted.emit("why")

    @Slot()
    def _show_machine(self) -> None:
        self.page_wanted.emit("machine")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        for signal in (
            selection.cell_selected,
            selection.user_selected,
            selection.runs.loaded,
            selection.results_changed,
        ):
            signal.connect(self._refresh)
        selection.job_selected.connect(self._on_job_selected)
        selection.cursor_moved.connect(self._on_cursor_moved)
        selection.reserved.loaded.connect(self._refresh)
        self._days.computed.connect(self._on_days)
        self._days.failed.connect(self._on_failed)
        self.choice.chosen.connect(self._refresh)
        self.view.picked.connect(self._on_picked)
        self.view.activated.connect(self._ask_why)

    def _build_ui(self) -> None:
        self._name.setFont(ui_font("table", semibold=True))
        self.reason.setContentsMargins(12, 0, 12, 4)
        self.reason.hide()
        head = hbox(
            self._name, self.choice, STRETCH, self.machine, self.why, margins=(12, 4, 8, 4), spacing=12
        )
        self._row_or_column.setContentsMargins(0, 0, 0, 0)
        self._row_or_column.setSpacing(0)
        self.key.setContentsMargins(12, 0, 12, 0)
        self.key.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        vbox(self.key, (self._row_or_column, 1), on=self._figures)
        self._stack.addWidget(self._figures)
        self._stack.addWidget(self.view)
        vbox(self._stack, on=self._sheet)
        self._values.setContentsMargins(12, 2, 12, 4)
        vbox(head, self.reason, (self.body, 1), self._values, on=self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # Parts are stacked, so that days are wide, or side by side where they would be too low.
        super().resizeEvent(event)
        kinds = QBoxLayout.Direction
        is_low = self.height() < _LOW_PX
        self._row_or_column.setDirection(kinds.LeftToRight if is_low else kinds.TopToBottom)


def _job_columns(moment: Callable[[int], str]) -> tuple[Column[FrameRow], ...]:
    """Return columns of one user's jobs; `moment` writes a second of the trace as a date."""
    return (
        frame_column("job_id", "Job", str, "Number of the job in the trace", width=70),
        frame_column("nodes", "Nodes", fixed, "Nodes of the job", width=60),
        frame_column("runtime_s", "Runs, h:mm:ss", duration, "Runtime of the job", width=120),
        frame_column("submit_s", "Submitted", moment, "Submit time", width=150),
        frame_column("start_s", "Started", moment, "Start time", width=150),
        frame_column("wait_s", "Waited, h:mm:ss", duration, "Wait of the job", width=146),
        frame_column("slowdown", "Slowdown", partial(fixed, digits=2), "Bounded slowdown, 60 s", width=84),
        frame_column(
            "lost",
            "Number of reservations that the job lost",
            fixed,
            "Number of times it lost a reservation",
            width=126,
        ),
    )
