"""Schedules written to files and read back, and those that come from elsewhere."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.job_files import import_schedule, jobs_csv, write_schedule
from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces import read_trace
from fsconsole.resources import resource
from tests.texts import refuses_naming, wording


def workload() -> JobTable:
    """Jobs 7, 3, 5 submitted at 0, 10, 10; 60, 70, 80 s long; 4 nodes each."""
    ones = np.ones(3, dtype=np.int64)
    submit, runtime = np.array([0, 10, 10]), np.array([60, 70, 80])
    return job_table(np.array([7, 3, 5]), submit, runtime, 4 * ones, 0 * ones, ("a",), cluster_nodes=4)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "other.csv"
    path.write_text(text)
    return path


def test_lines_in_the_order_of_arrival(tmp_path: Path) -> None:
    schedule = simulate(workload(), 4, BatchPolicy())
    assert jobs_csv(schedule).splitlines() == [
        "job_id,submit,start,end",
        "7,0,0,60",
        "3,10,60,130",
        "5,10,130,210",
    ]
    path = tmp_path / "jobs.csv"
    write_schedule(schedule, path, np.array([True, False, True]))
    assert path.read_text().splitlines()[1:] == ["7,0,0,60", "5,10,130,210"]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    jobs = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs
    schedule = simulate(jobs, 100, BatchPolicy())
    path = tmp_path / "fcfs.csv.gz"
    path.write_bytes(gzip.compress(jobs_csv(schedule).encode()))
    again = import_schedule(path, jobs)
    assert (again.schedule.start_s == schedule.start_s).all()
    assert (again.schedule.jobs.job_id == jobs.job_id).all()
    assert (again.schedule.label, again.schedule.policy, again.schedule.cluster_nodes) == ("fcfs", None, 100)
    assert again.notes == ()


def test_the_schedule_of_another_simulator(shared: Path) -> None:
    jobs = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs
    schedule = import_schedule(shared / "traces/expected/kth-fcfs-backfill.csv.gz", jobs).schedule
    assert len(schedule.jobs) == 28_481
    assert schedule.wait_s.max() / 3600 == pytest.approx(71.89, abs=0.005)  # what the table of its rules says


def test_any_order_and_other_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "start,name,job_id\n200,x,5\n0,y,7\n10,z,3\n")
    assert import_schedule(path, workload()).schedule.start_s.tolist() == [0, 10, 200]


def test_what_differs_is_reported(tmp_path: Path) -> None:
    path = written(tmp_path, "job_id,submit,start,end\n7,1,5,65\n3,10,10,90\n9,0,0,1\n")
    read = import_schedule(path, workload())
    assert read.schedule.jobs.job_id.tolist() == [7, 3]
    assert read.schedule.end_s.tolist() == [65, 80]
    assert read.notes == (
        wording("batch.of-file-left-out-because", count="1 job", others="9"),
        wording("batch.of-workload-missing-from-file", missing="1 job", missing_2="5"),
        wording("batch.with-another-in-file", count="1 job", name="submit", differing="7"),
        wording("batch.with-another-in-file", count="1 job", name="end", differing="3"),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("job_id,start\n7,0\n3,9\n", ":3: job 3 starts before its submission at 10 s"),
        ("job_id,start\n7,0\n7,5\n", ":3: job 7 occurs twice"),
        ("job_id,start\n7,0\n3,soon\n", ":3: start is 'soon'. It must be a whole number"),
        ("job_id,start\n7,0\n3\n", ":3: start is None. It must be a whole number"),
        ("job_id,start\n7,0.5\n", ":2: start is '0.5'. It must be a whole number"),
        ("job_id,begin\n7,0\n", ":1: missing column start. A schedule has job_id, submit, start, end"),
        ("job_id,start\n99,0\n", ": none of its 1 jobs is among the 3 of the workload"),
        ("job_id,start\n", r": none of its 0 jobs is among the 3"),
        ("", r": not a schedule. It must be CSV with the columns"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, says: str) -> None:
    path = written(tmp_path, text)
    with refuses_naming(ValueError, f"{path}{says}"):
        import_schedule(path, workload())
