"""The tree in a file as one that a cluster is to have: matched by the names of accounts and users."""

from __future__ import annotations

from fsconsole.shares.foreign import bare
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, twin
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.names import ROOT, slurm_name


def wanted_by(cluster: ClusterTree, tree: ShareTree) -> ShareTree:
    """The tree of a file with ids that no node of the cluster has; the root is the cluster's.

    The user root in the account root, whom Slurm makes with a cluster, stays where the file does not say him.
    """
    first = max(cluster.shares.next_id, tree.next_id)
    ids = {
        node.id: ROOT_ID if node.parent is None else first + place for place, node in enumerate(tree.walk())
    }
    nodes = [_renumbered(node, ids) for node in tree.walk()]
    root, here = nodes[0], cluster.shares.root
    nodes[0] = Node(ROOT_ID, here.name, here.shares, Kind.GROUP, children=root.children, foreign=here.foreign)
    fresh = first + len(nodes)
    kept = next((node for node, key in cluster.keys.items() if key == (ROOT, ROOT, "")), None)
    if kept is not None and not any(_is_root_user(node) for node in nodes):
        keeper = twin(cluster.shares.node(kept))
        nodes.append(keeper)
        nodes[0].children.insert(0, keeper.id)
    return ShareTree.from_nodes(nodes, fresh)


def cluster_in(tree: ShareTree) -> str:
    """The cluster that a dump is of; empty for other files."""
    return bare(tree.root.foreign.get("slurm.cluster", ""))


def _renumbered(node: Node, ids: dict[int, int]) -> Node:
    fresh = twin(node)
    fresh.id = ids[node.id]
    fresh.parent = None if node.parent is None else ids[node.parent]
    fresh.children = [ids[child] for child in node.children]
    return fresh


def _is_root_user(node: Node) -> bool:
    return node.kind is Kind.USER and node.parent == ROOT_ID and slurm_name(node) == ROOT
