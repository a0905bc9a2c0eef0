"""Parts of the machine of a cluster's tree, against what sshare prints."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import share_tree, slurm_flat
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, captured


def test_parts_are_norm_shares_although_an_account_passes_its_place_on() -> None:
    printed = read_sshare(captured("drained.psv"))
    tree = share_tree(read_assoc(captured("plain/assoc-ids.psv"), columns=ASSOC_COLUMNS))
    flat = slurm_flat(tree)
    parts = flat.machine_share()
    checked = 0
    for row, (account, user) in enumerate(zip(printed.tree.account, printed.tree.user, strict=True)):
        if printed.tree.takes_parents[row]:
            continue
        node = _node(tree, account, user)
        assert parts[flat.row_of[node]] == pytest.approx(printed.printed.norm_shares[row], abs=1e-6)
        checked += 1
    assert checked == int((~printed.tree.takes_parents).sum())
    assert np.isfinite(parts).all()


def _node(tree: ShareTree, account: str, user: str) -> int:
    for node in tree.walk():
        if not user and node.is_group and node.name == account:
            return node.id
        if user and not node.is_group and node.name == user:
            above = tree.node(node.parent or 0)
            if above.name == account:
                return node.id
    raise LookupError(account, user)
