"""A whole event-free stretch of ticks at once: who runs in which tick, without going through the ticks.

Each process would run at the priorities p, p + inc, p + 2 inc, ...: its values. The processors take all
values in ascending order, `cpus` a tick, but never two of one process in one tick. So only the values below
some level are needed (a good first guess, few corrections, integers throughout), and of their order only
what a tick's end cuts: buckets of equal width give it in a time that is proportional to their number.

Laws: ties go by (last run, row), the last run being the tick of the process's value before; a value comes at
the earliest a tick after the one before it. Where the second law is broken by the plain order, the values
are sorted in full and each is put into the first tick that is not full and that it may come in. This is the
same schedule as tick by tick, because a value's tick depends on values that stand before it alone.

Nothing overflows: levels stay at or below `kernel.LARGEST_PRIORITY`, so that a value that is formed beyond
one exceeds it by an increment at most; products k * inc are never formed for k above the stretch's ticks.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.kernel import LARGEST_PRIORITY
from fsconsole.policies.compiled import compiled

# CPU ticks that are worked out at once; more only cost memory.
MOST_AT_ONCE = 1 << 16
_HIGHEST = np.int64(LARGEST_PRIORITY)
_MARGIN = 0.02
_NEAR = 0.2
_ROWS = 1 << 24  # more processes there cannot be
_FEW = 12  # so many are sorted by insertion


class Space(NamedTuple):
    """Room to work in, made once a span; what is in it counts for one stretch only.

    Attributes:
        value, row, before, bucket, tick: the values below the level, whose they are, which one comes before
            (-1 for a process's first), where they are sorted in, and in which tick of the stretch they run.
        order: values in the order that was needed.
        height, turn: values in that order, and what decides between equal ones: last run, then row.
        size, first: values in each bucket, and the tick of all of them, or where they begin.
        start: where the values of a cut bucket begin.
        filled: processors taken in each tick.
        rounds: where the first, second, ... values of all processes begin.
    """

    value: NDArray[np.int64]
    row: NDArray[np.int32]
    before: NDArray[np.int32]
    bucket: NDArray[np.int32]
    tick: NDArray[np.int32]
    order: NDArray[np.int32]
    height: NDArray[np.int64]
    turn: NDArray[np.int64]
    size: NDArray[np.int32]
    first: NDArray[np.int32]
    start: NDArray[np.int32]
    filled: NDArray[np.int32]
    rounds: NDArray[np.int64]


@compiled
def most_ticks(ticks, cpus):  # type: ignore[no-untyped-def]
    """How many of the ticks to work out at once."""
    return max(1, min(ticks, MOST_AT_ONCE // cpus))


def space_for(processes: int, ticks: int, cpus: int) -> Space:
    """Room for stretches of up to `ticks`: twice what is needed, so that a level is found soon."""
    at_once = max(1, min(ticks, MOST_AT_ONCE // cpus))
    room = 2 * (at_once * cpus + processes) + 64
    small = np.empty((5, room), np.int32)
    return Space(
        np.empty(room, np.int64),
        small[0],
        small[1],
        small[2],
        small[3],
        small[4],
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(room + 2, np.int32),
        np.empty(room + 2, np.int32),
        np.empty(room + 2, np.int32),
        np.empty(ticks + 1, np.int32),
        np.empty(ticks + 2, np.int64),
    )


@compiled
def water_level(level, need, ticks, runnable, priority, increment):  # type: ignore[no-untyped-def]
    """Where about `need` values lie below, up to `ticks` of each process: as water fills a valley.

    A process has (level - priority) / increment values below a level, and half a one more on average.
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
def values_below(level, ticks, runnable, priority, increment, space):  # type: ignore[no-untyped-def]
    """Put down all values below the level, of each process the first ones first, `ticks` at most.

    Returns (how many, -1 where there is no room; rounds; the lowest value).
    """
    value, rows, before = space.value, space.row, space.before
    found, lowest = 0, _HIGHEST
    for row in runnable:
        mine = priority[row]
        value[found], rows[found], before[found] = mine, row, -1
        lowest = min(lowest, mine)
        found += mine < level
    rounds, begin = 1, 0
    space.rounds[0], space.rounds[1] = 0, found
    while begin < found and rounds < ticks:
        end = found
        if 2 * end - begin > len(value) - 1:
            return -1, rounds, lowest
        for at in range(begin, end):
            row = rows[at]
            mine = value[at] + increment[row]
            value[found], rows[found], before[found] = mine, row, at
            found += mine < level
        begin = end
        rounds += 1
        space.rounds[rounds] = found
    return found, rounds, lowest


@compiled
def put_into_buckets(found, lowest, level, space):  # type: ignore[no-untyped-def]
    """Sort the values roughly: as many buckets of equal width as there are values. Returns that many."""
    scale = found / float(level - lowest)
    value, bucket, size = space.value, space.bucket, space.size
    for at in range(found):
        place = np.int32(float(value[at] - lowest) * scale)
        bucket[at] = place
        size[place] += 1
    return found + 1


@compiled
def sort(order, begin, end, height, turn):  # type: ignore[no-untyped-def]
    """Sort a part of the order by height, then turn; few by insertion, more by Shell's method."""
    gap = 1
    while 9 * gap < end - begin and end - begin > _FEW:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(begin + gap, end):
            high, its, mine = height[at], turn[at], order[at]
            place = at - gap
            while place >= begin and (height[place] > high or (height[place] == high and turn[place] > its)):
                height[place + gap], turn[place + gap] = height[place], turn[place]
                order[place + gap] = order[place]
                place -= gap
            height[place + gap], turn[place + gap], order[place + gap] = high, its, mine
        gap //= 3


@compiled
def cut_by_ticks(buckets, ticks, cpus, space):  # type: ignore[no-untyped-def]
    """The tick of each bucket's values, or -1 - n for the n-th bucket that a tick's end cuts; how many.

    `filled` gets the place in the order of a cut bucket's first value, `start` where it begins in `order`.
    Empties the counts.
    """
    position, now, edge, cuts, room = 0, 0, cpus, 0, 0
    count, first = space.size, space.first
    for place in range(buckets):
        size = count[place]
        count[place] = 0
        end = position + size
        if end <= edge or now >= ticks:
            first[place] = now
        elif position == edge and end <= edge + cpus:
            now += 1
            edge += cpus
            first[place] = now
        else:
            first[place] = -1 - cuts
            space.filled[cuts] = position
            space.start[cuts] = room
            room += size
            cuts += 1
            now = end // cpus
            edge = (now + 1) * cpus
        position = end
    return cuts


@compiled
def plain_order(found, buckets, tick, ticks, cpus, last_run, space):  # type: ignore[no-untyped-def]
    """Give each value its tick by its place in ascending order alone; whether that breaks no law."""
    cuts = cut_by_ticks(buckets, ticks, cpus, space)
    bucket, first, start, order = space.bucket, space.first, space.start, space.order
    before, now_of, value, row = space.before, space.tick, space.value, space.row
    height, turn = space.height, space.turn
    for at in range(found):
        now = first[bucket[at]]
        now_of[at] = now
        if now < 0:
            order[start[-1 - now]] = at
            start[-1 - now] += 1
    begin = np.int64(0)
    for cut in range(cuts):
        end = np.int64(start[cut])
        for place in range(begin, end):
            at = order[place]
            mine = before[at]
            if mine >= 0 and bucket[mine] == bucket[at]:
                return False
            ran = tick + now_of[mine] if mine >= 0 else last_run[row[at]]
            height[place], turn[place] = value[at], ran * _ROWS + row[at]
        sort(order, begin, end, height, turn)
        position = space.filled[cut]
        for place in range(begin, end):
            now_of[order[place]] = min(position // cpus, ticks)
            position += 1
        begin = end
    broken = False
    for at in range(space.rounds[1], found):
        now = now_of[at]
        broken |= (now_of[before[at]] >= now) & (now < ticks)
    return not broken


@compiled
def sort_into_buckets(found, buckets, space):  # type: ignore[no-untyped-def]
    """Put the values in the order of their buckets; `start` is then where each one ends."""
    bucket, count, start, order = space.bucket, space.size, space.start, space.order
    for at in range(found):
        count[bucket[at]] += 1
    position = 0
    for place in range(buckets):
        start[place] = position
        position += count[place]
        count[place] = 0
    for at in range(found):
        place = bucket[at]
        order[start[place]] = at
        start[place] += 1


@compiled
def full_order(found, buckets, tick, ticks, cpus, last_run, space):  # type: ignore[no-untyped-def]
    """Give each value its tick one by one in ascending order; whether all ticks are full then."""
    sort_into_buckets(found, buckets, space)
    order, value, row, before, now_of = space.order, space.value, space.row, space.before, space.tick
    filled, height, turn = space.filled, space.height, space.turn
    for at in range(found):
        now_of[at] = ticks
    for now in range(ticks + 1):
        filled[now] = 0
    free, begin = 0, np.int64(0)
    for bucket in range(buckets):
        end = np.int64(space.start[bucket])
        for place in range(begin, end):
            height[place], turn[place] = value[order[place]], 0
        sort(order, begin, end, height, turn)
        while begin < end and free < ticks:
            alike = begin
            while alike < end and height[alike] == height[begin]:
                at = order[alike]
                ran = tick + now_of[before[at]] if before[at] >= 0 else last_run[row[at]]
                turn[alike] = ran * _ROWS + row[at]
                alike += 1
            sort(order, begin, alike, height, turn)
            for index in range(begin, alike):
                mine = before[order[index]]
                now = free if mine < 0 else max(free, now_of[mine] + 1)
                while now < ticks and filled[now] == cpus:
                    now += 1
                if now < ticks:
                    now_of[order[index]] = now
                    filled[now] += 1
                while free < ticks and filled[free] == cpus:
                    free += 1
            begin = alike
        begin = end
    return free == ticks


@compiled
def schedule(tick, ticks, cpus, guess, runnable, priority, last_run, increment, space):  # type: ignore[no-untyped-def]
    """Find out who runs when in `ticks` ticks from `tick` on; more processes than processors are runnable.

    `guess` is a level to try. Returns (values, rounds, level, points): what `space` holds then, `tick` being
    `ticks` for values that come later; the level that did; the points between two values.
    """
    need = ticks * cpus
    low, high = np.int64(-1), np.int64(-1)  # levels known to be too low and too high
    more = _MARGIN * need + math.sqrt(len(runnable))
    while True:
        water = water_level(guess, need + more, ticks, runnable, priority, increment)
        level = np.int64(min(max(water, 0.0), LARGEST_PRIORITY - 1024.0)) + 1
        if level <= low:
            level = low + 1 + low // 64
        if high >= 0 and level >= high:
            level = low + (high - low) // 2
        level = min(level, _HIGHEST)
        found, rounds, lowest = values_below(level, ticks, runnable, priority, increment, space)
        if found >= need:
            buckets = put_into_buckets(found, lowest, level, space)
            if plain_order(found, buckets, tick, ticks, cpus, last_run, space) or full_order(
                found, buckets, tick, ticks, cpus, last_run, space
            ):
                return found, rounds, float(level), float(level - lowest) / found
        if found < 0:
            high = level
        else:
            low = level
        guess, more = float(level), 2.0 * more + cpus
