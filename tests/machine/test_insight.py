"""Explanations: their numbers add up, on any machine and under any policy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.insight import Explanation, why
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.machine.shell.values import View
from fsconsole.policies import share
from fsconsole.policies.explanation import share_words
from fsconsole.policies.registry import POLICIES
from fsconsole.policies.state import PolicyState
from fsconsole.policies.words import AT_DELTA, IF_ON, plain_change
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import ChangeTree, Login
from tests.laws import tries
from tests.machine.worlds import ENDLESS, TWO_AND_ONE, Nested, same, scenario_of
from tests.policies.trees import flat_trees
from tests.texts import refuses, says, wording

DEEP: Nested = {
    "System": (50, {"sys": 1}),
    "User": (300, {"DoD": (85, {"Navy": (34, {"p1103": 1}), "Air Force": (30, {"Lab": (3, {"p2107": 1})})})}),
}
USERS = ("1", "2", "3", "4")
CHOICES = st.fixed_dictionaries(
    {
        "policy.name": st.sampled_from(sorted(POLICIES)),
        "policy.adjgroups": st.sampled_from(["off", "share", "integral"]),
        "policy.limshare": st.booleans(),
        "policy.nosched": st.booleans(),
        "machine.count_inactive": st.booleans(),
        "policy.half_life_s": st.sampled_from([20.0, 120.0, 600.0]),
    }
)
WORK = st.tuples(st.integers(0, 3), st.integers(0, 39), st.sampled_from([0.0, 1.0, 5e6]))


def explained(machine: Machine, first: str, other: str | None) -> Explanation:
    """Why of two users by name."""
    tree = machine.tree
    return why(machine, tree.find(first).id, None if other is None else tree.find(other).id)


def explained_deep(settings_: dict[str, object] | None = None, until_s: float = 100.0) -> Explanation:
    scenario = scenario_of(DEEP, loops=["p1103", "p2107", ("sys", ENDLESS, 2)])
    machine = machine_for(scenario, settings_)
    machine.advance_to(until_s)
    return explained(machine, "p1103", "p2107")


@tries(60)
@given(
    choices=CHOICES,
    shares=st.lists(st.integers(0, 9), min_size=6, max_size=6),
    work=st.lists(WORK, min_size=4, max_size=4),
    until_s=st.sampled_from([0.0, 1.0, 3.5, 60.25, 200.0]),
)
def test_the_factors_multiply_to_the_increment(
    choices: dict[str, object], shares: list[int], work: list[tuple[int, int, float]], until_s: float
) -> None:
    nested: Nested = {
        "A": (shares[0], {"1": shares[1], "2": shares[2]}),
        "B": (shares[3], {"3": shares[4], "4": shares[5]}),
    }
    loops = [
        (user, ENDLESS, count, nice) for user, (count, nice, _) in zip(USERS, work, strict=True) if count
    ]
    usage = {user: used for user, (_, _, used) in zip(USERS, work, strict=True)}
    machine = machine_for(scenario_of(nested, loops=loops, usage=usage), choices)
    machine.advance_to(until_s)
    for first, other in (("1", "2"), ("2", "3"), ("4", "1")):
        found = explained(machine, first, other)
        assert found.other is not None
        for side in (found.first, found.other):
            assert side.increment == pytest.approx(side.product, rel=1e-9, abs=0.5)
            if found.first.is_present and found.other.is_present:
                assert side.increment == machine.state.increment[machine.flat.row_of[side.node]]
        lasting = (1 - found.other.decay) / (1 - found.first.decay)
        assert math.prod(item.ratio for item in found.contributions) == pytest.approx(found.ratio)
        assert found.ratio == pytest.approx(found.first.product / found.other.product * lasting, rel=1e-9)
        assert found.verdict
        assert "nan" not in found.verdict


def test_usage_over_share_squared_is_there_to_be_checked() -> None:
    side = explained_deep().first
    assert side.factor("kusage") == pytest.approx(side.factor("usage") / side.factor("share") ** 2)


def test_levels_go_from_the_common_ones_to_each_leaf() -> None:
    found = explained_deep()
    texts = [(level.name, level.which, level.is_parting) for level in found.levels]
    assert texts == [
        ("User", "common", False),
        ("DoD", "common", False),
        ("Navy", "first", True),
        ("p1103", "first", False),
        ("Air Force", "other", True),
        ("Lab", "other", False),
        ("p2107", "other", False),
    ]
    navy = found.levels[2]
    assert (navy.shares, navy.of_all) == (34, 64)
    assert navy.machine_share == pytest.approx(300 / 350 * 34 / 64)
    assert navy.usage_over_share == pytest.approx(navy.usage_part / navy.counted_share)


def test_the_verdict_names_where_they_part_and_what_each_has_used() -> None:
    found = explained_deep()
    assert says(found.verdict, "policies.their-paths-separate-below")
    assert found.verdict.startswith(("p1103", "p2107"))


def test_more_usage_at_equal_shares_goes_behind() -> None:
    scenario = scenario_of(TWO_AND_ONE, loops=["1", "3"], usage={"1": 4e6, "3": 1e6})
    machine = machine_for(scenario)
    machine.advance_to(4)
    found = explained(machine, "1", "3")
    assert found.goes_first == machine.tree.find("3").id
    assert says(found.verdict, "machine.insight.goes-before-over-time", name="3", name_2="1")


def test_alike_where_nobody_has_used_anything() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1", "3"]))
    found = explained(machine, "1", "3")
    assert found.goes_first is None
    unused = wording("machine.insight.neither-nor-has-used-anything", name="1", name_2="3")
    assert found.verdict == wording("machine.insight.so-they-start-equal", unused=unused)
    assert found.standing == wording("machine.insight.nothing-has-run-yet-this", used="alone")
    assert says(
        [factor.note for factor in found.first.factors], "policies.at-its-lower-limit", min_kusage="2"
    )


def test_limshare_is_named() -> None:
    scenario = scenario_of(TWO_AND_ONE, loops=["1", "3"], usage={"1": 1e9, "3": 10.0})
    machine = machine_for(scenario, {"policy.limshare": True, "policy.maxushare": 1.5})
    found = explained(machine, "3", "1")
    assert any("LIMSHARE" in factor.note for factor in found.first.factors)


def test_somebody_who_is_not_there_is_shown_as_if_logged_in() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1"]))
    machine.advance_to(60)
    before = machine_for(scenario_of(TWO_AND_ONE, loops=["1"]))
    before.advance_to(60)
    found = explained(machine, "3", "1")
    assert not found.first.is_present
    assert found.standing == wording(
        "machine.insight.not-logged-in-this-is", absent="3", verb="is", rest="it"
    )
    assert found.goes_first == machine.tree.find("3").id
    assert same(machine, before)
    # After a login its share is what was foretold.
    machine.act(Login(machine.tree.find("3").id))
    assert machine.state.entitled[machine.flat.row_of[found.first.node]] == found.first.factor("share")


def test_a_process_of_its_own_stands_for_its_user() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=[("1", ENDLESS, 2), ("3", ENDLESS, 1, 28)]))
    machine.advance_to(20)
    tree, table = machine.tree, machine.processes
    found = why(machine, tree.find("1").id, tree.find("3").id, pid=int(table.pid[1]))
    assert found.other is not None
    assert found.first.pid == table.pid[1]
    assert found.first.priority == table.priority[1]
    assert found.first.priority_half_life_s == pytest.approx(1.97, abs=0.01)  # Share's constants, nice 20
    assert found.other.nice == 28


def test_a_group_stands_for_a_user_below_it() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["2", "3"]))
    assert explained(machine, "A", "3").first.name == "2"


def test_nodes_that_cannot_be_explained() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1"]))
    with refuses(LookupError, "machine.insight.no-node-on-machine", node="99"):
        why(machine, 99)
    machine = machine_for(scenario_of({"A": (1, {}), "b": 1}))
    with refuses(LookupError, "machine.insight.has-no-users", name="A"):
        explained(machine, "A", None)


def test_json_has_no_numbers_that_are_none() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1", "3"]))
    plain = explained(machine, "1", "3").to_json()
    assert plain["levels"][0]["usage_part"] is None
    assert plain["first"]["factors"][0]["key"] == "usage"


def test_feedback_tells_target_charge_and_base_of_each_level() -> None:
    found = explained_deep({"policy.name": "feedback"})
    for level in found.levels:
        assert 0 <= level.target <= 1
        assert level.base >= 0.01
    assert found.first.factor("base") == found.levels[3].base
    assert says(found.verdict, "policies.has-base-share-of-and")


def test_adjgroups_says_what_the_last_delta_did() -> None:
    usage = {"1": 1e6, "2": 1e6, "3": 1e6}
    scenario = scenario_of(TWO_AND_ONE, loops=["1", "2", "3"], usage=usage)
    machine = machine_for(scenario, {"policy.adjgroups": "share", "policy.mingshare": 1.0})
    machine.advance_to(8)
    found = explained(machine, "1", "3")
    group = next(level for level in found.levels if level.name == "A")
    assert group.group_factor >= 1.0
    charged, row = machine.state.charged, machine.flat.row_of
    part = charged[row[group.node]] / charged[0]
    assert group.group_factor == pytest.approx(max(1.0, part / 0.5))


@given(flat=flat_trees(), seed=st.integers(0, 2**32 - 1))
@tries(60)
def test_groups_fractions_are_those_of_the_policy(flat: FlatTree, seed: int) -> None:
    random, n = np.random.default_rng(seed), len(flat)
    state = PolicyState.empty(n)
    state.runnable[:] = np.where(flat.is_leaf, random.integers(0, 2, n), 0)
    state.charged[:] = random.integers(0, 3, n) * random.random(n)
    state.entitled[:] = flat.machine_share()
    busy = (state.charged > 0) | (share.count_work.py_func(flat, state.runnable) > 0)
    expected = share.fractions.py_func(flat, state.charged, state.entitled, busy)
    assert np.array_equal(share.fractions_of_last_delta(flat, state), expected)


@pytest.mark.parametrize("leaves_out", [True, False])
def test_shares_are_those_of_the_machines_shell(leaves_out: bool) -> None:
    """One number under one name: with and without system groups."""
    scenario = scenario_of(DEEP, loops=["p1103", "p2107"])
    scenario.tree.writable(scenario.tree.find("System").id).system = True
    plot = replace(scenario.plot, leave_out_system=leaves_out)
    machine = machine_for(replace(scenario, plot=plot))
    machine.act(Login(machine.tree.find("sys").id))
    machine.advance_to(100)
    found = explained(machine, "p1103", "p2107")
    shell = View(machine, leave_out=leaves_out)
    assert found.leaves_out_system is leaves_out
    for level in found.levels:
        values = shell.of(level.node)
        assert values is not None
        assert level.counted_share == pytest.approx(values.allocated)
        assert level.machine_share == pytest.approx(values.machine_share)
    assert says(found.standing, "machine.insight.100-is-machine-without-system") is leaves_out
    whole = found.levels[0].counted_share
    assert whole == pytest.approx(1.0) if leaves_out else whole < 1
    assert found.levels[0].usage_over_share == pytest.approx(found.levels[0].usage_part / whole)
    of_system = why(machine, machine.tree.find("sys").id, machine.tree.find("p1103").id)
    assert not of_system.leaves_out_system


def test_users_with_other_shares_do_not_start_equal() -> None:
    machine = machine_for(scenario_of({"eve": 10, "ike": 100}, loops=["eve", "ike"]))
    found = explained(machine, "eve", "ike")
    assert found.goes_first is None
    assert says(found.verdict, "machine.insight.so-neither-goes-first-yet")
    assert share_words(*(level for level in found.levels if level.is_parting)) in found.verdict


@pytest.mark.parametrize(("more", "is_level"), [(1.01, True), (1.05, False)])
def test_a_difference_below_2_percent_is_none(more: float, is_level: bool) -> None:
    scenario = scenario_of({"a": 1, "b": 1}, loops=["a", "b"], usage={"a": 4e8, "b": more * 4e8})
    found = explained(machine_for(scenario), "a", "b")
    assert (found.goes_first is None) is is_level
    assert says(found.verdict, "machine.insight.and-are-equal-same-cpu") is is_level


def test_edits_that_wait_are_said_to_wait() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1", "3"]))
    machine.advance_to(10)
    one = machine.tree.find("1").id
    assert explained(machine, "1", "3").standing == ""
    machine.act(ChangeTree((SetShares.of(one, 7),)))
    found = explained(machine, "1", "3")
    assert found.standing == wording("machine.insight.changes-wait-for-next-delta")
    assert next(level for level in found.levels if level.node == one).shares != 7
    machine.advance_to(20)
    assert explained(machine, "1", "3").standing == ""


def test_a_change_at_the_end_of_a_scenario_is_in_force_if_the_run_goes_on() -> None:
    machine = machine_for(scenario_of(TWO_AND_ONE, loops=["1", "3"]))
    change = ChangeTree((SetShares.of(machine.tree.find("1").id, 7),))
    machine.advance_to(machine.scenario.plot.until_s - 1)
    before = machine.act(change).text
    machine.advance_to(machine.scenario.plot.until_s)
    after = machine.act(ChangeTree((SetShares.of(machine.tree.find("1").id, 8),))).text
    assert not before.endswith(IF_ON)
    assert after.endswith(IF_ON)
    for text in (before, after):
        assert AT_DELTA not in plain_change(text)
