"""Shares of a workload's users from a share tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.batch.user_shares import shares_of
from fsconsole.shares.formats import slurm_dump
from fsconsole.shares.tree import Kind, ShareTree
from tests.texts import refuses, wording


def tree() -> ShareTree:
    """Physics 3 (anna 1, ben 2), biology 1 (anna 1, cora 0)."""
    made = ShareTree("lab")
    for group, shares, users in (
        ("physics", 3, {"anna": 1, "ben": 2}),
        ("biology", 1, {"anna": 1, "cora": 0}),
    ):
        parent = made.add(0, group, shares, Kind.GROUP)
        for name, own in users.items():
            made.add(parent.id, name, own)
    return made


def test_the_machine_share_of_the_leaf_of_that_name() -> None:
    assert shares_of(tree(), ("ben",)).tolist() == pytest.approx([3 / 4 * 2 / 3])


def test_a_user_in_two_groups_has_both() -> None:
    assert shares_of(tree(), ("ben", "anna")).tolist() == pytest.approx([1 / 2, 1 / 4 + 1 / 4])


def test_users_that_the_tree_lacks_are_named() -> None:
    with pytest.raises(
        ValueError, match=r"not have a leaf for 2 of 3 users of the workload: bem, 7. Did you mean ben"
    ):
        shares_of(tree(), ("anna", "bem", "7"))
    with pytest.raises(ValueError, match="not have a leaf for 1 of 1 users of the workload: physics"):
        shares_of(tree(), ("physics",))


def test_users_that_get_nothing_are_named() -> None:
    with refuses(
        ValueError,
        "batch.share-tree-does-not-give",
        idle=wording("batch.of-users-of-workload", names="1", users="2", names_2="", more="cora"),
    ):
        shares_of(tree(), ("anna", "cora"))


def test_the_tree_of_a_real_slurm(shared: Path) -> None:
    dump = (shared / "slurm-lab/captures/drained/sacctmgr-dump.cfg").read_text()
    shares = shares_of(slurm_dump.read(dump), ("fs_gina", "fs_finn"))
    assert shares[1] == pytest.approx(4 * shares[0])  # 4 shares and 1 in one account
