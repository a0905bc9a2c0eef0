"""The Analyse workspace: experiments and sweep, study and figures in the middle, forecast and claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, Qt, Slot
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.analyse.central_tabs import (
    COMPARE,
    EXPERIMENT,
    FORECAST,
    SEARCH,
    STUDY,
    CentralTabs,
    Placeholder,
    RestingDocks,
)
from fsconsole.console.analyse.claims_panel import CLAIMS_WIDTH
from fsconsole.console.analyse.compare.controller import CompareController
from fsconsole.console.analyse.experiment_controller import LIST_WIDTH, ExperimentController
from fsconsole.console.analyse.forecast.controller import ForecastController
from fsconsole.console.analyse.search.actions import search_actions
from fsconsole.console.analyse.study.actions import study_actions
from fsconsole.console.figure_view import PX_PER_INCH, FigureView, copy_figure
from fsconsole.console.files.questions import Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace

if TYPE_CHECKING:
    from fsconsole.console.analyse.search.controller import SearchController
    from fsconsole.console.analyse.study.controller import StudyController

_Area = Qt.DockWidgetArea
FORECAST_HEIGHT = 366
_TIGHT_CLAIMS_PX = 130
_LIST_PX, _TIGHT_LIST_PX = 300, 260


class AnalyseWorkspace(Workspace):
    """Runs experiments and studies and shows their results."""

    id, title, icon = "analyse", "Analyse", "analyse"

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.experiment_controller = ExperimentController(session, self)
        self.compare_controller = CompareController(session, self)
        self.questions = Questions(self)
        self.forecast_controller = ForecastController(session, self)
        self._study_controller: StudyController | None = None
        self._is_turning = False
        self._study_place, self._sweep_place = Placeholder(), Placeholder()
        self._search_controller: SearchController | None = None
        self._search_place = Placeholder()
        pages = (
            self._study_place,
            self.experiment_controller.centre,
            self.compare_controller.centre,
            self.forecast_controller.page,
            self._search_place,
        )
        self.centre = CentralTabs(pages, self)
        self.forecast_controller.set_tabs(self.centre)
        self._build_ui()
        self._connect_signals()
        self.experiment_controller.select(self.experiment_controller.experiments[0].name)

    @property
    def study_controller(self) -> StudyController:
        """Controller of studies, created on first use because its modules take a while to load."""
        if self._study_controller is None:
            from fsconsole.console.analyse.study.controller import StudyController

            made = self._study_controller = StudyController(self.session, self)
            self._study_place.hold(made.body)
            self._sweep_place.hold(made.sweep)
            made.opened.connect(self._show_study)
            made.changed.connect(self._on_study_changed)
        return self._study_controller

    @property
    def search_controller(self) -> SearchController:
        """All about searches of settings, made when it is first asked for."""
        if self._search_controller is None:
            from fsconsole.console.analyse.search.controller import SearchController

            made = self._search_controller = SearchController(self.session, self)
            self._search_place.hold(made.body)
            made.opened.connect(self._show_search)
            made.changed.connect(self._on_search_changed)
            made.study_wanted.connect(self._run_study)
        return self._search_controller

    def has_figure(self) -> bool:
        """Return True if there is something to export."""
        if self.forecast_controller.is_in_front:
            return self.forecast_controller.has_figure
        if self.centre.shown == STUDY:
            return self.study_controller.exports.is_possible
        return self.view is not None

    def export_figure(self) -> None:
        """Write the figure or table shown, or its data, to files."""
        view = self.view
        if self.forecast_controller.is_in_front:
            self.forecast_controller.export()
        elif self.centre.shown == STUDY:
            self.study_controller.exports.write()
        elif view is not None:
            from fsconsole.console.export_dialog import ExportDialog

            dialog = ExportDialog(lambda: view.spec, self, preferences=self.session.preferences)
            dialog.message.connect(self.session.message)
            dialog.open()

    def _has_report(self) -> bool:
        if self.is_comparing:
            return self.compare_controller.comparison is not None
        return self.centre.shown == STUDY and self.study_controller.has_results

    def export_report(self) -> None:
        """Write a report of the study or comparison in front."""
        if self.is_comparing:
            self.compare_controller.export_report(self.questions)
        else:
            self.study_controller.exports.write_report()

    def copy_figure(self) -> None:
        """Put the figure shown on the clipboard, as it is on the screen."""
        view = self.view
        if self.forecast_controller.is_in_front:
            self.forecast_controller.copy()
        elif self.centre.shown == STUDY:
            self.study_controller.exports.copy()
        elif view is not None:
            copy_figure(view.spec, view.style_shown(), 2 * PX_PER_INCH)
            self.session.message.emit(f"Copied {view.spec.title}")

    def show_compare(self) -> None:
        """Bring Compare to the front from any workspace."""
        if "show_analyse" in self.table:
            self.table.trigger("show_analyse")
        self.centre.turn(COMPARE)
        for dock in (self.compare_dock, self.differences_dock):
            dock.show()
            dock.raise_()

    def show_forecast(self) -> None:
        """Bring the forecast to the front from any workspace, also without a document."""
        self.forecast_controller.want()
        if "show_analyse" in self.table:
            self.table.trigger("show_analyse")
        self.forecast_controller.show()

    def run_comparison(self) -> None:
        """Show Compare and run the comparison."""
        self.show_compare()
        self.compare_controller.run()

    @property
    def is_comparing(self) -> bool:
        """Whether the comparison's curves are in the middle."""
        return self.centre.shown == COMPARE

    @property
    def has_study(self) -> bool:
        """Whether a study is open."""
        return self._study_controller is not None and self._study_controller.is_open

    @property
    def view(self) -> FigureView | None:
        """The figure of an experiment or of the comparison, whichever is in the middle."""
        return (
            self.compare_controller.plot.figures if self.is_comparing else self.experiment_controller.figures
        ).view

    @property
    def has_content(self) -> bool:
        """Whether a study is open, or a forecast is wanted although nothing is."""
        return self.has_study or self._has_search or self.forecast_controller.is_wanted

    @property
    def _has_search(self) -> bool:
        return self._search_controller is not None and self._search_controller.is_open

    # -- Workspace ----------------------------------------------------------------------------------------

    def actions_of_workspace(self) -> list[Action]:
        """Run, run all, stop, export, copy."""
        return [
            *self.experiment_controller.actions(),
            Action(
                "analyse.export", "Export figure…", self.export_figure, keys=("Ctrl+E",), icon="export",
                menu="File", group="exchange", local=True, short="Export…", enabled=self.has_figure,
                why_not=lambda: "Run an experiment first",
                tip="Export the figure shown as PNG, SVG or PDF, or its data as CSV or Parquet",
            ),
            Action(
                "analyse.report", "Export report…", self.export_report, menu="File", group="exchange",
                enabled=self._has_report, why_not=lambda: "Open a study with results, or run a comparison",
                tip="Export findings, figures, tables and their commands as PDF or web page",
                words="pdf html findings publish", short="Report…",
            ),
            Action(
                "analyse.copy", "Copy figure", self.copy_figure, menu="Edit", group="figure",
                enabled=self.has_figure, why_not=lambda: "Run an experiment first",
            ),
            *self.compare_controller.actions(
                Action(
                    "analyse.compare", "Compare policies", self.show_compare, icon="plots", menu="Simulation",
                    group="compare", tip="Run up to four policies or sets of parameters side by side",
                    words="differences variants what if seeds bands confidence", short="Compare",
                ),
                self.run_comparison,
            ),
            *study_actions(lambda: self._study_controller),
            *search_actions(lambda: self._search_controller),
            *self.forecast_controller.actions(
                Action(
                    "forecast.show", "Forecast", self.show_forecast, icon="slurm", menu="Simulation",
                    group="forecast", short="Forecast",
                    tip="Forecast what users and groups get, on a Slurm cluster or a simulated machine",
                    words="slurm fairshare usage dampening half-life planned jobs shares",
                )
            ),
        ]  # fmt: skip

    def tool_bar_ids(self) -> list[str]:
        """Run, run all, stop, new study, forecast, compare, export."""
        first = ["analyse.run", "analyse.run_all", "analyse.stop"]
        return [*first, "new_study", "analyse.compare", "forecast.show", "analyse.export"]

    def status_text(self) -> str:
        """Return a summary of measurements and claims; of a study, its progress and the folder of its
        results.
        """
        if self._search_controller is not None and self.centre.shown == SEARCH:
            return self._search_controller.words
        if self._study_controller is not None and self.centre.shown == STUDY and self._study_controller.words:
            return self._study_controller.words
        return self.experiment_controller.words

    def title_text(self) -> str:
        """Return the name of the study in front."""
        study = self._study_controller.study if self._study_controller is not None else None
        return study.state.name if study is not None and self.centre.shown == STUDY else ""

    def status_details(self) -> str:
        """Return the place of the study's results."""
        study_controller = self._study_controller
        if study_controller is None or study_controller.study is None or self.centre.shown != STUDY:
            return ""
        return f"Results: {study_controller.study.results}"

    def restore_layout(self, state: QByteArray) -> None:
        """Restore a layout that the user left; a sweep is shown with its study."""
        super().restore_layout(state)
        self.sweep_dock.setVisible(self.has_study)

    def reset_layout(self) -> None:
        """Restore the original layout; a sweep is shown with its study."""
        with self.moving_docks():
            self._stashed_docks.restore()
            self.forecast_controller.stashed_docks.restore()
        super().reset_layout()
        self.sweep_dock.setVisible(self.has_study)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit the docks to the size of the window.

        Below 1500 wide, notes are a tab behind the claims, and both make room for a forecast. A study has the
        middle and the sides for itself, except for its sweep and docks that the user opens. Below 900 high
        the forecast is a page in the middle. In a tight window claims are below the figure.
        """
        with self.moving_docks():
            self._stashed_docks.restore()
            self._fit_docks(narrow=narrow, low=low)
        self._stash()

    def _fit_docks(self, *, narrow: bool, low: bool) -> None:
        self.forecast_controller.fit(low=low)
        for dock in (self.experiments_dock, self.sweep_dock):
            dock.setMinimumWidth(_TIGHT_LIST_PX if self.is_tight else _LIST_PX)
        if self.is_tight:
            self._put_claims_below()
        if narrow:
            self.tabifyDockWidget(self.claims_dock, self.notes_dock)
            (self.differences_dock if self.is_comparing else self.claims_dock).raise_()
        else:
            # A dock that is split from a tab would only become the next tab.
            is_closed = self.notes_dock.isHidden()
            self.removeDockWidget(self.notes_dock)
            self.addDockWidget(_Area.RightDockWidgetArea, self.notes_dock, Qt.Orientation.Vertical)
            self.notes_dock.setHidden(is_closed)

    def _stash(self) -> None:
        """Hide the docks beside a study, and beside a forecast in a narrow window."""
        page, is_narrow = self.centre.shown, self._compact[0]
        with self.moving_docks():
            self._stashed_docks.stash(is_wanted=page in (STUDY, SEARCH) or (is_narrow and page == FORECAST))

    def _put_claims_below(self) -> None:
        if self.dockWidgetArea(self.claims_dock) is _Area.BottomDockWidgetArea:
            return
        is_closed = self.claims_dock.isHidden()
        self.removeDockWidget(self.claims_dock)
        self.addDockWidget(_Area.BottomDockWidgetArea, self.claims_dock)
        self.claims_dock.setHidden(is_closed)
        # Includes the forecast: although hidden, its width would count beside the claims.
        for dock in (self.differences_dock, self.notes_dock, self.forecast_controller.dock):
            self.move_behind(self.claims_dock, dock)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the figures what the lists leave."""
        heights = [380, 300] if low else [560, 300]
        self.resizeDocks([self.experiments_dock, self.sweep_dock], heights, Qt.Orientation.Vertical)
        self.resizeDocks([self.forecast_controller.dock], [FORECAST_HEIGHT], Qt.Orientation.Vertical)
        wanted = (300, 380) if narrow else (LIST_WIDTH, CLAIMS_WIDTH)
        docks, widths = [self.experiments_dock, self.claims_dock], [self.side_px(px) for px in wanted]
        if self.is_tight:  # The claims are below the figure.
            docks, widths = docks[:1], widths[:1]
            self.resizeDocks([self.claims_dock], [_TIGHT_CLAIMS_PX], Qt.Orientation.Vertical)
        self.resizeDocks(docks, widths, Qt.Orientation.Horizontal)

    def saveState(self, version: int | None = 0) -> QByteArray:
        # Save the docks as the user left them, even while they are hidden for the study.
        with self._stashed_docks.restored(), self.forecast_controller.stashed_docks.restored():
            return super().saveState(version)

    @Slot()
    def _note_layout(self) -> None:
        # Beside a study, each save would show the hidden docks and hide them again, which takes 100 ms. The
        # layout saved before remains valid. Leaving the program saves the current one.
        if not self._stashed_docks.are_stashed:
            super()._note_layout()

    def wire(self) -> None:
        self.addAction(self.table.qaction("analyse.export"))

    # -- inside -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        experiment_controller = self.experiment_controller
        self.setCentralWidget(self.centre)
        left = self.experiments_dock = Dock("experiments", "Experiments", experiment_controller.list, self)
        claims = self.claims_dock = Dock("claims", "Claims", experiment_controller.claims, self)
        notes = self.notes_dock = Dock("notes", "Remarks", experiment_controller.notes, self)
        self.addDockWidget(_Area.LeftDockWidgetArea, left)
        self.addDockWidget(_Area.RightDockWidgetArea, claims)
        self.splitDockWidget(claims, notes, Qt.Orientation.Vertical)
        sweep = self.sweep_dock = Dock("sweep", "Sweep", self._sweep_place, self)
        self.splitDockWidget(left, sweep, Qt.Orientation.Vertical)
        sweep.hide()
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, _Area.LeftDockWidgetArea),
            (Qt.Corner.BottomRightCorner, _Area.RightDockWidgetArea),
        ):
            self.setCorner(corner, area)  # The forecast has the width of the central area.
        self.addDockWidget(_Area.BottomDockWidgetArea, self.forecast_controller.dock)
        self._build_compare()
        least_sizes = (
            (left, (_TIGHT_LIST_PX, 200)),
            (sweep, (_TIGHT_LIST_PX, 120)),
            (claims, (380, 110)),
            (notes, (380, 100)),
        )
        for dock, least in least_sizes:
            dock.setMinimumSize(*least)
        self._stashed_docks = RestingDocks((left, self.compare_dock, claims, self.differences_dock, notes))
        self.resting = (self.forecast_controller.dock,)
        self.forecast_controller.dock.hide()
        self.keep_default_layout()

    def _build_compare(self) -> None:
        """Compare is a tab behind the experiments, its table one behind the claims."""
        form = self.compare_dock = Dock("compare", "Compare", self.compare_controller.form, self)
        table = self.differences_dock = Dock(
            "differences", "Differences", self.compare_controller.differences, self
        )
        self.tabifyDockWidget(self.experiments_dock, form)
        self.tabifyDockWidget(self.claims_dock, table)
        table.setMinimumSize(418, 110)
        for dock in (self.experiments_dock, self.claims_dock):
            dock.raise_()

    def _connect_signals(self) -> None:
        experiment_controller = self.experiment_controller
        experiment_controller.opened.connect(self._show_experiment)
        experiment_controller.shown.connect(self._on_experiment_shown)
        experiment_controller.changed.connect(self._refresh)
        self.experiments_dock.visibilityChanged.connect(self._on_experiments_seen)
        self.compare_dock.visibilityChanged.connect(self._on_compare_seen)
        self.compare_controller.changed.connect(self._refresh)
        self.compare_controller.plot.figures.changed.connect(self._refresh)
        application = cast("QApplication", QApplication.instance())
        application.aboutToQuit.connect(experiment_controller.runner.close)
        application.aboutToQuit.connect(self.compare_controller.cancel)
        application.aboutToQuit.connect(self._end_study)
        application.aboutToQuit.connect(self.forecast_controller.end)
        self.forecast_controller.changed.connect(self._refresh)
        self.centre.turned.connect(self._on_turned)

    @Slot(bool)
    def _on_experiments_seen(self, is_seen: bool) -> None:
        if is_seen and self.is_comparing and not self._is_turning:
            self.centre.turn(EXPERIMENT)

    @Slot(bool)
    def _on_compare_seen(self, is_seen: bool) -> None:
        if is_seen and self.centre.shown == EXPERIMENT and not self._is_turning:
            self.centre.turn(COMPARE)

    @Slot(int)
    def _on_turned(self, place: int) -> None:
        """Bring to the front at the sides what goes with the middle."""
        beside = {EXPERIMENT: (self.experiments_dock, self.claims_dock), STUDY: (), FORECAST: (), SEARCH: ()}
        self._is_turning = True
        self._stash()
        for dock in beside.get(place, (self.compare_dock, self.differences_dock)):
            dock.raise_()
        self._is_turning = False
        self.facts_changed.emit()
        self._refresh()

    @Slot()
    def _show_study(self) -> None:
        """Bring the study to the front, with its sweep."""
        self._on_study_changed()
        self.sweep_dock.show()
        self.centre.turn(STUDY)

    @Slot()
    def _show_search(self) -> None:
        """Bring the search to the front."""
        self._on_search_changed()
        self.centre.turn(SEARCH)

    @Slot()
    def _on_search_changed(self) -> None:
        """Show the search's name on its tab."""
        self.centre.show_search(self.search_controller.name)
        self.facts_changed.emit()
        self._refresh()

    @Slot(object)
    def _run_study(self, path: Path) -> None:
        """Open a point of a search as a study."""
        self.study_controller.open(path, run=True)

    @Slot()
    def _end_study(self) -> None:
        for one in (self._study_controller, self._search_controller):
            if one is not None:
                one.end()

    @Slot()
    def _on_study_changed(self) -> None:
        """Show the study's name on its tab, where results go beside the sweep."""
        study_controller = self.study_controller
        study = study_controller.study
        self.centre.show_study((study.state.name if study else "Study") if study_controller.is_open else "")
        self.sweep_dock.header.set_title(f"Sweep: {study.state.name}" if study else "Sweep")
        self.sweep_dock.header.set_remark(study_controller.progress.host, at_end=True)
        if not study_controller.is_open:
            self.sweep_dock.hide()
        self.facts_changed.emit()
        self._refresh()

    @Slot()
    def _show_experiment(self) -> None:
        self.centre.turn(EXPERIMENT)

    @Slot(str, bool)
    def _on_experiment_shown(self, title: str, is_measured: bool) -> None:
        """Show the experiment's title on its tab and beside its claims."""
        self.claims_dock.header.set_remark(title)
        self.centre.name_experiment(title)
        if is_measured:
            self.claims_dock.body.show_content()
        else:
            self.claims_dock.body.show_empty("Claims appear when the experiment has run.")

    @Slot()
    def _refresh(self) -> None:
        self.table.refresh()
