"""Rules that look back: SGE's targets by its formulas, Slurm's rules by what they level out, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from fsconsole.app.tree.elsewhere.rule import Rule
from fsconsole.app.tree.elsewhere.rules import RULES, rules_named
from fsconsole.app.tree.elsewhere.sge import targets
from fsconsole.app.tree.elsewhere.slurm import CLASSIC, FAIR_TREE
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import split
from fsconsole.shares.tree import Kind, ShareTree
from tests.app.elsewhere.dividing import asked, divided
from tests.laws import tries
from tests.shares.trees import junglas_tree, trees


def _example_of_the_manual() -> FlatTree:
    """share_tree(5): projects P1 and P2 with 50 shares, all others 10."""
    tree = ShareTree("Root")
    for name, shares in (("P1", 50), ("P2", 50), ("default", 10)):
        tree.add(0, name, shares)
    return FlatTree.of(tree)


def test_long_term_targets_are_shares_of_nodes_with_jobs() -> None:
    flat = _example_of_the_manual()
    found = targets(flat, np.zeros(4), np.ones(4, bool))
    assert found.long_overall[1:] == pytest.approx(np.array([50, 50, 10]) / 110)
    found = targets(flat, np.zeros(4), np.array([True, True, False, True]))
    assert found.long_overall[1:] == pytest.approx(np.array([50, 0, 10]) / 60)


def test_short_term_targets_compensate_for_usage() -> None:
    """s^2/u by hand: with usage 1000, 500, 100 the targets are 2.5, 5 and 1 of 8.5."""
    usage = np.array([1600.0, 1000.0, 500.0, 100.0])
    found = targets(_example_of_the_manual(), usage, np.ones(4, bool))
    assert found.short[1:] == pytest.approx(np.array([2.5, 5.0, 1.0]) / 8.5)


def test_compensation_is_cut_back() -> None:
    """Usage 10000, 10000, 1: targets before are 0.25, 0.25, 100; the last is above 5 times 1/11."""
    usage = np.array([20001.0, 10_000.0, 10_000.0, 1.0])
    flat, jobs = _example_of_the_manual(), np.ones(4, bool)
    without = targets(flat, usage, jobs, compensation=0).short
    assert without[3] == pytest.approx(100 / 100.5)
    cut = 100 / ((100 / 100.5) / (5 / 11))
    assert targets(flat, usage, jobs).short[3] == pytest.approx(cut / (cut + 0.5))


@pytest.mark.parametrize("rule", rules_named(["fair-tree", "sge"]), ids=lambda rule: rule.name)
def test_rules_that_level_siblings_end_at_surplus_by_shares(rule: Rule) -> None:
    of = asked(junglas_tree(), {"u11": 0.05})
    expected = split(of.flat, of.wanted).what_if
    assert rule.divide(of).parts == pytest.approx(expected, abs=0.01)


def test_classic_levels_usage_by_shares_over_the_whole_tree() -> None:
    """Saturated users end at equal UE/S (Yalim): solved by hand for groups of one and two users.

    With shares 1:1 for the groups and S = 1/2, 1/4, 1/4: UE = x for the single user, y + (2y - y)/2 = 3y/2
    for each of two; x/(1/2) = (3y/2)/(1/4) and x + 2y = 1 give x = 3/5, y = 1/5.
    """
    tree = ShareTree("root")
    for name, users in (("one", 1), ("two", 2)):
        group = tree.add(0, name, 1, Kind.GROUP)
        for number in range(users):
            tree.add(group.id, f"{name}{number}", 1)
    got = divided(CLASSIC, tree)
    assert (got["one0"], got["two0"], got["two1"]) == pytest.approx((0.6, 0.2, 0.2), abs=0.005)
    assert divided(FAIR_TREE, tree)["one"] == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    "demands", [{}, {"u11": 0.05, "u23": 0.0}, {"g2": 0.2}, {"g1": 0.1, "g2": 0.3}, {"g1": 0.0}]
)
def test_nobody_gets_more_than_wanted_and_nothing_that_is_wanted_is_lost(
    rule: Rule, demands: dict[str, float]
) -> None:
    of = asked(junglas_tree(), demands)
    parts = rule.divide(of).parts
    assert np.all(parts <= of.wanted + 1e-6)
    assert parts[0] == pytest.approx(of.wanted[0], abs=2e-3)
    assert parts == pytest.approx(of.flat.group_sum(parts))


@tries(8)
@given(trees(5))
def test_any_tree_can_be_divided(tree: ShareTree) -> None:
    of = asked(tree)
    for rule in RULES:
        parts = rule.divide(of).parts
        assert np.all((parts >= 0) & (parts <= 1 + 1e-9))
