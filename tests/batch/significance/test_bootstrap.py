"""Intervals on data whose truth is known: 95 % of them must hold it, for few units and for skewed ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats
from fsconsole.batch.significance.bootstrap import (
    FEWEST,
    block_of_week,
    draw_counts,
    expanded_interval,
    ratio_interval,
    ratio_of_sums,
    t_quantile,
    widening,
)

RUNS = 2000
Drawn = Callable[[np.random.Generator, int], Floats]


def coverage(low: Floats, high: Floats, truth: float) -> float:
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("units", [10, 12, 30])
@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng, units: rng.normal(0.0, 1.0, (RUNS, units)), 0.0),
        (lambda rng, units: rng.gamma(4.0, 1.0, (RUNS, units)), 4.0),
        (lambda rng, units: rng.exponential(1.0, (RUNS, units)), 1.0),
    ],
    ids=["normal", "skewed", "exponential"],
)
def test_intervals_of_means_hold_the_truth_in_93_to_97_percent(draw: Drawn, truth: float, units: int) -> None:
    values = draw(np.random.default_rng(units), units)
    found = coverage(*ratio_interval(values, np.ones(units), draw_counts(units)), truth)
    assert 0.93 <= found <= 0.97


def test_intervals_of_means_over_jobs_do_where_units_have_many_and_few_jobs() -> None:
    rng = np.random.default_rng(2)
    jobs = rng.poisson(400, (RUNS, 12)) * rng.uniform(0.5, 1.5, (RUNS, 12))
    waits = rng.gamma(4.0, 1.0, (RUNS, 12))
    assert 0.93 <= coverage(*ratio_interval(waits * jobs, jobs, draw_counts(12)), 4.0) <= 0.97


def weeks_that_depend(rho: float, weeks: int = 49) -> Floats:
    """Skewed weekly values whose logarithm is an autoregression; their mean is that of a lognormal."""
    noise = np.random.default_rng(round(10 * rho)).normal(size=(RUNS, weeks + 40))
    made = np.zeros_like(noise)
    for week in range(1, weeks + 40):
        made[:, week] = rho * made[:, week - 1] + noise[:, week]
    return np.exp(0.5 * made[:, 40:])


@pytest.mark.parametrize(("rho", "least"), [(0.0, 0.93), (0.3, 0.93), (0.5, 0.91)])
def test_blocks_of_weeks_cover_weeks_that_depend_on_each_other(rho: float, least: float) -> None:
    weekly, truth = weeks_that_depend(rho), float(np.exp(0.125 / (1 - rho**2)))
    block = block_of_week(49)
    blocks = int(block[-1]) + 1
    sums = np.stack([weekly[:, block == place].sum(axis=1) for place in range(blocks)], axis=1)
    weights = np.bincount(block).astype(np.float64)
    low, high = ratio_interval(sums, weights, draw_counts(blocks))
    mean = ratio_of_sums(sums, weights)
    factor = widening(weekly - mean[:, None], 4)
    wide = coverage(mean - factor * (mean - low), mean + factor * (high - mean), truth)
    assert least <= wide <= 0.97
    if rho > 0.3:  # weeks alone would be far too sure
        assert coverage(*ratio_interval(weekly, np.ones(49), draw_counts(49)), truth) < 0.85


def test_widened_percentiles_cover_a_median_of_few_units() -> None:
    values = np.random.default_rng(3).normal(0.0, 1.0, (700, 12))
    drawn = np.random.default_rng(4).integers(0, 12, (1000, 12))
    medians = np.median(values[:, drawn], axis=2)
    assert 0.93 <= coverage(*expanded_interval(medians, 12), 0.0) <= 0.98


def mostly_equal(rng: np.random.Generator, units: int, noise: float) -> Floats:
    """Differences of which half are 0, or nearly, and half are skewed; their mean is 0.5."""
    is_large = rng.random((RUNS, units)) < 0.5
    small = rng.normal(0.0, noise, (RUNS, units))
    return np.where(is_large, rng.exponential(1.0, (RUNS, units)), small)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_intervals_of_differences_that_are_mostly_nothing_hold_the_truth_and_stay_short(noise: float) -> None:
    values = mostly_equal(np.random.default_rng(8), 8, noise)
    low, high = ratio_interval(values, np.ones(8), draw_counts(8))
    assert 0.93 <= coverage(low, high, 0.5) <= 0.97
    error = values.std(axis=1, ddof=1) / np.sqrt(8)
    assert (high - low).mean() <= 12 * error.mean()  # was 24 and 34 times


def test_an_interval_does_not_explode_where_seven_of_eight_differences_are_nearly_nothing() -> None:
    one_seed = np.array([0.0, 0.01, -0.02, 0.03, 0.0, 0.0, 0.01, 10.4])  # was -0.5 to 519
    low, high = ratio_interval(one_seed, np.ones(8), draw_counts(8))
    assert low < 0 < high < 15
    exact = ratio_interval(np.array([0.0] * 7 + [10.4]), np.ones(8), draw_counts(8))  # was -0.5 to 1.3
    assert np.allclose(exact, (low, high), atol=0.1)


def test_quantiles_of_students_t() -> None:
    # Table of Student's distribution, two-sided 5 %.
    printed = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 11: 2.201, 30: 2.042}
    assert {free: round(t_quantile(0.975, free), 3) for free in printed} == printed


def test_weeks_are_kept_together_in_blocks_of_about_their_cube_root() -> None:
    sizes = np.bincount(block_of_week(49))
    assert (len(sizes), sizes.min(), sizes.max()) == (12, 4, 5)
    assert block_of_week(5).tolist() == [0, 0, 0, 1, 1]
    assert block_of_week(1).tolist() == [0]


def test_few_units_have_no_interval_and_equal_ones_a_point() -> None:
    few = FEWEST - 1
    low, high = ratio_interval(np.arange(1.0, few + 1), np.ones(few), draw_counts(few))
    assert np.isnan([low, high]).all()
    low, high = ratio_interval(np.full(6, 2.5), np.ones(6), draw_counts(6))
    assert [float(low), float(high)] == [2.5, 2.5]
    assert np.isnan(expanded_interval(np.arange(9.0), few)).all()


@given(
    st.lists(st.floats(0.01, 100.0), min_size=FEWEST, max_size=12),
    st.floats(0.1, 10.0),
    st.floats(-50.0, 50.0),
)
def test_intervals_follow_units_and_shifts(values: list[float], scale: float, shift: float) -> None:
    units, counts = np.array(values), draw_counts(len(values), 100)
    low, high = ratio_interval(units, np.ones(len(values)), counts)
    moved = ratio_interval(scale * units + shift, np.ones(len(values)), counts)
    assert low <= high
    assert np.allclose(moved, (scale * low + shift, scale * high + shift), rtol=1e-4, atol=1e-4)


def test_draws_are_the_same_each_time() -> None:
    assert (draw_counts(11) == draw_counts(11)).all()
    assert (draw_counts(11).sum(axis=1) == 11).all()
