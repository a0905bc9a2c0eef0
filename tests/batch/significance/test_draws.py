"""Tests over draws of a bootstrap: resampled users whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.job_table import Floats
from fsconsole.batch.significance.draws import draws_interval, draws_p, max_t
from fsconsole.batch.significance.paired import ALPHA

USERS, DRAWS = 60, 99


def _drawn_means(values: Floats, rng: np.random.Generator) -> Floats:
    """Means of samples of users drawn with replacement, [tests, draws], of values [tests, users]."""
    counts = rng.multinomial(USERS, np.full(USERS, 1 / USERS), size=DRAWS)
    found: Floats = values @ counts.T / USERS
    return found


@pytest.mark.parametrize("kind", ["normal", "laplace"])
def test_intervals_of_drawn_users_cover_the_truth_and_nulls_are_rejected_in_5_percent(kind: str) -> None:
    rng = np.random.default_rng(3)
    covered, rejected = [], []
    for _ in range(1000):
        draws = _drawn_means(getattr(rng, kind)(0.0, 1.0, (4, USERS)), rng)
        low, high = draws_interval(draws)
        covered += ((low <= 0) & (high >= 0)).tolist()
        rejected += (draws_p(draws) <= ALPHA).tolist()
    assert 0.93 <= np.mean(covered) <= 0.97
    assert 0.03 <= np.mean(rejected) <= 0.07


def test_a_family_of_nulls_rejects_any_in_about_5_percent() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(1000):
        common = rng.normal(size=(1, USERS))
        draws = _drawn_means(common + rng.normal(size=(7, USERS)), rng)
        found.append((max_t(draws) <= ALPHA).any())
    assert 0.03 <= np.mean(found) <= 0.07


def test_adjusted_values_are_never_smaller_and_keep_their_order() -> None:
    rng = np.random.default_rng(5)
    draws = rng.normal(size=(6, 80)) + np.array([[0.0], [0.5], [1.0], [2.0], [3.0], [30.0]])
    single, adjusted = draws_p(draws), max_t(draws)
    assert (adjusted >= single).all()
    assert single[-1] == adjusted[-1] == 1 / 81
    order = np.argsort(-single, kind="stable")
    assert (np.diff(adjusted[order]) <= 1e-12).all()


def test_a_long_tail_away_from_no_difference_does_not_hide_it() -> None:
    draws = np.exp(np.random.default_rng(6).normal(2.0, 0.7, (1, 199)))
    assert draws_interval(draws)[0] > 0
    assert draws_p(draws) <= 0.05


def test_policies_that_never_differ_have_no_p_value() -> None:
    draws = np.vstack([np.zeros(50), np.random.default_rng(1).normal(5.0, 1.0, 50)])
    assert np.isnan(draws_p(draws)[0])
    assert np.isnan(max_t(draws)[0])
    assert max_t(draws)[1] == 1 / 51
