"""The compiled loop around the ticks: the seconds and deltas between them.

It runs over any number of seconds; everything that needs Python (samples, events, edits, an ended process) is
at the end of a span. At coincident times: second, then delta, then tick. All but the policy's step is one
compiled function, because each function called from Python is compiled, cached and loaded separately.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import event_engine
from fsconsole.machine.event_engine import DECAY, INCREMENT, OWNER, PRIORITY, STATE
from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.run_queue import space_for
from fsconsole.machine.tick_kernel import RUNNABLE, Columns, Devices, draw_ticks
from fsconsole.policies import steps
from fsconsole.policies.accounting import DELTA, SECOND
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.numba_tuples import borrowed
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.state import PolicyState


class Clock(NamedTuple):
    """Lengths in ticks, and the number of processors."""

    second: int
    delta: int
    cpus: int


# Tests call these parts of `drive`, so they are separate.
_run, _write_all_down = compiled(event_engine.run.py_func), compiled(event_engine.write_all_down.py_func)


@compiled
def decay_priorities(table):  # type: ignore[no-untyped-def]
    """Decay priorities (Junglas t2): priority = round(priority * decay)."""
    priority, decay = table.whole[PRIORITY], table.real[DECAY]
    for row in range(len(priority)):
        priority[row] = np.int64(np.rint(priority[row] * decay[row]))


@compiled
def count_runnable(table, runnable):  # type: ignore[no-untyped-def]
    """Recount the runnable processes of each row if they have changed."""
    if table.notes[event_engine.CHANGED]:
        owner, state = table.whole[OWNER], table.whole[STATE]
        for leaf in owner:
            runnable[leaf] = 0
        for row in range(len(owner)):
            runnable[owner[row]] += state[row] == RUNNABLE
        table.notes[event_engine.CHANGED] = 0


@compiled
def price_ticks(table, increment):  # type: ignore[no-untyped-def]
    """Set each process's increment to its owner's."""
    owner, own = table.whole[OWNER], table.whole[INCREMENT]
    for row in range(len(owner)):
        own[row] = increment[owner[row]]


@compiled
def next_stop(tick, until, clock):  # type: ignore[no-untyped-def]
    """Return the latest end of the present stretch of ticks."""
    second = (tick // clock.second + 1) * clock.second
    stop = min(until, (tick // clock.delta + 1) * clock.delta)
    return min(stop, second)


@entry(allocates=False)
def drive(what, tick, until, clock, par, state, table, busy, by_rank, ran, space):  # type: ignore[no-untyped-def]
    """Run a span from `tick` to `until`, or the steps of `what`; return (next tick, one ended)."""
    ended, span = False, what == 0
    par, state, table, space = borrowed(par), borrowed(state), borrowed(table), borrowed(space)
    while True:
        price_ticks(table, state.increment)
        if span:
            stop, rank, cost = next_stop(tick, until, clock), state.rank, state.cost
            tick, ended = _run(
                tick, stop, clock.second, clock.cpus, table, busy, by_rank, rank, cost, ran, space
            )
            what = 0
            if not ended and tick < until:
                what += SECOND * (tick % clock.second == 0) + DELTA * (tick % clock.delta == 0)
            if what & DELTA or ended or tick >= until:
                _write_all_down(table, ran, cost)
        if what & SECOND:
            decay_priorities(table)
            count_runnable(table, state.runnable)
        if what:
            steps.step(par, state, what, tick // clock.delta)
        if ended or tick >= until:
            return tick, ended


_NO_CLOCK = Clock(1, 1, 1)
_NO_PROCESSES = ProcessTable.empty().kernel_columns()
_NO_SPACE = space_for(0, 1, 1)
_NO_TICKS: NDArray[np.int64] = np.zeros(0, np.int64)
_NO_DEVICES: NDArray[np.bool_] = np.zeros(0, np.bool_)


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
    """Run from `tick` to `until` or to the end of a process; return the next tick and whether one ended.

    Seconds and deltas at `until` itself, and at the tick where a process ended, are left to the caller. `ran`
    is the number of ticks given to each row of the tree since the start, [rows]; it grows.
    """
    table = event_engine.table_of(processes)
    space = space_for(len(processes.state), clock.second, clock.cpus)
    busy, by_rank = devices.busy, devices.by_rank
    tick, ended = drive(0, tick, until, clock, par, state, table, busy, by_rank, ran, space)
    event_engine.take_back(table, processes)
    return tick, ended


def second(par: Parameters, state: PolicyState, processes: Columns) -> None:
    """Do the work of every second: decay priorities, filter rates of runnable processes."""
    table = event_engine.table_of(processes)
    table.notes[event_engine.CHANGED] = 1
    _take(SECOND, 0, par, state, table)
    event_engine.take_back(table, processes)


def take_steps(what: int, par: Parameters, state: PolicyState, delta: int = 0) -> None:
    """Let the policy take steps (`policies.accounting`), and do nothing else; `delta` counts deltas."""
    _take(what, delta, par, state, event_engine.table_of(_NO_PROCESSES))


def _take(what: int, delta: int, par: Parameters, state: PolicyState, table: event_engine.Table) -> None:
    drive(what, delta, 0, _NO_CLOCK, par, state, table, _NO_DEVICES, False, _NO_TICKS, _NO_SPACE)


def warm() -> None:
    """Compile the engine or load it from the cache; the set-up calls this to avoid a wait later."""
    from fsconsole.machine.machine import Machine
    from fsconsole.shares.scenario.spec import Scenario
    from fsconsole.shares.tree import ShareTree

    Machine(Scenario(ShareTree())).advance(1)
    draw_ticks(np.zeros(1, np.uint64), 0, 1.0, True)
