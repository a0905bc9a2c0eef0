"""Fairness among users over bootstrap samples of weeks: usage or waits of each user in the drawn weeks.

Jain's index and Gini's coefficient are not means over weeks: a user who gets on one week what was due in
another is treated alike over both. So of each sample they are those of the users' sums over its weeks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from fsconsole.batch.job_table import Floats
from fsconsole.batch.measures.fairness import gini, jain_index


def drawn_jain(used: Floats, entitled: Floats, counts: Floats) -> Floats:
    """Compute Jain's index of used over entitled node-seconds of active users, [samples].

    Args:
        used: node-seconds, [users, units].
        entitled: the same.
        counts: how often each unit is in each sample, [samples, units].
    """
    return _drawn(used, entitled, counts, jain_index)


def drawn_gini(waits: Floats, jobs: Floats, counts: Floats) -> Floats:
    """Compute Gini's coefficient of users' average waits, [samples].

    Args:
        waits: of the jobs of each user, summed, [users, units].
        jobs: how many they are, [users, units].
        counts: how often each unit is in each sample, [samples, units].
    """
    return _drawn(waits, jobs, counts, gini)


def _drawn(over: Floats, under: Floats, counts: Floats, index: Callable[[Floats], float | None]) -> Floats:
    """Return an index of users' ratios of sums; NaN for a sample without one."""
    above, below = counts @ over.T, counts @ under.T
    found = np.full(len(counts), np.nan)
    for sample, (top, bottom) in enumerate(zip(above, below, strict=True)):
        there = bottom > 0
        value = index(top[there] / bottom[there]) if there.any() else None
        found[sample] = math.nan if value is None else value
    return found
