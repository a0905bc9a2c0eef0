"""One run on the machine over time: read, drawn, its reservations found in threads."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.gantt_scene import Scene, reservations_in, scene_of
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import StudyView
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock import DockBody


class GanttRun(StudyView):
    """The picture of a run, or a message in its place.

    Signals: drawn() with another run, or none; log_known() when its reservations are.
    """

    drawn = Signal()
    log_known = Signal()

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self.cell: Cell | None = None
        self._wanted: Cell | None = None
        self._shown_cell: Cell | None = None
        self.view = GanttView(self)
        self.body = DockBody(self.view, self)
        vbox((self.body, 1), on=self)
        self._connect_signals()

    @property
    def scene(self) -> Scene | None:
        """What is drawn; None while it is computed."""
        return self.view.scene

    def show_cell(self, cell: Cell | None) -> None:
        """Show another run of the study."""
        self.cell = cell
        self._refresh()

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Show the run, as soon as it is read and while it is seen."""
        cell = self.cell
        if not self.isVisible():
            return
        if cell is None or self._selection.folder is None:
            self._clear(self._why_empty())
            return
        if cell in (self._wanted, self._shown_cell):
            return
        run = self._selection.runs.of(cell)
        if self._shown_cell is None:
            self._clear(f"Reading {cell.words}…")
        if run is None:
            return
        self._wanted = cell
        self._tasks.run(partial(_made_of, cell, run), self._on_scene, self._on_failed, latest="scene")

    def _on_scene(self, found: tuple[Cell, Scene]) -> None:
        cell, scene = found
        self._wanted, self._shown_cell = None, cell
        self.view.show_scene(scene)
        self.body.show_content()
        self.body.clear_error()
        self._mark()
        self.drawn.emit()
        if cell == self.cell:
            self._on_reserved_loaded(cell)
        self._refresh()

    @Slot(object)
    def _on_reserved_loaded(self, cell: Cell) -> None:
        """Request the reservations once the run is drawn."""
        if cell != self._shown_cell:
            return
        run = self._selection.reserved.of(cell)
        if run is not None:
            self._tasks.run(
                lambda: (cell, run.schedule.reservations, reservations_in(run)),
                self._on_log,
                lambda _: None,  # Without reservations, the schedule alone is drawn.
                latest="log",
            )

    def _on_log(self, found: tuple[Cell, object, object]) -> None:
        cell, log, spans = found
        if cell == self._shown_cell and log is not None:
            self.view.show_log(log, spans)  # type: ignore[arg-type]
            self.log_known.emit()

    @Slot(object, str)
    def _on_missed(self, cell: Cell, sentence: str) -> None:
        if cell == self.cell:
            self._wanted = None
            self.body.show_error(f"Cannot show {cell.words}: {sentence}")

    def _on_failed(self, error: Exception) -> None:
        self._wanted = None
        self.body.show_error(f"Cannot draw the machine: {describe_error(error)}")

    @Slot()
    def _on_study_changed(self) -> None:
        self._tasks.cancel()
        self._wanted = self.cell = None
        self._clear(self._why_empty())

    def _why_empty(self) -> str:
        """Return the message in the middle; empty while the study itself reports that it has no runs yet."""
        state = self._selection.state
        is_without_runs = state is None or state.summary.is_empty()
        return "" if is_without_runs else "The machine appears when a cell of the study is done."

    def _clear(self, sentence: str) -> None:
        self._shown_cell = None
        self.view.show_scene(None)
        self.body.show_empty(sentence)
        self.drawn.emit()

    def _mark(self) -> None:
        """Mark user, job and cursor of the selection."""
        if self.scene is not None:
            self.view.show_user(self._selection.user)
            self._on_job_selected()
            self.view.show_cursor(self._selection.cursor_s)

    @Slot()
    def _on_user_selected(self) -> None:
        if self.scene is not None:
            self.view.show_user(self._selection.user)

    @Slot()
    def _on_job_selected(self) -> None:
        scene, job = self.scene, self._selection.job
        row = scene.row_of(job) if scene is not None and job is not None else None
        if row != self.view.shown.job:
            self.view.show_job(row)

    @Slot()
    def _on_cursor_moved(self) -> None:
        self.view.show_cursor(self._selection.cursor_s)

    @Slot(object)
    def _pick_job(self, row: int | None) -> None:
        if self.scene is not None:
            jobs = self.scene.schedule.jobs
            self._selection.select_job(None if row is None else int(jobs.job_id[row]))

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self._refresh)  # A file that could not be read may be readable now.
        selection.runs.loaded.connect(self._refresh)
        selection.runs.missed.connect(self._on_missed)
        selection.user_selected.connect(self._on_user_selected)
        selection.job_selected.connect(self._on_job_selected)
        selection.cursor_moved.connect(self._on_cursor_moved)
        selection.reserved.loaded.connect(self._on_reserved_loaded)
        self.view.job_picked.connect(self._pick_job)
        self.view.cursor_picked.connect(selection.set_cursor)


def _made_of(cell: Cell, run: object) -> tuple[Cell, Scene]:
    """Compute what is drawn of a run; for a thread."""
    return cell, scene_of(run)  # type: ignore[arg-type]
