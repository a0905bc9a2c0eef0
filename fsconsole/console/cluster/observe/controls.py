"""Header controls of the plots: the cursor's time, which plots, which range, export."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QToolButton

from fsconsole.console.cluster.observe.clock_range import ClockRange
from fsconsole.console.cluster.observe.exports import ClusterExports
from fsconsole.console.cluster.observe.plots import ClusterPlots
from fsconsole.console.cluster.observe.quantities import QUANTITIES, first_shown
from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.look.icons import put_icon
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.console.widgets.labels import MutedLabel

_SPANS: tuple[tuple[str, float], ...] = (
    ("Follow 10 min", 600.0),
    ("Follow 1 h", 3600.0),
    ("Follow 10 h", 36_000.0),
    ("Follow 1 day", 86_400.0),
)


class ClusterPlotControls(QObject):
    """What stands in the header of the plots' dock."""

    def __init__(
        self,
        session: ConsoleSession,
        watch: Watch,
        header: DockHeader,
        panel: ClusterPlots,
        span: ClockRange,
        exports: ClusterExports,
    ) -> None:
        super().__init__(header)
        self._session, self._watch, self._panel = session, watch, panel
        self._span, self._exports = span, exports
        self._chosen = set(first_shown(is_fair_tree=False))
        self._chosen_for: object = None
        self._is_low = self._is_fair_tree = self._is_persons = self._is_choosing = False
        self._boxes: dict[str, QAction] = {}
        self.cursor_words = MutedLabel("", header)
        self.plots_button = menu_button("plots", "Which plots are shown", self._plots_menu())
        self.span_box = self._span_box(header)
        self.export = self._export_button(header)
        for widget in (self.cursor_words, self.plots_button, self.span_box, self.export):
            header.add_widget(widget)
        session.cursor_moved.connect(self.say_cursor)
        span.changed.connect(self._say_span)
        watch.changed.connect(self._choose)
        self._say_span()
        self._count()

    @Slot()
    def say_cursor(self) -> None:
        """Where the cursor is."""
        at = self._session.cursor_s
        self.cursor_words.setText("" if at is None else f"Cursor {self._span.clock(at)}")

    def set_low(self, *, low: bool) -> None:
        """One plot less in a low window, unless a person has chosen."""
        self._is_low = low
        self._show_first()

    # -- making -------------------------------------------------------------------------------------------

    def _plots_menu(self) -> QMenu:
        menu = QMenu()
        for quantity in QUANTITIES:
            action = menu.addAction(quantity.drawn.title)
            action.setToolTip(quantity.tip)
            action.setCheckable(True)
            action.setChecked(quantity.name in self._chosen)
            action.toggled.connect(partial(self._show_plot, quantity.name))
            self._boxes[quantity.name] = action
        return menu

    def _span_box(self, header: DockHeader) -> QComboBox:
        made = QComboBox(header)
        made.setAccessibleName("Range of the plots")
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for words, width_s in _SPANS:
            made.addItem(words, width_s)
        made.addItem("Since connected", "whole")
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

    # -- following ----------------------------------------------------------------------------------------

    @Slot()
    def _choose(self) -> None:
        """Once for each cluster, when it is known which algorithm it has."""
        digest, cluster = self._watch.digest, self._watch.cluster
        if digest is None or digest.state.settings is None or self._chosen_for is cluster:
            return
        self._chosen_for = cluster
        self._is_fair_tree = digest.state.settings.is_fair_tree
        self._show_first()

    def _show_first(self) -> None:
        """What shows unless a person has chosen."""
        if self._is_persons:
            return
        wanted = first_shown(is_fair_tree=self._is_fair_tree, is_low=self._is_low)
        self._is_choosing = True
        for name, box in self._boxes.items():
            box.setChecked(name in wanted)
        self._is_choosing = False

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
        self._is_persons = self._is_persons or not self._is_choosing
        self._chosen = self._chosen | {name} if is_shown else self._chosen - {name}
        self._count()
        self._panel.show_quantities(self._chosen)

    def _count(self) -> None:
        count = len(self._chosen)
        self.plots_button.setText("1 plot" if count == 1 else f"{count} plots")
