"""Two schedules job by job: the run selected beside another one, the trace's own, or one from a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSplitter,
    QWidget,
)

from fsconsole.app.study.jobs_compared import (
    Compared,
    as_it_ran,
    compared,
    from_file,
    search_mask,
    shift_figure,
    totals_words,
    trace_of,
)
from fsconsole.batch.clock import Clock
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.plot import Plot
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import RunBox, StudyView, comparable_cells, format_run, keep_filter
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.frames import FrameModel, FrameRow, FrameTable, frame_column
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import STRETCH, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, DockBody
from fsconsole.console.widgets.folding import FoldingRow
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.figures.spec import FigureSpec
from fsconsole.text.durations import duration
from fsconsole.text.numbers import fixed

if TYPE_CHECKING:
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.schedule import Schedule
    from fsconsole.batch.study.folder import StudyFolder

AS_IT_RAN, FROM_FILE = "as recorded", "from file"
_FILES = ("Schedule (*.csv *.csv.gz)", "All files (*)")
_PLOT_PX, _TABLE_PX = 150, 360
_NOTHING = "Schedules can be compared when a cell of the study is done."
_PICK = "Choose a schedule to compare the run with."


class ComparePage(StudyView):
    """Both schedules and what is looked for above; counts, the shifts' classes, the jobs."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self.questions = Questions(self)
        self.found: Compared | None = None
        self._file: Path | None = None
        self._made_of: tuple[object, ...] = ()
        self._cells: list[Cell] = []
        self.first = RunBox(selection, self)
        self.second = QComboBox(self)
        self.filter = SearchBox("Job, #user or verdict", self)
        self.differing = Switch("Differing only", self)
        self.model = FrameModel(self._columns(), self, sorted_by={"user": "user_order"})
        self.view = FrameTable(self.model, "Jobs of both schedules", self)
        self.plot = Plot("Jobs by shift of their start", self, is_named=False)
        self.totals = PlainLabel("", self, wraps=True)
        self._sheet = QWidget(self)
        self.body = DockBody(self._sheet, self)
        self._build_ui()
        self._connect_signals()
        self._fill()

    @property
    def current_figure(self) -> FigureSpec | None:
        """The figure of the shifts."""
        return self.plot.spec if self.found is not None else None

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _fill(self) -> None:
        """Offer what the selected run can be compared with; a choice stays if it still can be made."""
        selection, before = self._selection, self.second.currentData()
        cell = selection.cell
        self._cells = comparable_cells(selection)
        self.second.clear()
        for one in self._cells:
            self.second.addItem(format_run(one, is_brief=True), one.key)
        if cell is not None:
            self.second.addItem("As recorded in the trace", AS_IT_RAN)
            self.second.addItem(self._file.name if self._file is not None else "From a file…", FROM_FILE)
        place = self.second.findData(before) if before is not None else -1
        if before == FROM_FILE and self._file is None:
            place = -1
        if place < 0:
            reference = selection.reference(cell.workload) if cell is not None else ""
            first = next(iter(self._cells), None)
            usual = next((one for one in self._cells if one.policy.label == reference), first)
            place = self._cells.index(usual) if usual is not None else -1
        self.second.setCurrentIndex(place)
        self._refresh()

    @Slot()
    def _pick_second(self) -> None:
        """Use the choice; ask for the file if that is chosen."""
        if self.second.currentData() == FROM_FILE:
            found = self.questions.file_to_open("Compare with a schedule", Path.home(), _FILES)
            if found is None and self._file is None:
                self.second.setCurrentIndex(-1)
            if found is not None:
                self._file, self._made_of = found, ()  # Another schedule may be selected by now.
            if self._file is not None:
                self.second.setItemText(self.second.currentIndex(), self._file.name)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Compare what is chosen, as soon as both are read and while the page is seen."""
        cell, chosen = self._selection.cell, self.second.currentData()
        if not self.isVisible():
            return
        if cell is None or self._selection.folder is None:
            self._clear(_NOTHING)
            return
        if chosen is None or (chosen == FROM_FILE and self._file is None):
            self._clear(_PICK)
            return
        other = next((one for one in self._cells if one.key == chosen), None)
        key = (cell.key, chosen, self._file if chosen == FROM_FILE else None)
        if key == self._made_of:
            return
        first = self._selection.runs.of(cell)
        second = self._selection.runs.of(other) if other is not None else None
        if self.found is None:
            self.body.show_empty("Comparing…")
        if first is None or (other is not None and second is None):
            return
        self._made_of = key
        self.body.clear_error()
        call = self._call(cell, chosen, first, second)
        self._tasks.run(call, self._on_compared, self._on_failed, latest="compared")

    def _call(self, cell: Cell, chosen: str, first: MonthRun, second: MonthRun | None) -> partial[Compared]:
        """Return the call that the thread computes."""
        if second is not None:
            return partial(compared, first.schedule, second.schedule)
        if chosen == FROM_FILE and self._file is not None:
            return partial(_with_file, first.schedule, self._file)
        folder = self._selection.folder
        assert folder is not None  # noqa: S101 (there is a run)
        return partial(_with_trace, first.schedule, folder, cell)

    def _on_compared(self, found: Compared) -> None:
        cell = self._selection.cell
        run = self._selection.runs.of(cell) if cell is not None else None
        self._time = Clock(run.schedule.jobs) if run is not None else None
        self.found = found
        self.totals.setText(totals_words(found))
        self.plot.show_figure(
            shift_figure(found), "Jobs by shift of their start", shift_figure(found).caption
        )
        self._choose_rows(again=True)
        self.body.show_content()
        self._on_job_selected()
        self.changed.emit()

    def _on_failed(self, error: Exception) -> None:
        self._clear(_PICK)
        self._made_of = (
            self._selection.cell.key if self._selection.cell else "",
            self.second.currentData(),
            self._file,
        )
        self.body.show_error(f"Cannot compare the two: {describe_error(error)}", self._retry)

    @Slot()
    def _retry(self) -> None:
        self._made_of = ()
        self.body.clear_error()
        self._pick_second()

    @Slot(object, str)
    def _on_missed(self, cell: Cell, sentence: str) -> None:
        if cell == self._selection.cell or cell in self._cells:
            self.body.show_error(f"Cannot read {cell.words}: {sentence}")

    def _clear(self, sentence: str) -> None:
        self._tasks.cancel()
        self.found, self._made_of = None, ()
        self.body.clear_error()
        self.body.show_empty(sentence)
        self.changed.emit()

    @Slot()
    def _choose_rows(self, *_: object, again: bool = False) -> None:
        """Show the jobs that are looked for."""
        if self.found is None:
            return
        frame = self.found.frame
        chosen = search_mask(frame, self.filter.text(), differing_only=self.differing.isChecked())
        if again:
            self.model.show_frame(frame, chosen)
        else:
            self.model.choose(chosen)
        self._on_job_selected()

    @Slot(int)
    def _on_picked(self, row: int) -> None:
        self._selection.select_job(int(self.model.value(row, "job_id")))

    @Slot()
    def _on_job_selected(self) -> None:
        """Select the job that is selected in other views."""
        if (job := self._selection.job) is not None:
            self.view.show_current("job_id", job)

    @Slot()
    def _on_user_selected(self) -> None:
        """Highlight jobs of the user selected in other views."""
        user = self._selection.user
        self.model.light((lambda row: bool(row["user"] == user)) if user else None)

    @Slot()
    def _open_job(self) -> None:
        self.page_wanted.emit("machine")

    def _columns(self) -> tuple[Column[FrameRow], ...]:
        say = self._moment
        return (
            frame_column("job_id", "Job", str, "Number of the job in the trace", width=70),
            frame_column("user", "User", lambda name: f"#{name}", "User who submitted the job", width=70),
            frame_column("nodes", "Nodes", fixed, "Nodes of the job", width=60),
            frame_column("submit_s", "Submitted", say, "Submit time", width=150),
            frame_column("first_start_s", "Start, first", say, "Start in the first schedule", width=150),
            frame_column("second_start_s", "Start, second", say, "Start in the second schedule", width=150),
            frame_column(
                "shift_s", "Shift, h:mm:ss", signed_length, "Second start minus the first", width=124
            ),
            frame_column(
                "verdict",
                "In the second",
                str,
                "End of the job in the second schedule",
                is_number=False,
                width=110,
            ),
        )

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._fill)
        selection.results_changed.connect(self._fill)
        selection.cell_selected.connect(self._fill)
        selection.runs.loaded.connect(self._refresh)
        selection.runs.missed.connect(self._on_missed)
        selection.job_selected.connect(self._on_job_selected)
        selection.user_selected.connect(self._on_user_selected)
        self.second.activated.connect(self._pick_second)
        self.filter.textChanged.connect(self._choose_rows)
        keep_filter(self.filter, selection, "jobs")
        self.differing.toggled.connect(self._choose_rows)
        self.view.picked.connect(self._on_picked)
        self.view.activated.connect(self._open_job)

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.second.setAccessibleName("Compared with")
        self.second.setToolTip("Schedule to compare the run with")
        self.second.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.second.setMinimumContentsLength(18)
        self.differing.setToolTip("Hide jobs that start at the same time in both schedules")
        line = FoldingRow(
            self.first, MutedLabel("with", self), self.second, STRETCH, self.differing, self.filter,
            parent=self, folded_last_to_first=(self.filter, self.differing),
        )  # fmt: skip
        self.totals.setContentsMargins(12, 6, 12, 6)
        parts = QSplitter(Qt.Orientation.Vertical, self)
        parts.addWidget(self.plot)
        parts.addWidget(self.view)
        parts.setSizes([_PLOT_PX, _TABLE_PX])
        parts.setStretchFactor(1, 1)
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        vbox(self.totals, (parts, 1), on=self._sheet)
        vbox(line, (self.body, 1), on=self)

    def sizeHint(self) -> QSize:
        return QSize(720, 480)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
        self._on_job_selected()
        self._on_user_selected()


def _with_trace(first: Schedule, folder: StudyFolder, cell: Cell) -> Compared:
    """Compare with what the real machine did; for a thread."""
    trace = trace_of(folder, cell)
    if trace is None:
        msg = "the trace of the study's jobs was not found"
        raise ValueError(msg)
    return compared(first, as_it_ran(trace, first))


def _with_file(first: Schedule, path: Path) -> Compared:
    """Compare with a schedule from a file; for a thread."""
    second, notes = from_file(path, first)
    return compared(first, second, notes)


def signed_length(time_s: float) -> str:
    """Return a shift in time as h:mm:ss with its sign."""
    return f"+{duration(time_s)}" if time_s > 0 else duration(time_s)
