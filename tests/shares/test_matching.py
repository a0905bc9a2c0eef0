from __future__ import annotations

from hypothesis import given

from fsconsole.shares.diff import diff
from fsconsole.shares.edits import Move, Remove, Rename, SetShares, apply_all
from fsconsole.shares.matching import matched
from fsconsole.shares.tree import Kind, ShareTree
from tests.laws import tries
from tests.shares.trees import trees


def site(*, shift: int = 0) -> ShareTree:
    """Two groups of three; `shift` gives all nodes other ids, as another file would."""
    tree = ShareTree()
    for _ in range(shift):
        tree.new_id()
    for group in ("physics", "biology"):
        top = tree.add(0, group, 30, Kind.GROUP)
        for row in range(3):
            tree.add(top.id, f"{group[0]}{row}", row + 1)
    return tree


def test_moves_and_new_names_between_files_are_seen_as_such() -> None:
    before, other = site(), site(shift=40)
    find = other.find
    apply_all(
        other,
        [
            Rename(find("physics").id, "applied physics"),
            Move(find("b1").id, find("physics").id, 0),
            Rename(find("b2").id, "b9"),
            SetShares.of(find("p0").id, 7),
        ],
    )
    apply_all(other, [Remove(other.find("p2").id)])
    after, was = matched(before, other), before.find
    edits = diff(before, after)
    assert {type(edit) for edit in edits} == {Rename, Move, SetShares, Remove}
    assert after.find("b1").id == was("b1").id
    assert after.find("b9").id == was("b2").id
    assert after.find("applied physics").id == was("physics").id


def test_a_name_that_occurs_twice_is_not_taken_for_moved() -> None:
    before, after = ShareTree(), ShareTree()
    for tree, groups in ((before, ("a", "b")), (after, ("c", "d"))):
        for group in groups:
            tree.add(tree.add(0, group, 1, Kind.GROUP).id, "u", len(group) + groups.index(group))
    after.add(after.find("c").id, "v")
    after.add(after.find("c").id, "w")
    after.add(after.find("d").id, "x")
    after.add(after.find("d").id, "y")
    found = matched(before, after)
    assert all(node.id not in before or node.parent is None for node in found.walk())


@given(trees(), trees())
@tries(60)
def test_matching_changes_ids_alone(a: ShareTree, b: ShareTree) -> None:
    found = matched(a, b)
    assert list(found.paths().values()) == list(b.paths().values())
    assert [node.shares for node in found.walk()] == [node.shares for node in b.walk()]
    result = a.copy()
    apply_all(result, diff(a, found))
    assert result.paths() == found.paths()


@given(trees(), trees())
@tries(60)
def test_what_has_the_same_path_in_both_is_the_same_node(a: ShareTree, b: ShareTree) -> None:
    """The root's name is its own; below it names lead from the top down, however often each occurs."""
    for tree in (a, b):  # "site" and "u" occur in both, and twice in each
        for group in ("site", "other"):
            parent = tree.child_named(0, group) or tree.add(0, group, 1, Kind.GROUP)
            if parent.is_group and tree.child_named(parent.id, "u") is None:
                tree.add(parent.id, "u", 1)
    before, found = paths_below_root(a), paths_below_root(matched(a, b))
    common = before.keys() & found.keys()
    assert {("site",), ("other",)} <= common
    assert {path: found[path] for path in common} == {path: before[path] for path in common}


def paths_below_root(tree: ShareTree) -> dict[tuple[str, ...], int]:
    """Node ids by the names that lead to them from the root, which itself is left out."""
    paths: dict[int, tuple[str, ...]] = {}
    for node in tree.walk():
        paths[node.id] = () if node.parent is None else (*paths[node.parent], node.name)
    return {path: node_id for node_id, path in paths.items()}
