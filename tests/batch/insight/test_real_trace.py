"""The bundled trace as the compiled engines schedule it: moments looked at agree with the plain rules."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fsconsole.batch.insight.lanes import lanes_of
from fsconsole.batch.insight.losses import held_spans, losses_of
from fsconsole.batch.insight.schedule_snapshot import held_at, moment
from fsconsole.batch.insight.why_waiting import why_waiting
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces import read_trace
from fsconsole.resources import resource
from tests.texts import wording

_POLICIES = {
    "fcfs": BatchPolicy("fcfs"),
    "lxf": BatchPolicy("lxf"),
    "relshare": BatchPolicy("relshare"),
    "carried": BatchPolicy("relshare", carry_reservation=True),
    "two": BatchPolicy("relshare", reservations=2),
}


@cache
def _schedule(policy: str) -> Schedule:
    jobs = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs
    return simulate(jobs, 100, _POLICIES[policy], reservations=True)


@pytest.mark.parametrize("policy", _POLICIES)
def test_explanations_agree_with_the_schedule_and_its_log(policy: str) -> None:
    schedule = _schedule(policy)
    random = np.random.default_rng(5)
    for row in random.choice(np.flatnonzero(schedule.wait_s > 60), 25, replace=False).tolist():
        at_s = int(random.integers(schedule.jobs.submit_s[row], schedule.start_s[row]))
        found, then = why_waiting(schedule, row, at_s), moment(schedule, at_s)
        assert found.agrees
        assert found.planned_start_s == dict(held_at(schedule.reservations, at_s)).get(row)
        assert (found.free_after, found.waiting) == (then.free_nodes, len(then.waiting))
        assert found.delay is not None or (found.free_nodes or 0) < found.nodes


def test_reservations_are_lost_under_fair_share_and_never_under_fcfs() -> None:
    """Under FCFS the first job that does not fit is the oldest, until it starts."""
    assert losses_of(_schedule("fcfs")) == ()
    schedule = _schedule("relshare")
    spans = held_spans(schedule)
    lost = spans.job[spans.is_lost(schedule)]
    some = sorted(set(lost[lost < 8000].tolist()))
    causes = {loss.cause for loss in losses_of(schedule, some, spans)}
    assert causes == {wording("batch.insight.own-easy-jobs"), "arrival", "new window", "order"}


def test_no_two_jobs_are_drawn_at_one_place() -> None:
    """Lane by lane, in the order of time."""
    schedule = _schedule("relshare")
    lanes = lanes_of(schedule)
    assert int(lanes.wide.sum()) == int(schedule.jobs.nodes.sum())
    span = np.repeat(np.arange(len(lanes.job)), lanes.wide)
    within = np.arange(len(span)) - np.repeat(np.cumsum(lanes.wide) - lanes.wide, lanes.wide)
    lane, job = lanes.first[span] + within, lanes.job[span]
    order = np.lexsort((schedule.start_s[job], lane))
    lane, start_s, end_s = lane[order], schedule.start_s[job][order], schedule.end_s[job][order]
    assert lane.max() < 100
    assert ((start_s[1:] >= end_s[:-1]) | (lane[1:] != lane[:-1])).all()
