"""The nodes of a run folder as a tree."""

from __future__ import annotations

from collections.abc import Mapping

from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import DIARY
from fsconsole.shares.foreign import means_parent
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree


def tree_of(run: RunReader, ids: Mapping[int, int] | None = None) -> ShareTree:
    """Return all nodes of a run as a tree of names, kinds and system marks.

    Shares of a diary are those of its last reading, 0 for nodes that are gone, or for all without a reading;
    in other runs all are 1.

    Args:
        run: the folder.
        ids: other ids of its nodes, including the root's; of several nodes with one id the first is taken.
    """
    nodes: dict[int, Node] = {}
    usual = 0 if run.kind == DIARY else 1
    for row in run.nodes():
        parent = row.get("parent")
        if ids is not None:
            row, parent = row | {"id": ids[row["id"]]}, ids.get(row.get("parent", -1))
        name = str(row["path"]).rpartition("/")[2]
        kind = Kind(row["kind"]) if row.get("kind") in list(Kind) else Kind.USER
        system = bool(row.get("system"))
        node = Node(row["id"], name, kind=kind, system=system, parent=parent)
        shares = row.get("shares", usual)
        node.shares = shares if isinstance(shares, int) and shares >= 0 else 0
        if means_parent(str(shares)):
            node.foreign = {"Fairshare": "parent"}
        nodes.setdefault(row["id"], node)
    nodes.setdefault(ROOT_ID, Node(ROOT_ID, "root", kind=Kind.GROUP))
    for node in nodes.values():  # A node may precede the group that it was moved to.
        if node.id != ROOT_ID:
            node.parent = node.parent if node.parent in nodes else ROOT_ID
            nodes[node.parent].children.append(node.id)
    return ShareTree.from_nodes(nodes.values(), max(nodes) + 1)


def has_shares(run: RunReader) -> bool:
    """Return True if the folder has the shares of its nodes."""
    return any("shares" in row for row in run.nodes())
