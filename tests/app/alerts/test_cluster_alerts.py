"""Alerts of a cluster: what lasts, what happened once, and what is over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.app.alerts.cluster import ClusterAlerts
from fsconsole.app.alerts.conditions import Condition, chosen, condition_of
from fsconsole.neardedicated.view import Alert
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from tests.texts import Expected, naming, says, worded, wording

NOW_S = 1_795_604_400.0
JOB = Job(job_id=7, user="anna", partition="batch", states=("RUNNING",), start_s=int(NOW_S) - 100,
          reservation="night", end_s=int(NOW_S) + 5000)  # fmt: skip
NIGHT = Reservation(
    name="night", start_s=int(NOW_S) - 100, end_s=int(NOW_S) + 9000, nodes="n[1-4]", node_count=4,
    users=(), accounts=(), flags=frozenset(), partition="", state="ACTIVE",
)  # fmt: skip


def _state(*jobs: Job, link: Link = Link.ANSWERS, problem: str = "") -> ClusterState:
    parts = {PartName.JOBS: Part(as_of_s=NOW_S, problem=problem)}
    return ClusterState(serial=1, name="lab", link=link, parts=parts, jobs=jobs, reservations=(NIGHT,))


def _keys(found: tuple[Alert, ...]) -> list[str]:
    return [alert.key for alert in found]


@pytest.mark.parametrize(
    ("after", "key", "level", "words"),
    [
        (
            replace(JOB, states=("PENDING",)),
            "displaced:7",
            "danger",
            worded("app.alerts.job-was-requeued-and-is"),
        ),
        (
            replace(JOB, states=("SUSPENDED",)),
            "displaced:7",
            "danger",
            naming("was suspended"),
        ),
        (
            replace(JOB, states=("FAILED",)),
            "ended:7",
            "danger",
            worded("app.alerts.job-ended", state="failed"),
        ),
        (replace(JOB, states=("COMPLETED",)), "ended:7", "warn", naming("ended: completed")),
        (None, "ended:7", "warn", worded("app.alerts.job-left-queue")),
    ],
)
def test_what_becomes_of_a_near_dedicated_job(
    after: Job | None, key: str, level: str, words: Expected
) -> None:
    alerts = ClusterAlerts()
    assert alerts.take(_state(JOB), NOW_S) == ()
    state = _state(after) if after is not None else _state()
    (alert,) = alerts.take(state, NOW_S + 5)
    assert (alert.key, alert.level, alert.since_s) == (key, level, NOW_S + 5)
    assert says(alert.text, words)
    assert alerts.take(state, NOW_S + 60) == (alert,)
    alerts.acknowledge(key, "rosa")
    assert alerts.take(state, NOW_S + 65) == ()


def test_a_job_that_runs_again_was_not_displaced_for_good() -> None:
    alerts = ClusterAlerts()
    alerts.take(_state(JOB), NOW_S)
    assert _keys(alerts.take(_state(replace(JOB, states=("SUSPENDED",))), NOW_S)) == ["displaced:7"]
    assert alerts.take(_state(JOB, replace(JOB, job_id=8)), NOW_S) == ()


def test_a_job_that_outlives_its_reservation_is_not_gone() -> None:
    alerts = ClusterAlerts()
    alerts.take(_state(JOB), NOW_S)
    assert alerts.take(replace(_state(replace(JOB)), reservations=()), NOW_S + 5) == ()
    assert alerts.take(_state(replace(JOB, reservation="", partition="other")), NOW_S + 10) == ()


def test_jobs_of_others_are_not_watched() -> None:
    alerts, other = ClusterAlerts(), replace(JOB, reservation="")
    alerts.take(_state(other), NOW_S)
    assert alerts.take(_state(), NOW_S) == ()


def test_jobs_that_could_not_be_read_have_not_ended() -> None:
    alerts = ClusterAlerts()
    alerts.take(_state(JOB), NOW_S)
    found = alerts.take(_state(link=Link.NO_ANSWER, problem="slurmctld does not respond"), NOW_S)
    assert _keys(found) == ["controller"]


def test_a_time_limit_that_is_near() -> None:
    alerts = ClusterAlerts()
    state = _state(JOB)
    assert alerts.take(state, NOW_S) == ()
    (alert,) = alerts.take(state, NOW_S + 4400)
    assert alert.key == "watchdog:7"
    job = wording("app.alerts.of", label="7", user="anna")
    assert says(alert.text, "app.alerts.job-reaches-its-time-limit", job=job, end_s="10 min")
    alerts.acknowledge("watchdog:7", "rosa")
    (seen,) = alerts.take(state, NOW_S + 4500)
    assert seen.acknowledged_by == "rosa"
    assert alerts.take(state, NOW_S + 5001) == ()


def test_no_answer_lasts_until_it_answers() -> None:
    alerts = ClusterAlerts()
    gone = _state(link=Link.NO_ANSWER, problem="slurmctld does not respond")
    (alert,) = alerts.take(gone, NOW_S + 30)
    assert (alert.text, alert.level, alert.since_s) == (
        wording("app.alerts.does-not-respond", name="lab"),
        "danger",
        NOW_S,
    )
    assert alerts.take(_state(), NOW_S + 60) == ()


def test_many_pending_jobs_array_tasks_counted() -> None:
    alerts = ClusterAlerts(most_pending=10)
    waiting = Job(job_id=9, user="ben", partition="batch", states=("PENDING",), array_job_id=9,
                  array_tasks="1-11")  # fmt: skip
    (alert,) = alerts.take(_state(waiting), NOW_S)
    assert alert.text == wording("app.alerts.jobs-are-pending-more-than", count="11", most="10")
    alerts.most_pending = 11
    assert alerts.take(_state(waiting), NOW_S) == ()


def test_conditions_of_both_kinds_of_targets() -> None:
    causes = {"efficiency": Condition.EFFICIENCY, "killed": Condition.ENDED, "lost": Condition.ENDED,
              "start": Condition.ENDED, "watchdog": Condition.WATCHDOG, "sds": Condition.SDS}  # fmt: skip
    found = [Alert(f"{cause}:41877", "warn", "", 1.0) for cause in causes]
    assert [condition_of(alert) for alert in found] == list(causes.values())
    assert _keys(chosen(found, {Condition.SDS})) == ["sds:41877"]
