"""The plots of a cluster under each other, their values beside them, one axis of clock times below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from fsconsole.console.cluster.observe.clock_range import ClockRange
from fsconsole.console.cluster.observe.events import events_of
from fsconsole.console.cluster.observe.plot_row import (
    ClockAxis,
    ClusterCursor,
    ClusterPlot,
    ClusterRow,
    partner_of,
)
from fsconsole.console.cluster.observe.quantities import NAMES, first_shown, quantity_of
from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.look.theme import theme
from fsconsole.console.observe.plots.drawn import Drawn, drawn_nodes
from fsconsole.console.observe.plots.plot import Look, Overlay
from fsconsole.console.observe.plots.value_column import ValueRow, arranged
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.slurm.history import ClusterHistory

_DOTS = (1.0, 3.0)
_REST_STYLE = CurveStyle("g3")
_SECOND_MS = 1000


class ClusterPlots(QWidget):
    """All plots of the session's curves; does nothing while it is hidden.

    Signals: menu_wanted(quantity name, global position).
    """

    menu_wanted = Signal(str, object)

    def __init__(
        self, session: ConsoleSession, watch: Watch, span: ClockRange, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._watch, self._span = session, watch, span
        self._drawn = Drawn()
        self._styles: dict[int, CurveStyle] = {}
        self._names: dict[int, str] = {}
        self._is_stale = True
        self.time_cursor = ClusterCursor(session, watch, span, self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Plots")
        self.rows: dict[str, ClusterRow] = {name: self._row(name) for name in NAMES}
        self.axis = ClockAxis(span, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for row in self.rows.values():
            layout.addWidget(row, 1)
        layout.addWidget(self.axis)
        self.show_quantities(first_shown(is_fair_tree=False))
        self._second = QTimer(self)
        self._second.setInterval(_SECOND_MS)
        self._second.timeout.connect(self._advance)
        self._listen()

    @property
    def drawn(self) -> Drawn:
        """Which nodes have a curve."""
        return self._drawn

    @property
    def plots(self) -> list[ClusterPlot]:
        """The plots that are not hidden, from the top."""
        return [row.plot for row in self.rows.values() if not row.isHidden()]

    def show_quantities(self, names: Iterable[str]) -> None:
        """Show these plots and hide the others."""
        wanted = set(names)
        for name, row in self.rows.items():
            row.setVisible(name in wanted)
        self.refresh()

    def set_low(self, *, low: bool) -> None:
        """Plots may be 60 px high where the window is low."""
        for row in self.rows.values():
            row.plot.setMinimumHeight(60 if low else 72)

    def move_cursor(self, step: int) -> None:
        """Move the cursor by one reading, from the present where it is not pinned."""
        times = self.time_cursor.times(0.0, float("inf"))
        if not len(times):
            return
        at = self._session.cursor_s
        place = len(times) - 1 if at is None else int(np.searchsorted(times, at, "left"))
        self.time_cursor.pin(float(times[min(max(place + step, 0), len(times) - 1)]))

    @Slot()
    def refresh(self) -> None:
        """Draw what is new; quick where nothing is."""
        history = self._watch.history
        if history is None or not self.isVisible():
            self._is_stale = True
            return
        if self._is_stale:
            self._choose()
        selected = frozenset(self._session.selection)
        look = Look(tuple(self._styles.items()), selected | {partner_of(node) for node in selected})
        span = (self._span.start_s, self._span.end_s)
        for row in self._rows_in_sight():
            row.plot.show_look(look)
            row.draw(history, self._drawn, span)
        self._show_cursor()

    # -- inside -------------------------------------------------------------------------------------------

    def _row(self, name: str) -> ClusterRow:
        row = ClusterRow(quantity_of(name), self)
        plot = row.plot
        plot.setToolTip(row.quantity.tip)
        plot.hovered.connect(self.time_cursor.hover)
        plot.clicked.connect(self.time_cursor.click)
        plot.panned.connect(self._panned)
        plot.zoomed.connect(self._span.zoom)
        plot.all_wanted.connect(self._show_all)
        plot.menu_wanted.connect(lambda place, name=name: self.menu_wanted.emit(name, place))
        return row

    def _rows_in_sight(self) -> list[ClusterRow]:
        return [row for row in self.rows.values() if not row.isHidden()]

    def _listen(self) -> None:
        session = self._session
        for signal in (
            session.shown_changed,
            session.selection_changed,
            session.edited,
            session.curves.changed,
        ):
            signal.connect(self._refresh_all)
        session.cursor_moved.connect(self._cursor_moved)
        self._watch.begun.connect(self._start_anew)
        self._watch.changed.connect(self._advance)
        self._span.changed.connect(self.refresh)
        theme().changed.connect(self._follow_theme)

    @Slot()
    def _advance(self) -> None:
        """The present goes on, also while nothing is read; not where what is shown is held."""
        source = self._watch.source
        if source is not None and not source.is_held:
            self._span.advance(self._watch.now_x)
        self.refresh()

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
            self._show_cursor()

    def _choose(self) -> None:
        document, session = self._session.document, self._session
        if document is None:
            return
        self._is_stale = False
        tree = document.tree
        self._drawn = drawn_nodes(tree, session.shown, leave_out_system=False)
        self._styles = {}
        for node in self._drawn.nodes:
            style = session.curves.style(node)
            self._styles[node] = style
            self._styles[partner_of(node)] = CurveStyle(style.colour_token, _DOTS)
        self._names = _told_apart(tree, self._drawn.nodes)

    def _show_cursor(self) -> None:
        cursor_s, history = self._session.cursor_s, self._watch.history
        if history is None:
            return
        self.axis.show_span((self._span.start_s, self._span.end_s), cursor_s)
        digest = self._watch.digest
        audit = () if digest is None else digest.state.audit
        events = events_of(audit, history.base_s, history.began_s)
        for number, row in enumerate(self._rows_in_sight()):
            said = tuple((at, "" if number else text) for at, text in events)
            row.plot.show_overlay(Overlay(said, self._span.now_s, cursor_s))
            self._show_values(row, history, cursor_s)

    def _show_values(self, row: ClusterRow, history: ClusterHistory, cursor_s: float | None) -> None:
        """At the cursor, else those of now; the mean of those that have no curve of their own."""
        quantity, at = row.quantity, self._span.now_s if cursor_s is None else cursor_s
        readings = history.readings(quantity.name)
        nodes = self._drawn.nodes
        values = dict(zip(nodes, readings.values_at(quantity.name, nodes, at).tolist(), strict=True))
        has_room = arranged(len(self._names) + bool(self._drawn.rest), row.values.height()).columns == 1
        is_beside = bool(quantity.partner) and has_room
        beside: dict[int, float] = {}
        if is_beside:
            partners = readings.values_at(quantity.partner, nodes, at).tolist()
            beside = dict(zip(nodes, partners, strict=True))
        rings = {node: values[node] for node in self._drawn.nodes}
        row.plot.show_rings(rings if cursor_s is not None else {})
        shown = [
            ValueRow(self._styles[node], name, quantity.text(values[node], beside.get(node)))
            for node, name in self._names.items()
        ]
        rest = self._drawn.rest
        if rest:
            of_rest = readings.values_at(quantity.name, rest, at)
            mean = float(np.nanmean(of_rest)) if not np.isnan(of_rest).all() else float("nan")
            shown.append(ValueRow(_REST_STYLE, f"rest ({len(rest)}), mean", quantity.text(mean)))
        row.values.say(quantity.unit, tuple(shown))

    @Slot(float)
    def _panned(self, seconds: float) -> None:
        self._span.fix(self._span.start_s + seconds, self._span.end_s + seconds)

    @Slot()
    def _show_all(self) -> None:
        for row in self.rows.values():
            row.plot.start_y_anew()
        self.time_cursor.take_click_back()
        self._span.show_whole()

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        """Wide and high."""
        return QSize(900, 480)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed."""
        super().showEvent(event)
        self._second.start()
        self._advance()
        self._refresh_all()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is drawn until it shows again."""
        super().hideEvent(event)
        self._second.stop()
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


def _told_apart(tree: ShareTree, nodes: Iterable[int]) -> dict[int, str]:
    """Names; a user who is drawn in several accounts has the account behind it."""
    names = {node: tree.node(node).name for node in nodes}
    count = Counter(names.values())
    return {
        node: name if count[name] == 1 else f"{name} ({_above(tree, node)})" for node, name in names.items()
    }


def _above(tree: ShareTree, node: int) -> str:
    return next((up.name for up in tree.ancestors(node)), "")
