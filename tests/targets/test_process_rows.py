"""The process table of a snapshot: who started what, and what it waits for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.machine import blocking
from fsconsole.machine.machine import machine_for
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.spec import Device
from fsconsole.targets.publish import process_rows
from tests.machine.worlds import scenario_of
from tests.texts import wording


def test_device_and_person_are_named() -> None:
    scenario = scenario_of({"a": 1, "b": 1})
    tree = scenario.tree
    reader = Work(burst_s=0.1, io_s=5.0, spread="fixed", device="dd40")
    loads = tuple(
        StartProcess(tree.find(name).id, reader, "read", person=person)
        for name, person in (("a", ""), ("b", "eve"))
    )
    machine = machine_for(
        replace(
            scenario,
            people=(Person("eve", (tree.find("b").id,)),),
            devices=(Device("dd40"),),
            workloads=loads,
        )
    )
    machine.advance_to(2.0)
    rows = process_rows(machine, {}, 0)
    assert sorted(row.state for row in rows) == [
        wording("machine.i-o-on", name="dd40"),
        wording("machine.waiting-for", name="dd40"),
    ]
    assert [row.person for row in rows] == ["", "eve"]
    machine.advance_to(5.2)
    states = {row.pid: row.state for row in process_rows(machine, {}, 0)}
    answer = list(states.values()).count("I/O on dd40")
    assert answer == 1


def test_a_process_that_had_the_last_tick_is_running() -> None:
    machine = machine_for(scenario_of({"a": 1, "b": 1}, loops=["a", ("b", Work(), 2)]))
    machine.advance_to(1.0)
    rows = process_rows(machine, {}, 0)
    assert sorted(row.state for row in rows) == ["runnable", "runnable", "running"]
    assert sum(row.cpu_rate for row in rows) == 1.0


def test_of_a_process_that_is_held_back_it_says_why() -> None:
    machine = machine_for(scenario_of({"a": 1}, loops=[("a", Work(), 8)]))
    reasons = [
        blocking.SWAPPED, blocking.SUSPENDED, blocking.NO_SDS, blocking.BARRIER, blocking.ASLEEP,
        blocking.CHECKPOINTED, blocking.SWAPPED | blocking.NO_SDS,
    ]  # fmt: skip
    for row, reason in enumerate(reasons):
        blocking.hold(machine, np.array([row]), reason)
    states = [row.state for row in process_rows(machine, {}, 0)]
    assert states == [
        "swapped out", "suspended",
        wording("machine.waits-for-sds"), "at barrier", "asleep", "checkpointed",
        wording("machine.waits-for-sds"),
        "runnable",
    ]  # fmt: skip
