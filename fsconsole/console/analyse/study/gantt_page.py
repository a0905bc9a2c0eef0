"""The machine over time: the run selected, another run below it, jobs on nodes, reservations, the cursor."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt, Slot
from PySide6.QtWidgets import QComboBox, QSplitter, QWidget

from fsconsole.batch.insight.area_sums import Area
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.gantt_area import GanttArea
from fsconsole.console.analyse.study.gantt_minimap import GanttMinimap
from fsconsole.console.analyse.study.gantt_run import GanttRun
from fsconsole.console.analyse.study.gantt_scene import Scene, job_words
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.analyse.study.plot import Signs
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import JobField, RunBox, StudyView, comparable_cells, format_run
from fsconsole.console.files.questions import Questions
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import STRETCH, vbox
from fsconsole.console.widgets.buttons import Switch, flat_button
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.folding import FoldingRow
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.workspace import narrow_px

_FINE = 3.0  # About 300 pixels per inch if the page is as wide as paper.
_FORMS = ("Picture (*.png)",)
_NAMED, _FEW = 5, 2  # Users in the legend, normally and in a narrow window.
_ZOOM_IN, _ZOOM_OUT = "+", "\N{MINUS SIGN}"
_HINT = (
    "Click a job, or type its number above. Drag to select an area, Shift+drag to move. W and S "
    "zoom, A and D move."
)


class GanttPage(StudyView):
    """Runs, job and zoom above the picture; all of the run in a strip; sums of an area and words below."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self.run = RunBox(selection, self)
        self.other = QComboBox(self)
        self.job = JobField("Go to job", self)
        self.colours = Switch("Colour users", self)
        self.legend = Signs(self)
        self.minimap = GanttMinimap(self)
        self.first, self.second = GanttRun(selection, self), GanttRun(selection, self)
        self.runs = QSplitter(Qt.Orientation.Vertical, self)
        self.area = GanttArea(self)
        self.remark = MutedLabel("", self, wraps=True)
        self.why = flat_button("Why", "Show why the selected job waited", self._ask_why, self)
        self._cells: list[Cell] = []
        self._is_following = False
        self._build_ui()
        self._connect_signals()
        self._fill_other()

    @property
    def view(self) -> GanttView:
        """The picture of the run selected."""
        return self.first.view

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
        """Show the run selected."""
        self.first.show_cell(self._selection.cell)

    @Slot()
    def _fill_other(self) -> None:
        """Offer what can be shown below; a choice stays if it still can be made."""
        before, self._cells = self.other.currentData(), comparable_cells(self._selection)
        self.other.clear()
        self.other.addItem("No run below")
        for cell in self._cells:
            self.other.addItem(format_run(cell, is_brief=True), cell.key)
        self.other.setCurrentIndex(max(self.other.findData(before), 0) if before is not None else 0)
        self._show_other()

    @Slot()
    def _show_other(self) -> None:
        """Show the run chosen below the first one, or none."""
        place = self.other.currentIndex() - 1
        cell = self._cells[place] if 0 <= place < len(self._cells) else None
        self.second.setVisible(cell is not None)
        if cell is not None:
            self.second.show_cell(cell)
        self._on_drawn()

    @property
    def _scene_below(self) -> Scene | None:
        return self.second.scene if self.second.isVisibleTo(self) else None

    @Slot()
    def _on_drawn(self) -> None:
        """Give both runs the same time range, and update legend and texts to the drawing."""
        scene, below = self.scene, self._scene_below
        scenes = [one for one in (scene, below) if one is not None]
        for row in (self.first, self.second):
            if row.scene is not None and scenes:
                row.view.span(min(one.first_s for one in scenes), max(one.last_s for one in scenes))
        self.minimap.show_scene(scene)
        self._follow(self.view, self.second.view)
        self._show_area(self.view.shown.area)
        if scene is not None:
            self._show_legend(scene)
        self._on_job_selected()
        self.changed.emit()

    def _follow(self, moved: GanttView, other: GanttView) -> None:
        """Have the other run show the time and the nodes that one shows."""
        sight, old = moved.sight, other.sight
        if self._is_following:
            return
        self._is_following = True
        if sight is not None and old is not None:
            lanes = (sight.top, sight.bottom) if sight.lanes == old.lanes else None
            other.look(old.to(sight.begin_s, sight.end_s, lanes))
        self._is_following = False
        self.minimap.show_sight(self.view.sight)

    @Slot(float, float)
    def _on_looked(self, begin_s: float, end_s: float) -> None:
        if self.view.sight is not None:
            self.view.look(self.view.sight.to(begin_s, end_s, (self.view.sight.top, self.view.sight.bottom)))

    @Slot(object)
    def _frame_area(self, area: Area) -> None:
        """Frame an area in both runs; sums not yet in sight wait for the release, as they take room."""
        for row in (self.first, self.second):
            row.view.show_area(area)
        if self.area.isVisible():
            self.area.show_area(area, self.scene, self._scene_below)

    @Slot(object)
    def _show_area(self, area: Area | None) -> None:
        """Frame an area in both runs, and sum it up."""
        for row in (self.first, self.second):
            row.view.show_area(area)
        self.area.show_area(area, self.scene, self._scene_below)

    @Slot()
    def _on_user_selected(self) -> None:
        self.area.show_user(self._selection.user)
        if self.scene is not None:
            self._show_legend(self.scene)
        self._show_words()

    @Slot()
    def _on_job_selected(self) -> None:
        scene, job = self.scene, self._selection.job
        row = scene.row_of(job) if scene is not None and job is not None else None
        self.why.setEnabled(row is not None)
        self._show_words()

    @property
    def _named(self) -> int:
        """How many users the legend has room for."""
        return _NAMED if self.window().width() >= narrow_px() else _FEW

    def _show_legend(self, scene: Scene) -> None:
        """Show the users of the colours."""
        user = self._selection.user
        if scene.user_of(user) is not None:
            token = scene.token_of(scene.user_of(user) or 0)
            token = "c5" if token.startswith("g") else token
            self.legend.show_signs(((f"#{user}", token, "bar"), ("other users", "g3", "bar")))
        elif self.colours.isChecked():
            named = [(f"#{name}", token, "bar") for name, token in scene.heaviest[: self._named]]
            self.legend.show_signs(named)  # type: ignore[arg-type]
        else:
            self.legend.show_signs(())

    @Slot()
    def _show_words(self, pointed: str = "") -> None:
        """Show what is under the pointer, else at the cursor, else of the job selected."""
        scene, job_id = self.scene, self._selection.job
        if scene is None:
            self.remark.setText("")
            return
        row = scene.row_of(job_id) if job_id is not None else None
        job = job_words(scene, row) if row is not None else ""
        words = pointed or "\n".join(part for part in (self.view.words(), job) if part)
        self.remark.setText(words or _HINT)

    @Slot(str)
    def _on_pointed(self, words: str) -> None:
        self._show_words(words)

    @Slot()
    def _go_to_job(self) -> None:
        """Show the job whose number was typed."""
        scene, text, job = self.scene, self.job.text().strip(), self.job.job
        if scene is None or not text:
            return
        if job is None or scene.row_of(job) is None:
            self.remark.setText(f"This run has no job {text}.")
            return
        self._selection.select_job(job)
        self.view.look_at_job()
        self.view.setFocus()

    @Slot(bool)
    def _recolour(self, are_coloured: bool) -> None:
        for row in (self.first, self.second):
            row.view.set_coloured(are_coloured)
        if self.scene is not None:
            self._show_legend(self.scene)

    @Slot()
    def _ask_why(self) -> None:
        self.page_wanted.emit("why")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.cell_selected.connect(self._refresh)
        for signal in (selection.study_changed, selection.results_changed, selection.cell_selected):
            signal.connect(self._fill_other)
        selection.user_selected.connect(self._on_user_selected)
        selection.job_selected.connect(self._on_job_selected)
        selection.cursor_moved.connect(self._show_words)
        for row, beside in ((self.first, self.second), (self.second, self.first)):
            row.drawn.connect(self._on_drawn)
            row.log_known.connect(self._show_words)
            row.view.moved.connect(partial(self._follow, row.view, beside.view))
            row.view.area_drawn.connect(self._frame_area)
            row.view.area_picked.connect(self._show_area)
            row.view.pointed.connect(self._on_pointed)
        self.minimap.looked.connect(self._on_looked)
        self.area.user_picked.connect(selection.select_user)
        self.other.activated.connect(self._show_other)
        self.job.returnPressed.connect(self._go_to_job)
        self.colours.toggled.connect(self._recolour)

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.other.setAccessibleName("Run below")
        self.other.setToolTip("Draw another run of the same workload below, over the same time")
        self.other.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.other.setMinimumContentsLength(12)
        self.colours.setChecked(True)
        self.colours.setToolTip(
            "Colour the twelve users with the most node-hours. The selected user has a separate colour"
        )
        zoom_out = flat_button(_ZOOM_OUT, "Zoom out (S)", self.view.zoom_out, self)
        zoom_in = flat_button(_ZOOM_IN, "Zoom in (W)", self.view.zoom_in, self)
        fit = flat_button("Fit", "Show the whole run (0)", self.view.fit, self)
        line = FoldingRow(
            self.run, self.other, self.job, self.colours, self.legend, STRETCH, self.why, zoom_out, zoom_in,
            fit, parent=self,
            folded_last_to_first=(self.job, self.other, zoom_out, zoom_in, fit, self.colours, self.legend),
        )  # fmt: skip
        self.why.setEnabled(False)
        for row in (self.first, self.second):
            self.runs.addWidget(row)
            self.runs.setCollapsible(self.runs.indexOf(row), False)
        self.second.hide()
        self.remark.setContentsMargins(12, 2, 12, 4)
        self.remark.setMinimumHeight(2 * self.remark.fontMetrics().height() + 8)
        parts = QSplitter(Qt.Orientation.Vertical, self)
        for part in (self.runs, self.area):
            parts.addWidget(part)
            parts.setCollapsible(parts.indexOf(part), False)
        parts.setStretchFactor(0, 1)
        vbox(line, self.minimap, (parts, 1), self.remark, on=self)
