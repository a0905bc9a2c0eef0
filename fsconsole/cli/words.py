"""Edits of a share tree in words."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import count_words


def in_words(before: ShareTree, edits: Sequence[Edit]) -> list[tuple[Edit, str]]:
    """Each edit with a line about it; paths are those at its moment."""
    work = before.copy()
    told = []
    for edit in edits:
        told.append((edit, _line(work, edit)))
        edit.apply(work)
    return told


def _line(tree: ShareTree, edit: Edit) -> str:
    if isinstance(edit, SetShares):
        return "; ".join(
            f"{tree.path(node)}: shares {tree.node(node).shares} -> {shares}" for node, shares in edit.shares
        )
    if isinstance(edit, Rename):
        return f"{tree.path(edit.node)}: renamed to {edit.name}"
    if isinstance(edit, SetField):
        value = getattr(tree.node(edit.node), edit.field)
        return f"{tree.path(edit.node)}: {edit.field} {_shown(value)} -> {_shown(edit.value)}"
    if isinstance(edit, Move):
        return f"{tree.path(edit.node)}: moved to place {edit.row + 1} of {tree.path(edit.parent)}"
    if isinstance(edit, Insert):
        top = edit.nodes[0]
        return f"{tree.path(edit.parent)}/{top.name}: new {top.kind} with {count_words(top.shares, 'share')}"
    if isinstance(edit, Remove):
        below = sum(1 for _ in tree.walk(edit.node)) - 1
        also = f" with the {below} below it" if below else ""
        return f"{tree.path(edit.node)}: removed{also}"
    msg = f"{edit!r} is not an edit"
    raise TypeError(msg)


def _shown(value: object) -> str:
    return "none" if value in (None, "") else str(value)
