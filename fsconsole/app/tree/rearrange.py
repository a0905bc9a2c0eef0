"""Edits of selected nodes at a person's request: add, remove, duplicate, move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fsconsole.shares.edits import Edit, Insert, Move, Remove, copies
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError


class Place(NamedTuple):
    """New place of nodes: before child `row` of a group, counted before the move."""

    parent: int
    row: int


def tops(tree: ShareTree, nodes: Iterable[int]) -> list[int]:
    """Return the nodes that are not below another of them and not the root, in tree order."""
    wanted = {node for node in nodes if node in tree and tree.node(node).parent is not None}
    above = {up.id for node in wanted for up in tree.ancestors(node)}
    found, stack = [], [tree.root.id]
    while stack:
        node = stack.pop()
        if node in wanted:
            found.append(node)
        elif node in above:
            stack.extend(reversed(tree.node(node).children))
    return found


def place_beside(tree: ShareTree, node_id: int) -> Place:
    """Return the place at the end of a group, or after a user among its siblings."""
    node = tree.node(node_id)
    if node.is_group or node.parent is None:
        return Place(node_id, len(node.children))
    return Place(node.parent, tree.row(node_id) + 1)


def free_name(tree: ShareTree, parent: int, wanted: str, taken: Iterable[str] = ()) -> str:
    """Return the name itself, or with the first number that makes it the only one among the children."""
    names = {child.name for child in tree.children(parent)} | set(taken)
    if wanted not in names:
        return wanted
    number = 2
    while f"{wanted} {number}" in names:
        number += 1
    return f"{wanted} {number}"


def add(tree: ShareTree, beside: int, kind: Kind) -> Insert:
    """Return a new node with one share in a group, or after a user; among accounts a user is an account."""
    place = place_beside(tree, beside)
    kind = _kind_there(tree, place.parent) if kind is Kind.USER else kind
    name = free_name(tree, place.parent, f"new {kind}")
    return Insert(place.parent, place.row, (Node(tree.new_id(), name, 1, kind),))


def _kind_there(tree: ShareTree, group: int) -> Kind:
    kinds = {child.kind for child in tree.children(group)} - {Kind.GROUP}
    return Kind.ACCOUNT if kinds == {Kind.ACCOUNT} else Kind.USER


def remove(tree: ShareTree, nodes: Iterable[int]) -> list[Edit]:
    """Take nodes with all below them out."""
    return [Remove(node) for node in tops(tree, nodes)]


def duplicate(tree: ShareTree, nodes: Iterable[int]) -> list[Insert]:
    """Return copies of nodes with all below them, each after its original."""
    made: list[Insert] = []
    taken: dict[int, list[str]] = {}
    for node_id in reversed(tops(tree, nodes)):
        node = tree.node(node_id)
        parent = node.parent or 0
        name = free_name(tree, parent, f"{node.name} copy", taken.get(parent, ()))
        taken.setdefault(parent, []).append(name)
        made.append(Insert(parent, tree.row(node_id) + 1, copies(tree, tree, node_id, name)))
    return made


def moves_to(tree: ShareTree, nodes: Iterable[int], place: Place) -> list[Move]:
    """Return moves that bring nodes, in their order, to a place; TreeError with the reason if they cannot."""
    chosen = tops(tree, nodes)
    for node in chosen:
        tree.check_place(tree.node(node).name, place.parent, 0, moving=node)
    _check_names(tree, chosen)
    order = list(tree.node(place.parent).children)
    anchor = next((child for child in order[place.row :] if child not in chosen), None)
    moves = []
    for node in chosen:
        if node in order:
            order.remove(node)
        row = len(order) if anchor is None else order.index(anchor)
        moves.append(Move(node, place.parent, row))
        order.insert(row, node)
    if order == tree.node(place.parent).children:
        return []
    return moves


def _check_names(tree: ShareTree, nodes: Sequence[int]) -> None:
    names = [tree.node(node).name for node in nodes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"two selected nodes have the name {twice}, but names in a group are unique"
        raise TreeError(msg)


def step(tree: ShareTree, nodes: Iterable[int], by: int) -> list[Move]:
    """Move nodes of one group up (-1) or down (+1) among their siblings; nothing at the end."""
    chosen = tops(tree, nodes)
    if not chosen:
        return []
    parent = _common_parent(tree, chosen)
    rows = [tree.row(node) for node in chosen]
    row = min(rows) - 1 if by < 0 else max(rows) + 2
    if not 0 <= row <= len(tree.node(parent).children):
        return []
    return moves_to(tree, chosen, Place(parent, row))


def step_out(tree: ShareTree, nodes: Iterable[int]) -> list[Move]:
    """Move nodes out of their group, to the place after it; nothing at the top."""
    chosen = tops(tree, nodes)
    if not chosen:
        return []
    group = tree.node(_common_parent(tree, chosen))
    if group.parent is None:
        return []
    return moves_to(tree, chosen, Place(group.parent, tree.row(group.id) + 1))


def step_in(tree: ShareTree, nodes: Iterable[int]) -> list[Move]:
    """Move nodes to the end of the group above them; nothing without such a group."""
    chosen = tops(tree, nodes)
    if not chosen:
        return []
    siblings = tree.node(_common_parent(tree, chosen)).children
    row = siblings.index(chosen[0]) - 1
    above = tree.node(siblings[row]) if row >= 0 else None
    if above is None or not above.is_group:
        return []
    return moves_to(tree, chosen, Place(above.id, len(above.children)))


def _common_parent(tree: ShareTree, nodes: Sequence[int]) -> int:
    parents = {tree.node(node).parent for node in nodes}
    if len(parents) > 1:
        msg = "the selected nodes are in several groups. To move nodes together, select them in one group"
        raise TreeError(msg)
    return parents.pop() or 0
