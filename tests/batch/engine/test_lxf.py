"""The compiled loop of LXF equals the plain one, and the published schedule of KTH."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import (
    KTH_NODES,
    KTH_STARTS,
    assert_lawful,
    assert_same,
    kth,
    random_workload,
    starts_digest,
    workloads,
)
from tests.laws import tries

LXF = POLICIES["lxf-backfill"]
BOUNDS = (None, "lxf_bound_s", "lxf_printed_bound_s")


def with_bound(bound: str | None, bound_s: int) -> BatchPolicy:
    if bound == "lxf_bound_s":
        return BatchPolicy("lxf", lxf_bound_s=bound_s)
    return LXF if bound is None else BatchPolicy("lxf", lxf_printed_bound_s=bound_s)


def test_kth_is_scheduled_as_published() -> None:
    assert starts_digest(simulate(kth(), KTH_NODES, LXF)) == KTH_STARTS["lxf-backfill"]


@tries(400)
@given(workloads(), st.sampled_from(BOUNDS), st.sampled_from([1, 3, 20, 60, 1000]))
def test_equals_the_plain_loop(workload: tuple[JobTable, int], bound: str | None, bound_s: int) -> None:
    policy = with_bound(bound, bound_s)
    made = simulate(*workload, policy, reservations=True)
    assert_same(made, simulate_plainly(*workload, policy))
    assert_lawful(made)


@pytest.mark.parametrize("policy", [with_bound(bound, 60) for bound in BOUNDS])
@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (7, 0.7), (32, 1.5), (240, 3.0), (5000, 0.95)])
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float, policy: BatchPolicy) -> None:
    jobs = random_workload(nodes, 1000, nodes, load)
    made = simulate(jobs, nodes, policy, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, policy))
    assert_lawful(made)


def test_times_too_large_for_exact_comparison_are_left_to_the_plain_loop() -> None:
    ones = np.ones(3, dtype=np.int64)
    jobs = job_table(np.arange(3), ones, ones << 31, ones, ones * 0, ("u",))
    made = simulate(jobs, 1, LXF, reservations=True)
    assert made.start_s.tolist() == [1, 1 + (1 << 31), 1 + (2 << 31)]
    assert_same(made, simulate_plainly(jobs, 1, LXF))


@pytest.mark.parametrize("bits", [28, 30, 31, 33])
def test_slowdowns_are_compared_exactly_however_long_jobs_are(bits: int) -> None:
    drawn = np.random.default_rng(bits)
    submit_s = np.sort(drawn.integers(0, 1 << bits, 25))
    runtime_s = drawn.integers(1 << (bits - 2), 1 << bits, 25)
    ones = np.ones(25, dtype=np.int64)
    jobs = job_table(np.arange(25), submit_s, runtime_s, ones, ones * 0, ("u",))
    expected = _one_after_the_other(submit_s.tolist(), runtime_s.tolist())
    assert simulate(jobs, 1, LXF).start_s.tolist() == expected


def _one_after_the_other(submit_s: list[int], runtime_s: list[int]) -> list[int]:
    """Starts on one node: whenever it is free, the largest slowdown as a fraction, then the first to come."""
    starts, left, now = [0] * len(submit_s), set(range(len(submit_s))), 0
    while left:
        waiting = [row for row in left if submit_s[row] <= now]
        if not waiting:
            now = min(submit_s[row] for row in left)
            continue
        row = max(waiting, key=lambda row: (Fraction(now - submit_s[row], runtime_s[row]), -row))
        starts[row] = now
        now += runtime_s[row]
        left.remove(row)
    return starts
