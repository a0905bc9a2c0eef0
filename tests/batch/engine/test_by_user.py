"""Policies by user: the compiled engine makes the schedules of the plain loop, and keeps the same log."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch import reference_loop
from fsconsole.batch.engine import by_user_queues
from fsconsole.batch.engine.by_user_order import _compare_products
from fsconsole.batch.engine.multi_reservation import run
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.reference_usage import Number, UserUsage
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.linking import WholeCompiler
from tests.batch.drawn_policies import policies_by_user, shares_of
from tests.batch.workloads import (
    KTH_NODES,
    KTH_STARTS,
    assert_lawful,
    assert_same,
    kth,
    random_workload,
    starts_digest,
    table_of,
    workloads,
)
from tests.laws import tries

_RELSHARE = BatchPolicy("relshare", window_s=3600)
_EVERY_KIND = [
    _RELSHARE,
    replace(_RELSHARE, expected_usage=False),
    replace(_RELSHARE, form="difference"),
    replace(_RELSHARE, decay=0.5),
    replace(_RELSHARE, carry_reservation=True),
    replace(_RELSHARE, boundary_passes=True, origin_s=1234),
    replace(_RELSHARE, order="upper"),
    replace(_RELSHARE, order="lower"),
    replace(_RELSHARE, order="weighted"),
    replace(_RELSHARE, order="weighted", carry_reservation=True, decay=0.9, weights=UsageWeights(1, 0, 5)),
]


def _run(jobs: JobTable, nodes: int, policy: BatchPolicy, shares: Floats | None = None) -> Schedule:
    return run(jobs, nodes, policy, np.ones(len(jobs.users)) if shares is None else shares, True)


class _ExactUsage(UserUsage):
    """Usage and entitlement in fractions, without grains."""

    def _in_grains(self, nodes: Number) -> Number:
        return self._grains * nodes

    def _decayed(self, grains: Number) -> Number:
        return Fraction(self._policy.decay) * grains


@tries(200)
@given(workloads(), policies_by_user(), shares_of(4), st.sampled_from([1, 3, 32]))
def test_small_workloads_full_of_ties_are_scheduled_as_by_the_plain_loop(
    workload: tuple[JobTable, int], policy: BatchPolicy, shares: Floats, few: int
) -> None:
    jobs, nodes = workload
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_user_queues, "_FEW", few)  # all others that wait are searched in the tree
        made = _run(jobs, nodes, policy, shares)
    assert_same(made, simulate_plainly(jobs, nodes, policy, shares))


@tries(200)
@given(
    workloads(users=6), policies_by_user(decays=(0.0,)), st.lists(st.integers(1, 3), min_size=6, max_size=6)
)
def test_grains_order_users_as_exact_fractions_do(
    workload: tuple[JobTable, int], policy: BatchPolicy, whole: list[int]
) -> None:
    jobs, nodes = workload
    shares = np.array(whole, dtype=np.float64)
    made = _run(jobs, nodes, policy, shares)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference_loop, "UserUsage", _ExactUsage)
        assert_same(made, simulate_plainly(jobs, nodes, policy, shares))


@pytest.mark.parametrize("policy", _EVERY_KIND, ids=lambda policy: policy.label)
@pytest.mark.parametrize(("seed", "load"), [(1, 0.8), (2, 1.3)])
def test_larger_workloads_are_scheduled_as_by_the_plain_loop(
    policy: BatchPolicy, seed: int, load: float
) -> None:
    jobs = random_workload(seed, 400, 64, load)
    shares = np.array([1, 1, 1, 2, 3, 0.5, 10])
    made = _run(jobs, 64, policy, shares)
    assert_same(made, simulate_plainly(jobs, 64, policy, shares))
    assert_lawful(made)


@pytest.mark.parametrize("name", ["relshare", "relshare-no-expected"])
def test_kth_is_scheduled_as_published(name: str) -> None:
    assert starts_digest(_run(kth(), KTH_NODES, POLICIES[name])) == KTH_STARTS[name]


def test_a_carried_reservation_changes_as_many_starts_of_kth_as_published() -> None:
    rebuilt = _run(kth(), KTH_NODES, POLICIES["relshare"])
    carried = _run(kth(), KTH_NODES, BatchPolicy("relshare", carry_reservation=True))
    assert (rebuilt.start_s != carried.start_s).sum() == 12_825
    assert round(carried.wait_s.max() / 3600) == 772


@pytest.mark.parametrize(
    ("window_h", "max_wait_h"), [(4, 187.9), (12, 190.2), (24, 221.8), (48, 228.3), (168, 226.5)]
)
def test_windows_of_kth_wait_as_long_as_published(window_h: int, max_wait_h: float) -> None:
    made = _run(kth(), KTH_NODES, BatchPolicy("relshare", window_s=window_h * 3600))
    assert round(made.wait_s.max() / 3600, 1) == max_wait_h


def test_without_a_log_the_schedule_is_the_same() -> None:
    jobs = random_workload(3, 3000, 64, 1.1)
    shares = np.ones(7)
    for policy in _EVERY_KIND:
        made = run(jobs, 64, policy, shares, False)
        assert made.reservations is None
        np.testing.assert_array_equal(made.start_s, _run(jobs, 64, policy).start_s)


def test_a_log_longer_than_expected_gets_more_room() -> None:
    # While one job keeps the machine, windows open and the two users who wait change places.
    rows = [(0, 100_000, 10, 0), (1, 50, 10, 0), (1, 50, 10, 1), (1, 50, 9, 1)]
    policy = BatchPolicy("relshare", window_s=7, boundary_passes=True, carry_reservation=True)
    jobs = table_of(rows, 2)
    made = _run(jobs, 10, policy)
    assert_same(made, simulate_plainly(jobs, 10, policy))


def test_no_jobs_make_an_empty_schedule() -> None:
    made = _run(table_of([], 2), 4, _RELSHARE)
    assert len(made.start_s) == 0
    assert made.reservations is not None
    assert len(made.reservations.at_s) == 0


def test_users_who_are_equal_go_by_arrival_though_their_thirds_are_added_up_otherwise() -> None:
    # At 9 s users 0 and 2 are both entitled to 40/3 node-seconds more than they have used: user 0 to
    # 2 * 6 + 8 + 4 + 5 * 8/3 less the 24 used, user 2 to 5 * 8/3. Rounded thirds say otherwise.
    jobs = table_of([(0, 4, 6, 0), (2, 1, 3, 0), (3, 5, 8, 1), (4, 5, 7, 2)], 3)
    policy = BatchPolicy("relshare", form="difference")
    assert simulate_plainly(jobs, 8, policy).start_s.tolist() == [0, 9, 4, 10]
    assert _run(jobs, 8, policy).start_s.tolist() == [0, 9, 4, 10]


@numba.njit(pipeline_class=WholeCompiler)
def _order_of_products(first: int, second: int, third: int, fourth: int) -> int:
    order: int = _compare_products(first, second, third, fourth)
    return order


@given(st.lists(st.integers(0, 2**62), min_size=4, max_size=4), st.integers(-1, 1))
def test_products_of_more_than_64_bits_are_compared_exactly(factors: list[int], difference: int) -> None:
    first, second, third, fourth = factors
    expected = int(first * second > third * fourth) - int(first * second < third * fourth)
    assert _order_of_products(first, second, third, fourth) == expected
    near = max(first + difference, 0)  # products that floats do not tell apart
    expected = int(first * second > second * near) - int(first * second < second * near)
    assert _order_of_products(first, second, second, near) == expected
