"""Sums over an area of the machine over time, held against a loop over every second and lane."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.insight.area_sums import Area, area_sums
from fsconsole.batch.insight.lanes import lanes_of
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from tests.batch.insight.workloads import CLUSTER_NODES, WORKLOADS


@given(jobs=WORKLOADS, data=st.data())
def test_sums_are_those_of_a_loop_over_seconds_and_lanes(jobs: JobTable, data: st.DataObject) -> None:
    schedule = simulate_plainly(jobs, CLUSTER_NODES, BatchPolicy("fcfs"))
    lanes = lanes_of(schedule)
    last = int(schedule.end_s.max(initial=1))
    begin = data.draw(st.integers(-5, last + 5))
    end = data.draw(st.integers(begin + 1, last + 10))
    top = data.draw(st.integers(0, lanes.count - 1))
    bottom = data.draw(st.integers(top + 1, lanes.count))
    area = Area(begin, end, top, bottom)
    found = area_sums(schedule, lanes, area)
    used: dict[int, int] = defaultdict(int)
    inside: dict[int, set[int]] = defaultdict(set)
    started: dict[int, set[int]] = defaultdict(set)
    for row in range(len(jobs)):
        user = int(jobs.user[row])
        start, stop = int(schedule.start_s[row]), int(schedule.end_s[row])
        for first, wide in lanes.of_job(row):
            high = len(range(max(first, top), min(first + wide, bottom)))
            long = len(range(max(start, begin), min(stop, end)))
            if high and long:
                used[user] += high * long
                inside[user].add(row)
                if start >= begin:
                    started[user].add(row)
    assert {one.user: one.node_seconds for one in found.users} == dict(used)
    assert {one.user: one.jobs for one in found.users} == {user: len(rows) for user, rows in inside.items()}
    assert found.started == sum(len(rows) for rows in started.values())
    for one in found.users:
        waits = [int(schedule.wait_s[row]) for row in started[one.user]]
        assert one.mean_wait_s == (pytest.approx(sum(waits) / len(waits)) if waits else None)
    assert found.busy_part == pytest.approx(sum(used.values()) / area.node_seconds)
    order = [one.node_seconds for one in found.users]
    assert order == sorted(order, reverse=True)
