"""Taking plots out of the window: files through the export dialog, pictures through the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action
from fsconsole.console.export_choice import height_for
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.report_export import export_report
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.kit.text_twin import add_table_action
from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.plots.value_table import range_table, values_table
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.quantities import quantity_named
from fsconsole.targets.base import RUN_FOLDER
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.figures.spec import FigureSpec

_COPY_DPI = 192
_CHOSEN_KEY = "export/plots"


class PlotExports:
    """Exports and copies the plots of a panel; an empty quantity means the first plot shown."""

    def __init__(self, session: ConsoleSession, panel: PlotsPanel, span: TimeRange, window: QWidget) -> None:
        """Use `window` as the parent of dialogs."""
        self._session, self._panel, self._span, self._window = session, panel, span, window
        self.questions = Questions(window)
        self._reports = Tasks(window)

    def actions(self, is_open: Callable[[], bool]) -> list[Action]:
        """Return the export actions; those of plots only while there is a target, see `is_open`."""
        return [
            Action(
                "observe.export",
                "&Export plot…",
                self.export_plot,
                keys=("Ctrl+E",),
                icon="export",
                menu="File",
                group="exchange",
                tip="Export a plot as PNG, SVG or PDF, or its data as CSV or Parquet",
                enabled=is_open,
                local=True,
            ),
            Action(
                "observe.report",
                "Export run report…",
                self.export_report,
                menu="File",
                group="exchange",
                tip="Export findings, plots, events and settings of a recorded run as PDF or web page",
                enabled=lambda: self._session.is_recorded,
                words="pdf html findings",
                why_not=lambda: "Open a run folder first. Record run writes one",
            ),
            Action(
                "observe.copy_plot",
                "Copy plot",
                self.copy_plot,
                menu="Edit",
                group="copy",
                tip="Copy the first plot to the clipboard as an image",
                enabled=is_open,
            ),
            Action(
                "observe.copy_values",
                "Copy &values at the cursor",
                self.copy_values,
                keys=("Ctrl+C",),
                menu="Edit",
                group="copy",
                enabled=is_open,
                local=True,
                tip="Copy the values of all curves at the cursor to the clipboard",
                words="tsv table spreadsheet",
            ),
            Action(
                "observe.copy_range",
                "Copy values sho&wn",
                self.copy_range,
                menu="Edit",
                group="copy",
                enabled=is_open,
                words="tsv table spreadsheet",
                tip="Copy the values of the first plot over the range shown to the clipboard",
            ),
        ]

    def figure(self, quantity: str) -> FigureSpec | None:
        """Return the figure of a plot's curves over all that is known; None where the target has no such
        plot.
        """
        from fsconsole.console.live.plots.figure import figure_of_plot

        target = self._session.target
        # A menu may remain open after its target is closed.
        if target is None or quantity not in target.quantities:
            return None
        figure = figure_of_plot(self._session, quantity, self._panel.drawn, self._panel.beneath)
        if figure is not None and self._panel.rows[quantity].plot.is_log:
            return replace(figure, y_axis=replace(figure.y_axis, is_log=True, limits=None))
        return figure

    def figure_of(self, quantities: Sequence[str]) -> FigureSpec | None:
        """Return one figure of several plots; None without any."""
        from fsconsole.figures.stack import stacked

        found = [figure for name in quantities if (figure := self.figure(name)) is not None]
        target = self._session.target
        if not found or target is None:
            return None
        stem = found[0].name.removesuffix(f"-{found[0].quantity.replace('_', '-')}")
        return stacked(found, f"{stem}-plots", target.about().title)

    def export_plot(self, quantity: str = "") -> None:
        """Ask which plots are to be written, and how, and write them.

        Without a quantity those are proposed that were exported last, else the first one.
        """
        from fsconsole.console.export_dialog import ExportDialog
        from fsconsole.console.export_plots import PlotChoice

        shown = [plot.quantity.name for plot in self._panel.plots]
        before = [name for name in self._session.preferences.value(_CHOSEN_KEY, []) if name in shown]
        chosen = [quantity] if quantity else before or shown[:1]
        if self.figure_of(chosen) is None:
            return
        titles = {name: quantity_named(name).title for name in self._panel.rows}
        choice = PlotChoice(titles, chosen, self.figure_of)
        dialog = ExportDialog(
            choice.figure, self._window, preferences=self._session.preferences,
            shown=self._shown_range(), plots=choice,
        )  # fmt: skip
        dialog.message.connect(self._session.message)
        dialog.accepted.connect(lambda: self._session.preferences.set_value(_CHOSEN_KEY, list(choice.chosen)))
        dialog.open()

    def export_report(self) -> None:
        """Ask for a file, and write a report of the displayed run folder."""
        from fsconsole.app.reports.run_report import run_report
        from fsconsole.recording.run import RunReader

        folder = self._session.offer(RUN_FOLDER)
        if folder is not None:
            say = self._session.message.emit
            export_report(
                self.questions, self._reports, folder.stem, lambda: run_report(RunReader(folder)), say
            )

    def copy_plots(self) -> None:
        """Put all plots that are shown onto the clipboard, as one picture."""
        self._copy(self.figure_of([plot.quantity.name for plot in self._panel.plots]))

    def copy_plot(self, quantity: str = "") -> None:
        """Put a plot onto the clipboard as it is shown, as a picture."""
        self._copy(self._figure_of(quantity))

    def _copy(self, figure: FigureSpec | None) -> None:
        from fsconsole.console.figure_view import copy_figure
        from fsconsole.figures.spec import FigureStyle

        if figure is not None:
            style = FigureStyle(x_range=self._shown_range(), height_mm=height_for(len(figure.parts)))
            copy_figure(figure, style, _COPY_DPI)
            self._session.message.emit(f"{figure.title}: picture copied")

    def copy_values(self, quantity: str = "") -> None:
        """Put the values at the cursor, else those of now, onto the clipboard: a line for each curve."""
        panel = self._panel
        names = [quantity] if quantity else [plot.quantity.name for plot in panel.plots]
        table = values_table(panel.values, [name for name in names if name in panel.rows])
        if table:
            QGuiApplication.clipboard().setText(table)
            lines = len(table.splitlines()) - 1
            self._session.message.emit(f"Values of {count_words(lines, 'curve')} copied")

    def copy_range(self, quantity: str = "") -> None:
        """Put the values of the range that is shown onto the clipboard: a line for each time."""
        figure = self._figure_of(quantity)
        if figure is not None:
            text, times = range_table(figure, self._shown_range())
            QGuiApplication.clipboard().setText(text)
            count = count_words(times, "time")
            self._session.message.emit(f"{figure.title}: values at {count} copied")

    def menu(self, name: str = "") -> QMenu:
        """Return the menu of one plot, or of all plots shown."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if name:
            self._add_axis(menu, name)
            for text, run in (
                ("Export…", self.export_plot),
                ("Copy picture", self.copy_plot),
                ("Copy values at the cursor", self.copy_values),
                ("Copy values shown", self.copy_range),
            ):
                menu.addAction(text, partial(run, name))
            if name in self._panel.rows:
                add_table_action(menu, self._panel.rows[name].plot)
            return menu
        names = [plot.quantity.name for plot in self._panel.plots]
        menu.addAction("Export plots…", self.export_plot)
        menu.addAction("Copy image of all", self.copy_plots)
        menu.addAction("Copy values at the cursor", self.copy_values)
        menu.addSeparator()
        for one in names:
            menu.addAction(f"Copy {quantity_named(one).title}", partial(self.copy_plot, one))
        return menu

    def _add_axis(self, menu: QMenu, name: str) -> None:
        """Add what changes how a plot is shown."""
        panel = self._panel
        if name not in panel.rows:
            return
        plot = panel.rows[name].plot
        words = "Show all plots" if panel.maximised else "Show this plot alone"
        menu.addAction(words, partial(panel.toggle_maximised, name))
        log = menu.addAction("Logarithmic values", partial(panel.toggle_log, name))
        log.setCheckable(True)
        log.setChecked(plot.is_log)
        reset = menu.addAction("Reset values", plot.start_y_anew)
        reset.setEnabled(plot.is_zoomed)
        menu.addSeparator()

    def _figure_of(self, quantity: str) -> FigureSpec | None:
        names = [quantity] if quantity else [plot.quantity.name for plot in self._panel.plots]
        return self.figure(names[0]) if names else None

    def _shown_range(self) -> tuple[float, float]:
        """Return times as the figure has them."""
        from fsconsole.console.live.plots.figure import began_s

        target = self._session.target
        began = 0.0 if target is None else began_s(target)
        start = self._span.start_s - began
        return start, min(self._span.end_s - began, max(self._span.now_s - began, start + 1.0))
