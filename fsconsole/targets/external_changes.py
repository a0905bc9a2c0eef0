"""Changes of tree and settings that somebody made on the machine itself, and not in the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fsconsole.shares.edits import Edit, Rename, SetField, SetShares

# (node id, what of it): `*` is the whole node; a setting has no node and its key.
Field = tuple[int | None, str]


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """What one command changed.

    Attributes:
        who: who gave the command; `line` is the command.
        edits: what it did to the tree, in order.
        settings: settings that it put in force, by dotted key.
        after: how many actions had been submitted to the target and answered before it.
        over: nodes of which it changed what had been submitted and was not in force yet.
    """

    who: str
    line: str
    edits: tuple[Edit, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    after: int = 0
    over: tuple[int, ...] = ()


def fields_of(edits: Iterable[Edit], settings: Iterable[str] = ()) -> frozenset[Field]:
    """Return what edits and settings are about."""
    return frozenset(one for edit in edits for one in _fields(edit)) | {(None, key) for key in settings}


def meets(one: Field, others: Iterable[Field]) -> bool:
    """Return whether one of the others is about the same."""
    node, what = one
    return any(node == other and ("*" in (what, part) or what == part) for other, part in others)


def without(edits: Iterable[Edit], taken: frozenset[Field]) -> tuple[Edit, ...]:
    """Return the edits as far as they are about nothing of what is taken."""
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
