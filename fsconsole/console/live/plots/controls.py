"""Header controls of the plots: the cursor in words, which plots, which range, export."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton

from fsconsole.console.live.plots.exports import PlotExports
from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.icons import put_icon
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.figures.quantities import quantity_named
from fsconsole.targets.base import REWIND
from fsconsole.targets.events import last_before
from fsconsole.text import numbers
from fsconsole.text.words import count_words

_SIMULATED: tuple[tuple[str, float | str], ...] = (
    ("Follow 1 min", 60.0),
    ("Follow 10 min", 600.0),
    ("Follow 1 h", 3600.0),
    ("Follow 10 h", 36_000.0),
    ("Whole run", "whole"),
    ("Fixed", "fixed"),
)
_BY_CLOCK: tuple[tuple[str, float | str], ...] = (
    ("Follow 10 min", 600.0),
    ("Follow 1 h", 3600.0),
    ("Follow 10 h", 36_000.0),
    ("Follow 1 day", 86_400.0),
    ("Since connected", "whole"),
    ("Fixed", "fixed"),
)


class PlotControls(QObject):
    """The controls in the header of the plots' dock."""

    def __init__(
        self,
        session: ConsoleSession,
        header: DockHeader,
        panel: PlotsPanel,
        span: TimeRange,
        exports: PlotExports,
    ) -> None:
        super().__init__(header)
        self._session, self._panel, self._span, self._exports = session, panel, span, exports
        self._is_narrow = self._is_low = self._is_persons = self._is_choosing = False
        self._spans: tuple[tuple[str, float | str], ...] = ()
        self._boxes: dict[str, QAction] = {}
        self.cursor_words = MutedLabel("", header)
        self.plots_menu = QMenu(header)
        self.plots_button = menu_button("0 plots", "Plots to show", self.plots_menu)
        self.span_box = self._span_box(header)
        self.export = self._export_button(header)
        for widget in (self.cursor_words, self.plots_button, self.span_box, self.export):
            header.add_widget(widget)
        session.cursor_moved.connect(self.show_cursor)
        session.document_changed.connect(self.show_cursor)
        panel.mark.changed.connect(self.show_cursor)
        panel.arranged.connect(self._count)
        session.frame.connect(self._show_leading)
        panel.rebuilt.connect(self._fill_plots)
        span.changed.connect(self._show_span)
        self._fill_plots()
        self._show_span()

    def set_narrow(self, *, narrow: bool) -> None:
        """Show fewer words about the cursor in little room."""
        self._is_narrow = narrow
        self.show_cursor()

    def set_low(self, *, low: bool) -> None:
        """Show fewer plots in a low window if necessary, unless the user has chosen."""
        self._is_low = low
        self._show_leading()

    @Slot()
    def show_cursor(self) -> None:
        """Show the time of the cursor, and the time since the last event."""
        at, target = self._session.cursor_s, self._session.target
        if at is None or target is None:
            self.cursor_words.setText("")
            return
        is_exact = at == self._session.past.time_s and target.offer(REWIND) is not None
        first_s, end_s = (at, at) if is_exact else target.span_at(at)
        words = f"Cursor {self._span.short(at)}"
        if first_s < end_s:
            between = " to ".join(self._span.short(time_s) for time_s in (first_s, end_s))
            words = f"Cursor, largest values from {between}"
        event = last_before(self._session.events(), at)
        if self._panel.mark.time_s is not None:
            words += f", {self._panel.mark.words(at)}"
        elif event is not None and event.time_s > target.clock.first_s and not self._is_narrow:
            words += f", {numbers.fixed(at - event.time_s)} s after {event.text}"
        self.cursor_words.setText(words)

    # -- making ---------------------------------------------------------------------------------------------

    def _span_box(self, header: DockHeader) -> QComboBox:
        made = QComboBox(header)
        made.setAccessibleName("Range of the plots")
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.activated.connect(self._on_span_chosen)
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
    def _fill_plots(self) -> None:
        """Fill the plots with other quantities."""
        self.plots_menu.clear()
        self._boxes.clear()
        self._is_persons = False
        for name in self._panel.rows:
            quantity = quantity_named(name)
            action = self.plots_menu.addAction(quantity.title)
            action.setToolTip(quantity.tip)
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(partial(self._show_plot, name))
            self._boxes[name] = action
        self._count()
        self._show_leading()

    @Slot()
    def _show_leading(self) -> None:
        """Show the leading quantities unless the user has chosen."""
        target = self._session.target
        if self._is_persons or target is None:
            return
        wanted = target.leading(is_low=self._is_low)
        self._is_choosing = True
        for name, box in self._boxes.items():
            box.setChecked(name in wanted)
        self._is_choosing = False

    def _show_plot(self, _name: str, _is_shown: bool) -> None:
        self._is_persons = self._is_persons or not self._is_choosing
        self._count()
        self._panel.show_quantities(name for name, box in self._boxes.items() if box.isChecked())

    def _count(self) -> None:
        count = sum(box.isChecked() for box in self._boxes.values())
        words = count_words(count, "plot")
        self.plots_button.setText(f"1 of {words}" if self._panel.maximised else words)

    @Slot()
    def _show_exports(self) -> None:
        self._exports.menu().popup(self.export.mapToGlobal(QPoint(0, self.export.height())))

    @Slot()
    def _show_span(self) -> None:
        spans = _SIMULATED if self._span.clock.epoch_s is None else _BY_CLOCK
        if spans is not self._spans:
            self._spans = spans
            self.span_box.clear()
            for words, what in spans:
                self.span_box.addItem(words, what)
        mode = self._span.mode
        at = self.span_box.findData(self._span.follow_s if mode == "follow" else mode)
        self.span_box.setCurrentIndex(at if at >= 0 else self.span_box.findData("fixed"))

    @Slot(int)
    def _on_span_chosen(self, at: int) -> None:
        chosen = self.span_box.itemData(at)
        if chosen == "whole":
            self._span.show_whole()
        elif chosen == "fixed":
            self._span.fix(self._span.start_s, self._span.end_s)
        else:
            self._span.follow(float(chosen))
