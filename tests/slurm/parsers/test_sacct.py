"""`sacct -P`, against what slurmctld says of the same jobs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.sacct import ASKED, read_sacct
from fsconsole.slurm.parsers.squeue import read_squeue
from tests.slurm.captured import captured

ODD = captured("odd/sacct.psv")


def _check_against_squeue(jobs: tuple[Job, ...], queue: str) -> int:
    known = {job.job_id: job for job in read_squeue(queue).items}
    both = [(job, known[job.job_id]) for job in jobs if job.job_id in known]
    both = [(job, said) for job, said in both if not said.restarts]  # here they are the run before
    for job, said in both:
        assert (job.user, job.account, job.partition, job.qos) == (
            said.user,
            said.account,
            said.partition,
            said.qos,
        )
        assert (job.name, job.label, job.cpus) == (said.name, said.label, said.cpus)
        assert job.nodes in (said.nodes, "")  # not every capture has asked for them
        assert job.submit_s == said.submit_s
        assert job.is_finished == said.is_finished
        assert said.is_pending or job.start_s == said.start_s or job.state == "CANCELLED"
        assert not job.is_finished or job.end_s == said.end_s
        assert said.time_limit_s is None or job.time_limit_s == said.time_limit_s
    return len(both)


def test_it_says_what_squeue_says_of_whole_jobs() -> None:
    listing = read_sacct(ODD)
    assert not listing.problems
    assert (
        _check_against_squeue(listing.items, captured("odd/squeue.json")) == 7
    )  # jobs that were held from the start are not in the database


def test_every_capture(shared: Path) -> None:
    for folder in ("running", "drained", "fairtree"):
        captures = shared / "slurm-lab" / "captures" / folder
        queue = (captures / "squeue.json").read_text("utf-8")
        for name in ("sacct.psv", "sacct-brief.psv"):
            listing = read_sacct((captures / name).read_text("utf-8"))
            assert not listing.problems
            assert _check_against_squeue(listing.items, queue) == len(listing.items) - 1 > 20


def test_steps_are_left_out() -> None:
    assert [job.job_id for job in read_sacct(captured("plain/sacct-brief.psv")).items] == [1, 2, 3, 4]


def test_what_is_rare() -> None:
    jobs = {job.job_id: job for job in read_sacct(ODD).items}
    assert jobs[1].name == "a name UserId=root(0) GroupId=root(0) x|y"  # the last column may hold bars
    assert (jobs[3].time_limit_s, jobs[3].nodes) == (math.inf, "")
    assert (jobs[16].state, jobs[15].exit_code) == ("CANCELLED", (3, 0))
    assert [jobs[number].label for number in (7, 18, 2)] == ["6+1", "2_1", "2_[1,3,5%2]"]


def test_the_fields_to_ask_for_are_those_captured() -> None:
    assert set(ASKED.split(",")) == set(ODD.splitlines()[0].split("|"))
    assert ASKED.endswith(",JobName")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column jobid, user, state: this is not what `sacct -P` prints"),
        ("JobID|User|State\n7|ann\n", "line 2, column 0: error: 2 fields, the header has 3"),
        (
            "JobID|User|State\nx|ann|RUNNING\n",
            "its state 'RUNNING', expected such as 7 and",
        ),
        ("JobID|User|State\n7|ann|\n", "its state ''"),
        (
            "JobID|User|State|Start\n7|ann|RUNNING|soon\n",
            "'soon' is not a time; it is like 2026-11-20T09:36:20",
        ),
        ("JobID|User|State|AllocCPUS\n7|ann|RUNNING|-2\n", "'-2' is not a count"),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_sacct(text)
    assert words in str(caught.value)
