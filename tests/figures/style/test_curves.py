from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.figures.style.curves import CurveStyle, apart_by_dash, assign_curves, colour_level
from fsconsole.shares.tree import Kind, Node, ShareTree

Spec = dict[str, "Spec"] | None


def grown(spec: dict[str, Spec]) -> tuple[ShareTree, dict[str, int]]:
    """Tree of nested dicts: None is a user, a name that ends in * is a system group."""
    nodes = [Node(0, "root", kind=Kind.GROUP)]
    ids = {"root": 0}

    def grow(below: dict[str, Spec], parent: int) -> None:
        for name, inner in below.items():
            kind = Kind.USER if inner is None else Kind.GROUP
            node = Node(len(nodes), name.rstrip("*"), kind=kind, system=name.endswith("*"), parent=parent)
            nodes.append(node)
            nodes[parent].children.append(node.id)
            ids[node.name] = node.id
            grow(inner or {}, node.id)

    grow(spec, 0)
    return ShareTree.from_nodes(nodes, len(nodes)), ids


JUNGLAS: dict[str, Spec] = {
    "Daemon*": {},
    "Network*": {},
    "gr1": {"u11": None, "u12": None},
    "gr2": {"u21": None, "u22": None, "u23": None},
}


def test_each_group_of_the_colour_level_begins_a_family() -> None:
    tree, ids = grown(JUNGLAS)
    styles = assign_curves(tree)
    assert colour_level(tree) == 1
    assert styles[ids["gr1"]] == CurveStyle("c1")
    assert styles[ids["gr2"]] == CurveStyle("c4")


def test_the_members_of_a_family_go_through_its_steps() -> None:
    # As in the specification's picture of series 6: u21 solid, u22 dashed, u23 dotted.
    tree, ids = grown(JUNGLAS)
    styles = assign_curves(tree)
    assert styles[ids["u11"]] == CurveStyle("c2")
    assert styles[ids["u21"]] == CurveStyle("c5")
    assert styles[ids["u22"]] == CurveStyle("c6", (5, 2))
    assert styles[ids["u23"]] == CurveStyle("c4", (2, 2))


def test_further_members_repeat_with_dash_dot() -> None:
    tree, ids = grown({"g": {f"u{i}": None for i in range(8)}})
    styles = assign_curves(tree)
    assert [styles[ids[f"u{i}"]].colour_token for i in range(3, 8)] == ["c2", "c3", "c1", "c2", "c3"]
    assert all(styles[ids[f"u{i}"]].dash == (5, 2, 2, 2) for i in range(3, 8))


def test_system_groups_are_grey_and_structure_is_dark_grey() -> None:
    tree, ids = grown({"System*": {"daemon": None}, "User": {"a": {}, "b": {"c": None}}})
    styles = assign_curves(tree)
    assert colour_level(tree) == 2
    assert {styles[ids["root"]], styles[ids["User"]]} == {CurveStyle("g1")}
    assert {styles[ids[name]].colour_token for name in ("System", "daemon")} == {"g2", "g3"}
    assert [styles[ids[name]] for name in ("a", "b", "c")] == [
        CurveStyle("c1"),
        CurveStyle("c4"),
        CurveStyle("c5"),
    ]


def test_the_colour_level_goes_down_while_four_groups_or_fewer_share_it() -> None:
    four: dict[str, Spec] = {name: {"u" + name: None} for name in "abcd"}
    assert colour_level(grown({"top": four})[0]) == 2
    assert colour_level(grown({"top": {**four, "e": {}}})[0]) == 1


def test_a_fifth_group_is_grey() -> None:
    tree, ids = grown({name: {} for name in "abcde"})
    styles = assign_curves(tree)
    assert [styles[ids[name]].colour_token for name in "abcde"] == ["c1", "c4", "c7", "c10", "g2"]


def test_users_without_groups_are_told_apart() -> None:
    tree, ids = grown({"u1": None, "u2": None, "u3": None})
    styles = assign_curves(tree)
    assert colour_level(tree) == 0
    assert len({styles[ids[name]] for name in ("u1", "u2", "u3")}) == 3


def test_a_level_can_be_chosen() -> None:
    tree, ids = grown({"top": {"a": {}, "b": {}}})
    assert assign_curves(tree, level=1)[ids["top"]] == CurveStyle("c1")


def test_nodes_keep_their_colours_whatever_happens_to_others() -> None:
    before, _ = grown(JUNGLAS)
    styles = assign_curves(before)
    tree, _ = grown(JUNGLAS)
    new = Node(tree.next_id, "gr3", kind=Kind.GROUP, parent=0)
    nodes = [*tree.walk(), new]
    tree.root.children.insert(2, new.id)
    changed = ShareTree.from_nodes(nodes, len(nodes))
    after = assign_curves(changed, styles)
    assert {node_id: after[node_id] for node_id in styles} == styles
    assert after[new.id] == CurveStyle("c7")


def test_a_removed_node_gets_its_colour_back() -> None:
    tree, ids = grown(JUNGLAS)
    styles = assign_curves(tree)
    smaller, _ = grown({name: JUNGLAS[name] for name in ("Daemon*", "Network*", "gr1")})
    assert assign_curves(smaller, styles)[ids["gr2"]] == styles[ids["gr2"]]


def test_a_new_user_continues_the_family() -> None:
    tree, ids = grown(JUNGLAS)
    styles = assign_curves(tree)
    user = Node(tree.next_id, "u13", parent=ids["gr1"])
    tree.node(ids["gr1"]).children.append(user.id)
    nodes = [*(tree.node(node_id) for node_id in ids.values()), user]
    after = assign_curves(ShareTree.from_nodes(nodes, len(nodes)), styles)
    assert after[user.id] == CurveStyle("c1", (2, 2))


def test_safe_curves_never_differ_by_colour_alone_within_a_level() -> None:
    four: dict[str, Spec] = {name: {f"{name}{i}": None for i in range(3)} for name in "abcd"}
    tree, ids = grown(four)
    styles = {name: apart_by_dash(assign_curves(tree)[ids[name]]) for name in ids}
    assert len({styles[name].dash for name in "abcd"}) == 4
    assert len({styles[f"a{i}"].dash for i in range(3)}) == 3
    assert len(set(styles.values())) == len(styles)


@given(
    st.recursive(st.none(), lambda inner: st.dictionaries(st.text("ab", min_size=1), inner), max_leaves=30)
)
def test_every_node_has_a_style_and_asking_again_changes_nothing(spec: Spec) -> None:
    tree, _ = grown({"top": spec})
    styles = assign_curves(tree)
    assert set(styles) == {node.id for node in tree.walk()}
    assert assign_curves(tree, styles) == styles


def test_members_are_told_apart_within_a_family() -> None:
    tree, ids = grown({"g": {f"u{i}": None for i in range(6)}})
    styles = assign_curves(tree)
    members = [styles[ids["g"]], *(styles[ids[f"u{i}"]] for i in range(6))]
    assert len(set(members)) == len(members)


@pytest.mark.parametrize("count", [1, 4])
def test_groups_of_one_level_have_different_families(count: int) -> None:
    tree, ids = grown({f"g{i}": {} for i in range(count)})
    styles = assign_curves(tree)
    assert len({styles[ids[f"g{i}"]].colour_token for i in range(count)}) == count
