"""Printed forms of equations that no policy has, in a simple simulation on the same three time scales.

A tick, a second and a delta as in Junglas section 3; one processor, one endless process a user, normal nice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

HZ = 60
DELTA_S = 4
DECAY = 0.988514 / 66 * (20 + 27)  # A priority decays by this factor each second, at the normal nice value.

# The decayed usage of each user in ticks, and the number of the delta, give each user's priority cost of a
# tick.
Increments = Callable[[Sequence[float], int], Sequence[float]]


def cpu_parts(increments: Increments, users: int, until_s: int, half_life_s: float) -> tuple[float, ...]:
    """Return fractions of the CPU in the second half of a run under a rule for increments."""
    ran = [0.0] * users
    for tick, user, _ in _ticks(increments, [0.0] * users, until_s, half_life_s):
        ran[user] += tick >= until_s * HZ // 2
    return tuple(value / sum(ran) for value in ran)


def evened_s(increments: Increments, alone_s: int, part: float) -> float:
    """Return the time at which the usages of two users differ by a fraction of their sum, without decay.

    One of them has computed alone for `alone_s` before.
    """
    for tick, _, usage in _ticks(increments, [float(alone_s * HZ), 0.0], 3600, math.inf):
        if abs(usage[0] - usage[1]) <= part * sum(usage):
            return tick / HZ
    return math.inf


def _ticks(
    increments: Increments, used: Sequence[float], until_s: int, half_life_s: float
) -> Iterator[tuple[int, int, Sequence[float]]]:
    """Yield each tick with the user who computes then, and the usages of the last delta."""
    usage = list(used)
    priority, cost = ([0.0] * len(usage) for _ in range(2))
    k1 = 0.5 ** (DELTA_S / half_life_s)
    step = increments(usage, 0)
    for tick in range(until_s * HZ):
        if tick % HZ == 0:
            priority = [DECAY * value for value in priority]
        if tick and tick % (DELTA_S * HZ) == 0:
            usage = [k1 * old + new for old, new in zip(usage, cost, strict=True)]
            cost = [0.0] * len(usage)
            step = increments(usage, tick // (DELTA_S * HZ))
        user = priority.index(min(priority))
        priority[user] += step[user]
        cost[user] += 1
        yield tick, user, usage


def usage_over_share(shares: Sequence[float]) -> Increments:
    """Return equation 2 with a single factor of share."""
    return lambda usage, _: [max(used, 1.0) / share for used, share in zip(usage, shares, strict=True)]


def redistributed(shares: Sequence[float], nu: float, power: int, every: int) -> Increments:
    """Return redistribution by equation 10 every `every` deltas, then a terminator of 1 / base^power."""
    base = list(shares)
    whole = DELTA_S * HZ

    def increments(usage: Sequence[float], delta: int) -> list[float]:
        if delta % every == 0:
            farthest = max(whole * every, *(used / share for used, share in zip(usage, shares, strict=True)))
            wanted = [share * nu * farthest - used for used, share in zip(usage, shares, strict=True)]
            base[:] = [value / sum(wanted) for value in wanted]
        return [1.0 / max(value, 0.01) ** power for value in base]

    return increments
