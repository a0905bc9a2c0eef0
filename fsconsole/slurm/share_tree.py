"""Slurm's stored associations as a share tree, as the dump of the same cluster is read."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.parsers.assoc import StoredAssociations


def share_tree(stored: StoredAssociations, ids: Sequence[int] | None = None) -> ShareTree:
    """The tree whose node ids are the rows of the associations, so that what else is known is found by id.

    Accounts are groups. A user who is twice in an account, once for a partition, is told apart by a label.
    The share `parent` is 0 with the foreign key Fairshare, as in a dump; limits stay with the rows.

    Args:
        stored: the associations.
        ids: other ids, one for each row; the root's is 0.
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
        if label != (user or account):
            node.foreign |= {"slurm.name": f"'{user or account}'", "slurm.label": label}
        nodes.append(node)
        if row:
            nodes[above].children.append(node.id)
    nodes[0].shares = 1
    return ShareTree.from_nodes(nodes, max(ids) + 1)


def _free(taken: set[tuple[int, str]], above: int, name: str, mark: str) -> str:
    """The name, with a mark and then a number where another node beside it has it."""
    label = name if (above, name) not in taken else f"{name} ({mark.replace('/', '|')})"
    stem = label
    count = 2
    while (above, label) in taken:
        label = f"{stem} {count}"
        count += 1
    taken.add((above, label))
    return label


def _foreign(stored: StoredAssociations, row: int) -> dict[str, str]:
    """What else the tree needs to go back to Slurm."""
    said = {}
    if row == 0 and stored.cluster:
        said["slurm.cluster"] = f"'{stored.cluster}'"
    if stored.tree.shares[row] == PARENT_SHARES:
        said["Fairshare"] = "parent"
    if stored.partition[row]:
        said["Partition"] = f"'{stored.partition[row]}'"
    return said
