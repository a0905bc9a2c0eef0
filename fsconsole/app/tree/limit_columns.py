"""Limits of Slurm's associations and QOS as columns of a tree: own and inherited values of nodes."""

from __future__ import annotations

from functools import cache, partial

from fsconsole.shares.edits import Edit, SetField
from fsconsole.shares.formats.base import Column, Meaning
from fsconsole.shares.tree import Node, ShareTree, TreeError
from fsconsole.slurm import limits
from fsconsole.slurm.cluster_tree import CLUSTER_KEY
from fsconsole.slurm.limits import Limit


def limit_columns(tree: ShareTree, qos: str = "", tres: frozenset[str] = frozenset()) -> tuple[Column, ...]:
    """Return limits that associations of a tree can have of their own, or a QOS; none where these are not
    known.

    `tres` are those that the cluster counts, where that is known: others are refused.
    """
    foreign = tree.root.foreign
    if qos:
        return tuple(_column(one, qos, tres) for one in limits.QOS)
    if CLUSTER_KEY not in foreign or limits.NOT_READ in foreign:
        return ()
    return tuple(_column(one, "", tres) for one in limits.ASSOCIATION)


def qos_names(tree: ShareTree) -> tuple[str, ...]:
    """Return the QOS whose limits are kept at the root of a tree."""
    return tuple(name for name in tree.root.foreign.get(limits.QOS_NAMES, "").split(",") if name)


def limit_of(column: Column) -> tuple[Limit, str] | None:
    """Return the limit that a column is, and the QOS that has it, empty for associations; None for other
    columns.
    """
    return limits.limit_of_key(column.key)


def own_value(node: Node, limit: Limit, qos: str = "") -> str:
    """Return a node's own limit as people read it; empty where it has none."""
    own = limits.qos_of_foreign(node.foreign).get(qos, {}) if qos else limits.of_foreign(node.foreign)
    kept = own.get(limit.name, "")
    return limits.shown(limit, limits.printed(limit, kept)) if kept else ""


def value_from_above(tree: ShareTree, node: Node, limit: Limit, qos: str = "") -> str:
    """Return the value that applies where a node has none itself, and the account it is from; empty for no
    bound.
    """
    if qos or node.parent is None or not limit.comes_down:
        return f"{limit.default} by default" if limit.default else ""
    above = tree.node(node.parent)
    value, source = own_value(above, limit), above.name
    while not value and above.parent is not None:
        above = tree.node(above.parent)
        value, source = own_value(above, limit), above.name
    return f"{value} from {source}" if value else ""


def limit_edits(node: Node, limit: Limit, qos: str, text: str) -> list[Edit]:
    """Return edits that give a node a limit, or clear it.

    Raises:
        TreeError: the value is wrong; the message names a valid one.
    """
    try:
        kept = limits.typed(limit, text)
    except ValueError as error:
        raise TreeError(f"{error}.") from None
    foreign = limits.with_limit(node.foreign, limit, kept, qos)
    return [SetField(node.id, "foreign", foreign)] if foreign != node.foreign else []


@cache
def _column(limit: Limit, qos: str, tres: frozenset[str]) -> Column:
    key = limits.qos_key(qos, limit) if qos else limit.name
    meaning = Meaning.PRIORITY if limit.name == "Priority" else Meaning.LIMIT
    return Column(key, limit.label, meaning, check=partial(_check, limit, tres), default=limit.default)


def _check(limit: Limit, tres: frozenset[str], text: str) -> str:
    try:
        limits.typed(limit, text, tres)
    except ValueError as error:
        return f"{error}."
    return ""
