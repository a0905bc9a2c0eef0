"""Two trees side by side: differences of each node, and of its share of the machine."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fsconsole.app.edit_words import field_words
from fsconsole.app.tree.dialect_columns import changed_keys
from fsconsole.policies.words import setting_label, setting_value
from fsconsole.shares.edits import FIELDS
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import without_carried
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text.csv_text import csv_of_rows
from fsconsole.text.numbers import PERCENT_OF_MACHINE_DIGITS, percent, points, thousands
from fsconsole.text.words import capitalised, count_words

ADDED, REMOVED, RENAMED, MOVED = "added", "removed", "renamed", "moved"
REORDERED, SHARES = "reordered", "shares"
_FIELD_NAMES = {
    "kind": "kind",
    "system": "system flag",
    "note": "note",
    "usage": "starting usage",
    "charge": "starting charge",
    "last_use_s": "last use",
    "foreign": "keys of its format",
}
_ENTITLED = "entitled share"
_LEAST = 5e-10  # Another order of summation changes a share of the machine by less than this.
_ARROW = "\N{RIGHTWARDS ARROW}"
TITLES = ("Node", "Difference", "Machine before", "Machine after", "Points")


@dataclass(frozen=True, slots=True)
class ComparedNode:
    """A node of one tree or of both.

    Attributes:
        node: its id in both trees.
        path: names from the root down, as they are after, or were before where it is gone.
        changes: what differs, such as "shares", with both values in words; empty where nothing does but its
            share of the machine.
        old, new: the node in each tree; None where it is not there.
        machine_before, machine_after: fractions of the machine; None where it is not there.
    """

    node: int
    path: str
    changes: tuple[tuple[str, str, str], ...]
    old: Node | None
    new: Node | None
    machine_before: float | None
    machine_after: float | None

    @property
    def difference(self) -> float:
        """Change of its share of the machine; a missing node counts as 0."""
        return (self.machine_after or 0.0) - (self.machine_before or 0.0)

    @property
    def is_entitled_otherwise(self) -> bool:
        """True if its share of the machine differs."""
        return abs(self.difference) > _LEAST

    @property
    def differs(self) -> bool:
        """True if a field or the entitlement differs."""
        return bool(self.changes) or self.is_entitled_otherwise

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of differences, without the values."""
        return tuple(what for what, _, _ in self.changes)

    @property
    def words(self) -> str:
        """Differences, as in "Shares 30 → 26"; empty without any."""
        parts = [_change_words(*change) for change in self.changes]
        words = ", ".join(parts) or (_ENTITLED if self.is_entitled_otherwise else "")
        return capitalised(words)

    @property
    def depth(self) -> int:
        """Number of groups above it."""
        return self.path.count("/")

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, one text for each of `TITLES`."""
        machine = (
            percent(one, PERCENT_OF_MACHINE_DIGITS) for one in (self.machine_before, self.machine_after)
        )
        return (self.path, self.words, *machine, points(self.difference, 3))

    def to_json(self) -> dict[str, Any]:
        """Return plain data, fractions in full."""
        return {
            "path": self.path,
            "changes": [
                {"what": what, "before": before, "after": after} for what, before, after in self.changes
            ],
            "shares_before": None if self.old is None else self.old.shares,
            "shares_after": None if self.new is None else self.new.shares,
            "machine_before": self.machine_before,
            "machine_after": self.machine_after,
        }


@dataclass(frozen=True, eq=False, slots=True)
class TreeComparison:
    """Two trees.

    Attributes:
        nodes: all nodes of both, in the order of the tree after; what is gone stands where it was.
    """

    nodes: tuple[ComparedNode, ...]

    def differences(self, *, edited_alone: bool = False) -> tuple[ComparedNode, ...]:
        """Return the nodes that differ, or those `edited_alone`: not in their share of the machine alone."""
        return tuple(node for node in self.nodes if (node.changes if edited_alone else node.differs))

    def summary(self, counted: Callable[[int, str, str], str] = count_words) -> str:
        """Describe how many nodes differ, and how; `counted` writes a count with its words."""
        count = Counter(_sort_of(node) for node in self.nodes if node.changes)
        parts = [f"{count[sort]} {sort}" for sort in (ADDED, REMOVED, "changed") if count[sort]]
        entitled = sum(node.is_entitled_otherwise for node in self.nodes)
        if not parts:
            return "The trees are equal."
        nodes = counted(entitled, "node has", "nodes have")
        return f"{', '.join(parts)}; {nodes} another entitled share."

    def csv(self) -> str:
        """Write the differences as CSV, all digits."""
        titles = ("node", "difference", "machine_before", "machine_after")
        rows = (
            (one.path, one.words, _full(one.machine_before), _full(one.machine_after))
            for one in self.differences()
        )
        return csv_of_rows([titles, *rows])


def compare_trees(
    before: ShareTree,
    after: ShareTree,
) -> TreeComparison:
    """Compare two trees whose same nodes have the same ids; `matched` gives them that."""
    old, new = _shares_in(before), _shares_in(after)
    paths_before, paths = before.paths(), after.paths()
    reordered = set(_reordered(before, after))
    found = []
    for node in _all_nodes(before, after):
        was = before.node(node) if node in before else None
        now = after.node(node) if node in after else None
        found.append(
            ComparedNode(
                node,
                paths[node] if now is not None else paths_before[node],
                tuple(_changes(before, after, was, now, is_reordered=node in reordered)),
                was,
                now,
                old.get(node),
                new.get(node),
            )
        )
    return TreeComparison(tuple(found))


def settings_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Describe the settings of policy and machine that differ, with old and new values."""
    return [
        f"{setting_label(key)} {setting_value(key, before[key])} {_ARROW} {setting_value(key, after[key])}"
        for key in before
        if key in after and before[key] != after[key]
    ]


def _shares_in(tree: ShareTree) -> dict[int, float]:
    flat = FlatTree.of(tree)
    return dict(zip(flat.ids.tolist(), flat.machine_share().tolist(), strict=True))


def _all_nodes(before: ShareTree, after: ShareTree) -> Iterator[int]:
    """Yield ids in the order of `after`; a removed node follows the sibling that it followed before."""
    stack = [after.root.id]
    while stack:
        node = stack.pop()
        yield node
        now = after.node(node).children if node in after else ()
        was = before.node(node).children if node in before else ()
        kept = set(now)
        gone: dict[int | None, list[int]] = {}
        at: int | None = None
        for child in was:
            if child in kept:
                at = child
            elif child not in after:
                gone.setdefault(at, []).append(child)
        children = [*gone.get(None, ())]
        for child in now:
            children += [child, *gone.get(child, ())]
        stack.extend(reversed(children))


def _changes(
    before: ShareTree, after: ShareTree, was: Node | None, now: Node | None, *, is_reordered: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield each difference, and both values in words."""
    if was is None or now is None:
        if now is not None:
            yield ADDED, "", _whole(now)
        elif was is not None:
            yield REMOVED, _whole(was), ""
        return
    if was is now:
        if is_reordered:
            yield REORDERED, _place(before, was), _place(after, now)
        return
    if was.name != now.name:
        yield RENAMED, was.name, now.name
    if was.parent != now.parent:
        yield MOVED, _group(before, was), _group(after, now)
    elif is_reordered:
        yield REORDERED, _place(before, was), _place(after, now)
    if was.shares != now.shares:
        yield SHARES, thousands(was.shares), thousands(now.shares)
    for name in (*FIELDS, "foreign"):
        values = _compared(was, name), _compared(now, name)
        if values[0] != values[1]:
            yield _FIELD_NAMES[name], *_words(name, *values)


def _compared(node: Node, name: str) -> object:
    """Return a field of a node, of foreign keys those that add to the tree."""
    value = getattr(node, name)
    return without_carried(value) if name == "foreign" else value


def _words(name: str, before: object, after: object) -> tuple[str, str]:
    if isinstance(before, dict) and isinstance(after, dict):
        return changed_keys(before, after)
    return field_words(name, before), field_words(name, after)


def _change_words(what: str, before: str, after: str) -> str:
    if what in (ADDED, REMOVED):
        return f"{what}: {before or after}"
    if what in (RENAMED, MOVED):
        return f"{what} from {before}"
    return f"{what} {before} {_ARROW} {after}"


def _whole(node: Node) -> str:
    return f"{node.kind} with {count_words(node.shares, 'share')}"


def _group(tree: ShareTree, node: Node) -> str:
    return "" if node.parent is None else tree.path(node.parent)


def _place(tree: ShareTree, node: Node) -> str:
    return f"place {tree.row(node.id) + 1}"


def _reordered(before: ShareTree, after: ShareTree) -> Iterator[int]:
    """Yield the fewest nodes that have another place among siblings that both trees have."""
    for group in after.walk():
        if group.id not in before:
            continue
        was = before.node(group.id).children
        if was == group.children:
            continue
        row = {child: at for at, child in enumerate(was)}
        both = [child for child in group.children if child in row]
        kept = _longest_rising([row[child] for child in both])
        yield from (child for at, child in enumerate(both) if at not in kept)


def _longest_rising(values: list[int]) -> set[int]:
    """Return the places of a longest rising part of distinct values."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for at, value in enumerate(values):
        length = bisect_left(tails, value)
        tails[length : length + 1] = [value]
        ends[length : length + 1] = [at]
        previous.append(ends[length - 1] if length else -1)
    found, at = set(), ends[-1] if ends else -1
    while at >= 0:
        found.add(at)
        at = previous[at]
    return found


def _sort_of(node: ComparedNode) -> str:
    return node.kinds[0] if node.kinds[0] in (ADDED, REMOVED) else "changed"


def _full(fraction: float | None) -> str:
    return "" if fraction is None else repr(fraction)
