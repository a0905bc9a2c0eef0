from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.diff import diff
from fsconsole.shares.edits import Edit, Move, Rename, SetShares, apply_all
from fsconsole.shares.tree import Node, ShareTree
from tests.laws import tries
from tests.shares.trees import junglas_tree, trees


def by_path(tree: ShareTree) -> list[object]:
    return [
        (tree.path(node.id), node.shares, node.kind, node.system, node.note, node.usage, node.charge)
        for node in tree.walk()
    ]


def test_equal_trees_differ_by_nothing() -> None:
    assert diff(junglas_tree(), junglas_tree()) == []
    assert diff(junglas_tree(), junglas_tree(), by_path=True) == []


def test_each_change_of_a_document_is_one_edit() -> None:
    before, after = junglas_tree(), junglas_tree()
    edits: list[Edit] = [SetShares.of(1, 70), Rename(2, "new"), Move(3, 4, 0)]
    apply_all(after, edits)
    found = diff(before, after)
    assert set(map(repr, found)) == set(map(repr, edits))


def test_names_that_change_places_are_free_when_they_are_needed() -> None:
    before, after = junglas_tree(), junglas_tree()
    apply_all(after, [Rename(2, "x"), Rename(3, "u11"), Rename(2, "u12")])
    apply_all(before, diff(before, after))
    assert before.same_as(after)


@given(trees(), trees())
@tries(150)
def test_the_difference_of_two_files_leads_from_one_to_the_other(a: ShareTree, b: ShareTree) -> None:
    b.root.name = a.root.name  # the root is the same by definition
    edits = diff(a, b, by_path=True)
    result = a.copy()
    apply_all(result, edits)
    assert by_path(result) == by_path(b)


@given(trees(), st.randoms(use_true_random=False))
@tries(100)
def test_the_difference_of_two_states_keeps_ids(tree: ShareTree, random: object) -> None:
    other = tree.copy()
    shuffle = random.shuffle  # type: ignore[attr-defined]
    for node in list(other.walk()):
        shuffle(node.children)
    edits = diff(tree, other)
    apply_all(tree, edits)
    assert tree.same_as(other)


def test_two_files_with_other_roots_can_be_compared() -> None:
    before, after = ShareTree("a"), ShareTree("b")
    apply_all(before, diff(before, after, by_path=True))
    assert before.root.name == "b"


def test_a_large_group_without_levels_is_compared_at_once() -> None:
    """Five thousand siblings: work in proportion to their number, not to its square."""
    before = ShareTree()
    nodes = [before.root, *(Node(row, f"u{row}", parent=0) for row in range(1, 5001))]
    before.root.children = list(range(1, 5001))
    before = ShareTree.from_nodes(nodes, 5001)
    after = before.copy()
    after.writable(3000).shares = 7
    assert diff(before, after) == diff(before, after, by_path=True) == [SetShares.of(3000, 7)]
