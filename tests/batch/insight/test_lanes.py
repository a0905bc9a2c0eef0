"""Lanes of jobs: no two jobs at one place, lowest gap first, in one piece wherever one is wide enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.insight.lanes import Lanes, lanes_of, most_in_use
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from tests.batch.insight.workloads import CLUSTER_NODES, WORKLOADS, table


def _gaps(taken: set[int], lanes: range) -> list[tuple[int, int]]:
    """(First lane, width) of what is free, lowest first."""
    found: list[tuple[int, int]] = []
    for lane in lanes:
        if lane in taken:
            continue
        if found and sum(found[-1]) == lane:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((lane, 1))
    return found


def _check(schedule: Schedule, lanes: Lanes) -> None:
    """Place by place: what each job has, against what was free when it started."""
    jobs, end_s = schedule.jobs, schedule.end_s
    at: dict[int, set[int]] = {}
    for row in np.argsort(schedule.start_s, kind="stable").tolist():
        start = int(schedule.start_s[row])
        pieces = lanes.of_job(row)
        own = {lane for first, wide in pieces for lane in range(first, first + wide)}
        assert len(own) == sum(wide for _, wide in pieces) == jobs.nodes[row]
        taken = {lane for other, has in at.items() if end_s[other] > start for lane in has}
        assert not own & taken
        assert own <= set(range(lanes.count))
        nodes, inside = int(jobs.nodes[row]), _gaps(taken, range(schedule.cluster_nodes))
        wide_enough = [gap for gap in inside if gap[1] >= nodes]
        if wide_enough:
            assert pieces == ((wide_enough[0][0], nodes),)
        elif sum(wide for _, wide in inside) >= nodes:
            widest = sorted((wide for _, wide in inside), reverse=True)
            assert own <= set(range(schedule.cluster_nodes))
            fewest = next(count for count in range(len(widest) + 1) if sum(widest[:count]) >= nodes)
            assert len(pieces) == fewest
        at[row] = own


@given(jobs=WORKLOADS)
def test_each_job_has_the_lowest_gap_that_it_fits_into(jobs: JobTable) -> None:
    schedule = simulate_plainly(jobs, CLUSTER_NODES, BatchPolicy("lxf"))
    lanes = lanes_of(schedule)
    assert lanes.count == CLUSTER_NODES
    _check(schedule, lanes)


@given(jobs=WORKLOADS, data=st.data())
def test_imported_schedules_may_use_more_nodes_than_there_are(jobs: JobTable, data: st.DataObject) -> None:
    """All jobs start at once, or nearly, as no policy would have it."""
    delays = data.draw(st.lists(st.integers(0, 5), min_size=len(jobs), max_size=len(jobs)))
    schedule = Schedule(jobs, CLUSTER_NODES, None, np.ones(4), jobs.submit_s + np.array(delays))
    lanes = lanes_of(schedule)
    assert lanes.count == max(most_in_use(schedule), CLUSTER_NODES)
    _check(schedule, lanes)


@given(jobs=WORKLOADS, data=st.data())
def test_a_stretch_of_time_has_all_spans_that_are_seen_in_it(jobs: JobTable, data: st.DataObject) -> None:
    schedule = simulate_plainly(jobs, CLUSTER_NODES, BatchPolicy("fcfs"))
    lanes = lanes_of(schedule)
    begin = data.draw(st.integers(-5, 200))
    end = data.draw(st.integers(begin, 260))
    part = lanes.between(begin, end)
    seen = np.flatnonzero((schedule.start_s < end) & (schedule.end_s > begin))
    assert set(seen.tolist()) <= set(lanes.job[part].tolist())
    assert (schedule.start_s[lanes.job[part]] < end).all()


def test_a_job_is_split_only_where_no_gap_is_wide_enough() -> None:
    """Lanes 0-2, 3-4 and 5-7 are taken; the middle stays, so that 5 of the 6 free ones are in two pieces."""
    jobs = table([(0, 10, 3, 0), (0, 90, 2, 0), (0, 10, 3, 0), (10, 5, 5, 0)])
    lanes = lanes_of(simulate_plainly(jobs, CLUSTER_NODES, BatchPolicy("fcfs")))
    assert [lanes.of_job(row) for row in range(4)] == [((0, 3),), ((3, 2),), ((5, 3),), ((0, 3), (5, 2))]


@pytest.mark.parametrize("above_until", [5, 11])
def test_lanes_above_the_machine_are_no_part_of_its_gaps(above_until: int) -> None:
    """Free again are 0-1 and 4-7 of 8, and 8-11 above: a job of 6 is drawn on the machine, in two pieces."""
    rows = [(0, 10, 2, 0), (0, 50, 2, 0), (0, 10, 4, 0), (0, above_until, 4, 0), (12, 5, 6, 0)]
    jobs = table(rows)
    lanes = lanes_of(Schedule(jobs, CLUSTER_NODES, None, np.ones(4), jobs.submit_s))
    assert lanes.of_job(3) == ((8, 4),)
    assert lanes.of_job(4) == ((4, 4), (0, 2))


def test_nothing_is_drawn_of_nothing() -> None:
    """Neither of a workload without jobs nor of jobs that never start."""
    empty = simulate_plainly(table([(0, 1, 1, 0)]).rows(slice(0, 0)), 8, BatchPolicy("fcfs"))
    assert len(lanes_of(empty).job) == 0
    one = simulate_plainly(table([(0, 1, 1, 0)]), 8, BatchPolicy("fcfs"))
    never = lanes_of(replace(one, start_s=np.array([-1])))
    assert (never.of_job(0), len(never.job), most_in_use(one)) == ((), 0, 1)
