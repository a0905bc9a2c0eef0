"""A figure of one quantity of some nodes of a share tree, colours and events included. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.figures.quantities import SHARE_QUANTITIES, recorded_quantity
from fsconsole.figures.spec import Curve, EventMark, Expected, FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.policies.words import words_of
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree


@dataclass(frozen=True, eq=False, slots=True)
class NodeSeries:
    """A recorded quantity: times [k] in s and values [k] by node id, NaN while a node was absent."""

    quantity: str
    times: Floats
    values: Mapping[int, Floats]

    def without_system(self, tree: ShareTree) -> NodeSeries:
        """Return shares rescaled so that all leaves outside system groups sum to 1.

        Other quantities keep their values. System nodes are left out. NaN while a node was absent.
        """
        flat = FlatTree.of(tree)
        others = {int(node): row for row, node in enumerate(flat.ids) if not flat.is_system[row]}
        if self.quantity not in SHARE_QUANTITIES:
            return NodeSeries(
                self.quantity, self.times, {n: v for n, v in self.values.items() if n in others}
            )
        kept = np.full((len(flat) + 1, len(self.times)), np.nan)
        for node, row in others.items():
            if flat.is_leaf[row] and node in self.values:
                kept[row + 1] = self.values[node]
        present, running = np.cumsum(~np.isnan(kept), axis=0), np.cumsum(np.nan_to_num(kept), axis=0)
        total = running[-1]
        values = {}
        for node, row in others.items():
            part = np.where(present[flat.end[row]] > present[row], 0.0, np.nan)
            is_there = (total > 0) & ~np.isnan(part)
            values[node] = np.divide(running[flat.end[row]] - running[row], total, out=part, where=is_there)
        return NodeSeries(self.quantity, self.times, values)


def figure_of(
    tree: ShareTree,
    series: NodeSeries,
    nodes: Iterable[int],
    *,
    name: str,
    title: str = "",
    caption: str = "",
    leave_out_system: bool = False,
    events: Sequence[EventMark] = (),
    expected: Sequence[Expected] = (),
    provenance: Provenance | None = None,
    styles: Mapping[int, CurveStyle] | None = None,
) -> FigureSpec:
    """Return a figure with curves of nodes.

    `styles` are the nodes' styles of this session; without them the tree determines them.
    """
    quantity = recorded_quantity(series.quantity)
    shown = series.without_system(tree) if leave_out_system else series
    styles = assign_curves(tree, styles)
    # A rate covers a past window, which does not exist yet at 0.
    rate = series.quantity == "cpu_rate" and len(series.times) > 1 and series.times[0] == 0
    curves = []
    for node in nodes:
        if node not in shown.values:
            continue
        style = styles[node]
        label, values = tree.node(node).name, shown.values[node]
        path = tree.path(node)
        curves.append(Curve(label, shown.times, values, style.colour_token, style.dash, path))
    return FigureSpec(
        name=name,
        title=title or quantity.title,
        y_axis=quantity.axis,
        curves=tuple(curves),
        caption=caption or ("Without system groups." if leave_out_system else ""),
        quantity=series.quantity,
        drawn_from=float(series.times[1]) if rate else None,
        events=tuple(events),
        expected=tuple(expected),
        provenance=provenance or Provenance(),
    )


def plotted_nodes(scenario: Scenario) -> tuple[int, ...]:
    """Return the nodes that a scenario plots; by default all leaves outside system groups."""
    tree = scenario.tree
    if scenario.plot.nodes:
        return scenario.plot.nodes
    return tuple(node.id for node in tree.walk() if not node.is_group and not tree.is_system(node.id))


def event_marks(scenario: Scenario) -> tuple[EventMark, ...]:
    """Return the scenario's events as marks; only the first of several at one time."""
    marks: dict[float, EventMark] = {}
    for event in scenario.events:
        text = words_of(event.action, scenario.tree)
        if text and event.at_s not in marks:
            marks[event.at_s] = EventMark(event.at_s, text)
    return tuple(marks[at] for at in sorted(marks))
