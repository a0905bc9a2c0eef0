"""The life of a job on a machine, from its start to its end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.machine import blocking
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.actions import (
    ChangeTree,
    CheckpointJob,
    EndProcess,
    KillJob,
    ReleaseJob,
    Restart,
    RestartJob,
    RunJob,
    SetSetting,
    SubmitJob,
    Work,
)
from fsconsole.shares.scenario.job_spec import JobSpec
from tests.machine.jobs.nights import again, batch_of, done, job_of, night, only, refused, run
from tests.texts import says, wording

HZ = 60


def test_an_undisturbed_job_is_as_long_as_its_cycles() -> None:
    """setup + n cycles of wall time, 0.904 of 8 processors beyond the setup."""
    cycle_cpu_s = 60 * (0.11 + 0.89 * 8)
    spec = job_of(cpu_s=10 * cycle_cpu_s, tasks=8, serial_fraction=0.11, setup_s=30, system_fraction=0.04)
    machine, batch = run(night([spec]), 631)
    job = only(batch)
    assert (job.how, job.exit_status, job.ended_tick) == ("ended", 0, 630 * HZ)
    account = batch.ja(job.request)
    assert account.efficiency == pytest.approx((0.11 + 0.89 * 8) / 8)
    assert (account.wall_s, account.setup_s, account.run_wait_s) == (630, 30, 0)
    assert account.user_s == pytest.approx(0.96 * account.cpu_s)
    assert len(machine.processes) == 0


def test_io_lets_the_processors_go() -> None:
    spec = job_of(cpu_s=20, tasks=2, cycle_s=5.0, io_s=3.0)
    _, batch = run(night([spec]), 14)
    account = batch.ja(only(batch).request)
    # Two cycles of 5 s on 2 processors with 3 s of input and output between them.
    assert (account.wall_s, account.io_s, account.computing_s, account.run_wait_s) == (13, 3, 10, 0)


def test_a_request_of_one_task_keeps_all_others_at_the_barrier() -> None:
    """Everitt, Jones and Knesel 3.2.2: I/O is not done in parallel regions."""
    spec = job_of(cpu_s=4 * 2.0 * 5, tasks=4, cycle_s=2.0, io_s=3.0, device="disk")
    machine, batch = run(night([spec]), 3)
    table, job = machine.processes, only(batch)
    assert blocking.states(machine).tolist() == [
        wording("machine.i-o-on", name="disk"),
        *["at barrier"] * 3,
    ]
    machine.advance_to(60)
    account = batch.ja(job.request)
    # Each request needs a tick before and one after its 3 s; they are part of the job's CPU time.
    assert (account.cpu_s, account.io_s, account.run_wait_s) == (40, 4 * 3, 0)
    assert job.how == "ended"
    assert account.wall_s == account.io_s + account.computing_s
    assert len(table) == 0


def test_requests_of_jobs_wait_for_each_other_at_a_device() -> None:
    specs = [job_of(name, "own", cpu_s=20, cycle_s=1.0, io_s=4.0, device="disk") for name in "abc"]
    _, batch = run(night([replace(spec, person="ana") for spec in specs]), 62)
    # From 1 s on the disk serves one request in 4 s: fifteen in 61 s. Alone, each job would have had twelve.
    assert [job.given_ticks // (HZ + 2) for job in batch.running()] == [5, 5, 5]


def test_a_request_waits_in_the_queue_while_its_job_is_checkpointed() -> None:
    first, second = (job_of(name, cpu_s=20, cycle_s=1.0, io_s=5.0, device="disk") for name in "ab")
    machine, batch = run(night([first, second]), 2)
    queued = batch.running()[1]
    assert blocking.states(machine).tolist() == [
        wording("machine.i-o-on", name="disk"),
        wording("machine.waiting-for", name="disk"),
    ]
    done(machine, CheckpointJob(queued.request))
    machine.advance_to(20)
    done(machine, RestartJob(queued.request))
    machine = again(machine)
    machine.advance_to(60)
    account = batch_of(machine).ja(queued.request)
    assert account.stopped_s == pytest.approx(18, abs=0.1)
    assert account.io_s > 5
    assert account.run_wait_s == 0


def test_a_checkpoint_of_a_job_that_is_served_frees_the_device() -> None:
    first, second = (job_of(name, cpu_s=20, cycle_s=1.0, io_s=5.0, device="disk") for name in "ab")
    machine, batch = run(night([first, second]), 2)
    served, queued = batch.running()
    done(machine, CheckpointJob(served.request))
    machine.advance_to(3)
    assert blocking.states(machine).tolist() == ["checkpointed", wording("machine.i-o-on", name="disk")]
    machine.advance_to(7.5)
    assert queued.given_ticks == HZ + 2  # served from 2 s to 7 s
    done(machine, RestartJob(served.request))
    machine.advance_to(8)
    assert served.given_ticks == HZ + 2  # its service ended while it was stopped


def test_nobody_is_held_longer_than_needed() -> None:
    machine, batch = run(night([job_of(cpu_s=80, tasks=4, serial_fraction=0.5, cycle_s=4.0)]), 1)
    table = machine.processes
    assert table.image.tolist() == [1, 1, 1, 1]
    assert [bool(held & blocking.BARRIER) for held in table.held.tolist()] == [False, True, True, True]
    machine.advance_to(3)
    assert not table.held.any()
    assert only(batch).phase == "parallel"


def test_setup_is_one_small_process_that_sleeps() -> None:
    spec = job_of(tasks=3, setup_s=5, setup_mw=0.4, memory_mw=27.3)
    machine, batch = run(night([spec]), 4)
    account = batch.ja(only(batch).request)
    assert machine.processes.held.tolist() == [blocking.ASLEEP]
    assert (account.cpu_s, account.efficiency, account.setup_s) == (0, None, 4)
    assert account.memory_mw == pytest.approx(0.4, abs=0.001)
    machine.advance_to(6)
    assert batch.ja(only(batch).request).memory_mw == pytest.approx(27.3, abs=0.001)
    assert machine.state.clicks[machine.flat.row_of[machine.tree.find("batch").id]] == 55910


def test_sds_is_there_at_once_where_it_is_not_simulated() -> None:
    _, batch = run(night([job_of(tasks=2, sds_mw=210)]), 2)
    account = batch.ja(only(batch).request)
    assert (account.sds_mw, account.sds_wait_s) == (210, 0)
    assert account.most_sds_mw == 210


def test_others_make_a_job_wait_for_processors() -> None:
    loops = [("batch", Work(), 4)]
    machine, batch = run(night([job_of(cpu_s=20, tasks=2)], loops=loops, cpus=2))
    machine.advance_to(120)
    account = batch.ja(only(batch).request)
    assert account.computing_s == 10
    # 6 alike on 2 processors: a third of each, but for who comes first.
    assert account.wall_s == pytest.approx(30, abs=1)
    assert account.run_wait_s == pytest.approx(account.wall_s - 10)


def test_an_abort_and_the_cpu_limit() -> None:
    aborts = job_of("bad", cpu_s=10, aborts_at_s=4.0, tasks=2)
    over = JobSpec("big", "batch", requested_cpu_s=10, cpu_s=20, person="ota")
    machine, batch = run(night([aborts, over]), 20)
    first, second = batch.finished
    assert (first.how, first.exit_status, first.ended_tick) == ("aborted", 1, 2 * HZ)
    assert (second.how, second.exit_status, second.ended_tick) == (
        wording("machine.jobs.killed-by-its-cpu-limit"),
        137,
        10 * HZ,
    )
    assert batch.ja(first.request).cpu_s == 4
    answer = refused(machine, KillJob(first.request))
    assert answer == wording(
        "machine.jobs.has-ended-at",
        request="41870",
        label="sbert bad",
        machine="14:00:02",
        how="",
        status="aborted" + wording("machine.jobs.exit-status", exit_status="1"),
    )


def test_the_owner_of_a_job_is_its_queues_or_the_submitters() -> None:
    jobs = [job_of(), job_of(queue="own", person="ana")]
    machine, batch = run(night(jobs), 1)
    charged = [machine.tree.node(job.node or 0).name for job in batch.running()]
    assert charged == ["batch", "ana"]
    assert sorted(machine.persons) == ["", "ana", "sbert"]
    answer = refused(machine, SubmitJob(job_of(queue="own", person="")))
    assert answer == wording("machine.jobs.queue-charges-its-jobs-to", name="own")
    assert says(
        refused(machine, SubmitJob(job_of(queue="own", person="nobody"))),
        "shares.scenario.node-not-found-in-tree",
        reference="nobody",
    )


def test_a_job_ends_with_a_process_that_others_end() -> None:
    machine, batch = run(night([job_of(tasks=3)]), 1)
    done(machine, EndProcess(2))
    machine.advance_to(2)
    job = only(batch)
    assert (job.how, job.exit_status) == (wording("machine.jobs.killed-with-one-of-its"), 137)
    assert len(machine.processes) == 0


def test_a_removed_node_holds_what_waits_and_ends_what_runs() -> None:
    machine, batch = run(night([job_of("first"), job_of("second")], run_limit=1), 1)
    done(machine, ChangeTree((Remove(machine.tree.find("batch").id),)))
    machine.advance_to(5)
    first, second = batch.jobs.values()
    assert (first.state, first.how) == ("ended", wording("machine.jobs.killed-with-its-l-node"))
    assert (second.state, second.why_held) == (
        "held",
        wording("machine.jobs.queue-charges-user-who-was", name="batch"),
    )
    assert refused(machine, ReleaseJob(second.request)) == second.why_held
    assert refused(machine, SubmitJob(job_of())) == second.why_held


def test_a_restarted_machine_runs_its_jobs_again() -> None:
    machine, batch = run(night([job_of("first"), job_of("second"), job_of("third")]), 3)
    text = done(machine, Restart())
    restarted, _, names = text.rpartition(": ")
    assert says(f"{restarted}: ", "machine.jobs.back-in-their-queues")
    assert [name.split() for name in names.split(", ")] == [
        ["41870", "sbert", "first"],
        ["41871", "sbert", "second"],
    ]
    assert batch.queues["batch"].order == [41870, 41871, 41872]
    assert not len(machine.processes)
    machine.advance_to(30)
    assert [job.how for job in batch.jobs.values()] == ["ended"] * 3
    assert [batch.ja(request).cpu_s for request in batch.jobs] == [10, 10, 10]


def test_a_job_runs_however_small_it_is() -> None:
    _, batch = run(night([job_of(cpu_s=0.001, tasks=8, sds_mw=1, setup_s=0.001)]), 1)
    assert only(batch).how == "ended"
    assert batch.ja(only(batch).request).cpu_s == 1 / HZ


def test_run_job_starts_out_of_turn_in_a_stopped_queue_but_not_over_its_run_limit() -> None:
    machine, batch = run(night([job_of("a", "nd"), job_of("b", "nd")]), 1)
    assert not batch.running()
    done(machine, RunJob(41871))
    assert refused(machine, RunJob(41870)) == wording(
        "machine.jobs.queue-is-full-it-runs", name="nd", run_limit="1"
    )
    assert [job.request for job in batch.running()] == [41871]


def test_tasks_that_take_turns_are_measured_by_the_processors_there_are() -> None:
    _, batch = run(night([job_of(cpu_s=40.0, tasks=64)], cpus=4), 60)
    assert only(batch).how == "ended"
    assert batch.ja(only(batch).request).efficiency == pytest.approx(1.0, abs=0.05)


def test_efficiency_counts_the_processors_that_the_job_had_not_those_of_today() -> None:
    whole = job_of("a", "nd", tasks=4, cpu_s=4000.0, requested_cpu_s=8000.0, cycle_s=10.0)
    machine, batch = run(night([whole]), 1)
    done(machine, RunJob(41870))
    machine.advance_to(100)
    before = batch.ja(41870).efficiency
    done(machine, SetSetting("machine.cpus", 1))
    machine.advance_to(110)
    after = batch.ja(41870).efficiency
    assert before is not None
    assert after is not None
    assert after < before <= 1
