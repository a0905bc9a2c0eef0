"""Names and values of the curves, at the cursor and at the mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from fsconsole.console.live.plots.mark import TimeMark
from fsconsole.console.live.plots.plot_curves import Drawn
from fsconsole.console.live.plots.plot_row import PlotRow
from fsconsole.console.live.plots.value_column import ValueRow, arranged, value_rows
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import grown_px
from fsconsole.figures.quantities import Quantity, quantity_named
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import Moment, Target, column_of
from fsconsole.text import numbers

_REST = -1
_REST_STYLE = CurveStyle("g3")
_TICK_S = 0.1  # Longer than a tick of every machine in the papers.


class CurveValues:
    """Which nodes have a curve, how the curves are named, and their values at an instant."""

    def __init__(self, session: ConsoleSession, mark: TimeMark) -> None:
        self._session, self._mark = session, mark
        self._named: dict[int, tuple[str, CurveStyle]] = {}
        self.drawn = Drawn()

    def choose(self, tree: ShareTree, drawn: Drawn) -> dict[int, CurveStyle]:
        """Name the curves of these nodes, and return their styles by node."""
        self.drawn = drawn
        styles = {node: self._session.curves.style(node) for node in drawn.nodes}
        names = _distinct_names(tree, drawn.nodes)
        self._named = {node: (names[node], style) for node, style in styles.items()}
        if drawn.rest:
            self._named[_REST] = (f"rest ({len(drawn.rest)}), mean", _REST_STYLE)
        return styles

    @property
    def names(self) -> dict[int, str]:
        """Names of the curves, by node."""
        return {node: name for node, (name, _) in self._named.items() if node != _REST}

    def column(self, quantity: Quantity) -> str:
        """Return the column of the target that a plot of this quantity shows."""
        target = self._session.target
        if target is None:
            return quantity.name
        return column_of(target, quantity.name, leave_out_system=self._session.leave_out_system)

    def moment_at(self, target: Target, cursor_s: float | None) -> Moment | None:
        """Return the instant at the cursor; below the pointer, what is stored until the target is there."""
        moment = self._session.moment
        is_there = cursor_s is None or (moment is not None and moment.time_s == cursor_s)
        if not is_there and moment is not None and cursor_s == self._session.past.time_s:
            is_there = abs(moment.time_s - (cursor_s or 0.0)) < _TICK_S  # The machine stops at whole ticks.
        return moment if is_there else target.at(cursor_s)

    def at_cursor(self, names: Iterable[str]) -> tuple[float, dict[str, dict[int, float]]] | None:
        """Return the time at the cursor, and the values then by quantity and node; None without any."""
        target, cursor_s = self._session.target, self._session.cursor_s
        moment = None if target is None else self.moment_at(target, cursor_s)
        return None if moment is None else self._by_quantity(moment, names)

    def at_mark(self, names: Iterable[str]) -> tuple[float, dict[str, dict[int, float]]] | None:
        """Return the time of the mark, and the values there by quantity and node; None without a mark."""
        return None if self._mark.moment is None else self._by_quantity(self._mark.moment, names)

    def _by_quantity(self, moment: Moment, names: Iterable[str]) -> tuple[float, dict[str, dict[int, float]]]:
        return moment.time_s, {name: self.of(moment, quantity_named(name)) for name in names}

    def of(self, moment: Moment, quantity: Quantity) -> dict[int, float]:
        """Return the values of a quantity by node, with the mean of the nodes without a curve."""
        nodes, rest = self.drawn.nodes, self.drawn.rest
        column = self.column(quantity)
        values = dict(zip(nodes, moment.values(column, nodes).tolist(), strict=True))
        if rest:
            of_rest = moment.values(column, rest)
            values[_REST] = float("nan") if np.isnan(of_rest).all() else float(np.nanmean(of_rest))
        return values

    def written(
        self, row: PlotRow, moment: Moment | None, values: Mapping[int, float]
    ) -> tuple[str, tuple[ValueRow, ...]]:
        """Return the unit of a plot and the rows of text beside it; with a mark, the change since then."""
        quantity, nodes = row.quantity, self.drawn.nodes
        at_mark = None if self._mark.moment is None else self.of(self._mark.moment, quantity)
        target, session = self._session.target, self._session
        left_out = session.leave_out_system and target is not None and quantity.name in target.rescaled
        if quantity.digits is None:
            known = [value for value in values.values() if np.isfinite(value)]
            top = max(known, default=0.0) if row.plot.is_log else row.plot.y_limits[1]
            unit, rows = value_rows(quantity, self._named, values, top, at_mark)
            return row.unit_words(unit, left_out=left_out), rows
        beside: dict[int, float] = {}
        has_room = arranged(len(self._named), row.values.height(), grown_px()).columns == 1
        if quantity.partner and has_room and moment is not None:
            beside = dict(zip(nodes, moment.values(quantity.partner, nodes).tolist(), strict=True))
        nothing = float("nan")
        found = []
        for node, (name, style) in self._named.items():
            value = values.get(node, nothing)
            text, brief = quantity.text(value, beside.get(node) if at_mark is None else None), ""
            if at_mark is not None:
                change = (value - at_mark.get(node, nothing)) * quantity.axis.scale
                brief = numbers.signed(change, quantity.digits)
                text = f"{text} ({brief})"
            found.append(ValueRow(style, name, text, brief))
        return row.unit_words(quantity.unit, left_out=left_out), tuple(found)


def _distinct_names(tree: ShareTree, nodes: Iterable[int]) -> dict[int, str]:
    """Name the nodes; a user who is drawn in several accounts has the account after it."""
    names = {node: tree.node(node).name for node in nodes}
    count = Counter(names.values())
    return {
        node: name if count[name] == 1 else f"{name} ({_above(tree, node)})" for node, name in names.items()
    }


def _above(tree: ShareTree, node: int) -> str:
    return next((up.name for up in tree.ancestors(node)), "")
