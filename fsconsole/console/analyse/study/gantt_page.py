"""The machine over time for the run selected: jobs on nodes, reservations, the cursor."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.gantt_scene import Scene, job_words, reservations_in, scene_of
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.analyse.study.plot import Signs
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import JobField, RunBox, StudyView
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import Switch, flat_button
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, DockBody
from fsconsole.console.widgets.labels import MutedLabel

_FINE = 3.0  # about 300 pixels an inch where the page is as wide as paper
_FORMS = ("Picture (*.png)",)
_NAMED = 5  # users in the legend
_ZOOM_IN, _ZOOM_OUT = "+", "\N{MINUS SIGN}"


class GanttPage(StudyView):
    """Run, user, job and zoom above the picture; what is under the pointer below."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._wanted: Cell | None = None
        self._shown_cell: Cell | None = None
        self.run = RunBox(selection, self)
        self.job = JobField("Go to job", self)
        self.colours = Switch("Colour users", self)
        self.legend = Signs(self)
        self.view = GanttView(self)
        self.body = DockBody(self.view, self)
        self.said = MutedLabel("", self)
        self.why = flat_button("Why", "Why the job selected had to wait", self._ask_why, self)
        self._build_ui()
        self._connect_signals()

    @property
    def scene(self) -> Scene | None:
        """What is drawn; None while it is computed."""
        return self.view.scene

    @property
    def has_something_to_export(self) -> bool:
        """Whether the machine is drawn."""
        return self.scene is not None

    def export(self, questions: Questions) -> None:
        """Ask for a file and write the picture into it, three pixels for each of the screen's."""
        if self.scene is None:
            return
        name = f"machine-{self.scene.schedule.label}.png"
        answer = questions.file_to_save("Export the machine", Path.home() / name, _FORMS)
        if answer is None:
            return
        path, data = answer[0], QBuffer()
        data.open(QIODevice.OpenModeFlag.WriteOnly)
        picture = self.view.picture(_FINE)
        picture.setText("Description", f"{self.scene.schedule.label} on {self.scene.schedule.jobs.name}")
        picture.save(data, "PNG")  # type: ignore[call-overload]
        self._write(path, bytes(data.data().data()))

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Show the run selected, as soon as it is read and while the page is seen."""
        cell = self._selection.cell
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
        self.changed.emit()
        self.body.show_content()
        self.body.clear_error()
        self._on_user_selected()
        if cell == self._selection.cell:
            self._on_reserved_loaded(cell)
        self._refresh()

    @Slot(object)
    def _on_reserved_loaded(self, cell: Cell) -> None:
        """Ask for reservations once the run is drawn."""
        if cell != self._shown_cell:
            return
        run = self._selection.reserved.of(cell)
        if run is not None:
            self._tasks.run(
                lambda: (cell, run.schedule.reservations, reservations_in(run)),
                self._on_log,
                lambda _: None,  # the machine is drawn without them
                latest="log",
            )

    def _on_log(self, found: tuple[Cell, object, object]) -> None:
        cell, log, spans = found
        if cell == self._shown_cell and log is not None:
            self.view.show_log(log, spans)  # type: ignore[arg-type]
            self._show_words()

    @Slot(object, str)
    def _on_missed(self, cell: Cell, sentence: str) -> None:
        if cell == self._selection.cell:
            self._wanted = None
            self.body.show_error(f"{cell.words} cannot be shown: {sentence}")

    def _on_failed(self, error: Exception) -> None:
        self._wanted = None
        self.body.show_error(f"The machine cannot be drawn: {describe_error(error)}")

    @Slot()
    def _on_study_changed(self) -> None:
        self._tasks.cancel()
        self._wanted = None
        self._clear(self._why_empty())
        self._refresh()

    def _why_empty(self) -> str:
        """What is said in the middle; nothing while the study itself says that it has no runs yet."""
        state = self._selection.state
        is_said = state is None or state.summary.is_empty()
        return "" if is_said else "The machine appears when a run of the study is done."

    def _clear(self, sentence: str) -> None:
        self._shown_cell = None
        self.view.show_scene(None)
        self.changed.emit()
        self.body.show_empty(sentence)
        self.said.setText("")

    @Slot()
    def _on_user_selected(self) -> None:
        """User, job and cursor of the selection."""
        scene, selection = self.scene, self._selection
        if scene is None:
            return
        self.view.show_user(selection.user)
        self._on_job_selected()
        self.view.show_cursor(selection.cursor_s)
        self._show_legend(scene)
        self._show_words()

    @Slot()
    def _on_job_selected(self) -> None:
        scene, job = self.scene, self._selection.job
        row = scene.row_of(job) if scene is not None and job is not None else None
        if row != self.view.shown.job:
            self.view.show_job(row)
        self.why.setEnabled(row is not None)
        self._show_words()

    @Slot()
    def _on_cursor_moved(self) -> None:
        self.view.show_cursor(self._selection.cursor_s)
        self._show_words()

    def _show_legend(self, scene: Scene) -> None:
        """Whose jobs have which colour."""
        user = self._selection.user
        if scene.user_of(user) is not None:
            token = scene.token_of(scene.user_of(user) or 0)
            token = "c5" if token.startswith("g") else token
            self.legend.show_signs(((f"#{user}", token, "bar"), ("other users", "g3", "bar")))
        elif self.colours.isChecked():
            named = [(f"#{name}", token, "bar") for name, token in scene.heaviest[:_NAMED]]
            self.legend.show_signs(named)  # type: ignore[arg-type]
        else:
            self.legend.show_signs(())

    @Slot()
    def _show_words(self, pointed: str = "") -> None:
        """What is under the pointer, else at the cursor, else of the job selected."""
        scene, row = self.scene, self.view.shown.job
        if scene is None:
            return
        job = job_words(scene, row) if row is not None else ""
        words = pointed or "\n".join(part for part in (self.view.words(), job) if part)
        hint = "Click a job, or type its number above. Drag moves what is shown, below the nodes time."
        self.said.setText(words or hint)

    @Slot(str)
    def _on_pointed(self, words: str) -> None:
        self._show_words(words)

    @Slot(object)
    def _pick_job(self, row: int | None) -> None:
        scene = self.scene
        if scene is None:
            return
        jobs = scene.schedule.jobs
        self._selection.select_job(None if row is None else int(jobs.job_id[row]))

    @Slot()
    def _go_to_job(self) -> None:
        """Show the job whose number was typed."""
        scene, text, job = self.scene, self.job.text().strip(), self.job.job
        if scene is None or not text:
            return
        if job is None or scene.row_of(job) is None:
            self.said.setText(f"This run has no job {text}.")
            return
        self._selection.select_job(job)
        self.view.look_at_job()
        self.view.setFocus()

    @Slot(bool)
    def _recolour(self, are_coloured: bool) -> None:
        self.view.set_coloured(are_coloured)
        if self.scene is not None:
            self._show_legend(self.scene)

    @Slot()
    def _ask_why(self) -> None:
        self.page_wanted.emit("why")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self._refresh)  # what could not be read may have been mended
        selection.cell_selected.connect(self._refresh)
        selection.runs.loaded.connect(self._refresh)
        selection.runs.missed.connect(self._on_missed)
        selection.user_selected.connect(self._on_user_selected)
        selection.job_selected.connect(self._on_job_selected)
        selection.cursor_moved.connect(self._on_cursor_moved)
        selection.reserved.loaded.connect(self._on_reserved_loaded)
        self.view.job_picked.connect(self._pick_job)
        self.view.cursor_picked.connect(selection.set_cursor)
        self.view.pointed.connect(self._on_pointed)
        self.job.returnPressed.connect(self._go_to_job)
        self.colours.toggled.connect(self._recolour)

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.colours.setChecked(True)
        self.colours.setToolTip(
            "Colours for the twelve users with the most node-hours; a user selected has their own"
        )
        zoom_out = flat_button(_ZOOM_OUT, "More time in sight (\N{MINUS SIGN})", self.view.zoom_out, self)
        zoom_in = flat_button(_ZOOM_IN, "Less time in sight (+)", self.view.zoom_in, self)
        fit = flat_button("Fit", "All of the run in sight (0)", self.view.fit, self)
        line = hbox(
            self.run, self.job, self.colours, self.legend, STRETCH, self.why, zoom_out, zoom_in,
            fit, margins=(8, 4, 8, 4), spacing=8,
        )  # fmt: skip
        self.why.setEnabled(False)
        self.said.setContentsMargins(12, 2, 12, 4)
        self.said.setWordWrap(True)
        self.said.setMinimumHeight(2 * self.said.fontMetrics().height() + 8)
        vbox(line, (self.body, 1), self.said, on=self)


def _made_of(cell: Cell, run: object) -> tuple[Cell, Scene]:
    """Compute what is drawn of a run; for a thread."""
    return cell, scene_of(run)  # type: ignore[arg-type]
