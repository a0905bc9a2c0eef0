"""Associations of a cluster by the nodes of an edited tree.

Associations are known by their key alone, so an account that was cut out and put in again elsewhere is the
same one, and a user in another account is another association.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fsconsole.shares.foreign import PARENT_SHARES, bare, slurm_name, slurm_partition, takes_parents_shares
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, twin
from fsconsole.slurm import limits
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.names import ROOT, in_words, problem_of


@dataclass(slots=True)
class Wanted:
    """An edited tree as associations.

    Attributes:
        node_of: the node of each association that is wanted, accounts before what is in them.
        key_of: the other way round.
        stored_of: the node in the cluster's tree of each association that is stored.
        touched: associations that are stored and may differ: all others are as they are stored.
        faults: nodes that can be no association, and why; (node, name in words, sentence).
    """

    node_of: dict[Key, int] = field(default_factory=dict)
    key_of: dict[int, Key] = field(default_factory=dict)
    stored_of: Mapping[Key, int] = field(default_factory=dict)
    touched: list[Key] = field(default_factory=list)
    faults: list[tuple[int, str, str]] = field(default_factory=list)

    def new(self) -> Iterator[Key]:
        """Return associations to add, accounts before their members."""
        return (key for key in self.node_of if key not in self.stored_of)

    def gone(self) -> Iterator[Key]:
        """Return associations to remove, in the order of the cluster's tree."""
        return (key for key in self.stored_of if key not in self.node_of)


def shares_of(node: Node) -> int:
    """Return raw shares of a node as Slurm counts: PARENT_SHARES for `parent`."""
    return PARENT_SHARES if takes_parents_shares(node) else node.shares


def account_above(shares: ShareTree, key_of: Mapping[int, Key], node_id: int) -> str:
    """Return the account that a node of a tree is in; empty for the root."""
    parent = shares.node(node_id).parent
    return "" if parent is None else key_of[parent][0]


def wanted_of(tree: ClusterTree, wanted: ShareTree) -> Wanted:
    """Match an edited copy of the cluster's tree, or a tree with the same ids, with what is stored."""
    found = Wanted(stored_of={tree.keys[node]: node for node in tree.nodes})
    reader = _Reader(tree, wanted, found)
    keys, node_of, key_of, stored_node = tree.keys, found.node_of, found.key_of, tree.shares.node
    for node in wanted.walk():  # Nearly all of many nodes are unchanged.
        number = node.id
        key = keys.get(number)
        is_free = key is not None and key not in node_of and node.parent in key_of
        if key is not None and is_free and _is_same(node, stored_node(number)):
            node_of[key] = number
            key_of[number] = key
        else:
            reader.take(node)
    return found


def _is_same(node: Node, before: Node) -> bool:
    return node is before or (
        node.shares == before.shares
        and node.name == before.name
        and node.parent == before.parent
        and node.kind is before.kind
        and node.foreign == before.foreign
    )


class _Reader:
    """Takes the nodes one after the other, parents before children."""

    def __init__(self, tree: ClusterTree, wanted: ShareTree, found: Wanted) -> None:
        self._tree, self._wanted, self._found = tree, wanted, found

    @cached_property
    def _has_upper(self) -> bool:
        """True if the cluster has users in upper case, as PreserveCaseUser of slurmdbd allows."""
        return any(key[1] != key[1].lower() for key in self._tree.keys.values())

    def take(self, node: Node) -> None:
        if node.parent is not None and node.parent not in self._found.key_of:
            return  # Its parent was left out.
        before = self._tree.shares.node(node.id) if node.id in self._tree.keys else None
        key = self._key(node, before)
        if key in self._found.node_of:
            self._fault(node.id, key, self._twice(key))
            return
        self._found.node_of[key] = node.id
        self._found.key_of[node.id] = key
        if key not in self._found.stored_of:
            self._check_new(node, key)
        else:
            self._found.touched.append(key)

    def _key(self, node: Node, before: Node | None) -> Key:
        """Return the key of a node; a node with another name or kind keeps its own."""
        if before is None:
            name, partition, is_user = slurm_name(node), slurm_partition(node), node.kind is Kind.USER
        else:
            was = self._tree.keys[node.id]
            name, partition, is_user = was[1] or was[0], was[2], bool(was[1])
            if before is not node:
                self._check_same(node, before, was)
        if not is_user or node.parent is None:
            return name, "", ""
        return self._found.key_of[node.parent][0], name, partition

    def _check_same(self, node: Node, before: Node, key: Key) -> None:
        if node.name != before.name:
            self._fault(node.id, key, _rename_words(node, key))
        if (node.kind is Kind.USER) != bool(key[1]):
            now = "an account" if key[1] else "a user"
            was = "a user" if key[1] else "an account"
            self._fault(node.id, key, f"Slurm cannot change {was} into {now}. Remove it, and add the other")

    def _check_new(self, node: Node, key: Key) -> None:
        name, is_user = key[1] or key[0], bool(key[1])
        problem = problem_of(name, may_be_upper=is_user and self._has_upper)
        if not problem and is_user and (key[2] != key[2].strip() or "," in key[2]):
            problem = "a user is in an account once for each partition. Give one partition"
        if not problem and self._tree.stored.may_have_lost(name):
            problem = (
                "it may be stored already, in a row of sacctmgr's output that cannot be read. It is not added"
            )
        if problem:
            self._fault(node.id, key, problem)

    def _twice(self, key: Key) -> str:
        other = self._wanted.path(self._found.node_of[key])
        if key[1]:
            return f"it is already there, as {other}: a user is in an account only once"
        return f"a cluster has each account only once, and {other} has that name. Choose another name"

    def _fault(self, node_id: int, key: Key, why: str) -> None:
        self._found.faults.append((node_id, in_words(key), why))


def _rename_words(node: Node, key: Key) -> str:
    if node.id == ROOT_ID:
        return f"the top account must have the name {ROOT}. Restore its name"
    if key[1]:
        return (
            f"Slurm cannot rename the user {key[1]}. Restore the name, or remove it and add "
            f"{node.name}, which starts without usage"
        )
    return (
        f"Slurm cannot rename the account {key[0]}. Restore the name, or add {node.name}, move "
        f"everything in it there, and remove {key[0]}"
    )


def wanted_by(cluster: ClusterTree, tree: ShareTree) -> ShareTree:
    """Return the tree of a file with ids that no node of the cluster has; the root is the cluster's.

    The user root in the account root, whom Slurm makes with a cluster, stays where the file does not name it.
    Limits that the file does not name stay too.
    """
    first = max(cluster.shares.next_id, tree.next_id)
    ids = {
        node.id: ROOT_ID if node.parent is None else first + place for place, node in enumerate(tree.walk())
    }
    nodes = [_renumbered(node, ids) for node in tree.walk()]
    root, here = nodes[0], cluster.shares.root
    by_key = {key: node for node, key in cluster.keys.items()}
    foreign = _with_limits_in_file(here.foreign, root.foreign)
    nodes[0] = Node(ROOT_ID, here.name, here.shares, Kind.GROUP, children=root.children, foreign=foreign)
    fresh = first + len(nodes)
    kept = next((node for node, key in cluster.keys.items() if key == (ROOT, ROOT, "")), None)
    if kept is not None and not any(_is_root_user(node) for node in nodes):
        keeper = twin(cluster.shares.node(kept))
        nodes.append(keeper)
        nodes[0].children.insert(0, keeper.id)
    found = ShareTree.from_nodes(nodes, fresh)
    for key, number in wanted_of(cluster, found).node_of.items():
        stored = cluster.shares.node(by_key[key]) if key in by_key else None
        if stored is not None and number != ROOT_ID:
            node = found.node(number)
            node.foreign = _with_limits_in_file(
                limits.with_limits_of(node.foreign, stored.foreign), node.foreign
            )
    return found


def _with_limits_in_file(stored: Mapping[str, str], in_file: Mapping[str, str]) -> dict[str, str]:
    """Return foreign keys with the limits of other keys, each of which sets or clears one."""
    found = dict(stored)
    for name, value in limits.of_foreign(in_file).items():
        found[name] = value
        if value in ("", "-1"):
            del found[name]
    return found


def with_unnamed(cluster: ClusterTree, wanted: ShareTree) -> tuple[ShareTree, tuple[Key, ...]]:
    """Return a wanted tree with all nodes of the cluster that it lacks, and these nodes.

    They stay in their present account, wherever that moves. Accounts precede their contents.
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
    """Return the cluster of a dump; empty for other files."""
    return bare(tree.root.foreign.get("slurm.cluster", ""))


def _renumbered(node: Node, ids: dict[int, int]) -> Node:
    fresh = twin(node)
    fresh.id = ids[node.id]
    fresh.parent = None if node.parent is None else ids[node.parent]
    fresh.children = [ids[child] for child in node.children]
    return fresh


def _call_otherwise(node: Node) -> None:
    """Give a node a separate label if a user and an account of the same name are in one account."""
    name, label = slurm_name(node), f"{node.name} ({node.kind.value} {node.id})"
    node.name = label
    node.foreign |= {"slurm.name": f"'{name}'", "slurm.label": label}


def _is_root_user(node: Node) -> bool:
    return node.kind is Kind.USER and node.parent == ROOT_ID and slurm_name(node) == ROOT
