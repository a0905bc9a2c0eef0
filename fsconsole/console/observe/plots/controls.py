"""Header controls of the plots: the cursor in words, which plots, which range, export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton

from fsconsole.console.look.icons import put_icon
from fsconsole.console.observe.exports import PlotExports
from fsconsole.console.observe.plots.panel import PlotsPanel
from fsconsole.console.observe.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.figures.quantities import quantity_named
from fsconsole.shares.scenario.spec import QUANTITIES
from fsconsole.targets.events import Event, last_before
from fsconsole.text import durations, numbers

_SPANS: tuple[tuple[str, float], ...] = (
    ("Follow 1 min", 60.0),
    ("Follow 10 min", 600.0),
    ("Follow 1 h", 3600.0),
    ("Follow 10 h", 36000.0),
)


class PlotControls(QObject):
    """What stands in the header of the plots' dock."""

    def __init__(
        self,
        session: ConsoleSession,
        header: DockHeader,
        panel: PlotsPanel,
        span: TimeRange,
        flags: Callable[[], Sequence[Event]],
        exports: PlotExports,
    ) -> None:
        super().__init__(header)
        self._session, self._panel, self._span, self._flags = session, panel, span, flags
        self._exports = exports
        self._is_narrow = False
        self._quantities = list(QUANTITIES)
        self.cursor_words = MutedLabel("", header)
        self.plots_button = menu_button("5 plots", "Which plots are shown", self._plots_menu())
        self.span_box = self._span_box(header)
        self.export = self._export_button(header)
        for widget in (self.cursor_words, self.plots_button, self.span_box, self.export):
            header.add_widget(widget)
        session.cursor_moved.connect(self.say_cursor)
        session.document_changed.connect(self.say_cursor)
        span.changed.connect(self._say_span)
        self._say_span()

    def set_narrow(self, *, narrow: bool) -> None:
        """Fewer words about the cursor where there is little room."""
        self._is_narrow = narrow
        self.say_cursor()

    @Slot()
    def say_cursor(self) -> None:
        """Where the cursor is, and how long after the last event."""
        at = self._session.cursor_s
        if at is None:
            self.cursor_words.setText("")
            return
        target, last_s = self._session.target, self._span.end_s
        first_s, end_s = (at, at) if target is None else target.span_at(at)
        words = f"Cursor {durations.plot_time(at, last_s)}"
        if first_s < end_s:
            between = " to ".join(durations.plot_time(time_s, last_s) for time_s in (first_s, end_s))
            words = f"Cursor, largest values from {between}"
        flag = last_before(self._flags(), at)
        if flag is not None and flag.time_s > 0 and not self._is_narrow:
            words += f", {numbers.fixed(at - flag.time_s)} s after {flag.text}"
        self.cursor_words.setText(words)

    # -- making ---------------------------------------------------------------------------------------------

    def _plots_menu(self) -> QMenu:
        menu = QMenu()
        for name in QUANTITIES:
            action = menu.addAction(quantity_named(name).title)
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(partial(self._show_plot, name))
        return menu

    def _span_box(self, header: DockHeader) -> QComboBox:
        made = QComboBox(header)
        made.setAccessibleName("Range of the plots")
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for words, width_s in _SPANS:
            made.addItem(words, width_s)
        made.addItem("Whole run", "whole")
        made.addItem("Fixed", "fixed")
        made.activated.connect(self._span_chosen)
        return made

    def _export_button(self, header: DockHeader) -> QToolButton:
        made = QToolButton(header)
        put_icon(made, "export")
        made.setToolTip("Export or copy a plot")
        made.setAccessibleName("Export or copy a plot")
        made.setAutoRaise(True)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(self._show_exports)
        return made

    # -- following ------------------------------------------------------------------------------------------

    @Slot()
    def _show_exports(self) -> None:
        self._exports.menu().popup(self.export.mapToGlobal(QPoint(0, self.export.height())))

    @Slot()
    def _say_span(self) -> None:
        mode = self._span.mode
        at = self.span_box.findData(self._span.follow_s if mode == "follow" else mode)
        self.span_box.setCurrentIndex(at if at >= 0 else self.span_box.findData("fixed"))

    @Slot(int)
    def _span_chosen(self, at: int) -> None:
        chosen = self.span_box.itemData(at)
        if chosen == "whole":
            self._span.show_whole()
        elif chosen == "fixed":
            self._span.fix(self._span.start_s, self._span.end_s)
        else:
            self._span.follow(float(chosen))

    def _show_plot(self, name: str, is_shown: bool) -> None:
        chosen = set(self._quantities) | {name} if is_shown else set(self._quantities) - {name}
        self._quantities = [quantity for quantity in QUANTITIES if quantity in chosen]
        count = len(self._quantities)
        self.plots_button.setText("1 plot" if count == 1 else f"{count} plots")
        self._panel.show_quantities(self._quantities)
