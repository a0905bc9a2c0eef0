"""Tests of differences over draws of a bootstrap, such as traces whose users were resampled.

Draws are not a sample: more of them make intervals smoother, not narrower. Their spread around the median
difference is the possible error of the difference, so a difference of 0 would spread equally.

Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 16; Westfall and Young,
Resampling-Based Multiple Testing, 1993, algorithm 2.8 (step-down, with max-T in place of min-P).
"""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Bools, Floats
from fsconsole.batch.significance.bootstrap import LEVEL

FEWEST_DRAWS = 40  # Then one draw is beyond each end of a 95 % interval.
_NO_SPREAD = 1e-12  # Spreads below this fraction of the value are rounding errors.
_EVEN = 1e-12  # Distances that differ by less are equal.


def draws_interval(values: Floats) -> tuple[Floats, Floats]:
    """Return low and high ends, [...], of values [..., draws].

    Of n draws the k-th smallest represents the fraction k/(n + 1), so that few draws do not make it too
    short.
    """
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=-1, method="weibull")
    return low, high


def draws_p(differences: Floats) -> Floats:
    """Return two-sided p-values of zero differences, [tests]; NaN if all draws have the same difference.

    Args:
        differences: of two policies on each draw, float64 [tests, draws].
    """
    far = _distances(differences)
    found: Floats = (far >= far[:, :1] - _EVEN).mean(axis=1)
    found[~np.isfinite(far[:, 0])] = np.nan
    return found


def max_t(differences: Floats) -> Floats:
    """Return adjusted p-values of a family of tests, [tests]; NaN if all draws have the same difference.

    The probability of any false finding is at most the level.

    Args:
        differences: of two policies on each draw, float64 [tests, draws].
    """
    far = _distances(differences)
    known = np.flatnonzero(np.isfinite(far[:, 0]))
    order = known[np.argsort(far[known, 0], kind="stable")]  # The weakest tests come first.
    adjusted = np.full(len(differences), np.nan)
    if not len(order):
        return adjusted
    # Each test takes the maximum of itself and all weaker ones.
    largest = np.maximum.accumulate(far[order], axis=0)
    found = (largest >= far[order, :1] - _EVEN).mean(axis=1)
    adjusted[order] = np.maximum.accumulate(found[::-1])[::-1]
    return adjusted


def _distances(differences: Floats) -> Floats:
    """Return distances of 0, then of each draw, from the median of all, [tests, 1 + draws].

    Without a real difference, 0 is as good a draw as the others, and is ranked among them. Distances are in
    root mean squares of the values on the same side of the median, so that a long tail away from 0 does not
    hide a difference, as with the ends of percentile intervals. NaN without spread.
    """
    every = np.concatenate([np.zeros((len(differences), 1)), differences], axis=1)
    rest = every - np.median(every, axis=1, keepdims=True)
    low, high = (_root_mean_square(rest, rest * sign >= 0) for sign in (-1, 1))
    span = differences.max(axis=1, initial=-np.inf) - differences.min(axis=1, initial=np.inf)
    has_spread = span > _NO_SPREAD * np.abs(differences).max(axis=1, initial=0.0)
    scale = np.where(rest < 0, low[:, None], high[:, None])
    scaled = np.divide(np.abs(rest), scale, out=np.zeros_like(rest), where=scale > 0)
    scaled[~has_spread] = np.nan
    found: Floats = scaled
    return found


def _root_mean_square(rest: Floats, chosen: Bools) -> Floats:
    """Return the root mean square of the chosen values of each row."""
    found: Floats = np.sqrt((rest**2 * chosen).sum(axis=1) / np.maximum(chosen.sum(axis=1), 1))
    return found
