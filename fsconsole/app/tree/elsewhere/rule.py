"""Input and output of a rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.parent_shares import with_numbers
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import thousands
from fsconsole.text.words import listed

_DEFAULT_SIZE = 10_000
_A_LEAF = 20
_NAMED = 5


class CannotDivideError(ValueError):
    """A rule cannot divide a machine by the tree; the message gives the reason."""


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """Input of a rule: the tree, its demands and the size of the machine.

    Attributes:
        tree: nodes with the extras of their dialects.
        flat: its columns, with the shares that count.
        wanted: part of the machine each row can use at most, groups no more than what is below them.
        size: units of the machine, such as GPUs; None for what the tree or the rule says.
    """

    tree: ShareTree
    flat: FlatTree
    wanted: Floats
    size: int | None = None

    @property
    def units(self) -> int:
        """Units of a tree without its own: 10,000 or the given number, more for many leaves."""
        return self.size or max(_DEFAULT_SIZE, _A_LEAF * int(self.flat.is_leaf.sum()))

    def foreign(self, row: int, key: str) -> str:
        """Return the text of a foreign key of a row's node, empty where it has none."""
        return self.tree.node(int(self.flat.ids[row])).foreign.get(key, "")

    def children(self) -> list[list[int]]:
        """Return rows of the children of each row, in order."""
        found: list[list[int]] = [[] for _ in range(len(self.flat))]
        for row, parent in enumerate(self.flat.parent.tolist()):
            if parent >= 0:
                found[parent].append(row)
        return found


@dataclass(frozen=True, eq=False, slots=True)
class Division:
    """Result of a rule.

    Attributes:
        parts: part of the machine per row; a group has the sum of what is below it.
        why: what decided, by row, in a few words.
        notes: what the result rests on that the tree does not say, one sentence each.
    """

    parts: Floats
    why: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule by which one scheduler divides a machine.

    Attributes:
        name: what the command line calls it.
        title: what a table or list calls it.
        divide: demands to parts of the machine; CannotDivideError where the tree cannot be used.
        source: document or source file that the rule is from.
        ours: what its documents leave open, and what is taken here.
    """

    name: str
    title: str
    divide: Callable[[Asked], Division]
    source: str
    ours: str


def by_numbers(rule: Rule) -> Rule:
    """Return a rule with a note on the numbers of nodes with their account's share in Slurm."""

    def divide(asked: Asked) -> Division:
        tree, taken = with_numbers(asked.tree)
        if not taken:
            return rule.divide(asked)
        found = rule.divide(replace(asked, tree=tree))
        named = listed(
            [f"{tree.node(node).name} {thousands(tree.node(node).shares)}" for node in taken], _NAMED
        )
        note = (
            f"Only Slurm has Fairshare=parent. Here it is the mean of its siblings' shares (ours): {named}."
        )
        return replace(found, notes=(*found.notes, note))

    return replace(rule, divide=divide)


def leaves_summed(flat: FlatTree, parts: Floats) -> Floats:
    """Return parts of leaves, and in rows of groups the sums of their leaves, [rows]."""
    return flat.group_sum(np.where(flat.is_leaf, parts, 0.0))
