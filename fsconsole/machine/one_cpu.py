"""One processor and a few processes: a stretch computed from each process's number of ticks.

With one processor the values of all processes (see `run_queue.water_level`) come in ascending order, one a
tick. So the tick of a process's last value is the number of values before it. The run queue handles a tie
that the end cuts.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from fsconsole.machine.run_queue import water_level
from fsconsole.machine.tick_kernel import NEVER
from fsconsole.policies.compiled import compiled

# The last ticks take a step for each pair of processes, so with more the general way is faster.
MOST_PROCESSES = 12
_MOST_CORRECTIONS = 24


@compiled
def share_out(ticks, level, runnable, priority, increment, part):  # type: ignore[no-untyped-def]
    """Fill `part` with the ticks that each process gets; return whether few corrections sufficed."""
    level = int(water_level(level, ticks + 0.0, ticks, runnable, priority, increment)) + 1
    total = 0
    for row in runnable:
        depth = level - 1 - priority[row]
        part[row] = depth // increment[row] + 1 if depth >= 0 else 0
        total += part[row]
    if abs(total - ticks) > _MOST_CORRECTIONS:
        return False
    while total != ticks:
        sign, best, value = (1 if total < ticks else -1), -1, NEVER
        for row in runnable:
            # These are the next value or the last one, the highest first.
            mine = priority[row] + (part[row] if sign > 0 else part[row] - 1) * increment[row]
            if (sign > 0 or part[row] > 0) and sign * mine < value:
                best, value = row, sign * mine
        part[best] += sign
        total += sign
    return True


@compiled
def comes_first(one, its, other, others, last_run, increment):  # type: ignore[no-untyped-def]
    """Return True if a value of one process comes before an equal one of another; `its`, `others` precede.

    The last run decides: that before the stretch if it has none in it, otherwise that of the value before,
    which is the lower the larger the increment is.
    """
    if its > 0 and others > 0 and increment[one] != increment[other]:
        return increment[one] > increment[other]
    if its != others:
        return its < others
    return last_run[one] < last_run[other] or (last_run[one] == last_run[other] and one < other)


@compiled
def last_ticks(tick, runnable, priority, last_run, increment, part, last):  # type: ignore[no-untyped-def]
    """Fill `last` with the tick of each process's last value; return whether the end cuts no tie."""
    highest, following = -1, NEVER
    for row in runnable:
        following = min(following, priority[row] + part[row] * increment[row])
        if part[row] == 0:
            continue
        its = part[row] - 1
        value = priority[row] + its * increment[row]
        highest = max(highest, value)
        smaller = its
        for other in runnable:
            depth = value - priority[other]
            if other == row or depth < 0:
                continue
            before = depth // increment[other]
            is_tie = depth == before * increment[other]
            if not is_tie or comes_first(other, before, row, its, last_run, increment):
                before += 1
            smaller += before
        last[row] = tick + smaller
    return highest < following
