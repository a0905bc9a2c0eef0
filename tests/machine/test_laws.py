"""Laws that hold for every machine, whatever is on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine, machine_for
from fsconsole.machine.sample import Sample
from fsconsole.shares.scenario.actions import Action, EndProcesses, Login, Logout, StartProcess, Work
from fsconsole.shares.scenario.spec import Scenario
from tests.laws import tries
from tests.machine.worlds import Nested, same, scenario_of, split

TREE: Nested = {
    "A": (3, {"a1": 1, "a2": 2, "deep": (1, {"a3": 5})}),
    "B": (2, {"b1": 1, "none": 0}),
    "empty": (4, {}),
    "solo": 1,
}
USERS = ("a1", "a2", "a3", "b1", "none", "solo")
IDS = {node.name: node.id for node in scenario_of(TREE).tree.walk()}

works = st.builds(
    Work,
    burst_s=st.sampled_from([None, 0.05, 0.5]),
    sleep_s=st.sampled_from([0.0, 0.2, 1.0]),
    cpu_s=st.sampled_from([None, 0.3, 2.0]),
    spread=st.sampled_from(["fixed", "exponential"]),
)
loops = st.lists(
    st.tuples(st.sampled_from((*USERS, "root")), works, st.integers(1, 3), st.integers(0, 39)), max_size=6
)
nodes = st.sampled_from(USERS).map(IDS.__getitem__)
actions = st.one_of(
    nodes.map(Login),
    nodes.map(Logout),
    nodes.map(EndProcesses),
    st.builds(StartProcess, node=nodes, work=works, count=st.integers(1, 2)),
)
events = st.lists(st.tuples(st.floats(0, 12).map(lambda at: round(at, 2)), actions), max_size=5)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    cpus, seed = draw(st.integers(1, 4)), draw(st.integers(0, 2**63))
    return scenario_of(TREE, loops=draw(loops), events=draw(events), cpus=cpus, seed=seed)


@tries(25)
@given(scenarios(), st.lists(st.integers(1, 700), min_size=1, max_size=4))
def test_the_way_there_does_not_matter(scenario: Scenario, stops: list[int]) -> None:
    straight, halting = Machine(scenario), Machine(scenario)
    straight.advance(720)
    for stop in sorted(stops):
        halting.advance(stop)
    halting.advance(720)
    assert same(straight, halting)


@tries(10)
@given(scenarios(), st.sampled_from([0.5, 3.0, 7.0]))
def test_being_watched_does_not_matter(scenario: Scenario, sample_s: float) -> None:
    often, seldom = Machine(scenario), machine_for(scenario, sample_s=sample_s)
    for machine in (often, seldom):
        machine.advance(700)
    assert same(often, seldom)


@tries(20)
@given(scenarios())
def test_no_tick_is_lost_or_given_twice(scenario: Scenario) -> None:
    machine = Machine(scenario)
    machine.advance(600)
    living = np.bincount(
        machine.processes.owner, weights=machine.processes.cpu_ticks, minlength=len(machine.flat)
    )
    assert (machine.ran >= living).all()  # the rest was used by processes that have ended
    assert machine.ran.sum() <= 600 * scenario.machine.cpus
    charged = (machine.state.charge + machine.state.cost).sum()
    assert charged == pytest.approx(1000.0 * machine.ran.sum())


def test_a_busy_machine_is_never_idle() -> None:
    machine = Machine(scenario_of(TREE, loops=["a1", "b1", "solo"], cpus=3))
    machine.advance(600)
    assert machine.ran.sum() == 1800


@tries(10)
@given(
    # Nobody is entitled to so little that a second holds hardly a tick of his.
    st.lists(st.integers(1, 4), min_size=2, max_size=4),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_in_equilibrium_all_have_the_same_normalised_usage(first: list[int], second: list[int]) -> None:
    tree: dict[str, Any] = {"A": (2, {f"a{i}": s for i, s in enumerate(first)})}
    tree["B"] = (1, {f"b{i}": s for i, s in enumerate(second)})
    machine = Machine(scenario_of(tree, loops=[*tree["A"][1], *tree["B"][1]]))
    machine.advance_to(1200)
    total = np.zeros(len(machine.flat))
    for _ in range(30):  # over a minute, since a single delta is only 240 ticks
        machine.advance(machine.tick + 240)
        total += machine.sample().columns["normalised_usage"]
    assert total[machine.flat.is_leaf] == pytest.approx(total[0], rel=0.04)


@pytest.mark.parametrize("half_life_s", [60.0, 120.0, 300.0])
def test_differences_of_squared_normalised_usage_decay_in_half_a_half_life(half_life_s: float) -> None:
    """n_i^2 - n_j^2 goes as exp(-2 t ln2 / half-life): to a quarter in one half-life."""
    even = 30_000 * half_life_s / np.log(2)  # the usage at which each of two equal users stays
    usage = {"x": 1.2 * even, "y": 0.8 * even}
    scenario = scenario_of({"x": 1, "y": 1}, loops=["x", "y"], usage=usage)
    machine = machine_for(scenario, {"policy.half_life_s": half_life_s})

    def difference() -> float:
        rows = machine.sample().columns["normalised_usage"]
        return float(rows[1] ** 2 - rows[2] ** 2)

    start = difference()
    for half_lives in (0.5, 1.0):
        machine.advance_to(half_lives * half_life_s)
        assert difference() / start == pytest.approx(0.25**half_lives, abs=0.02)


def test_a_user_without_enough_processes_cannot_use_his_share() -> None:
    """3 processes of a 75 % user against 16 others on 8 CPUs: 3/8, not 3/4."""
    machine = Machine(scenario_of({"big": 75, "others": 25}, loops=["big"] * 3 + ["others"] * 16, cpus=8))
    machine.advance_to(120)
    assert split(machine, 600) == pytest.approx({"big": 37.5, "others": 62.5}, abs=0.1)


def test_no_shares_runs_only_when_nothing_else_can() -> None:
    machine = Machine(scenario_of({"x": 1, "zero": 0}, loops=["x", "zero"]))
    machine.advance_to(60)
    assert split(machine, 300).get("zero", 0.0) < 0.1
    machine.act(EndProcesses(machine.tree.find("x").id))
    assert split(machine, 400) == {"zero": 100.0}


def test_all_without_shares_share_alike() -> None:
    machine = Machine(scenario_of({"x": 0, "y": 0}, loops=["x", "y"]))
    assert split(machine, 300) == pytest.approx({"x": 50.0, "y": 50.0}, abs=0.5)


def decay(nice: int) -> float:
    return 0.988514 / 66 * (nice + 27)


@pytest.mark.parametrize("nice", [10, 28, 39])
def test_nice_moves_cpu_between_processes_of_a_user_as_the_decays_say(nice: int) -> None:
    """Instantaneous CPU ~ (1 - d_i)/(1 - d_j): the increments are the same."""
    machine = Machine(scenario_of({"x": 1}, loops=[("x", Work(), 1, 20), ("x", Work(), 1, nice)]))
    machine.advance_to(900)
    before = machine.processes.cpu_ticks.copy()
    machine.advance_to(2700)
    normal, other = (machine.processes.cpu_ticks - before).tolist()
    assert other / normal == pytest.approx((1 - decay(nice)) / (1 - decay(20)), rel=0.05)


def test_nice_moves_cpu_between_users_by_the_square_root() -> None:
    machine = Machine(scenario_of({"x": 1, "y": 1}, loops=["x", ("y", Work(), 1, 28)]))
    machine.advance_to(1200)
    part = split(machine, 3600)
    assert part["x"] / part["y"] == pytest.approx(((1 - decay(20)) / (1 - decay(28))) ** 0.5, rel=0.03)


def test_nice_makes_ticks_dearer_or_cheaper_where_the_machine_says_so() -> None:
    scenario = scenario_of({"x": 1, "y": 1}, loops=[("x", Work(), 1, 0), ("y", Work(), 1, 39)], cpus=2)
    machine = machine_for(scenario, {"machine.nice_cost": "share"})
    machine.advance_to(4)
    assert machine.state.charge[1:].tolist() == [240 * 1500.0, 240 * 1000.0 * 21 / 40]


def test_samples_come_at_their_times_and_rates_are_over_the_window() -> None:
    scenario = scenario_of({"x": 1, "y": 1}, loops=["x", "y"], sample_s=2.5)
    machine = machine_for(scenario)
    seen: list[Sample] = []
    machine.listeners.append(seen.append)
    machine.advance_to(30)
    assert [sample.time_s for sample in seen] == [2.5 * at for at in range(1, 13)]
    assert seen[-1].columns["cpu_rate"] == pytest.approx([1.0, 0.5, 0.5], abs=0.01)
    assert seen[-1].cpu_s[0] == pytest.approx(30.0)


def test_a_rate_between_samples_further_apart_than_the_window_is_no_zero() -> None:
    machine = machine_for(scenario_of({"x": 1}, loops=["x"]), sample_s=30.0)
    machine.advance_to(60)
    assert machine.sample().columns["cpu_rate"].tolist() == [1.0, 1.0]


def test_an_event_beyond_the_end_does_not_happen_and_one_at_the_end_does() -> None:
    late: list[tuple[float, Action]] = [(10.0, StartProcess(1, Work())), (11.0, Login(1))]
    machine = Machine(scenario_of({"x": 1}, events=late))
    machine.advance_to(10)
    assert (len(machine.processes), bool(machine.state.logged_in[1])) == (1, False)
