"""The nodes of a run folder as a tree."""

from __future__ import annotations

from fsconsole.recording.run import RunReader
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree


def tree_of(run: RunReader) -> ShareTree:
    """All nodes that there ever were in a run, as a tree of names, kinds and system marks; shares are 1."""
    nodes = {ROOT_ID: Node(ROOT_ID, "root", kind=Kind.GROUP)}
    for row in run.nodes():
        name = str(row["path"]).rpartition("/")[2]
        kind, system = Kind(row.get("kind", Kind.USER)), bool(row.get("system"))
        nodes[row["id"]] = Node(row["id"], name, kind=kind, system=system, parent=row.get("parent"))
    for node in nodes.values():
        if node.id != ROOT_ID:
            node.parent = node.parent if node.parent in nodes else ROOT_ID
            nodes[node.parent].children.append(node.id)
    return ShareTree.from_nodes(nodes.values(), max(nodes) + 1)
