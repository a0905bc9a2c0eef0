"""The hot loop: ticks of the CPUs over the runnable processes.

Right and simple: a linear scan picks the processes of lowest priority at each tick. It knows nothing of
shares; the only thing it reads from a policy is one increment per leaf.
Source: Junglas 1991 section 3, t3; ties go to the least recently run, then to the lowest pid.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import math

import numba
import numpy as np

RUNNABLE, SLEEPING, ENDED = 0, 1, 2
NEVER = np.int64(2**62)
_LONGEST = 2.0**60
# No priority rises above this, so that the next increment cannot overflow. Far above the normal range
# (2e11), where a limit would bend the shares.
_HIGHEST = np.int64(2**62)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@numba.njit(nogil=True, cache=True)
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


# Inlined: a call would double the time of a tick with few processes.
@numba.njit(nogil=True, cache=True, inline="always")
def choose(  # type: ignore[no-untyped-def]
    tick, chosen, state, priority, last_run, burst_left, wake, burst_mean, exponential, stream
):  # fmt: skip
    """Wake who has slept enough; fill `chosen` with the rows that run in this tick, best first; how many."""
    count = 0
    for row in range(len(state)):
        if state[row] == SLEEPING and wake[row] <= tick:
            state[row] = RUNNABLE
            burst_left[row] = draw_ticks(stream, row, burst_mean[row], exponential[row])
        if state[row] != RUNNABLE:
            continue
        # Insertion into the short list of those that run.
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


@numba.njit(nogil=True, cache=True)
def run_ticks(  # type: ignore[no-untyped-def]
    tick, until, cpus, owner, state, priority, last_run, cpu_ticks, burst_left, cpu_left, wake,
    burst_mean, sleep_mean, exponential, stream, tick_cost, increment, cost, ran
):  # fmt: skip
    """Run ticks from `tick` on, to before `until` or to where a process ends; the next tick to run.

    The columns change in place. Process columns are in pid order; `increment`, `cost` and `ran` (CPU ticks)
    have one value per row of the tree. `burst_left` and `cpu_left` are ticks, NEVER where there is no end.
    """
    chosen = np.empty(cpus, np.int64)
    ended = False
    while tick < until and not ended:
        count = choose(
            tick, chosen, state, priority, last_run, burst_left, wake, burst_mean, exponential, stream
        )
        for index in range(count):
            row = chosen[index]
            leaf = owner[row]
            priority[row] = min(priority[row] + increment[leaf], _HIGHEST)
            cost[leaf] += tick_cost[row]
            ran[leaf] += 1
            cpu_ticks[row] += 1
            last_run[row] = tick
            cpu_left[row] -= 1
            burst_left[row] -= 1
            if cpu_left[row] <= 0:
                state[row] = ENDED
                ended = True
            elif burst_left[row] <= 0:
                state[row] = SLEEPING
                wake[row] = tick + 1 + draw_ticks(stream, row, sleep_mean[row], exponential[row])
        tick += 1
    return tick


def warm() -> None:
    """Compile (or load from the cache) what a run needs."""
    one = np.zeros(1, np.int64)
    run_ticks(
        0, 1, 1, one, one.copy(), one.copy(), one.copy(), one.copy(), one + 5, one + 5, one.copy(),
        np.ones(1), np.ones(1), np.zeros(1, np.bool_), np.zeros(1, np.uint64), np.ones(1), one.copy(),
        np.zeros(1), one.copy(),
    )  # fmt: skip


if __name__ == "__main__":
    warm()
