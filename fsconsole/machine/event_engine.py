"""The fast engine: the schedule of `tick_kernel.run_ticks`, computed from event to event with a run queue.

A stretch ends where a process wakes, is served, or ends a burst or its CPU time. Ticks of a process are
counted in `DONE` and written into all other columns at the end of a delta or a span, or when it stops.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import one_cpu, process_classes, run_queue
from fsconsole.machine.tick_kernel import (
    ENDED,
    HELD,
    NEVER,
    QUEUED,
    RUNNABLE,
    SERVED,
    SLEEPING,
    Columns,
    draw_ticks,
)
from fsconsole.policies.compiled import compiled, entry

# `Table.whole` and `Table.real` have these rows; the first ones have the names of `tick_kernel.Columns`.
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
INCREMENT, DONE, LEFT, UNTIL_NOW = range(10, 14)
CHANGED_COLUMNS = ("state", "priority", "last_run", "cpu_ticks", "burst_left", "cpu_left", "wake")
REAL = ("decay", "tick_cost", "burst_cost", "burst_mean", "sleep_mean", "io_mean")
DECAY, TICK_COST, BURST_COST, BURST_MEAN, SLEEP_MEAN, IO_MEAN = range(6)
# `Table.notes` has these entries: numbers of processes in `runnable`, `sleeping` and `waiting`; whether to
# read all states again, whether runnable processes have changed since the last second; tick of the next
# wake-up; whether the run queue is valid; a tick before which none stops; stretches since equal processes
# were grouped, 0 to do it now; number of failed tries to run by classes, and stretches without a try since.
(
    RUNNERS, SLEEPERS, WAITING, STALE, CHANGED, NEXT_WAKE, FILLED, NEXT_STOP, ALIKE, FAILED, PASSED_BY,
) = range(11)  # fmt: skip
# `Table.levels` has the priority that the last second reached.
LEVEL = 0
_MOST_FAILED = 9
_LONG = 64  # Equal processes are grouped again after this number of stretches.


class Table(NamedTuple):
    """The processes as few arguments for compiled functions.

    Attributes:
        whole, real, stream: the columns of `tick_kernel.Columns`; INCREMENT is the owner's, DONE ticks that
            are not in the other columns yet, LEFT ticks to the end of burst or CPU time.
        runnable, sleeping, waiting: rows of processes that may run, that will wake by themselves (a heap),
            and that wait for a device.
        notes, levels: state between two stretches.
    """

    whole: NDArray[np.int64]
    real: NDArray[np.float64]
    stream: NDArray[np.uint64]
    runnable: NDArray[np.uint32]
    sleeping: NDArray[np.uint32]
    waiting: NDArray[np.uint32]
    notes: NDArray[np.int64]
    levels: NDArray[np.float64]


@compiled
def write_down(row, table, ran, cost):  # type: ignore[no-untyped-def]
    """Write the ticks of a process into its other columns and its owner's."""
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


@compiled
def settle(row, whole):  # type: ignore[no-untyped-def]
    """Write the ticks of a process from the run queue."""
    ran = whole[UNTIL_NOW, row] - whole[LEFT, row]
    whole[UNTIL_NOW, row] = whole[LEFT, row]
    whole[PRIORITY, row] += ran * whole[INCREMENT, row]
    whole[DONE, row] += ran


@compiled
def settle_all(table, space):  # type: ignore[no-untyped-def]
    """Write the ticks of all processes and discard the run queue, if there is one."""
    if table.notes[FILLED]:
        for row in space.order[: space.mark[run_queue.ROWS]]:
            settle(row, table.whole)
        table.notes[FILLED] = 0


@entry
def write_all_down(table, ran, cost):  # type: ignore[no-untyped-def]
    """Write the ticks of all processes."""
    for row in range(table.whole.shape[1]):
        write_down(row, table, ran, cost)


@compiled
def draw(row, mean, table):  # type: ignore[no-untyped-def]
    """Draw a process's next random length."""
    return draw_ticks(table.stream, row, mean, table.whole[EXPONENTIAL, row] != 0)


@compiled
def will_wake(row, table):  # type: ignore[no-untyped-def]
    """Add a process to the heap of those that wake by themselves, the next one first."""
    heap, wake = table.sleeping, table.whole[WAKE]
    place = table.notes[SLEEPERS]
    table.notes[SLEEPERS] += 1
    while place > 0 and wake[row] < wake[heap[(place - 1) // 2]]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = row
    table.notes[NEXT_WAKE] = wake[heap[0]]


@compiled
def next_to_wake(table):  # type: ignore[no-untyped-def]
    """Remove the process that wakes next from the heap and return it."""
    heap, wake = table.sleeping, table.whole[WAKE]
    first, count = heap[0], table.notes[SLEEPERS] - 1
    row, place = heap[count], 0
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and wake[heap[below + 1]] < wake[heap[below]]:
            below += 1
        if wake[row] <= wake[heap[below]]:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = row
    table.notes[SLEEPERS] = count
    table.notes[NEXT_WAKE] = wake[heap[0]] if count > 0 else NEVER
    return first


@compiled
def may_run(row, table):  # type: ignore[no-untyped-def]
    """Add a process to the runnable ones."""
    whole, notes = table.whole, table.notes
    whole[LEFT, row] = max(1, min(whole[BURST_LEFT, row], whole[CPU_LEFT, row]))
    whole[UNTIL_NOW, row] = whole[LEFT, row]
    table.runnable[notes[RUNNERS]] = row
    notes[RUNNERS] += 1
    notes[NEXT_STOP] = notes[ALIKE] = 0


@compiled
def list_all(table):  # type: ignore[no-untyped-def]
    """List runnable, sleeping and waiting processes; no ticks are pending yet."""
    notes = table.notes
    notes[RUNNERS], notes[SLEEPERS], notes[WAITING], notes[NEXT_WAKE] = 0, 0, 0, NEVER
    for row in range(table.whole.shape[1]):
        state = table.whole[STATE, row]
        if state == RUNNABLE:
            may_run(row, table)
        elif state == QUEUED:
            table.waiting[notes[WAITING]] = row
            notes[WAITING] += 1
        elif state != ENDED and state != HELD:
            will_wake(row, table)


@compiled
def wake_up(tick, table, busy, space):  # type: ignore[no-untyped-def]
    """Wake processes whose sleep ends, as `tick_kernel.wake_up` does."""
    whole, notes = table.whole, table.notes
    while notes[NEXT_WAKE] <= tick:
        first = next_to_wake(table)
        row = np.int64(first)  # Each combination of argument types would be compiled separately.
        if whole[STATE, row] == SERVED:
            busy[whole[DEVICE, row]] = False
        whole[STATE, row] = RUNNABLE
        whole[BURST_LEFT, row] = draw(row, table.real[BURST_MEAN, row], table)
        may_run(row, table)
        if notes[FILLED] and not run_queue.enter(first, whole[PRIORITY], whole[INCREMENT], space):
            settle_all(table, space)
        notes[CHANGED] = 1


@compiled
def next_request(device, table, by_rank, rank):  # type: ignore[no-untyped-def]
    """Return the place in `waiting` of a device's next request: best rank or equal, oldest, lowest row."""
    whole, best, least = table.whole, -1, (0.0, NEVER, NEVER)
    for place in range(table.notes[WAITING]):
        row = np.int64(table.waiting[place])
        if whole[DEVICE, row] == device:
            mine = (rank[whole[OWNER, row]] if by_rank else 0.0, whole[WAKE, row], row)
            if best < 0 or mine < least:
                best, least = place, mine
    return best


@compiled
def serve(tick, table, busy, by_rank, rank):  # type: ignore[no-untyped-def]
    """Let devices serve the next burst, as `tick_kernel.serve` does."""
    notes = table.notes
    for device in range(len(busy)):
        if notes[WAITING] == 0:
            return
        best = -1 if busy[device] else next_request(device, table, by_rank, rank)
        if best >= 0:
            busy[device] = True
            row = np.int64(table.waiting[best])
            notes[WAITING] -= 1
            table.waiting[best] = table.waiting[notes[WAITING]]
            table.whole[STATE, row] = SERVED
            table.whole[WAKE, row] = tick + draw(row, table.real[IO_MEAN, row], table)
            will_wake(row, table)


@compiled
def stop(tick, row, table, ran, cost, space):  # type: ignore[no-untyped-def]
    """Act on the last tick of a burst or of all CPU time; return True if the process ended."""
    whole, notes = table.whole, table.notes
    if notes[FILLED]:
        settle(np.uint32(row), whole)
        run_queue.leave(row, space)
    write_down(row, table, ran, cost)
    place = np.uint64(0)
    while table.runnable[place] != row:
        place += np.uint64(1)
    notes[RUNNERS] -= 1
    notes[ALIKE] = 0
    table.runnable[place] = table.runnable[notes[RUNNERS]]
    notes[CHANGED] = 1
    if whole[CPU_LEFT, row] <= 0:
        whole[STATE, row] = ENDED
        return True
    if whole[DEVICE, row] >= 0:
        whole[STATE, row] = QUEUED
        whole[WAKE, row] = tick + 1
        cost[whole[OWNER, row]] += table.real[BURST_COST, row]
        table.waiting[notes[WAITING]] = row
        notes[WAITING] += 1
    else:
        whole[STATE, row] = SLEEPING
        whole[WAKE, row] = tick + 1 + draw(row, table.real[SLEEP_MEAN, row], table)
        will_wake(row, table)
    return False


@compiled
def all_run(tick, ticks, table, runnable, stopped):  # type: ignore[no-untyped-def]
    """Run all processes in each tick up to the first that stops; return (ticks, number that stop)."""
    whole, stops = table.whole, 0
    for row in runnable:
        ticks = min(ticks, whole[LEFT, row])
    for row in runnable:
        whole[PRIORITY, row] += ticks * whole[INCREMENT, row]
        whole[LAST_RUN, row] = tick + ticks - 1
        whole[DONE, row] += ticks
        whole[LEFT, row] -= ticks
        stopped[stops] = row
        stops += whole[LEFT, row] <= 0
    return ticks, stops


@compiled
def fill(ticks, cpus, table, runnable, space, again):  # type: ignore[no-untyped-def]
    """Fill the queue for the rest of a second, up to the level of the last second or a new one."""
    whole, levels, need = table.whole, table.levels, ticks * cpus
    priority, increment = whole[PRIORITY], whole[INCREMENT]
    least = min(len(runnable), cpus + space.mark[run_queue.COUNT])
    level, found, tries = levels[LEVEL], 0, 1 if again else 0
    while found < least:
        if tries == 1:
            more = run_queue.more_than(need, cpus)
            level = run_queue.water_level(level, more, ticks, runnable, priority, increment)
        elif tries > 1:
            level = 2.0 * max(level, 0.0) + 1.0
        found = run_queue.fill(level, need, ticks, runnable, priority, increment, space)
        tries += 1
    for row in space.order[: space.mark[run_queue.ROWS]]:
        whole[UNTIL_NOW, row] = whole[LEFT, row]


@compiled
def some_run(tick, until, second, cpus, table, runnable, space):  # type: ignore[no-untyped-def]
    """Run more processes than processors up to the first that stops; return (next tick, number that stop)."""
    whole, notes, mark, used_up = table.whole, table.notes, space.mark, np.bool_(False)
    last_run = whole[LAST_RUN]
    mark[run_queue.STOPS] = mark[run_queue.COUNT] = 0
    while (tick < until and mark[run_queue.STOPS] == 0) or used_up:
        if not notes[FILLED]:
            run_queue.line_up(tick, runnable, last_run, space)
            fill(second - tick % second, cpus, table, runnable, space, used_up)
            notes[FILLED] = 1
        tick, used_up = run_queue.run_ticks(tick, until, cpus, last_run, whole[LEFT], whole[INCREMENT], space)
        if used_up:
            settle_all(table, space)
    return tick, mark[run_queue.STOPS]


@compiled
def one_runs(tick, ticks, table, runnable, space):  # type: ignore[no-untyped-def]
    """Run `ticks` ticks at once on one processor and return True; False with ties or if a process stops."""
    whole, levels = table.whole, table.levels
    priority, increment, part, last = whole[PRIORITY], whole[INCREMENT], space.part, space.last
    if not one_cpu.share_out(
        ticks, levels[LEVEL], runnable, priority, increment, part
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
    levels[LEVEL] = float(highest)
    return True


@compiled
def is_due(notes):  # type: ignore[no-untyped-def]
    """Return True to try by classes; each try counts as failed until it succeeds.

    More failures put the next try further off.
    """
    if notes[PASSED_BY] < (1 << notes[FAILED]) - 1:
        notes[PASSED_BY] += 1
        return False
    notes[PASSED_BY] = 0
    notes[FAILED] = min(notes[FAILED] + 1, _MOST_FAILED)
    return True


@compiled
def may_stop_before(tick, ticks, table, runnable):  # type: ignore[no-untyped-def]
    """Return True if a process that runs in all of the next ticks would stop in them."""
    notes, least = table.notes, NEVER
    if notes[NEXT_STOP] <= tick + ticks:
        for row in runnable:
            least = min(least, table.whole[LEFT, row])  # LEFT decreases by at most 1 a tick.
        notes[NEXT_STOP] = tick + least
    return notes[NEXT_STOP] <= tick + ticks


@compiled
def classes_run(tick, ticks, cpus, table, runnable, space):  # type: ignore[no-untyped-def]
    """Run `ticks` ticks at once by classes and return True; False if that is uncertain or a process stops."""
    whole, notes, classes, alike = table.whole, table.notes, space.classes, space.alike[: len(runnable)]
    priority, increment, last_run, left = whole[PRIORITY], whole[INCREMENT], whole[LAST_RUN], whole[LEFT]
    if notes[ALIKE] == 0:
        process_classes.bring_together(runnable, alike, priority, increment)
    notes[ALIKE] = (notes[ALIKE] + 1) % _LONG
    count = process_classes.find(alike, priority, increment, classes)
    at, tied, ran = process_classes.schedule(
        tick, ticks, cpus, table.levels[LEVEL], count, alike, priority, increment, last_run, space
    )
    if at <= process_classes.LOW or (
        may_stop_before(tick, ticks, table, runnable)
        and process_classes.may_stop(count, alike, left, classes)
    ):
        return False
    process_classes.write_down(count, alike, priority, last_run, whole[DONE], left, classes)
    if ran < tied:
        process_classes.part(at, tied, ran, alike, priority, increment, whole[DONE], left, space)
    table.levels[LEVEL] = float(space.value[at - np.uint64(1)]) * (1.0 + run_queue.MARGIN)
    return True


@entry
def run(tick, until, second, cpus, table, busy, by_rank, rank, cost, ran, space):  # type: ignore[no-untyped-def]
    """Run as `tick_kernel.run_ticks` to a second's end at most; return the next tick and whether one ended.

    A second has `second` ticks. Ticks of processes are in DONE.
    """
    notes = table.notes
    ended = False
    notes[FILLED] = 0
    if notes[STALE]:
        list_all(table)
        notes[STALE], notes[CHANGED] = 0, 1
    while tick < until and not ended:
        wake_up(tick, table, busy, space)
        serve(tick, table, busy, by_rank, rank)
        runnable, stops = table.runnable[: notes[RUNNERS]], 0
        stretch = min(until, notes[NEXT_WAKE])
        if len(runnable) <= cpus:
            settle_all(table, space)
            ticks, stops = all_run(tick, stretch - tick, table, runnable, space.stopped)
            tick += ticks
        elif (
            cpus == 1
            and len(runnable) <= one_cpu.MOST_PROCESSES
            and not notes[FILLED]
            and one_runs(tick, stretch - tick, table, runnable, space)
        ):
            tick = stretch
        elif (
            stretch == until
            and not notes[FILLED]
            and is_due(notes)
            and classes_run(tick, until - tick, cpus, table, runnable, space)
        ):
            notes[FAILED], tick = 0, until
        else:
            tick, stops = some_run(tick, stretch, second, cpus, table, runnable, space)
        for row in space.stopped[:stops]:
            ended |= stop(tick - 1, np.int64(row), table, ran, cost, space)
    if notes[FILLED] and tick % second == 0:
        table.levels[LEVEL] = run_queue.level_reached(space) * (1.0 + run_queue.MARGIN)
    settle_all(table, space)
    return tick, ended


def table_of(columns: Columns) -> Table:
    """Return a copy of the processes in the form of the fast engine."""
    n = len(columns.state)
    whole = np.zeros((14, n), np.int64)
    for row, name in enumerate(WHOLE):
        whole[row] = getattr(columns, name)
    real = np.array([getattr(columns, name) for name in REAL], np.float64)
    notes = np.zeros(11, np.int64)
    notes[STALE] = 1
    rows = np.zeros((3, n + 1), np.uint32)
    return Table(whole, real, columns.stream, rows[0], rows[1], rows[2], notes, np.zeros(1))


def take_back(table: Table, columns: Columns) -> None:
    """Write the engine's changes back into the columns."""
    for name in CHANGED_COLUMNS:
        getattr(columns, name)[:] = table.whole[WHOLE.index(name)]
