"""The study as a whole: page in the middle, sweep at the left, opened, run, paused and stopped."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.study.state import StudyState, SweepProgress
from fsconsole.console.analyse.study.exports import StudyExports
from fsconsole.console.analyse.study.page import StudyPage
from fsconsole.console.analyse.study.runner import (
    MakeExecutor,
    OpenStudy,
    StudyRun,
    in_words,
    open_study,
    read_again,
)
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.sweep_panel import SweepPanel
from fsconsole.console.analyse.study.work_controller import WorkController
from fsconsole.console.analyse.study.workers import WorkersDialog, workers_of
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.text.words import count_words

_NOTHING = "A study compares policies on workloads. Open a study, or create one."


class StudyController(WorkController[OpenStudy]):
    """Reads studies, runs them, and shows their results."""

    def __init__(
        self, session: ConsoleSession, parent: QWidget, make_executor: MakeExecutor | None = None
    ) -> None:
        self.selection = StudySelection(session, parent)
        self.page = StudyPage(self.selection, parent)
        super().__init__(session, parent, self.page, open_study, make_executor)
        self.sweep = SweepPanel(self.selection, parent)
        self.progress = SweepProgress()
        self._run: StudyRun | None = None
        self._stop_dialog: MessageBox | None = None
        self.exports = StudyExports(session, self.page, self.selection, parent)
        self._connect_signals()
        self._show_state()

    @property
    def study(self) -> OpenStudy | None:
        """Study that is open; None for none."""
        return self._work

    @property
    def name(self) -> str:
        """Name of the study that is open."""
        return self.study.state.name if self.study is not None else "Study"

    @property
    def is_held(self) -> bool:
        """Whether a run of the study is paused."""
        return self._run is not None and self._run.is_held

    @property
    def is_complete(self) -> bool:
        """Whether all of the study is done."""
        state = self.selection.state
        return state is not None and bool(state.cells) and state.count()["done"] == len(state.cells)

    @property
    def words(self) -> str:
        """How far the study is and where its results are; empty where none is open."""
        state = self.selection.state
        if state is None or self.study is None:
            return ""
        count = state.count()
        failed = f", {count['failed']} failed" if count["failed"] else ""
        cells = count_words(len(state.cells), "cell")
        return f"{count['done']} of {cells} done{failed}, results: {self.study.results.name}"

    @property
    def has_results(self) -> bool:
        """Whether any run of the study is done."""
        return self.exports.has_results

    # -- what a person does -------------------------------------------------------------------------------

    def run(self) -> None:
        """Compute what is not done yet."""
        if self.study is None or self.is_running:
            return
        self._run = run = StudyRun(self.study, self._make_executor)
        self.body.clear_error()
        self._run_task = self._tasks.run_task(run.work, self._on_ended, self._on_ended, self._on_progress)
        self._show_progress(SweepProgress("reading"))
        self._show_state()

    def toggle_pause(self) -> None:
        """Start no further cells, or continue."""
        if self._run is not None:
            self._run.hold(not self._run.is_held)
            self._show_progress(self._with_mode(self.progress))

    def ask_workers(self) -> None:
        """Ask for the place of later runs."""
        WorkersDialog(self._session.preferences, self._widget).open()

    def ask_stop(self) -> None:
        """Ask for confirmation and stop the study."""
        state = self.selection.state
        if self._run is None or state is None or self.study is None:
            return
        cells = count_words(len(state.cells), "cell")
        box = self._stop_dialog = MessageBox(
            self._widget,
            f"Stop {state.name}?",
            f"{state.count()['done']} of {cells} are done and stay in {self.study.results}. "
            "Running cells give no result.",
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        stop = box.add("Stop study", box.ButtonRole.DestructiveRole)
        box.add("Cancel", box.ButtonRole.RejectRole)
        stop.clicked.connect(self.stop)
        box.open()

    @Slot()
    def stop(self) -> None:
        """Stop the study; what is done stays."""
        if self._run is not None:
            self._run.stop()
            self._show_progress(self._with_mode(self.progress))

    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        self.exports.end()
        self.page.fair_starts.cancel()
        super().end()
        self.selection.close()

    # -- handlers ------------------------------------------------------------------------------------

    def _on_reading(self, path: Path) -> None:
        if self.study is None:
            self.body.show_empty(f"Reading {path.name}…")

    def _on_read(self, study: OpenStudy) -> None:
        super()._on_read(study)
        if study.has_changed and not self.is_running:
            self._session.message.emit(
                "The study's file has changed since it was run. Press Run study to compute the changed cells"
            )

    def _on_progress(self, state: StudyState, progress: SweepProgress) -> None:
        before = self.selection.state
        if before is None or [cell.key for cell in before.cells] != [cell.key for cell in state.cells]:
            self.selection.show(state)
        else:
            self.selection.update(state)
        self._show_progress(self._with_mode(progress))
        self._show_state()

    def _on_ended(self, error: Exception | None) -> None:
        remarks = [] if self._run is None else self._run.remarks
        self._run = self._run_task = None
        if self._stop_dialog is not None:
            self._forget_dialog()
        self._show_progress(SweepProgress())
        self._show_state()
        state = self.selection.state
        if error is not None:
            self.body.show_error(f"The study failed: {in_words(error)}", self.run)
        elif state is not None:
            count = state.count()
            failed = f", {count['failed']} failed" if count["failed"] else ""
            words = f"{state.name}: {count['done']} of {count_words(len(state.cells), 'cell')} done{failed}"
            self._session.message.emit(words)
            if remarks:
                found = [Problem(text, severity=Severity.WARNING) for text in remarks]
                heading = f"Remarks on the run of {state.name}"
                show = partial(self.questions.show_problems, state.name, found, heading)
                self.body.show_error(remarks[-1], details=show)

    @Slot()
    def _on_page_changed(self) -> None:
        """Check in a thread, since file systems may hang, whether the folder of results is still there."""
        folder = self.selection.folder
        if folder is not None:
            self._tasks.run(lambda: folder.is_there, self._on_checked, lambda _: None, latest="check")
        self.changed.emit()

    def _on_checked(self, is_there: bool) -> None:
        if not is_there:
            self._read_again()

    @Slot()
    def _read_again(self) -> None:
        """Find out which results are left, since some cannot be read."""
        study, state = self.study, self.selection.state
        if study is not None and state is not None and not self.is_running:
            call = partial(read_again, state, study.results)
            self._tasks.run(call, partial(self._on_read_again, study), lambda _: None, latest="again")

    def _on_read_again(self, study: OpenStudy, found: StudyState) -> None:
        """Show which results are left, so that the others can be computed again."""
        state = self.selection.state
        if study is not self.study or state is None or self.is_running or found.count() == state.count():
            return
        if found.folder is None:
            self.selection.show(found)
            self._session.message.emit(f"{study.results.name} was removed. Run the study again")
        else:
            self.selection.update(found)
        self._show_state()
        self.changed.emit()

    # -- inside -------------------------------------------------------------------------------------------

    def _forget_dialog(self) -> None:
        """Forget the dialog: a study that has ended by itself is not to be stopped any more."""
        box, self._stop_dialog = self._stop_dialog, None
        try:
            if box is not None:
                box.close()
        except RuntimeError:  # Qt deleted the object when it was closed.
            pass

    def _show(self, study: OpenStudy | None) -> None:
        self.page.fair_starts.cancel()
        self._work = study
        self.selection.show(study.state if study is not None else None)
        self._show_state()
        self.changed.emit()

    def _show_progress(self, progress: SweepProgress) -> None:
        self.progress = progress
        self.sweep.show_progress(progress)
        self.changed.emit()

    def _with_mode(self, progress: SweepProgress) -> SweepProgress:
        """Return the progress of the run, with the user's latest request."""
        run, state = self._run, self.selection.state
        if run is None:
            return SweepProgress()
        mode = progress.mode
        if run.is_stopped:
            mode = "stopping"
        elif run.is_held:
            is_under_way = state is not None and state.count()["running"] > 0
            mode = "pausing" if is_under_way else "paused"
        elif mode in ("pausing", "paused"):
            mode = "running"
        return SweepProgress(mode, progress.workers, progress.where, progress.left_s)

    def _show_state(self) -> None:
        state = self.selection.state
        if state is None:
            self.body.show_empty(_NOTHING)
        elif not state.summary.is_empty():
            self.body.show_content()
        elif self.is_running:
            self.body.show_empty("Computing the first cells…")
        else:
            about = f"{state.about.strip()} " if state.about else ""
            self.body.show_empty(
                f"{about}{count_words(len(state.cells), 'cell')}, none done yet.", "Run study", self.run
            )

    @property
    def can_compute_fair_starts(self) -> bool:
        """Whether runs are done whose fair start times can be computed, and none are under way."""
        return self.has_results and not self.is_running and not self.page.fair_starts.is_busy

    def compute_fair_starts(self) -> None:
        """Compute fair start times of all runs done, which the tables then show."""
        state = self.selection.state
        if self.can_compute_fair_starts and state is not None and state.folder is not None:
            make_executor = workers_of(self._session.preferences).executor
            self.page.fair_starts.start(state.folder, state.name, state.about, make_executor)

    @Slot(object)
    def _on_fair_starts(self, state: StudyState) -> None:
        self.selection.update(state)
        self._session.message.emit(f"The tables of {state.name} now have fair start times")

    @Slot(str)
    def _on_fair_starts_failed(self, words: str) -> None:
        self.body.show_error(f"Cannot compute fair start times: {words}", self.compute_fair_starts)
        self._read_again()

    def _connect_signals(self) -> None:
        self.page.fair_starts.computed.connect(self._on_fair_starts)
        self.page.fair_starts.failed.connect(self._on_fair_starts_failed)
        self.page.fair_starts.changed.connect(self.changed)
        self.sweep.run_wanted.connect(self.run)
        self.sweep.pause_wanted.connect(self.toggle_pause)
        self.sweep.stop_wanted.connect(self.ask_stop)
        self.sweep.opened.connect(self._open_run)
        self.page.export_wanted.connect(self.exports.write)
        self.page.changed.connect(self._on_page_changed)
        for runs in (self.selection.runs, self.selection.reserved):
            runs.missed.connect(self._read_again)
        self.changed.connect(self._refresh_export)
        self.selection.results_changed.connect(self._refresh_export)

    @Slot()
    def _refresh_export(self) -> None:
        self.page.export.setEnabled(self.exports.is_possible)

    @Slot(object)
    def _open_run(self, _cell: object) -> None:
        """Bring the study of a clicked run to the front; its views follow the run selected."""
        self.opened.emit()
