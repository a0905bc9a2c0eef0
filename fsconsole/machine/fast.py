"""The fast engine: the same schedule as `kernel.run_ticks`, by whole stretches in which nothing happens.

A stretch ends where somebody wakes, is served, or ends a burst or his CPU time. What a process has run is
counted in `DONE` and written into all other columns at the end of a delta or a span, or when it stops.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import one_cpu, stretch
from fsconsole.machine.kernel import (
    ENDED,
    NEVER,
    QUEUED,
    RUNNABLE,
    SERVED,
    SLEEPING,
    Columns,
    draw_ticks,
)
from fsconsole.policies.compiled import compiled, entry

# Rows of `Table.whole` and `Table.real`; the first ones have the names of `kernel.Columns`.
WHOLE = (
    "owner",
    "state",
    "priority",
    "last_run",
    "cpu_ticks",
    "burst_left",
    "cpu_left",
    "wake",
    "device",
    "exponential",
)
OWNER, STATE, PRIORITY, LAST_RUN, CPU_TICKS, BURST_LEFT, CPU_LEFT, WAKE, DEVICE, EXPONENTIAL = range(10)
INCREMENT, DONE, LEFT = range(10, 13)
CHANGED_COLUMNS = ("state", "priority", "last_run", "cpu_ticks", "burst_left", "cpu_left", "wake")
REAL = ("decay", "tick_cost", "burst_cost", "burst_mean", "sleep_mean", "io_mean")
DECAY, TICK_COST, BURST_COST, BURST_MEAN, SLEEP_MEAN, IO_MEAN = range(6)
# Of `Table.notes`: processes in `runnable` and `limited`; whether to look
# who is runnable anew, and whether who is has changed since the last second; first tick when somebody wakes;
# ticks of the last stretch that was cut short.
RUNNERS, LIMITED, STALE, CHANGED, NEXT_WAKE, LENGTH = range(6)
# Of `Table.levels`: that of the present second's end, as it seems; points of priority between two values.
LEVEL, POINTS = range(2)


# So few ticks are soonest looked at one by one.
_FEW_TICKS = 4


class Table(NamedTuple):
    """The processes, so that compiled functions have few arguments.

    Attributes:
        whole, real, stream: the columns of `kernel.Columns`; INCREMENT is the owner's, DONE ticks that are
            not in the other columns yet, LEFT ticks to the end of burst or CPU time.
        runnable, limited: rows of runnable processes, and of those of them that end some time.
        notes, levels: what is remembered between two stretches.
    """

    whole: NDArray[np.int64]
    real: NDArray[np.float64]
    stream: NDArray[np.uint64]
    runnable: NDArray[np.int64]
    limited: NDArray[np.int64]
    notes: NDArray[np.int64]
    levels: NDArray[np.float64]


@compiled
def write_down(row, table, ran, cost):  # type: ignore[no-untyped-def]
    """Write what a process has run into its other columns and its owner's."""
    whole = table.whole
    done = whole[DONE, row]
    if done > 0:
        leaf = whole[OWNER, row]
        whole[CPU_TICKS, row] += done
        whole[BURST_LEFT, row] -= done
        whole[CPU_LEFT, row] -= done
        ran[leaf] += done
        cost[leaf] += done * table.real[TICK_COST, row]
        whole[DONE, row] = 0


@entry
def write_all_down(table, ran, cost):  # type: ignore[no-untyped-def]
    """Write down what all have run."""
    for row in range(table.whole.shape[1]):
        write_down(row, table, ran, cost)


@compiled
def draw(row, mean, table):  # type: ignore[no-untyped-def]
    """The next random length of a process."""
    return draw_ticks(table.stream, row, table.real[mean, row], table.whole[EXPONENTIAL, row] != 0)


@compiled
def wake_up(tick, table, busy):  # type: ignore[no-untyped-def]
    """As `kernel.wake_up`; notes when the next one wakes."""
    whole, following = table.whole, NEVER
    for row in range(whole.shape[1]):
        state = whole[STATE, row]
        if state != SLEEPING and state != SERVED:
            continue
        if whole[WAKE, row] > tick:
            following = min(following, whole[WAKE, row])
            continue
        if state == SERVED:
            busy[whole[DEVICE, row]] = False
        whole[STATE, row] = RUNNABLE
        whole[BURST_LEFT, row] = draw(row, BURST_MEAN, table)
    table.notes[NEXT_WAKE] = following


@compiled
def next_request(device, table, by_rank, rank):  # type: ignore[no-untyped-def]
    """Whose request a device takes next: the best rank or all alike, then the oldest; -1 for none."""
    whole, best = table.whole, -1
    for row in range(whole.shape[1]):
        if whole[STATE, row] != QUEUED or whole[DEVICE, row] != device:
            continue
        if best < 0:
            best = row
            continue
        mine, other = rank[whole[OWNER, row]], rank[whole[OWNER, best]]
        if by_rank and mine != other:
            best = row if mine < other else best
        elif whole[WAKE, row] < whole[WAKE, best]:
            best = row
    return best


@compiled
def serve(tick, table, busy, by_rank, rank):  # type: ignore[no-untyped-def]
    """As `kernel.serve`."""
    for device in range(len(busy)):
        best = np.int64(-1) if busy[device] else next_request(device, table, by_rank, rank)
        if best >= 0:
            busy[device] = True
            ready = tick + draw(best, IO_MEAN, table)
            table.whole[STATE, best] = SERVED
            table.whole[WAKE, best] = ready
            table.notes[NEXT_WAKE] = min(table.notes[NEXT_WAKE], ready)


@compiled
def list_runnable(table):  # type: ignore[no-untyped-def]
    """List who is runnable, and who of them will stop by himself."""
    whole, runners, limited = table.whole, 0, 0
    for row in range(whole.shape[1]):
        left = min(whole[BURST_LEFT, row], whole[CPU_LEFT, row]) - whole[DONE, row]
        whole[LEFT, row] = left
        table.runnable[runners] = row
        table.limited[limited] = row
        runs = whole[STATE, row] == RUNNABLE
        runners += runs
        limited += runs and left < NEVER // 2
    table.notes[RUNNERS], table.notes[LIMITED] = runners, limited


@compiled
def stop(tick, row, table, cost):  # type: ignore[no-untyped-def]
    """What follows on a tick that was the last of a burst, or of all CPU time; whether the process ended."""
    whole = table.whole
    if whole[CPU_LEFT, row] <= 0:
        whole[STATE, row] = ENDED
        return True
    if whole[DEVICE, row] >= 0:
        whole[STATE, row] = QUEUED
        whole[WAKE, row] = tick + 1
        cost[whole[OWNER, row]] += table.real[BURST_COST, row]
    else:
        whole[STATE, row] = SLEEPING
        whole[WAKE, row] = tick + 1 + draw(row, SLEEP_MEAN, table)
        table.notes[NEXT_WAKE] = min(table.notes[NEXT_WAKE], whole[WAKE, row])
    return False


@compiled
def all_run(tick, ticks, table, runnable, limited):  # type: ignore[no-untyped-def]
    """A processor for everybody: all run in each tick, up to the first that stops. Returns the ticks."""
    whole = table.whole
    for row in limited:
        ticks = min(ticks, max(1, whole[LEFT, row]))
    for row in runnable:
        whole[PRIORITY, row] += ticks * whole[INCREMENT, row]
        whole[LAST_RUN, row] = tick + ticks - 1
        whole[DONE, row] += ticks
        whole[LEFT, row] -= ticks
    return ticks


@compiled
def best_now(cpus, runnable, priority, last_run, chosen):  # type: ignore[no-untyped-def]
    """Fill `chosen` with those that run in a tick, by a look at all: lowest priority, last run, row."""
    count, worst, oldest = 0, NEVER, NEVER
    for row in runnable:
        mine, ran = priority[row], last_run[row]
        if count == cpus and (mine > worst or (mine == worst and ran >= oldest)):
            continue
        place = count if count < cpus else cpus - 1
        while place > 0:
            other = chosen[place - 1]
            if priority[other] < mine or (priority[other] == mine and last_run[other] <= ran):
                break
            chosen[place] = other
            place -= 1
        chosen[place] = row
        count = min(count + 1, cpus)
        worst, oldest = priority[chosen[count - 1]], last_run[chosen[count - 1]]


@compiled
def single_ticks(tick, ticks, cpus, table, runnable, chosen):  # type: ignore[no-untyped-def]
    """Up to `ticks` ticks one by one, to where somebody stops; returns how many. For few the better way."""
    whole, done, stops = table.whole, 0, False
    priority, last_run, left, increment = whole[PRIORITY], whole[LAST_RUN], whole[LEFT], whole[INCREMENT]
    while done < ticks and not stops:
        best_now(cpus, runnable, priority, last_run, chosen)
        for index in range(cpus):
            row = chosen[index]
            priority[row] += increment[row]
            last_run[row] = tick + done
            whole[DONE, row] += 1
            left[row] -= 1
            stops |= left[row] <= 0
        done += 1
    return done


@compiled
def first_stop(ticks, rounds, limited, left, space):  # type: ignore[no-untyped-def]
    """The ticks up to the first in which somebody stops."""
    fewest = NEVER
    for row in limited:
        fewest = min(fewest, left[row])
    for index in range(rounds):
        if fewest > rounds:
            break
        for at in range(space.rounds[index], space.rounds[index + 1]):
            if left[space.row[at]] <= index + 1:
                ticks = min(ticks, space.tick[at] + 1)
    return ticks


@compiled
def some_run(tick, ticks, to_second, cpus, table, runnable, limited, space):  # type: ignore[no-untyped-def]
    """More are runnable than processors: run them in up to `ticks` ticks. Returns the ticks done."""
    whole, levels = table.whole, table.levels
    priority, last_run, done, left = whole[PRIORITY], whole[LAST_RUN], whole[DONE], whole[LEFT]
    rest = float((to_second - ticks) * cpus)
    found, rounds, level, points = stretch.schedule(
        tick,
        ticks,
        cpus,
        levels[LEVEL] - rest * levels[POINTS],
        runnable,
        priority,
        last_run,
        whole[INCREMENT],
        space,
    )
    levels[LEVEL], levels[POINTS] = level + rest * points, points
    ticks = first_stop(ticks, rounds, limited, left, space)
    for at in range(found):
        if space.tick[at] < ticks:
            row = space.row[at]
            priority[row] = space.value[at] + whole[INCREMENT, row]
            last_run[row] = tick + space.tick[at]
            done[row] += 1
            left[row] -= 1
    return ticks


@compiled
def one_runs(tick, ticks, to_second, table, runnable, space):  # type: ignore[no-untyped-def]
    """One processor: run `ticks` ticks at once and return True, unless there are ties or somebody stops."""
    whole, levels = table.whole, table.levels
    priority, increment, part, last = whole[PRIORITY], whole[INCREMENT], space.height, space.turn
    rest = float(to_second - ticks)
    if not one_cpu.share_out(
        ticks, levels[LEVEL] - rest * levels[POINTS], runnable, priority, increment, part
    ) or not one_cpu.last_ticks(tick, runnable, priority, whole[LAST_RUN], increment, part, last):
        return False
    for row in runnable:
        if part[row] >= whole[LEFT, row]:
            return False
    highest = 0
    for row in runnable:
        if part[row] > 0:
            priority[row] += part[row] * increment[row]
            whole[LAST_RUN, row] = last[row]
            whole[DONE, row] += part[row]
            whole[LEFT, row] -= part[row]
            highest = max(highest, priority[row] - increment[row])
    levels[LEVEL] = float(highest) + rest * levels[POINTS]
    return True


@entry
def run(tick, until, second, cpus, table, busy, by_rank, rank, cost, ran, space):  # type: ignore[no-untyped-def]
    """As `kernel.run_ticks`, up to a second's end at most: (next tick to run, whether a process ended).

    A second has `second` ticks. What was run is in DONE.
    """
    notes, left = table.notes, table.whole[LEFT]
    ended = False
    while tick < until and not ended:
        if notes[STALE] or tick >= notes[NEXT_WAKE]:
            wake_up(tick, table, busy)
            serve(tick, table, busy, by_rank, rank)
            list_runnable(table)
            notes[STALE], notes[CHANGED] = 0, 1
        runnable, limited = table.runnable[: notes[RUNNERS]], table.limited[: notes[LIMITED]]
        ticks = min(until, notes[NEXT_WAKE]) - tick
        if len(runnable) <= cpus:
            ticks = all_run(tick, ticks, table, runnable, limited)
        else:
            wanted = stretch.most_ticks(min(ticks, notes[LENGTH]), cpus)
            to_second = second - tick % second
            small = cpus == 1 and len(runnable) <= one_cpu.MOST_PROCESSES
            if small and one_runs(tick, wanted, to_second, table, runnable, space):
                ticks = wanted
            elif wanted <= _FEW_TICKS:
                ticks = single_ticks(tick, wanted, cpus, table, runnable, space.order)
            else:
                ticks = some_run(tick, wanted, to_second, cpus, table, runnable, limited, space)
            notes[LENGTH] = min(second, 2 * (notes[LENGTH] if ticks == wanted else ticks) + 2)
        tick += ticks
        for row in limited:
            if left[row] <= 0:
                write_down(row, table, ran, cost)
                ended |= stop(tick - 1, row, table, cost)
                notes[STALE] = notes[CHANGED] = 1
    return tick, ended


def table_of(columns: Columns) -> Table:
    """The processes as the fast engine has them, copied."""
    n = len(columns.state)
    whole = np.zeros((13, n), np.int64)
    for row, name in enumerate(WHOLE):
        whole[row] = getattr(columns, name)
    real = np.array([getattr(columns, name) for name in REAL], np.float64)
    notes = np.zeros(6, np.int64)
    notes[STALE], notes[LENGTH] = 1, NEVER
    rows = np.empty((2, n + 1), np.int64)
    return Table(whole, real, columns.stream, rows[0], rows[1], notes, np.zeros(2))


def take_back(table: Table, columns: Columns) -> None:
    """Write what the engine changed back into the columns."""
    for name in CHANGED_COLUMNS:
        getattr(columns, name)[:] = table.whole[WHOLE.index(name)]
