"""The tree in a file as one that a cluster is to have: matched by the names of accounts and users."""

from __future__ import annotations

from fsconsole.shares.foreign import bare, slurm_name
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, twin
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import account_above, wanted_of
from fsconsole.slurm.names import ROOT


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


def with_unnamed(cluster: ClusterTree, wanted: ShareTree) -> tuple[ShareTree, tuple[Key, ...]]:
    """A wanted tree with all that it lacks of the cluster, which then stays; and what that is.

    What stays is in the account that it is in now, wherever that goes. Accounts stand before what is in them.
    """
    found = wanted_of(cluster, wanted)
    unnamed = tuple(found.gone())
    if not unnamed:
        return wanted, ()
    nodes = {node.id: twin(node) for node in wanted.walk()}
    node_of = dict(found.node_of)
    names = {(node.parent, node.name) for node in nodes.values()}
    for fresh, key in enumerate(unnamed, wanted.next_id):
        node = twin(cluster.shares.node(found.stored_of[key]))
        above = node_of[account_above(cluster.shares, cluster.keys, node.id), "", ""]
        node.id, node.parent, node.children = fresh, above, []
        if (above, node.name) in names:
            _call_otherwise(node)
        node_of[key] = fresh
        nodes[fresh] = node
        nodes[above].children.append(fresh)
    return ShareTree.from_nodes(nodes.values(), wanted.next_id + len(unnamed)), unnamed


def cluster_in(tree: ShareTree) -> str:
    """The cluster that a dump is of; empty for other files."""
    return bare(tree.root.foreign.get("slurm.cluster", ""))


def _renumbered(node: Node, ids: dict[int, int]) -> Node:
    fresh = twin(node)
    fresh.id = ids[node.id]
    fresh.parent = None if node.parent is None else ids[node.parent]
    fresh.children = [ids[child] for child in node.children]
    return fresh


def _call_otherwise(node: Node) -> None:
    """Give a node a label of its own where a user and an account of one name stand in the same account."""
    name, label = slurm_name(node), f"{node.name} ({node.kind.value} {node.id})"
    node.name = label
    node.foreign |= {"slurm.name": f"'{name}'", "slurm.label": label}


def _is_root_user(node: Node) -> bool:
    return node.kind is Kind.USER and node.parent == ROOT_ID and slurm_name(node) == ROOT
