"""Result of demands on a tree, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule
from fsconsole.figures.style.curves import groups_above_colours
from fsconsole.shares.flat import FlatTree, Floats, Ints
from fsconsole.shares.saturation import SATURATED, Flow, Split, flows, frontier, split, with_stated
from fsconsole.shares.saturation_words import left_sentence, lefts, measured_sentence
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import listed

_WIDEST = 60
_MOST_NODES = 100
_ALL = 1 - 1e-9
_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class Outlook:
    """The machine divided by demands.

    Attributes:
        tree, flat: the tree, and its columns with the shares that are shown.
        stated: demands that were given, by node id, inf for saturated.
        measured: parts of the machine that nodes had, per row; NaN where that is not known.
        result: who gets what.
        widest: groups with more members are not opened for a demand below them.
        rule, division: another scheduler's rule, and what it gave for the same demands.
    """

    tree: ShareTree
    flat: FlatTree
    stated: Mapping[int, float]
    measured: Floats
    result: Split
    widest: float = _WIDEST
    rule: Rule | None = None
    division: Division | None = None

    @classmethod
    def of(
        cls,
        tree: ShareTree,
        flat: FlatTree,
        column: Floats,
        stated: Mapping[int, float],
        measured: Floats,
        *,
        widest: float = _WIDEST,
    ) -> Outlook:
        """Divide the machine by demands, as fractions of it.

        Args:
            tree: the tree.
            flat: its columns.
            column: demand of each row, [rows]; infinite where it is saturated.
            stated: demands by node id that replace those of `column`.
            measured: part of the machine that each row has now, [rows]; NaN where nothing was measured.
            widest: groups with more children stay closed.
        """
        known = {node: demand for node, demand in stated.items() if node in flat.row_of}
        return cls(tree, flat, known, measured, split(flat, with_stated(flat, column, known)), widest)

    def asked(self, size: int | None = None) -> Asked:
        """Return the demands that another rule divides the machine by; `size` is its units."""
        return Asked(self.tree, self.flat, self.result.demand, size)

    def under(self, rule: Rule, division: Division) -> Outlook:
        """Return an outlook of these demands with the result of another rule."""
        return replace(self, rule=rule, division=division)

    @property
    def parts(self) -> Floats:
        """Part of the machine of each row, [rows], by the other rule or, without one, by the demands."""
        return self.result.what_if if self.division is None else self.division.parts

    def why(self, row: int) -> str:
        """Return the reason of a row's part by the other rule; empty without one."""
        return "" if self.division is None else self.division.why.get(row, "")

    def demand(self, row: int) -> float:
        """Return a row's stated demand, or saturated, or the largest demand below it."""
        stated = self.stated.get(int(self.flat.ids[row]))
        if stated is not None:
            return stated
        demand = float(self.result.demand[row])
        return SATURATED if demand > _ALL else demand

    @cached_property
    def rows(self) -> Ints:
        """Rows to show, int64 [shown]: down to where colours begin, and wherever a demand was stated."""
        flat = self.flat
        opened = [flat.row_of[node] for node in groups_above_colours(self.tree) if node in flat.row_of]
        parents = {int(flat.parent[flat.row_of[node]]) for node in self.stated}
        parents |= (
            set(flat.parent[np.flatnonzero(~np.isnan(self.measured))].tolist()) if self.stated else set()
        )
        counts = np.bincount(flat.parent[1:], minlength=len(flat))
        return frontier(flat, opened + [row for row in parents if row >= 0 and counts[row] <= self.widest])

    @property
    def is_small(self) -> bool:
        """True if a table can have all nodes."""
        return len(self.flat) <= _MOST_NODES

    @property
    def table_rows(self) -> list[int]:
        """Rows of a table of all rules: all but the root, or of a large tree those that matter."""
        rows: list[int] = self.rows.tolist()
        return list(range(1, len(self.flat))) if self.is_small else rows

    def label(self, row: int) -> str:
        """Return the name of a row in such a table, indented if all nodes are in it."""
        node = self.tree.node(int(self.flat.ids[row]))
        return "  " * (self.tree.depth(node.id) - 1) * self.is_small + node.name

    @cached_property
    def flows(self) -> list[Flow]:
        """Surplus that passes between the displayed rows."""
        return flows(self.flat, self.result, self.rows)

    @property
    def stated_anything(self) -> bool:
        """True if any node asks for less than the whole machine."""
        return bool(np.any(self.result.demand < _ALL))

    @property
    def differs(self) -> bool:
        """True if nodes may get something else than their entitlement."""
        return self.stated_anything or self.division is not None

    @property
    def surplus(self) -> float:
        """Part of the machine that is handed on, or that no node wants."""
        return sum(flow.amount for flow in self.flows)

    @property
    def has_measured(self) -> bool:
        """True if any of the shown rows has a measured value."""
        return bool(np.any(~np.isnan(self.measured[self.rows])))

    def difference(self, row: int) -> float:
        """Return measured less computed part of the row; NaN without a measured value."""
        return float(self.measured[row] - self.result.what_if[row])

    def unused_fraction(self, row: int) -> float:
        """Return the unused fraction of a row's entitlement, 0 .. 1."""
        if len(self.tree) == 1:
            return 0.0  # The tree has no leaf that can use anything.
        entitled = float(self.result.entitled[row])
        return max(entitled - float(self.parts[row]), 0.0) / entitled if entitled > 0 else 0.0

    @cached_property
    def all_left(self) -> list[str]:
        """Sentences on all nodes that leave something, the largest first."""
        return [left_sentence(self.tree, left) for left in lefts(self.flat, self.result, self.rows)]

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences on the largest surplus and its receivers, and on differences from measured values."""
        texts = self.all_left[:1]
        differences = {
            int(self.flat.ids[row]): self.difference(row)
            for row in self.rows.tolist()
            if self.result.wants_more(row) and not np.isnan(self.measured[row])
        }
        texts += filter(None, [measured_sentence(self.tree, differences)])
        if len(self.tree) == 1:
            return ["The tree has no users. Add one to see its entitlement."]
        if self.division is not None:
            return [*texts, self._other_rule]
        return texts or ["All nodes can use their entitlement."]

    @property
    def _other_rule(self) -> str:
        """`Kueue gives Army 3.2 points more than Share, and Navy R&D 3.2 less.`"""
        if self.rule is None or self.division is None:
            return ""
        differences = self.division.parts - self.result.what_if
        found = sorted(self.rows.tolist(), key=lambda row: -abs(float(differences[row])))
        words: list[str] = []
        for row in found[:_MOST_NAMED]:
            points = round(100 * float(differences[row]), 1)
            if points:
                unit = "" if words else " points"
                name = self.tree.node(int(self.flat.ids[row])).name
                words.append(f"{name} {abs(points):.1f}{unit} {'more' if points > 0 else 'less'}")
        if not words:
            return f"{self.rule.title} gives all nodes the same as Share, within 0.05 points."
        return f"Compared with Share, {self.rule.title} gives {listed(words)}."
