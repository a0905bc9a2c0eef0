"""Differences between the edited tree and the cluster's, and which of them were made here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fsconsole.app.edit_words import touched
from fsconsole.shares.diff import diff
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import Node, ShareTree, TreeError, twin
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import ChangeSet, Entry, Verb
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import account_above, shares_of
from fsconsole.targets.external_changes import Field, OutsideChange, fields_of

_FEW, _TRIES = 200, 3


def differing(base: ShareTree, wanted: ShareTree) -> tuple[int, ...]:
    """Return nodes that are in only one tree, or that differ for Slurm: notes and order do not count.

    Trees that are copies of each other share their nodes, so that 50 000 of them are seen through at once.
    """
    found = []
    for node in wanted.walk():
        other = base.node(node.id) if node.id in base else None
        if other is None or (other is not node and _is_other(other, node)):
            found.append(node.id)
    if len(base) != len(wanted) or any(node not in base for node in found):
        found += [node.id for node in base.walk() if node.id not in wanted]
    return tuple(found)


def differing_after(
    base: ShareTree, wanted: ShareTree, before: tuple[int, ...], edits: Iterable[Edit]
) -> tuple[int, ...]:
    """Update `differing` after some edits of a tree; `before` is its value until then."""
    touched: dict[int, None] = {}
    for edit in edits:
        if isinstance(edit, Insert | Remove):
            return differing(base, wanted)
        touched |= dict.fromkeys(edit.touched())
    others = tuple(node for node in before if node not in touched)
    return others + tuple(
        node
        for node in touched
        if node in wanted and (node not in base or _is_other(base.node(node), wanted.node(node)))
    )


def staged_of(base: ShareTree, wanted: ShareTree, fields: Iterable[Field]) -> frozenset[Field]:
    """Return the fields in which the edited tree differs from the cluster's."""
    return frozenset(one for one in fields if one[0] is not None and _is_staged(base, wanted, one[0], one[1]))


def fields_met(base: ShareTree, wanted: ShareTree, edits: Iterable[Edit]) -> frozenset[Field]:
    """Return the limits, one by one, that are staged here and that edits of others concern too."""
    edits = tuple(edits)
    met = staged_of(base, wanted, fields_of(edits))
    foreign = {
        edit.node: edit.value for edit in edits if isinstance(edit, SetField) and edit.field == "foreign"
    }
    return frozenset(one for one in met if one[1] != "foreign" or _meet(base, wanted, one[0], foreign))


def beside_staged(base: ShareTree, wanted: ShareTree, edit: Edit) -> Edit:
    """Return an edit of limits by others as far as these are not staged here: those stay as they are
    staged.
    """
    if (
        not isinstance(edit, SetField)
        or edit.field != "foreign"
        or edit.node not in base
        or edit.node not in wanted
    ):
        return edit
    was, mine = base.node(edit.node).foreign, wanted.node(edit.node).foreign
    found = dict(edit.value)
    for key in limits.changed_keys(was, mine):
        found.pop(key, None)
        if key in mine:
            found[key] = mine[key]
    return SetField(edit.node, "foreign", found)


def _meet(base: ShareTree, wanted: ShareTree, node: int | None, foreign: Mapping[int, Any]) -> bool:
    """Return True if others gave a limit another value than is staged here, or the share `parent` differs."""
    if node is None or node not in foreign or node not in base or node not in wanted:
        return True
    was, mine, theirs = base.node(node), wanted.node(node), foreign[node]
    staged = limits.changed_keys(was.foreign, mine.foreign)
    if takes_parents_shares(was) is not takes_parents_shares(mine):
        return True
    return any(theirs.get(key) not in (was.foreign.get(key), mine.foreign.get(key)) for key in staged)


def reverting(base: ShareTree, wanted: ShareTree, node: int) -> list[Edit]:
    """Return edits that restore one node to its state in the cluster, with all below if added or removed."""
    if node not in base:
        return [Remove(node)] if node in wanted else []
    if node not in wanted:
        return _brought_back(base, wanted, node)
    was, now = base.node(node), wanted.node(node)
    edits: list[Edit] = []
    if was.parent is not None and was.parent != now.parent and was.parent in wanted:
        edits.append(Move(node, was.parent, min(base.row(node), len(wanted.node(was.parent).children))))
    if was.name != now.name:
        edits.append(Rename(node, was.name))
    if was.shares != now.shares:
        edits.append(SetShares.of(node, was.shares))
    if takes_parents_shares(was) is not takes_parents_shares(now) or _limits_differ(was, now):
        edits.append(SetField(node, "foreign", dict(was.foreign)))
    if was.kind is not now.kind:
        edits.append(SetField(node, "kind", was.kind))
    return edits


def reverting_all(base: ShareTree, wanted: ShareTree) -> list[Edit]:
    """Return edits that restore the whole tree to that of the cluster.

    If few nodes differ, restore only those.
    """
    work, edits = wanted.copy(), list[Edit]()
    nodes = differing(base, work)
    if len(nodes) > _FEW:
        return _by_comparing(base, wanted)
    try:
        for _ in range(_TRIES):
            for node in nodes:
                for edit in reverting(base, work, node):
                    edit.apply(work)
                    edits.append(edit)
            nodes = differing(base, work)
            if not nodes:
                return edits
    except TreeError:  # The names conflict with each other. The comparison of trees resolves that.
        pass
    return _by_comparing(base, wanted)


def _by_comparing(base: ShareTree, wanted: ShareTree) -> list[Edit]:
    """Return edits from one tree to the other; a comparison of trees ignores values of other formats."""
    both = ((node, wanted.node(node.id)) for node in base.walk() if node.id in wanted)
    parents = [
        SetField(was.id, "foreign", dict(was.foreign))
        for was, now in both
        if takes_parents_shares(was) is not takes_parents_shares(now) or _limits_differ(was, now)
    ]
    return [*diff(wanted, base), *parents]


def _is_other(one: Node, other: Node) -> bool:
    return (
        one.shares != other.shares
        or one.parent != other.parent
        or one.name != other.name
        or one.kind is not other.kind
        or takes_parents_shares(one) is not takes_parents_shares(other)
        or _limits_differ(one, other)
    )


def _limits_differ(one: Node, other: Node) -> bool:
    return one.foreign is not other.foreign and bool(limits.changed_keys(one.foreign, other.foreign))


def _is_staged(base: ShareTree, wanted: ShareTree, node: int, what: str) -> bool:
    if node not in base:
        return False
    if node not in wanted:
        return True
    was, now = base.node(node), wanted.node(node)
    if what == "*":
        return was is not now and _is_other(was, now)
    return bool(getattr(was, what) != getattr(now, what))


def _brought_back(base: ShareTree, wanted: ShareTree, node: int) -> list[Edit]:
    """Return the highest removed group above the node, with all of it: what was in a group goes with the
    group.
    """
    top = base.node(node)
    while top.parent is not None and top.parent not in wanted:
        top = base.node(top.parent)
    if top.parent is None:
        return []
    place = min(base.row(top.id), len(wanted.node(top.parent).children))
    nodes = [twin(one) for one in base.walk(top.id) if one.id not in wanted]
    back = {one.id for one in nodes}
    for one in nodes:
        one.children = [child for child in one.children if child in back]
    return [Insert(top.parent, place, tuple(nodes))]


class OwnChanges:
    """Stores the target state of each association after the newest change set that changed it."""

    def __init__(self) -> None:
        """Start without applied edits."""
        self._wanted: dict[Key, Entry | None] = {}

    def add(self, changes: ChangeSet) -> None:
        """Note a change set before its first command runs."""
        for change in changes.changes:
            will, known = change.will, self._wanted.get(change.key)
            # A change of shares or of the account is made without reading limits, for a roll back at least.
            if will is not None and known is not None and change.verb in (Verb.SET, Verb.MOVE):
                will = replace(will, limits=known.limits)
            self._wanted[change.key] = will

    def has_made(self, change: OutsideChange, before: ClusterTree, after: ClusterTree) -> bool:
        """Return True if all that a change is about is now as it was applied here."""
        return all(self._is_own(node, before, after) for node in touched(change.edits))

    def _is_own(self, node: int, before: ClusterTree, after: ClusterTree) -> bool:
        key = after.keys.get(node) or before.keys.get(node)
        if key is None or key not in self._wanted:
            return False
        asked, now, was = self._wanted[key], _entry(after, node), _entry(before, node)
        if asked is None or now is None:
            return asked is now
        return asked == now and (now.limits == asked.limits or (was is not None and now.limits == was.limits))


def _entry(tree: ClusterTree, node: int) -> Entry | None:
    """Return the stored entry of an association; None if it does not exist."""
    if node not in tree.keys:
        return None
    here = tree.shares.node(node)
    above = account_above(tree.shares, tree.keys, node)
    return Entry(above, shares_of(here), limits.of_foreign(here.foreign))
