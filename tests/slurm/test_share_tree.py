"""The share tree of associations, against the dump of the same cluster."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.formats import slurm_dump
from fsconsole.shares.parent_shares import counted_ours
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import share_tree
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from tests.slurm.captured import captured
from tests.slurm.made_captures import assoc_lines, made_tree


def _fields(tree: ShareTree) -> dict[str, tuple[object, ...]]:
    nodes = {path: tree.node(number) for number, path in tree.paths().items()}
    return {path: (node.shares, node.kind, takes_parents_shares(node)) for path, node in nodes.items()}


def test_it_is_the_tree_of_the_dump() -> None:
    found = share_tree(read_assoc(captured("plain/assoc-tree.psv")))
    assert _fields(found) == _fields(slurm_dump.read(captured("plain/dump.cfg")))


@pytest.mark.parametrize("seed", range(30))
def test_shares_that_are_not_counted_our_way_are_norm_shares(seed: int) -> None:
    made = made_tree(seed)
    tree = share_tree(read_assoc(assoc_lines(made), "testlab", ASSOC_COLUMNS))
    flat, ours = FlatTree.of(tree), counted_ours(tree)
    apart = np.abs(flat.machine_share() - classic_fairshare(made).norm_shares) > 1e-9
    assert set(flat.ids[apart].tolist()) <= ours
    inside = {row for row, node in enumerate(tree.walk()) if takes_parents_shares(node)}
    assert bool(ours) is bool(inside)


def test_ids_are_the_rows_of_the_associations() -> None:
    stored = read_assoc(captured("odd/assoc-tree-ids.psv"), "lab")
    tree = share_tree(stored)
    for node in tree.walk():
        assert node.name.split(" ")[0] == (stored.tree.user[node.id] or stored.tree.account[node.id])
        assert (-1 if node.parent is None else node.parent) == stored.tree.parent[node.id]


def test_a_user_twice_in_an_account_goes_back_under_one_name() -> None:
    tree = share_tree(read_assoc(captured("odd/assoc-tree.psv"), "lab"))
    assert [node.name for node in tree.children(tree.find("root/physics/hep").id)][-2:] == [
        "fs_kim",
        "fs_kim (batch)",
    ]
    lines = slurm_dump.write(tree).splitlines()
    users = {line.split(":")[0] for line in lines if "Partition='batch'" in line}
    assert any(user.split() == ["User", "-", "'fs_kim'"] for user in users)
    again = slurm_dump.read("\n".join(lines))
    assert {path: text[0] for path, text in _fields(again).items()} == {
        path: text[0] for path, text in _fields(tree).items()
    }
