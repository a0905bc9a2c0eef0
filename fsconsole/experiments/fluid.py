"""Usage feedback without ticks: what usages and shares give each user, delta by delta.

Within a delta user i gets CPU in proportion to share_i^2 / usage_i; then usage_i = k1 * usage_i + CPU of the
delta. All users have work all the time. Source: Junglas 1991 section 3, equations of t1 and t3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsconsole.figures.spec import Floats

# As a kernel's lower limit of kusage does: nobody's usage counts as nothing.
_LEAST_S = 1e-4


def cpu_of_deltas(
    shares: Sequence[float], usage_s: Sequence[float], *, deltas: int, delta_s: float, half_life_s: float
) -> Floats:
    """Parts of the CPU (deltas, users), from usages at 0 in CPU seconds."""
    squares = np.square(np.array(shares))
    usage = np.array(usage_s, np.float64)
    k1 = 0.5 ** (delta_s / half_life_s)
    parts = np.empty((deltas, len(usage)))
    for delta in range(deltas):
        wanted = squares / np.maximum(usage, _LEAST_S * squares)
        parts[delta] = wanted / wanted.sum()
        usage = k1 * usage + delta_s * parts[delta]
    return parts
