"""The run queue: the next processes to run, found in a time that hardly depends on their number.

The values of a process are the priorities that it would run at: p, p + increment, ... Without events, the
CPUs take the values of all processes in ascending order. So one bucket sort serves for a whole second: of all
values up to a level that the second will hardly reach. A process whose value comes up twice in a tick waits
for the next one. Processes with many values below the level have only the lowest in the queue. Equal values
go by last run and row, which are known once the queue gets there.

Nothing overflows: priorities stay at or below `kernel.LARGEST_PRIORITY` and the level below 1.5 times that.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.tick_kernel import LARGEST_PRIORITY
from fsconsole.policies.compiled import compiled

_MOST_BUCKETS = 1 << 16
_FEW = 32  # A process with more than 1 / 32 of the needed values has one value in the queue at a time.
_NEAR = 0.2
MARGIN = 0.1  # A second may go this fraction further than the last one.
_HIGHEST = 2.0**62 + 2.0**61
# This flag in `who` marks that the next value is not in the queue yet.
_ONE = np.uint32(1 << 31)
_ROW = np.uint32((1 << 31) - 1)
# Places are unsigned, since numba would check each signed one for counting from the end.
_0, _1, _2, _3, _4 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
# `Space.dropped` is one of these if no value of a stopped process was dropped yet, or its only one, which was
# flagged.
_NONE, _FLAGGED = np.int64(-1), np.int64(-2)
# `Space.mark` has these entries: begin and end of the queue in `value`, its level, the place from which on
# ties are unsorted, the numbers that have run and that stop in an unfinished tick, the number of fills, and
# the number of rows in `order`.
BEGIN, END, LEVEL, SORTED, COUNT, STOPS, FILLS, ROWS = range(8)


class Space(NamedTuple):
    """Work space, created once for a span; its contents are valid until the second's end.

    Attributes:
        value, who: the queue in order: values and rows, of which some are flagged.
        loose_value, loose_who: the same before they are sorted, or held until the next tick.
        head: place of the next value of a bucket.
        order, stopped: rows of processes with values in the queue, and those whose last tick it was.
        ticks: number of processes in each tick of the last second, or their places.
        mark: state of the queue between two stretches.
        left_at, dropped: of each stopped process: number of fills then, and its last value that was dropped.
        part, last: for `one_cpu`: ticks that each process gets, and the last of them.
        classes, alike, each: for `process_classes`: see there; rows of all runnable processes; 0, 1, ...
    """

    value: NDArray[np.int64]
    who: NDArray[np.uint32]
    loose_value: NDArray[np.int64]
    loose_who: NDArray[np.uint32]
    head: NDArray[np.uint32]
    order: NDArray[np.uint32]
    stopped: NDArray[np.uint32]
    ticks: NDArray[np.int64]
    mark: NDArray[np.int64]
    left_at: NDArray[np.int64]
    dropped: NDArray[np.int64]
    part: NDArray[np.int64]
    last: NDArray[np.int64]
    classes: NDArray[np.int64]
    alike: NDArray[np.uint32]
    each: NDArray[np.uint32]


def space_for(processes: int, ticks: int, cpus: int) -> Space:
    """Return work space for stretches of up to `ticks`."""
    buckets = max(16, min(2 * ticks * cpus, _MOST_BUCKETS))
    room = 4 * processes + 2 * ticks * (cpus + 1) + 8
    value, who = np.zeros((2, room), np.int64), np.zeros((2, room), np.uint32)
    small = np.zeros((3, processes + cpus + 2), np.uint32)
    large = np.zeros((4, processes + cpus + 2), np.int64)
    return Space(
        value[0],
        who[0],
        value[1],
        who[1],
        np.zeros(buckets + 2, np.uint32),
        small[0],
        small[1],
        np.zeros(ticks + 1, np.int64),
        np.zeros(8, np.int64),
        large[0],
        large[1],
        large[2],
        large[3],
        np.zeros((9, processes + 2), np.int64),
        small[2],
        np.arange(processes, dtype=np.uint32),
    )


@compiled
def more_than(need, cpus):  # type: ignore[no-untyped-def]
    """Return the number of values to look for if so many are needed."""
    return (1.0 + MARGIN) * need + cpus


@compiled
def water_level(level, need, ticks, runnable, priority, increment):  # type: ignore[no-untyped-def]
    """Return a level with about `need` values below it, up to `ticks` of each process.

    It rises as water fills a valley. A process has (level - priority) / increment values below a level, and
    half a one more on average.
    """
    low, high = -1.0, 4.0 * LARGEST_PRIORITY
    for _ in range(60):
        slope, found = 0.0, 0.0
        lowest = high
        for row in runnable:
            depth = level - float(priority[row])
            if depth <= 0.0:
                lowest = min(lowest, -depth)
                continue
            part = 1.0 / increment[row]
            if depth * part >= ticks:
                found += ticks
            else:
                slope += part
                found += depth * part + 0.5
        if found < need:
            low = level
        else:
            high = level
        better = level + (need - found) / slope if slope > 0.0 else level + lowest + 1.0
        if abs(need - found) < _NEAR * need + 1.0 and slope > 0.0:
            return better
        if not low < better < high:
            better = 0.5 * (max(low, 0.0) + high) if high < 4.0 * LARGEST_PRIORITY else 2.0 * low + 1.0
        level = better
    return high


@compiled
def line_up(tick, runnable, last_run, space):  # type: ignore[no-untyped-def]
    """Move processes that ran lately to the end, by their ticks: ties then need little sorting."""
    order, ticks = space.order, space.ticks
    since = tick - (len(ticks) - 1)
    ticks[:] = 0
    others, moved = np.uint64(0), np.uint64(0)
    for row in runnable:
        ran = last_run[row] >= since
        runnable[others] = row
        order[moved] = row
        others += np.uint64(not ran)
        moved += np.uint64(ran)
    for row in order[:moved]:
        ticks[np.uint64(last_run[row] - since)] += 1
    place = np.int64(others)
    for at in range(len(ticks)):
        count = ticks[at]
        ticks[at] = place
        place += count
    for row in order[:moved]:
        ran_at = np.uint64(last_run[row] - since)
        runnable[np.uint64(ticks[ran_at])] = row
        ticks[ran_at] += 1


@compiled
def spread(level, most, rows, priority, increment, space):  # type: ignore[no-untyped-def]
    """Write the values up to a level of the processes below it; return their number.

    Processes with more than `most`, and all when room gets short, have only their first one, flagged.
    """
    value, who = space.loose_value, space.loose_who
    found, room = np.uint64(0), np.int64(len(value)) - 4 * np.int64(len(rows)) - 4
    for row in rows:
        mine, step = priority[row], increment[row]
        value[found], who[found] = mine, row
        second, third, fourth = mine + step, mine + 2 * step, mine + 3 * step
        value[found + _1], who[found + _1] = second, row
        value[found + _2], who[found + _2] = third, row
        value[found + _3], who[found + _3] = fourth, row
        count = _1 + np.uint64(second <= level) + np.uint64(third <= level) + np.uint64(fourth <= level)
        if count == _4:
            more = (level - fourth) // step
            if more + 4 > most or np.int64(found) + more + 4 > room:
                who[found] = row | _ONE
                count, more = _1, 0
            for _ in range(more):
                fourth += step
                value[found + count], who[found + count] = fourth, row
                count += _1
        found += count
    return found


@compiled
def mend(begin, end, value, who):  # type: ignore[no-untyped-def]
    """Sort by insertion values that are in order except within buckets."""
    before = value[begin]
    for at in range(begin + _1, end):
        mine = value[at]
        if before > mine:
            its, to = who[at], np.uint64(at)
            while to > begin and value[to - _1] > mine:
                value[to], who[to] = value[to - _1], who[to - _1]
                to -= _1
            value[to], who[to] = mine, its
        else:
            before = mine


@compiled
def sort(count, low, level, space):  # type: ignore[no-untyped-def]
    """Sort the loose values into the end of the queue's room; equal ones keep their order."""
    value, who, head = space.value, space.who, space.head
    loose_value, loose_who = space.loose_value, space.loose_who
    shift, most = np.int64(0), min(np.int64(len(head)) - 2, 2 * np.int64(count) + 16)
    while (level - low) >> shift >= most:
        shift += 1
    buckets = np.uint64((level - low) >> shift) + _1
    head[: buckets + _1] = 0
    for at in range(count):
        head[np.uint64((loose_value[at] - low) >> shift) + _1] += np.uint32(1)
    end = np.uint64(len(value))
    begin = end - count
    place = np.uint32(begin)
    for at in range(buckets):
        place += head[at]
        head[at] = place
    for at in range(count):
        into = np.uint64((loose_value[at] - low) >> shift)
        to = np.uint64(head[into])
        value[to], who[to] = loose_value[at], loose_who[at]
        head[into] += np.uint32(1)
    mend(begin, end, value, who)
    return begin


@compiled
def fill(level, need, ticks, runnable, priority, increment, space):  # type: ignore[no-untyped-def]
    """Fill the queue with all values up to a level, for `need` of them in so many ticks.

    Returns the number of processes with values.
    """
    order, mark = space.order, space.mark
    most = min(need // _FEW, ticks // 2)
    level = np.int64(min(level, _HIGHEST))
    found, low = np.uint64(0), level
    for row in runnable:
        mine = priority[row]
        order[found] = row
        found += np.uint64(mine <= level)
        low = min(low, mine)
    count = spread(level, most, order[:found], priority, increment, space)
    mark[BEGIN] = mark[SORTED] = sort(count, low, level, space)
    mark[END], mark[LEVEL] = len(space.value), level
    mark[FILLS] += 1
    mark[ROWS] = found
    return np.int64(found)


@compiled
def sort_ties(begin, end, last_run, value, who):  # type: ignore[no-untyped-def]
    """Sort the values that equal the one at `begin` by last run and row; return their end."""
    mine, before = value[begin], who[begin] & _ROW
    latest, at = last_run[before], begin + _1
    while at < end and value[at] == mine:
        its = who[at]
        row = its & _ROW
        ran = last_run[row]
        if ran > latest or (ran == latest and row > before):
            latest, before = ran, row
        else:
            to = at
            while to > begin:
                other = who[to - _1] & _ROW
                if last_run[other] < ran or (last_run[other] == ran and other < row):
                    break
                who[to] = who[to - _1]
                to -= _1
            who[to] = its
        at += _1
    return at


@compiled
def insert(its, mine, begin, end, value, who):  # type: ignore[no-untyped-def]
    """Insert a value into the queue, which then begins one place earlier."""
    to = begin
    while to < end and value[to] < mine:
        value[to - _1], who[to - _1] = value[to], who[to]
        to += _1
    value[to - _1], who[to - _1] = mine, its


@compiled
def leave(row, space):  # type: ignore[no-untyped-def]
    """Note that a process stops: its values stay in the queue, and are dropped when they come up."""
    space.left_at[row], space.dropped[row] = space.mark[FILLS], _NONE


@compiled
def enter(row, priority, increment, space):  # type: ignore[no-untyped-def]
    """Add the missing values of a process that woke to the queue; return False without room for them."""
    mark, value, who = space.mark, space.value, space.who
    mine, last = priority[row], space.dropped[row]
    is_back = space.left_at[row] == mark[FILLS]
    if mine > mark[LEVEL] or (is_back and last == _NONE):
        return True
    flag = np.uint32(0) if is_back and last != _FLAGGED else _ONE
    if flag:
        last = mine
    if (last - mine) // increment[row] >= mark[BEGIN] or mark[ROWS] == len(space.order):
        return False
    space.order[mark[ROWS]] = row
    mark[ROWS] += 1
    while last >= mine:
        insert(np.uint32(row) | flag, last, np.uint64(mark[BEGIN]), np.uint64(mark[END]), value, who)
        mark[BEGIN] -= 1
        last -= increment[row]
    mark[SORTED] = mark[BEGIN]
    return True


@compiled
def run_ticks(tick, until, cpus, last_run, left, increment, space):  # type: ignore[no-untyped-def]
    """Run ticks to `until`, to the first stop of a process, or to the end of the queue.

    Returns (next tick, whether the queue is used up). A tick in which it is used up is continued later.
    """
    value, who, held_value, held_who = space.value, space.who, space.loose_value, space.loose_who
    stopped, dropped, mark = space.stopped, space.dropped, space.mark
    at, end, in_order = np.uint64(mark[BEGIN]), np.uint64(mark[END]), np.uint64(mark[SORTED])
    count, stops, level = mark[COUNT], np.uint64(mark[STOPS]), mark[LEVEL]
    while tick < until and (stops == _0 or count > 0):
        held = _0
        while count < cpus and at < end:
            if at >= in_order:
                in_order = at + _1
                if in_order < end and value[in_order] == value[at]:
                    in_order = sort_ties(at, end, last_run, value, who)
            its = who[at]
            row = its & _ROW
            at += _1
            if last_run[row] == tick:
                held_value[held], held_who[held] = value[at - _1], its
                held += _1
                continue
            rest = left[row] - 1
            if rest <= 0:
                if rest < 0:
                    dropped[row] = value[at - _1] if its == row else _FLAGGED
                    continue
                stopped[stops] = row
                stops += _1
            last_run[row], left[row] = tick, rest
            count += 1
            if its != row and value[at - _1] + increment[row] <= level:
                insert(its, value[at - _1] + increment[row], at, end, value, who)
                at -= _1
                in_order = at
        if held > _0:
            while held > _0:
                held -= _1
                at -= _1
                value[at], who[at] = held_value[held], held_who[held]
            in_order = at
        if count < cpus:
            break
        tick += 1
        count = 0
    mark[BEGIN], mark[SORTED], mark[COUNT], mark[STOPS] = at, in_order, count, stops
    return tick, count > 0 or (at == end and tick < until and stops == _0)


@compiled
def level_reached(space):  # type: ignore[no-untyped-def]
    """Return about the priority up to which the queue has been emptied."""
    mark = space.mark
    return float(space.value[mark[BEGIN]] if mark[BEGIN] < mark[END] else mark[LEVEL])
