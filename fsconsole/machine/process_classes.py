"""Whole seconds by classes of equal processes, if none stops or wakes.

The values of a process are the priorities that it would run at (see `run_queue`). A class has processes of
equal priority and increment, adjacent in `Space.alike`: all have the same values. So one entry in the queue
serves for each value of a class, and the ticks of its processes are written once, at the end.

This is the plain loop's schedule as long as no process has two values in one tick. Then the processes that a
tick takes, the lowest by priority, last run and row, are those of the next values in ascending order: by
induction, the current value of each process is its lowest that was not taken. Only where equal values do not
end with the tick does their order matter: those processes are sorted by last run and row, which both are
known by then. Where a process comes up twice in a tick, or might stop, nothing is changed, and the run queue
takes over.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import numpy as np

from fsconsole.machine import run_queue
from fsconsole.policies.compiled import compiled

# `Space.classes` has these rows. Of each class: it has the places from its bound to before the next one;
# priority and increment of its processes; how often each has run in this stretch; the latest tick of that;
# whether they ran last in different ticks. Of each process: its last run in that case, by row. Of processes
# of equal value: their rows and last runs.
BOUNDS, PRIORITY, INCREMENT, TIMES, SEEN, APART, LAST, TIED, TIED_LAST = range(9)
# They replace the queue's position: the schedule is uncertain, or the level was too low.
_UNCERTAIN, LOW = np.uint64(0), np.uint64(1)
_1 = np.uint64(1)
_MOST_MOVES = 16  # If tied processes need more moves each, the run queue takes over.


@compiled
def bring_together(runnable, alike, priority, increment):  # type: ignore[no-untyped-def]
    """Sort by increment, priority and row (Shell's way), so that equal processes are adjacent."""
    gap = 1
    for at in range(len(runnable)):
        alike[at] = runnable[at]
    while 3 * gap < len(alike):
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, len(alike)):
            its, to = alike[at], at
            mine, step = priority[its], increment[its]
            while to >= gap:
                other = alike[to - gap]
                if increment[other] != step:
                    if increment[other] < step:
                        break
                elif priority[other] < mine or (priority[other] == mine and other < its):
                    break
                alike[to] = other
                to -= gap
            alike[to] = its
        gap //= 3


@compiled
def find(alike, priority, increment, classes):  # type: ignore[no-untyped-def]
    """Find the classes and return their number."""
    bounds, its_priority, its_increment = classes[BOUNDS], classes[PRIORITY], classes[INCREMENT]
    found, before, step_before = np.uint64(0), -1, -1
    for place in range(len(alike)):
        row = alike[place]
        mine, step = priority[row], increment[row]
        its_priority[found], its_increment[found] = mine, step
        found += np.uint64((mine != before) | (step != step_before))
        bounds[found] = place + 1
        before, step_before = mine, step
    return np.int64(found)


@compiled
def end_of_tie(at, end, value):  # type: ignore[no-untyped-def]
    """Return the end of the values that equal the one at `at`."""
    to = at + _1
    while to < end and value[to] == value[at]:
        to += _1
    return to


@compiled
def line_up_tied(begin, end, count, alike, last_run, who, classes):  # type: ignore[no-untyped-def]
    """List the processes of tied classes by last run and row, and return their number.

    None if that takes many moves, or if not all values of one of the classes are in the queue.
    """
    bounds, tied, tied_last = classes[BOUNDS], classes[TIED], classes[TIED_LAST]
    listed, moves = np.uint64(0), np.int64(0)
    for at in range(begin, end):
        one = who[at]
        if one >= count or moves > _MOST_MOVES * np.int64(listed):
            return 0
        for place in range(bounds[one], bounds[one + _1]):
            row = np.int64(alike[place])
            if classes[APART, one]:
                last = classes[LAST, row]
            else:
                last = classes[SEEN, one] if classes[TIMES, one] else last_run[row]
            to = listed
            while to > 0 and (
                tied_last[to - _1] > last or (tied_last[to - _1] == last and tied[to - _1] > row)
            ):
                tied[to], tied_last[to] = tied[to - _1], tied_last[to - _1]
                to -= _1
            tied[to], tied_last[to] = row, last
            moves += np.int64(listed - to)
            listed += _1
    return np.int64(listed)


@compiled
def run_tied(now, room, left, cpus, many, classes):  # type: ignore[no-untyped-def]
    """Run the tied processes in their order while there are ticks; return (tick, its room, ticks left).

    The room is 0 if a process comes up twice in a tick.
    """
    tied, tied_last, last = classes[TIED], classes[TIED_LAST], classes[LAST]
    for at in range(many):
        row = tied[at]
        if left == 0:
            last[row] = tied_last[at]
            continue
        if tied_last[at] == now:
            return now, np.int64(0), left
        last[row] = now
        left -= 1
        room -= 1
        if room == 0:
            now += 1
            room = cpus
    return now, room, left


@compiled
def run_through(tick, need, cpus, count, alike, last_run, space):  # type: ignore[no-untyped-def]
    """Run the queue of `count` classes for `need` ticks of processors.

    Returns (final position, number of processes tied at the end, number of those that ran).
    """
    value, who, end, classes = space.value, space.who, np.uint64(len(space.value)), space.classes
    bounds, times, seen, apart = classes[BOUNDS], classes[TIMES], classes[SEEN], classes[APART]
    at, now, room, left = np.uint64(space.mark[run_queue.BEGIN]), tick, cpus, need
    times[:count], seen[:count], apart[:count] = 0, -1, 0
    while True:
        one = who[at] if at < end else np.uint32(count)
        if one >= count:  # No class is left below the level, or one with very many values comes.
            return LOW if at == end else _UNCERTAIN, 0, 0
        to, many = at + _1, bounds[one + _1] - bounds[one]
        if many <= room and (to == end or value[to] != value[at]):
            if seen[one] == now:
                return _UNCERTAIN, 0, 0
            times[one] += 1
            seen[one], apart[one] = now, 0
            left -= many
            room -= many
            if left == 0:
                return to, 0, 0
            if room == 0:
                now += 1
                room = cpus
        else:
            to, before = end_of_tie(at, end, value), left
            many = line_up_tied(at, to, count, alike, last_run, who, classes)
            now, room, left = run_tied(now, room, left, cpus, many, classes)
            if many == 0 or room == 0:
                return _UNCERTAIN, 0, 0
            for which in range(at, to):
                one = who[which]
                times[one] += 1
                seen[one], apart[one] = now - (room == cpus), 1
            if left == 0:
                return to, many, before
        at = to


@compiled
def schedule(tick, ticks, cpus, level, count, alike, priority, increment, last_run, space):  # type: ignore[no-untyped-def]
    """Compute the schedule from the level that the last second reached; return as `run_through`."""
    own, each, need = space.classes, space.each[:count], ticks * cpus
    found = LOW, 0, 0
    for is_again in range(2):
        if is_again:
            level = run_queue.water_level(
                level, run_queue.more_than(need, cpus), ticks, alike, priority, increment
            )
        run_queue.fill(level, need, ticks, each, own[PRIORITY], own[INCREMENT], space)
        found = run_through(tick, need, cpus, count, alike, last_run, space)
        if found[0] != LOW:
            break
    return found


@compiled
def may_stop(count, alike, left, classes):  # type: ignore[no-untyped-def]
    """Return True if a process ran up to its end or over it; `left` has their remaining ticks."""
    bounds, times = classes[BOUNDS], classes[TIMES]
    for one in range(count):
        for place in range(bounds[one], bounds[one + 1]):
            if left[alike[place]] <= times[one]:
                return True
    return False


@compiled
def write_down(count, alike, priority, last_run, done, left, classes):  # type: ignore[no-untyped-def]
    """Write the ticks of all processes into their columns."""
    bounds, last = classes[BOUNDS], classes[LAST]
    for one in range(count):
        times, seen, apart = classes[TIMES, one], classes[SEEN, one], classes[APART, one]
        more = times * classes[INCREMENT, one]
        if times > 0:
            for place in range(bounds[one], bounds[one + 1]):
                row = alike[place]
                priority[row] += more
                done[row] += times
                left[row] -= times
                last_run[row] = last[row] if apart else seen


@compiled
def part(at, tied, ran, alike, priority, increment, done, left, space):  # type: ignore[no-untyped-def]
    """Write that some tied processes did not run at the end; separate them from their class."""
    value, classes, which = space.value, space.classes, at - _1
    for row in classes[TIED, ran:tied]:
        priority[row] -= increment[row]
        done[row] -= 1
        left[row] += 1
    while which >= np.uint64(space.mark[run_queue.BEGIN]) and value[which] == value[at - _1]:
        one = np.uint64(space.who[which])
        most = classes[PRIORITY, one] + classes[TIMES, one] * classes[INCREMENT, one]
        front = classes[BOUNDS, one]
        for place in range(front, classes[BOUNDS, one + _1]):
            row = alike[place]
            if priority[row] != most:
                alike[place], alike[front] = alike[front], row
                front += 1
        which -= _1
