"""Bootstrap intervals over few units: months, seeds, blocks of weeks. Vectorised; the same draws for all.

A unit is an independent draw: ten months under a policy are ten units, regardless of their jobs. Plain
percentile intervals are too short for so few (ten units: 87 to 91 % in place of 95 %). Means and ratios have
studentised intervals (bootstrap-t), other values percentile intervals that are widened.

If most units are equal, such as differences that are 0 except in one month, some samples have almost no
spread. Division by it makes their means and the interval unbounded. So the standard error of a sample counts
as at least a tenth of that of the units. Deviation: the tenth is fsconsole's own choice. It was the largest
of 0.05 to 0.4 that kept the coverage of skewed units, half of them near 0, within 0.5 points at eight units
(95.7 % for 96.0 %); intervals are a third as long. With 0.2 they cover 93.6 %. Samples without spread used to
be left out, which covered 90.0 % of such units where half are exactly 0.

Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5 (bootstrap-t); Hesterberg,
What Teachers Should Know About the Bootstrap, The American Statistician 69(4), 2015 (expanded percentile);
Owen, Better bootstrap t confidence intervals for the mean, arXiv 2508.10083, 2025 (why bootstrap-t intervals
have long and highly variable lengths, and infinite ones where data are discrete);
Hall, Horowitz and Jing, On blocking rules for the bootstrap with dependent data, Biometrika 82(3), 1995.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from fsconsole.batch.job_table import Floats, Ints

LEVEL = 0.95
SAMPLES = 1000
SEED = 1
FEWEST = 5  # Fewer units give no usable interval.
_MOST_RHO = 0.7  # Weeks have no larger plausible autocorrelation.
# A nearly constant sample would give a huge ratio, so its error is at least this fraction of the units'.
_LEAST_ERROR = 0.1
_NOTHING = 1e-12  # Spreads below this fraction of the value are rounding errors.


def draw_counts(units: int, samples: int = SAMPLES, seed: int = SEED) -> Floats:
    """Return the count of each unit in each bootstrap sample, float64 [samples, units].

    Rows sum to `units`.
    """
    rng = np.random.default_rng(seed)
    return rng.multinomial(units, np.full(units, 1 / units), size=samples).astype(np.float64)


def block_of_week(weeks: int) -> Ints:
    """Return the block of each of consecutive weeks, int64 [weeks], from 0.

    Weeks depend on their neighbours (a backlog continues), so neighbours are drawn together. A block has
    about as many weeks as the cube root of their number (Hall, Horowitz and Jing); 49 weeks make 12 blocks.
    """
    blocks = max(1, weeks // max(1, round(weeks ** (1 / 3))))
    found: Ints = np.arange(weeks, dtype=np.int64) * blocks // max(weeks, 1)
    return found


def widening(rest: Floats, weeks_of_block: int) -> Floats:
    """Return the factor by which blocks of weeks still understate a standard error, at least 1; [...].

    Neighbouring blocks depend on each other too. The residuals of weeks, [..., weeks], are modelled by a
    first-order autoregression: the factor is the root of its long-run variance over that seen in blocks.

    Source: the prewhitening of Andrews and Monahan, Econometrica 60(4), 1992; the small-sample correction of
    the autocorrelation is Marriott and Pope's, Biometrika 41, 1954.
    """
    weeks = rest.shape[-1]
    square = (rest**2).sum(axis=-1)
    lagged = (rest[..., 1:] * rest[..., :-1]).sum(axis=-1)
    found = np.divide(lagged, square, out=np.zeros_like(square), where=square > 0)
    rho = np.clip((found * weeks + 1) / max(weeks - 4, 1), 0.0, _MOST_RHO)
    lags = np.arange(1, max(weeks_of_block, 1))
    seen = 1 + 2 * ((1 - lags / max(weeks_of_block, 1)) * rho[..., None] ** lags).sum(axis=-1)
    made: Floats = np.sqrt((1 + rho) / (1 - rho) / seen)
    return made


def ratio_of_sums(values: Floats, weights: Floats) -> Floats:
    """Return sums of values [..., units] over sums of weights, [...], a mean with weights 1; NaN without."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = values.sum(axis=-1) / weights.sum(axis=-1)
    return found


def ratio_interval(values: Floats, weights: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return the studentised bootstrap interval of a ratio of sums, such as a mean wait over months.

    A sample's standard error counts as at least a tenth of that of the units (see the head of this module).

    Args:
        values: sums by unit, float64 [..., units].
        weights: divisors, broadcast to `values`; 0 for a unit without data.
        counts: `draw_counts`, [samples, units].

    Returns:
        low and high, float64 [...]; NaN if fewer than FEWEST units have any weight.
    """
    weights = np.broadcast_to(weights, values.shape)
    size = (weights > 0).sum(axis=-1)
    ratio = ratio_of_sums(values, weights)
    rest = values - np.nan_to_num(ratio)[..., None] * weights
    error = _error(rest, weights, size)
    above, whole, square, product, size_square = (
        part @ counts.T for part in (rest, weights, rest**2, rest * weights, weights**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = above / whole
        squares = np.maximum(square - 2 * shift * product + shift**2 * size_square, 0.0)
        many = np.maximum(size, 2)[..., None]
        errors = np.sqrt(squares * many / (many - 1)) / whole
        scaled = shift / np.maximum(errors, _LEAST_ERROR * error[..., None])
    scaled[~np.isfinite(scaled)] = np.nan  # A sample may have no weight, and units may have no spread.
    low, high = _quantiles(scaled, LEVEL)
    flat = error <= _NOTHING * np.abs(ratio)
    low, high = (np.where(flat, 0.0, edge) for edge in (low, high))
    known = size >= FEWEST
    return (
        np.where(known, ratio - high * error, np.nan),
        np.where(known, ratio - low * error, np.nan),
    )


def _error(rest: Floats, weights: Floats, size: Ints) -> Floats:
    """Return the standard error of ratios by linearisation, [...], from each unit's residual."""
    many = np.maximum(size, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.sqrt((rest**2).sum(axis=-1) * many / (many - 1)) / weights.sum(axis=-1)
    return found


def expanded_interval(samples: Floats, units: int) -> tuple[Floats, Floats]:
    """Return low and high ends, [...], of bootstrap values [..., samples], widened for few units.

    It is for values that are neither means nor ratios, such as a 99th percentile. NaN below FEWEST units.
    """
    if units < FEWEST:
        nothing = np.full(samples.shape[:-1], np.nan)
        return nothing, nothing
    wide = t_quantile((1 + LEVEL) / 2, units - 1) * math.sqrt(units / (units - 1))
    tail = NormalDist().cdf(-wide)
    return _quantiles(samples, 1 - 2 * tail)


def _quantiles(samples: Floats, level: float) -> tuple[Floats, Floats]:
    """Return both ends of the middle part along the last axis; NaN without known values."""
    ordered = np.sort(samples, axis=-1)  # NumPy sorts NaN to the end.
    known = np.isfinite(ordered).sum(axis=-1)
    ends = []
    for part in ((1 - level) / 2, (1 + level) / 2):
        place = part * np.maximum(known - 1, 0)
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, np.maximum(known - 1, 0))
        first, second = (np.take_along_axis(ordered, at[..., None], -1)[..., 0] for at in (below, above))
        ends.append(np.where(known > 0, first + (place - below) * (second - first), np.nan))
    return ends[0], ends[1]


def t_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t distribution for probabilities from 0.5 to below 1, within 1e-6."""
    low, high = 0.0, 1.0
    while _t_upper(high, freedom) > 1 - probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_upper(middle, freedom) > 1 - probability else (low, middle)
    return (low + high) / 2


def _t_upper(value: float, freedom: int) -> float:
    """Return the probability of a larger value, by the finite sums for whole degrees of freedom.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    angle = math.atan(value / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    is_odd = freedom % 2 == 1
    term = cosine if is_odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if is_odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    inside = 2 / math.pi * (angle + sine * total) if is_odd else sine * total
    return (1 - inside) / 2
