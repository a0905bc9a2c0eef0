"""Laws of memory: never more than there is, nobody lost, the same run from a checkpoint and without rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fsconsole.machine.blocking import NO_SDS, SUSPENDED, SWAPPED
from fsconsole.machine.checkpoint import load as load_machine
from fsconsole.machine.checkpoint import save
from fsconsole.machine.machine import Machine
from fsconsole.machine.memory.manager import MemoryManager
from fsconsole.shares.scenario.actions import (
    NICE_LEVELS,
    EndProcess,
    Renice,
    ResumeProcess,
    SetSetting,
    StartProcess,
    SuspendProcess,
    Work,
)
from fsconsole.shares.scenario.spec import Device, Event, Scenario
from tests.laws import tries
from tests.machine.memory.worlds import NODES, clicks, load, memory_of, scenario_with

SIZE, SDS = 10, 20
WORKS = [
    Work(clicks=clicks(3)),
    Work(0.4, 0.3, clicks=clicks(4)),
    Work(0.5, 15.0, clicks=clicks(6), sds_clicks=clicks(8)),
    Work(1.0, 2.0, clicks=clicks(2), locked_fraction=0.4),
    Work(0.05, device="disk", io_s=0.1, clicks=clicks(3), sds_clicks=clicks(5)),
    Work(cpu_s=20.0, clicks=clicks(5), sds_clicks=clicks(12)),
    Work(3.0, 3.0, clicks=clicks(9), locked_fraction=1.0),
    Work(clicks=0),
    Work(clicks=clicks(30)),
]
USERS = ["PRI_INTR", "PRI_BATCH", "PRI_ND"]
users, works = st.sampled_from(USERS), st.sampled_from(WORKS)
pids = st.integers(1, 14)
SETTINGS = [
    ("memory.share_aware", False), ("memory.share_aware", True), ("memory.hard_sleep", "first"),
    ("memory.hard_sleep", "priority"), ("memory.lckswp", False), ("memory.lckswp", True),
    ("memory.persistence", False), ("memory.persistence", True), ("memory.sds_daemon", True),
    ("memory.sds_daemon", False), ("memory.max_outage_s", 20.0), ("memory.cpu_factor", 1.0),
    ("memory.tfactor_in", 2.0), ("memory.pass_s", 2.5), ("memory.min_residence_s", 0.0),
    ("memory.size_factor", 3.0), ("memory.size_factor", 0.0), ("memory.nice_factor", 2.0),
    ("memory.swap_mw_per_s", 0.7), ("policy.name", "share"), ("policy.nosched", True),
]  # fmt: skip
steps = st.one_of(
    st.builds(load, users, works, st.integers(1, 2)),
    pids.map(EndProcess),
    pids.map(SuspendProcess),
    st.builds(Renice, pids, st.integers(0, NICE_LEVELS - 1)),
    pids.map(ResumeProcess),
    st.sampled_from(SETTINGS).map(lambda item: SetSetting(*item)),
    st.tuples(st.just("grow"), pids, st.integers(0, SIZE)),
    st.tuples(st.just("ask"), pids, st.integers(0, SDS)),
)
plans = st.lists(st.tuples(st.integers(0, 3000), steps), max_size=14).map(
    lambda plan: sorted(plan, key=lambda step: step[0])
)


def begun(**memory: Any) -> Scenario:
    given_ = {"size_mw": float(SIZE), "sds_mw": float(SDS), "share_aware": True, "sds_daemon": True, **memory}
    loads = [load("PRI_BATCH", WORKS[1], 2), load("PRI_INTR", WORKS[2]), load("PRI_BATCH", WORKS[3])]
    scenario = scenario_with(*loads, load("root", Work(0.1, 1.0)), cpus=2, **given_)
    return replace(scenario, devices=(Device("disk"),))


def do(machine: Machine, step: Any) -> None:
    memory = memory_of(machine)
    if not isinstance(step, tuple):
        machine.act(step)
    elif step[1] in memory.images:
        (memory.grow if step[0] == "grow" else memory.ask_sds)(step[1], clicks(step[2]))


def follow(machine: Machine, plan: list[tuple[int, Any]], until: int) -> None:
    for tick, step in plan:
        machine.advance(tick)
        do(machine, step)
        check(machine)
    machine.advance(until)
    check(machine)


def check(machine: Machine) -> None:
    memory, table = memory_of(machine), machine.processes
    assert 0 <= memory.used_clicks <= clicks(SIZE)
    assert 0 <= memory.sds_used_clicks <= clicks(SDS)
    assert set(table.image.tolist()) == set(memory.images)
    for image in memory.images.values():
        held = table.held[table.image == image.pid] | image.holding
        assert ((held & SWAPPED != 0) == (image.where != "in" or image.grow_to is not None)).all()
        assert ((held & SUSPENDED != 0) == (image.suspended != "")).all()
        waits = image.sds in ("waiting", "reading")
        assert not waits or (held & NO_SDS != 0).all()
        assert image.sds != "held" or (held & NO_SDS == 0).all()
    coming = [item.pid for item in memory.store.device.waiting]
    assert set(coming) <= set(memory.images)


@tries(25)
@given(plans, st.integers(0, 3000))
def test_a_checkpoint_goes_on_as_the_machine_does(plan: list[tuple[int, Any]], at: int) -> None:
    machine = Machine(begun())
    follow(machine, [step for step in plan if step[0] <= at], at)
    again = load_machine(save(machine), machine.scenario)
    assert memory_of(again).to_json() == memory_of(machine).to_json()
    for each in (machine, again):
        follow(each, [step for step in plan if step[0] > at], 3600)
    assert save(machine) == save(again)


# A marked process leaves its device between two passes; a setting changes share priorities at a pass.
SERVED_BETWEEN = [
    (0, SetSetting("memory.share_aware", False)),
    (0, SetSetting("memory.size_factor", 2.0)),
    (0, SetSetting("memory.nice_factor", 1.0)),
    (0, SetSetting("memory.tfactor_in", 2.0)),
    (360, load("PRI_INTR", WORKS[4], 2)),
]
RANKED_AT_A_PASS = [
    (0, SetSetting("memory.size_factor", 2.0)),
    (0, load("PRI_BATCH", WORKS[0])),
    (240, SetSetting("policy.nosched", True)),
]


@tries(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans)
@example(SERVED_BETWEEN)
@example(RANKED_AT_A_PASS)
def test_passes_that_are_left_out_would_have_changed_nothing(
    monkeypatch: pytest.MonkeyPatch, plan: list[tuple[int, Any]]
) -> None:
    machine = Machine(begun())
    follow(machine, plan, 3600)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryManager, "_quiet_until", lambda memory, _: memory.store.tick + 1)
        patch.setattr(MemoryManager, "_pass_tick", _every_pass)
        restless = Machine(begun())
        follow(restless, plan, 3600)
    assert save(machine) == save(restless)


def _every_pass(memory: MemoryManager) -> int:
    period = max(1, round(memory.store.spec.pass_s * memory.store.hz))
    return (memory._done_tick // period + 1) * period


class Memory(RuleBasedStateMachine):
    """Random people at a small machine."""

    def __init__(self) -> None:
        super().__init__()
        self.machine = Machine(begun())

    @rule(ticks=st.integers(1, 1800))
    def wait(self, ticks: int) -> None:
        self.machine.advance(self.machine.tick + ticks)

    @rule(step=steps)
    def step(self, step: Any) -> None:
        do(self.machine, step)

    @precondition(lambda self: len(self.machine.processes) < 12)
    @rule(user=users, work=works)
    def start_more(self, user: str, work: Work) -> None:
        before = len(self.machine.processes)
        assert self.machine.act(StartProcess(NODES[user], work)).done
        assert len(self.machine.processes) == before + 1

    @invariant()
    def holds_good(self) -> None:
        check(self.machine)

    def teardown(self) -> None:
        """With the daemon off and memory for all, everybody comes back."""
        machine = self.machine
        machine.act(SetSetting("memory.sds_daemon", False))
        machine.advance(machine.tick + 300)
        assert not [each for each in memory_of(machine).images.values() if each.suspended == "daemon"]
        while memory_of(machine).images and len(machine.processes) > 2:
            machine.act(EndProcess(int(machine.processes.pid[-1])))
        for pid in machine.processes.pid.tolist():
            if memory_of(machine).images[pid].suspended:
                machine.act(ResumeProcess(pid))
        machine.advance(machine.tick + 12_000)
        check(machine)
        there = memory_of(machine).images.values()
        if sum(each.clicks for each in there) <= clicks(SIZE):
            assert not [each for each in there if each.wants_since is not None]
        if sum(each.sds_clicks for each in there) <= clicks(SDS):
            assert not [each for each in there if each.sds not in ("none", "held")]


TestMemory = Memory.TestCase
TestMemory.settings = tries(20, stateful_step_count=15)


def test_events_of_the_scenario_start_images_too() -> None:
    event = Event(3.0, load("PRI_ND", Work(clicks=clicks(9))))
    machine = Machine(replace(begun(), events=(event,)))
    machine.advance_to(60)
    assert memory_of(machine).images[6].where == "in"
    check(machine)
