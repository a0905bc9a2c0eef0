"""Why the job selected has not started at the time of the cursor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.study.why_answer import Answer, History, answer_of, facts, history_of
from fsconsole.batch.clock import Clock
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import JobField, RunBox, StudyView
from fsconsole.console.analyse.study.why_scrubber import Life, Scrubber
from fsconsole.console.kit.facts import FactList
from fsconsole.console.kit.frames import FrameModel, FrameRow, FrameTable, frame_column
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, DockBody
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.text.durations import duration
from fsconsole.text.numbers import fixed, thousands
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.schedule import Schedule

_FACTS_PX = 340
_MIDDLE = 2
_LONGEST_TIP = "Select the job that waited longest. With a selected user: that user's job"


class WhyPage(StudyView):
    """Run and job above, the job's life to move the cursor on, sentences, facts, and who is ahead."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._asked: tuple[str, int, int] | None = None  # Cell, row and second of the query.
        self._shown_of: tuple[str, int] | None = None
        self.answer: Answer | None = None
        self.history: History | None = None
        self.run = RunBox(selection, self)
        self.job = JobField("Job", self)
        self.longest = flat_button("Longest wait", _LONGEST_TIP, self._pick_longest, self)
        self.machine = flat_button(
            "Machine", "Show the job in the machine over time", self._show_machine, self
        )
        self.scrubber = Scrubber(self)
        self.head = PlainLabel("", self, wraps=True)
        self.reasons = PlainLabel("", self, wraps=True)
        self.reserved = MutedLabel("", self, wraps=True)
        self.model = FrameModel(ahead_columns(self._moment), self)
        self.view = FrameTable(self.model, "Jobs ahead", self)
        # Reservations are described in words and need the width.
        self.view.header().setStretchLastSection(True)
        self._ahead = PlainLabel("Looked at before it", self)
        self.facts = FactList(self, margins=(14, 6, 14, 6))
        self._sheet = QWidget(self)
        self.body = DockBody(self._sheet, self)
        self._build_ui()
        self._connect_signals()

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Query the selected job at the time of the cursor, while the page is visible."""
        cell, job = self._selection.cell, self._selection.job
        if not self.isVisible():
            return
        if cell is None or self._selection.folder is None:
            self._clear("Waits can be explained when a cell of the study is done.")
            return
        run = self._run_of(cell)
        if run is None:
            if self.answer is None:
                self.body.show_empty(f"Reading {cell.words}…")
            return
        if job is None:
            self._clear("No job selected.", "Longest wait", self._pick_longest)
            return
        found = np.flatnonzero(run.schedule.jobs.job_id == job)
        if not len(found):
            self._clear(f"Job {job} is not in this run.", "Longest wait", self._pick_longest)
            return
        self._ask(cell, run.schedule, int(found[0]))

    def _run_of(self, cell: Cell) -> MonthRun | None:
        """Return the run; with its reservations where its policy carries them into the next pass."""
        if cell.policy.carry_reservation:
            return self._selection.reserved.of(cell)
        return self._selection.runs.of(cell)

    def _ask(self, cell: Cell, schedule: Schedule, row: int) -> None:
        self._show_life(cell, schedule, row)
        submit, start = int(schedule.jobs.submit_s[row]), int(schedule.start_s[row])
        cursor = self._selection.cursor_s
        if cursor is None:
            cursor = (submit + start) // _MIDDLE
            self._selection.set_cursor(cursor)
        key = (cell.key, row, cursor)
        if key == self._asked or self._tasks.is_busy("answer"):
            return
        self._asked = key
        call = partial(answer_of, schedule, row, cursor)
        self._tasks.run(call, self._on_answer, self._on_failed, latest="answer")

    def _show_life(self, cell: Cell, schedule: Schedule, row: int) -> None:
        """Show the bar of another job, and its reservations as soon as they are known."""
        if self._shown_of == (cell.key, row):
            return
        self._shown_of, self.history = (cell.key, row), None
        # The history of the same job in another run must not appear as that of this one.
        self._tasks.cancel("history")
        self._time = Clock(schedule.jobs)
        submit, start, end = (int(c[row]) for c in (schedule.jobs.submit_s, schedule.start_s, schedule.end_s))
        self.scrubber.show_life(Life(submit, start, end, self._time))
        self.scrubber.show_cursor(self._selection.cursor_s)
        self.job.setText(str(schedule.jobs.job_id[row]))
        self.reserved.setText("Looking for the job's reservations…")
        self._on_reserved_loaded()

    @Slot()
    def _on_reserved_loaded(self) -> None:
        cell, shown = self._selection.cell, self._shown_of
        if cell is None or shown is None or shown[0] != cell.key or self.history is not None:
            return
        run = self._selection.reserved.of(cell)
        if run is not None:
            call = partial(history_of, run.schedule, shown[1])
            self._tasks.run(call, self._on_history, self._on_history_failed, latest="history")

    def _on_answer(self, answer: Answer) -> None:
        asked = self._asked
        if asked is not None and self._shown_of == asked[:2]:
            self._show_answer(answer)
        self._refresh()  # The cursor may have moved.

    def _show_answer(self, answer: Answer) -> None:
        found, self.answer = answer.found, answer
        time = self._time
        assert time is not None  # noqa: S101 (the job is shown)
        at = time.words(found.at_s)
        state = f"has waited {duration(found.waited_s)}" if found.state == "waiting" else found.state
        nodes = count_words(found.nodes, "node")
        self.head.setText(f"Job {found.job_id} of user #{found.user}, {nodes}, at {at}: {state}")
        self.reasons.setText("\n".join(found.reasons))
        self.facts.show_facts(facts(found, time))
        self.model.show_frame(answer.ahead)
        self._ahead.setText(f"Considered before it: {thousands(len(answer.ahead))}")
        self.body.clear_error()
        self.body.show_content()

    def _on_history(self, history: History) -> None:
        if self._shown_of is not None and history.found.row == self._shown_of[1]:
            self.history = history
            self.reserved.setText(history.words)
            self.scrubber.show_held(history.found.spans)

    def _on_failed(self, error: Exception) -> None:
        asked = self._asked
        if asked is not None and asked == (*(self._shown_of or ()), self._selection.cursor_s):
            self.body.show_error(f"Cannot explain this wait: {describe_error(error)}")
            return
        self._asked = None  # The current selection was not queried while this was computed.
        self._refresh()

    def _on_history_failed(self, error: Exception) -> None:
        self.reserved.setText(f"Cannot find its reservations: {describe_error(error)}")

    @Slot(object, str)
    def _on_missed(self, cell: Cell, sentence: str) -> None:
        if cell == self._selection.cell:
            self.body.show_error(f"{cell.words} cannot be read: {sentence}")

    def _clear(self, sentence: str, button: str = "", run: object = None) -> None:
        self._tasks.cancel()
        self._asked = self._shown_of = self.answer = self.history = None
        self.body.show_empty(sentence, button, run)  # type: ignore[arg-type]

    @Slot()
    def _on_study_changed(self) -> None:
        self._clear("Waits can be explained when a cell of the study is done.")
        self._refresh()

    @Slot()
    def _on_cursor_moved(self) -> None:
        self.scrubber.show_cursor(self._selection.cursor_s)
        self._refresh()

    @Slot()
    def _pick_longest(self) -> None:
        """Select the job that waited longest, in the middle of its wait."""
        cell = self._selection.cell
        run = self._selection.runs.of(cell) if cell is not None else None
        if run is None or not len(run.schedule.jobs):
            return
        wait_s = np.where(run.measured, run.schedule.wait_s, -1)
        user = self._selection.user
        if user in run.schedule.jobs.users:
            own = run.schedule.jobs.user == run.schedule.jobs.users.index(user)
            wait_s = np.where(own, wait_s, -1) if own.any() else wait_s
        row = int(np.argmax(wait_s))
        self._selection.set_cursor(
            int(run.schedule.jobs.submit_s[row] + run.schedule.start_s[row]) // _MIDDLE
        )
        self._selection.select_job(int(run.schedule.jobs.job_id[row]))

    @Slot()
    def _go_to_job(self) -> None:
        if (job := self.job.job) is not None:
            self._selection.select_job(job)

    @Slot(int)
    def _step(self, way: int) -> None:
        """Move the cursor to the next or the last event of the run."""
        cell, cursor = self._selection.cell, self._selection.cursor_s
        run = self._selection.runs.of(cell) if cell is not None else None
        if run is None or cursor is None:
            return
        schedule = run.schedule
        times = np.concatenate([schedule.jobs.submit_s, schedule.end_s])
        there = times[times > cursor] if way > 0 else times[times < cursor]
        if len(there):
            self._selection.set_cursor(int(there.min() if way > 0 else there.max()))

    @Slot(QModelIndex)
    def _open_ahead(self, index: QModelIndex) -> None:
        """Show a job that is ahead, after Enter or a double click on it."""
        if index.isValid():
            self._selection.select_job(int(self.model.value(index.row(), "job_id")))

    @Slot()
    def _show_machine(self) -> None:
        self.page_wanted.emit("machine")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        for signal in (
            selection.results_changed,
            selection.cell_selected,
            selection.job_selected,
            selection.runs.loaded,
        ):
            signal.connect(self._refresh)
        selection.runs.missed.connect(self._on_missed)
        selection.cursor_moved.connect(self._on_cursor_moved)
        selection.reserved.loaded.connect(self._refresh)
        selection.reserved.loaded.connect(self._on_reserved_loaded)
        self.job.returnPressed.connect(self._go_to_job)
        self.scrubber.moved.connect(selection.set_cursor)
        self.scrubber.stepped.connect(self._step)
        self.view.activated.connect(self._open_ahead)

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        job = MutedLabel("job", self)
        line = hbox(
            self.run, job, self.job, self.longest, STRETCH, self.machine, margins=(8, 4, 8, 4), spacing=8
        )
        self.head.setFont(ui_font("table", semibold=True))
        for words in (self.head, self.reasons, self.reserved):
            words.setWordWrap(True)
            words.setContentsMargins(14, 4, 14, 4)
        self.reasons.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._ahead.setFont(ui_font("table", semibold=True))
        self._ahead.setContentsMargins(14, 8, 14, 4)
        self._build_sheet()
        vbox(line, (self.body, 1), on=self)

    def _build_sheet(self) -> None:
        """Build the sheet: sentences at the left, their facts at the right, jobs ahead below."""
        self.facts.setFixedWidth(_FACTS_PX)
        words = vbox(self.head, self.reasons, self.reserved, STRETCH)
        middle = hbox((words, 1))
        middle.addWidget(self.facts, 0, Qt.AlignmentFlag.AlignTop)
        vbox(self.scrubber, middle, self._ahead, (self.view, 1), on=self._sheet)


def ahead_columns(say: Callable[[int], str]) -> tuple[Column[FrameRow], ...]:
    """Return the columns of the jobs ahead; `say` formats a second of the trace."""
    return (
        frame_column("place", "Place", fixed, "Position in the order of the scheduling pass", width=56),
        frame_column("job_id", "Job", str, "Number of the job in the trace", width=70),
        frame_column("user", "User", lambda name: f"#{name}", "User who submitted the job", width=64),
        frame_column("nodes", "Nodes", fixed, "Nodes of the job", width=60),
        frame_column("runtime_s", "Runs, h:mm:ss", duration, "Runtime of the job", width=120),
        frame_column("waited_s", "Waited, h:mm:ss", duration, "Wait up to this time", width=130),
        frame_column("start_s", "Started", say, "Start in the schedule", width=150),
        frame_column("held", "Reservation", str, "Its reservation, if any", is_number=False, width=170),
    )
