"""The run queue: who runs next, in a time that does not grow with the number of processes.

A calendar queue (Brown 1988): the processes whose priority is below a level that the second will hardly
reach lie in buckets of equal width, about one a bucket. The first that is not empty is open: sorted by
(priority, last run, row). Who has run goes to the bucket of its new priority. Those above the
level need not be looked at until the buckets are used up, and then the level is found anew.

Nothing overflows: priorities stay at or below `kernel.LARGEST_PRIORITY` and the level below 1.5 times that.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.kernel import LARGEST_PRIORITY
from fsconsole.policies.compiled import compiled

_MOST_BUCKETS = 1 << 16
_NEAR = 0.2
_FEW = 64  # so many are sorted by insertion
_NOBODY = np.uint32(0xFFFFFFFF)
_HIGHEST = np.int64(2**62 + 2**61)
# Of `Space.mark`: the open bucket and where it begins in `order`, the priority where the first bucket begins,
# their width as a power of two, and how many there are.
FRONT, BEGIN, LOWEST, SHIFT, BUCKETS = range(5)


class Space(NamedTuple):
    """Room to work in, made once a span; what is in it counts until the second's end.

    Attributes:
        head, following: first process of each bucket, and the one after each process.
        chosen, stopped: rows that run in a tick, and those whose last one it was.
        order, height, turn: the open bucket in order, at the end: rows, priorities, ticks of the last run.
        ticks: how many ran in each tick of the last second, or where they go.
        mark: what is remembered of the queue between two stretches.
        part, last: for `one_cpu`: ticks that each process gets, and the last of them.
    """

    head: NDArray[np.uint32]
    following: NDArray[np.uint32]
    chosen: NDArray[np.uint32]
    stopped: NDArray[np.uint32]
    order: NDArray[np.uint32]
    height: NDArray[np.int64]
    turn: NDArray[np.int64]
    ticks: NDArray[np.int64]
    mark: NDArray[np.int64]
    part: NDArray[np.int64]
    last: NDArray[np.int64]


def space_for(processes: int, ticks: int, cpus: int) -> Space:
    """Room for stretches of up to `ticks`."""
    buckets = max(16, min(2 * ticks * cpus, _MOST_BUCKETS))
    small = np.zeros((4, processes + cpus + 2), np.uint32)
    large = np.zeros((4, processes + cpus + 2), np.int64)
    return Space(
        np.zeros(buckets + 1, np.uint32),
        small[0],
        small[1],
        small[2],
        small[3],
        large[0],
        large[1],
        np.zeros(ticks + 1, np.int64),
        np.zeros(5, np.int64),
        large[2],
        large[3],
    )


@compiled
def water_level(level, need, ticks, runnable, priority, increment):  # type: ignore[no-untyped-def]
    """Where about `need` values lie below, up to `ticks` of each process: as water fills a valley.

    The values of a process are the priorities that it would run at: p, p + increment, ... It has (level -
    priority) / increment of them below a level, and half a one more on average.
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
    """Move those that ran lately to the end, in the order of their ticks: ties then need little sorting."""
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
def fill(level, runnable, priority, space):  # type: ignore[no-untyped-def]
    """Put all processes up to a level into buckets; returns how many there are."""
    head, order, mark = space.head, space.order, space.mark
    lowest = _HIGHEST
    for row in runnable:
        lowest = min(lowest, priority[row])
    width = np.int64(min(level, _HIGHEST)) - lowest
    if width < 0:
        width = np.int64(0)
    shift = np.int64(0)
    while width >> shift >= len(head) - 1:
        shift += 1
    buckets = (width >> shift) + 1
    for place in range(buckets):
        head[place] = _NOBODY
    head[buckets] = 0
    top, found = lowest + (buckets << shift), np.uint64(0)
    for row in runnable:
        order[found] = row
        found += np.uint64(priority[row] < top)
    for row in order[:found]:
        into = np.uint64((priority[row] - lowest) >> shift)
        space.following[row] = head[into]
        head[into] = row
    mark[FRONT], mark[BEGIN], mark[LOWEST] = -1, len(order), lowest
    mark[SHIFT], mark[BUCKETS] = shift, buckets
    return np.int64(found)


@compiled
def sort(begin, order, height, turn):  # type: ignore[no-untyped-def]
    """Sort from `begin` on by height, turn and row: few by insertion, more by Shell's method first."""
    count, gap = len(order) - begin, 1
    while 9 * gap < count and count > _FEW:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(begin + gap, len(order)):
            mine, high, its = order[at], height[at], turn[at]
            to = at - gap
            while to >= begin and (
                height[to] > high
                or (height[to] == high and (turn[to] > its or (turn[to] == its and order[to] > mine)))
            ):
                order[to + gap], height[to + gap], turn[to + gap] = order[to], height[to], turn[to]
                to -= gap
            order[to + gap], height[to + gap], turn[to + gap] = mine, high, its
        gap //= 3


@compiled
def open_bucket(row, priority, last_run, space):  # type: ignore[no-untyped-def]
    """Put a bucket, of which `row` is the first, in order; returns where it begins in `order`."""
    order, height, turn, following = space.order, space.height, space.turn, space.following
    begin = len(order)
    while row != _NOBODY:  # who came last stands first in a bucket
        begin -= 1
        order[begin], height[begin], turn[begin] = row, priority[row], last_run[row]
        row = following[row]
    if begin < len(order) - 1:
        sort(begin, order, height, turn)
    return begin


@compiled
def insert(row, begin, mine, ran, space):  # type: ignore[no-untyped-def]
    """Put a process into the open bucket, which begins one place earlier then."""
    order, height, turn = space.order, space.height, space.turn
    to = begin
    while to < len(order) and (
        height[to] < mine
        or (height[to] == mine and (turn[to] < ran or (turn[to] == ran and order[to] < row)))
    ):
        order[to - 1], height[to - 1], turn[to - 1] = order[to], height[to], turn[to]
        to += 1
    order[to - 1], height[to - 1], turn[to - 1] = row, mine, ran


@compiled
def enter(row, priority, last_run, space):  # type: ignore[no-untyped-def]
    """Take a process that woke into the queue; what is below all buckets belongs to the open one."""
    mark = space.mark
    place = (priority[row] - mark[LOWEST]) >> mark[SHIFT]
    if place <= mark[FRONT]:
        insert(row, mark[BEGIN], priority[row], last_run[row], space)
        mark[BEGIN] -= 1
    elif place < mark[BUCKETS]:
        space.following[row] = space.head[place]
        space.head[place] = row


@compiled
def run_ticks(tick, until, cpus, priority, last_run, increment, done, left, space):  # type: ignore[no-untyped-def]
    """Run ticks to `until`, to where somebody stops, or to where the buckets are used up.

    Returns (next tick, how many stop, whether the buckets are used up).
    """
    head, following, order, chosen, mark = space.head, space.following, space.order, space.chosen, space.mark
    front, begin, end = mark[FRONT], mark[BEGIN], len(space.order)
    lowest, shift, buckets = mark[LOWEST], mark[SHIFT], mark[BUCKETS]
    stops, used_up = 0, False
    while tick < until and stops == 0:
        count = 0
        while count < cpus:
            if begin == end:
                front += 1
                while head[np.uint64(front)] == _NOBODY:
                    front += 1
                if front == buckets:
                    used_up = True
                    break
                begin = open_bucket(head[np.uint64(front)], priority, last_run, space)
            chosen[np.uint64(count)] = order[np.uint64(begin)]
            begin += 1
            count += 1
        if used_up:
            break
        for row in chosen[:cpus]:
            mine = priority[row] + increment[row]
            priority[row] = mine
            last_run[row] = tick
            done[row] += 1
            left[row] -= 1
            place = (mine - lowest) >> shift
            if left[row] <= 0:
                space.stopped[stops] = row
                stops += 1
            elif place <= front:
                insert(row, begin, mine, tick, space)
                begin -= 1
            elif place < buckets:
                following[row] = head[np.uint64(place)]
                head[np.uint64(place)] = row
        tick += 1
    mark[FRONT], mark[BEGIN] = front, begin
    return tick, stops, used_up


@compiled
def level_reached(space):  # type: ignore[no-untyped-def]
    """The priority up to which the queue has been emptied, about."""
    mark = space.mark
    return float(mark[LOWEST] + ((mark[FRONT] + 1) << mark[SHIFT]))
