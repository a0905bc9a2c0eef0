from __future__ import annotations

import pytest
from hypothesis import given

from fsconsole.shares.scenario.names import Names
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from tests.shares.trees import junglas_tree, trees
from tests.texts import refuses, refuses_naming


def test_nodes_are_walked_depth_first_in_their_order() -> None:
    tree = junglas_tree()
    assert [node.name for node in tree.walk()] == ["root", "g1", "u11", "u12", "g2", "u21", "u22", "u23"]
    assert [node.name for node in tree.walk(tree.find("g2").id)] == ["g2", "u21", "u22", "u23"]


def test_paths_and_unique_names_find_nodes() -> None:
    tree = junglas_tree()
    u21 = tree.find("u21")
    assert tree.path(u21.id) == "root/g2/u21"
    assert tree.find("root/g2/u21") is tree.find("g2/u21") is u21
    assert tree.find("root") is tree.root


def test_a_name_that_occurs_twice_wants_a_path() -> None:
    tree = junglas_tree()
    tree.add(tree.find("g1").id, "u21")
    with refuses_naming(LookupError, "root/g1/u21, root/g2/u21"):
        tree.find("u21")
    with refuses(LookupError, "shares.node-not-found-in-tree", path="'zz'"):
        tree.find("zz")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("", "type-name-empty-text-is"),
        ("  ", "type-name-empty-text-is"),
        ("a/b", "is-not-name-it-holds-2"),
        ("a\nb", "is-not-name-it-holds"),
        ("\x07", "is-not-name-it-holds"),
    ],
)
def test_what_is_no_name_is_refused(name: str, key: str) -> None:
    with refuses(TreeError, f"shares.{key}"):
        ShareTree().add(0, name)


def test_siblings_differ_in_name_and_users_hold_nothing() -> None:
    tree = junglas_tree()
    with refuses(TreeError, "shares.already-has-child", name_2="g1"):
        tree.add(0, "g1")
    with refuses(TreeError, "shares.is-but-only-group-can", name="u11", kind="user"):
        tree.add(tree.find("u11").id, "x")
    with refuses(TreeError, "shares.no-node-with-id-in-2", parent="99"):
        tree.check_place("x", 99, 0)


def test_a_system_group_passes_its_mark_down() -> None:
    tree = ShareTree()
    daemon = tree.add(0, "Daemon", kind=Kind.GROUP)
    daemon.system = True
    user = tree.add(daemon.id, "d")
    assert tree.is_system(user.id)
    assert not tree.is_system(0)


def test_a_copy_is_independent() -> None:
    tree = junglas_tree()
    tree.root.foreign["a"] = "1"
    other = tree.copy()
    assert other.same_as(tree)
    other.writable(0).foreign["a"] = "2"
    other.add(0, "new")
    assert tree.root.foreign == {"a": "1"}
    assert not other.same_as(tree)
    assert len(tree) == 8


def test_ids_are_never_given_again() -> None:
    tree = ShareTree()
    gone = tree.add(0, "a")
    tree.detach(gone.id)
    assert tree.add(0, "a").id != gone.id


@given(trees())
def test_all_paths_at_once_are_those_one_by_one(tree: ShareTree) -> None:
    assert tree.paths() == {node.id: tree.path(node.id) for node in tree.walk()}


@given(trees())
def test_whole_paths_and_paths_below_the_root_find_their_nodes(tree: ShareTree) -> None:
    """A group may have the name of the root: the whole path goes first."""
    paths = tree.paths()
    whole = set(paths.values())
    for node_id, path in paths.items():
        assert tree.find(path).id == Names(tree).find(path).id == node_id
        below = path.partition("/")[2]
        if below and below not in whole:
            assert tree.find(below).id == Names(tree).find(below).id == node_id


def test_a_group_with_the_name_of_the_root_is_found_below_it() -> None:
    tree = ShareTree()
    group = tree.add(tree.root.id, tree.root.name, kind=Kind.GROUP)
    leaf = tree.add(group.id, "c")
    assert tree.find(f"{group.name}/c") is Names(tree).find(f"{group.name}/c") is leaf
