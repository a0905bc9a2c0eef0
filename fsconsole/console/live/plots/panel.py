"""The plots under each other, their values beside them, one time axis below; of any target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.connections import every
from fsconsole.console.live.plots.cursor import PlotCursor
from fsconsole.console.live.plots.curve_values import CurveValues
from fsconsole.console.live.plots.layer import Layer, Reference
from fsconsole.console.live.plots.mark import TimeMark
from fsconsole.console.live.plots.plot import LivePlot
from fsconsole.console.live.plots.plot_canvas import CurveAppearance, Overlay
from fsconsole.console.live.plots.plot_curves import MAX_CURVES, Drawn, drawn_nodes, partner_of
from fsconsole.console.live.plots.plot_row import PlotRow
from fsconsole.console.live.plots.reference import ReferenceController
from fsconsole.console.live.plots.time_axis import TimeAxis
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.recorded.run_session import RECORDED
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import grown_px
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.recording.notes import note_marks
from fsconsole.targets.base import HOLD, Target
from fsconsole.targets.events import neighbour, without_notes

_REACHES_S = (60.0, 3600.0, 86_400.0, float("inf"))  # Ranges to search for the next sample, in this order.
_DOTS = (1.0, 3.0)
_SECOND_MS = 1000
_LOG_KEY = "plots/log"
_LEAST_PX = 126  # Height of all plots: two are visible, the others need scrolling.
_LINES = 3  # Lines of text in the smallest row, and its title.


class PlotsPanel(QWidget):
    """All plots of the session's curves; does nothing while it is hidden.

    Signals: menu_wanted(quantity name, global position); rebuilt() after the plots are of other quantities;
    arranged() after others are shown.
    """

    accessible_role = Role.Grouping

    menu_wanted = Signal(str, object)
    arranged = Signal()
    rebuilt = Signal()

    def __init__(
        self,
        session: ConsoleSession,
        span: TimeRange,
        parent: QWidget | None = None,
        max_curves: int = MAX_CURVES,
    ) -> None:
        super().__init__(parent)
        self._session, self._span = session, span
        self._max_curves = max_curves
        self._reference: Reference | None = None
        self._look = CurveAppearance(())
        self._is_stale = True
        self._is_low = False
        self._pace = RefreshThrottle()
        self.time_cursor = PlotCursor(session, span, self)
        self.references = ReferenceController(session, self)
        self.mark = TimeMark(session, self)
        self.values = CurveValues(session, self.mark)
        self._wanted: frozenset[str] | None = None
        self._maximised = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Plots")
        self.rows: dict[str, PlotRow] = {}
        self.axis = TimeAxis(span, self)
        self._holder = QWidget(self)
        self._rows_layout = vbox(on=self._holder)
        self.area = scrolling(self._holder)
        self.area.setMinimumHeight(_LEAST_PX)
        bar = self.area.verticalScrollBar()
        self._beside_axis = QWidget(self)  # As wide as the scroll bar.
        self._beside_axis.setFixedWidth(0)
        bar.rangeChanged.connect(self._on_scroll_range)
        vbox((self.area, 1), hbox((self.axis, 1), self._beside_axis), on=self)
        # The present advances with the clock, even between readings.
        self._second = every(self, _SECOND_MS, self.advance)
        self._connect_signals()
        self._on_target_changed()

    @property
    def drawn(self) -> Drawn:
        """Which nodes have a curve."""
        return self.values.drawn

    @property
    def plots(self) -> list[LivePlot]:
        """The plots that are not hidden, from the top."""
        return [row.plot for row in self._rows_in_sight()]

    def show_quantities(self, names: Iterable[str]) -> None:
        """Show these plots and hide the others."""
        self._wanted = frozenset(names)
        self._show_rows()

    @property
    def maximised(self) -> str:
        """The quantity whose plot is shown alone; empty where all are shown that are wanted."""
        return self._maximised

    def toggle_maximised(self, name: str = "") -> None:
        """Show a plot alone, else the one with the focus or the first, or all again."""
        focused = next((plot.quantity.name for plot in self.plots if plot.hasFocus()), "")
        first = next((plot.quantity.name for plot in self.plots), "")
        self._maximised = "" if self._maximised else name or focused or first
        self._show_rows()

    def _show_rows(self) -> None:
        if self._maximised not in self.rows or self._maximised not in (self._wanted or self.rows):
            self._maximised = ""
        for name, row in self.rows.items():
            is_wanted = self._wanted is None or name in self._wanted
            row.setVisible(name == self._maximised if self._maximised else is_wanted)
            row.values.show_maximised(is_maximised=bool(self._maximised))
        self.arranged.emit()
        self.refresh()

    @property
    def reference(self) -> Reference | None:
        """The other run that is shown beneath."""
        return self._reference

    @property
    def beneath(self) -> tuple[Reference, ...]:
        """All runs drawn beneath: the other displayed run, and the user's reference."""
        return tuple(one for one in (self._reference, self.references.shown) if one is not None)

    def show_reference(self, reference: Reference | None, until_s: float = 0.0) -> None:
        """Show another run beneath all plots, with the differences shaded; None for none.

        `until_s` is how far it goes.
        """
        self._reference = reference
        self._span.reach(until_s)
        self.refresh()

    def bring_span_into_sight(self, start_s: float, end_s: float) -> None:
        """Show a span of time, where less than half of it is in sight."""
        span = self._span
        common_s = min(end_s, span.end_s) - max(start_s, span.start_s)
        if end_s > start_s and common_s < (end_s - start_s) / 2:
            room_s = (end_s - start_s) / 20
            span.fix(start_s - room_s, end_s + room_s)

    def toggle_log(self, name: str) -> None:
        """Measure the values of a plot in powers of ten, or in values again; remembered."""
        chosen = set(self._session.preferences.value(_LOG_KEY, [])) ^ {name}
        self._session.preferences.set_value(_LOG_KEY, sorted(chosen))
        if name in self.rows:
            self.rows[name].plot.set_log(is_log=name in chosen)
        self.refresh()

    @Slot()
    def set_mark(self) -> None:
        """Mark the instant of the cursor, else the present."""
        target, cursor_s = self._session.target, self._session.cursor_s
        if target is not None and target.at() is not None:
            self.mark.set_at(target.now_s if cursor_s is None else cursor_s)

    @Slot(float)
    def _on_marked(self, time_s: float) -> None:
        near = self.time_cursor.sample_near(time_s)
        if near is not None:
            self.mark.set_at(near)

    def set_low(self, *, low: bool) -> None:
        """Let plots be 60 px high where the window is low."""
        self._is_low = low
        for row in self.rows.values():
            row.plot.setMinimumHeight(self._row_px)

    @property
    def _row_px(self) -> int:
        """Least height of a row: of its title and some values beside it."""
        return (60 if self._is_low else 72) + _LINES * grown_px()

    @Slot(int, int)
    def _on_scroll_range(self, _first: int, last: int) -> None:
        bar = self.area.verticalScrollBar()
        self._beside_axis.setFixedWidth(bar.sizeHint().width() if last > 0 else 0)

    def move_cursor(self, step: int) -> None:
        """Move the cursor by one sample, from the present if it is not pinned."""
        target = self._session.target
        if target is None:
            return
        at = target.now_s if self._session.cursor_s is None else self._session.cursor_s
        for reach_s in _REACHES_S:  # A long run keeps every sample only near the cursor.
            times = target.times(at - reach_s, at + reach_s)
            beside = times[times > at] if step > 0 else times[times < at]
            if len(beside):
                self.time_cursor.pin(float(beside[0 if step > 0 else -1]))
                return

    def move_to_event(self, step: int) -> None:
        """Move the cursor to the next event after it, or the previous one before it."""
        at = self._session.cursor_s
        found = neighbour(self._session.events(), self._span.now_s if at is None else at, step)
        if found is not None:
            self.time_cursor.pin(found)

    @Slot()
    def refresh(self) -> None:
        """Draw what is new; quick where nothing is."""
        target = self._session.target
        if target is None or not self.isVisible() or not self._is_of(target) or target.at() is None:
            self._is_stale = True
            return
        if self._is_stale:
            self._choose()
        running = target.is_moving and target.clock.epoch_s is None
        chosen, styles = frozenset(self._session.selection), self._look.styles
        selected = frozenset(node for node, _ in styles if node in chosen or partner_of(node) in chosen)
        look = CurveAppearance(styles, selected, running)
        for row in self._rows_in_sight():
            row.plot.show_look(look)
            row.draw(target, self.values.column(row.quantity), self.values.drawn, self._span, running=running)
        self._show_cursor(with_values=self._pace.is_due(is_running=self._session.is_running))

    # -- inside ---------------------------------------------------------------------------------------------

    def _is_of(self, target: Target) -> bool:
        """Return True if the plots belong to a target; other signals precede the one on its change."""
        return tuple(self.rows) == target.quantities

    def _rows_in_sight(self) -> list[PlotRow]:
        return [row for row in self.rows.values() if not row.isHidden()]

    def _row(self, name: str) -> PlotRow:
        row = PlotRow(quantity_named(name), self)
        plot = row.plot
        style_of = self._session.curves.style
        plot.lay_under(Layer(lambda: self._reference, style_of))
        plot.lay_under(Layer(lambda: self.references.shown, style_of, lambda: self._reference is not None))
        plot.setToolTip(row.quantity.tip)
        plot.setMinimumHeight(self._row_px)
        plot.hovered.connect(self.time_cursor.hover)
        plot.clicked.connect(self.time_cursor.click)
        plot.head_dragged.connect(self.time_cursor.drag)
        plot.panned.connect(self._on_panned)
        plot.zoomed.connect(self._span.zoom)
        plot.all_wanted.connect(self._show_all)
        plot.marked.connect(self._on_marked)
        plot.selected.connect(self._span.fix)
        plot.range_changed.connect(self.refresh)
        plot.set_log(is_log=name in self._session.preferences.value(_LOG_KEY, []))
        row.values.maximise_wanted.connect(lambda name=name: self.toggle_maximised(name))
        plot.menu_wanted.connect(lambda place, name=name: self.menu_wanted.emit(name, place))
        return row

    def _connect_signals(self) -> None:
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
        session.cursor_moved.connect(self._on_cursor_moved)
        self.mark.changed.connect(self._on_cursor_moved)
        session.notes.changed.connect(self._on_cursor_moved)
        session.target_changed.connect(self._on_target_changed)
        session.document_changed.connect(self._on_target_changed)
        self._span.changed.connect(self.refresh)
        self.references.changed.connect(self.refresh)
        theme().changed.connect(self._on_theme_changed)

    @Slot()
    def _on_target_changed(self) -> None:
        """Show the plots of another target, with y ranges that start small again."""
        target = self._session.target
        names = () if target is None else target.quantities
        if names and target is not None and not self._is_of(target):
            self._build(names)
        for row in self.rows.values():
            row.plot.start_y_anew()
        self._follow_clock()
        self._refresh_all()

    def _build(self, names: Sequence[str]) -> None:
        for row in self.rows.values():
            row.setParent(None)
            row.deleteLater()
        self.rows = {name: self._row(name) for name in names}
        self._wanted, self._maximised = None, ""
        for number, row in enumerate(self.rows.values()):
            self._rows_layout.insertWidget(number, row, 1)
        self.rebuilt.emit()

    @Slot()
    def advance(self) -> None:
        """Follow the present, unless the view is held."""
        target, hold = self._session.target, self._session.offer(HOLD)
        if target is not None and not (hold is not None and hold.is_held):
            self._span.advance(target.now_s, follows=not self._session.past.is_on)
            self.refresh()

    def _follow_clock(self) -> None:
        """Let time that is not simulated advance by itself."""
        target = self._session.target
        goes_on = target is not None and target.clock.epoch_s is not None and self.isVisible()
        self._second.start() if goes_on else self._second.stop()

    @Slot()
    def _refresh_all(self) -> None:
        self._is_stale = True
        self.refresh()

    @Slot()
    def _on_theme_changed(self) -> None:
        for row in self.rows.values():
            row.plot.follow_theme()
        self.update()

    @Slot()
    def _on_cursor_moved(self) -> None:
        if self.isVisible():
            self._show_cursor(with_values=True)

    def _choose(self) -> None:
        document, session = self._session.document, self._session
        if document is None:
            return
        self._is_stale = False
        drawn = drawn_nodes(
            document.tree, session.shown, leave_out_system=session.leave_out_system, most=self._max_curves
        )
        styles = self.values.choose(document.tree, drawn)
        dotted = {partner_of(node): CurveStyle(style.colour_token, _DOTS) for node, style in styles.items()}
        self._look = CurveAppearance(tuple((styles | dotted).items()))
        for row in self.rows.values():
            row.plot.show_names(self.names, self._span.exact)

    def _show_cursor(self, *, with_values: bool) -> None:
        cursor_s, rows = self._session.cursor_s, self._rows_in_sight()
        is_past = self._session.past.is_on
        self.axis.show_span((self._span.start_s, self._span.end_s), cursor_s)
        past = without_notes([one for one in self._session.events() if not one.is_planned])
        notes = note_marks(self._session.notes.notes)
        run = self._session.offer(RECORDED)
        gaps = () if run is None else run.source.gaps
        for number, row in enumerate(rows):
            events = tuple((one.time_s, "" if number else one.label) for one in past if one.time_s > 0)
            shown = tuple(replace(note, text="") for note in notes) if number else notes
            row.plot.show_overlay(Overlay(events, self._span.now_s, cursor_s, is_past, shown, gaps))
            row.plot.show_mark(self.mark.time_s)
        if with_values:
            self._pace.keep()
            self._show_values(cursor_s)

    def _show_values(self, cursor_s: float | None) -> None:
        target = self._session.target
        moment = (
            None if target is None or not self._is_of(target) else self.values.moment_at(target, cursor_s)
        )
        for row in self._rows_in_sight():
            values = {} if moment is None else self.values.of(moment, row.quantity)
            rings = {node: values[node] for node in self.drawn.nodes if node in values}
            row.plot.show_rings(rings if cursor_s is not None else {})
            row.values.say(*self.values.written(row, moment, values))

    @property
    def names(self) -> dict[int, str]:
        """Names of the curves, by node."""
        return self.values.names

    @Slot(float)
    def _on_panned(self, seconds: float) -> None:
        self._span.fix(self._span.start_s + seconds, self._span.end_s + seconds)

    @Slot()
    def _show_all(self) -> None:
        for row in self.rows.values():
            row.plot.start_y_anew()
        self.time_cursor.take_click_back()
        self._span.show_whole()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(900, 480)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow_clock()
        self._refresh_all()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._second.stop()
        self._is_stale = True
        self.time_cursor.leave()

    def leaveEvent(self, event: QEvent) -> None:
        # The cursor leaves with the pointer, unless it is pinned.
        super().leaveEvent(event)
        self.time_cursor.leave()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.set_low(low=self._is_low)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Esc first returns the cursor to the present, then removes the mark, then shows all plots.
        is_moved = self._session.cursor_s is not None or self._session.past.is_on
        if event.key() == Qt.Key.Key_Escape and is_moved:
            self.time_cursor.free()
            return
        if event.key() == Qt.Key.Key_Escape and self.mark.time_s is not None:
            self.mark.clear()
            return
        if event.key() == Qt.Key.Key_Escape and self._maximised:
            self.toggle_maximised()
            return
        super().keyPressEvent(event)
