"""A cluster's associations as a share tree with stable node ids across readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsconsole.shares.foreign import PARENT_SHARES, slurm_name, slurm_partition
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree
from fsconsole.slurm.limits import NOT_READ, foreign_of_qos, of_qos
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos

CLUSTER_KEY = "slurm.cluster"  # The root has this foreign key.


def share_tree(
    stored: StoredAssociations, ids: Sequence[int] | None = None, qos: Sequence[Qos] = ()
) -> ShareTree:
    """Return a tree whose node ids are the rows of the associations, so that other data can be found by id.

    Accounts are groups. If a user is twice in an account, once for a partition, a label distinguishes the
    two. The share `parent` is 0 with the foreign key Fairshare, as in a dump. Own limits are foreign keys
    too, and limits of QOS are keys of the root (`limits.qos_key`).

    Args:
        stored: the associations.
        ids: other ids, one for each row; the root's is 0.
        qos: the known QOS.
    """
    tree = stored.tree
    ids = range(len(tree)) if ids is None else ids
    nodes: list[Node] = []
    taken: set[tuple[int, str]] = set()
    columns = zip(tree.account, tree.user, tree.parent.tolist(), tree.shares.tolist(), strict=True)
    for row, (account, user, above, shares) in enumerate(columns):
        kind = Kind.USER if user else Kind.GROUP
        label = _free(taken, above, (user or account).replace("/", "|"), stored.partition[row] or kind.value)
        node = Node(ids[row], label, kind=kind, parent=ids[above] if row else None)
        node.shares = 0 if shares == PARENT_SHARES else shares
        if row == 0 or shares == PARENT_SHARES or stored.partition[row]:
            node.foreign = _foreign(stored, row)
        if stored.own is not None and stored.own[row]:
            node.foreign |= stored.own[row]
        if label != (user or account):
            node.foreign |= {"slurm.name": f"'{user or account}'", "slurm.label": label}
        nodes.append(node)
        if row:
            nodes[above].children.append(node.id)
    nodes[0].shares = 1
    if stored.own is None:
        nodes[0].foreign[NOT_READ] = "yes"
    nodes[0].foreign |= foreign_of_qos({one.name: of_qos(one) for one in qos})
    return ShareTree.from_nodes(nodes, max(ids) + 1)


def _free(taken: set[tuple[int, str]], above: int, name: str, mark: str) -> str:
    """Return the name, with a mark and then a number where another node beside it has it."""
    label = name if (above, name) not in taken else f"{name} ({mark.replace('/', '|')})"
    stem = label
    count = 2
    while (above, label) in taken:
        label = f"{stem} {count}"
        count += 1
    taken.add((above, label))
    return label


def _foreign(stored: StoredAssociations, row: int) -> dict[str, str]:
    """Return the other data that the tree needs for its way back to Slurm."""
    foreign = {}
    if row == 0 and stored.cluster:
        foreign[CLUSTER_KEY] = f"'{stored.cluster}'"
    if stored.tree.shares[row] == PARENT_SHARES:
        foreign["Fairshare"] = "parent"
    if stored.partition[row]:
        foreign["Partition"] = f"'{stored.partition[row]}'"
    return foreign


Key = tuple[str, str, str]
"""What an association is known by in its cluster: account, user (empty for an account), partition.

The key of a QOS is ("", "", its name), that of a user in all accounts ("", user, "").
"""

# The gap lies between ids given here and those that an edited copy gives before it reports them.
_GAP = 4096


@dataclass(frozen=True, eq=False, slots=True)
class ClusterTree:
    """Stored associations of a cluster, and the share tree that the console copies for editing.

    Attributes:
        stored: associations as sacctmgr printed them, row by row.
        shares: the associations as a share tree; never changed, and copied for editing.
        nodes: node of each row of `stored`.
        keys: key of each node in Slurm.
        is_complete: whether the tree is from sacctmgr. If slurmdbd does not respond, it is that of sshare,
            without limits, and cannot be changed.
        qos: QOS of the database; None if they were not read.
    """

    stored: StoredAssociations
    shares: ShareTree
    nodes: tuple[int, ...]
    keys: Mapping[int, Key]
    is_complete: bool = True
    qos: tuple[Qos, ...] | None = None


class Numbering:
    """Assigns a stable node id to every association: the same key always has the same id.

    A new association gets the id of a new node with the same key in the edited copy, whoever added it. If a
    user is moved to another account, the new association also keeps the id once the old one is gone: Slurm
    cannot move users.
    """

    def __init__(self) -> None:
        self._ids: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._next = 0

    def tree(
        self,
        stored: StoredAssociations,
        staged: ShareTree | None = None,
        *,
        is_complete: bool = True,
        qos: tuple[Qos, ...] | None = None,
    ) -> ClusterTree:
        """Return the tree of the stored associations; `staged` is the edited copy, if known."""
        keys = row_keys(stored)
        fresh = [key for key in keys if key not in self._ids]
        if fresh:
            self._give(fresh, staged, keys)
        nodes = tuple([self._ids[key] for key in keys])
        shares = share_tree(stored, nodes, qos or ())
        return ClusterTree(stored, shares, nodes, dict(zip(nodes, keys, strict=True)), is_complete, qos)

    def _give(self, fresh: list[Key], staged: ShareTree | None, there: list[Key]) -> None:
        is_first = not self._ids
        known = {} if staged is None or is_first else self._new_nodes(staged, frozenset(there))
        if not is_first:
            self._next = max(self._next, 0 if staged is None else staged.next_id) + _GAP
        for key in fresh:
            node = known.pop(key, None)
            if node is None:
                node, self._next = self._next, self._next + 1
            elif node in self._keys:
                del self._ids[self._keys[node]]
            self._ids[key], self._keys[node] = node, key
        self._next = max(self._next, 1 + max(self._keys))

    def _new_nodes(self, staged: ShareTree, there: frozenset[Key]) -> dict[Key, int]:
        """Return nodes of an edited copy that are not an association (any more), by what they will be known
        by.
        """
        found: dict[Key, int] = {}
        accounts: dict[int, str] = {}
        for node in staged.walk():
            key = self._keys.get(node.id)
            if key is None or (key[1] and key not in there):
                key = _key_of(node, accounts)
                found.setdefault(key, node.id)
            if not key[1]:
                accounts[node.id] = key[0]
        return found


def row_keys(stored: StoredAssociations) -> list[Key]:
    """Return the key of each row.

    ValueError where two have the same: no cluster has that, and the output of a tool is damaged then.
    """
    tree = stored.tree
    keys = list(zip(tree.account, tree.user, stored.partition, strict=True))
    if len(set(keys)) < len(keys):
        seen: set[Key] = set()
        twice = next(key for key in keys if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        msg = f"the association {' '.join(word for word in twice[1::-1] if word)} occurs twice"
        raise ValueError(msg)
    return keys


def _key_of(node: Node, accounts: Mapping[int, str]) -> Key:
    """Return the key of a new node in Slurm."""
    name = slurm_name(node)
    if node.kind is not Kind.USER or node.id == ROOT_ID:
        return name, "", ""
    return accounts.get(node.parent or 0, ""), name, slurm_partition(node)
