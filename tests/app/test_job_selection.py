"""Selected jobs by columns: the same as job by job."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.jobs.columns import JobColumns
from fsconsole.app.jobs.selection import JobSelection
from fsconsole.slurm.job_change import JobChange, JobVerb, why_not
from fsconsole.slurm.job_labels import counts_of, task_count
from fsconsole.slurm.jobs import Job, Sort

NOW_S = 1_795_000_000
_STATES = ["PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "TIMEOUT"]


@st.composite
def _jobs(draw: st.DrawFn) -> tuple[Job, ...]:
    return tuple(
        Job(
            job_id=number,
            user=draw(st.sampled_from(["anna", "ben", "cora"])),
            partition="batch",
            states=draw(st.sampled_from([*((one,) for one in _STATES), ("CANCELLED", "COMPLETING")])),
            reason=draw(st.sampled_from(["", "Priority", "JobHeldUser"])),
            array_tasks=draw(st.sampled_from(["", "3", "4-9%2"])),
            het_job_id=draw(st.sampled_from([0, 7])),
            het_offset=draw(st.sampled_from([0, 1])),
            cpus=draw(st.integers(0, 9)),
            time_limit_s=draw(st.sampled_from([None, 60.0, 3600.0, math.inf])),
            priority=draw(st.sampled_from([None, 0, 5, 6])),
            may_requeue=draw(st.sampled_from([None, True, False])),
            start_s=draw(st.sampled_from([None, NOW_S - 600])),
            elapsed_s=draw(st.sampled_from([None, 30])),
        )
        for number in draw(st.permutations(range(1, draw(st.integers(2, 12)))))
    )


@given(_jobs(), st.data())
def test_sums_and_kinds_are_those_of_each_job(jobs: tuple[Job, ...], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.sampled_from([0, *(job.job_id for job in jobs)]), unique=True))
    none = np.zeros(len(jobs))
    columns = JobColumns(jobs, NOW_S, none.astype(np.int64), none)
    by_number = {job.job_id: job for job in jobs}
    chosen = [by_number[number] for number in wanted if number]
    selection = JobSelection(columns, columns.places_of(wanted))
    assert [jobs[place] for place in selection.places.tolist()] == chosen
    assert selection.count == sum(map(task_count, chosen))
    users = Counter[str]()
    for job in chosen:
        users[job.user] += task_count(job)
    assert selection.users == users.most_common()
    assert selection.cpu_s == pytest.approx(sum(job.ran_s(NOW_S) * job.cpus for job in chosen))
    for change in (JobChange(verb, (), 3600.0) for verb in JobVerb):
        whys = list(dict.fromkeys(why_not(change, job) for job in chosen))
        assert list(dict.fromkeys(why_not(change, job) for job in selection.examples)) == whys


@given(_jobs())
def test_states_and_cpus_are_those_of_each_job(jobs: tuple[Job, ...]) -> None:
    """squeue gives the priority of each job, which says whether it is held."""
    known = tuple(job for job in jobs if job.priority is not None)
    none = np.zeros(len(known))
    columns = JobColumns(known, NOW_S, none.astype(np.int64), none)
    selection = JobSelection(columns, np.arange(len(known)))
    assert selection.sorts == counts_of(known).most_common()
    cpus = Counter[Sort]()
    for job in known:
        cpus[job.sort] += task_count(job) * job.cpus
    assert selection.allocated_cpus == cpus[Sort.RUNNING] + cpus[Sort.SUSPENDED]
    assert selection.requested_cpus == cpus[Sort.WAITING] + cpus[Sort.HELD]
