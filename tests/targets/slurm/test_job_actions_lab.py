"""Every row of what operators do to jobs, on a real cluster: what is reported is what slurmctld says then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from fsconsole.recording.audit import Result
from fsconsole.slurm.job_change import JobChange, JobVerb, only_insisted
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.near_dedicated import DedicatedView
from fsconsole.slurm.near_dedicated_of import dedicated_view
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.preemption import Certainty, Effect
from fsconsole.targets.slurm.job_actions import act
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab
from tests.texts import Expected, says, worded, wording

MINUTE_S = 60.0
UNKNOWN = 999_999
USER, OTHER = SYSTEM_PEOPLE[:2]  # both in ocean


@pytest.fixture
def lab(slurm_lab: Lab) -> Iterator[Lab]:
    """A cluster on which nothing runs, before and after."""
    slurm_lab.cancel_all()
    yield slurm_lab
    slurm_lab.cancel_all()


def _do(
    lab: Lab, verb: JobVerb, *jobs: object, by_s: float = 0.0, insists: bool = False
) -> tuple[ActionReport, ...]:
    change = JobChange(verb, tuple(map(str, jobs)), by_s)
    if insists:
        found = ((label, only_insisted(change, job)) for label, job in _records(lab).items())
        change = replace(change, insisted=frozenset(found))
    return act(Tools(lab.place, lab.environment).run, change)


def _one(lab: Lab, verb: JobVerb, job: object, by_s: float = 0.0, *, insists: bool = False) -> ActionReport:
    (report,) = _do(lab, verb, job, by_s=by_s, insists=insists)
    return report


def _records(lab: Lab, job: object = "") -> dict[str, Job]:
    words = ("env", "SLURM_TIME_FORMAT=%s", "scontrol", "-o", "show", "job")
    text = lab.run(*words, *([str(job)] if job else [])).stdout
    return {one.label: one for one in read_scontrol_job(text).items}


def _record(lab: Lab, job: object) -> Job:
    return next(iter(_records(lab, job).values()))


def _running(lab: Lab, *more: str, cpus: int = 1) -> int:
    job = lab.submit(USER, "ocean", *more, cpus=cpus)
    _await(lab, "RUNNING", job)
    return job


def _await(lab: Lab, state: str, *jobs: int) -> None:
    lab.wait_until(lambda: {lab.job_states()[job] for job in jobs} == {state}, f"{jobs} are {state}")


def _full(lab: Lab, partition: str) -> Sequence[int]:
    """A job on all CPUs of each node."""
    nodes = range(1, lab.options.nodes + 1)
    jobs = [
        lab.submit(OTHER, "ocean", f"--partition={partition}", f"--nodelist=n{node}", cpus=8)
        for node in nodes
    ]
    _await(lab, "RUNNING", *jobs)
    return jobs


def test_kill(lab: Lab) -> None:
    running, waiting = _running(lab), lab.submit(USER, "ocean", "--hold")
    reports = _do(lab, JobVerb.KILL, running, waiting)
    assert [report.result for report in reports] == [Result.DONE, Result.DONE]
    assert [report.before for report in reports] == ["RUNNING", "PENDING (held)"]
    assert lab.job_states()[waiting] == "CANCELLED"
    assert lab.job_states()[running] in ("COMPLETING", "CANCELLED")


def test_kill_what_slurm_would_be_silent_about(lab: Lab) -> None:
    job = _running(lab)
    lab.cancel_all()
    report = _one(lab, JobVerb.KILL, job)
    assert (report.result, report.text) == (Result.REFUSED, wording("slurm.job-has-ended", state="CANCELLED"))
    assert says(_one(lab, JobVerb.KILL, UNKNOWN).text, "targets.slurm.slurmctld-has-no-such-job")
    assert says(_one(lab, JobVerb.KILL, "abc").text, "slurm.is-not-job-number-example")


@pytest.mark.parametrize("by_s", [5 * MINUTE_S, 60 * MINUTE_S, -30 * MINUTE_S, 20 * 24 * 60 * MINUTE_S])
def test_extend_and_shorten(lab: Lab, by_s: float) -> None:
    job = _running(lab)
    report = _one(lab, JobVerb.EXTEND, job, by_s)
    assert report.result is Result.DONE, report
    assert _record(lab, job).time_limit_s == 60 * MINUTE_S + by_s
    assert report.before == "1:00:00"


def test_extend_what_is_suspended_or_waits(lab: Lab) -> None:
    suspended, held = _running(lab), lab.submit(USER, "ocean", "--hold")
    lab.run("scontrol", "suspend", str(suspended))
    reports = _do(lab, JobVerb.EXTEND, suspended, held, by_s=5 * MINUTE_S)
    assert [report.result for report in reports] == [Result.DONE] * 2
    assert {_record(lab, job).time_limit_s for job in (suspended, held)} == {65 * MINUTE_S}


@pytest.mark.parametrize(
    ("by_s", "message"),
    [
        (90.0, worded("slurm.slurm-s-time-limits-are")),
        (-60 * MINUTE_S, worded("slurm.time-limit-is-at-least")),
        (0.0, worded("slurm.job-would-not-change")),
    ],
)
def test_extend_by_what_makes_no_sense(lab: Lab, by_s: float, message: Expected) -> None:
    job = lab.submit(USER, "ocean", "--hold")
    report = _one(lab, JobVerb.EXTEND, job, by_s)
    assert report.result is Result.REFUSED
    assert says(report.text, message)
    assert _record(lab, job).time_limit_s == 60 * MINUTE_S


def test_a_job_without_limit_keeps_none(lab: Lab) -> None:
    job = _running(lab)
    lab.run("scontrol", "update", f"JobId={job}", "TimeLimit=UNLIMITED")
    assert says(_one(lab, JobVerb.EXTEND, job, 5 * MINUTE_S).text, "slurm.job-has-no-time-limit")
    assert _record(lab, job).time_limit_s == float("inf")


def test_extend_what_has_ended_or_is_unknown(lab: Lab) -> None:
    job = _running(lab)
    lab.cancel_all()
    reports = _do(lab, JobVerb.EXTEND, job, UNKNOWN, by_s=5 * MINUTE_S)
    assert [report.result for report in reports] == [Result.REFUSED] * 2


def test_suspend_and_resume(lab: Lab) -> None:
    job = _running(lab)
    report = _one(lab, JobVerb.SUSPEND, job)
    assert (report.result, report.before, report.after) == (Result.DONE, "RUNNING", "SUSPENDED")
    again = _one(lab, JobVerb.SUSPEND, job)
    assert (again.result, again.text) == (Result.REFUSED, wording("slurm.job-is-already-suspended"))
    report = _one(lab, JobVerb.RESUME, job)
    assert (report.result, report.before, report.after) == (Result.DONE, "SUSPENDED", "RUNNING")
    assert "not suspended" in _one(lab, JobVerb.RESUME, job).text


def test_hold_and_release(lab: Lab) -> None:
    blocked = lab.submit(USER, "ocean", "--begin=now+1hour")
    report = _one(lab, JobVerb.HOLD, blocked)
    assert (report.result, report.after) == (Result.DONE, "PENDING (held)")
    assert "already held" in _one(lab, JobVerb.HOLD, blocked).text
    assert _one(lab, JobVerb.RELEASE, blocked).result is Result.DONE
    assert not _record(lab, blocked).is_held
    assert says(_one(lab, JobVerb.RELEASE, blocked).text, "slurm.job-is-not-held")
    assert "has started" in _one(lab, JobVerb.HOLD, _running(lab)).text


def test_requeue(lab: Lab) -> None:
    job = _running(lab)
    report = _one(lab, JobVerb.REQUEUE, job)
    assert report.result is Result.DONE, report
    _await(lab, "PENDING", job)
    assert _record(lab, job).restarts == 1
    assert "already pending" in _one(lab, JobVerb.REQUEUE, job).text


def test_a_killed_job_is_revived_only_where_one_insists(lab: Lab) -> None:
    job = _running(lab)
    lab.cancel_all()
    assert says(_one(lab, JobVerb.REQUEUE, job).text, "slurm.job-has-ended-this-would")
    assert _record(lab, job).state == "CANCELLED"
    assert _one(lab, JobVerb.REQUEUE, job, insists=True).result is Result.DONE
    _await(lab, "PENDING", job)


def test_a_job_that_may_not_be_requeued_is_not(lab: Lab) -> None:
    assert "--no-requeue" in _one(lab, JobVerb.REQUEUE, _running(lab, "--no-requeue")).text


def test_a_suspended_job_comes_back_held_when_requeued(lab: Lab) -> None:
    """What job_warnings.py warns of."""
    job = _running(lab)
    _one(lab, JobVerb.SUSPEND, job)
    assert _one(lab, JobVerb.REQUEUE, job).result is Result.DONE
    _await(lab, "PENDING", job)
    assert _record(lab, job).is_held


def test_an_array_that_waits(lab: Lab) -> None:
    job = lab.submit(USER, "ocean", "--hold", "--array=0-98:7%2")
    (label,) = _records(lab, job)
    assert label == f"{job}_[0-98:7%2]"
    assert _one(lab, JobVerb.RELEASE, label).result is Result.DONE
    lab.wait_until(lambda: len(_records(lab, job)) == 3, "two tasks run")
    label = next(label for label, one in _records(lab, job).items() if one.is_pending)
    assert _one(lab, JobVerb.HOLD, label).result is Result.DONE
    report = _one(lab, JobVerb.EXTEND, label, 5 * MINUTE_S)
    assert report.result is Result.DONE, report
    assert _one(lab, JobVerb.EXTEND, f"{job}_0", 7 * MINUTE_S).result is Result.DONE
    limits = {label: one.time_limit_s for label, one in _records(lab, job).items()}
    assert limits == {f"{job}_0": 67 * MINUTE_S, f"{job}_7": 60 * MINUTE_S, label: 65 * MINUTE_S}
    assert _one(lab, JobVerb.KILL, label).result is Result.DONE
    states = {label: one.state for label, one in _records(lab, job).items()}
    assert states.pop(f"{job}_0") == states.pop(f"{job}_7") == "RUNNING"
    assert set(states.values()) == {"CANCELLED"}
    # What waited is gone now: Slurm 22.05 finds the others by 7_0 and 7, but no more by numbers of their own.
    assert _one(lab, JobVerb.KILL, f"{job}_0").result is Result.DONE
    assert _one(lab, JobVerb.KILL, job).result is Result.DONE


def test_tasks_of_which_some_have_records_of_their_own(lab: Lab) -> None:
    job = lab.submit(USER, "ocean", "--hold", "--array=1-4")
    lab.run("scontrol", "update", f"JobId={job}_2", "TimeLimit=30")
    assert len(_records(lab, job)) == 2
    report = _one(lab, JobVerb.EXTEND, job, 5 * MINUTE_S)
    assert report.result is Result.DONE, report
    assert {one.time_limit_s for one in _records(lab, job).values()} == {35 * MINUTE_S, 65 * MINUTE_S}


def test_a_het_job(lab: Lab) -> None:
    lab.submit(USER, "ocean", ":", "--ntasks=1")
    lab.wait_until(lambda: list(lab.job_states().values()).count("RUNNING") == 2, "both parts run")
    labels = sorted(label for label, one in _records(lab).items() if one.state == "RUNNING")
    whole = labels[0].partition("+")[0]
    assert "first component" in _one(lab, JobVerb.SUSPEND, labels[1]).text
    for verb in (JobVerb.SUSPEND, JobVerb.RESUME):
        assert _one(lab, verb, whole).result is Result.DONE
    assert _one(lab, JobVerb.EXTEND, labels[1], 5 * MINUTE_S).result is Result.DONE
    assert _one(lab, JobVerb.KILL, labels[1]).result is Result.DONE
    assert _record(lab, labels[0]).state == "RUNNING"


def test_many_jobs_have_a_report_each(lab: Lab) -> None:
    held = [lab.submit(USER, "ocean", "--hold") for _ in range(60)]
    running = _running(lab)
    asked = [*held[:30], UNKNOWN, running, *held[30:]]
    reports = _do(lab, JobVerb.RELEASE, *asked)
    assert [report.on for report in reports] == [str(job) for job in asked]
    refused = {report.on for report in reports if report.result is not Result.DONE}
    assert refused == {str(UNKNOWN), str(running)}
    assert all(report.result is Result.DONE for report in _do(lab, JobVerb.KILL, *held))


def test_what_a_user_may_not_do_is_refused_in_slurms_words(lab: Lab) -> None:
    job = _running(lab)
    run = Tools(lab.place_of(OTHER), lab.environment).run
    for change in (
        JobChange(JobVerb.KILL, (str(job),)),
        JobChange(JobVerb.EXTEND, (str(job),), 5 * MINUTE_S),
        JobChange(JobVerb.SUSPEND, (str(job),)),
        JobChange(JobVerb.REQUEUE, (str(job),)),
    ):
        (report,) = act(run, change)
        assert report.result is Result.REFUSED
        assert "denied" in report.text or says(report.text, "targets.slurm.invalid-user-id")
    assert _record(lab, job).state == "RUNNING"


def _view(lab: Lab) -> DedicatedView:
    return dedicated_view(
        read_scontrol_config(lab.run("scontrol", "show", "config").stdout),
        read_scontrol_partition(lab.run("scontrol", "show", "partition").stdout).items,
        (),
        tuple(_records(lab).values()),
        (),
        0.0,
    )


def test_who_was_suspended_is_seen_and_not_resumed_by_mistake(lab: Lab) -> None:
    victims = _full(lab, "batch")
    taker = _running(lab, "--partition=dedicated", cpus=8)
    lab.wait_until(lambda: "SUSPENDED" in lab.job_states().values(), "one is suspended")
    (lost,) = _view(lab).displaced
    assert (lost.effect, lost.certainty) == (Effect.SUSPEND, Certainty.LIKELY)
    assert lost.job.job_id in victims
    assert [job.job_id for job in lost.by] == [taker]
    report = _one(lab, JobVerb.RESUME, lost.job.label)
    assert report.result is Result.REFUSED
    assert says(report.text, "slurm.slurm-suspended-job-for-another")
    assert _record(lab, lost.job.label).state == "SUSPENDED"
    assert _one(lab, JobVerb.SUSPEND, lost.job.label, insists=True).result is Result.DONE
    assert _view(lab).displaced == ()  # an operator keeps it suspended now
    assert _one(lab, JobVerb.RESUME, lost.job.label).result is Result.DONE


def test_who_was_requeued_is_seen(lab: Lab) -> None:
    victims = _full(lab, "scavenge")
    taker = _running(lab, cpus=8)
    lab.wait_until(lambda: "PENDING" in lab.job_states().values(), "one is requeued")
    (lost,) = _view(lab).displaced
    assert (lost.effect, lost.certainty) == (Effect.REQUEUE, Certainty.LIKELY)
    assert lost.job.job_id in victims
    assert [job.job_id for job in lost.by] == [taker]
