"""Water filling down a tree: the tables of the NAVOCEANO paper, and laws that hold for every tree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.saturation import (
    NOBODY,
    SATURATED,
    Split,
    demands_of_processes,
    demands_of_report,
    flows,
    frontier,
    saturated,
    split,
    with_stated,
)
from fsconsole.shares.saturation_words import left_sentence, lefts, measured_sentence
from fsconsole.shares.scenario.spec import Demand, DemandReport
from fsconsole.shares.tree import Kind, ShareTree
from tests.shares.trees import trees
from tests.texts import wording

# Table 1-1: CPU hours of May 1995.
HOURS = {
    "Army": 442.4701,
    "Navy R&D": 3705.8881,
    "Air Force": 4935.7895,
    "DoD Other": 88.9370,
    "NAVO": 1158.1426,
    "Support": 219.8616,
}
EPSILON = 1e-9
_demand = st.sampled_from([0.0, SATURATED]) | st.floats(0, 1.5)


def navoceano() -> ShareTree:
    """Build the groups of Figure 1-1, each with one account."""
    tree = ShareTree("Machine")
    _group(tree, 0, "Support", 100)
    user = tree.add(0, "User", 300, Kind.GROUP)
    _group(tree, user.id, "NAVO", 15)
    services = tree.add(user.id, "DoD", 85, Kind.GROUP)
    for name, shares in (("Army", 30), ("Navy R&D", 30), ("Air Force", 30), ("DoD Other", 10)):
        _group(tree, services.id, name, shares)
    return tree


def _group(tree: ShareTree, parent: int, name: str, shares: int) -> None:
    group = tree.add(parent, name, shares, Kind.GROUP)
    tree.add(group.id, f"{name} account", 1, Kind.ACCOUNT)


def report(tree: ShareTree) -> DemandReport:
    """Table 1-1, with the two saturated groups as such."""
    total = sum(HOURS.values())
    busy = ("Navy R&D", "Air Force")
    demands = (
        Demand(tree.find(name).id, None if name in busy else hours / total, hours / total)
        for name, hours in HOURS.items()
    )
    return DemandReport("May 1995", tuple(demands))


def of(tree: ShareTree, values: Floats, *names: str) -> list[float]:
    row_of = FlatTree.of(tree).row_of
    return [float(values[row_of[tree.find(name).id]]) for name in names]


def navo_split(tree: ShareTree) -> Split:
    flat = FlatTree.of(tree)
    return split(flat, with_stated(flat, saturated(flat), demands_of_report(report(tree))))


def test_entitlements_of_table_1_2() -> None:
    tree = navoceano()
    entitled = navo_split(tree).entitled
    names = ("Army", "Navy R&D", "Air Force", "DoD Other", "NAVO", "Support")
    assert of(tree, entitled, *names) == pytest.approx([0.19125, 0.19125, 0.19125, 0.06375, 0.1125, 0.25])


def test_the_target_of_the_busy_groups_is_40_952_percent() -> None:
    tree = navoceano()
    result = navo_split(tree)
    navy, air_force = of(tree, result.what_if, "Navy R&D", "Air Force")
    assert round(100 * navy, 3) == round(100 * air_force, 3) == 40.952
    total = sum(HOURS.values())
    assert round(100 * (HOURS["Navy R&D"] / total - navy), 2) == -5.83
    assert round(100 * (HOURS["Air Force"] / total - air_force), 2) == 5.83


def test_each_surplus_of_the_tables_goes_to_the_busy_groups_in_halves() -> None:
    tree = navoceano()
    flat, result = FlatTree.of(tree), navo_split(tree)
    rows = frontier(flat, [flat.row_of[tree.find("DoD").id]])
    found = {
        (tree.node(int(flat.ids[flow.giver])).name, tree.node(int(flat.ids[flow.taker])).name): flow.amount
        for flow in flows(flat, result, rows)
    }
    assert {taker for _, taker in found} == {"Navy R&D", "Air Force"}
    for giver, surplus in (("Army", 0.14935), ("DoD Other", 0.05535), ("NAVO", 0.0027), ("Support", 0.2292)):
        parts = [found[giver, taker] for taker in ("Navy R&D", "Air Force")]
        assert parts == pytest.approx([surplus / 2, surplus / 2], abs=1e-4)  # printed with two digits


def test_the_largest_surplus_is_reported_with_who_gets_it() -> None:
    tree = navoceano()
    flat = FlatTree.of(tree)
    rows = frontier(flat, [flat.row_of[tree.find("DoD").id]])
    texts = [left_sentence(tree, left) for left in lefts(flat, navo_split(tree), rows)]
    assert texts[1] == "Army cannot use its 19.1\xa0% and leaves 14.9 points to Navy R&D and Air Force."
    differences = {tree.find("Air Force").id: 0.0583, tree.find("Navy R&D").id: -0.0583}
    assert measured_sentence(tree, differences) == (
        "Navy R&D got 5.83 points less and Air Force 5.83 more than this."
    )
    assert measured_sentence(tree, {}) == ""


def test_what_nobody_wants_is_reported() -> None:
    tree = navoceano()
    flat = FlatTree.of(tree)
    result = split(flat, np.where(flat.is_leaf, 0.01, SATURATED))
    rows = frontier(flat, [])
    assert {flow.taker for flow in flows(flat, result, rows)} == {NOBODY}
    assert left_sentence(tree, lefts(flat, result, rows)[0]).endswith(
        wording("shares.which-no-other-node-wants", start="")
    )


def test_three_processes_cannot_use_75_percent_of_eight_processors() -> None:
    """The paper's section on node saturation: 37.5 to 62.5."""
    tree = ShareTree()
    tree.add(0, "favoured", 75)
    tree.add(0, "others", 25)
    flat = FlatTree.of(tree)
    result = split(flat, demands_of_processes(flat, np.array([0.0, 3.0, 16.0]), cpus=8))
    assert result.what_if.tolist() == [1.0, 0.375, 0.625]
    assert not result.wants_more(1)
    assert result.wants_more(2)


def test_what_a_group_cannot_use_goes_up_to_its_siblings() -> None:
    tree = ShareTree()
    left = tree.add(0, "left", 1, Kind.GROUP)
    for name in ("a", "b"):
        tree.add(left.id, name, 1)
    tree.add(0, "right", 1)
    flat = FlatTree.of(tree)
    demands = np.array([SATURATED, SATURATED, 0.1, 0.3, SATURATED])
    assert split(flat, demands).what_if == pytest.approx([1, 0.4, 0.1, 0.3, 0.6])


def test_a_group_is_held_to_its_own_limit() -> None:
    tree = navoceano()
    flat = FlatTree.of(tree)
    demands = saturated(flat)
    demands[flat.row_of[tree.find("DoD").id]] = 0.2
    result = split(flat, demands)
    assert of(tree, result.what_if, "DoD", "Army") == pytest.approx([0.2, 0.06])


def test_who_has_no_shares_gets_what_others_leave() -> None:
    tree = ShareTree()
    for name, shares in (("first", 3), ("none", 0), ("none too", 0)):
        tree.add(0, name, shares)
    flat = FlatTree.of(tree)
    assert split(flat, np.array([SATURATED, 0.4, 0.1, SATURATED])).what_if == pytest.approx(
        [1, 0.4, 0.1, 0.5]
    )
    assert split(flat, saturated(flat)).what_if == pytest.approx([1, 1, 0, 0])


def test_a_group_without_members_asks_for_nothing() -> None:
    tree = ShareTree()
    tree.add(0, "empty", 1, Kind.GROUP)
    tree.add(0, "user", 1)
    flat = FlatTree.of(tree)
    assert split(flat, saturated(flat)).what_if.tolist() == [1.0, 0.0, 1.0]


@st.composite
def asked(draw: st.DrawFn) -> tuple[FlatTree, Floats]:
    flat = FlatTree.of(draw(trees()))
    demands = np.array([draw(_demand) for _ in range(len(flat))])
    demands[0] = SATURATED
    return flat, demands


@given(asked())
def test_the_machine_is_used_as_far_as_anybody_wants_it(given_: tuple[FlatTree, Floats]) -> None:
    flat, demands = given_
    result = split(flat, demands)
    assert result.what_if[0] == pytest.approx(min(1.0, float(result.demand[0])))
    assert np.all(result.what_if <= result.demand + EPSILON)
    sums = np.bincount(flat.parent[1:], weights=result.what_if[1:], minlength=len(flat))
    has_children = np.bincount(flat.parent[1:], minlength=len(flat)) > 0
    assert sums[has_children] == pytest.approx(result.what_if[has_children], abs=EPSILON)


@given(asked())
def test_nobody_who_wants_more_is_below_his_entitlement(given_: tuple[FlatTree, Floats]) -> None:
    """Unless a group above is held to a limit of its own."""
    flat, demands = given_
    demands = np.where(flat.is_leaf, demands, SATURATED)
    result = split(flat, demands)
    short = result.demand > result.what_if + EPSILON
    assert np.all(result.what_if[short] >= result.entitled[short] - EPSILON)


@given(asked(), st.randoms(use_true_random=False))
def test_the_order_of_siblings_means_nothing(
    given_: tuple[FlatTree, Floats], shuffler: random.Random
) -> None:
    flat, demands = given_
    order = _shuffled_rows(flat, shuffler)
    place = np.empty(len(flat), np.int64)
    place[order] = np.arange(len(flat))
    other = FlatTree.from_columns(
        ids=flat.ids[order],
        parent=np.where(flat.parent[order] < 0, -1, place[flat.parent[order]]),
        shares=flat.shares[order],
        is_leaf=flat.is_leaf[order],
        is_system=flat.is_system[order],
    )
    expected = split(flat, demands).what_if[order]
    assert split(other, demands[order]).what_if == pytest.approx(expected, abs=EPSILON)


@given(asked(), st.data())
def test_who_asks_for_more_gets_no_less_and_nobody_else_more(
    given_: tuple[FlatTree, Floats], data: st.DataObject
) -> None:
    flat, demands = given_
    row = data.draw(st.integers(0, len(flat) - 1))
    more = demands.copy()
    more[row] += data.draw(st.floats(0, 1))
    before, after = split(flat, demands).what_if, split(flat, more).what_if
    assert after[row] >= before[row] - EPSILON
    related = np.zeros(len(flat), np.bool_)
    related[row : flat.end[row]] = True
    above = row
    while above >= 0:
        related[above] = True
        above = int(flat.parent[above])
    assert np.all(after[~related] <= before[~related] + EPSILON)


@given(asked(), st.data())
def test_flows_account_for_all_that_is_left_and_received(
    given_: tuple[FlatTree, Floats], data: st.DataObject
) -> None:
    flat, demands = given_
    result = split(flat, demands)
    rows = frontier(flat, data.draw(st.lists(st.integers(0, len(flat) - 1), max_size=4)))
    found = flows(flat, result, rows)
    left, received = np.zeros(len(flat)), np.zeros(len(flat))
    for flow in found:
        left[flow.giver] += flow.amount
        if flow.taker != NOBODY:
            received[flow.taker] += flow.amount
    assert received[rows] == pytest.approx(result.received[rows], abs=1e-6)
    assert left[rows] == pytest.approx(result.left[rows], abs=1e-6)


def _shuffled_rows(flat: FlatTree, shuffler: random.Random) -> list[int]:
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(flat.parent.tolist()):
        children.setdefault(parent, []).append(row)
    order, stack = [], [0]
    while stack:
        row = stack.pop()
        order.append(row)
        below = children.get(row, [])
        shuffler.shuffle(below)
        stack += below
    return order
