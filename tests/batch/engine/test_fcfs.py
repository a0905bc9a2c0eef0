"""The compiled loop of FCFS equals the plain one, and the published schedule of KTH."""

from __future__ import annotations

import pytest
from hypothesis import given

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import POLICIES
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

FCFS = POLICIES["fcfs-backfill"]


def test_kth_is_scheduled_as_published() -> None:
    assert starts_digest(simulate(kth(), KTH_NODES, FCFS)) == KTH_STARTS["fcfs-backfill"]


@tries(400)
@given(workloads())
def test_equals_the_plain_loop(workload: tuple[JobTable, int]) -> None:
    made = simulate(*workload, FCFS, reservations=True)
    assert_same(made, simulate_plainly(*workload, FCFS))
    assert_lawful(made)


@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (7, 0.7), (32, 1.5), (240, 3.0), (5000, 0.95)])
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float) -> None:
    jobs = random_workload(nodes, 1500, nodes, load)
    made = simulate(jobs, nodes, FCFS, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, FCFS))
    assert_lawful(made)
