"""What is asked of simulate() is checked, and every policy has an engine that equals the plain loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import assert_lawful, assert_same, table_of, workloads
from tests.texts import refuses

FCFS = POLICIES["fcfs-backfill"]
TWO = [(0, 5, 2, 0), (1, 5, 3, 1)]


def test_jobs_larger_than_the_machine_are_named() -> None:
    jobs = table_of([(0, 1, 1, 0), (0, 1, 9, 0), (0, 1, 7, 0)])
    with refuses(ValueError, "batch.job-needs-nodes-but-machine", job_id="2", nodes="9"):
        simulate(jobs, 4, FCFS)


@pytest.mark.parametrize("nodes", [0, -3])
def test_a_machine_without_nodes_is_refused(nodes: int) -> None:
    with refuses(ValueError, "batch.machine-of-nodes-cannot-run", cluster_nodes=nodes):
        simulate(table_of([]), nodes, FCFS)


def test_shares_are_one_positive_number_for_each_user() -> None:
    jobs = table_of(TWO, users=2)
    with refuses(ValueError, "batch.there-are-shares-for-users", size="3", users="2"):
        simulate(jobs, 4, FCFS, np.ones(3))
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with refuses(ValueError, "batch.user-has-shares-shares-must", users="u1"):
            simulate(jobs, 4, FCFS, np.array([1.0, wrong]))


@pytest.mark.parametrize("reservations", [1, 2])
@pytest.mark.parametrize("name", POLICIES)
@given(workload=workloads())
def test_engines_equal_the_plain_loop(name: str, reservations: int, workload: tuple[JobTable, int]) -> None:
    policy = replace(POLICIES[name], reservations=reservations)
    made = simulate(*workload, policy, reservations=True)
    assert_same(made, simulate_plainly(*workload, policy))
    if reservations == 1:
        assert_lawful(made)


@pytest.mark.parametrize("name", POLICIES)
def test_a_log_is_kept_where_it_is_asked_for(name: str) -> None:
    jobs = table_of(TWO, users=2)
    assert simulate(jobs, 4, POLICIES[name]).reservations is None
    log = simulate(jobs, 4, POLICIES[name], reservations=True).reservations
    assert log is not None
    assert log.at_s.tolist() == [1, 5]
    assert log.job.tolist() == [1, -1]
    assert log.start_s.tolist() == [5, -1]


@pytest.mark.parametrize("name", POLICIES)
def test_no_jobs_make_an_empty_schedule(name: str) -> None:
    made = simulate(table_of([], users=0), 4, POLICIES[name], reservations=True)
    assert len(made.start_s) == 0
    assert made.reservations is not None
    assert len(made.reservations.at_s) == 0


@given(workloads(), st.integers(0, 10**6))
def test_arrivals_later_by_some_time_make_starts_later_by_that(
    workload: tuple[JobTable, int], later_s: int
) -> None:
    jobs, nodes = workload
    moved = replace(jobs, submit_s=jobs.submit_s + later_s)
    for policy in (FCFS, BatchPolicy("lxf"), BatchPolicy("lxf", lxf_bound_s=60)):
        expected = simulate(jobs, nodes, policy).start_s + later_s
        np.testing.assert_array_equal(simulate(moved, nodes, policy).start_s, expected)


def test_columns_may_be_read_only_and_of_any_stride() -> None:
    rows = [(at, 3 + at % 5, 1 + at % 3, 0) for at in range(40)]
    plain = table_of(rows)
    wide = np.repeat(plain.runtime_s, 2)[::2]
    wide.flags.writeable = False
    odd = replace(plain, runtime_s=wide)
    for policy in (FCFS, BatchPolicy("lxf")):
        np.testing.assert_array_equal(simulate(odd, 3, policy).start_s, simulate(plain, 3, policy).start_s)
