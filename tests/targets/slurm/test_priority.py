"""What the priority of a job is made of: asked of sprio, and why there is none, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.targets.slurm.explain import read_priority, read_tasks
from fsconsole.targets.slurm.location import Location, capture_place
from fsconsole.targets.slurm.tools import Answer, Tools
from tests.slurm.captured import OLD_EXAMPLE, captured
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import says, wording

JOBS = read_squeue(captured("plain/squeue.json")).items
HEAD = "JOBID|PARTITION|USER|PRIORITY|SITE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOS|NICE|TRES\n"
# What sprio 22.05.8 printed of a job that was submitted to two partitions.
TWO_PARTITIONS = (
    f"{HEAD}28|scavenge|fs_anna|100300|0|0|0|100000|250|50|0|0|\n"
    "28|batch|fs_anna|100750|0|0|0|100000|250|500|0|0|\n"
)
NONE_FOUND = "Unable to find jobs matching user/id(s) specified\n"


@dataclass
class Says:
    """A sprio that says one thing after the other, the last for ever."""

    answers: list[Answer]
    calls: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], *, limit_s: float = 0.0) -> Answer:
        self.calls.append(tuple(command))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def _saying(stdout: str) -> Says:
    return Says([Answer((), 0, stdout)])


def _job(number: int = 28, state: str = "PENDING", **more: Any) -> Job:
    fields: dict[str, Any] = {"user": "fs_anna", "partition": "batch", "priority": 9}
    return Job(job_id=number, states=(state,), **(fields | more))


def test_a_capture_of_an_older_version_has_no_parts() -> None:
    found = read_priority(Tools(capture_place(OLD_EXAMPLE)).run, "32")
    assert found.rows == ()
    assert found.reason == wording("targets.slurm.this-capture-folder-has-no-2")


def test_the_parts_are_those_of_the_queue(fake_slurm: FakeSlurm) -> None:
    waiting = next(job for job in JOBS if job.is_pending and job.job_id == 19)
    found = read_priority(Tools(Location()).run, "19", JOBS)
    (row,) = found.rows
    assert (found.reason, row.partition, row.user) == ("", "batch", "fs_emma")
    assert row.priority == waiting.priority
    assert row.parts["fairshare"] == 10594  # FAIRSHARE.md: 100000 x 0.105937
    assert row.priority == sum(row.parts.values())
    assert [call.tool for call in fake_slurm.calls] == ["sprio"]


def test_a_job_has_a_priority_in_each_of_its_partitions() -> None:
    run = _saying(TWO_PARTITIONS)
    found = read_priority(run, "28", [_job()])
    assert [(row.partition, row.priority) for row in found.rows] == [("batch", 100750), ("scavenge", 100300)]
    assert run.calls[0][:3] == ("sprio", "-j", "28")


@pytest.mark.parametrize(
    ("label", "job", "number"),
    [
        ("26_[1-9%2]", _job(26, array_job_id=26, array_tasks="1-9%2"), "26"),
        ("26_3", _job(31, array_job_id=26, array_tasks="3"), "31"),
        ("29+1", _job(30, het_job_id=29, het_offset=1), "30"),
        ("7_3", None, "7"),
    ],
)
def test_sprio_is_given_bare_numbers(label: str, job: Job | None, number: str) -> None:
    run = _saying(NONE_FOUND)
    read_priority(run, label, [] if job is None else [job])
    assert run.calls[0][2] == number


@pytest.mark.parametrize(
    ("jobs", "reason"),
    [
        ([], "Slurm has no such pending job."),
        ([_job(priority=0)], "The job is held, and has no priority until it is released."),
        (
            [_job(reason="BeginTime")],
            "sprio shows no priority of the job while it waits for something else (BeginTime).",
        ),
        ([_job(reason="None")], "sprio shows no priority of the job while it waits for something else."),
    ],
)
def test_why_there_is_none_is_reported(jobs: list[Job], reason: str) -> None:
    found = read_priority(_saying(NONE_FOUND), "28", jobs)
    assert (found.rows, found.reason) == ((), reason)


def test_what_does_not_wait_is_not_asked_for() -> None:
    run = _saying(TWO_PARTITIONS)
    found = read_priority(run, "28", [_job(state="RUNNING")])
    assert found.reason.startswith(wording("targets.slurm.job-is-not-pending-only"))
    assert run.calls == []


@pytest.mark.parametrize("label", ["", "abc", "-1", "28; rm"])
def test_what_is_no_job_is_not_asked_for(label: str) -> None:
    run = _saying(TWO_PARTITIONS)
    assert says(read_priority(run, label).reason, "slurm.is-not-job-number-example")
    assert run.calls == []


def test_an_older_sprio_is_asked_for_its_own_form() -> None:
    refused = Answer((), 1, "", "sprio: error: Invalid job format specification: B", problem="sprio failed")
    run = Says([refused, Answer((), 0, captured("plain/sprio-l.txt"))])
    found = read_priority(run, "19", JOBS)
    assert [call[3:] for call in run.calls][1] == ("-l",)
    assert {row.job_id for row in found.rows} >= {19}


def test_trouble_is_reported_in_words(fake_slurm: FakeSlurm) -> None:
    run = Tools(Location()).run
    fake_slurm.answer("sprio", ending="hang")
    found = read_priority(run, "19", JOBS, limit_s=0.3)
    assert found.reason == wording(
        "targets.slurm.did-not-respond-within-s", tool="sprio", limit_s="0.3", value="."
    )
    fake_slurm.slurmctld_is_down()
    assert read_priority(run, "19", JOBS).reason.startswith(
        wording("targets.slurm.slurmctld-does-not-respond", controller="")
    )
    fake_slurm.answer("sprio", stdout="hello\n")
    no_column = wording("slurm.parsers.no-column-jobid-this-is")
    reason = read_priority(run, "19", JOBS).reason
    assert reason == wording("targets.slurm.what-sprio-printed-cannot-be", rstrip=no_column)


def test_tasks_of_an_array_are_read_one_by_one() -> None:
    mixed = _job(array_job_id=28, array_tasks="1-2", reason="BeginTime,JobHeldAdmin")
    row = next(line for line in captured("arrays/squeue-O.txt").splitlines() if "|PENDING|" in line)
    rest = row.split("|")[3:]
    lines = ["|".join(("28", "28", str(task), *rest)) for task in (1, 2)]
    run = _saying("\n".join(lines) + "\n")
    assert [job.label for job in read_tasks(run, mixed)] == ["28_1", "28_2"]
    assert {"-r", "28"} <= set(run.calls[0])
    assert read_tasks(Tools(capture_place(OLD_EXAMPLE)).run, mixed) == ()
