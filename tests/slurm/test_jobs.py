"""What a job's record means."""

from __future__ import annotations

import pytest

from fsconsole.slurm.job_labels import held_within
from fsconsole.slurm.job_priority import is_eligible, turn_of
from fsconsole.slurm.jobs import Job, Sort


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


def _tasks(reason: str, priority: int | None = 9, tasks: str = "1-4") -> Job:
    return _job("PENDING", reason=reason, priority=priority, array_job_id=7, array_tasks=tasks)


@pytest.mark.parametrize(
    ("reason", "apart"),
    [
        ("Priority", 1),
        ("BeginTime,JobHeldAdmin", 2),
        ("AssocGrpCpuLimit,QOSMaxJobsPerUserLimit,None", 3),
        ("launch_failed_requeued_held,Resources", 2),
        # These have commas of their own.
        ("ReqNodeNotAvail, UnavailableNodes:n1,n2,Big", 1),
        ("ReqNodeNotAvail,_UnavailableNodes:n[1-2],n4,JobHeldUser", 2),
        ("Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved,Priority", 2),
        ("", 1),
    ],
)
def test_reasons_of_tasks_in_one_row_are_apart(reason: str, apart: int) -> None:
    job = _tasks(reason)
    assert len(job.reasons) == apart
    assert ",".join(job.reasons) == reason
    assert job.is_mixed is (apart > 1)


@pytest.mark.parametrize("priority", [0, 9, None])
@pytest.mark.parametrize("other", ["BeginTime", "Dependency", "Priority", "AssocGrpCpuLimit"])
@pytest.mark.parametrize("held", ["JobHeldUser", "JobHeldAdmin"])
def test_tasks_of_which_some_are_held_are_neither_held_nor_eligible(
    priority: int | None, other: str, held: str
) -> None:
    """Slurm prints the priority of one of them for all."""
    for reason in (f"{held},{other}", f"{other},{held}"):
        job = _tasks(reason, priority)
        assert (job.is_held, job.has_held, job.sort) == (False, True, Sort.WAITING)
        assert not is_eligible(job)
        assert turn_of(job, (job,)) is None
        assert held_within((job, _job())) == (1, 3)
    assert held_within((_tasks(f"{held},{other}", tasks="2,5"),)) == (1, 1)


def test_tasks_that_are_all_held_are_held_whoever_held_them() -> None:
    job = _tasks("JobHeldUser,JobHeldAdmin", 0)
    assert (job.is_held, job.has_held, job.sort) == (True, True, Sort.HELD)
    assert held_within((job,)) == (0, 0)


def test_tasks_that_all_wait_for_their_turn_stand_in_the_queue_of_others() -> None:
    mixed = _tasks("Resources,Priority")
    after = Job(job_id=8, user="ann", partition="batch", states=("PENDING",), reason="Priority", priority=1)
    turn = turn_of(after, (mixed, after))
    assert turn is not None
    assert (turn.count, turn_of(mixed, (mixed, after))) == (5, None)
    assert not is_eligible(_tasks("Priority,BeginTime"))
