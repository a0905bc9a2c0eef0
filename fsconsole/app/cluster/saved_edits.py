"""Staged edits in stored form: by Slurm's names, never by node ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsconsole.app.cluster.tree_diff import differing
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.foreign import takes_parents_shares, with_parents_shares
from fsconsole.shares.stored_format import StoredFormat
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError
from fsconsole.slurm import limits
from fsconsole.slurm.cluster_tree import ClusterTree, Key

FORMAT = StoredFormat("fsconsole staged edits", "staged edits", was_bare=True)
_WITH_KEY = frozenset({"do", "key"})
_KEYS = {
    "add": frozenset({"do", "above", "name", "kind", "shares", "parent", "limits"}),
    "remove": _WITH_KEY,
    "move": _WITH_KEY | {"above"},
    **{field: _WITH_KEY | {field} for field in ("name", "shares", "limits")},
    "parent": _WITH_KEY | {"on"},
}


@dataclass(frozen=True, slots=True)
class SavedEdits:
    """Edits staged for a cluster and never applied.

    Attributes:
        when: the newest edit.
        rows: what is to be so, one row each: `shares`, `name`, `add`, `move`, `remove`, `parent`, `limits`.
    """

    when: datetime
    rows: tuple[Mapping[str, Any], ...]


def rows_of(base: ClusterTree, wanted: ShareTree) -> list[dict[str, Any]]:
    """Return the differences of the edited tree from the cluster's, as rows that mean the same in a
    later reading.
    """
    rows: list[dict[str, Any]] = []
    for node in differing(base.shares, wanted):
        if node not in base.shares:
            new = wanted.node(node)
            row = ({"do": "add", "above": _account(base, wanted, new.parent), "name": new.name}
                   | {"kind": str(new.kind), "shares": new.shares}
                   | {"parent": takes_parents_shares(new)}
                   | {"limits": limits.of_foreign(new.foreign)})  # fmt: skip
            rows.append(row)
            if row["limits"]:
                # Programs until 25 November 2026 stage `add` without limits, but report this row.
                rows.append({"do": "limits", "key": _key_of_new(row), "limits": row["limits"]})
        elif node not in wanted:
            above = base.shares.node(node).parent
            if above is None or above in wanted:  # Otherwise it is removed together with its parent.
                rows.append({"do": "remove", "key": list(base.keys[node])})
        else:
            rows += _changed(base, wanted, node)
    return rows


def stored(rows: Sequence[Mapping[str, Any]], when: datetime) -> dict[str, Any]:
    """Return rows as the contents of a file."""
    return {**FORMAT.header(), "when": when.isoformat(), "rows": list(rows)}


def read_stored(found: Mapping[str, Any]) -> SavedEdits:
    """Return the edits in the contents of a file.

    Raises:
        ValueError: a row has a key that this program does not know: it would be staged in part.
    """
    for row in found["rows"]:
        if unknown := sorted(row.keys() - _KEYS.get(row["do"], frozenset())):
            msg = f"unknown {', '.join(unknown)} in an edit {row['do']!r:.40}"
            raise ValueError(msg)
    new = {str(_key_of_new(row)) for row in found["rows"] if row["do"] == "add"}
    rows = (row for row in found["rows"] if row["do"] != "limits" or str(row.get("key")) not in new)
    return SavedEdits(datetime.fromisoformat(found["when"]).astimezone(), tuple(rows))


def edits_of(kept: SavedEdits, base: ClusterTree, tree: ShareTree) -> tuple[list[Edit], int]:
    """Return edits that stage it again, and how many rows make no sense any more; the tree stays as it is."""
    work = tree.copy()
    by_key = {key: node for node, key in base.keys.items()}
    edits: list[Edit] = []
    left, count = list(kept.rows), len(kept.rows) + 1
    while left and len(left) < count:  # Another row may have to be applied before a name is free.
        count = len(left)
        left = [row for row in left if not _do(row, by_key, work, edits)]
    return edits, len(left)


def _changed(base: ClusterTree, wanted: ShareTree, node: int) -> list[dict[str, Any]]:
    was, now = base.shares.node(node), wanted.node(node)
    key = list(base.keys[node])
    rows: list[dict[str, Any]] = []
    if was.parent != now.parent:
        rows.append({"do": "move", "key": key, "above": _account(base, wanted, now.parent)})
    if was.name != now.name:
        rows.append({"do": "name", "key": key, "name": now.name})
    if takes_parents_shares(was) is not takes_parents_shares(now):
        rows.append({"do": "parent", "key": key, "on": takes_parents_shares(now)})
    if was.shares != now.shares:
        rows.append({"do": "shares", "key": key, "shares": now.shares})
    if changed := limits.changed_keys(was.foreign, now.foreign):
        rows.append(
            {"do": "limits", "key": key, "limits": {one: now.foreign.get(one, "") for one in changed}}
        )
    return rows


def _key_of_new(row: Mapping[str, Any]) -> list[Any]:
    """Return the key of a node as a row `add` has it."""
    name = row.get("name")
    return [name, "", ""] if row.get("kind") == Kind.GROUP else [row.get("above"), name, ""]


def _account(base: ClusterTree, wanted: ShareTree, node: int | None) -> str:
    """Return Slurm's name of the account that a node is: accounts have their names once in a cluster."""
    if node is None:
        return ""
    return base.keys[node][0] if node in base.keys else wanted.node(node).name


def _do(row: Mapping[str, Any], by_key: dict[Key, int], work: ShareTree, edits: list[Edit]) -> bool:
    """Apply the edit of a row and note it; return True if that was possible."""
    try:
        edit = _edit_of(row, by_key, work)
        edit.apply(work)
    except (KeyError, TypeError, ValueError):  # A TreeError is a ValueError.
        return False
    edits.append(edit)
    return True


def _edit_of(row: Mapping[str, Any], by_key: dict[Key, int], tree: ShareTree) -> Edit:
    """Return the present edit of a stored row.

    Raises:
        KeyError: an object is missing; damaged rows raise other errors.
    """
    if row["do"] == "add":
        above = _node_of_account(str(row["above"]), by_key, tree)
        kind, shares = Kind(row["kind"]), int(row["shares"])
        new = Node(tree.new_id(), str(row["name"]), shares, kind)
        new.foreign = with_parents_shares(new.foreign, on=bool(row.get("parent")))
        new.foreign = _with_limits(new.foreign, row.get("limits", {}))
        if kind is Kind.GROUP:
            by_key[(new.name, "", "")] = new.id
        return Insert(above, len(tree.node(above).children), (new,))
    account, user, partition = row["key"]
    node = by_key[(account, user, partition)]
    if node not in tree:
        raise KeyError(node)
    match row["do"]:
        case "shares":
            return SetShares.of(node, int(row["shares"]))
        case "parent":
            foreign = with_parents_shares(tree.node(node).foreign, on=bool(row["on"]))
            return SetField(node, "foreign", foreign)
        case "limits":
            return SetField(node, "foreign", _with_limits(tree.node(node).foreign, row["limits"]))
        case "name":
            return Rename(node, str(row["name"]))
        case "move":
            above = _node_of_account(str(row["above"]), by_key, tree)
            return Move(node, above, len(tree.node(above).children))
        case "remove":
            return Remove(node)
    msg = f"unknown edit {row['do']!r}"
    raise TreeError(msg)


def _with_limits(foreign: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    known = {str(key): str(value) for key, value in stored.items() if limits.is_key(str(key))}
    left = {key: value for key, value in foreign.items() if key not in known}
    return left | {key: value for key, value in known.items() if value}


def _node_of_account(account: str, by_key: Mapping[Key, int], tree: ShareTree) -> int:
    node = by_key[(account, "", "")]
    if node not in tree:
        raise KeyError(node)
    return node
