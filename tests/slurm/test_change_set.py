"""What is told to sacctmgr: the commands, their order, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.shares.edits import Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.cluster_tree import ClusterTree
from tests.slurm.clusters import add_group, cluster_of, small_cluster, stored_of
from tests.texts import Expected, naming, says, worded, wording


@pytest.fixture
def cluster() -> ClusterTree:
    return small_cluster()


@pytest.fixture
def wanted(cluster: ClusterTree) -> ShareTree:
    return cluster.shares.copy()


def _lines(found: ChangeSet) -> list[str]:
    assert all(change.command[:2] == ("sacctmgr", "-i") for change in found.changes)
    assert all("cluster=lab" in change.command for change in found.changes)
    return [" ".join(change.command[2:]).replace(" cluster=lab", "") for change in found.changes]


def _whys(found: ChangeSet) -> dict[str, str]:
    assert not found.can_be_applied
    return {refusal.on: refusal.why for refusal in found.refusals}


def _id(tree: ShareTree, path: str) -> int:
    return tree.find(f"root/{path}").id


def test_nothing_edited_is_nothing_to_do(cluster: ClusterTree, wanted: ShareTree) -> None:
    assert change_set(cluster, wanted) == ChangeSet()
    Move(_id(wanted, "bio"), 0, 0).apply(wanted)
    SetField(_id(wanted, "bio"), "note", "beside the river").apply(wanted)
    assert change_set(cluster, wanted) == ChangeSet()


def test_shares_are_set_where_they_are_meant(cluster: ClusterTree, wanted: ShareTree) -> None:
    SetShares(((_id(wanted, "bio"), 31), (_id(wanted, "physics/hep/anna"), 0))).apply(wanted)
    found = change_set(cluster, wanted)
    assert found.can_be_applied
    expected = [
        "modify account where name=bio set fairshare=31",
        "modify user where name=anna account=hep set fairshare=0",
    ]
    assert sorted(_lines(found)) == expected
    fields = {change.on: (change.before, change.after) for change in found.changes}
    assert fields == {
        "bio": ("30 shares", "31 shares"),
        wording("slurm.in-2", user="anna", account="hep"): ("10 shares", "0 shares"),
    }


def test_parent_and_a_number_are_different_shares(cluster: ClusterTree, wanted: ShareTree) -> None:
    hugo = _id(wanted, "bio/genomics/hugo")
    SetShares(((hugo, 5), (_id(wanted, "physics/hep/ben"), 0))).apply(wanted)
    wanted.writable(_id(wanted, "physics/hep/ben")).foreign = {"Fairshare": "parent"}  # as a file says it
    found = change_set(cluster, wanted)
    expected = [
        "modify user where name=ben account=hep set fairshare=parent",
        "modify user where name=hugo account=genomics set fairshare=5",
    ]
    assert sorted(_lines(found)) == expected
    assert {change.before for change in found.changes} == {"parent", "5 shares"}


def test_accounts_are_made_from_the_top_and_removed_from_the_leaves(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    chem = add_group(wanted, 0, "chem", 7)
    below = add_group(wanted, chem.id, "organic", 2)
    wanted.add(below.id, "zoe", 4)
    Remove(_id(wanted, "bio")).apply(wanted)
    expected = [
        "add account name=chem parent=root fairshare=7",
        "add account name=organic parent=chem fairshare=2",
        "add user name=zoe account=organic fairshare=4",
        "delete user where name=ida account=neuro",
        "delete user where name=hugo account=genomics",
        "delete user where name=finn account=genomics",
        "delete account where name=neuro",
        "delete account where name=genomics",
        "delete account where name=bio",
    ]
    assert _lines(change_set(cluster, wanted)) == expected


def test_an_account_goes_below_what_was_below_it(cluster: ClusterTree, wanted: ShareTree) -> None:
    Move(_id(wanted, "bio/neuro"), 0, 0).apply(wanted)
    Move(_id(wanted, "bio"), _id(wanted, "neuro"), 0).apply(wanted)
    expected = [
        "modify account where name=neuro set parent=root",
        "modify account where name=bio set parent=neuro",
    ]
    assert _lines(change_set(cluster, wanted)) == expected


def test_what_was_cut_and_pasted_moves(cluster: ClusterTree, wanted: ShareTree) -> None:
    Remove(_id(wanted, "physics/astro")).apply(wanted)
    astro = add_group(wanted, _id(wanted, "bio"), "astro", 6)
    wanted.add(astro.id, "anna", 3)
    wanted.add(astro.id, "dirk", 2)
    expected = [
        "modify account where name=astro set parent=bio",
        "modify account where name=astro set fairshare=6",
        "modify user where name=dirk account=astro set fairshare=2",
    ]
    assert _lines(change_set(cluster, wanted)) == expected


def test_a_user_in_another_account_is_added_and_removed(cluster: ClusterTree, wanted: ShareTree) -> None:
    Move(_id(wanted, "physics/hep/ben"), _id(wanted, "bio"), 0).apply(wanted)
    Move(_id(wanted, "physics/hep/anna"), _id(wanted, "bio"), 0).apply(wanted)
    found = change_set(cluster, wanted)
    expected = [
        "add user name=anna account=bio fairshare=10",
        "add user name=ben account=bio defaultaccount=bio fairshare=5",
        "delete user where name=ben account=hep",
        "delete user where name=anna account=hep",
    ]
    assert _lines(found) == expected
    notes = [" ".join(change.notes) for change in found.changes]
    assert says(notes[0], "slurm.starts-here-without-usage-past")
    assert says(notes[3], "slurm.if-is-default-account-of", key="hep", key_2="anna")
    assert "default account" not in notes[2]


def test_partitions_of_a_user_are_told_apart() -> None:
    text = "hep 3\n  ben* 5\n  ben* 6\n  cora* 1"
    cluster = cluster_of(stored_of(text, partition={3: "batch"}))
    wanted = cluster.shares.copy()
    SetShares(((2, 7), (3, 8), (4, 9))).apply(wanted)
    expected = [
        "modify user where name=ben account=hep partition= set fairshare=7",
        "modify user where name=ben account=hep partition=batch set fairshare=8",
        "modify user where name=cora account=hep set fairshare=9",
    ]
    assert _lines(change_set(cluster, wanted)) == expected
    Remove(2).apply(wanted)
    command = "delete user where name=ben account=hep partition="
    assert _lines(change_set(cluster, wanted))[-1] == command


def test_a_new_partition_keeps_the_plain_association_apart() -> None:
    cluster = small_cluster("hep 3\n  ben* 5")
    wanted = cluster.shares.copy()
    SetShares(((2, 7),)).apply(wanted)
    node = Node(9, "ben (batch)", 4, Kind.USER)
    node.foreign = {"slurm.name": "'ben'", "slurm.label": "ben (batch)", "Partition": "'batch'"}
    Insert(1, 0, (node,)).apply(wanted)
    expected = [
        "add user name=ben account=hep partition=batch fairshare=4",
        "modify user where name=ben account=hep partition= set fairshare=7",
    ]
    assert _lines(change_set(cluster, wanted)) == expected


def test_names_with_signs_go_as_one_word(cluster: ClusterTree, wanted: ShareTree) -> None:
    name = "big lab = ümlaut"
    add_group(wanted, 0, name, 2)
    (change,) = change_set(cluster, wanted).changes
    assert f"name={name}" in change.command


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a,b", worded("slurm.is-not-allowed-in-name", parting=",")),
        ("n[1-3]", worded("slurm.is-not-allowed-in-name", parting="[")),
        ("it's", naming("quotes")),
        ("a|b", worded("slurm.is-not-allowed-in-name-3")),
        ("a\\b", naming("backslash")),
        (" lead", worded("slurm.name-cannot-begin-or-end")),
        ("hep;touch pwn", worded("slurm.is-not-allowed-in-name-2", shown=";")),
        ("$(id)", worded("slurm.is-not-allowed-in-name-2", shown="$")),
        ("a&b", worded("slurm.is-not-allowed-in-name-2", shown="&")),
        ("a*", worded("slurm.is-not-allowed-in-name-2", shown="*")),
        ("-i", worded("slurm.name-cannot-begin-with-sacctmgr")),
        ("BigLab", worded("slurm.slurm-stores-names-in-lower", name="biglab")),
        ("y" * 256, worded("slurm.slurm-stores-only-bytes-of", longest_bytes="255")),
        ("root", worded("slurm.cluster-has-each-account-only")),
    ],
)
def test_names_that_sacctmgr_does_not_keep_are_refused(
    cluster: ClusterTree, wanted: ShareTree, name: str, why: Expected
) -> None:
    add_group(wanted, _id(wanted, "bio"), name)
    assert says(_whys(change_set(cluster, wanted))[name], why)


@pytest.mark.parametrize("shares", [-1, PARENT_SHARES, 2**32])
def test_shares_that_slurm_does_not_store_are_refused(
    cluster: ClusterTree, wanted: ShareTree, shares: int
) -> None:
    wanted.writable(_id(wanted, "bio")).shares = shares
    why = _whys(change_set(cluster, wanted))["bio"]
    assert says(why, "slurm.shares-must-be-whole-number", parent_shares="2147483646", shares=shares)


def test_what_slurm_cannot_do_is_refused(cluster: ClusterTree, wanted: ShareTree) -> None:
    Rename(_id(wanted, "bio/genomics"), "genes").apply(wanted)
    Rename(_id(wanted, "physics/mia"), "mina").apply(wanted)
    wanted.writable(0).shares = 4
    whys = _whys(change_set(cluster, wanted))
    assert says(whys["genomics"], "slurm.slurm-cannot-rename-account-restore", key="genomics")
    assert says(
        whys[wording("slurm.in-2", user="mia", account="physics")],
        "slurm.slurm-cannot-rename-user-restore",
        key="mia",
    )
    assert "no siblings" in whys["root"]


def test_an_account_is_once_in_a_cluster_and_a_user_once_in_an_account(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    add_group(wanted, _id(wanted, "physics"), "bio")
    node = Node(90, "anna (again)", 4, Kind.USER)
    node.foreign = {"slurm.name": "'anna'", "slurm.label": "anna (again)"}
    Insert(_id(wanted, "physics/hep"), 2, (node,)).apply(wanted)
    whys = _whys(change_set(cluster, wanted))
    assert says(whys["bio"], "slurm.cluster-has-each-account-only")
    assert "once" in whys[wording("slurm.in-2", user="anna", account="hep")]


def test_kinds_stay_what_they_are(cluster: ClusterTree, wanted: ShareTree) -> None:
    SetField(_id(wanted, "physics/mia"), "kind", Kind.GROUP).apply(wanted)
    assert says(
        _whys(change_set(cluster, wanted))[wording("slurm.in-2", user="mia", account="physics")],
        "slurm.slurm-cannot-change-into-remove",
        was="a user",
        now="an account",
    )


def test_nothing_is_changed_of_a_tree_that_is_not_known(cluster: ClusterTree, wanted: ShareTree) -> None:
    SetShares(((1, 7),)).apply(wanted)
    found = change_set(replace(cluster, is_complete=False), wanted)
    assert not found.changes
    assert says(_whys(found)["lab"], "slurm.slurmdbd-does-not-respond-stored")


def test_what_a_file_says_beside_shares_and_limits_is_reported_not_to_be_set(
    cluster: ClusterTree, wanted: ShareTree
) -> None:
    node = add_group(wanted, 0, "chem")
    node.foreign = {"Description": "'x'", "DefaultQOS": "'x'", "QOS": "'x'"}
    (change,) = change_set(cluster, wanted).changes
    assert change.notes == (wording("slurm.other-properties-of-it-are", named="DefaultQOS, QOS"),)
