"""What runs, waits and is reserved at a time, held against the plain loop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given

from fsconsole.batch.insight.schedule_snapshot import held_at, held_before, moment
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import ReservationLog
from tests.batch.insight.workloads import CLUSTER_NODES, POLICIES, SHARES, WORKLOADS, table, watched


@given(jobs=WORKLOADS, policy=POLICIES, shares=SHARES)
def test_a_moment_is_how_the_loop_stood_after_its_last_pass(
    jobs: JobTable, policy: BatchPolicy, shares: Floats
) -> None:
    schedule, loop = watched(jobs, policy, shares)
    seconds = sorted(loop.passes)
    for second, following in zip(seconds, [*seconds[1:], seconds[-1] + 1], strict=True):
        was = loop.passes[second]
        for at_s in (second, following - 1):
            found = moment(schedule, at_s)
            assert found.free_nodes == was.free_after
            assert found.waiting.tolist() == sorted(
                look.row for look in was.looks if look.row not in was.started
            )
            assert dict(found.held) == was.held
            assert int(found.in_use.sum()) == CLUSTER_NODES - found.free_nodes
            assert found.waiting_nodes == int(jobs.nodes[found.waiting].sum())


@given(jobs=WORKLOADS, shares=SHARES)
def test_a_pass_finds_the_reservations_of_the_one_before(jobs: JobTable, shares: Floats) -> None:
    schedule, loop = watched(jobs, BatchPolicy("relshare", reservations=2), shares)
    seconds = sorted(loop.passes)
    for before, second in pairwise(seconds):
        assert dict(held_before(schedule.reservations, second)) == loop.passes[before].held


def test_without_a_log_nobody_is_known_to_hold_anything() -> None:
    assert held_at(None, 5) == held_at(ReservationLog.empty(), 5) == ()


def test_a_moment_counts_for_a_status_line() -> None:
    schedule, _ = watched(table([(0, 10, 5, 0), (2, 10, 4, 1)]), BatchPolicy("fcfs"), np.ones(4))
    assert moment(schedule, 3).to_json() == {
        "at_s": 3,
        "running": 1,
        "waiting": 1,
        "free_nodes": 3,
        "waiting_nodes": 4,
        "active_users": 2,
    }
