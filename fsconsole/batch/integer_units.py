"""Whole units of usage, entitlement, shares and weights, so that equal values are equal.

Jobs of users with equal priorities go by arrival, and users are often exactly equal: they came at the same
time, or have neither usage nor entitlement. Sums of rounded fractions would depend on the division of time
between events. So node-seconds are counted in grains, so many that fractions of nodes which few users share
are whole; the plain loop and the compiled engines use the same numbers. The choice of grains is ours, not the
paper's. If the open users' shares do not divide a grain, the error of an entitlement is half a grain a
second: 10^-7 or less for a day's window.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import HOUR_S, BatchPolicy, UsageWeights

_ROOM = 1 << 62
_MOST_SHARES = 1 << 30
_CLOSE = 1e-12


def grains_in_node_second(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy) -> int:
    """Return the number of grains in a node-second: as divisible as sums over a window allow in 64 bits.

    Raises:
        ValueError: even whole node-seconds exceed 64 bits.
    """
    last_s = int(jobs.submit_s.max(initial=0)) + int(jobs.runtime_s.sum())
    counted_s = min(policy.window_s / (1 - policy.decay) + policy.window_s, last_s) + 1
    # It holds used, expected and reserved time, and as much again as a margin.
    most = 4 * cluster_nodes * int(counted_s)
    if policy.order == "weighted":
        used, running, slots = whole_weights(policy.weights)
        most = most * used + 2 * cluster_nodes * (last_s + 1) * running + 4 * cluster_nodes * HOUR_S * slots
    return _most_divisible(max(_ROOM // max(most, 1), 0))


def _most_divisible(limit: int) -> int:
    if limit < 1:
        msg = "the workload is too long or the machine too large. Node-seconds do not fit into 64 bits"
        raise ValueError(msg)
    made, divisor = 1, 2
    while divisor < 40 and math.lcm(made, divisor) <= limit:
        made = math.lcm(made, divisor)
        divisor += 1
    return made


def whole_shares(shares: Floats) -> Ints:
    """Return shares as whole numbers of at least 1, int64 [users], whose sum is below 2^31.

    They have the ratio of the shares, exactly if that is a ratio of such numbers; otherwise rounded to 2^-30
    of all shares.
    """
    if len(shares) == 0 or (shares == shares[0]).all():
        return np.ones(len(shares), dtype=np.int64)
    return _whole_shares(np.ascontiguousarray(shares, dtype=np.float64).tobytes()).copy()


@lru_cache(maxsize=8)
def _whole_shares(packed: bytes) -> Ints:
    """Return whole shares of shares as bytes, cached for months that are simulated with the same shares."""
    shares = np.frombuffer(packed)
    known, place = np.unique(shares, return_inverse=True)
    least = float(known[0])
    ratios = [Fraction(share / least).limit_denominator(1000) for share in known.tolist()]
    common = math.lcm(*(ratio.denominator for ratio in ratios))
    whole = [int(ratio * common) for ratio in ratios]
    exact = all(
        abs(float(ratio) * least - share) <= _CLOSE * share
        for ratio, share in zip(ratios, known.tolist(), strict=True)
    )
    total = sum(number * count for number, count in zip(whole, np.bincount(place).tolist(), strict=True))
    if not exact or total >= _MOST_SHARES:
        whole = [max(round(part * (_MOST_SHARES - 1)), 1) for part in (known / shares.sum()).tolist()]
    return np.array(whole, dtype=np.int64)[place]


def whole_weights(weights: UsageWeights) -> tuple[int, int, int]:
    """Return weights of used, running and slots as whole numbers in their ratio, to six decimals."""
    parts = (weights.used, weights.running, weights.slots)
    used, running, slots = (round(part * 10**6) for part in parts)
    common = max(math.gcd(used, running, slots), 1)
    return used // common, running // common, slots // common


def decayed(grains: int, decay: float) -> int:
    """Return the grains that a window passes on to the next one."""
    return math.floor(decay * grains + 0.5)
