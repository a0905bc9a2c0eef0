"""What can be done to jobs and queues, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from fsconsole.machine.machine import Machine
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    HoldJob,
    KillJob,
    MoveJob,
    ReleaseJob,
    RestartJob,
    RunJob,
    SetQueue,
    SetSetting,
    SubmitJob,
)
from fsconsole.shares.scenario.job_spec import UrmSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.spec import SettingError
from tests.machine.jobs.nights import done, job_of, night, refused, run
from tests.texts import Expected, naming, refuses_naming, says, span, worded, wording

A, B, C, D = range(41870, 41874)


def test_jobs_get_requests_and_places_in_their_order() -> None:
    machine, batch = run(night([job_of("a", "nd"), job_of("b", "nd")]))
    assert done(machine, SubmitJob(job_of("c", "nd"))) == wording(
        "machine.jobs.is-in-queue", request="41872", label="sbert c", queue="nd", place="place 3"
    )
    assert [job.spec.name for job in batch.waiting("nd")] == ["a", "b", "c"]
    row = machine.audit[-1]
    assert (row.action, row.on, row.after, row.done) == ("submit job", "sbert c", "place 3", True)


@pytest.mark.parametrize(
    ("limits", "job", "message"),
    [
        ({}, {"queue": "bacth"}, naming("no queue 'bacth'. Did you mean batch?")),
        ({"most_cpu_s": 28800.0}, {"cpu_s": 57600.0}, naming("up to 8 h of CPU time, not 16 h")),
        (
            {"most_memory_mw": 20.0},
            {"memory_mw": 27.3},
            worded("machine.jobs.queue-accepts-jobs-of-up", most="20 MW", what="memory", asked="27.3 MW"),
        ),
        (
            {"most_sds_mw": 0.0},
            {"sds_mw": 1.0},
            worded("machine.jobs.queue-accepts-jobs-of-up", most="0 MW", what="SDS", asked="1 MW"),
        ),
        ({}, {"device": "disc", "io_s": 1.0}, naming("no device 'disc'; there are disk")),
        ({}, {"device": "disk"}, worded("shares.scenario.device-needs-io-s-time")),
        ({}, {"tasks": 0}, naming("tasks needs a number from 1 to 4096")),
    ],
)
def test_a_queue_says_what_it_takes(limits: dict[str, Any], job: dict[str, Any], message: Expected) -> None:
    machine, _ = run(night(**limits))
    assert says(refused(machine, SubmitJob(job_of(**job))), message)


def test_a_scenario_with_a_job_that_no_queue_takes_is_reported() -> None:
    with refuses_naming(SettingError, "ccm: ", "batch", span(s=5)):
        Machine(night([job_of()], most_cpu_s=5.0))


def test_who_is_not_there_is_reported() -> None:
    machine, _ = run(night())
    assert refused(machine, KillJob(5)) == wording(
        "machine.jobs.job-not-found", request="5", known=wording("machine.jobs.there-are-no-jobs-yet")
    )
    done(machine, SubmitJob(job_of()))
    assert refused(machine, HoldJob(5)) == wording(
        "machine.jobs.job-not-found",
        request="5",
        known=wording("machine.jobs.jobs-are-numbered-to", jobs="41870", jobs_2="41870"),
    )


def test_killing_a_running_job() -> None:
    machine, batch = run(night([job_of("a"), job_of("b"), job_of("c")]), 3)
    outcome = machine.act(KillJob(A), "mel", "runs poorly")
    assert (outcome.text.split(), outcome.before, outcome.after) == (
        ["41870", "sbert", "a", "killed"],
        wording("machine.jobs.for", state="running", started_tick=span(s=3)),
        "killed",
    )
    assert (outcome.on, outcome.pids) == ("sbert a", (1,))
    job = batch.jobs[A]
    assert (job.how, job.exit_status, batch.ja(A).cpu_s) == (
        wording("machine.jobs.killed-by-operator"),
        137,
        3,
    )
    answer = refused(machine, KillJob(A))
    assert answer == (
        wording(
            "machine.jobs.has-ended-at",
            request="41870",
            label="sbert a",
            machine="14:00:03",
            how="",
            status=wording("machine.jobs.killed-by-operator")
            + wording("machine.jobs.exit-status", exit_status="137"),
        )
    )
    machine.advance(machine.tick + 1)
    assert batch.jobs[C].state == "running"  # there is room for it now


def test_killing_and_holding_the_others_of_the_same_person() -> None:
    jobs = [job_of("a"), job_of("b"), job_of("c", "nd"), job_of("d", person="ota")]
    machine, batch = run(night(jobs, run_limit=1), 1)
    killed, _, held = done(machine, KillJob(A, hold_others=True)).partition("; held: ")
    assert (killed.split(), held) == (["41870", "sbert", "a", "killed"], "41871 b")
    machine.advance_to(2)
    assert [job.state for job in batch.jobs.values()] == ["ended", "held", "waiting", "running"]


def test_a_waiting_job_is_taken_out() -> None:
    machine, batch = run(night([job_of("a", "nd")]))
    removed = wording("machine.jobs.removed-from-queue-2", queue="nd")
    assert done(machine, KillJob(A)).split() == ["41870", "sbert", "a", *removed.split()]
    assert batch.waiting("nd") == []
    assert refused(machine, MoveJob(A, 1)).startswith(
        wording(
            "machine.jobs.has-ended-at",
            request="41870",
            label="sbert a",
            machine="14:00:00",
            how="",
            status="removed",
        )
    )


def test_holding_and_releasing() -> None:
    machine, batch = run(night([job_of("a"), job_of("b")], run_limit=1), 1)
    done(machine, HoldJob(B))
    assert refused(machine, HoldJob(B)) == wording(
        "machine.jobs.is-already-held", request="41871", label="sbert b"
    )
    assert refused(machine, RunJob(B)) == wording(
        "machine.jobs.is-held-release-it-first", request="41871", label="sbert b"
    )
    assert says(
        refused(machine, HoldJob(A)), "machine.jobs.no-longer-waits-it-is", state="running", at="14:00:00"
    )
    machine.advance_to(12)
    assert batch.running() == []
    done(machine, ReleaseJob(B))
    machine.advance_to(13)
    assert [job.request for job in batch.running()] == [B]
    assert says(refused(machine, ReleaseJob(B)), "machine.jobs.no-longer-waits-it-is")


def test_moving_a_job() -> None:
    machine, batch = run(night([job_of(name, "nd") for name in "abcd"]))
    outcome = machine.act(MoveJob(D, 2))
    assert (outcome.before, outcome.after, outcome.on) == ("place 4", "place 2", "sbert d")
    assert [job.spec.name for job in batch.waiting("nd")] == list("adbc")
    assert refused(machine, MoveJob(A, 5)) == wording(
        "machine.jobs.place-is-out-of-range", place="5", count="4"
    )
    assert refused(machine, MoveJob(A, 0)) == wording(
        "machine.jobs.place-is-out-of-range", place="0", count="4"
    )


def test_a_started_queue_goes_by_hand_once_a_job_was_moved() -> None:
    machine, batch = run(night([job_of(name) for name in "abcd"], run_limit=1), 1)
    done(machine, MoveJob(D, 1))
    machine.advance_to(11)
    assert [job.spec.name for job in batch.running()] == ["d"]
    assert [job.spec.name for job in batch.waiting("batch")] == ["b", "c"]


def test_starting_and_stopping_a_queue() -> None:
    machine, batch = run(night([job_of("a", "nd")]), 1)
    assert refused(machine, SetQueue("nd", False)) == wording(
        "machine.jobs.queue-is-already", queue="nd", words="stopped"
    )
    assert says(refused(machine, SetQueue("no", True)), "machine.jobs.no-queue", name="", name_2="'no'")
    assert done(machine, SetQueue("nd", True)) == wording(
        "machine.jobs.queue-is-now", queue="nd", words="started"
    )
    machine.advance_to(2)
    assert batch.jobs[A].state == "running"
    assert machine.audit[-1].before == "stopped"


def test_limits_of_queues_and_persons() -> None:
    jobs = [job_of("a"), job_of("b"), job_of("c", person="ota"), job_of("d", person="ota")]
    _, batch = run(night(jobs, run_limit=3, user_limit=1), 1)
    assert [job.spec.name for job in batch.running()] == ["a", "c"]


def test_urm_limits_jobs_and_memory_and_follows_settings() -> None:
    jobs = [job_of(name, "own", person="ana", memory_mw=mw) for name, mw in (("a", 30), ("b", 40), ("c", 20))]
    machine, batch = run(night(jobs, urm=UrmSpec(memory_mw=60, run_limit=2)), 1)
    assert [job.spec.name for job in batch.running()] == ["a", "c"]  # b does not fit and is passed over
    done(machine, SetSetting("urm.memory_mw", 0))
    machine.advance_to(5)
    assert len(batch.running()) == 2
    done(machine, SetSetting("urm.run_limit", 0))
    machine.advance_to(9)
    assert len(batch.running()) == 3


def test_checkpoints_are_written_and_read_one_after_another() -> None:
    jobs = [job_of("a", memory_mw=4.0, cpu_s=30), job_of("b", memory_mw=6.0, cpu_s=30)]
    machine, batch = run(night(jobs), 2)
    assert done(machine, CheckpointJob(A)) == wording(
        "machine.jobs.is-being-checkpointed-it-takes", request=A, label="sbert a", cost_s=span(s=4)
    )
    done(machine, CheckpointJob(B))
    machine.advance_to(6)
    assert [job.state for job in batch.jobs.values()] == ["checkpointed", "checkpointing"]
    assert batch.ja(A).memory_mw == 0
    machine.advance_to(12)
    assert [job.state for job in batch.running()] == ["checkpointed", "checkpointed"]
    assert refused(machine, CheckpointJob(A)) == wording(
        "machine.jobs.is",
        request=A,
        label="sbert a",
        state="checkpointed",
        wanted=wording("machine.jobs.only-running-job-can-be"),
    )
    used = [batch.ja(request).cpu_s for request in (A, B)]
    machine.advance_to(20)
    assert used == [batch.ja(request).cpu_s for request in (A, B)] == [2, 2]
    done(machine, RestartJob(B))
    done(machine, RestartJob(A))
    machine.advance_to(60)
    # b stood still from 2 to 26, a from 2 to 30; each has 28 s of CPU time to go.
    assert [(job.ended_tick or 0) / 60 for job in batch.jobs.values()] == [58, 54]
    assert [batch.ja(request).stopped_s for request in (A, B)] == [28, 24]
    assert [batch.ja(request).run_wait_s for request in (A, B)] == [0, 0]
    assert [batch.ja(request).most_memory_mw for request in (A, B)] == [4, 6]


def test_a_checkpoint_in_setup_keeps_what_is_left_of_it() -> None:
    machine, batch = run(night([job_of("a", setup_s=10.0, setup_mw=2.0)]), 4)
    done(machine, CheckpointJob(A))
    machine.advance_to(20)
    done(machine, RestartJob(A))
    machine.advance_to(60)
    # 4 s of setup, 18 s still, 6 s of setup, 10 s of computing.
    assert batch.jobs[A].ended_tick == 38 * 60
    assert (batch.ja(A).setup_s, batch.ja(A).stopped_s) == (10, 18)


def test_what_cannot_be_checkpointed() -> None:
    jobs = [job_of("a", can_checkpoint=False), job_of("b", "nd")]
    machine, _ = run(night(jobs), 1)
    assert refused(machine, CheckpointJob(A)) == wording(
        "machine.jobs.cannot-be-checkpointed-kill-it", request="41870", label="sbert a"
    )
    waiting = {"state": "waiting", "wanted": wording("machine.jobs.only-running-job-can-be")}
    assert says(refused(machine, CheckpointJob(B)), "machine.jobs.is", **waiting)
    running = {"state": "running", "wanted": wording("machine.jobs.only-checkpointed-job-can-be")}
    assert says(refused(machine, RestartJob(A)), "machine.jobs.is", **running)


def test_a_killed_job_breaks_its_checkpoint_off() -> None:
    jobs = [job_of("a", memory_mw=100.0), job_of("b", memory_mw=5.0)]
    machine, batch = run(night(jobs), 1)
    for request in (A, B):
        done(machine, CheckpointJob(request))
    machine.advance_to(3)
    done(machine, KillJob(A))
    machine.advance_to(8)
    assert batch.jobs[B].state == "checkpointed"


def test_a_job_that_the_machine_is_too_small_for() -> None:
    machine, _ = run(night(memory=MemorySpec(sds_mw=100.0)))
    answer = refused(machine, SubmitJob(job_of(sds_mw=210)))
    assert answer == wording("machine.jobs.machine-has-of-but-job", most="100 MW", what="SDS", asked="210 MW")


def test_of_many_that_are_held_with_a_kill_the_first_are_named() -> None:
    machine, batch = run(night([job_of(f"j{at}", "nd") for at in range(100)]), 1)
    answer = done(machine, KillJob(41870, hold_others=True))
    held = answer.partition("held: ")[2].split(", ")
    assert held[:4] == ["41871 j1", "41872 j2", "41873 j3", "41874 j4"]
    assert says(held[4], "console.operate.jobs.and-more", first="41875 j5", count="94")
    assert len(machine.audit[-1].after) < 120
    assert {job.state for job in batch.waiting("nd")} == {"held"}
