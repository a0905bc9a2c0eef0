"""The engine around the simple kernel: the reference for the fast one in tests and `bench engine`."""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.engine import Clock
from fsconsole.machine.tick_kernel import RUNNABLE, Columns, Devices, run_ticks
from fsconsole.policies import steps
from fsconsole.policies.accounting import DELTA, SECOND
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.numba_tuples import borrowed
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.state import PolicyState


@compiled
def second(par, state, processes):  # type: ignore[no-untyped-def]
    """Do the work of every second: decay priorities, filter rates of runnable processes."""
    state.runnable[:] = 0
    for row in range(len(processes.priority)):
        processes.priority[row] = np.int64(np.rint(processes.priority[row] * processes.decay[row]))
        if processes.state[row] == RUNNABLE:
            state.runnable[processes.owner[row]] += 1
    steps.step(par, state, SECOND, 0)


@entry
def drive(tick, until, clock, par, state, processes, devices, ran):  # type: ignore[no-untyped-def]
    """Run a span tick by tick, which `engine.drive` runs by events."""
    par_there, state_there = borrowed(par), borrowed(state)
    while True:
        stop = min(until, (tick // clock.second + 1) * clock.second, (tick // clock.delta + 1) * clock.delta)
        tick, ended = run_ticks(
            tick, stop, clock.cpus, processes, devices, state.increment, state.rank, state.cost, ran
        )
        if ended or tick >= until:
            return tick, ended
        if tick % clock.second == 0:
            second(par_there, state_there, processes)
        if tick % clock.delta == 0:
            steps.step(par_there, state_there, DELTA, tick // clock.delta)


def run_span(
    tick: int,
    until: int,
    clock: Clock,
    par: Parameters,
    state: PolicyState,
    processes: Columns,
    devices: Devices,
    ran: NDArray[np.int64],
) -> tuple[int, bool]:
    """Run a span tick by tick, as `engine.run_span` does by events; `ran`, ticks of rows [rows], grows."""
    done: tuple[int, bool] = drive(tick, until, clock, par, state, processes, devices, ran)
    return done
