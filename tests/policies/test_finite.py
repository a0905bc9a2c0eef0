"""Compiled divisions by zero give infinity in place of an error: so no column may ever hold one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fsconsole.machine import engine
from fsconsole.machine.machine import machine_for
from fsconsole.machine.operate import MAX_USAGE
from fsconsole.policies import accounting
from fsconsole.policies.accounting import LARGEST_RATE
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.registry import policy_of
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.policies.steps import parameters_of
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES, PolicySpec
from tests.laws import tries
from tests.machine.worlds import Nested, scenario_of
from tests.policies.trees import comb, flat_tree, flat_trees

VARIANTS: dict[str, dict[str, Any]] = {
    **{name: {"name": name} for name in POLICY_NAMES},
    "LIMSHARE": {"limshare": True, "maxushare": 1.0, "min_kusage": 1e-15},
    "flat, LIMSHARE": {"name": "flat", "limshare": True, "maxushare": 1000.0},
    "ADJGROUPS": {"adjgroups": "share", "mingshare": 1.0},
    "integral": {"adjgroups": "integral"},
    "share quantum": {"sharemin": 0.5, "adjgroups": "share"},
    "feedback, extreme": {"name": "feedback", "nu": 1.0 + 2**-50, "base_min": 1e-6, "k_mu": (2.0,)},
}


def assert_finite(state: PolicyState, par: Parameters) -> None:
    for name, column in state.columns().items():
        assert np.isfinite(column).all(), name
    assert (state.increment[par.present] >= 1).all()
    assert (state.kusage[par.present] > 0).all()
    assert (state.weight > 0).all()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("capacity", [0.0, 240_000.0])
@example(flat=comb(60), seed=1, level=1e6)
@example(flat=flat_tree([0, 0, 1, 1, 2, 2], [0] * 6), seed=2, level=0.0)
@given(
    flat=flat_trees(),
    seed=st.integers(0, 2**32 - 1),
    level=st.sampled_from([0.0, 5e-324, 1.0, 1e6, MAX_USAGE]),
)
@tries(40)
def test_every_column_stays_finite(
    variant: str, capacity: float, flat: FlatTree, seed: int, level: float
) -> None:
    random, n, spec = np.random.default_rng(seed), len(flat), PolicySpec(**VARIANTS[variant])
    given_to, policy = PolicyInput(flat, spec, capacity=capacity), policy_of(spec)
    state = PolicyState.empty(n)
    state.logged_in[:] = state.lnode[:] = flat.is_leaf & (random.random(n) < 0.8)
    state.usage[:] = np.where(flat.is_leaf, level * random.integers(0, 3, n), 0.0)
    state.node_usage[:] = flat.group_sum(state.usage)
    state.entitled[:] = policy.entitled(given_to, state)
    parameters = parameters_of(policy, given_to, state)
    engine.take_steps(accounting.START, parameters, state)
    assert_finite(state, parameters)
    for number in range(1, 7):
        present = flat.is_leaf & state.lnode
        state.runnable[:] = state.processes[:] = np.where(present, random.integers(0, 3, n), 0)
        state.cost[:] = np.where(present, capacity * random.integers(0, 2, n), 0.0)
        engine.take_steps(accounting.SECOND, parameters, state)
        assert_finite(state, parameters)
        engine.take_steps(accounting.DELTA, parameters, state, number)
        assert_finite(state, parameters)


def test_a_product_of_group_factors_beyond_all_numbers_leaves_rates_finite() -> None:
    """Of 34 groups inside each other all but a 2^31st goes to somebody else, and the last one has it all."""
    flat, spec = comb(35), PolicySpec(adjgroups="share", mingshare=1.0)
    given_to, state = PolicyInput(flat, spec), PolicyState.empty(len(flat))
    state.logged_in[:] = state.lnode[:] = flat.is_leaf
    state.runnable[:] = state.processes[:] = flat.is_leaf
    state.entitled[:] = policy_of(spec).entitled(given_to, state)
    entitled = np.flatnonzero(flat.is_leaf & (state.entitled > 0))
    deepest = entitled[state.entitled[entitled].argmin()]
    assert state.entitled[deepest] < 1 / np.finfo(float).max
    parameters = parameters_of(policy_of(spec), given_to, state)
    engine.take_steps(accounting.START, parameters, state)
    state.cost[deepest] = given_to.capacity
    engine.take_steps(accounting.DELTA, parameters, state, 1)
    assert_finite(state, parameters)
    assert state.rate[deepest] == LARGEST_RATE


ALL_ZERO: Nested = {"A": (0, {"a1": 0, "a2": 0}), "B": (0, {"b1": 0}), "C": (0, {}), "solo": 0}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("tick_cost", [0.0, 1000.0])
def test_a_machine_where_nobody_has_shares_and_no_tick_costs_goes_on(variant: str, tick_cost: float) -> None:
    scenario = scenario_of(ALL_ZERO, loops=["a1", "b1", ("solo", Work(cpu_s=3.0)), "root"], cpus=2)
    changes = {f"policy.{key}": value for key, value in VARIANTS[variant].items()}
    machine = machine_for(scenario, {**changes, "machine.tick_cost": tick_cost})
    machine.advance_to(60)
    assert_finite(machine.state, machine.parameters)
    assert machine.ran.sum() == 60 * 60 * 2
    sample = machine.sample()
    assert all(np.isfinite(column).all() for column in sample.columns.values())


def test_priorities_grow_even_where_none_may_grow_fast() -> None:
    """A decay that leaves nearly all of a priority leaves no room under 2^62; increments are 1 at least."""
    nearly_all = (1 - 2**-53) / 40  # of the least favoured nice value, 39
    slow = {"machine.decay_interval_s": 20.0, "machine.k3": 1.0, "machine.k2": nearly_all}
    machine = machine_for(scenario_of({"one": 1, "two": 1}, loops=["one", "two"]), slow)
    machine.advance_to(60)
    assert machine.given.largest_increment >= 1
    assert (machine.state.increment[machine.parameters.present] >= 1).all()
    assert sum(machine.ran[1:].tolist()) == 3600
