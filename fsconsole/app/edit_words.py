"""Edits of a share tree in words: for undo, the list of changes, messages and `tree diff`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from fsconsole.app.tree.dialect_columns import changed_keys
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import count_words

_VERBS = {SetShares: "Set shares", Rename: "Rename", Insert: "Add", Remove: "Remove", Move: "Move"}


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of the undo stack in words.

    Attributes:
        verb: what was done, as in "Set shares".
        nodes: ids that it is about; `names` as they were called then.
        before, after: values in words.
        points: what it did to the machine share of each node, in percentage points.
        when: wall-clock time.
    """

    verb: str
    nodes: tuple[int, ...]
    names: tuple[str, ...]
    before: str
    after: str
    points: tuple[float, ...] = ()
    when: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def words(self) -> str:
        """Verb and object of the edits, as in "Set shares of 5 nodes" and "Rename of Army"."""
        if len(self.nodes) > 1:
            return f"{self.verb} of {count_words(len(self.nodes), 'node')}"
        return f"{self.verb} of {self.names[0]}" if self.nodes and self.names else self.verb


def touched(edits: Sequence[Edit]) -> tuple[int, ...]:
    """Return ids of all nodes that edits are about, each once, in order."""
    return tuple(dict.fromkeys(node for edit in edits for node in edit.touched()))


def verb_of(edits: Sequence[Edit]) -> str:
    """Return the verb of the edits, as in "Set shares"; "Edit" for several kinds."""
    verbs = {_VERBS.get(type(edit), "Edit") for edit in edits}
    return verbs.pop() if len(verbs) == 1 else "Edit"


def lines(before: ShareTree, edits: Sequence[Edit]) -> list[tuple[Edit, str]]:
    """Return each edit with a line about it; paths are those at its moment."""
    work = before.copy()
    found = []
    for edit in edits:
        found.append((edit, _line(work, edit)))
        edit.apply(work)
    return found


def words_before(tree: ShareTree, edits: Sequence[Edit]) -> str:
    """Return the state that the edits will change."""
    return ", ".join(filter(None, (_before(tree, edit) for edit in edits)))


def words_after(tree: ShareTree, edits: Sequence[Edit], inverses: Sequence[Edit] = ()) -> str:
    """Describe the result of the edits; their inverses show the foreign keys that differ now."""
    keys = {
        edit.node: edit.value for edit in inverses if isinstance(edit, SetField) and edit.field == "foreign"
    }
    words = [
        changed_keys(keys[edit.node], edit.value)[1]
        if isinstance(edit, SetField) and edit.field == "foreign" and edit.node in keys
        else _after(tree, edit)
        for edit in edits
    ]
    return ", ".join(filter(None, words))


def _line(tree: ShareTree, edit: Edit) -> str:
    match edit:
        case SetShares():
            return "; ".join(
                f"{tree.path(node)}: shares {tree.node(node).shares} -> {shares}"
                for node, shares in edit.shares
            )
        case Rename():
            return f"{tree.path(edit.node)}: renamed to {edit.name}"
        case SetField():
            return f"{tree.path(edit.node)}: {edit.field} {' -> '.join(_values(tree, edit))}"
        case Move():
            return f"{tree.path(edit.node)}: moved to position {edit.row + 1} of {tree.path(edit.parent)}"
        case Insert():
            top = edit.nodes[0]
            return f"{tree.path(edit.parent)}/{top.name}: new {top.kind} with {_after(tree, edit)}"
        case Remove():
            below = sum(1 for _ in tree.walk(edit.node)) - 1
            also = f" with the {below} below it" if below else ""
            return f"{tree.path(edit.node)}: removed{also}"
    msg = f"{edit!r} is not an edit"
    raise TypeError(msg)


def _before(tree: ShareTree, edit: Edit) -> str:
    match edit:
        case SetShares():
            return ", ".join(str(tree.node(node).shares) for node, _ in edit.shares)
        case Rename() | Remove():
            return tree.node(edit.node).name
        case Move():
            return _place(tree, edit.node)
        case SetField():
            return _values(tree, edit)[0]
    return ""


def _after(tree: ShareTree, edit: Edit) -> str:
    match edit:
        case SetShares():
            return ", ".join(str(shares) for _, shares in edit.shares)
        case Rename():
            return edit.name
        case Move():
            return _place(tree, edit.node)
        case Insert():
            shares = edit.nodes[0].shares
            return count_words(shares, "share")
        case SetField():
            return _values(tree, edit)[1]
    return ""


def _values(tree: ShareTree, edit: SetField) -> tuple[str, str]:
    """Return the value of a field before and after an edit; of foreign keys those that change."""
    before = getattr(tree.node(edit.node), edit.field)
    if edit.field == "foreign":
        return changed_keys(before, edit.value)
    return field_words(edit.field, before), field_words(edit.field, edit.value)


def _place(tree: ShareTree, node_id: int) -> str:
    parent = tree.node(node_id).parent
    if parent is None:
        return ""
    return f"{tree.node(parent).name}, place {tree.row(node_id) + 1}"


def field_words(name: str, value: object) -> str:
    """Return the value of a field of a node in words."""
    if name == "system":
        return "system group" if value else "no system group"
    return "–" if value in (None, "") else str(value)
