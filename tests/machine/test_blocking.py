"""Holding processes back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.machine import blocking
from fsconsole.machine.machine import Machine
from fsconsole.machine.tick_kernel import HELD, SERVED
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.spec import Device
from tests.machine.worlds import scenario_of


def test_a_device_goes_on_whose_last_request_is_of_a_process_that_is_held() -> None:
    reads = Work(0.05, device="disk", io_s=0.1)
    scenario = replace(
        scenario_of({"a": 1, "b": 1}, loops=[("a", reads), ("b", reads)]), devices=(Device("disk"),)
    )
    machine = Machine(scenario)
    table = machine.processes
    while not ((table.state == SERVED) & (table.wake <= machine.tick)).any():
        machine.advance(machine.tick + 1)
        table = machine.processes
        assert machine.now_s < 60
    row = np.flatnonzero(table.state == SERVED)
    blocking.hold(machine, row, blocking.SUSPENDED)
    assert not machine.device_busy.any()
    other, before = 1 - int(row[0]), int(table.cpu_ticks.sum())
    machine.advance_to(machine.now_s + 10)
    table = machine.processes
    assert table.state[row[0]] == HELD
    assert table.cpu_ticks.sum() - before > 0
    assert table.cpu_ticks[other] > 0
