"""CPU weights of control groups in place of shares: whole numbers, scaled for each set of siblings.

The kernel looks at ratios among siblings alone, so each set is scaled for itself. cgroup v2 takes weights
from 1 to 10,000 and keeps `round(1024 * weight / 100)` of them; v1 takes shares from 2 to 262,144 and keeps
them as they are (Linux, Documentation/admin-guide/cgroup-v2.rst; kernel/sched/core.c: cpu_weight_write_u64,
sched_group_set_shares).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Memory limits the cells of one table of candidates, so more siblings get fewer candidates.
_MOST_CELLS = 400_000
# These are all weights of cgroup v2. Those of v1 are larger, and this many come near enough.
_MOST_TOPS = 10_000
_AS_GOOD = 1e-4  # A smaller difference of errors does not matter.
_READABLE = (1, 100, 25, 10)  # People read these multiples of the shares easily.
_LEAST_PLAIN = 25  # cgroup v2 stores multiples of 25 exactly.


@dataclass(frozen=True, slots=True)
class WeightRange:
    """Range of weights in a kernel interface.

    Attributes:
        file: file of a control group that holds the weight.
        least, most: smallest and largest weight.
        usual: weight of a new control group.
        kept_per_unit: the kernel's internal value of one unit of weight, before rounding.
    """

    file: str
    least: int
    most: int
    usual: int
    kept_per_unit: float

    def kept(self, weights: Ints | Floats) -> Floats:
        """Return the kernel's internal values of weights, float64 of the shape of `weights`."""
        kept: Floats = np.rint(weights * self.kept_per_unit)
        return kept


V2 = WeightRange("cpu.weight", 1, 10_000, 100, 10.24)
V1 = WeightRange("cpu.shares", 2, 262_144, 1024, 1.0)


@dataclass(frozen=True, slots=True)
class SiblingWeights:
    """The weights of siblings, in their order.

    Attributes:
        weights: int64 [siblings]; the least weight for shares of 0.
        error: largest relative error of a ratio of two siblings with shares, 0.01 for 1 %.
        is_expressible: False where some siblings with shares get the least weight although theirs
            is smaller: the ratio of the largest and the smallest shares exceeds the range.
    """

    weights: Ints
    error: float
    is_expressible: bool


def sibling_weights(shares: Sequence[float], limits: WeightRange) -> SiblingWeights:
    """Return the weights with the ratios nearest to those of the shares, which are not negative.

    The shares themselves or a plain multiple are returned if no other weights are nearer. Otherwise, of all
    nearest multiples, the one whose mean is nearest to that of other groups is returned.
    """
    wanted = np.asarray(shares, np.float64)
    counted = wanted > 0.0
    weights = np.full(len(wanted), limits.least, np.int64)
    if not counted.any():
        return SiblingWeights(weights, 0.0, True)
    parts = wanted[counted] / wanted[counted].max()
    readable = [plain for times in _READABLE if _is_plain(plain := wanted[counted] * times, limits)]
    errors_of_readable = [float(_ratio_errors(plain[:, None], parts, limits)[0]) for plain in readable]
    found = next((at for at, error in enumerate(errors_of_readable) if error <= _AS_GOOD), None)
    if found is None:
        table = np.clip(np.rint(parts[:, None] * _tops(wanted[counted], limits)), limits.least, limits.most)
        errors = _ratio_errors(table, parts, limits)
        good = errors <= errors.min() + _AS_GOOD
        distance = np.abs(np.log(table.mean(axis=0) / limits.usual))
        best = int(np.argmin(np.where(good, distance, np.inf)))
        weights[counted], error = table[:, best].astype(np.int64), float(errors[best])
        found = next((at for at, other in enumerate(errors_of_readable) if other <= error + _AS_GOOD), None)
    if found is not None:
        weights[counted], error = readable[found].astype(np.int64), errors_of_readable[found]
    is_expressible = bool(parts.min() * limits.most >= limits.least * (1 - 1e-12))
    return SiblingWeights(weights, error, is_expressible)


def _is_plain(weights: Floats, limits: WeightRange) -> bool:
    """Return True if these can be written, and are large enough for the kernel to keep their ratios."""
    is_whole = np.array_equal(np.rint(weights), weights)
    return is_whole and bool(weights.min() >= _LEAST_PLAIN and weights.max() <= limits.most)


def _tops(shares: Floats, limits: WeightRange) -> Floats:
    """Return weights that the largest share may get; multiples that are exact are among them."""
    count = max(1, min(limits.most, _MOST_TOPS, _MOST_CELLS // len(shares)))
    tops = np.unique(np.rint(np.linspace(1.0, limits.most, count)))
    whole = np.rint(shares)
    if np.array_equal(whole, shares) and whole.max() < 2**53:
        common = math.gcd(*(int(share) for share in whole))
        largest = int(whole.max()) // common
        if largest <= limits.most:
            multiples = np.arange(1, min(limits.most // largest, count) + 1, dtype=np.float64) * largest
            return np.union1d(multiples, tops)
    return tops


def _ratio_errors(table: Floats, parts: Floats, limits: WeightRange) -> Floats:
    """Return the largest relative error of a ratio of two siblings, for each column, float64 [candidates]."""
    scale = limits.kept(table) / parts[:, None]
    return np.asarray(scale.max(axis=0) / scale.min(axis=0) - 1.0)
