from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fsconsole.shares.diff import diff
from fsconsole.shares.edits import (
    FIELDS,
    Edit,
    Insert,
    Move,
    Remove,
    Rename,
    SetField,
    SetShares,
    apply_all,
    copies,
    from_json,
    node_to_json,
    to_json,
    tree_from_json,
    tree_to_json,
)
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError
from tests.laws import tries
from tests.shares.trees import junglas_tree, names
from tests.texts import refuses


def check_structure(tree: ShareTree) -> None:
    seen = [node.id for node in tree.walk()]
    assert len(seen) == len(set(seen)) == len(tree)
    for node in tree.walk():
        below = tree.children(node.id)
        assert all(child.parent == node.id for child in below)
        assert len({child.name for child in below}) == len(below)
        assert not below or node.is_group


class Editing(RuleBasedStateMachine):
    """Random edits, done, undone and done again, against copies of the tree at each step."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = junglas_tree()
        self.done: list[tuple[ShareTree, Edit]] = []
        self.undone: list[tuple[ShareTree, Edit]] = []

    def do(self, edit: Edit) -> None:
        before = self.tree.copy()
        try:
            inverse = edit.apply(self.tree)
        except TreeError:
            # A refused edit changed the tree.
            assert self.tree.same_as(before)
            return
        self.done.append((before, inverse))
        self.undone.clear()

    def some_node(self, data: st.DataObject) -> int:
        return data.draw(st.sampled_from([node.id for node in self.tree.walk()]), label="node")

    @rule(data=st.data(), value=st.integers(-2, 2**31))
    def set_shares(self, data: st.DataObject, value: int) -> None:
        self.do(SetShares(((self.some_node(data), value), (self.some_node(data), 1))))

    @rule(data=st.data(), name=names | st.sampled_from(["g1", "u11", "u21", ""]))
    def rename(self, data: st.DataObject, name: str) -> None:
        self.do(Rename(self.some_node(data), name))

    @rule(data=st.data(), row=st.integers(-1, 5))
    def move(self, data: st.DataObject, row: int) -> None:
        self.do(Move(self.some_node(data), self.some_node(data), row))

    @rule(data=st.data(), row=st.integers(0, 3), name=names, kind=st.sampled_from(list(Kind)))
    def insert(self, data: st.DataObject, row: int, name: str, kind: Kind) -> None:
        self.do(Insert(self.some_node(data), row, (Node(self.tree.new_id(), name, kind=kind),)))

    @rule(data=st.data())
    def duplicate(self, data: st.DataObject) -> None:
        source = self.some_node(data)
        parent = self.tree.node(source).parent
        if parent is not None:
            self.do(Insert(parent, 0, copies(self.tree, self.tree, source, f"copy {self.tree.next_id}")))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.do(Remove(self.some_node(data)))

    @rule(data=st.data())
    def set_field(self, data: st.DataObject) -> None:
        values: dict[str, list[Any]] = {
            "kind": list(Kind),
            "system": [True, False],
            "note": ["", "x"],
            "last_use_s": [None, -5.0],
        }
        field = data.draw(st.sampled_from([*FIELDS, "id"]))
        self.do(
            SetField(self.some_node(data), field, data.draw(st.sampled_from(values.get(field, [0.0, 7.5]))))
        )

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        before, inverse = self.done.pop()
        after = self.tree.copy()
        redo = inverse.apply(self.tree)
        assert self.tree.same_as(before)
        self.undone.append((after, redo))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        after, edit = self.undone.pop()
        before = self.tree.copy()
        self.done.append((before, edit.apply(self.tree)))
        assert self.tree.same_as(after)

    @precondition(lambda self: self.done)
    @rule()
    def compare(self) -> None:
        before = self.done[0][0].copy()
        apply_all(before, diff(before, self.tree))
        assert before.same_as(self.tree)

    @invariant()
    def sound(self) -> None:
        check_structure(self.tree)

    @invariant()
    def children_are_found_by_name(self) -> None:
        known = {"g1", "u11", "u21", *(node.name for node in self.tree.walk())}
        for group in self.tree.walk():
            found = {name: self.tree.child_named(group.id, name) for name in known}
            there = {child.name: child for child in self.tree.children(group.id)}
            assert {name: child for name, child in found.items() if child is not None} == there


TestEditing = Editing.TestCase
TestEditing.settings = tries(60, stateful_step_count=30)


def test_a_list_of_edits_is_all_or_nothing() -> None:
    tree = junglas_tree()
    before = tree.copy()
    g1 = tree.find("g1").id
    with refuses(TreeError, "shares.no-node-with-id-in", args="99"):
        apply_all(tree, [SetShares.of(g1, 7), Rename(g1, "x"), Remove(99)])
    assert tree.same_as(before)
    inverses = apply_all(tree, [SetShares.of(g1, 7), Rename(g1, "x"), Remove(tree.find("u12").id)])
    assert [child.name for child in tree.children(g1)] == ["u11"]
    apply_all(tree, inverses)
    assert tree.same_as(before)


@pytest.mark.parametrize(
    ("edit", "key", "values"),
    [
        (SetShares.of(1, -1), "cannot-have-shares-write-number", {"name": "g1", "shares": -1}),
        (SetShares.of(1, 2**31), "cannot-have-shares-write-number", {"max_shares": 2147483647}),
        (Move(0, 1, 0), "root-cannot-be-moved", {}),
        (Remove(0), "root-cannot-be-removed", {}),
        (Move(1, 1, 0), "cannot-move-into-itself", {"name": "g1"}),
        (Move(2, 3, 0), "is-but-only-group-can", {"name": "u12", "kind": "user"}),
        (Move(2, 4, 9), "has-no-position", {"name": "g2", "row": 9}),
        (SetField(1, "kind", "user"), "contains-nodes-so-it-stays", {"name": "g1"}),
        (SetField(1, "name", "x"), "of-node-cannot-be-set", {"field": "name"}),
        (Rename(1, "g2"), "already-has-child", {"name": "root", "name_2": "g2"}),
    ],
)
def test_what_cannot_be_is_refused_in_words(edit: Edit, key: str, values: dict[str, object]) -> None:
    tree = junglas_tree()
    before = tree.copy()
    with refuses(TreeError, f"shares.{key}", **values):
        edit.apply(tree)
    assert tree.same_as(before)


def test_shares_of_two_change_in_one_edit() -> None:
    tree = junglas_tree()
    inverse = SetShares(((1, 50), (4, 50))).apply(tree)
    assert (tree.node(1).shares, tree.node(4).shares) == (50, 50)
    assert inverse == SetShares(((1, 40), (4, 60)))


@pytest.mark.parametrize(
    "edit",
    [
        SetShares(((1, 5), (2, 6))),
        Rename(1, "ä"),
        SetField(2, "usage", 1.5),
        SetField(2, "kind", Kind.ACCOUNT),
        Move(2, 4, 1),
        Remove(2),
        Insert(
            1, 0, (Node(9, "x", 3, Kind.GROUP, foreign={"a": "b"}, children=[10]), Node(10, "y", parent=9))
        ),
    ],
)
def test_edits_survive_a_journal(edit: Edit) -> None:
    assert from_json(json.loads(json.dumps(to_json(edit)))) == edit


def test_what_is_no_edit_is_refused() -> None:
    with refuses(ValueError, "shares.is-not-edit"):
        from_json({"edit": "explode"})
    with refuses(ValueError, "shares.is-not-text", value="True"):
        from_json({"edit": "rename", "node": 1, "name": True})
    with refuses(ValueError, "shares.is-not-whole-number", value="'1'"):
        from_json({"edit": "remove", "node": "1"})
    with pytest.raises(TypeError):
        to_json("explode")  # type: ignore[arg-type]


def test_trees_survive_a_checkpoint() -> None:
    tree = junglas_tree()
    Remove(2).apply(tree)
    again = tree_from_json(json.loads(json.dumps(tree_to_json(tree))), tree.next_id)
    assert again.same_as(tree)
    assert again.next_id == tree.next_id


def test_a_copied_subtree_has_ids_of_its_own() -> None:
    tree = junglas_tree()
    Insert(0, 2, copies(tree, tree, 4, "g3")).apply(tree)
    check_structure(tree)
    assert [node.name for node in tree.walk(tree.find("g3").id)] == ["g3", "u21", "u22", "u23"]


def test_an_inserted_node_is_not_the_callers() -> None:
    tree = ShareTree()
    node = Node(1, "a")
    Insert(0, 0, (node,)).apply(tree)
    node.name = "changed"
    assert tree.node(1).name == "a"


@pytest.mark.parametrize("changed", ["original", "copy"])
def test_copies_share_nodes_and_never_each_others_changes(changed: str) -> None:
    tree = ShareTree()
    group = tree.add(tree.root.id, "g", 1, Kind.GROUP)
    user = tree.add(group.id, "u", 2)
    other = tree.copy()
    assert other.node(user.id) is tree.node(user.id)
    written, kept = (tree, other) if changed == "original" else (other, tree)
    before = [node_to_json(node) for node in kept.walk()]
    edits: list[Edit] = [
        SetShares.of(user.id, 7),
        Rename(user.id, "v"),
        SetField(group.id, "system", True),
        Insert(group.id, 0, (Node(90, "w"),)),
        Move(user.id, tree.root.id, 0),
        Remove(group.id),
    ]
    inverses = apply_all(written, edits)
    assert [node_to_json(node) for node in kept.walk()] == before
    for inverse in inverses:
        inverse.apply(written)
    assert [node_to_json(node) for node in written.walk()] == before
