from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind, ShareTree
from tests.shares.trees import junglas_tree, trees


def by_name(tree: ShareTree, values: np.ndarray) -> dict[str, float]:
    return {node.name: float(value) for node, value in zip(tree.walk(), values, strict=True)}


def test_machine_shares_are_those_of_junglas_section_4() -> None:
    tree = junglas_tree()
    found = by_name(tree, 1000 * FlatTree.of(tree).machine_share())
    users = {"u11": 200, "u12": 200, "u21": 150, "u22": 150, "u23": 300}
    assert found == pytest.approx({"root": 1000, "g1": 400, "g2": 600, **users})


def test_inactive_siblings_leave_their_part_to_the_others() -> None:
    """Junglas series 6 before 490 s: u11 and u22 alone are level, though u22 has 200 of gr2's 1000 shares."""
    tree = ShareTree()
    for group, users in (("gr1", {"u11": 1000, "u12": 0}), ("gr2", {"u21": 800, "u22": 200, "u23": 0})):
        parent = tree.add(0, group, 1000, Kind.GROUP)
        for name, weight in users.items():
            tree.add(parent.id, name, weight)
    flat = FlatTree.of(tree)
    logged_in = np.isin(flat.ids, [tree.find("u11").id, tree.find("u22").id])
    shares = by_name(tree, flat.allocated_share(flat.active(logged_in)))
    assert (shares["u11"], shares["u22"], shares["u21"]) == (0.5, 0.5, 0.0)


def test_flat_shares_ignore_groups() -> None:
    """UNICOS with ADJGROUPS off, collapsed: two users of A and one of B have 2/3 and 1/3."""
    tree = ShareTree()
    for group, users in (("A", 2), ("B", 1)):
        parent = tree.add(0, group, 50, Kind.GROUP)
        for row in range(users):
            tree.add(parent.id, f"{group}{row}", 1)
    flat = FlatTree.of(tree)
    active = flat.active(flat.is_leaf)
    assert by_name(tree, flat.flat_share(active))["A"] == pytest.approx(2 / 3)
    assert by_name(tree, flat.allocated_share(active))["A"] == pytest.approx(1 / 2)


def test_effective_shares_favour_those_who_used_less() -> None:
    tree = junglas_tree()
    flat = FlatTree.of(tree)
    active = flat.active(flat.is_leaf)
    kusage = np.where(flat.is_leaf, 4.0, 0.0)
    assert flat.effective_share(kusage, active)[flat.is_leaf] == pytest.approx(np.full(5, 0.2))
    kusage[flat.row_of[tree.find("u11").id]] = 2.0
    effective = by_name(tree, flat.effective_share(kusage, active))
    assert effective["u11"] == pytest.approx(2 / 6)
    assert effective["g1"] == pytest.approx(3 / 6)
    assert effective["root"] == pytest.approx(1)


def test_system_groups_left_out_rescales_the_others() -> None:
    """Junglas section 8: Daemon and Network hold about 45 % each, what is left is a few percent."""
    tree = junglas_tree()
    for name in ("Daemon", "Network"):
        group = tree.add(0, name, 450, Kind.GROUP)
        group.system = True
        tree.add(group.id, name.lower(), 1)
    flat = FlatTree.of(tree)
    assert by_name(tree, flat.machine_share())["g1"] == pytest.approx(0.04)
    rescaled = by_name(tree, flat.without_system(flat.machine_share()))
    assert rescaled["g1"] == pytest.approx(0.4)
    assert np.isnan(rescaled["Daemon"])
    assert np.isnan(rescaled["daemon"])


def test_no_shares_at_all_is_no_division_by_zero() -> None:
    tree = ShareTree()
    tree.add(0, "a", 0)
    tree.add(0, "b", 0)
    flat = FlatTree.of(tree)
    assert flat.machine_share().tolist() == [1, 0, 0]
    assert flat.flat_share(flat.active(flat.is_leaf)).tolist() == [0, 0, 0]
    assert flat.effective_share(np.zeros(3), flat.active(flat.is_leaf)).tolist() == [0, 0, 0]
    assert FlatTree.of(ShareTree()).machine_share().tolist() == [1]


@given(trees())
def test_columns_say_what_the_tree_says(tree: ShareTree) -> None:
    flat = FlatTree.of(tree)
    for row, node in enumerate(tree.walk()):
        assert flat.ids[row] == node.id
        assert flat.row_of[node.id] == row
        assert flat.parent[row] == (-1 if node.parent is None else flat.row_of[node.parent])
        assert flat.ids[row : flat.end[row]].tolist() == [below.id for below in tree.walk(node.id)]
        assert flat.is_system[row] == tree.is_system(node.id)
        assert any(row in level for level in [flat.levels[tree.depth(node.id)].tolist()])


@given(trees())
def test_shares_of_children_make_the_share_of_their_group(tree: ShareTree) -> None:
    flat = FlatTree.of(tree)
    machine = flat.machine_share()
    for row, node in enumerate(tree.walk()):
        children = [flat.row_of[child] for child in node.children]
        if any(flat.shares[children]):
            assert machine[children].sum() == pytest.approx(machine[row])


@given(trees())
def test_setting_shares_is_flattening_anew(tree: ShareTree) -> None:
    flat = FlatTree.of(tree)
    changes = [(node.id, 5) for node in tree.walk()]
    for node_id, shares in changes:
        tree.writable(node_id).shares = shares
    assert flat.with_shares(changes).shares.tolist() == FlatTree.of(tree).shares.tolist()


@given(trees())
def test_setting_shares_beside_slurms_parent_is_flattening_anew(tree: ShareTree) -> None:
    nodes = [node.id for node in tree.walk()][1:]
    for place, node_id in enumerate(nodes):
        if place % 3:
            tree.writable(node_id).foreign["Fairshare"] = "parent"
            tree.writable(node_id).shares *= place % 2
    flat = FlatTree.of(tree)
    changes = [(node_id, place % 3) for place, node_id in enumerate(nodes)]
    for node_id, shares in changes:
        tree.writable(node_id).shares = shares
    now = FlatTree.of(tree)
    assert flat.with_shares(changes).shares.tolist() == now.shares.tolist()
    for row in now.takes_parents.tolist():
        assert now.shares[row] >= 1
        below = now.shares[now.parent == row]
        if len(below) and below.sum():
            assert now.shares[row] == below.sum()


@given(trees())
def test_a_tree_is_the_same_from_its_columns_alone(tree: ShareTree) -> None:
    """A checkpoint holds the columns without the rows of nodes."""
    flat = FlatTree.of(tree)
    again = FlatTree.from_columns(
        ids=flat.ids,
        parent=flat.parent,
        shares=flat.own,
        is_leaf=flat.is_leaf,
        is_system=flat.is_system,
        parents=flat.parents,
    )
    assert again.row_of == flat.row_of
    for name in ("end", "shares", "is_system", "own", "parents"):
        assert getattr(again, name).tolist() == getattr(flat, name).tolist(), name
    assert [level.tolist() for level in again.levels] == [level.tolist() for level in flat.levels]
