"""Taking plots out of the window: files through the export dialog, pictures through the clipboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.plots.value_table import values_table
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.quantities import quantity_named
from fsconsole.text.words import count_label

if TYPE_CHECKING:
    from fsconsole.figures.spec import FigureSpec

_COPY_DPI = 192


class PlotExports:
    """Exports and copies the plots of a panel; an empty quantity means the first plot shown."""

    def __init__(self, session: ConsoleSession, panel: PlotsPanel, span: TimeRange, window: QWidget) -> None:
        """Dialogs stand over `window`."""
        self._session, self._panel, self._span, self._window = session, panel, span, window

    def figure(self, quantity: str) -> FigureSpec | None:
        """The figure of a plot's curves over all that is known; None where the target has no such plot."""
        from fsconsole.console.live.plots.figure import figure_of_plot

        target = self._session.target
        if target is None or quantity not in target.quantities:  # a menu may outlive its target
            return None
        return figure_of_plot(self._session, quantity, self._panel.drawn)

    def export_plot(self, quantity: str = "") -> None:
        """Ask how a plot is to be written, and write it."""
        from fsconsole.console.export_dialog import ExportDialog

        figure = self._figure_of(quantity)
        if figure is not None:
            dialog = ExportDialog(
                lambda: figure, self._window, preferences=self._session.preferences, shown=self._shown_range()
            )
            dialog.said.connect(self._session.message)
            dialog.open()

    def copy_plot(self, quantity: str = "") -> None:
        """Put a plot onto the clipboard as it is shown, as a picture."""
        from fsconsole.console.figure_view import copy_figure
        from fsconsole.figures.spec import FigureStyle

        figure = self._figure_of(quantity)
        if figure is not None:
            copy_figure(figure, FigureStyle(x_range=self._shown_range()), _COPY_DPI)
            self._session.message.emit(f"{figure.title}: picture copied")

    def copy_values(self, quantity: str = "") -> None:
        """Put the values at the cursor, else those of now, onto the clipboard: a line for each curve."""
        panel = self._panel
        names = [quantity] if quantity else [plot.quantity.name for plot in panel.plots]
        table = values_table(panel, [name for name in names if name in panel.rows])
        if table:
            QGuiApplication.clipboard().setText(table)
            lines = len(table.splitlines()) - 1
            self._session.message.emit(f"Values of {count_label(lines, 'curve')} copied")

    def copy_range(self, quantity: str = "") -> None:
        """Put the values of the range that is shown onto the clipboard: a line for each time."""
        from fsconsole.figures.data import columns_of, tsv_text

        figure = self._figure_of(quantity)
        if figure is not None:
            columns = columns_of(figure, self._shown_range())
            QGuiApplication.clipboard().setText(tsv_text(columns))
            count = count_label(len(columns[0][1]), "time")
            self._session.message.emit(f"{figure.title}: values at {count} copied")

    def menu(self, name: str = "") -> QMenu:
        """What can be done with one plot, or with each that is shown."""
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
            return menu
        names = [plot.quantity.name for plot in self._panel.plots]
        menu.addAction("Export plots…", self.export_plot)
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
        """In seconds since the beginning, as the figure has them."""
        first_s = self._span.first_s
        start = self._span.start_s - first_s
        return start, min(self._span.end_s - first_s, max(self._span.now_s - first_s, start + 1.0))
