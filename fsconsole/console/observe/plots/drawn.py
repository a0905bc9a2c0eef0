"""Which nodes have a curve. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.targets.snapshot import Snapshot

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


def users_with_work(scenario: Scenario, tree: ShareTree, snapshot: Snapshot | None) -> tuple[int, ...]:
    """Leaves with a process now or from the start, those of system groups left out, in tree order."""
    working = {load.node for load in scenario.workloads}
    working |= {getattr(event.action, "node", ROOT_ID) for event in scenario.events}
    if snapshot is not None:
        working |= {row.node for row in snapshot.processes}
    return tuple(
        node.id
        for node in tree.walk()
        if node.id in working and not node.is_group and not tree.is_system(node.id)
    )
