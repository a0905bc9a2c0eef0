"""Effect of a move on the moved nodes and their old siblings, in numbers and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.app.tree.rearrange import Place, moves_to, tops
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text import numbers
from fsconsole.text.words import first_of, listed

_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """Words for the label of a drag.

    Attributes:
        title: moved nodes and their origin.
        effect: destination and future part of the machine.
        others: future parts of the former siblings; empty without changes.
    """

    title: str
    effect: str
    others: str = ""


class Regrouped:
    """Parts of the machine as they would be with nodes in another group; O(depth x siblings)."""

    def __init__(self, tree: ShareTree, nodes: Sequence[int], parent: int) -> None:
        self._tree = tree
        self._moved = set(nodes)
        self._parent = parent

    def machine_share(self, node_id: int) -> float:
        """Return the part of the machine of a node."""
        share = 1.0
        node = self._tree.node(node_id)
        while node.parent is not None:
            above = self._parent if node.id in self._moved else node.parent
            total = self._sum_of_children(above)
            share *= node.shares / total if total else 0.0
            node = self._tree.node(above)
        return share

    def _sum_of_children(self, group: int) -> int:
        stay = sum(child.shares for child in self._tree.children(group) if child.id not in self._moved)
        come = sum(self._tree.node(node).shares for node in self._moved) if group == self._parent else 0
        return stay + come


def effect_of_move(tree: ShareTree, nodes: Sequence[int], place: Place) -> MoveEffect:
    """Return words for a move.

    Raises:
        TreeError: the move is impossible; the message gives the reason.
    """
    moves_to(tree, nodes, place)
    chosen = [tree.node(node) for node in tops(tree, nodes)]
    target = tree.node(place.parent)
    if all(node.parent == place.parent for node in chosen):
        return MoveEffect(
            _title(tree, chosen), f"Another position in {target.name}. Shares of machine do not change"
        )
    now, then = Regrouped(tree, [], -1), Regrouped(tree, [node.id for node in chosen], place.parent)
    before = sum(now.machine_share(node.id) for node in chosen)
    after = sum(then.machine_share(node.id) for node in chosen)
    effect = (
        f"Drop into {target.name}: entitled share {_percent(before)} \N{RIGHTWARDS ARROW} {_percent(after)}"
    )
    return MoveEffect(_title(tree, chosen), effect, _others(tree, chosen, now, then))


def _title(tree: ShareTree, nodes: Sequence[Node]) -> str:
    what = nodes[0].name if len(nodes) == 1 else f"{len(nodes)} nodes"
    groups = {tree.node(node.parent).name for node in nodes if node.parent is not None}
    return f"{what} from {groups.pop()}" if len(groups) == 1 else what


def _others(tree: ShareTree, moved: Sequence[Node], now: Regrouped, then: Regrouped) -> str:
    """Return lines for the old siblings; those with the same figures share a line."""
    gone = {node.id for node in moved}
    left = {node.parent for node in moved if node.parent is not None}
    lines: dict[str, list[str]] = {}
    for sibling in (child for group in left for child in tree.children(group) if child.id not in gone):
        before, after = now.machine_share(sibling.id), then.machine_share(sibling.id)
        if _percent(before) != _percent(after):
            lines.setdefault(_change(before, after), []).append(sibling.name)
    texts = [_line(names, figures) for figures, names in lines.items()]
    return "\n".join(first_of(texts, _MOST_NAMES))


def _line(names: Sequence[str], figures: str) -> str:
    return f"{listed(names, _MOST_NAMES)}: {figures}" + (" each" if len(names) > 1 else "")


def _change(before: float, after: float) -> str:
    return f"{_percent(before)} \N{RIGHTWARDS ARROW} {_percent(after)}"


def _percent(fraction: float) -> str:
    return numbers.percent(fraction, numbers.PERCENT_OF_MACHINE_DIGITS)
