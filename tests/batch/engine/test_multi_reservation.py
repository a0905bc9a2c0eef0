"""Several reservations: the compiled engine makes the schedules of the plain loop, and keeps the same log."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.engine import by_user_queues
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import engine_of, simulate
from tests.batch.drawn_policies import policies_with_several_reservations, shares_of
from tests.batch.workloads import (
    KTH_NODES,
    KTH_STARTS,
    assert_same,
    busy_nodes,
    kth,
    random_workload,
    starts_digest,
    table_of,
    workloads,
)
from tests.laws import tries

_EVERY_KIND = [
    BatchPolicy("fcfs"),
    BatchPolicy("lxf"),
    BatchPolicy("lxf", lxf_bound_s=600),
    BatchPolicy("relshare", window_s=3600),
    BatchPolicy("relshare", window_s=3600, carry_reservation=True, decay=0.5),
    BatchPolicy("relshare", window_s=3600, expected_usage=False, boundary_passes=True),
    BatchPolicy("upper", window_s=3600),
    BatchPolicy("weighted", window_s=3600, carry_reservation=True),
]


def _run(jobs: JobTable, nodes: int, policy: BatchPolicy, shares: Floats | None = None) -> Schedule:
    return engine_of(policy)(
        jobs, nodes, policy, np.ones(len(jobs.users)) if shares is None else shares, True
    )


@tries(200)
@given(workloads(), policies_with_several_reservations(), shares_of(4), st.sampled_from([1, 3, 32]))
def test_small_workloads_full_of_ties_are_scheduled_as_by_the_plain_loop(
    workload: tuple[JobTable, int], policy: BatchPolicy, shares: Floats, few: int
) -> None:
    jobs, nodes = workload
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_user_queues, "_FEW", few)  # all others that wait are searched in the tree
        made = _run(jobs, nodes, policy, shares)
    assert_same(made, simulate_plainly(jobs, nodes, policy, shares))


@pytest.mark.parametrize("policy", _EVERY_KIND, ids=lambda policy: policy.label)
@pytest.mark.parametrize("reservations", [2, 7])
def test_larger_workloads_are_scheduled_as_by_the_plain_loop(policy: BatchPolicy, reservations: int) -> None:
    jobs, policy = random_workload(1, 300, 64, 1.2), replace(policy, reservations=reservations)
    made = _run(jobs, 64, policy)
    assert_same(made, simulate_plainly(jobs, 64, policy))
    assert busy_nodes(made)[1].max() <= 64
    without_log = engine_of(policy)(jobs, 64, policy, np.ones(7), False)
    assert without_log.reservations is None
    np.testing.assert_array_equal(without_log.start_s, made.start_s)


@pytest.mark.parametrize(
    ("order", "name"), [("fcfs", "fcfs-backfill"), ("lxf", "lxf-backfill"), ("relshare",) * 2]
)
def test_with_one_reservation_kth_is_scheduled_as_published(order: str, name: str) -> None:
    policy = BatchPolicy(order)  # type: ignore[arg-type]
    assert (
        starts_digest(engine_of(policy)(kth(), KTH_NODES, policy, np.ones(len(kth().users)), False))
        == KTH_STARTS[name]
    )


@pytest.mark.parametrize(
    "count", [1200, pytest.param(5000, marks=pytest.mark.whole("the plain loop takes 9 s for so many jobs"))]
)
def test_with_one_reservation_the_plain_loop_keeps_the_same_log(count: int) -> None:
    jobs = random_workload(5, count, 64, 1.1)
    for policy in (BatchPolicy("relshare"), BatchPolicy("relshare", carry_reservation=True)):
        assert_same(_run(jobs, 64, policy), simulate_plainly(jobs, 64, policy))


def test_with_as_many_reservations_as_jobs_nobody_is_delayed_by_who_arrives_later() -> None:
    # Conservative backfilling of first come, first served: jobs that arrive later change no earlier start.
    policy = BatchPolicy("fcfs", reservations=10_000)
    jobs = random_workload(4, 600, 32, 1.1)
    made = _run(jobs, 32, policy)
    for kept in (50, 200, 431):
        fewer = _run(jobs.rows(slice(kept)), 32, policy)
        np.testing.assert_array_equal(fewer.start_s, made.start_s[:kept])


def test_a_second_reservation_keeps_small_jobs_from_delaying_the_second_large_one() -> None:
    jobs = table_of([(0, 10, 2, 0), (1, 10, 3, 0), (1, 10, 4, 0), (2, 100, 1, 0)])
    one, two = (simulate(jobs, 4, BatchPolicy("fcfs", reservations=count)) for count in (1, 2))
    assert one.start_s.tolist() == [0, 10, 102, 2]
    assert two.start_s.tolist() == [0, 10, 20, 30]


def test_no_jobs_make_an_empty_schedule() -> None:
    assert len(_run(table_of([]), 4, BatchPolicy("fcfs", reservations=3)).start_s) == 0
