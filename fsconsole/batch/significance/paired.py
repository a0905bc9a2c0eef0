"""Paired tests by flipping signs: two policies on the same months, or the same users; effect sizes.

If two policies were equal, the difference of each unit would be as likely with the other sign. All ways to
flip signs are tried, or enough random ones. There are no other assumptions: neither a normal distribution,
nor anything on the jobs inside a unit.

Source: Fisher, The Design of Experiments, 1935, section 21 (sign flips); Westfall and Young, Resampling-Based
Multiple Testing, 1993, algorithm 2.8 (step-down min-P, which holds for policies that resemble each other);
Hedges, Journal of Educational Statistics 6(2), 1981 (correction of effect sizes).
"""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Floats
from fsconsole.batch.significance.bootstrap import SEED

ALPHA = 0.05
_MOST_EXACT = 13  # With this many units all 2^13 flips are tried, with more only a sample.
_RANDOM = 9_999
_EVEN = 1e-9  # Sums that differ by less are equal.
_NO_SPREAD = 1e-12  # Spreads below this fraction of the mean are rounding errors.


def sign_flips(units: int) -> Floats:
    """Return ways to flip the signs of units, -1 or 1, float64 [flips, units]; the first flips none.

    All 2^units of them up to 13 units, else 9,999 random ones besides the first.
    """
    if units <= _MOST_EXACT:
        bits = np.arange(1 << units)[:, None] >> np.arange(units)[None, :] & 1
        return np.where(bits == 1, -1.0, 1.0)
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(0, 2, size=(_RANDOM, units))
    return np.concatenate([np.ones((1, units)), np.where(drawn == 1, -1.0, 1.0)])


def paired_p(differences: Floats, flips: Floats, factor: Floats | float = 1.0) -> Floats:
    """Return two-sided p-values of zero differences, [tests].

    Args:
        differences: by unit, float64 [tests, units]; 0 if a test does not have the unit.
        flips: `sign_flips`, [flips, units].
        factor: divisor of each sum before it is compared, [tests]; `widening` of blocks of weeks.

    Returns:
        Fraction of the flips whose sum is at least as far from 0; NaN if no unit differs.
    """
    scaled = _scaled(differences)
    sums = np.abs(scaled @ flips.T)
    seen = sums[:, 0] / factor
    found: Floats = (sums >= seen[:, None] - _EVEN).mean(axis=1)
    found[~(scaled != 0).any(axis=1)] = np.nan
    return found


def min_p(differences: Floats, flips: Floats, factor: Floats | float = 1.0) -> Floats:
    """Return adjusted p-values of a family of tests, [tests]; NaN for a test in which no unit differs.

    The probability of any false finding is at most the level. All tests use the same flips, so that similar
    ones count nearly as one. Tests without a difference are left out of the family.

    Args:
        differences: by unit, float64 [tests, units]; 0 if a test does not have the unit.
        flips: `sign_flips`, [flips, units].
        factor: divisor of each sum before it is compared, [tests]; `widening` of blocks of weeks.
    """
    single = paired_p(differences, flips, factor)
    known = np.flatnonzero(np.isfinite(single))
    order = known[np.argsort(single[known], kind="stable")]
    adjusted = np.full(len(differences), np.nan)
    if not len(order):
        return adjusted
    sums = np.abs(_scaled(differences[order]) @ flips.T)
    smallest = np.ones(len(flips))
    for place in range(len(order) - 1, -1, -1):  # Each test takes the minimum of itself and all weaker ones.
        smallest = np.minimum(smallest, _p_of_flips(sums[place]))
        adjusted[order[place]] = (smallest <= single[order[place]] + _EVEN).mean()
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return adjusted


def _p_of_flips(sums: Floats) -> Floats:
    """Return the p-value of each flip if it were the observed one, [flips]."""
    ordered = np.sort(sums)
    found: Floats = 1 - np.searchsorted(ordered, sums - _EVEN) / len(sums)
    return found


def _scaled(differences: Floats) -> Floats:
    """Return each test's differences over their root sum of squares, constant under flips: a t statistic."""
    size = np.sqrt((differences**2).sum(axis=1, keepdims=True))
    scaled: Floats = np.divide(differences, size, out=np.zeros_like(differences), where=size > 0)
    return scaled


def effect_size(differences: Floats) -> float:
    """Return Hedges' g, paired: mean over standard deviation of differences [units], corrected for few.

    About 0.2 is small, 0.5 medium, 0.8 large (Cohen). NaN below two units or without spread.
    """
    size = len(differences)
    spread = float(differences.std(ddof=1)) if size > 1 else 0.0
    mean = float(differences.mean()) if size else 0.0
    if spread <= _NO_SPREAD * abs(mean):
        return float("nan")
    return mean / spread * (1 - 3 / (4 * (size - 1) - 1))
