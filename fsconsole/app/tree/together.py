"""Edits of several nodes at once: shares, kind, flag and note."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fsconsole.app.tree.share_entry import shares_edits
from fsconsole.shares.edits import MAX_SHARES, Edit, SetField, SetShares
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from fsconsole.text.numbers import short_percent, thousands
from fsconsole.text.words import count_words

ShareChange = Literal["keep", "set", "scale", "equal"]
NoteChange = Literal["keep", "replace", "append"]


@dataclass(frozen=True, slots=True)
class Changes:
    """Common changes of several nodes; a field that is None or `keep` stays.

    Attributes:
        shares: `set` to a number or a part, `scale` by a factor, or `equal`: each gets the mean of those of
            its group.
        amount: the number or the factor.
        part: of its group that each gets, in place of a number; None for a number.
        kind, system: what all become.
        note: whether the text replaces notes or follows them.
        text: of the note.
    """

    shares: ShareChange = "keep"
    amount: float = 1.0
    part: float | None = None
    kind: Kind | None = None
    system: bool | None = None
    note: NoteChange = "keep"
    text: str = ""


def members(tree: ShareTree, nodes: Iterable[int]) -> list[int]:
    """Return the nodes in the tree other than the root, which has neither shares nor kind."""
    return [node for node in dict.fromkeys(nodes) if node in tree and tree.node(node).parent is not None]


def new_shares(tree: ShareTree, nodes: Sequence[int], changes: Changes) -> dict[int, int]:
    """Return new shares of nodes, whole numbers; a node with shares keeps at least one unless 0 is wanted.

    Raises:
        TreeError: a number is out of range.
    """
    if changes.shares == "keep":
        return {}
    before = {node: tree.node(node).shares for node in nodes}
    if changes.shares == "equal":
        of_group: dict[int | None, list[int]] = defaultdict(list)
        for node in nodes:
            of_group[tree.node(node).parent].append(node)
        return {
            node: _whole(sum(before[one] for one in group) / len(group), has_some=any(map(before.get, group)))
            for group in of_group.values()
            for node in group
        }
    if changes.shares == "set" and changes.part is not None:
        return _parts(tree, nodes, changes.part)
    if changes.shares == "set":
        if changes.amount != int(changes.amount):
            msg = f"Shares are whole numbers, and {changes.amount:g} is not. Write 30 or 30 %."
            raise TreeError(msg)
        return {node: _whole(changes.amount, has_some=False) for node in nodes}
    is_kept = changes.amount > 0
    return {
        node: _whole(shares * changes.amount, has_some=is_kept and shares > 0)
        for node, shares in before.items()
    }


def _parts(tree: ShareTree, nodes: Sequence[int], part: float) -> dict[int, int]:
    """Return shares with which each node has a part of its group, what the others there have staying as it
    is.
    """
    chosen = set(nodes)
    made: dict[int, int] = {}
    for node in nodes:
        siblings = [one.id for one in tree.siblings(node)]
        count = sum(one in chosen for one in siblings)
        others = sum(tree.node(one).shares for one in siblings if one not in chosen)
        if count * part >= 1 or not others:
            group = tree.node(tree.node(node).parent or 0).name
            each = f"{count_words(count, 'node')} of {group} cannot have {short_percent(part)} each"
            why = "the other siblings have no shares" if count * part < 1 else "no share would be left"
            msg = f"{each}: {why}. Write a number of shares."
            raise TreeError(msg)
        made[node] = _whole(part * others / (1 - count * part), has_some=part > 0)
    return made


def edits_of(tree: ShareTree, nodes: Sequence[int], changes: Changes, *, takes_parents: bool) -> list[Edit]:
    """Return edits that change nodes together; none for nodes that have the value already.

    Raises:
        TreeError: a number is out of range.
    """
    pairs: list[tuple[int, int]] = []
    edits: list[Edit] = []
    for node, shares in new_shares(tree, nodes, changes).items():
        for edit in shares_edits(str(shares), tree, tree.node(node), takes_parents=takes_parents):
            if isinstance(edit, SetShares):
                pairs += edit.shares
            else:
                edits.append(edit)
    if pairs:
        edits.append(SetShares(tuple(pairs)))
    for member in map(tree.node, nodes):
        if changes.kind is not None and member.kind is not changes.kind:
            edits.append(SetField(member.id, "kind", changes.kind))
        if changes.system is not None and member.system is not changes.system:
            edits.append(SetField(member.id, "system", changes.system))
        note = _note(member.note, changes)
        if note != member.note:
            edits.append(SetField(member.id, "note", note))
    return edits


def _note(note: str, changes: Changes) -> str:
    if changes.note == "replace":
        return changes.text
    return " ".join(filter(None, (note, changes.text))) if changes.note == "append" else note


def _whole(shares: float, *, has_some: bool) -> int:
    found = max(int(shares + 0.5), 1 if has_some else 0)
    if not 0 <= shares <= MAX_SHARES:
        msg = f"{thousands(shares)} shares are too many. Write a number from 0 to {thousands(MAX_SHARES)}"
        raise TreeError(msg)
    return found
