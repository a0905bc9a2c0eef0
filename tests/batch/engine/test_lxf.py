"""The compiled loop of LXF equals the plain one, and the published schedule of KTH."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.plain import simulate_plainly
from fsconsole.batch.policy import POLICIES, BatchPolicy
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

LXF = POLICIES["lxf-backfill"]


def test_kth_is_scheduled_as_published() -> None:
    assert starts_digest(simulate(kth(), KTH_NODES, LXF)) == KTH_STARTS["lxf-backfill"]


@settings(max_examples=400)
@given(workloads(), st.sampled_from([0, 1, 3, 20, 60, 1000]))
def test_equals_the_plain_loop(workload: tuple[JobTable, int], bound_s: int) -> None:
    policy = BatchPolicy("lxf", lxf_bound_s=bound_s)
    made = simulate(*workload, policy, reservations=True)
    assert_same(made, simulate_plainly(*workload, policy))
    assert_lawful(made)


@pytest.mark.parametrize("bound_s", [0, 60])
@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (7, 0.7), (32, 1.5), (240, 3.0), (5000, 0.95)])
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float, bound_s: int) -> None:
    policy = BatchPolicy("lxf", lxf_bound_s=bound_s)
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
