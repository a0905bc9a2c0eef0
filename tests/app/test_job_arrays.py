"""Arrays in one row, on what a real cluster printed: an array of 30 tasks, four at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.jobs.arrays import gathered, jobs_name, labels_of, records_of, summary_of, whole_array
from fsconsole.app.jobs.columns import Field, JobColumns
from fsconsole.app.jobs.dependencies import dependents
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.parsers.squeue_text import read_squeue_text
from tests.slurm.captured import captured
from tests.texts import refuses_naming, says, wording

NOW_S = 1795660884
JOBS = read_squeue_text(captured("arrays/squeue-O.txt"), NOW_S).items
ARRAY, WAITING = 1, 10


def _columns(jobs: tuple[Job, ...] = JOBS) -> JobColumns:
    return JobColumns(jobs, float(NOW_S), np.full(len(jobs), -1), np.full(len(jobs), np.nan))


def _labels(columns: JobColumns, opened: frozenset[int] = frozenset()) -> list[str]:
    rows = gathered(columns, columns.order(Field.JOB, is_down=False), opened)
    return [
        f"[{array}]" if array else columns.jobs[place].label
        for place, array in zip(rows.places.tolist(), rows.arrays.tolist(), strict=True)
    ]


def test_an_array_is_one_row_and_what_waits_together_another() -> None:
    """An array of which no task has begun has one record: it needs no row beside that."""
    assert _labels(_columns()) == ["[1]", "2", "7", "8", "9", "10_[0-29]", "11", "12", "13", "14"]
    opened = _labels(_columns(), frozenset((ARRAY,)))
    assert opened[:6] == ["[1]", "1_[4-29%4]", "1_0", "1_1", "1_2", "1_3"]


def test_what_the_row_says() -> None:
    records = records_of(_columns(), ARRAY)
    array = summary_of(records, NOW_S)
    assert (array.state, array.short_state) == (
        wording("slurm.running-pending", running="4", pending="26"),
        "4/30 running",
    )
    assert summary_of(records[:1], NOW_S).short_state == "26 pending"
    assert (array.count, array.tasks[Sort.RUNNING]) == (30, 4)
    assert (array.job.label, array.job.cpus, array.job.nodes) == ("1", 4, "n1")
    assert array.job.reason == "JobArrayTaskLimit"
    mixed = [replace(job, reason="Priority,JobHeldUser") if job.is_pending else job for job in records]
    assert says(summary_of(mixed, NOW_S).state, "app.jobs.to-of-them-held", least="1", most="25")
    ended = [replace(job, states=("COMPLETED",)) if job.array_tasks == "0" else job for job in records]
    assert summary_of(ended, NOW_S).state.split(", ") == ["3 running", "26 pending", "1 finished"]
    with refuses_naming(ValueError, "record"):
        summary_of((), NOW_S)


def test_a_whole_array_goes_by_its_number_and_a_part_by_its_tasks() -> None:
    columns = _columns()
    records = records_of(columns, ARRAY)
    other = next(job for job in JOBS if job.job_id == 2)
    assert labels_of((*records, other), columns) == ("1", "2")
    assert labels_of(records[1:3], columns) == ("1_0", "1_1")
    state = wording("slurm.running-pending", running="4", pending="26")
    assert jobs_name(records, columns) == wording("app.jobs.array-of", label="1", user="fs_anna", state=state)
    assert jobs_name(records[1:], columns) == "4 jobs"
    assert jobs_name(records[1:2], columns).split() == ["job", "1_0", "of", "fs_anna"]
    waiting = next(job for job in JOBS if job.job_id == WAITING)
    assert labels_of((waiting,), columns) == ("10_[0-29]",)
    assert whole_array((waiting,), columns) is None
    ended = tuple(replace(job, states=("FAILED",)) if job.array_tasks == "0" else job for job in JOBS)
    left = [job for job in records_of(_columns(ended), ARRAY) if not job.is_finished]
    assert labels_of(left, _columns(ended)) == ("1",)
    assert labels_of(records, None) == tuple(job.label for job in records)


def test_who_waits_for_a_job_or_its_array() -> None:
    by_name = {job.label: job for job in JOBS}
    assert [one.label for one in dependents(by_name["2"], JOBS)] == ["13", "12", "9", "8"]
    assert [one.label for one in dependents(by_name["1_3"], JOBS)] == ["10_[0-29]", "12", "8", "7"]
    assert [one.label for one in dependents(by_name["1_2"], JOBS)] == ["10_[0-29]", "12", "7"]
    assert dependents(by_name["14"], JOBS) == ()


@given(st.permutations(range(len(JOBS))), st.sets(st.sampled_from((ARRAY, 99))), st.booleans())
def test_each_record_once_and_below_its_array(order: list[int], opened: set[int], is_down: bool) -> None:
    columns = _columns(tuple(JOBS[at] for at in order))
    for field in (Field.JOB, Field.STATE, Field.CPUS):
        places = columns.order(field, is_down=is_down)
        rows = gathered(columns, places, opened)
        shown = [place for place, array in zip(rows.places, rows.arrays, strict=True) if not array]
        expected = [at for at in places if not columns.arrays[at] or columns.arrays[at] in opened]
        assert sorted(shown) == sorted(expected)
        heads = np.flatnonzero(rows.arrays)
        assert rows.arrays[heads].tolist() == [ARRAY]
        below = columns.arrays[rows.places[heads[0] + 1 : heads[0] + 6]]
        assert (below == ARRAY).all() == (ARRAY in opened)
        assert [at for at in shown if not columns.arrays[at]] == [
            at for at in places if not columns.arrays[at]
        ]
