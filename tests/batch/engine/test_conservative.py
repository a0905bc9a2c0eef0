"""Conservative backfilling: no reservation is delayed, and the compiled engine against the plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import (
    KTH_NODES,
    assert_lawful,
    assert_same,
    kth,
    random_workload,
    table_of,
    workloads,
)
from tests.laws import tries

CONSERVATIVE = BatchPolicy("conservative")


@tries(300)
@given(workloads())
def test_equals_the_plain_loop_which_plans_all_again_at_each_pass(workload: tuple[JobTable, int]) -> None:
    jobs, nodes = workload
    made = simulate(jobs, nodes, CONSERVATIVE, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, CONSERVATIVE))
    assert_lawful(made)


@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (7, 0.7), (32, 1.5), (240, 2.0), (5000, 0.95)])
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float) -> None:
    jobs = random_workload(nodes, 700, nodes, load)
    made = simulate(jobs, nodes, CONSERVATIVE, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, CONSERVATIVE))


@given(workloads())
def test_no_reservation_is_ever_delayed(workload: tuple[JobTable, int]) -> None:
    """The first start that the plain loop plans for a job is when it starts."""
    log = simulate_plainly(*workload, CONSERVATIVE).reservations
    assert log is not None
    start_s = simulate(*workload, CONSERVATIVE).start_s
    planned = log.job >= 0
    np.testing.assert_array_equal(log.start_s[planned], start_s[log.job[planned]])


@given(workloads(), st.integers(0, 40))
def test_who_arrives_later_changes_no_earlier_start(workload: tuple[JobTable, int], kept: int) -> None:
    jobs, nodes = workload
    fewer = simulate(jobs.rows(slice(kept)), nodes, CONSERVATIVE)
    np.testing.assert_array_equal(fewer.start_s, simulate(jobs, nodes, CONSERVATIVE).start_s[:kept])


def test_a_job_that_easy_backfills_is_kept_from_delaying_the_second_in_line() -> None:
    jobs = table_of([(0, 10, 2, 0), (1, 10, 3, 0), (1, 10, 4, 0), (2, 100, 1, 0)])
    easy, made = (simulate(jobs, 4, policy) for policy in (BatchPolicy("fcfs"), CONSERVATIVE))
    assert easy.start_s.tolist() == [0, 10, 102, 2]
    assert made.start_s.tolist() == [0, 10, 20, 30]


def test_kth_is_scheduled_as_with_a_reservation_for_every_job() -> None:
    made = simulate(kth(), KTH_NODES, CONSERVATIVE)
    every = simulate(kth(), KTH_NODES, BatchPolicy("fcfs", reservations=1000))
    np.testing.assert_array_equal(made.start_s, every.start_s)
