"""Changes of tree and settings that were made on the machine itself, and not in the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fsconsole.shares.edits import Edit, Rename, SetField, SetShares

# It is a node id and a field of it: `*` is the whole node; a setting has no node, and its key as the field.
Field = tuple[int | None, str]


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """Changes made by one command.

    Attributes:
        who: user who gave the command; `line` is the command.
        edits: edits of the tree, in order.
        settings: changed settings, by dotted key.
        after: number of the target's actions that had been answered before the command.
        over: nodes with submitted edits, not yet in force, that the command overwrote.
    """

    who: str
    line: str
    edits: tuple[Edit, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    after: int = 0
    over: tuple[int, ...] = ()


def fields_of(edits: Iterable[Edit], settings: Iterable[str] = ()) -> frozenset[Field]:
    """Return the fields that edits and settings change."""
    return frozenset(one for edit in edits for one in _fields(edit)) | {(None, key) for key in settings}


def meets(one: Field, others: Iterable[Field]) -> bool:
    """Return True if another field is the same, or covers the same node."""
    node, what = one
    return any(node == other and ("*" in (what, part) or what == part) for other, part in others)


def without(edits: Iterable[Edit], taken: frozenset[Field]) -> tuple[Edit, ...]:
    """Return the edits without the parts that change a field in `taken`."""
    return tuple(left for edit in edits if (left := _left(edit, taken)) is not None)


def _left(edit: Edit, taken: frozenset[Field]) -> Edit | None:
    if isinstance(edit, SetShares):
        pairs = tuple(pair for pair in edit.shares if not meets((pair[0], "shares"), taken))
        return SetShares(pairs) if pairs else None
    return None if any(meets(one, taken) for one in _fields(edit)) else edit


def _fields(edit: Edit) -> list[Field]:
    match edit:
        case SetShares():
            return [(node, "shares") for node, _ in edit.shares]
        case Rename():
            return [(edit.node, "name")]
        case SetField():
            return [(edit.node, edit.field)]
    return [(node, "*") for node in edit.touched()]
