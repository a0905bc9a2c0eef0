"""`share` and `flat` by the values that the papers and the Share kernel's rules give."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.machine import engine
from fsconsole.machine.machine import machine_for
from fsconsole.policies import accounting
from fsconsole.policies.accounting import LARGEST_RATE
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.registry import POLICIES, policy_named, policy_of
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.policies.steps import parameters_of
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import Action, EndProcesses, StartProcess, Work
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES, PolicySpec
from fsconsole.shares.scenario.spec import SettingError
from tests.machine.worlds import GROUPS, TWO_AND_ONE, Nested, scenario_of, split, tree_of

STATIC = {"machine.count_inactive": True}
ADJUSTED = {**STATIC, "policy.adjgroups": "share"}
STRICT = {**ADJUSTED, "policy.mingshare": 1.0}
SLOW = {**STRICT, "policy.rate_half_life_s": 30.0}


def settled(nested: Nested, loops: list[str], settings: dict[str, object]) -> dict[str, float]:
    machine = machine_for(scenario_of(nested, loops=loops), settings)
    machine.advance_to(800)
    return split(machine, 1600)


@pytest.mark.parametrize(
    ("settings", "u11"), [({}, 50.0), (STATIC, 83.3), (ADJUSTED, 80.7), (STRICT, 75.5), (SLOW, 54.5)]
)
def test_adjgroups_on_the_first_phase_of_series_6(settings: dict[str, object], u11: float) -> None:
    assert settled(GROUPS, ["u11", "u22"], settings)["u11"] == pytest.approx(u11, abs=0.5)


@pytest.mark.parametrize(
    ("settings", "group_a", "points"),
    [
        ({"policy.name": "flat"}, 66.7, 0.5),
        ({}, 50.0, 0.5),
        (STATIC, 66.7, 0.5),
        (ADJUSTED, 66.7, 0.5),
        (STRICT, 62.0, 0.7),
        (SLOW, 53.0, 0.7),
    ],
)
def test_two_users_of_a_and_one_of_b(settings: dict[str, object], group_a: float, points: float) -> None:
    part = settled(TWO_AND_ONE, ["1", "2", "3"], settings)
    assert part["1"] + part["2"] == pytest.approx(group_a, abs=points)


@pytest.mark.parametrize(
    ("adjgroups", "first", "then", "group_a"), [("off", 95, 78, 38), ("share", 92, 75, 39)]
)
def test_the_story_of_figure_2_3(adjgroups: str, first: float, then: float, group_a: float) -> None:
    ids = {node.name: node.id for node in tree_of(TWO_AND_ONE).walk()}
    events: list[tuple[float, Action]] = [
        (1800.0, StartProcess(ids["1"], Work())),
        (1800.0, StartProcess(ids["2"], Work())),
        (2100.0, EndProcesses(ids["4"])),
        (2100.0, StartProcess(ids["3"], Work())),
    ]
    scenario = scenario_of(TWO_AND_ONE, loops=["4"], events=events)
    machine = machine_for(scenario, {"policy.half_life_s": 600.0, "policy.adjgroups": adjgroups})
    machine.advance_to(2100)
    before = machine.ran.copy()
    assert split(machine, 2130)["3"] == pytest.approx(first, abs=5)
    assert split(machine, 2220)["3"] == pytest.approx(then, abs=5)
    machine.advance_to(2700)
    used = (machine.ran - before)[1:]
    rows = [machine.flat.row_of[ids[name]] - 1 for name in ("1", "2")]
    assert 100 * used[rows].sum() / used.sum() == pytest.approx(group_a, abs=5)


def one_leaf(spec: PolicySpec | None = None) -> tuple[PolicyInput, PolicyState]:
    given = PolicyInput(FlatTree.of(tree_of({"u": 1, "idle": 3})), spec or PolicySpec())
    return given, PolicyState.empty(3)


def started(given: PolicyInput, state: PolicyState) -> Parameters:
    """Who is active has an l-node, as the machine gives it to them."""
    policy = policy_of(given.spec)
    state.lnode[:] = state.leaf_active(given.flat)
    state.entitled[:] = policy.entitled(given, state)
    parameters = parameters_of(policy, given, state)
    engine.take_steps(accounting.START, parameters, state)
    return parameters


def test_the_rate_follows_the_number_of_runnable_processes_by_a_4_s_filter() -> None:
    given, state = one_leaf()
    state.runnable[1] = state.processes[1] = 5
    state.logged_in[2] = True
    parameters = started(given, state)
    decay = 0.5 ** (1 / 4)
    rate = decay
    for _ in range(8):
        engine.take_steps(accounting.SECOND, parameters, state)
        rate = max(decay, decay * rate) + (1 - decay) * 5
        assert state.rate[1] == pytest.approx(rate)
    assert state.rate[2] == pytest.approx(decay)  # the floor: nobody's rate falls to nothing


def test_usage_decays_by_half_in_a_half_life_and_charge_never() -> None:
    given, state = one_leaf(PolicySpec(half_life_s=120))
    state.usage[1], state.charge[1] = 1000.0, 500.0
    parameters = started(given, state)
    for delta in range(30):
        engine.take_steps(accounting.DELTA, parameters, state, delta)
    assert state.usage[1] == pytest.approx(500.0)
    assert state.charge[1] == 500.0


def test_kusage_is_usage_over_the_square_of_the_share_within_limits() -> None:
    given, state = one_leaf()
    state.logged_in[:] = (False, True, True)
    state.usage[:] = (0, 1e6, 0)
    engine.take_steps(accounting.DELTA, started(given, state), state, 1)
    decayed = 1e6 * 0.5 ** (4 / 120)
    assert state.kusage[1] == pytest.approx(decayed / 0.25**2)
    assert state.kusage[2] == 2.0


def test_no_share_is_the_lowest_priority_and_no_division_by_zero() -> None:
    given, state = one_leaf()
    state.logged_in[1] = True
    with np.errstate(all="raise"):
        started(PolicyInput(FlatTree.of(tree_of({"u": 0, "v": 0})), PolicySpec()), state)
    assert state.kusage[1] == given.spec.max_kusage


def test_group_adjustment_never_leaves_the_range_of_numbers() -> None:
    tree = tree_of({"A": (1, {"a": 1}), "B": (1_000_000, {"b": 1})})
    given = PolicyInput(FlatTree.of(tree), PolicySpec(adjgroups="share", mingshare=1.0), count_inactive=True)
    state = PolicyState.empty(5)
    state.runnable[:] = state.processes[:] = (0, 0, 1, 0, 1)
    parameters = started(given, state)
    for delta in range(200):
        state.cost[2] = 240_000.0
        engine.take_steps(accounting.DELTA, parameters, state, delta)
    assert state.rate.max() <= LARGEST_RATE
    state.cost[:] = 0
    for _ in range(200):
        engine.take_steps(accounting.SECOND, parameters, state)
    assert state.rate.max() == pytest.approx(1.0, abs=0.2)


def test_an_unknown_policy_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(SettingError, match=r"unknown policy 'shar'. Did you mean share\?"):
        policy_named("shar")


def test_files_may_name_the_policies_that_there_are() -> None:
    assert set(POLICY_NAMES) == set(POLICIES)
