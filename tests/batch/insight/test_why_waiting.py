"""Explanations of waiting jobs, held against the passes of the plain loop."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.insight.scheduling_cycle import last_pass_s, pass_at
from fsconsole.batch.insight.why_waiting import why_waiting
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import ByUser, simulate_plainly
from fsconsole.batch.schedule import Schedule
from tests.batch.insight.workloads import (
    CLUSTER_NODES,
    POLICIES,
    SHARES,
    WORKLOADS,
    PassOfLoop,
    WatchedLoop,
    table,
    watched,
)
from tests.texts import refuses, says, span


@given(jobs=WORKLOADS, policy=POLICIES, shares=SHARES)
def test_every_pass_worked_out_again_is_the_loops(
    jobs: JobTable, policy: BatchPolicy, shares: Floats
) -> None:
    schedule, loop = watched(jobs, policy, shares)
    for second, was in loop.passes.items():
        found = pass_at(schedule, second)
        assert list(found.started) == was.started
        assert dict(found.held) == was.held
        assert list(found.looked_at) == [look.row for look in was.looks if look.row not in was.started]
        assert (found.free_before, found.free_after) == (was.free_before, was.free_after)
        ahead = [look.row for look in was.looks if look.held]
        assert list(found.backfilled) == [row for row in found.started if row in ahead]


@given(jobs=WORKLOADS, policy=POLICIES, shares=SHARES, data=st.data())
def test_an_explanation_has_the_facts_of_the_last_pass(
    jobs: JobTable, policy: BatchPolicy, shares: Floats, data: st.DataObject
) -> None:
    schedule, loop = watched(jobs, policy, shares)
    waited = np.flatnonzero(schedule.wait_s > 0).tolist()
    if not waited:
        return
    row = data.draw(st.sampled_from(waited))
    at_s = data.draw(st.integers(int(jobs.submit_s[row]), int(schedule.start_s[row]) - 1))
    second = max(second for second in loop.passes if second <= at_s)
    found, was = why_waiting(schedule, row, at_s), loop.passes[second]
    waiting = [look.row for look in was.looks if look.row not in was.started]
    look = next(look for look in was.looks if look.row == row)
    assert (found.pass_s, found.agrees, found.state) == (second, True, "waiting")
    assert (found.free_nodes, found.free_after) == (look.free, was.free_after)
    assert list(found.ahead) == waiting[: waiting.index(row)]
    assert (found.position, found.waiting) == (waiting.index(row) + 1, len(waiting))
    assert {item.row: item.start_s for item in found.reservations} == look.held
    assert found.planned_start_s == was.held.get(row)
    assert found.fits_from_s == _first_fit(schedule, row, second, look.held, was)
    _check_delay(schedule, row, second, look.held, was)


def _free_at(
    schedule: Schedule, second: int, now: int, held: dict[int, int], row: int, was: PassOfLoop
) -> int:
    """Nodes free at a later second beside what runs and is held, counted job by job.

    Of the jobs started in this pass those count that were started before the row was looked at.
    """
    nodes = schedule.jobs.nodes.tolist()
    before = _started_before(row, was)
    free = schedule.cluster_nodes
    for other in range(len(nodes)):
        start, end = int(schedule.start_s[other]), int(schedule.end_s[other])
        runs = start < now or other in before
        free -= nodes[other] if runs and end > second else 0
    for other, start in held.items():
        free -= nodes[other] if start <= second < start + int(schedule.jobs.runtime_s[other]) else 0
    return free


def _started_before(row: int, was: PassOfLoop) -> list[int]:
    rows = [look.row for look in was.looks]
    return [other for other in rows[: rows.index(row)] if other in was.started]


def _first_fit(schedule: Schedule, row: int, now: int, held: dict[int, int], was: PassOfLoop) -> int:
    """Second by second."""
    nodes, runtime = int(schedule.jobs.nodes[row]), int(schedule.jobs.runtime_s[row])
    last = int(schedule.end_s.max()) + sum(schedule.jobs.runtime_s.tolist())
    fits = 0
    for second in range(now, last + runtime + 1):
        fits = fits + 1 if _free_at(schedule, second, now, held, row, was) >= nodes else 0
        if fits == runtime:
            return second - runtime + 1
    raise AssertionError


def _check_delay(schedule: Schedule, row: int, now: int, held: dict[int, int], was: PassOfLoop) -> None:
    """A job that fits now is kept back because someone who holds a reservation would be delayed."""
    found = why_waiting(schedule, row, now)
    nodes, runtime = int(schedule.jobs.nodes[row]), int(schedule.jobs.runtime_s[row])
    if found.free_nodes is None or found.free_nodes < nodes:
        assert found.delay is None
        return
    assert found.delay is not None
    short = [
        second
        for second in range(now, now + runtime)
        if _free_at(schedule, second, now, held, row, was) < nodes
    ]
    assert found.delay.at_s == short[0]
    assert found.delay.left_nodes == _free_at(schedule, short[0], now, held, row, was)
    assert found.delay.ends_s == now + runtime
    assert [item.row for item in found.delay.delayed] == [
        other for other, start in held.items() if start == short[0]
    ]
    assert found.delay.delayed


@given(jobs=WORKLOADS, shares=SHARES, data=st.data())
def test_the_owners_standing_is_what_the_loop_counts(
    jobs: JobTable, shares: Floats, data: st.DataObject
) -> None:
    """Listened to in the loop itself: the figures as a pass comes to the first job that does not fit."""
    policy = BatchPolicy("relshare", window_s=data.draw(st.sampled_from([20, 50])))
    loop = _StandingLoop(jobs, policy, shares)
    loop.run()
    start_s = np.array(loop.start, dtype=np.int64)
    schedule = Schedule(jobs, CLUSTER_NODES, policy, shares, start_s)
    for second, (accounts, priorities) in loop.standings.items():
        for row in np.flatnonzero((jobs.submit_s <= second) & (start_s > second)).tolist():
            found, user = why_waiting(schedule, row, second).standing, int(jobs.user[row])
            assert found is not None
            own = priorities[user]
            figures = (found.used_nh, found.expected_nh, found.entitled_nh)
            assert figures == tuple(item / 3600 for item in accounts[user])
            assert found.priority == float(own)
            assert found.rank == 1 + sum(value > own for value in priorities.values())
            assert found.users_waiting == len(priorities)


class _StandingLoop(WatchedLoop):
    def __init__(self, jobs: JobTable, policy: BatchPolicy, shares: Floats) -> None:
        super().__init__(jobs, policy, shares)
        self.users = jobs.user.tolist()
        self.standings: dict[int, tuple[dict[int, tuple[float, ...]], dict[int, float | Fraction]]] = {}

    def _earliest(self, row: int, now: int, held: dict[int, int]) -> int:
        assert isinstance(self.ranking, ByUser)
        usage = self.ranking.usage
        users = {self.users[other] for other in self.waiting}
        found = super()._earliest(row, now, held)
        if found != now and not held:
            accounts: dict[int, tuple[float, ...]] = {user: usage.account(user, now) for user in users}
            self.standings[now] = (accounts, usage.priorities(users, now))
        return found


# Eight nodes. 101 runs to 100 on 5 of them, 102 to 50 on 1; 103 wants 7 and waits for 101 (at 100).
_EXAMPLE = table([(0, 100, 5, 0), (0, 50, 1, 0), (10, 60, 7, 1), (20, 200, 2, 2), (30, 500, 1, 3)])


def _example(policy: BatchPolicy) -> Schedule:
    return simulate_plainly(_EXAMPLE, CLUSTER_NODES, policy)


def test_a_job_that_would_delay_the_reservation_says_so_in_words() -> None:
    """104 fits on the 2 free nodes but would end at 220, where only one is left beside the 7 of 103."""
    found = why_waiting(_example(BatchPolicy("fcfs")), 3, 25)
    assert found.delay is not None
    assert (found.delay.at_s, found.delay.left_nodes, found.delay.ends_s) == (100, 1, 220)
    assert found.text == (
        "Job 104 of user u2 has waited 5 s for 2 nodes for 3 min 20 s; 2 are free. It is 2nd of 2 in "
        "order, behind job 103. Another job holds the reservation: job 103 of user u1 (7 nodes, "
        "starts 00:01:40). If it started now it would run until 00:03:40, past 00:01:40. It would "
        "take 2 nodes where only 1 is left over beside the reservation. That would delay job 103. "
        "If nothing changes it would fit from 00:02:40."
    )


def test_the_holder_says_when_it_is_planned_and_whom_it_lets_by() -> None:
    found = why_waiting(_example(BatchPolicy("fcfs")), 2, 40)
    assert (found.planned_start_s, found.position, found.overtaken_by) == (100, 1, 1)
    assert says(found.text, "batch.insight.it-holds-reservation-itself-and", planned="00:01:40")
    assert found.text.endswith("1 later job has started before it.")
    assert all(reason == reason.strip() for reason in found.reasons)
    assert says(
        found.text, "batch.insight.free-when-it-was-considered", were="2 were", count_words="1 is"
    )  # 105 was started beside it


def test_a_policy_by_user_tells_how_the_owner_stands() -> None:
    """At 10 s u0 has used 60 node-seconds and will use 5*90 + 1*40 more; u1 nothing yet."""
    found = why_waiting(_example(BatchPolicy("relshare")), 2, 10).standing
    assert found is not None
    assert (found.user, found.used_nh, found.rank, found.users_waiting) == ("u1", 0.0, 1, 1)
    assert found.priority == float("inf")
    late = table([(0, 100, 8, 0), (10, 30, 2, 0)])
    found = why_waiting(simulate_plainly(late, 8, BatchPolicy("relshare", window_s=90)), 1, 10).standing
    assert found is not None
    assert [found.used_nh * 3600, found.expected_nh * 3600] == pytest.approx([80, 640])
    assert found.entitled_nh * 3600 == pytest.approx(80)
    assert found.priority == pytest.approx(80 / 720)


def test_jobs_that_do_not_wait_are_described() -> None:
    schedule = _example(BatchPolicy("fcfs"))
    assert why_waiting(schedule, 2, 5).state == "not submitted"
    assert why_waiting(schedule, 0, 0).state == "running"
    assert why_waiting(schedule, 0, 100).state == "ended"
    assert says(
        why_waiting(schedule, 2, 100).text,
        "batch.insight.started-at-after-waiting",
        start_s="00:01:40",
        waited_s=span(min=1, s=30),
    )


def test_a_job_that_has_started_says_how() -> None:
    """105 needs the one node that is left over beside the reservation of 103."""
    schedule = _example(BatchPolicy("fcfs"))
    backfilled, in_turn = why_waiting(schedule, 4, 30), why_waiting(schedule, 2, 110)
    assert (backfilled.backfilled, in_turn.backfilled) == (True, False)
    assert says(backfilled.text, "batch.insight.it-was-backfilled-it-started", held="job 103")
    assert says(in_turn.text, "batch.insight.it-was-first-in-order")


def test_an_imported_schedule_is_explained_by_its_starts_and_ends() -> None:
    schedule = replace(_example(BatchPolicy("fcfs")), policy=None, source="the site's log")
    found = why_waiting(schedule, 2, 40)
    assert (found.free_nodes, found.position, found.fits_from_s, found.pass_s) == (1, 1, 100, None)
    assert says(found.text, "batch.insight.it-is-order-of-its")
    assert "In the site's log it started at 00:01:40." in found.text


def test_a_schedule_that_the_policy_would_not_make_is_noticed() -> None:
    schedule = _example(BatchPolicy("fcfs"))
    delayed = replace(schedule, start_s=schedule.start_s + np.array([0, 0, 0, 0, 7]))
    found = why_waiting(delayed, 4, 30)
    assert found.agrees is False
    assert says(found.text, "batch.insight.under-this-policy-job-would")


def test_what_cannot_be_explained_is_reported() -> None:
    schedule = replace(_example(BatchPolicy("relshare", carry_reservation=True)), reservations=None)
    with refuses(ValueError, "batch.insight.policy-carries-reservations-schedule-needs"):
        why_waiting(schedule, 2, 40)
    with refuses(IndexError, "batch.insight.row-does-not-exist-workload", row="9", jobs="5"):
        why_waiting(schedule, 9, 40)


def test_an_explanation_is_one_json_object() -> None:
    """An infinite priority has no word in JSON."""
    found = why_waiting(_example(BatchPolicy("relshare")), 2, 10).to_json()
    assert json.loads(json.dumps(found, allow_nan=False))["standing"]["priority"] is None
    assert found["job_id"] == 103


def test_a_boundary_is_a_pass_where_the_policy_says_so() -> None:
    schedule = _example(BatchPolicy("relshare", window_s=70, boundary_passes=True))
    assert last_pass_s(schedule, 75) == 70
    assert last_pass_s(_example(BatchPolicy("relshare", window_s=70)), 75) == 50
