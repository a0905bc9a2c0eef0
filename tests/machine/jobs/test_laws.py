"""Laws of batch: nothing is lost, limits hold, a saved machine goes on as it would have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.checkpoint import save
from fsconsole.machine.jobs.account import JobAccount
from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.jobs.job import cpu_ticks
from fsconsole.machine.machine import Machine
from fsconsole.machine.reference_machine import run_span
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    EndProcess,
    HoldJob,
    KillJob,
    MoveJob,
    ReleaseJob,
    Restart,
    RestartJob,
    RunJob,
    SetQueue,
    SetSetting,
    SubmitJob,
    Work,
)
from fsconsole.shares.scenario.job_spec import JobSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.spec import Scenario
from tests.laws import tries
from tests.machine.jobs.nights import again, batch_of, job_of, night
from tests.machine.worlds import same

HZ, END_S = 60, 40
MEMORIES = (
    MemorySpec(checkpoint_mw_per_s=2.0),
    # tfactor_in lets who has been in memory for long make room for others of the same share priority.
    MemorySpec(12, sds_mw=10, sds_daemon=True, share_aware=True, tfactor_in=1.0, checkpoint_mw_per_s=4.0),
)


@st.composite
def specs(draw: st.DrawFn) -> JobSpec:
    io_s = draw(st.sampled_from([0.0, 0.4]))
    return job_of(
        draw(st.sampled_from("abc")),
        draw(st.sampled_from(["batch", "nd", "own"])),
        cpu_s=draw(st.sampled_from([0.01, 3.0, 12.3])),
        person=draw(st.sampled_from(["ana", "bob"])),
        tasks=draw(st.integers(1, 3)),
        memory_mw=draw(st.sampled_from([0.0, 2.0, 7.0])),
        sds_mw=draw(st.sampled_from([0.0, 4.0, 8.0])),
        setup_s=draw(st.sampled_from([0.0, 1.5])),
        setup_mw=draw(st.sampled_from([0.0, 0.5])),
        serial_fraction=draw(st.sampled_from([0.0, 0.2, 1.0])),
        cycle_s=draw(st.sampled_from([0.7, 3.0])),
        io_s=io_s,
        device=draw(st.sampled_from([None, "disk"])) if io_s else None,
        aborts_at_s=draw(st.sampled_from([None, None, 2.0])),
    )


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    loops = [("batch", Work(clicks=4000), draw(st.integers(1, 3)))]
    urm = UrmSpec(draw(st.sampled_from([0, 1])), 1, 1, 1, run_limit=draw(st.sampled_from([0, 2])))
    jobs = draw(st.lists(specs(), max_size=4))
    memory = draw(st.sampled_from(MEMORIES))
    return night(jobs, loops=loops, cpus=draw(st.sampled_from([1, 2, 8])), urm=urm, memory=memory)


requests = st.integers(41870, 41875)
todo = st.one_of(
    st.builds(SubmitJob, specs()),
    st.builds(KillJob, requests, st.booleans()),
    st.builds(MoveJob, requests, st.integers(1, 3)),
    st.builds(SetQueue, st.sampled_from(["batch", "nd"]), st.booleans()),
    st.builds(SetSetting, st.just("urm.run_limit"), st.integers(0, 3)),
    st.builds(EndProcess, st.integers(1, 9)),
    *(st.builds(kind, requests) for kind in (HoldJob, ReleaseJob, RunJob, CheckpointJob, RestartJob)),
)
plans = st.lists(st.tuples(st.integers(0, END_S * HZ), todo), max_size=8).map(
    lambda plan: sorted(plan, key=lambda pair: pair[0])
)


def play(machine: Machine, plan: list[tuple[int, Any]], after: int = -1) -> None:
    """Do what is planned after a tick."""
    for tick, action in plan:
        if tick > after:
            machine.advance(tick)
            machine.act(action)


def check_account(account: JobAccount) -> None:
    """The components are the wall time, and none is negative."""
    parts = [account.setup_s, account.io_s, account.swap_s, account.sds_wait_s, account.stopped_s]
    parts += [account.computing_s, account.run_wait_s]
    assert sum(parts) == pytest.approx(account.wall_s)
    assert min(parts) >= -1e-9
    assert account.setup_s - 1e-9 <= account.preparation_s <= account.wall_s + 1e-9
    if account.efficiency:  # the one tick with which it asked for SDS lies before
        assert (account.cpu_s - 1 / HZ) * account.efficiency <= account.cpu_s + 1e-9
    assert account.user_s + account.system_s == pytest.approx(account.cpu_s)


def check(batch: Batch, machine: Machine) -> None:
    """Every job is in one place, and has used what it should."""
    queued = [request for queue in batch.queues.values() for request in queue.order]
    started = [job.request for job in batch.running()]
    over = [job.request for job in batch.finished]
    assert sorted(queued + started + over) == sorted(batch.jobs)
    assert len(set(batch.jobs)) == len(queued) + len(started) + len(over)
    assert all(batch.jobs[request].waits for request in queued)
    pids = [pid for job in batch.running() for pid in job.pids]
    assert set(pids) <= set(machine.processes.pid.tolist())
    for job in batch.jobs.values():
        check_account(batch.ja(job.request))
    for job in batch.finished:
        account = batch.ja(job.request) if job.started_tick is not None else None
        needed = cpu_ticks(job.spec, HZ)
        if job.how in ("ended", "aborted"):
            assert account is not None
            assert round(account.cpu_s * HZ) == needed
        elif account is not None:
            assert round(account.cpu_s * HZ) <= needed


@tries(30)
@given(scenarios(), plans)
def test_no_job_is_lost(scenario: Scenario, plan: list[tuple[int, Any]]) -> None:
    machine = Machine(scenario)
    batch = batch_of(machine)
    for tick, action in plan:
        machine.advance(tick)
        machine.advance(machine.tick + 1)
        check(batch, machine)
        before = save(machine)
        if not machine.act(action).done:
            assert save(machine) == before
    machine.advance(END_S * HZ)
    check(batch, machine)


@tries(15)
@given(scenarios())
def test_limits_hold_and_all_that_can_end_ends(scenario: Scenario) -> None:
    machine = Machine(scenario)
    batch = batch_of(machine)
    run_limit = scenario.machine.urm.run_limit or 99
    for at_s in range(0, 400, 3):
        machine.advance_to(at_s)
        running = batch.running()
        assert len(running) <= run_limit
        assert sum(job.spec.queue == "batch" for job in running) <= 2
    assert [job.spec.queue for job in batch.jobs.values() if job.state != "ended"] == [
        job.queue for job in scenario.jobs if job.queue == "nd"
    ]


@tries(30)
@given(scenarios(), plans, st.integers(0, END_S * HZ))
def test_a_saved_machine_goes_on_as_it_would_have(
    scenario: Scenario, plan: list[tuple[int, Any]], stop: int
) -> None:
    straight, halting = Machine(scenario), Machine(scenario)
    play(straight, plan)
    straight.advance(END_S * HZ)
    play(halting, [item for item in plan if item[0] <= stop])
    halting.advance(stop)
    halting = again(halting)
    play(halting, plan, stop)
    halting.advance(END_S * HZ)
    assert same(straight, halting)
    assert batch_of(straight).to_json() == batch_of(halting).to_json()


@tries(12)
@given(scenarios(), plans)
def test_the_journal_brings_the_same_run_back(scenario: Scenario, plan: list[tuple[int, Any]]) -> None:
    first, second = Machine(scenario), Machine(scenario)
    play(first, plan)
    first.advance(END_S * HZ)
    second.replay(first.journal)
    second.advance(END_S * HZ)
    assert same(first, second)
    assert batch_of(first).to_json() == batch_of(second).to_json()


@tries(12)
@given(scenarios())
def test_the_engines_agree(scenario: Scenario) -> None:
    class Simple(Machine):
        run_span = staticmethod(run_span)

    fast, simple = Machine(scenario), Simple(scenario)
    for machine in (fast, simple):
        machine.advance(END_S * HZ)
    assert same(fast, simple)
    assert batch_of(fast).to_json() == batch_of(simple).to_json()


@tries(12)
@given(scenarios(), st.integers(1, END_S * HZ))
def test_a_restart_of_the_machine_loses_no_job(scenario: Scenario, stop: int) -> None:
    machine = Machine(scenario)
    batch = batch_of(machine)
    machine.advance(stop)
    over = len(batch.finished)
    assert machine.act(Restart()).done
    assert not batch.running()
    assert len(batch.finished) == over
    check(batch, machine)
    machine.advance(stop + END_S * HZ)
    check(batch, machine)
