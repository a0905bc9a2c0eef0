"""Two schedules job by job, held against a plain count."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.insight.differences import compare_schedules, compare_starts, starts_of
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from tests.batch.insight.workloads import CLUSTER_NODES, POLICIES, SHARES, WORKLOADS, table
from tests.texts import wording


@given(jobs=WORKLOADS, policy=POLICIES, shares=SHARES, data=st.data())
def test_counts_and_shifts_are_those_of_a_plain_count(
    jobs: JobTable, policy: BatchPolicy, shares: Floats, data: st.DataObject
) -> None:
    """The second schedule may be of a part of the jobs, as one of a month is."""
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(jobs), max_size=len(jobs))))
    first = simulate_plainly(jobs, CLUSTER_NODES, BatchPolicy("fcfs"))
    second = simulate_plainly(jobs.rows(kept), CLUSTER_NODES, policy, shares)
    found = compare_schedules(first, second)
    before = dict(zip(jobs.job_id.tolist(), first.start_s.tolist(), strict=True))
    after = dict(zip(second.jobs.job_id.tolist(), second.start_s.tolist(), strict=True))
    shifts = {job: after[job] - before[job] for job in jobs.job_id.tolist() if job in after}
    totals = found.totals
    assert totals.earlier == sum(shift < 0 for shift in shifts.values())
    assert totals.later == sum(shift > 0 for shift in shifts.values())
    assert totals.same == sum(shift == 0 for shift in shifts.values())
    assert (totals.only_first, totals.only_second) == (int((~kept).sum()), 0)
    assert totals.most_later_s == max([0, *shifts.values()])
    assert totals.most_earlier_s == -min([0, *shifts.values()])
    assert totals.first_differing_job == next((job for job, shift in shifts.items() if shift), None)
    assert found.frame["job_id"].to_list() == jobs.job_id.tolist()
    shown = found.frame.filter(pl.col("shift_s").is_not_null())
    assert dict(shown.select("job_id", "shift_s").iter_rows()) == shifts
    assert compare_schedules(first, first).totals.are_equal


def test_jobs_of_the_second_alone_and_those_that_are_unlike() -> None:
    first = simulate_plainly(table([(0, 10, 8, 0), (5, 20, 8, 1)]), CLUSTER_NODES, BatchPolicy("fcfs"))
    other = table([(0, 10, 8, 0), (5, 30, 8, 1), (9, 5, 1, 2)])
    second = simulate_plainly(other, CLUSTER_NODES, BatchPolicy("fcfs"))
    found = compare_schedules(first, replace(second, start_s=np.array([0, 15, 45])))
    assert found.frame.rows() == [
        (101, "u0", 8, 0, 0, 0, 0, "same"),
        (102, "u1", 8, 5, 10, 15, 5, "later"),
        (103, "u2", 1, 9, None, 45, None, wording("batch.insight.only-in-second")),
    ]
    totals = found.totals
    assert (totals.unlike, totals.mean_shift_s, totals.most_later_job, totals.are_equal) == (
        1,
        2.5,
        102,
        False,
    )
    assert json.loads(json.dumps(totals.to_json()))["most_earlier_job"] is None


def test_frames_without_users_are_compared_too() -> None:
    schedule = simulate_plainly(table([(0, 10, 8, 0)]), CLUSTER_NODES, BatchPolicy("fcfs"))
    bare = starts_of(schedule).drop("user", "nodes")
    found = compare_starts(bare, bare)
    assert "user" not in found.frame.columns
    assert found.totals.are_equal
    assert compare_starts(bare.head(0), bare.head(0)).totals.mean_shift_s is None
