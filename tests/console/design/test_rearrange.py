from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.tree.move_effect import Regrouped, effect_of_move
from fsconsole.app.tree.rearrange import (
    Place,
    add,
    duplicate,
    moves_to,
    remove,
    step,
    step_in,
    step_out,
    tops,
)
from fsconsole.app.tree.share_entry import parse_shares
from fsconsole.shares.edits import apply_all
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from tests.console.design.trees import ids, navoceano
from tests.texts import refuses, wording


def names(tree: ShareTree, group: str) -> list[str]:
    return [node.name for node in tree.children(tree.find(group).id)]


def test_tops_leave_out_the_root_and_what_is_below_others() -> None:
    tree = navoceano()
    chosen = ids(tree, "p2104", "Air Force", "Army", "Machine")
    assert tops(tree, chosen) == ids(tree, "Army", "Air Force")


def test_a_new_user_stands_after_a_user_and_at_the_end_of_a_group() -> None:
    tree = navoceano()
    [p2104] = ids(tree, "p2104")
    apply_all(tree, [add(tree, p2104, Kind.USER)])
    assert names(tree, "Lab A1") == ["p2101", "p2104", "new account", "p2107"]
    apply_all(tree, [add(tree, tree.find("Lab A1").id, Kind.USER)])
    assert names(tree, "Lab A1")[-1].split() == ["new", "account", "2"]


def test_a_new_user_is_an_account_among_accounts_alone() -> None:
    tree = navoceano()
    lab, army = ids(tree, "Lab A1", "Army")
    assert add(tree, lab, Kind.USER).nodes[0].kind is Kind.ACCOUNT
    assert add(tree, lab, Kind.GROUP).nodes[0].kind is Kind.GROUP
    tree.add(lab, "mixed", 1, Kind.USER)
    assert add(tree, lab, Kind.USER).nodes[0].kind is Kind.USER
    assert add(tree, army, Kind.USER).nodes[0].kind is Kind.USER


def test_duplicates_stand_after_their_originals() -> None:
    tree = navoceano()
    apply_all(tree, duplicate(tree, ids(tree, "Lab A1", "Lab A2")))
    assert [name.removesuffix(" copy") for name in names(tree, "Air Force")] == [
        "Lab A1",
        "Lab A1",
        "Lab A2",
        "Lab A2",
    ]
    assert [name.endswith(" copy") for name in names(tree, "Air Force")] == [False, True, False, True]
    answer = names(tree, "Lab A1 copy")
    assert answer == ["p2101", "p2104", "p2107"]


def test_removing_a_group_and_a_node_below_it_is_one_removal() -> None:
    tree = navoceano()
    apply_all(tree, remove(tree, ids(tree, "Air Force", "p2104")))
    assert names(tree, "DoD") == ["Army", "Navy R&D", "DoD Other"]


def test_moves_keep_the_order_of_the_nodes() -> None:
    tree = navoceano()
    [lab_a2] = ids(tree, "Lab A2")
    apply_all(tree, moves_to(tree, ids(tree, "p2107", "p2101"), Place(lab_a2, 0)))
    assert names(tree, "Lab A2") == ["p2101", "p2107"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [(0, "p2104 p2101 p2107"), (1, ""), (2, ""), (3, "p2101 p2107 p2104")],
)
def test_places_among_siblings(row: int, expected: str) -> None:
    tree = navoceano()
    lab, p2104 = ids(tree, "Lab A1", "p2104")
    moves = moves_to(tree, [p2104], Place(lab, row))
    apply_all(tree, moves)
    assert names(tree, "Lab A1") == (expected.split() or ["p2101", "p2104", "p2107"])
    assert bool(moves) == bool(expected)


def test_steps_by_keyboard() -> None:
    tree = navoceano()
    [p2104] = ids(tree, "p2104")
    apply_all(tree, step(tree, [p2104], -1))
    assert names(tree, "Lab A1") == ["p2104", "p2101", "p2107"]
    assert step(tree, [p2104], -1) == []
    apply_all(tree, step(tree, [p2104], +1))
    assert names(tree, "Lab A1") == ["p2101", "p2104", "p2107"]
    apply_all(tree, step_out(tree, [p2104]))
    assert names(tree, "Air Force") == ["Lab A1", "p2104", "Lab A2"]
    apply_all(tree, step_in(tree, [p2104]))
    assert names(tree, "Lab A1") == ["p2101", "p2107", "p2104"]
    assert step_in(tree, [p2104]) == []
    assert step_out(tree, ids(tree, "System")) == []


def test_what_cannot_move_says_why() -> None:
    tree = navoceano()
    air_force, lab_a1, p2101 = ids(tree, "Air Force", "Lab A1", "p2101")
    with refuses(TreeError, "shares.cannot-move-into-itself"):
        moves_to(tree, [air_force], Place(lab_a1, 0))
    with refuses(TreeError, "shares.is-but-only-group-can"):
        moves_to(tree, [air_force], Place(p2101, 0))


def test_the_label_of_a_drag() -> None:
    """The figures of the mock-up for p2107 dragged from Lab A1 to Lab A2."""
    tree = navoceano()
    p2107, lab_a2 = ids(tree, "p2107", "Lab A2")
    shown = effect_of_move(tree, [p2107], Place(lab_a2, 0))
    assert shown.title == wording("app.tree.from-3", what="p2107", groups="Lab A1")
    assert shown.effect == wording(
        "app.tree.drop-into-entitled-share", name="Lab A2", before="3.825\xa0%", after="7.650\xa0%"
    )
    nodes, _, shares = shown.others.partition(": ")
    assert nodes.split()[::2] == ["p2101", "p2104"]
    assert re.findall(r"[\d.]+", shares)[0] == "3.825"
    assert re.findall(r"[\d.]+", shares)[1] in {"5.737", "5.738"}  # 5.7375
    assert shares.endswith(" each")


@given(st.data())
def test_regrouped_shares_are_those_after_the_move(data: st.DataObject) -> None:
    tree = navoceano()
    groups = [node.id for node in tree.walk() if node.is_group]
    node = data.draw(st.sampled_from([node.id for node in tree.walk()][1:]))
    parent = data.draw(st.sampled_from(groups))
    try:
        moves = moves_to(tree, [node], Place(parent, 0))
    except TreeError:
        return
    foreseen = Regrouped(tree, [node], parent)
    shares = {item.id: foreseen.machine_share(item.id) for item in tree.walk()}
    apply_all(tree, moves)
    flat = FlatTree.of(tree)
    assert [shares[item] for item in flat.ids.tolist()] == pytest.approx(flat.machine_share().tolist())


@pytest.mark.parametrize(
    ("text", "shares"),
    [("15", 15), (" 15 ", 15), ("0", 0), ("=", 30), ("40 %", 60), ("40%", 60), ("12,5 %", 13), ("0 %", 0)],
)
def test_shares_as_typed(text: str, shares: int) -> None:
    """DoD Other has three siblings with 30 shares each."""
    tree = navoceano()
    assert parse_shares(text, tree, tree.find("DoD Other").id) == shares


def test_shares_for_a_part_of_the_whole() -> None:
    tree = navoceano()
    army = tree.find("Army")
    for text in ("5 % of machine", "5% of the cluster", "2,5 % OF CLUSTER"):
        shares = parse_shares(text, tree, army.id)
        changed = tree.copy()
        least = []
        for tried in (shares - 1, shares, shares + 1):
            changed.writable(army.id).shares = tried
            flat = FlatTree.of(changed)
            part = float(flat.machine_share()[flat.row_of[army.id]])
            least.append(abs(part - float(text.partition("%")[0].replace(",", ".")) / 100))
        assert least[1] == min(least)
    with refuses(ValueError, "app.tree.of-type-less", whole="machine"):
        parse_shares("99 % of machine", tree, army.id)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        *((text, "is-not-whole-number-of") for text in ("", "-1", "1.5", "ten", "1e3", "==", "3 0")),
        ("%", "type-percentage-before-sign-as"),
        ("100 %", "share-of-group-is-from"),
        ("99999999999", "type-at-most-shares"),
    ],
)
def test_what_are_no_shares(text: str, key: str) -> None:
    tree = navoceano()
    with refuses(ValueError, f"app.tree.{key}"):
        parse_shares(text, tree, tree.find("DoD Other").id)


def test_parts_of_a_group_with_nobody_else() -> None:
    tree = ShareTree()
    only = tree.add(0, "only", 3)
    for text in ("=", "30 %"):
        key = "node-has-no-siblings-to" if text == "=" else "siblings-have-no-shares-so"
        with refuses(ValueError, f"app.tree.{key}"):
            parse_shares(text, tree, only.id)
