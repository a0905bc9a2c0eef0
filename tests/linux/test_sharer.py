"""Share on Linux: the weights that a sharer sets, on a kernel that divides by them exactly."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.linux.sharer import Sharer, active_leaves
from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.cpu_weights import V1, V2
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree

MEAN_OF = 5  # deltas


def test_without_usage_each_gets_its_allocated_share() -> None:
    tree = ShareTree()
    group = tree.add(ROOT_ID, "g", 3, Kind.GROUP).id
    a, b, c = (
        tree.add(parent, name, shares).id
        for parent, name, shares in ((group, "a", 2), (group, "b", 1), (ROOT_ID, "c", 1))
    )
    sharer = Sharer(tree, 120.0)
    found = sharer.effective_shares(frozenset({a, b, c}))
    # usage of nobody is nothing, so 1 / kusage goes as share squared
    shares = np.array([0.5, 0.25, 0.25])
    assert [found[node] for node in (a, b, c)] == pytest.approx(shares**2 / (shares**2).sum())
    sharer.take({a: 0.5, b: 0.25, c: 0.25}, 4.0)
    even = sharer.effective_shares(frozenset({a, b, c}))
    assert [even[node] for node in (a, b, c)] == pytest.approx(shares)
    weights = sharer.weights(frozenset({a, b, c}), V2)
    assert weights[group] / weights[c] == pytest.approx(3.0, rel=0.01)
    assert weights[a] / weights[b] == pytest.approx(2.0, rel=0.01)


def test_usage_halves_in_a_half_life() -> None:
    tree = ShareTree()
    a = tree.add(ROOT_ID, "a", 1).id
    sharer = Sharer(tree, 100.0)
    sharer.take({a: 8.0}, 1.0)
    for _ in range(200):
        sharer.take({}, 1.0)
    assert sharer.usage[a] == pytest.approx(2.0)


def test_who_used_nothing_is_not_active() -> None:
    tree = ShareTree()
    a, b = tree.add(ROOT_ID, "a", 1).id, tree.add(ROOT_ID, "b", 1).id
    assert active_leaves(tree, {a: 0.5, b: 0.0001}, 1.0, ()) == {a}
    assert active_leaves(tree, {a: 0.5, b: 0.0001}, 1.0, {b}) == {a, b}
    weights = Sharer(tree, 100.0).weights(frozenset(), V1)
    assert weights[a] == weights[b]


def test_series_6_is_that_of_the_simulated_convex() -> None:
    """u21 logs in at 490 s. From 30 s after that both agree within 2 points, with a mean over 20 s.

    Sooner they do not: the Convex favours by priorities, which take some seconds to grow apart.
    """
    scenario = read_scenario(examples() / "convex-series-6.yaml")
    tree, delta_s = scenario.tree, scenario.policy.delta_s
    nodes = [tree.find(name).id for name in ("u11", "u21", "u22")]
    machine, sharer = Machine(scenario), Sharer(tree, scenario.policy.half_life_s)
    used = np.zeros(3)
    simulated, ideal = [], []
    times = np.arange(delta_s, 1200.0 + delta_s / 2, delta_s)
    for time_s in times:
        machine.advance_to(float(time_s))
        sample = machine.sample()
        rows = [sample.ids.tolist().index(node) for node in nodes]
        now = sample.cpu_s[rows]
        simulated.append((now - used) / (now - used).sum())
        used = now
        active = frozenset(node for node in nodes if node != nodes[1] or time_s > 490.0)
        shares = sharer.effective_shares(active)
        ideal.append([shares[node] for node in nodes])
        sharer.take({node: shares[node] * delta_s for node in nodes}, delta_s)
    kernel = np.ones(MEAN_OF) / MEAN_OF
    means = [
        np.array([np.convolve(line, kernel, "valid") for line in np.array(one).T])
        for one in (simulated, ideal)
    ]
    apart = np.abs(means[0] - means[1]).max(axis=0)
    ends = times[MEAN_OF - 1 :]
    is_late = (ends < 490.0) | (ends > 520.0)
    assert apart[is_late].max() < 0.02
    assert apart.max() < 0.12
    assert means[1][:, -1] == pytest.approx([0.5, 0.4, 0.1], abs=0.005)
