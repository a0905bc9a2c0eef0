"""Lines of the readouts: what shares being typed or dragged will do, and who pays."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.console.design.columns import Column, title_of
from fsconsole.console.design.preview import Figures
from fsconsole.console.widgets.readout import ReadoutLine
from fsconsole.figures.map_geometry import SNAP_FRACTION
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text import numbers
from fsconsole.text.words import count_words, listed, more_label, plural

TYPING_HINT = (
    "Type 15, 15 % of the group, or = for an equal share. Shares are whole numbers. "
    "Enter keeps the value, Esc reverts it."
)
CLUSTER_HINT = (
    "Type 15, 15 % of the account, = for an equal share, or parent. Shares are whole numbers. "
    "Enter keeps the value, Esc reverts it."
)
_MOST_LINES = 4
_MOST_NAMES = 3


def typed_title(tree: ShareTree, node: Node, shares: int) -> str:
    """Return a title such as `DoD Other: 10 -> 15 shares of 105 = 14.286 % of DoD`."""
    total = sum(sibling.shares for sibling in tree.siblings(node.id)) - node.shares + shares
    new = numbers.thousands(shares)
    if shares != node.shares:
        new = f"{numbers.thousands(node.shares)} \N{RIGHTWARDS ARROW} {new}"
    title = plural(
        shares,
        f"{node.name}: {new} share of {numbers.thousands(total)}",
        f"{node.name}: {new} shares of {numbers.thousands(total)}",
    )
    if node.parent is None or not total:
        return title
    return f"{title} = {numbers.short_percent(shares / total)} of {tree.node(node.parent).name}"


def parents_title(tree: ShareTree, node: Node) -> str:
    """Return a title such as `ocean: the share of science, by parent`."""
    account = tree.node(node.parent).name if node.parent is not None else ""
    return f"{node.name}: the shares of {account} by parent"


def typed_lines(
    tree: ShareTree, node: Node, before: Figures, after: Figures, *, of_cluster: bool = False
) -> list[ReadoutLine]:
    """Return the node's part of the machine, and that of its siblings; equal ones share a line."""
    title = title_of(Column.PART_OF_MACHINE, of_cluster=of_cluster)
    lines = [_line(title, before.machine_share(node.id), after.machine_share(node.id))]
    others: dict[tuple[str, str], list[str]] = {}
    for sibling in tree.siblings(node.id):
        if sibling.id != node.id:
            figures = _percent(before.machine_share(sibling.id)), _percent(after.machine_share(sibling.id))
            others.setdefault(figures, []).append(sibling.name)
    for figures, names in list(others.items())[:_MOST_LINES]:
        lines.append(ReadoutLine(_who(names, alone=len(others) == 1), *figures))
    return lines + [ReadoutLine(text) for text in more_label(len(others) - _MOST_LINES)]


def dragged_line(node: Node, shares: int, after: Figures, colour_token: str) -> ReadoutLine:
    """Return a line such as `Army  30 -> 26 shares, 16.575 %`."""
    machine = _percent(after.machine_share(node.id))
    return ReadoutLine(
        node.name,
        numbers.thousands(node.shares),
        f"{count_words(shares, 'share')}   {machine}",
        colour_token,
    )


def dragging_hint(machine_per_share: float) -> str:
    """Shift is named where its steps are wider than one share."""
    if machine_per_share < SNAP_FRACTION:
        return "Shift: steps of 0.1 %. Esc reverts."
    return f"Whole shares, {_percent(machine_per_share)} of the machine each. Esc reverts."


def _who(names: Sequence[str], *, alone: bool) -> str:
    if alone and len(names) > 1:
        return "Each other sibling"
    return f"{listed(names, _MOST_NAMES - 1)}{', each' if len(names) > _MOST_NAMES else ''}"


def _line(label: str, before: float, after: float) -> ReadoutLine:
    return ReadoutLine(label, _percent(before), _percent(after))


def _percent(fraction: float) -> str:
    return numbers.percent(fraction, numbers.PERCENT_OF_MACHINE_DIGITS)
