"""What goes out of the study that is open: figures, tables, reports, and what the clipboard gets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.analyse.study.overview import Overview
from fsconsole.console.analyse.study.page import ExportsItself, StudyPage
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.tables_page import TablesPage
from fsconsole.console.figure_view import PX_PER_INCH, copy_figure
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Tasks, run_and_wait
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import theme
from fsconsole.figures.of_batch import with_origin
from fsconsole.figures.spec import FigureSpec, FigureStyle


class StudyExports(QObject):
    """Exports and copies what is in front."""

    def __init__(
        self, session: ConsoleSession, page: StudyPage, selection: StudySelection, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session, self._page, self._selection, self._widget = session, page, selection, parent
        self._tasks = Tasks(self)
        self.questions = Questions(parent)

    @property
    def has_results(self) -> bool:
        """Whether any run of the study is done."""
        state = self._selection.state
        return state is not None and not state.summary.is_empty() and state.folder is not None

    @property
    def is_possible(self) -> bool:
        """Whether a figure or a table is in front."""
        page = self._page.page(self._page.shown)
        if isinstance(page, TablesPage):
            return bool(page.tables)
        if isinstance(page, ExportsItself):
            return page.has_something_to_export
        return self._page.current_figure is not None and self._selection.cell is not None

    @Slot()
    def write(self) -> None:
        """Write the figure or the table shown to files."""
        from fsconsole.console.export_dialog import ExportDialog

        page = self._page.page(self._page.shown)
        spec = self._figure_with_origin()
        if isinstance(page, TablesPage | ExportsItself):
            page.export(self.questions)
        elif spec is not None:
            others = ("All figures of the study", cache(self._all_figures))
            known = self._session.preferences
            dialog = ExportDialog(lambda: spec, self._widget, preferences=known, others=others)
            dialog.message.connect(self._session.message)
            dialog.open()

    def write_report(self) -> None:
        """Write a report of what is done of the study."""
        from fsconsole.app.reports.study_report import study_report
        from fsconsole.console.files.report_export import export_report

        folder = self._selection.folder
        if folder is not None:
            make = partial(study_report, folder)
            export_report(self.questions, self._tasks, folder.path.stem, make, self._session.message.emit)

    def copy(self) -> None:
        """Put the figure shown on the clipboard, or the table where a table is shown."""
        page, spec = self._page.page(self._page.shown), self._page.current_figure
        if isinstance(page, TablesPage):
            page.copy_all()
            self._session.message.emit("Copied the table")
        elif spec is not None:
            style = FigureStyle(theme="dark" if theme().is_dark else "light")
            copy_figure(spec, style, 2 * PX_PER_INCH)
            self._session.message.emit(f"Copied {spec.title}")

    def copy_table(self) -> None:
        """Put the study's table on the clipboard."""
        overview = self._page.page("overview")
        if isinstance(overview, Overview):
            overview.table.copy_all()
            self._session.message.emit("Copied the study table")

    def end(self) -> None:
        """Drop unfinished reports, because the window closes."""
        self._tasks.cancel()

    def _all_figures(self) -> Sequence[FigureSpec]:
        from fsconsole.app.study.export import study_figures

        state = self._selection.state
        if state is None:
            return ()
        return run_and_wait(partial(study_figures, state, self._selection.user), self)

    def _figure_with_origin(self) -> FigureSpec | None:
        """Return the displayed figure with its provenance for files."""
        spec, state = self._page.current_figure, self._selection.state
        if spec is None or state is None:
            return spec
        settings = {"policies": "; ".join(state.numbers.policies), "workloads": "; ".join(state.workloads)}
        return with_origin(spec, state.name, settings)
