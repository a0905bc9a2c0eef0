"""Whole numbers of shares, weights and node-seconds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.integer_units import decayed, grains_in_node_second, whole_shares, whole_weights
from fsconsole.batch.policy import DAY_S, BatchPolicy, UsageWeights
from fsconsole.batch.reference_usage import UserUsage, entitled_nodes
from tests.batch.workloads import KTH_NODES, kth, table_of
from tests.texts import refuses

_ANY_SHARES = st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("shares", "whole"),
    [
        ([1.0, 1.0, 1.0], [1, 1, 1]),
        ([0.25, 0.25], [1, 1]),
        ([0.1, 0.2, 0.3], [1, 2, 3]),
        ([1 / 3, 0.1], [10, 3]),
        ([1 / 6, 1 / 3, 1 / 2], [1, 2, 3]),
        ([], []),
    ],
)
def test_shares_in_a_ratio_of_small_numbers_become_these(shares: list[float], whole: list[int]) -> None:
    assert whole_shares(np.array(shares)).tolist() == whole


@given(_ANY_SHARES)
def test_whole_shares_are_in_the_ratio_of_shares(shares: list[float]) -> None:
    whole = whole_shares(np.array(shares))
    assert (whole >= 1).all()
    assert whole.sum() < 2**31
    parts = np.array(shares) / sum(shares)
    np.testing.assert_allclose(whole / whole.sum(), parts, rtol=1e-11, atol=len(shares) * 2.0**-30)


def test_weights_become_whole_numbers_in_their_ratio() -> None:
    assert whole_weights(UsageWeights()) == (7, 7, 30)
    assert whole_weights(UsageWeights(0, 0, 1e-9)) == (0, 0, 0)


def test_a_day_of_kth_is_counted_in_grains_that_up_to_26_users_share_evenly() -> None:
    grains = grains_in_node_second(kth(), KTH_NODES, BatchPolicy("relshare", window_s=DAY_S))
    assert all(grains % users == 0 for users in range(1, 27))
    assert 2 * KTH_NODES * DAY_S * grains < 2**62


def test_a_machine_for_which_64_bits_are_too_few_is_refused() -> None:
    jobs = table_of([(0, 2**40, 1, 0)])
    with refuses(ValueError, "batch.workload-is-too-long-or"):
        grains_in_node_second(jobs, 2**30, BatchPolicy("relshare", window_s=2**40))


def test_what_is_handed_on_is_the_nearest_whole_number() -> None:
    assert [decayed(grains, 0.5) for grains in (0, 1, 2, 10)] == [0, 1, 1, 5]
    assert decayed(10**12, 0.0) == 0


@given(
    st.lists(st.tuples(st.integers(1, 40), st.floats(1e-3, 1e3)), min_size=1, max_size=8), st.integers(1, 30)
)
def test_entitlements_in_grains_are_those_of_rule_7(users: list[tuple[int, float]], nodes: int) -> None:
    jobs = table_of([(0, 1, requested, user) for user, (requested, _) in enumerate(users)], len(users))
    shares = np.array([share for _, share in users])
    usage = UserUsage(jobs, nodes, BatchPolicy("relshare"), shares)
    for row in range(len(users)):
        usage.arrived(row, 0)
    entitled_s = [usage.account(user, 10)[2] for user in range(len(users))]
    requested = {user: requested for user, (requested, _) in enumerate(users)}
    entitled = entitled_nodes(nodes, [Fraction(share) for _, share in users], requested)
    expected = [float(10 * entitled[user]) for user in range(len(users))]
    np.testing.assert_allclose(entitled_s, expected, rtol=1e-5, atol=1e-5)
