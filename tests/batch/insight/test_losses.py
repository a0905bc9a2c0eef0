"""Reservations held and lost, held against the passes of the plain loop and against small stories."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.insight.losses import Loss, held_spans, kept_from, losses_of, reservations_of
from fsconsole.batch.insight.scheduling_cycle import pass_at
from fsconsole.batch.insight.why_words import reservation_words
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from tests.batch.insight.workloads import CLUSTER_NODES, POLICIES, SHARES, WORKLOADS, table, watched
from tests.texts import refuses, wording

DAY = BatchPolicy("relshare")


def _simulated(rows: list[tuple[int, int, int, int]], policy: BatchPolicy = DAY) -> Schedule:
    return simulate_plainly(table(rows), CLUSTER_NODES, policy)


@given(jobs=WORKLOADS, policy=POLICIES, shares=SHARES)
def test_spans_and_losses_are_those_of_the_loop(jobs: JobTable, policy: BatchPolicy, shares: Floats) -> None:
    schedule, loop = watched(jobs, policy, shares)
    spans = held_spans(schedule)
    for second, was in loop.passes.items():
        holds = (spans.from_s <= second) & (spans.until_s > second)
        assert sorted(spans.job[holds].tolist()) == sorted(was.held)
    lost = {
        (row, second)
        for before, second in pairwise(sorted(loop.passes))
        for row in loop.passes[before].held
        if row not in loop.passes[second].held and row not in loop.passes[second].started
    }
    found = losses_of(schedule, spans=spans)
    assert {(loss.row, loss.at_s) for loss in found} == lost
    assert len(found) == len(lost)


@given(jobs=WORKLOADS, shares=SHARES, data=st.data())
def test_ignoring_jobs_changes_the_order_and_never_the_nodes(
    jobs: JobTable, shares: Floats, data: st.DataObject
) -> None:
    """A pass in which some jobs count for nobody has the same free nodes, and looks at the same jobs."""
    schedule, loop = watched(jobs, BatchPolicy("relshare", window_s=50), shares)
    second = data.draw(st.sampled_from(sorted(loop.passes)))
    ignored = data.draw(st.sets(st.integers(0, len(jobs) - 1)))
    was, found = pass_at(schedule, second), pass_at(schedule, second, ignored=ignored)
    assert found.free_before == was.free_before
    assert sorted(found.started + found.looked_at) == sorted(was.started + was.looked_at)
    assert pass_at(schedule, second, ignored=()) == was


# u1 uses 4 of 8 nodes to 100. u0's job of 8 nodes (102) comes at 10 and holds the reservation, u0's job of 2
# nodes is started beside it at 20. At 40 u2 comes with a job of 8 nodes, and has used nothing.
_STORY = [(0, 100, 4, 1), (10, 50, 8, 0), (20, 10, 2, 0), (40, 60, 8, 2)]


def test_a_reservation_is_lost_to_the_owners_own_small_job() -> None:
    """Without it u0 would have used nothing either, and came first."""
    schedule = _simulated(_STORY)
    assert losses_of(schedule) == (Loss(1, 40, 3, "own easy jobs", (2,)),)
    assert kept_from(schedule, 1) == (Loss(1, 40, 3, "own easy jobs", (2,)),)
    assert schedule.start_s.tolist() == [0, 160, 20, 100]


def test_a_reservation_is_lost_to_an_arrival_where_the_small_job_ran_before() -> None:
    """It was started before the large one came: the large one did not queue behind it."""
    schedule = _simulated([_STORY[0], (5, 10, 2, 0), _STORY[1], _STORY[3]])
    assert losses_of(schedule) == (Loss(2, 40, 3, "arrival"),)
    assert kept_from(schedule, 2) == ()


def test_a_job_that_is_as_difficult_is_not_an_easy_one() -> None:
    """The owner's other job has more than half of the nodes, and runs longer."""
    schedule = _simulated([_STORY[0], (10, 10, 7, 0), (20, 15, 4, 0), _STORY[3]])
    assert [loss.cause for loss in losses_of(schedule)] == ["arrival"]


def test_a_reservation_is_lost_as_a_window_begins() -> None:
    """u2's job came first but u2 had used nodes; from 35 on that is forgotten, and it goes first again."""
    rows = [(0, 100, 4, 1), (0, 30, 2, 2), (5, 60, 8, 2), (10, 50, 8, 0), (40, 5, 1, 1)]
    found = losses_of(_simulated(rows, BatchPolicy("relshare", window_s=35)))
    assert [(loss.row, loss.at_s, loss.cause) for loss in found] == [
        (2, 10, "arrival"),
        (3, 40, "new window"),
    ]


def test_an_order_that_does_not_go_by_user_has_no_own_jobs_to_blame() -> None:
    """LXF: the job of 2 s overtakes the one of 50 s as its slowdown grows faster."""
    rows = [(0, 100, 4, 1), (10, 50, 8, 0), (20, 2, 7, 2), (90, 1, 1, 1)]
    schedule = _simulated(rows, BatchPolicy("lxf"))
    assert losses_of(schedule) == (Loss(1, 90, 2, "order"),)
    assert kept_from(schedule, 1) == ()
    assert losses_of(_simulated(_STORY, BatchPolicy("fcfs"))) == ()


def test_what_a_job_went_through_in_words() -> None:
    schedule = _simulated(_STORY)
    found = reservations_of(schedule, 1)
    assert found.spans == ((10, 40), (100, 160))
    assert reservation_words(schedule, found) == (
        "Job 102 of user u0 held a reservation twice, for 1 min 30 s in all, and lost it once: once "
        "to smaller or shorter jobs of its owner."
    )
    assert found.to_json()["losses"] == [{"at_s": 40, "cause": "own easy jobs"}]
    assert reservation_words(schedule, reservations_of(schedule, 3)) == (
        wording(
            "batch.insight.held-reservation-for",
            job=wording("batch.insight.job-of-user", job_id="104", user="u2"),
            spans="once",
            held_s=wording("batch.insight.and-started-from-it", held="1 min"),
        )
    )
    assert reservation_words(schedule, reservations_of(schedule, 0)) == (
        wording(
            "batch.insight.never-held-reservation",
            job=wording("batch.insight.job-of-user", job_id="101", user="u1"),
        )
    )


def test_only_the_losses_asked_for_are_looked_at() -> None:
    schedule = _simulated(_STORY)
    assert losses_of(schedule, rows=[0, 3]) == ()
    assert len(losses_of(schedule, rows=[1])) == 1


def test_a_schedule_without_its_log_is_refused() -> None:
    schedule = replace(_simulated(_STORY), reservations=None)
    with refuses(ValueError, "batch.insight.schedule-does-not-have-its"):
        held_spans(schedule)


def test_nothing_is_held_where_nothing_waits() -> None:
    spans = held_spans(_simulated([(0, 10, 4, 0)]))
    assert len(spans.job) == 0
    assert spans.until_s.dtype == np.int64
