"""A file's tree as a cluster's: found again by names, wherever the nodes stand and whatever their ids."""

from __future__ import annotations

from fsconsole.shares.formats import slurm_dump
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.slurm.change_set import ChangeSet, Verb, change_set
from fsconsole.slurm.cluster_tree import Numbering
from fsconsole.slurm.desired_state import cluster_in, wanted_by, with_unnamed
from fsconsole.slurm.parsers.assoc import read_assoc
from tests.slurm.captured import captured
from tests.slurm.clusters import small_cluster

_WITH_ROOT = "root* 1\nhep 3\n  ben* 5\nbio 4"


def _lines(found: ChangeSet) -> list[str]:
    assert not found.refusals
    return [" ".join(change.command[2:]).replace(" cluster=lab", "") for change in found.changes]


def test_the_dump_of_a_cluster_is_that_cluster() -> None:
    cluster = Numbering().tree(read_assoc(captured("plain/assoc-tree.psv")))
    dumped = slurm_dump.read(captured("plain/dump.cfg"))
    assert cluster_in(dumped) == "lab"
    assert change_set(cluster, wanted_by(cluster, dumped)) == ChangeSet()


def test_users_of_a_partition_are_found_by_it() -> None:
    cluster = Numbering().tree(read_assoc(captured("odd/assoc-tree.psv"), "lab"))
    assert any(key[2] for key in cluster.keys.values())
    dumped = slurm_dump.read(slurm_dump.write(cluster.shares))
    assert change_set(cluster, wanted_by(cluster, dumped)) == ChangeSet()


def test_accounts_are_found_wherever_they_stand() -> None:
    cluster = small_cluster(_WITH_ROOT)
    tree = ShareTree("anything", shares=9)
    bio = tree.add(0, "bio", 4, Kind.GROUP)
    hep = tree.add(bio.id, "hep", 3, Kind.GROUP)
    tree.add(hep.id, "ben", 6)
    tree.add(hep.id, "zoe", 1)
    wanted = wanted_by(cluster, tree)
    expected = [
        "add user name=zoe account=hep fairshare=1",
        "modify account where name=hep set parent=bio",
        "modify user where name=ben account=hep set fairshare=6",
    ]
    assert _lines(change_set(cluster, wanted)) == expected


def test_the_user_root_stays_unless_the_file_speaks_of_him() -> None:
    cluster = small_cluster(_WITH_ROOT)
    tree = ShareTree()
    tree.add(0, "root", 7)
    expected = "modify user where name=root account=root set fairshare=7"
    assert expected in _lines(change_set(cluster, wanted_by(cluster, tree)))
    assert not any(
        "name=root" in line for line in _lines(change_set(cluster, wanted_by(cluster, ShareTree())))
    )


def test_new_nodes_have_ids_of_their_own() -> None:
    cluster = small_cluster()
    tree = cluster.shares.copy()
    wanted = wanted_by(cluster, tree)
    assert {node.id for node in wanted.walk()} & set(cluster.nodes) == {0}
    assert change_set(cluster, wanted) == ChangeSet()


def test_what_a_file_does_not_name_stays() -> None:
    cluster = small_cluster()
    tree = ShareTree()
    physics = tree.add(0, "physics", 50, Kind.GROUP)
    tree.add(tree.add(physics.id, "hep", 3, Kind.GROUP).id, "anna", 10)
    exact = wanted_by(cluster, tree)
    wanted, left = with_unnamed(cluster, exact)
    found = change_set(cluster, wanted)
    expected = ["modify account where name=physics set fairshare=50"]
    assert _lines(found) == expected
    removed = {change.key for change in change_set(cluster, exact).changes if change.verb is Verb.REMOVE}
    assert set(left) == removed
    assert left[0] == ("physics", "mia", "")
    assert ("bio", "", "") in left
    assert ("hep", "anna", "") not in left
    assert len(wanted) == len(cluster.nodes)


def test_what_stays_is_where_its_account_goes() -> None:
    cluster = small_cluster()
    tree = ShareTree()
    bio = tree.add(0, "bio", 30, Kind.GROUP)
    hep = tree.add(bio.id, "hep", 3, Kind.GROUP)
    tree.add(hep.id, "dirk", 1)
    wanted, left = with_unnamed(cluster, wanted_by(cluster, tree))
    expected = [
        "add user name=dirk account=hep fairshare=1",
        "modify account where name=hep set parent=bio",
    ]
    assert _lines(change_set(cluster, wanted)) == expected
    assert ("astro", "dirk", "") in left
    names = {node.id: node.name for node in wanted.walk()}
    assert {names[node.parent or 0] for node in wanted.walk() if node.name == "ben"} == {"hep"}


def test_a_new_account_may_be_called_as_a_user_who_stays() -> None:
    cluster = small_cluster()
    tree = ShareTree()
    hep = tree.add(tree.add(0, "physics", 40, Kind.GROUP).id, "hep", 3, Kind.GROUP)
    tree.add(hep.id, "ben", 2, Kind.GROUP)
    wanted, left = with_unnamed(cluster, wanted_by(cluster, tree))
    assert ("hep", "ben", "") in left
    expected = ["add account name=ben parent=hep fairshare=2"]
    assert _lines(change_set(cluster, wanted)) == expected
    assert len({node.name for node in wanted.children(wanted.find("hep").id)}) == 3


def test_a_whole_tree_leaves_nothing() -> None:
    cluster = small_cluster(_WITH_ROOT)
    exact = wanted_by(cluster, cluster.shares)
    assert with_unnamed(cluster, exact) == (exact, ())
