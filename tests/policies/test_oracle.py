"""All policies, step by step, against the same rules in plain Python on random trees and loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine import engine
from fsconsole.policies import accounting
from fsconsole.policies.registry import policy_of
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.policies.steps import parameters_of
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.tree import Kind, ShareTree
from tests.laws import tries
from tests.policies.oracle import Node, Oracle

TICK, SECONDS, CAPACITY = 1000.0, 4, 240_000.0
USAGE = 2e7  # more than one user has who computes for ever, so above any floor under usages
VARIANTS: dict[str, dict[str, Any]] = {
    "share": {},
    "share with a share quantum": {"sharemin": 0.1},
    "LIMSHARE": {"limshare": True, "maxushare": 1.5},
    "ADJGROUPS": {"adjgroups": "share"},
    "ADJGROUPS without a dead band": {"adjgroups": "share", "mingshare": 1.0, "rate_half_life_s": 30.0},
    "integral": {"adjgroups": "integral"},
    "flat": {"name": "flat"},
    "feedback": {"name": "feedback"},
    "feedback, gains by level": {"name": "feedback", "k_mu": (0.2, 0.4), "nu": 1.3, "redistribution_s": 8.0},
    "fixed": {"name": "fixed"},
    "process-fair": {"name": "process-fair"},
    "exponential": {"name": "exponential"},
}


@st.composite
def trees(draw: st.DrawFn) -> Node:
    """A root with one to three children, users or groups of users and groups."""
    count = iter(range(1000))

    def node(depth: int) -> Node:
        made = Node(f"n{next(count)}", draw(st.integers(0, 9)), depth=depth)
        if depth < 3 and draw(st.booleans()):
            made.children = [node(depth + 1) for _ in range(draw(st.integers(1, 3)))]
        else:
            made.active = draw(st.sampled_from([True, True, True, False]))
        return made

    root = Node("root", 1)
    root.children = [node(1) for _ in range(draw(st.integers(1, 3)))]
    return root


def share_tree(root: Node) -> ShareTree:
    tree = ShareTree()

    def add(parent: int, children: list[Node]) -> None:
        for child in children:
            kind = Kind.GROUP if child.children else Kind.USER
            add(tree.add(parent, child.name, child.shares, kind).id, child.children)

    add(tree.root.id, root.children)
    return tree


@pytest.mark.parametrize("variant", VARIANTS)
@given(root=trees(), seed=st.integers(0, 2**32 - 1), deltas=st.integers(1, 6))
@tries(60)
def test_increments_are_those_of_the_rules(variant: str, root: Node, seed: int, deltas: int) -> None:
    random = np.random.default_rng(seed)
    spec = PolicySpec(**VARIANTS[variant])
    tree = share_tree(root)
    flat = FlatTree.of(tree)
    given_to = PolicyInput(flat, spec, capacity=CAPACITY)
    state, policy = PolicyState.empty(len(flat)), policy_of(spec)
    rows = {tree.node(int(node)).name: row for row, node in enumerate(flat.ids)}
    for leaf in root.leaves():
        state.logged_in[rows[leaf.name]] = state.lnode[rows[leaf.name]] = leaf.active
        state.usage[rows[leaf.name]] = leaf.usage = USAGE * float(random.uniform(1, 20))
    state.node_usage[:] = flat.group_sum(state.usage)
    state.entitled[:] = policy.entitled(given_to, state)
    parameters = parameters_of(policy, given_to, state)
    engine.take_steps(accounting.START, parameters, state)
    oracle = Oracle(root, spec, CAPACITY, given_to.largest_increment)
    for number in range(1, deltas + 1):
        for leaf in root.leaves():
            leaf.runnable = int(random.integers(0, 4)) if leaf.active else 0
            # Who computed in this delta may be asleep at its end, or the other way round.
            has_computed = leaf.active and random.random() < (0.9 if leaf.runnable else 0.5)
            leaf.cost = TICK * int(random.integers(1, 241)) if has_computed else 0.0
            state.runnable[rows[leaf.name]] = state.processes[rows[leaf.name]] = leaf.runnable
            state.cost[rows[leaf.name]] = leaf.cost
        for _ in range(SECONDS):
            engine.take_steps(accounting.SECOND, parameters, state)
            oracle.second()
        engine.take_steps(accounting.DELTA, parameters, state, number)
        oracle.delta(number)
        measured = {leaf.name: float(state.increment[rows[leaf.name]]) for leaf in oracle.present}
        # Increments are integers: half a point apart at most, beside the rounding of the sums.
        assert measured == pytest.approx(oracle.increments(), rel=1e-9, abs=0.51)
        usages = {leaf.name: float(state.usage[rows[leaf.name]]) for leaf in root.leaves()}
        assert usages == pytest.approx({leaf.name: leaf.usage for leaf in root.leaves()}, rel=1e-12)


def test_the_oracle_has_a_variant_of_every_policy() -> None:
    from fsconsole.shares.scenario.policy_spec import POLICY_NAMES

    assert {PolicySpec(**variant).name for variant in VARIANTS.values()} == set(POLICY_NAMES)
    assert np.isclose(CAPACITY, TICK * 60 * SECONDS)
