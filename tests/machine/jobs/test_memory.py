"""Jobs on a machine with memory and SDS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from fsconsole.machine import blocking
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    RestartJob,
    ResumeProcess,
    RunJob,
    SubmitJob,
    SuspendProcess,
    Work,
)
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec
from fsconsole.shares.scenario.spec import Scenario
from tests.machine.jobs.nights import again, batch_of, done, job_of, night, only, refused, run
from tests.texts import wording

MEMORY = MemorySpec(size_mw=60, sds_mw=256, swap_mw_per_s=2.5, share_aware=True, sds_daemon=True)
CCM = job_of(
    "ccm",
    "nd",
    cpu_s=2000,
    tasks=8,
    memory_mw=27.3,
    sds_mw=210,
    setup_s=60,
    setup_mw=0.4,
    serial_fraction=0.11,
    cycle_s=20.0,
)


def mix(jobs: Sequence[JobSpec] = (), memory: MemorySpec = MEMORY) -> Scenario:
    """Twenty processes leave 2 MW of memory free; one of them holds 102 MW of SDS."""
    work = Work(clicks=round(2.9 * CLICKS_PER_MW))
    holder = replace(work, sds_clicks=102 * CLICKS_PER_MW)
    return night(jobs, memory=memory, loops=[("batch", work, 19), ("batch", holder, 1)])


def test_a_job_pushes_its_way_into_memory_and_sds() -> None:
    machine, batch = run(mix([CCM]), 30)
    done(machine, RunJob(only(batch).request))
    machine.advance_to(85)
    assert only(batch).phase == "setup"
    machine.advance_to(100)
    account = batch.ja(only(batch).request)
    assert account.efficiency is None  # it waits for its first memory: it still prepares
    assert account.preparation_s == account.wall_s
    assert account.swap_s > 0
    assert account.memory_mw == 0
    machine.advance_to(600)
    job = only(batch)
    account = batch.ja(job.request)
    assert job.how == "ended"
    assert account.cpu_s == 2000
    # What comes in and what must go for it moves at 2.5 MW/s: 11 s and about 12 s.
    assert 15 < account.swap_s < 35
    assert account.swaps == 1
    # 102 MW are written out in 41 s, after at most a poll.
    assert 40 < account.sds_wait_s < 52
    assert (account.most_memory_mw, account.most_sds_mw) == pytest.approx((27.3, 210), abs=0.01)
    parts = account.setup_s + account.swap_s + account.sds_wait_s + account.computing_s + account.run_wait_s
    assert parts == pytest.approx(account.wall_s)
    assert account.run_wait_s >= 0


def test_the_first_waits_for_memory_and_sds_are_part_of_the_preparation() -> None:
    machine, batch = run(mix([CCM]), 30)
    done(machine, RunJob(only(batch).request))
    machine.advance_to(600)
    account = batch.ja(only(batch).request)
    lead = account.setup_s + account.swap_s + account.sds_wait_s
    # Between memory and SDS it computes for one tick, with which it asks.
    assert lead < account.preparation_s < lead + 0.1
    beyond = 8 * (account.wall_s - account.preparation_s)
    assert account.efficiency == pytest.approx(account.cpu_s / beyond)


def test_the_components_add_up_while_it_runs() -> None:
    machine, batch = run(mix([replace(CCM, io_s=2.0)]), 5)
    done(machine, RunJob(only(batch).request))
    for at_s in range(5, 600, 7):
        machine.advance_to(at_s)
        account = batch.ja(only(batch).request)
        parts = (account.setup_s, account.swap_s, account.sds_wait_s, account.io_s, account.computing_s)
        assert sum(parts) + account.run_wait_s == pytest.approx(account.wall_s)
        assert min(parts) >= 0
        assert account.run_wait_s > -1 / 60
        assert account.user_s + account.system_s == pytest.approx(account.cpu_s)


def test_tasks_of_a_job_that_starts_out_of_memory_wait_for_it() -> None:
    big = job_of(cpu_s=40, tasks=4, memory_mw=30.0, queue="batch")
    machine, batch = run(mix(memory=replace(MEMORY, share_aware=False)), 1)
    done(machine, SubmitJob(big))
    machine.advance_to(1.5)
    job = only(batch)
    assert machine.processes.image[-4:].tolist() == [job.image] * 4
    assert (machine.processes.held[-4:] & blocking.SWAPPED).all()
    assert batch.ja(job.request).cpu_s == 0


def test_a_checkpointed_job_frees_memory_and_sds() -> None:
    spec = replace(CCM, setup_s=0.0)
    memory = replace(MEMORY, checkpoint_mw_per_s=10.0)
    machine, batch = run(night([spec], memory=memory), 1)
    request = only(batch).request
    done(machine, RunJob(request))
    machine.advance_to(10)
    assert batch.ja(request).sds_mw == 210
    done(machine, CheckpointJob(request))
    machine.advance_to(40)
    assert only(batch).state == "checkpointed"
    manager = machine.parts[0]
    assert (manager.used_clicks, manager.sds_used_clicks) == (0, 0)  # type: ignore[attr-defined]
    used = batch.ja(request).cpu_s
    done(machine, RestartJob(request))
    machine.advance_to(120)
    account = batch.ja(request)
    assert account.cpu_s > used
    assert (account.memory_mw, account.sds_mw) == pytest.approx((27.3, 210), abs=0.01)
    machine.advance_to(600)
    account = batch.ja(request)
    assert (only(batch).how, account.cpu_s) == ("ended", 2000)
    assert account.stopped_s == pytest.approx(30 + (27.3 + 210) / 10, abs=0.1)


def test_no_tick_counts_twice_after_a_restart() -> None:
    """It comes back into memory, 30 MW at 0.5 MW/s, and another one has its SDS meanwhile."""
    memory = MemorySpec(size_mw=60, sds_mw=100, swap_mw_per_s=0.5, checkpoint_mw_per_s=5.0)
    jobs = [job_of(cpu_s=9e4, memory_mw=size, sds_mw=sds) for size, sds in ((30.0, 90.0), (20.0, 50.0))]
    machine, batch = run(night(jobs, memory=memory), 100)
    request = min(batch.jobs)
    done(machine, CheckpointJob(request))
    machine.advance_to(200)
    done(machine, RestartJob(request))
    for at_s in range(201, 500, 3):
        machine.advance_to(at_s)
        machine = machine if at_s != 240 else again(machine)
        batch = batch_of(machine)
        account = batch.ja(request)
        assert 0 <= account.run_wait_s < 1
        assert account.swap_s <= 62
    # 120 MW are read in 24 s, then it comes into memory in 60 s, then it waits for SDS.
    assert (account.swap_s, account.sds_wait_s) == pytest.approx((60, 498 - 284), abs=2)


@pytest.mark.parametrize("sds_mw", [0.0, 40.0])
def test_suspended_time_is_stopped_time(sds_mw: float) -> None:
    job = job_of(cpu_s=9e4, memory_mw=10.0, sds_mw=sds_mw)
    machine, batch = run(night([job], memory=replace(MEMORY, swap_mw_per_s=10.0)), 10)
    done(machine, SuspendProcess(only(batch).image))
    machine.advance_to(110)
    account = batch.ja(only(batch).request)
    assert (account.stopped_s, account.run_wait_s) == pytest.approx((100, 0), abs=0.1)
    done(machine, ResumeProcess(only(batch).image))
    machine.advance_to(200)
    account = batch.ja(only(batch).request)
    # Its SDS comes back at 10 MW/s.
    waited = (account.stopped_s, account.sds_wait_s, account.run_wait_s)
    assert waited == pytest.approx((100, sds_mw / 10, 0), abs=0.1)


def test_what_memory_can_never_hold_is_refused() -> None:
    machine, _ = run(mix())
    answer = refused(machine, SubmitJob(job_of(memory_mw=61)))
    assert answer == wording(
        "machine.jobs.machine-has-of-but-job", most="60 MW", what="memory", asked="61 MW"
    )
