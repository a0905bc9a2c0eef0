"""Whole numbers in which usage, entitlement, shares and weights are counted, so that equal values are equal.

Jobs of users with equal priorities go by arrival, and users are often exactly equal: they came at the same
time, or use and are entitled to nothing. Sums of rounded fractions would differ by how time was divided
between events. So node-seconds are counted in grains, of which one has so many that fractions of nodes which
few users share are whole; the plain loop and the compiled engines work with the same numbers. The choice of
grains is ours, not the paper's. Where the open users' shares do not divide a grain, an entitlement is off by
half a grain a second: a part in 10^7 and less for a day's window.
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
    """Return how many grains a node-second has: as divisible as sums over a window allow within 64 bits.

    ValueError where even whole node-seconds are too many.
    """
    last_s = int(jobs.submit_s.max(initial=0)) + int(jobs.runtime_s.sum())
    counted_s = min(policy.window_s / (1 - policy.decay) + policy.window_s, last_s) + 1
    most = 4 * cluster_nodes * int(counted_s)  # used, expected and reserved, and as much again for nothing
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

    They are in the ratio of the shares, exactly where these are in the ratio of such numbers; otherwise
    rounded to parts in 2^30 of all shares.
    """
    if len(shares) == 0 or (shares == shares[0]).all():
        return np.ones(len(shares), dtype=np.int64)
    return _whole_shares(np.ascontiguousarray(shares, dtype=np.float64).tobytes()).copy()


@lru_cache(maxsize=8)
def _whole_shares(packed: bytes) -> Ints:
    """Return whole shares of shares as bytes: months of one setting, simulated one after the other, have
    equal ones.
    """
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
    """Return weights of used, running and slots as whole numbers in their ratio, to six places behind the
    point.
    """
    parts = (weights.used, weights.running, weights.slots)
    used, running, slots = (round(part * 10**6) for part in parts)
    common = max(math.gcd(used, running, slots), 1)
    return used // common, running // common, slots // common


def decayed(grains: int, decay: float) -> int:
    """Return what a window hands on to the next one, in whole grains."""
    return math.floor(decay * grains + 0.5)
