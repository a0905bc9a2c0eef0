"""Values of nodes in the dialect of another scheduler: their columns, meanings and edits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fsconsole.app.tree.limit_columns import limit_edits, limit_of, own_value, value_from_above
from fsconsole.shares.edits import Edit, SetField
from fsconsole.shares.foreign import WEIGHT
from fsconsole.shares.formats import dialects_of
from fsconsole.shares.formats.base import Column, Meaning
from fsconsole.shares.formats.weights import weight_edits, written_weights
from fsconsole.shares.tree import Node, ShareTree, TreeError
from fsconsole.slurm.limits import key_words
from fsconsole.text.words import listed

_MOST = 12
_LONGEST = 40


def shown_columns(tree: ShareTree) -> tuple[Column, ...]:
    """Return the columns of its dialects that a tree has values of, a dozen at most."""
    return tuple(column for column in form_columns(tree) if _occurs(tree, column))[:_MOST]


def form_columns(tree: ShareTree) -> tuple[Column, ...]:
    """Return all columns of a tree's dialects; one for many keys appears for each key that occurs."""
    found: list[Column] = []
    for form in dialects_of(tree):
        for column in form.columns:
            if not column.key.endswith("*"):
                found.append(column)
                continue
            keys = sorted(key for key in tree.derived(_keys) if key.startswith(column.key[:-1]))
            found += [replace(column, key=key, title=key.partition(".")[2]) for key in keys]
    return tuple(found)


def _occurs(tree: ShareTree, column: Column) -> bool:
    return column.key in tree.derived(_keys)


def _keys(tree: ShareTree) -> frozenset[str]:
    return frozenset(key for node in tree.walk() for key in node.foreign)


def value_of(tree: ShareTree, node: Node, column: Column) -> str:
    """Return the value of a node in a column; a weight as it would be written."""
    if (found := limit_of(column)) is not None:
        return own_value(node, *found)
    if not _is_weight(column) or node.parent is None:
        return node.foreign.get(column.key, "")
    weights = tree.derived(_weights).setdefault(column.key, {})
    if node.id not in weights:
        weights |= written_weights(tree.siblings(node.id), _dialect(column), column.default)
    return weights[node.id]


def _weights(_: ShareTree) -> dict[str, dict[int, str]]:
    """Return weights by key and node, filled as they are asked for."""
    return {}


def words_about(column: Column) -> str:
    """Return the description of a column, for its tooltip."""
    if (found := limit_of(column)) is not None:
        return f"Slurm: {found[0].meaning}. Empty: no limit of its own"
    unit = f", {column.unit}" if column.unit else ""
    return f"{_dialect(column)}: {column.meaning}{unit}"


def takes(node: Node, column: Column) -> bool:
    """Return True if a node can have a value in a column: the root has only the values of its file."""
    return node.parent is not None or column.key in node.foreign or limit_of(column) is not None


def unsaid(tree: ShareTree, node: Node, column: Column) -> str:
    """Return the value that applies where a node has nothing in a column, for its empty field."""
    if (found := limit_of(column)) is not None:
        return value_from_above(tree, node, *found)
    return column.default if column.meaning is Meaning.WEIGHT else ""


def edits_for(tree: ShareTree, node: Node, column: Column, text: str) -> list[Edit]:
    """Return edits that give a node a value, none where it has it.

    Raises:
        TreeError: the value is wrong; the message names a valid one.
    """
    text = text.strip()
    if text == value_of(tree, node, column):
        return []
    if fault := column.check(text):
        raise TreeError(fault)
    if (found := limit_of(column)) is not None:
        return limit_edits(node, *found, text)
    if _is_weight(column):
        try:
            return weight_edits(tree, node, text, _dialect(column), column.default)
        except ValueError as error:
            raise TreeError(f"{error}.") from None
    foreign = {key: value for key, value in node.foreign.items() if key != column.key or text}
    return [SetField(node.id, "foreign", foreign | ({column.key: text} if text else {}))]


def changed_keys(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, str]:
    """Return the foreign keys that differ, as they were and as they are, in words."""
    differing = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return _key_words(before, differing), _key_words(after, differing)


def _key_words(values: Mapping[str, str], keys: list[str]) -> str:
    texts = [key_words(key, values[key]) or f"{key}={_short(values[key])}" for key in keys if key in values]
    return listed(texts, 3) or "–"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _is_weight(column: Column) -> bool:
    return column.key == f"{_dialect(column)}.{WEIGHT}"


def _dialect(column: Column) -> str:
    return column.key.partition(".")[0]
