"""The hot loop: ticks of the CPUs over the runnable processes.

Simple and correct: a linear scan picks the processes of lowest priority at each tick. It does not use shares;
it reads one increment per leaf from a policy, and one rank if devices go by shares. Source: Junglas 1991
section 3, t3; ties go to the least recently run, then to the lowest pid.

Priorities cannot overflow: between two decays a process gains at most T increments, T the ticks between
them, and a decay keeps at most d < 1 of it, so that no priority exceeds T * increment / (1 - d); the
machine's largest increment is chosen so that this is 2^62 at most.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fsconsole.policies.compiled import compiled, entry

# QUEUED waits for a device since `wake`, SERVED is served by one until `wake`. The kernel ignores HELD
# processes until they are released (`machine/blocking.py`).
RUNNABLE, SLEEPING, ENDED, QUEUED, SERVED, HELD = 0, 1, 2, 3, 4, 5
NEVER = np.int64(2**62)
_LONGEST = 2.0**60
LARGEST_PRIORITY = 2.0**62
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@entry
def draw_ticks(stream, row, mean, exponential):  # type: ignore[no-untyped-def]
    """Draw a length of at least one tick from a process's own stream (splitmix64), exponential or fixed."""
    if not exponential:
        return max(np.int64(1), np.int64(round(min(_LONGEST, mean))))
    stream[row] += _GOLDEN
    word = stream[row]
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    word = word ^ (word >> np.uint64(31))
    uniform = (np.float64(word >> np.uint64(11)) + 0.5) / 9007199254740992.0
    return max(np.int64(1), np.int64(round(min(_LONGEST, -mean * math.log(uniform)))))


class Columns(NamedTuple):
    """The kernel's columns of all processes, in pid order; it changes them in place.

    Attributes:
        owner: row of the tree that is charged.
        state: RUNNABLE, SLEEPING, QUEUED, SERVED, HELD or ENDED.
        priority: the lowest runs; last_run: the tick of the last run.
        decay: factor of the priority per second.
        cpu_ticks: ticks run; burst_left, cpu_left: remaining ticks, NEVER without an end.
        wake: end of a sleep or a service; for a queued request its arrival.
        burst_mean, sleep_mean, io_mean: mean lengths in ticks; exponential: whether they are drawn or fixed.
        stream: state of the process's own random numbers.
        tick_cost, burst_cost: cost units of a tick, and of the request after a burst.
        device: device of the request after each burst, -1 for none.
    """

    owner: NDArray[np.int64]
    state: NDArray[np.int64]
    priority: NDArray[np.int64]
    last_run: NDArray[np.int64]
    decay: NDArray[np.float64]
    cpu_ticks: NDArray[np.int64]
    burst_left: NDArray[np.int64]
    cpu_left: NDArray[np.int64]
    wake: NDArray[np.int64]
    burst_mean: NDArray[np.float64]
    sleep_mean: NDArray[np.float64]
    io_mean: NDArray[np.float64]
    exponential: NDArray[np.bool_]
    stream: NDArray[np.uint64]
    tick_cost: NDArray[np.float64]
    burst_cost: NDArray[np.float64]
    device: NDArray[np.int64]


class Devices(NamedTuple):
    """Devices serve one request at a time.

    Attributes:
        busy: whether the device serves a request.
        by_rank: whether the next request is that of the owner with the lowest rank, or the oldest (FIFO).
    """

    busy: NDArray[np.bool_]
    by_rank: bool


@compiled
def wake_up(tick, processes, devices):  # type: ignore[no-untyped-def]
    """Make processes runnable whose sleep or service has ended; free their devices."""
    for row in range(len(processes.state)):
        state = processes.state[row]
        if state in (SLEEPING, SERVED) and processes.wake[row] <= tick:
            if state == SERVED:
                devices.busy[processes.device[row]] = False
            processes.state[row] = RUNNABLE
            processes.burst_left[row] = draw_ticks(
                processes.stream, row, processes.burst_mean[row], processes.exponential[row]
            )


@compiled
def serve(tick, processes, devices, rank):  # type: ignore[no-untyped-def]
    """Let each free device take its next request: best rank or all equal, then the oldest, lowest pid."""
    for device in range(len(devices.busy)):
        if devices.busy[device]:
            continue
        best = -1
        for row in range(len(processes.state)):
            if processes.state[row] != QUEUED or processes.device[row] != device:
                continue
            if best < 0:
                best = row
                continue
            mine, other = rank[processes.owner[row]], rank[processes.owner[best]]
            if devices.by_rank and mine != other:
                best = row if mine < other else best
            elif processes.wake[row] < processes.wake[best]:
                best = row
        if best >= 0:
            devices.busy[device] = True
            processes.state[best] = SERVED
            processes.wake[best] = tick + draw_ticks(
                processes.stream, best, processes.io_mean[best], processes.exponential[best]
            )


@compiled
def end_burst(tick, row, processes, cost):  # type: ignore[no-untyped-def]
    """Act on a burst that ended with this tick: a request to a device, or sleep."""
    device = processes.device[row]
    if device >= 0:
        processes.state[row] = QUEUED
        processes.wake[row] = tick + 1
        cost[processes.owner[row]] += processes.burst_cost[row]
    else:
        processes.state[row] = SLEEPING
        length = draw_ticks(processes.stream, row, processes.sleep_mean[row], processes.exponential[row])
        processes.wake[row] = tick + 1 + length


# Inlined: a call would double the time of a tick with few processes.
@numba.njit(nogil=True, inline="always")
def choose(chosen, state, priority, last_run):  # type: ignore[no-untyped-def]
    """Fill `chosen` with the rows that run in this tick, best first; return their number."""
    count = 0
    for row in range(len(state)):
        if state[row] != RUNNABLE:
            continue
        # Few rows run at a time, so each is inserted at its place.
        place = count
        while place > 0:
            other = chosen[place - 1]
            if priority[row] > priority[other] or (
                priority[row] == priority[other] and last_run[row] >= last_run[other]
            ):
                break
            place -= 1
        if place >= len(chosen):
            continue
        count = min(count + 1, len(chosen))
        for shift in range(count - 1, place, -1):
            chosen[shift] = chosen[shift - 1]
        chosen[place] = row
    return count


@entry
def run_ticks(tick, until, cpus, processes, devices, increment, rank, cost, ran):  # type: ignore[no-untyped-def]
    """Run ticks from `tick` to before `until` or to the end of a process; return (next tick, one ended).

    `increment`, `rank`, `cost` and `ran` (CPU ticks) have one value per row of the tree.
    """
    chosen = np.empty(cpus, np.int64)
    ended = False
    while tick < until and not ended:
        wake_up(tick, processes, devices)
        serve(tick, processes, devices, rank)
        count = choose(chosen, processes.state, processes.priority, processes.last_run)
        for index in range(count):
            row = chosen[index]
            leaf = processes.owner[row]
            processes.priority[row] += increment[leaf]
            cost[leaf] += processes.tick_cost[row]
            ran[leaf] += 1
            processes.cpu_ticks[row] += 1
            processes.last_run[row] = tick
            processes.cpu_left[row] -= 1
            processes.burst_left[row] -= 1
            if processes.cpu_left[row] <= 0:
                processes.state[row] = ENDED
                ended = True
            elif processes.burst_left[row] <= 0:
                end_burst(tick, row, processes, cost)
        tick += 1
    return tick, ended
