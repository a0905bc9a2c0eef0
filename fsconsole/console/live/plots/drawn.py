"""Which nodes have a curve. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fsconsole.shares.flat import Floats
from fsconsole.shares.tree import ShareTree

MAX_CURVES = 16


class Curves(Protocol):
    """What curves are drawn of: a target, or its values with those that are drawn beside them."""

    def revision(self, quantity: str) -> int:
        """It grows with every value of a quantity."""
        ...

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Times (k,) and values (n, k) between two times."""
        ...

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Times, smallest and largest values over all nodes."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """Nodes with a curve of their own, and those that make up the band "rest"."""

    nodes: tuple[int, ...] = ()
    rest: tuple[int, ...] = ()


def drawn_nodes(
    tree: ShareTree, shown: Sequence[int], *, leave_out_system: bool, most: int = MAX_CURVES
) -> Drawn:
    """The nodes to draw of those that are shown: system nodes not while they are left out."""
    there = [node for node in shown if node in tree]
    if leave_out_system:
        there = [node for node in there if not tree.is_system(node)]
    return Drawn(tuple(there[:most]), tuple(there[most:]))


class WithPartner:
    """Curves of a quantity and, for nodes as `partner_of` says them, of the one drawn in dots beside it."""

    def __init__(self, target: Curves, partner: str) -> None:
        self.target, self._partner = target, partner

    def revision(self, quantity: str) -> int:
        """Of the quantity; its partner is read with it."""
        return self.target.revision(quantity)

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]:
        """Times and values."""
        own = [node for node in nodes if node >= 0]
        times, values = self.target.curves(quantity, own, start_s, end_s, points)
        dotted = [partner_of(node) for node in nodes if node < 0]
        if dotted:
            more = self.target.curves(self._partner, dotted, start_s, end_s, points)[1]
            values = np.concatenate([values, more])
        return times, values

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Smallest and largest values."""
        return self.target.band(quantity, nodes, start_s, end_s, points)


def partner_of(node: int) -> int:
    """The id by which a plot knows a node's dotted curve, and the other way round."""
    return ~node
