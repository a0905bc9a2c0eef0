"""Laws of a near-dedicated night, whatever operators do and whatever jobs there are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from fsconsole.machine import blocking
from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.jobs.memory_requests import memory_of
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.preemption import PREEMPTIVE
from fsconsole.neardedicated.view import Phase
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    CloseWindow,
    EndProcess,
    ExtendJob,
    HoldJob,
    KillJob,
    MoveJob,
    MoveWindow,
    OpenWindow,
    OrderQueue,
    ReleaseJob,
    Restart,
    RestartJob,
    ResumeProcess,
    RunJob,
    SetQueue,
    SetSetting,
    StartProcess,
    SubmitJob,
    SuspendProcess,
    Work,
)
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec
from tests.laws import tries
from tests.neardedicated.nights import FIRST, OPENS_S, control_of, job, night, scenario

MEMORY = MemorySpec(size_mw=40.0, sds_mw=64.0, swap_mw_per_s=2.0, min_residence_s=5.0)
SHORT = ("daily 23:00-23:20",)

jobs = st.builds(
    lambda name, asked_s, extra: job(name, asked_s, **extra),
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from([200.0, 600.0, 1500.0, 4000.0]),
    st.fixed_dictionaries(
        {
            "person": st.sampled_from(["sbert", "klim"]),
            "tasks": st.sampled_from([1, 4]),
            "memory_mw": st.sampled_from([0.0, 5.0, 30.0]),
            "sds_mw": st.sampled_from([0.0, 20.0, 60.0]),
            "setup_s": st.sampled_from([0.0, 40.0]),
            "serial_fraction": st.sampled_from([0.0, 0.1]),
            "io_s": st.sampled_from([0.0, 5.0]),
            "shown_efficiency": st.sampled_from([0.95, 0.9, 0.9, 0.5, None]),
            "take_chances": st.booleans(),
            "aborts_at_s": st.sampled_from([None, None, 150.0]),
            "can_checkpoint": st.booleans(),
            "queue_name": st.sampled_from(["nd", "nd", "batch"]),
        }
    ),
)
requests = st.integers(FIRST, FIRST + 6)
pids = st.integers(1, 25)
changes = st.one_of(
    st.tuples(st.sampled_from(["policy.nosched", "memory.share_aware", "memory.sds_daemon"]), st.booleans()),
    st.tuples(st.just("machine.cpus"), st.sampled_from([2, 4, 8])),
)
acts = st.one_of(
    jobs.map(SubmitJob),
    st.builds(OpenWindow, st.sampled_from([None, 1500.0, 3000.0])),
    st.builds(CloseWindow, st.booleans()),
    st.builds(MoveWindow, st.none(), st.sampled_from([900.0, 2000.0])),
    st.builds(ExtendJob, requests, st.sampled_from([-300.0, 300.0, 2000.0])),
    st.builds(KillJob, requests, st.booleans()),
    st.builds(HoldJob, requests),
    st.builds(ReleaseJob, requests),
    st.builds(MoveJob, requests, st.integers(1, 4)),
    st.builds(OrderQueue, st.sampled_from(["arrival", "shares", "shortest", "efficiency", "by-hand"])),
    st.builds(SetQueue, st.sampled_from(["batch", "nd"]), st.booleans()),
    st.builds(CheckpointJob, requests),
    st.builds(RestartJob, requests),
    st.builds(RunJob, requests),
    st.builds(SuspendProcess, pids),
    st.builds(ResumeProcess, pids),
    st.builds(EndProcess, pids),
    changes.map(lambda change: SetSetting(*change)),
    st.just(Restart()),
)
ON_JOBS = (CheckpointJob, RestartJob, ReleaseJob, lambda request: ExtendJob(request, 300.0))
modes = st.sampled_from(["near-dedicated", "dedicated"])


PARTS = ("setup_s", "io_s", "swap_s", "sds_wait_s", "stopped_s", "computing_s", "run_wait_s")


def built(mix: list[JobSpec], mode: str = "near-dedicated", *, nosched: bool = True) -> Machine:
    given = scenario(tuple(mix), memory=MEMORY, windows=SHORT, mode=mode, least_work_s=300.0)
    given = replace(given, policy=replace(given.policy, nosched=nosched))
    return Machine(given, makers_of(given))


def copy_of(machine: Machine) -> Machine:
    return load(save(machine), machine.scenario, makers_of(machine.scenario))


def same_state(one: Machine, other: Machine) -> bool:
    return save(one) == save(other)


@tries(25)
@given(
    st.lists(jobs, min_size=1, max_size=4),
    modes,
    st.lists(st.tuples(st.integers(1, 2200), acts), max_size=4),
    st.integers(550, 2200),
)
def test_a_night_that_was_saved_goes_on_as_it_would_have(
    mix: list[JobSpec], mode: str, done: list[tuple[int, Any]], at_s: int
) -> None:
    straight, broken = built(mix, mode), built(mix, mode)
    for when, action in sorted(done, key=lambda pair: pair[0]):
        for machine in (straight, broken):
            machine.advance_to(when)
            machine.act(action, "hale")
    broken.advance_to(at_s)
    broken = copy_of(broken)
    broken.advance_to(2400)
    straight.advance_to(2400)
    assert same_state(straight, broken)
    assert night(straight) == night(broken)


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_can_be_saved(phase: Phase) -> None:
    mode = "dedicated" if phase is Phase.CHECKPOINTING else "near-dedicated"
    mix = [
        job("other", 9e4, queue_name="batch", memory_mw=10.0, tasks=1),
        job("a", 1500.0, memory_mw=30.0, setup_s=20.0, sds_mw=60.0),
        job("b", 600.0),
    ]
    machine = built(mix, mode)
    while control_of(machine).state.phase is not phase or machine.now_s < 10:
        machine.advance(machine.tick + 1)
        assert machine.now_s < 2400
    again = copy_of(machine)
    assert night(again) == night(machine)
    for one in (machine, again):
        one.advance_to(2400)
    assert same_state(machine, again)


@tries(15)
@given(
    st.lists(jobs, min_size=1, max_size=4), modes, st.lists(st.tuples(st.integers(1, 2200), acts), max_size=5)
)
def test_the_journal_is_the_same_run(mix: list[JobSpec], mode: str, done: list[tuple[int, Any]]) -> None:
    machine, again = built(mix, mode), built(mix, mode)
    for when, action in sorted(done, key=lambda pair: pair[0]):
        machine.advance_to(when)
        machine.act(action, "hale")
    machine.advance_to(2400)
    again.replay(machine.journal)
    again.advance_to(2400)
    assert same_state(machine, again)


class Night(RuleBasedStateMachine):
    """Operators do what comes to their minds during one window of 20 min."""

    machine: Machine

    @initialize(mix=st.lists(jobs, min_size=2, max_size=5), mode=modes, nosched=st.booleans())
    def begin(self, mix: list[JobSpec], mode: str, nosched: bool) -> None:
        self.machine = built(mix, mode, nosched=nosched)
        self.normal = {key: control_of(self.machine).preemption.in_force(key) for key in PREEMPTIVE}
        self.stopped_by_hand = False
        ids = {node.name: node.id for node in self.machine.tree.walk()}
        for clicks, sds in ((6000, 30000), (20000, 0), (40000, 60000)):
            work = Work(1.0, 1.0, clicks=clicks, sds_clicks=sds)
            self.machine.act(StartProcess(ids["PRI_BATCH"], work, "other"))
        self.machine.advance_to(OPENS_S - 20)

    @rule(seconds=st.sampled_from([0.1, 1.0, 17.0, 60.0, 333.0]))
    def wait(self, seconds: float) -> None:
        self.machine.advance_to(self.machine.now_s + seconds)

    @rule(action=acts)
    def operate(self, action: Any) -> None:
        self.do(action)

    @rule(make=st.sampled_from(ON_JOBS), which=st.integers(0, 6))
    def operate_on_a_job(self, make: Any, which: int) -> None:
        batch = control_of(self.machine).batch
        there = [job.request for job in batch.running()] or list(batch.jobs)
        self.do(make(there[which % len(there)]))

    @rule(make=st.sampled_from([SuspendProcess, ResumeProcess]), which=st.integers(0, 20))
    def operate_on_a_process(self, make: Any, which: int) -> None:
        there = self.machine.processes.pid.tolist()
        if there:
            self.do(make(there[which % len(there)]))

    def do(self, action: Any) -> None:
        """Do it; what is refused changes nothing."""
        before = save(self.machine)
        outcome = self.machine.act(action, "hale")
        if not outcome.done:
            assert save(self.machine) == before, outcome.text
        elif isinstance(action, SetSetting):
            self.normal.pop(action.key, None)
        elif isinstance(action, SuspendProcess | CheckpointJob):
            self.stopped_by_hand = True

    @invariant()
    def nothing_is_oversubscribed(self) -> None:
        manager: Any = memory_of(self.machine)
        if manager is None:
            return
        assert manager.used_clicks <= round(MEMORY.size_mw * CLICKS_PER_MW)
        assert manager.sds_used_clicks <= round(MEMORY.sds_mw * CLICKS_PER_MW)

    @invariant()
    def one_job_at_a_time(self) -> None:
        batch = control_of(self.machine).batch
        assert sum(job.spec.queue == "nd" for job in batch.running()) <= 1

    @invariant()
    def no_job_is_lost(self) -> None:
        batch = control_of(self.machine).batch
        waiting = sum(len(queue.order) for queue in batch.queues.values())
        assert waiting + len(batch.running()) + len(batch.finished) == len(batch.jobs)

    @invariant()
    def the_view_can_be_made(self) -> None:
        view = night(self.machine)
        with_job = view.phase in (Phase.PREEMPTING, Phase.RUNNING)
        assert with_job or view.job is None
        assert view.window.is_open or view.phase is Phase.IDLE

    @invariant()
    def settings_are_normal_when_nothing_runs(self) -> None:
        control = control_of(self.machine)
        if control.state.phase is Phase.IDLE:
            now = {key: control.preemption.in_force(key) for key in self.normal}
            assert now == self.normal  # but for what operators have set

    @invariant()
    def no_time_is_below_zero(self) -> None:
        batch, tick_s = control_of(self.machine).batch, 1 / self.machine.spec.hz
        for request in batch.jobs:
            account = batch.ja(request)
            assert min(getattr(account, part) for part in PARTS) > -1.01 * tick_s

    def teardown(self) -> None:
        """Stop the night: in the end everything goes on that was stopped."""
        if not hasattr(self, "machine"):
            return
        machine = self.machine
        machine.act(CloseWindow(kill_running=True))
        machine.advance_to(machine.now_s + 2500)
        assert night(machine).phase is Phase.IDLE or night(machine).window.is_open
        if night(machine).phase is Phase.IDLE and not self.stopped_by_hand:
            stopped = blocking.SUSPENDED | blocking.CHECKPOINTED
            assert not (machine.processes.held & stopped).any()


TestNight = Night.TestCase
TestNight.settings = tries(20, stateful_step_count=20)


def test_a_machine_without_the_section_has_no_night() -> None:
    from fsconsole.neardedicated.view_of import night_view

    plain = replace(scenario(), near_dedicated=None)
    assert makers_of(plain) == ()
    assert night_view(Machine(plain, makers_of(plain))) is None
