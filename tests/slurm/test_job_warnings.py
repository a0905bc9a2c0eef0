"""What is said before something is done to jobs, each where it holds and not where it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.job_warnings import JobWarning, Surroundings, dangers
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from tests.slurm.captured import captured_nodes
from tests.slurm.test_preemption import JOBS, PARTITIONS, SETTINGS
from tests.texts import says, span, wording

NODES = captured_nodes("preempted/sinfo.txt")
NOW_S = 10_000.0
DAY_S, HOUR_S = 86400.0, 3600.0


def _job(number: int = 7, state: str = "RUNNING", **text: object) -> Job:
    fields: dict[str, object] = {
        "nodes": "n1",
        "node_count": 1,
        "cpus": 4,
        "start_s": 2800,
        "end_s": 13_600,
        "time_limit_s": 3 * HOUR_S,
        "priority": 9,
        "may_requeue": True,
        **text,
    }
    return Job(job_id=number, user="ann", partition="batch", states=(state,), **fields)  # type: ignore[arg-type]


def _around(*jobs: Job, reservations: tuple[Reservation, ...] = (), now_s: float = NOW_S) -> Surroundings:
    return Surroundings(
        jobs=jobs,
        now_s=now_s,
        partitions=PARTITIONS,
        nodes=NODES,
        reservations=reservations,
        settings=SETTINGS,
    )


def _warnings(verb: JobVerb, around: Surroundings, *labels: str, by_s: float = 0.0) -> tuple[JobWarning, ...]:
    return dangers(JobChange(verb, labels or tuple(job.label for job in around.jobs), by_s), around)


def _text(found: tuple[JobWarning, ...]) -> str:
    return " | ".join(danger.text for danger in found)


def test_a_kill_says_what_is_lost() -> None:
    (one,) = _warnings(JobVerb.KILL, _around(_job()))
    run = wording("slurm.has-run-on", label="7", now_s=span(h=2), cpus="4 CPUs")
    assert one.text == f"{run}: {wording('slurm.cpu-hours-are-lost-unless', hours='8.0')}"
    (both,) = _warnings(JobVerb.KILL, _around(_job(), _job(8, start_s=6400)))
    run = wording("slurm.of-them-have-run-longest", ran="2", max=span(h=2))
    assert both.text == f"{run}: {wording('slurm.cpu-hours-are-lost-unless', hours='12.0')}"
    assert both.jobs == ("7", "8")
    assert not _warnings(JobVerb.KILL, _around(_job(state="PENDING", start_s=None)))


def test_a_kill_says_how_many_tasks_and_which_parts() -> None:
    tasks = _job(state="PENDING", start_s=None, array_job_id=7, array_tasks="0-98:7%2")
    assert says(
        _text(_warnings(JobVerb.KILL, _around(tasks))),
        "slurm.pending-tasks-are-killed",
        count="15",
        waiting="7_[0-98:7%2]",
    )
    part = _job(21, het_job_id=20, het_offset=1)
    assert says(_text(_warnings(JobVerb.KILL, _around(part))), "slurm.is-one-component-of-het")


def test_of_what_cannot_be_done_nothing_is_reported() -> None:
    assert _warnings(JobVerb.KILL, _around(_job(state="COMPLETED"))) == ()
    assert _warnings(JobVerb.KILL, _around(_job()), "8", "no label") == ()


@pytest.mark.parametrize(
    ("by_s", "is_beyond"), [(7 * DAY_S - 3 * HOUR_S, False), (7 * DAY_S, True), (-60.0, False)]
)
def test_beyond_the_longest_time_of_the_partition(by_s: float, is_beyond: bool) -> None:
    text = _text(_warnings(JobVerb.EXTEND, _around(_job()), by_s=by_s))
    assert (
        says(text, "slurm.limit-becomes-beyond-maxtime-of", longest_s="7-00:00:00", name="batch")
    ) is is_beyond
    assert ("7-03:00:00" in text) is is_beyond


@pytest.mark.parametrize(
    ("start_s", "nodes", "by_s", "is_met"),
    [
        (14_000, "n[1-2]", 600.0, True),
        (14_000, "n[1-2]", 300.0, False),
        (14_000, "n2", 600.0, False),
        (13_000, "n1", 600.0, False),  # it would have run into it anyway
    ],
)
def test_an_extension_into_a_reservation(start_s: int, nodes: str, by_s: float, is_met: bool) -> None:
    night = Reservation(name="night", start_s=start_s, end_s=99_999, nodes=nodes, node_count=1)
    found = _warnings(JobVerb.EXTEND, _around(_job(), reservations=(night,)), by_s=by_s)
    assert [danger.is_ours for danger in found] == [True] * is_met


def test_an_extension_beyond_the_end_of_its_own_reservation() -> None:
    own = Reservation(name="ded", start_s=0, end_s=14_000, nodes="n1", node_count=1)
    around = _around(_job(reservation="ded"), reservations=(own,))
    assert says(
        _text(_warnings(JobVerb.EXTEND, around, by_s=600.0)), "slurm.beyond-end-of-reservation-in", name="ded"
    )
    assert _warnings(JobVerb.EXTEND, around, by_s=300.0) == ()


def test_a_limit_below_what_it_has_run_is_to_be_insisted_on() -> None:
    (one,) = _warnings(JobVerb.EXTEND, _around(_job()), by_s=-HOUR_S)
    assert one.must_insist
    assert _warnings(JobVerb.EXTEND, _around(_job()), by_s=60 - HOUR_S) == ()


def test_to_resume_what_another_job_displaced() -> None:
    found = _warnings(JobVerb.RESUME, _around(*JOBS, now_s=1795347982.0), "39")
    assert [danger.must_insist for danger in found] == [True, False]
    assert says(found[0].text, "slurm.slurm-suspended-job-for-another")
    by = {"how": "probably", "label_2": "43", "user_2": "fs_mia", "partition": "dedicated"}
    assert says(found[1].text, "slurm.of-was-by-of-in", **by)
    assert found[1].is_ours


def test_to_resume_where_others_have_its_cpus() -> None:
    suspended = _job(state="SUSPENDED", priority=0)
    full = _warnings(JobVerb.RESUME, _around(suspended, _job(8, cpus=5)), "7")
    assert says(_text(full), "slurm.other-jobs-now-run-on")
    assert full[0].is_ours
    assert _warnings(JobVerb.RESUME, _around(suspended, _job(8, cpus=4)), "7") == ()
    assert _warnings(JobVerb.RESUME, _around(suspended, _job(8, cpus=5, nodes="n2")), "7") == ()


def test_jobs_on_several_nodes_are_counted_by_their_part() -> None:
    suspended = _job(state="SUSPENDED", priority=0, nodes="n[1-2]", cpus=8)
    assert _warnings(JobVerb.RESUME, _around(suspended, _job(8, cpus=16, nodes="n[1-4]")), "7") == ()
    assert _warnings(JobVerb.RESUME, _around(suspended, _job(8, cpus=20, nodes="n[1-4]")), "7")


def test_suspended_jobs_are_charged() -> None:
    assert says(_text(_warnings(JobVerb.SUSPEND, _around(_job()))), "slurm.suspended-job-is-charged-as")
    gravest, _ = _warnings(JobVerb.SUSPEND, _around(_job(state="SUSPENDED")))
    assert gravest.must_insist


def test_a_requeue_loses_what_ran_and_may_come_back_held() -> None:
    text = _text(_warnings(JobVerb.REQUEUE, _around(_job())))
    assert says(text, "slurm.cpu-hours-are-lost-unless", hours="8.0")
    assert "two minutes" in text
    assert not says(text, "slurm.suspended-requeued-jobs-come-back", held="")
    assert says(
        _text(_warnings(JobVerb.REQUEUE, _around(_job(state="SUSPENDED", priority=0)))),
        "slurm.suspended-requeued-jobs-come-back",
        held="",
    )
    by_slurm = _around(_job(state="SUSPENDED", ran_before_s=7200))
    assert not says(
        _text(_warnings(JobVerb.REQUEUE, by_slurm)), "slurm.suspended-requeued-jobs-come-back", held=""
    )


def test_to_revive_a_killed_job_is_to_be_insisted_on() -> None:
    found = _warnings(JobVerb.REQUEUE, _around(_job(state="CANCELLED"), _job(8)))
    assert found[0].must_insist
    ended = wording("slurm.job-has-ended-this-would", state="CANCELLED")
    assert found[0].text.split(": ", 1) == ["Job 7", ended]
    assert found[0].jobs == ("7",)


def test_a_hold_by_the_user_is_named_when_released() -> None:
    held = _job(state="PENDING", priority=0, reason="JobHeldUser")
    assert says(_text(_warnings(JobVerb.RELEASE, _around(held))), "slurm.held-by-its-own-user")
    assert _warnings(JobVerb.RELEASE, _around(replace(held, reason="JobHeldAdmin"))) == ()
    assert _warnings(JobVerb.HOLD, _around(_job(state="PENDING"))) == ()
