"""Taking plots out of the window: files through the export dialog, pictures through the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.observe.plots.panel import PlotsPanel
from fsconsole.console.observe.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.quantities import quantity_named
from fsconsole.targets.events import Event

if TYPE_CHECKING:
    from fsconsole.figures.spec import FigureSpec

_COPY_DPI = 192


class PlotExports:
    """Exports and copies the plots of a panel; an empty quantity means the first plot shown."""

    def __init__(
        self,
        session: ConsoleSession,
        panel: PlotsPanel,
        span: TimeRange,
        flags: Callable[[], Sequence[Event]],
        window: QWidget,
    ) -> None:
        """Dialogs stand over `window`."""
        self._session, self._panel, self._span = session, panel, span
        self._flags, self._window = flags, window

    def figure(self, quantity: str) -> FigureSpec | None:
        """The figure of a plot's curves over the whole run; None while there is nothing."""
        from fsconsole.console.observe.figure import figure_of_plot

        span = (0.0, max(self._span.now_s, 1.0))
        return figure_of_plot(self._session, quantity, self._panel.drawn, span, list(self._flags()))

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

    def _figure_of(self, quantity: str) -> FigureSpec | None:
        names = [quantity] if quantity else [plot.quantity.name for plot in self._panel.plots]
        return self.figure(names[0]) if names else None

    def _shown_range(self) -> tuple[float, float]:
        return self._span.start_s, min(self._span.end_s, max(self._span.now_s, self._span.start_s + 1))

    def menu(self, name: str = "") -> QMenu:
        """Export and copy of one plot, or of all that are shown."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        names = [name] if name else [plot.quantity.name for plot in self._panel.plots]
        for one in names:
            title = quantity_named(one).title
            menu.addAction(f"Export {title}…", partial(self.export_plot, one))
        menu.addSeparator()
        for one in names:
            menu.addAction(f"Copy {quantity_named(one).title}", partial(self.copy_plot, one))
        return menu
