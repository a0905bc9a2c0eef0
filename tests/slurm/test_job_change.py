"""What can be done to jobs, and by what it is seen; facts are those of Slurm 22.05.8 as tried."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fsconsole.slurm.job_change import (
    JobChange,
    JobVerb,
    Seen,
    command,
    count_of,
    only_insisted,
    seen,
    status_words,
    unconfirmed,
    why_not,
)
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from tests.slurm.captured import captured
from tests.texts import Expected, says, worded, wording

MINUTE_S = 60.0
RUNNING = Job(
    job_id=7,
    user="ann",
    partition="batch",
    states=("RUNNING",),
    time_limit_s=1800.0,
    elapsed_s=600,
    priority=9,
    may_requeue=True,
)
PENDING = replace(RUNNING, states=("PENDING",), elapsed_s=0)
HELD = replace(PENDING, priority=0)
SOME_HELD = replace(PENDING, reason="Priority,JobHeldUser", array_job_id=7, array_tasks="1-4")
SUSPENDED = replace(RUNNING, states=("SUSPENDED",), priority=0)
BY_SLURM = replace(SUSPENDED, priority=9)
ENDED = replace(RUNNING, states=("CANCELLED",))
ENDING = replace(RUNNING, states=("COMPLETING",))
PART = replace(RUNNING, het_job_id=6, het_offset=1)
STATES = {
    "running": RUNNING,
    "pending": PENDING,
    "held": HELD,
    "suspended": SUSPENDED,
    "by slurm": BY_SLURM,
    "ended": ENDED,
    "ending": ENDING,
    "part": PART,
}


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        (("40",), 6),
        (("40_5", "40_2"), 2),
        (("40_[4-6]",), 3),
        (("40_[4,...]",), 4),
        (("99",), 1),
        (("7", "x"), 1),
    ],
)
def test_each_task_that_a_change_names_is_one_job(labels: tuple[str, ...], count: int) -> None:
    tasks = replace(PENDING, job_id=40, array_job_id=40, array_tasks="4-7%2")
    running = (replace(RUNNING, job_id=40 + task, array_job_id=40, array_tasks=str(task)) for task in (2, 3))
    ended = replace(ENDED, job_id=41, array_job_id=40, array_tasks="1")
    assert count_of(JobChange(JobVerb.KILL, labels), (tasks, *running, ended, RUNNING)) == count


def _change(verb: JobVerb, by_s: float = 300.0) -> JobChange:
    return JobChange(verb, ("7",), by_s if verb is JobVerb.EXTEND else 0.0)


@pytest.mark.parametrize(
    ("verb", "possible"),
    [
        (JobVerb.KILL, set(STATES) - {"ended", "ending"}),
        (JobVerb.EXTEND, set(STATES) - {"ended", "ending"}),
        (JobVerb.SUSPEND, {"running", "by slurm"}),
        (JobVerb.RESUME, {"suspended", "by slurm"}),
        (JobVerb.HOLD, {"pending"}),
        (JobVerb.RELEASE, {"held"}),
        (JobVerb.REQUEUE, {"running", "suspended", "by slurm", "ended"}),
    ],
)
def test_what_can_be_done_in_which_state(verb: JobVerb, possible: set[str]) -> None:
    assert {name for name, job in STATES.items() if not why_not(_change(verb), job)} == possible


@pytest.mark.parametrize(
    ("verb", "insisted"),
    [
        (JobVerb.KILL, set()),
        (JobVerb.EXTEND, set()),
        (JobVerb.SUSPEND, {"by slurm"}),
        (JobVerb.RESUME, {"by slurm"}),
        (JobVerb.HOLD, set()),
        (JobVerb.RELEASE, set()),
        (JobVerb.REQUEUE, {"ended"}),
    ],
)
def test_what_is_to_be_insisted_on(verb: JobVerb, insisted: set[str]) -> None:
    assert {name for name, job in STATES.items() if only_insisted(_change(verb), job)} == insisted


@pytest.mark.parametrize(
    ("by_s", "job", "message"),
    [
        (90.0, RUNNING, worded("slurm.slurm-s-time-limits-are")),
        (math.nan, RUNNING, worded("slurm.slurm-s-time-limits-are")),
        (math.inf, RUNNING, worded("slurm.slurm-s-time-limits-are")),
        (0.0, RUNNING, worded("slurm.job-would-not-change")),
        (300.0, replace(RUNNING, time_limit_s=math.inf), worded("slurm.job-has-no-time-limit")),
        (-30 * MINUTE_S, RUNNING, worded("slurm.time-limit-is-at-least", limit_s="30:00")),
        (-31 * MINUTE_S, RUNNING, worded("slurm.time-limit-is-at-least")),
        # Slurm 22.05.8 made 16319-11:14:00 of 10 minutes and 115740 days more, with exit status 0
        (115740 * 1440 * MINUTE_S, RUNNING, worded("slurm.time-limit-is-too-long")),
        (35_791_393 * MINUTE_S, RUNNING, worded("slurm.time-limit-is-too-long")),
        (-35_791_394 * MINUTE_S, RUNNING, worded("slurm.time-limit-is-too-long")),
    ],
)
def test_time_limits_that_make_no_sense(by_s: float, job: Job, message: Expected) -> None:
    assert says(why_not(_change(JobVerb.EXTEND, by_s), job), message)


def test_a_confirmation_is_of_the_jobs_and_the_dangers_that_it_was_about() -> None:
    other = replace(RUNNING, job_id=8)
    change = replace(_change(JobVerb.EXTEND, -20 * MINUTE_S), jobs=("7", "8"))
    why = only_insisted(change, RUNNING)
    assert unconfirmed(change, [RUNNING, other]) == why != ""
    change = replace(change, insisted=frozenset({("7", why)}))
    assert unconfirmed(change, [RUNNING]) == ""
    assert unconfirmed(change, [RUNNING, other]) == why
    assert unconfirmed(replace(change, insisted=frozenset({("7", "x")})), [RUNNING]) == why


def test_to_take_away_what_it_has_used_is_to_be_insisted_on() -> None:
    """It ends as TIMEOUT within half a minute."""
    assert not only_insisted(_change(JobVerb.EXTEND, -19 * MINUTE_S), RUNNING)
    assert says(
        only_insisted(_change(JobVerb.EXTEND, -20 * MINUTE_S), RUNNING), "slurm.job-has-run-longer-than"
    )
    started = replace(RUNNING, elapsed_s=None, start_s=1000)
    assert only_insisted(_change(JobVerb.EXTEND, -20 * MINUTE_S), started, 1600.0)
    assert not only_insisted(_change(JobVerb.EXTEND, -20 * MINUTE_S), started, 1599.0)


@pytest.mark.parametrize(
    ("verb", "ids", "by_s", "limit_s", "line"),
    [
        (JobVerb.KILL, ("7", "7_3"), 0.0, None, "scancel 7 7_3"),
        (JobVerb.SUSPEND, ("7", "8"), 0.0, None, "scontrol suspend 7,8"),
        (JobVerb.REQUEUE, ("7",), 0.0, None, "scontrol requeue 7"),
        (JobVerb.EXTEND, ("7",), 300.0, 1800.0, "scontrol update JobId=7 TimeLimit=+5"),
        (JobVerb.EXTEND, ("7_3",), -600.0, 1800.0, "scontrol update JobId=7_3 TimeLimit=-10"),
        (JobVerb.EXTEND, ("7_[1-2]",), 300.0, 1800.0, "scontrol update JobId=7_[1-2] TimeLimit=35"),
        (JobVerb.EXTEND, ("7+1",), 300.0, 1800.0, "scontrol update JobId=7+1 TimeLimit=35"),
    ],
)
def test_commands(verb: JobVerb, ids: tuple[str, ...], by_s: float, limit_s: float | None, line: str) -> None:
    assert " ".join(command(JobChange(verb, ids, by_s), ids, limit_s)) == line


@pytest.mark.parametrize(
    ("verb", "before", "after", "sign"),
    [
        (JobVerb.KILL, RUNNING, RUNNING, Seen.NOT_YET),
        (JobVerb.KILL, RUNNING, ENDING, Seen.DONE),
        (JobVerb.KILL, RUNNING, ENDED, Seen.DONE),
        (JobVerb.KILL, RUNNING, None, Seen.DONE),
        (JobVerb.EXTEND, RUNNING, RUNNING, Seen.NOT_YET),
        (JobVerb.EXTEND, RUNNING, replace(RUNNING, time_limit_s=2100.0), Seen.DONE),
        (JobVerb.EXTEND, RUNNING, replace(RUNNING, time_limit_s=2400.0), Seen.OTHERWISE),
        (JobVerb.EXTEND, RUNNING, None, Seen.OTHERWISE),
        (
            JobVerb.EXTEND,
            replace(RUNNING, time_limit_s=None),
            replace(RUNNING, time_limit_s=None),
            Seen.NOT_YET,
        ),
        (JobVerb.SUSPEND, RUNNING, SUSPENDED, Seen.DONE),
        (JobVerb.SUSPEND, BY_SLURM, BY_SLURM, Seen.NOT_YET),
        (JobVerb.SUSPEND, RUNNING, ENDED, Seen.OTHERWISE),
        (JobVerb.RESUME, SUSPENDED, RUNNING, Seen.DONE),
        (JobVerb.RESUME, SUSPENDED, BY_SLURM, Seen.NOT_YET),
        (JobVerb.HOLD, PENDING, HELD, Seen.DONE),
        (JobVerb.HOLD, PENDING, PENDING, Seen.NOT_YET),
        (JobVerb.HOLD, PENDING, RUNNING, Seen.OTHERWISE),
        (JobVerb.RELEASE, HELD, HELD, Seen.NOT_YET),
        (JobVerb.RELEASE, HELD, PENDING, Seen.DONE),
        (JobVerb.RELEASE, HELD, RUNNING, Seen.DONE),
        (JobVerb.RELEASE, SOME_HELD, SOME_HELD, Seen.NOT_YET),
        (JobVerb.RELEASE, SOME_HELD, PENDING, Seen.DONE),
        (JobVerb.HOLD, SOME_HELD, SOME_HELD, Seen.NOT_YET),
        (JobVerb.HOLD, SOME_HELD, HELD, Seen.DONE),
        (JobVerb.REQUEUE, RUNNING, ENDING, Seen.NOT_YET),
        (JobVerb.REQUEUE, RUNNING, PENDING, Seen.DONE),
        (JobVerb.REQUEUE, RUNNING, replace(RUNNING, restarts=1), Seen.DONE),
        (JobVerb.REQUEUE, RUNNING, None, Seen.OTHERWISE),
    ],
)
def test_by_what_it_is_seen(verb: JobVerb, before: Job, after: Job | None, sign: Seen) -> None:
    assert seen(_change(verb), before, after) is sign


def test_a_real_cluster_tells_apart_who_suspended_a_job() -> None:
    jobs = {
        job.job_id: job
        for job in read_scontrol_job(captured("preempted/scontrol-show-job-oneline.txt")).items
    }
    change = _change(JobVerb.RESUME)
    assert says(only_insisted(change, jobs[39]), "slurm.slurm-suspended-job-for-another")
    assert not only_insisted(change, jobs[41])
    assert status_words(change, jobs[39]) == ("SUSPENDED" + wording("slurm.by-slurm-itself"))
    assert status_words(change, jobs[41]) == "SUSPENDED"


def test_tasks_of_which_some_are_held_can_be_held_and_released() -> None:
    assert not why_not(_change(JobVerb.HOLD), SOME_HELD)
    assert not why_not(_change(JobVerb.RELEASE), SOME_HELD)
    assert why_not(_change(JobVerb.RELEASE), PENDING)
    words = {status_words(_change(JobVerb.HOLD), job) for job in (HELD, SOME_HELD, PENDING)}
    assert len(words) == 3
