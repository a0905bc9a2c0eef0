"""The five plots under each other, their values beside them, one time axis below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from fsconsole.console.look import paint
from fsconsole.console.look.theme import colour, theme
from fsconsole.console.observe.plots.cursor import PlotCursor
from fsconsole.console.observe.plots.drawn import MAX_CURVES, Drawn, drawn_nodes
from fsconsole.console.observe.plots.plot import LivePlot, Look, Overlay
from fsconsole.console.observe.plots.time_axis import TimeAxis
from fsconsole.console.observe.plots.value_column import ValueColumn, value_rows
from fsconsole.console.observe.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.table_pace import TablePace
from fsconsole.figures.quantities import Quantity, quantity_named
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.scenario.spec import QUANTITIES
from fsconsole.targets.events import Event, neighbour
from fsconsole.targets.live import live_column

_REST = -1
_REST_STYLE = CurveStyle("g3")


class PlotRow(QWidget):
    """A plot and the values right of it, a rule below."""

    def __init__(self, quantity: Quantity, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = LivePlot(quantity, self)
        self.values = ValueColumn(quantity, self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 1)
        layout.setSpacing(0)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.values)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground and the rule below."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("surface"))
        paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
        painter.end()


class PlotsPanel(QWidget):
    """All plots of the session's curves; does nothing while it is hidden.

    Signals: menu_wanted(quantity name, global position).
    """

    menu_wanted = Signal(str, object)

    def __init__(
        self,
        session: ConsoleSession,
        span: TimeRange,
        flags: Callable[[], Sequence[Event]],
        parent: QWidget | None = None,
        max_curves: int = MAX_CURVES,
    ) -> None:
        super().__init__(parent)
        self._session, self._span, self._flags = session, span, flags
        self._max_curves = max_curves
        self._drawn = Drawn()
        self._look = Look(())
        self._named: dict[int, tuple[str, CurveStyle]] = {}
        self._is_stale = True
        self._pace = TablePace()
        self.time_cursor = PlotCursor(session, span, self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Plots")
        self.rows: dict[str, PlotRow] = {name: self._row(name) for name in QUANTITIES}
        self.axis = TimeAxis(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for row in self.rows.values():
            layout.addWidget(row, 1)
        layout.addWidget(self.axis)
        self._listen()

    @property
    def drawn(self) -> Drawn:
        """Which nodes have a curve."""
        return self._drawn

    @property
    def plots(self) -> list[LivePlot]:
        """The plots that are not hidden, from the top."""
        return [row.plot for row in self.rows.values() if not row.isHidden()]

    def show_quantities(self, names: Iterable[str]) -> None:
        """Show these plots and hide the others."""
        wanted = set(names)
        for name, row in self.rows.items():
            row.setVisible(name in wanted)
        self.refresh()

    def set_low(self, *, low: bool) -> None:
        """Plots may be 72 px high where the window is low."""
        for row in self.rows.values():
            row.plot.setMinimumHeight(60 if low else 72)

    def move_cursor(self, step: int) -> None:
        """Move the cursor by one sample, from the present where it is not pinned."""
        target = self._session.target
        if target is None:
            return
        times = target.times(0.0, float("inf"))
        if not len(times):
            return
        at = self._session.cursor_s
        place = len(times) - 1 if at is None else int(np.searchsorted(times, at, "left"))
        place = min(max(place + step, 0), len(times) - 1)
        self.time_cursor.pin(float(times[place]))

    def move_to_event(self, step: int) -> None:
        """Move the cursor to the next event after it, or the previous one before it."""
        at = self._session.cursor_s
        found = neighbour(self._flags(), self._span.now_s if at is None else at, step)
        if found is not None:
            self.time_cursor.pin(found)

    @Slot()
    def refresh(self) -> None:
        """Draw what is new; quick where nothing is."""
        target, snapshot = self._session.target, self._session.snapshot
        if target is None or snapshot is None or not self.isVisible():
            self._is_stale = True
            return
        if self._is_stale:
            self._choose()
        running, left_out = snapshot.running, self._session.leave_out_system
        look = Look(self._look.styles, frozenset(self._session.selection), running)
        span = (self._span.start_s, self._span.end_s)
        for plot in self.plots:
            column = live_column(plot.quantity.name, leave_out_system=left_out)
            plot.show_look(look)
            plot.show_data(target, column, self._drawn, span, running=running)
        self._show_cursor(with_values=self._pace.is_due(snapshot))

    # -- inside ---------------------------------------------------------------------------------------------

    def _row(self, name: str) -> PlotRow:
        row = PlotRow(quantity_named(name), self)
        plot = row.plot
        plot.hovered.connect(self.time_cursor.hover)
        plot.clicked.connect(self.time_cursor.click)
        plot.panned.connect(self._panned)
        plot.zoomed.connect(self._span.zoom)
        plot.all_wanted.connect(self._show_all)
        plot.menu_wanted.connect(lambda place, name=name: self.menu_wanted.emit(name, place))
        return row

    def _listen(self) -> None:
        session = self._session
        session.frame.connect(self.refresh)
        for signal in (
            session.shown_changed,
            session.system_left_out_changed,
            session.selection_changed,
            session.edited,
            session.curves.changed,
        ):
            signal.connect(self._refresh_all)
        session.cursor_moved.connect(self._cursor_moved)
        session.target_changed.connect(self._start_anew)
        self._span.changed.connect(self.refresh)
        theme().changed.connect(self._follow_theme)

    @Slot()
    def _refresh_all(self) -> None:
        self._is_stale = True
        self.refresh()

    @Slot()
    def _start_anew(self) -> None:
        for row in self.rows.values():
            row.plot.start_y_anew()
        self._refresh_all()

    @Slot()
    def _follow_theme(self) -> None:
        for row in self.rows.values():
            row.plot.follow_theme()
        self.update()

    @Slot()
    def _cursor_moved(self) -> None:
        if self.isVisible():
            self._show_cursor(with_values=True)

    def _choose(self) -> None:
        document, session = self._session.document, self._session
        if document is None:
            return
        self._is_stale = False
        tree = document.tree
        self._drawn = drawn_nodes(
            tree, session.shown, leave_out_system=session.leave_out_system, most=self._max_curves
        )
        styles = tuple((node, session.curves.style(node)) for node in self._drawn.nodes)
        self._look = Look(styles)
        self._named = {node: (tree.node(node).name, style) for node, style in styles}
        if self._drawn.rest:
            self._named[_REST] = (f"rest ({len(self._drawn.rest)}), mean", _REST_STYLE)

    def _show_cursor(self, *, with_values: bool) -> None:
        cursor_s = self._session.cursor_s
        self.axis.show_span((self._span.start_s, self._span.end_s), cursor_s)
        past = [flag for flag in self._flags() if not flag.is_planned and flag.time_s > 0]
        for number, plot in enumerate(self.plots):
            events = tuple((flag.time_s, "" if number else flag.text) for flag in past)
            plot.show_overlay(Overlay(events, self._span.now_s, cursor_s))
        if with_values:
            self._pace.keep()
            self._show_values(cursor_s)

    def _show_values(self, cursor_s: float | None) -> None:
        for plot in self.plots:
            values = self._values(plot, cursor_s)
            rings = {node: values[node] for node in self._drawn.nodes if node in values}
            plot.show_rings(rings if cursor_s is not None else {})
            row = self.rows[plot.quantity.name]
            row.values.say(*value_rows(plot.quantity, self._named, values, plot.y_limits[1]))

    def _values(self, plot: LivePlot, cursor_s: float | None) -> dict[int, float]:
        target = self._session.target
        if target is None:
            return {}
        column = live_column(plot.quantity.name, leave_out_system=self._session.leave_out_system)
        moment = target.at(cursor_s)  # now as in the legend, not as of the last sample
        if moment is None:
            return {}
        everyone = (*self._drawn.nodes, *self._drawn.rest)
        values = dict(zip(everyone, moment.values(column, everyone).tolist(), strict=True))
        rest = [values[node] for node in self._drawn.rest if node in values]
        if rest:
            values[_REST] = float(np.nanmean(rest)) if not np.isnan(rest).all() else float("nan")
        return values

    @Slot(float)
    def _panned(self, seconds: float) -> None:
        self._span.fix(self._span.start_s + seconds, self._span.end_s + seconds)

    @Slot()
    def _show_all(self) -> None:
        for row in self.rows.values():
            row.plot.start_y_anew()
        self.time_cursor.take_click_back()
        self._span.show_whole()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Wide and high."""
        return QSize(900, 480)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed."""
        super().showEvent(event)
        self._refresh_all()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is drawn until it shows again."""
        super().hideEvent(event)
        self._is_stale = True
        self.time_cursor.leave()

    def leaveEvent(self, event: QEvent) -> None:
        """The cursor goes with the pointer, unless it is pinned."""
        super().leaveEvent(event)
        self.time_cursor.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc lets the cursor follow the present."""
        if event.key() == Qt.Key.Key_Escape and self._session.cursor_s is not None:
            self.time_cursor.free()
            return
        super().keyPressEvent(event)
