"""The compiled loop around the kernel: ticks, and the seconds and deltas between them.

It runs alone over any number of seconds; whatever needs Python (samples, events, edits, an ended process)
lies at the end of a span. At coincident times: second, then delta, then tick.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from fsconsole.machine.kernel import RUNNABLE, run_ticks
from fsconsole.policies import steps


class Clock(NamedTuple):
    """Lengths in ticks, and the number of processors."""

    second: int
    delta: int
    cpus: int


@numba.njit(nogil=True, cache=True)
def decay_priorities(processes, runnable):  # type: ignore[no-untyped-def]
    """Junglas t2: priority = round(priority * decay); count the runnable processes of each row anew."""
    runnable[:] = 0
    for row in range(len(processes.priority)):
        processes.priority[row] = np.int64(np.rint(processes.priority[row] * processes.decay[row]))
        if processes.state[row] == RUNNABLE:
            runnable[processes.owner[row]] += 1


@numba.njit(nogil=True, cache=True)
def second(par, state, processes):  # type: ignore[no-untyped-def]
    """What happens every second: priorities decay, rates follow the runnable processes."""
    decay_priorities(processes, state.runnable)
    steps.on_second(par, state)


@numba.njit(nogil=True, cache=True)
def run_span(tick, until, clock, par, state, processes, devices, ran):  # type: ignore[no-untyped-def]
    """Run from `tick` to `until` or to where a process ends: (next tick, whether one ended).

    Seconds and deltas at `until` itself, and at the tick where a process ended, are left to the caller.
    """
    while True:
        stop = min(until, (tick // clock.second + 1) * clock.second, (tick // clock.delta + 1) * clock.delta)
        tick, ended = run_ticks(
            tick, stop, clock.cpus, processes, devices, state.increment, state.rank, state.cost, ran
        )
        if ended or tick >= until:
            return tick, ended
        if tick % clock.second == 0:
            second(par, state, processes)
        if tick % clock.delta == 0:
            steps.on_delta(par, state, tick // clock.delta)
