"""Parts of the machine of a cluster's tree, against what sshare prints."""

from __future__ import annotations

import pytest

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.parent_shares import how_counted
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import share_tree
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, captured
from tests.texts import wording


def test_parts_are_norm_shares_where_no_user_with_the_share_parent_counts() -> None:
    printed = read_sshare(captured("drained.psv"))
    tree = share_tree(read_assoc(captured("plain/assoc-ids.psv"), columns=ASSOC_COLUMNS))
    flat = FlatTree.of(tree)
    parts = flat.machine_share()
    checked = set()
    for row, (account, user) in enumerate(zip(printed.tree.account, printed.tree.user, strict=True)):
        node = _node(tree, account, user)
        norm_shares = printed.printed.norm_shares[row]
        words = how_counted(tree, node)
        if not words:
            assert parts[flat.row_of[node]] == pytest.approx(norm_shares, abs=1e-6)
        else:
            assert parts[flat.row_of[node]] < norm_shares
        checked.add(words)
    assert checked == {
        "",
        (
            wording(
                "shares.fairshare-parent-counts-as-ours",
                how=wording("shares.mean-of-its-siblings-shares", number="2"),
            )
        ),
        (
            wording(
                "shares.fairshare-parent-counts-as-ours",
                how=wording("shares.sum-of-shares-in-it", number="4"),
            )
        ),
        wording("shares.user-with-fairshare-parent-counts"),
    }


def _node(tree: ShareTree, account: str, user: str) -> int:
    for node in tree.walk():
        if not user and node.is_group and node.name == account:
            return node.id
        if user and not node.is_group and node.name == user:
            above = tree.node(node.parent or 0)
            if above.name == account:
                return node.id
    raise LookupError(account, user)
