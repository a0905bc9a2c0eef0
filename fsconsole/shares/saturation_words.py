"""Sentences on unused entitlements and their receivers, and on differences from reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsconsole.shares.flat import FlatTree, Ints
from fsconsole.shares.saturation import NOBODY, Split, flows
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import percent
from fsconsole.text.words import listed

# Smaller differences, in parts of the machine, are not reported.
_SMALLEST_SHOWN = 0.0005
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Left:
    """Surplus of one node.

    Attributes:
        giver: id of the node.
        entitled, amount: entitlement and surplus, as parts of the machine.
        takers: ids and parts of the receivers, the largest first.
        unused: part that remains unused.
    """

    giver: int
    entitled: float
    amount: float
    takers: tuple[tuple[int, float], ...]
    unused: float


def lefts(flat: FlatTree, result: Split, rows: Sequence[int] | Ints) -> list[Left]:
    """Return notable surpluses among rows that make the tree, [rows], the largest first."""
    by_giver: dict[int, list[tuple[int, float]]] = {}
    for flow in flows(flat, result, rows):
        by_giver.setdefault(flow.giver, []).append((flow.taker, flow.amount))
    found = []
    for giver, parts in by_giver.items():
        takers = tuple((int(flat.ids[row]), amount) for row, amount in parts if row != NOBODY)
        amount = sum(part for _, part in parts)
        unused = sum(part for row, part in parts if row == NOBODY)
        found.append(Left(int(flat.ids[giver]), float(result.entitled[giver]), amount, takers, unused))
    return sorted((left for left in found if left.amount >= _SMALLEST_SHOWN), key=lambda left: -left.amount)


def left_sentence(tree: ShareTree, left: Left) -> str:
    """Describe the rest: `Army cannot use its 19.1 %: it leaves 14.9 points to Navy R&D and Air Force.`"""
    name, amount = tree.node(left.giver).name, f"{percent(left.amount, unit=False)} points"
    start = f"{name} cannot use its {percent(left.entitled)} and leaves {amount}"
    takers = [taker for taker, part in left.takers if part >= _SMALLEST_SHOWN]
    if not takers:
        return f"{start}, which no other node wants."
    who = listed([tree.node(taker).name for taker in takers], _MOST_NAMES)
    if left.unused < _SMALLEST_SHOWN:
        return f"{start} to {who}."
    return (
        f"{start}, of which {percent(left.amount - left.unused, unit=False)} go to {who}; no node "
        "wants the rest."
    )


def measured_sentence(tree: ShareTree, differences: Mapping[int, float]) -> str:
    """Describe differences by node id: `Navy R&D got 5.83 points less and Air Force 5.83 more than this.`

    Differences are parts of the machine, measured less computed; the largest are named, those below 0.05
    points left out. Empty where there is none.
    """
    worth = [(node, value) for node, value in differences.items() if abs(value) >= _SMALLEST_SHOWN]
    worth.sort(key=lambda pair: (-round(abs(pair[1]), 4), pair[1]))
    if not worth:
        return ""
    parts = []
    for place, (node, value) in enumerate(worth[:2]):
        verb, unit = (" got", " points") if place == 0 else ("", "")
        side = "more" if value > 0 else "less"
        parts.append(f"{tree.node(node).name}{verb} {percent(abs(value), 2, unit=False)}{unit} {side}")
    return f"{listed(parts)} than this."
