"""`scontrol show job` in both forms, against `squeue --json` of the same moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.squeue import read_squeue
from tests.slurm.captured import captured
from tests.texts import Expected, naming, says, worded

ODD = captured("odd/scontrol-show-job.txt")
ONE_LINE = captured("odd/scontrol-show-job-oneline.txt")


def _by_id(text: str) -> dict[int, Job]:
    listing = read_scontrol_job(text)
    assert not listing.problems
    return {job.job_id: job for job in listing.items}


def _as_squeue_says(job: Job, limit_s: float | None) -> Job:
    """Without what only one of the two says."""
    return replace(job, elapsed_s=None, association_id=None, time_limit_s=limit_s, tres="")


def _check_against_squeue(text: str, queue: str, expected: int) -> None:
    found = _by_id(text)
    both = [job for job in read_squeue(queue).items if job.job_id in found]
    assert len(both) == expected
    for job in both:
        shown = found[job.job_id]
        assert _as_squeue_says(shown, job.time_limit_s) == _as_squeue_says(job, job.time_limit_s)
        assert job.time_limit_s is None or shown.time_limit_s == job.time_limit_s


def test_it_says_what_squeue_says() -> None:
    _check_against_squeue(ODD, captured("odd/squeue.json"), 9)


def test_both_forms_say_the_same() -> None:
    several, one = _by_id(ODD), _by_id(ONE_LINE)
    assert sorted(one) == [1, 3, 20]
    for number, job in one.items():
        assert replace(job, elapsed_s=None) == replace(several[number], elapsed_s=None)


def test_every_capture(shared: Path) -> None:
    for folder in ("running", "drained", "fairtree"):
        captures = shared / "slurm-lab" / "captures" / folder
        text = (captures / "scontrol-show-job.txt").read_text("utf-8")
        queue = (captures / "squeue.json").read_text("utf-8")
        jobs = len(read_squeue(queue).items)
        _check_against_squeue(text, queue, jobs)
        _check_against_squeue((captures / "scontrol-show-job-oneline.txt").read_text("utf-8"), queue, jobs)


def test_run_times_are_those_that_slurm_prints() -> None:
    """All of the capture are of one moment: those that ran, and those that are suspended or over."""
    jobs = _by_id(ODD)
    began_s = jobs[1].start_s
    assert began_s is not None
    ran = {number: job.ran_s(began_s + 50) for number, job in jobs.items()}
    assert ran == {1: 50, 3: 0, 6: 47, 7: 47, 10: 0, 11: 4, 15: 0, 16: 21, 18: 47, 20: 0}


def test_times_are_on_the_clock_that_is_named() -> None:
    berlin = read_scontrol_job(ODD, ZoneInfo("Europe/Berlin")).items[0].submit_s
    utc = read_scontrol_job(ODD).items[0].submit_s
    assert utc is not None
    assert berlin == utc - 3600
    numbers = ODD.replace("2026-11-22T10:00:14", str(utc))
    assert read_scontrol_job(numbers, ZoneInfo("Europe/Berlin")).items[0].submit_s == utc


def test_a_name_cannot_pass_for_fields() -> None:
    mask = "x UserId=root(0) GroupId=root(0) MCS_label=N/A"
    several = ODD.replace("JobName=unlim", f"JobName={mask}")
    assert (_by_id(several)[3].name, _by_id(several)[3].user) == (mask, "fs_ben")
    one = read_scontrol_job(ONE_LINE.replace("JobName=unlim", f"JobName={mask}"))
    assert sorted(job.job_id for job in one.items) == [1, 20]
    assert one.problems[0].line == 2
    twice = {"kind": "JobId", "name": "3", "doubtful": "UserId"}
    assert says(one.problems[0].text, "slurm.parsers.was-left-out-occurs-twice", **twice)
    broken = read_scontrol_job(ODD.replace("JobName=unlim", "JobName=x\n   UserId=root(0)"))
    assert 3 not in {job.job_id for job in broken.items}
    twice = {"doubtful": "UserId"}
    assert says(broken.problems[0].text, "slurm.parsers.was-left-out-occurs-twice", **twice)


def test_no_jobs_are_none() -> None:
    answer = read_scontrol_job("No jobs in the system\n").items
    assert answer == ()
    assert read_scontrol_job("").items == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "slurm_load_jobs error: Zero Bytes\n",
            worded("slurm.parsers.is-not-output-of-record", first="JobId"),
        ),
        (
            "JobId=7 JobName=x\n   UserId=ann(1)\n",
            worded(
                "slurm.parsers.was-left-out-it-has", kind="JobId", name="7", missing="JobState, Partition"
            ),
        ),
        (
            ONE_LINE.splitlines()[1].replace("JobId=3", "JobId=x"),
            worded("slurm.parsers.job-was-left-out", row="x"),
        ),
        (
            ONE_LINE.splitlines()[1].replace("SubmitTime=2026-11-22", "SubmitTime=2026-11-31"),
            naming("line 1, column 0: error: job 3 was left out: '2026-11-31T10:00:14' is not a time"),
        ),
    ],
)
def test_what_is_wrong_is_reported(text: str, words: Expected) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_scontrol_job(text)
    assert says(str(caught.value), words)


def test_the_reservation_is_read_from_either_tool() -> None:
    line = ONE_LINE.replace(" OverSubscribe=", " Reservation=ded OverSubscribe=")
    assert {job.reservation for job in read_scontrol_job(line).items} == {"ded"}
    assert {job.reservation for job in read_scontrol_job(ODD).items} == {""}
    queue = captured("odd/squeue.json").replace('"resv_name": ""', '"resv_name": "ded"')
    assert {job.reservation for job in read_squeue(queue).items} == {"ded"}
