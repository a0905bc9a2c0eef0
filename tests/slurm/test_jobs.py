"""What a job's record means."""

from __future__ import annotations

import pytest

from fsconsole.slurm.jobs import Job


def _job(state: str = "RUNNING", **text: object) -> Job:
    return Job(job_id=7, user="ann", partition="batch", states=(state,), **text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("job", "ran_s"),
    [
        (_job(start_s=100), 50),
        (_job("PENDING", start_s=400), 0),
        (_job("SUSPENDED", start_s=100, suspend_s=130, ran_before_s=30), 30),
        (_job(start_s=100, suspend_s=140, ran_before_s=30), 40),  # resumed at 140 after ten seconds
        (_job("COMPLETED", start_s=100, end_s=110), 10),
        (_job("CANCELLED", end_s=110), 0),
    ],
)
def test_time_suspended_is_not_run(job: Job, ran_s: float) -> None:
    assert job.ran_s(150) == ran_s


def test_a_completing_job_still_has_its_nodes() -> None:
    job = Job(job_id=7, user="ann", partition="batch", states=("CANCELLED", "COMPLETING"))
    assert not job.is_finished
    assert _job("CANCELLED").is_finished


def test_labels_are_those_of_squeue() -> None:
    assert _job().label == "7"
    assert _job(array_job_id=5, array_tasks="3").label == "5_3"
    assert _job(array_job_id=7, array_tasks="1,3,5%2").label == "7_[1,3,5%2]"
    assert _job(het_job_id=6, het_offset=1).label == "6+1"
