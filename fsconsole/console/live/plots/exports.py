"""Taking plots out of the window: files through the export dialog, pictures through the clipboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.quantities import quantity_named

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

    def menu(self, name: str = "") -> QMenu:
        """Export and copy of one plot, or of all that are shown."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        names = [name] if name else [plot.quantity.name for plot in self._panel.plots]
        for one in names:
            menu.addAction(f"Export {quantity_named(one).title}…", partial(self.export_plot, one))
        menu.addSeparator()
        for one in names:
            menu.addAction(f"Copy {quantity_named(one).title}", partial(self.copy_plot, one))
        return menu

    def _figure_of(self, quantity: str) -> FigureSpec | None:
        names = [quantity] if quantity else [plot.quantity.name for plot in self._panel.plots]
        return self.figure(names[0]) if names else None

    def _shown_range(self) -> tuple[float, float]:
        """In seconds since the beginning, as the figure has them."""
        first_s = self._span.first_s
        start = self._span.start_s - first_s
        return start, min(self._span.end_s - first_s, max(self._span.now_s - first_s, start + 1.0))
