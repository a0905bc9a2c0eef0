"""Paired tests: 5 % of true nulls are rejected, families too; values that can be counted by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.significance.corrections import Correction, corrected
from fsconsole.batch.significance.paired import ALPHA, effect_size, min_p, paired_p, sign_flips


def test_all_flips_of_few_units_are_tried_and_the_first_flips_none() -> None:
    flips = sign_flips(4)
    assert len({tuple(row) for row in flips.tolist()}) == 16
    assert (flips[0] == 1).all()
    assert sign_flips(30).shape == (10_000, 30)


def test_a_difference_that_always_has_one_sign_has_the_smallest_p() -> None:
    assert paired_p(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]), sign_flips(6)) == [2 / 64]
    # 1, 2, 3 with one sign or more against them: sums of at least 4 are +-(6, 4).
    assert paired_p(np.array([[-1.0, 2.0, 3.0]]), sign_flips(3)) == [4 / 8]
    assert np.isnan(paired_p(np.zeros((1, 6)), sign_flips(6))).all()


def test_units_without_a_value_do_not_matter() -> None:
    own = paired_p(np.array([[1.0, -2.0, 3.0, 5.0, 1.0, 2.0]]), sign_flips(6))
    spread = np.array([[1.0, 0.0, -2.0, 3.0, 0.0, 5.0, 1.0, 2.0, 0.0]])
    assert paired_p(spread, sign_flips(9)) == own


@pytest.mark.parametrize("units", [8, 11, 14])
@pytest.mark.parametrize("kind", ["normal", "laplace"])
def test_null_tests_reject_about_5_percent(units: int, kind: str) -> None:
    rng = np.random.default_rng(units)
    differences = getattr(rng, kind)(0.0, 1.0, (2000, units))
    flips = sign_flips(units)[:2048] if units > 11 else sign_flips(units)
    assert 0.038 <= (paired_p(differences, flips) <= ALPHA).mean() <= 0.062


def test_a_family_of_nulls_rejects_any_in_about_5_percent() -> None:
    rng, flips = np.random.default_rng(5), sign_flips(11)
    pairs = np.array(list(combinations(range(5), 2)))
    found = []
    for _ in range(200):
        months = rng.gamma(4.0, 1.0, (1, 11)) * (1 + 0.2 * rng.normal(size=(5, 11)))
        found.append(np.nanmin(min_p(months[pairs[:, 0]] - months[pairs[:, 1]], flips)) <= ALPHA)
    assert 0.02 <= np.mean(found) <= 0.08


def test_policies_that_are_nearly_one_are_not_punished_for_their_number() -> None:
    rng = np.random.default_rng(6)
    one = rng.normal(0.8, 1.0, 12)
    alike = one + 0.001 * rng.normal(size=(7, 12))
    flips = sign_flips(12)
    single = paired_p(one[None], flips)[0]
    assert min_p(alike, flips).max() < 2 * single
    assert corrected(paired_p(alike, flips), "holm").max() > 6 * single


def test_adjusted_p_values_are_no_smaller_and_keep_the_order() -> None:
    differences = np.random.default_rng(7).normal(0.5, 1.0, (6, 10))
    differences[3] = 0.0
    single, adjusted = (test(differences, sign_flips(10)) for test in (paired_p, min_p))
    known = np.isfinite(single)
    assert known.tolist() == [True, True, True, False, True, True]
    assert (adjusted[known] >= single[known]).all()
    assert (np.diff(adjusted[known][np.argsort(single[known])]) >= 0).all()


@given(st.floats(1.0, 3.0))
def test_what_weeks_depend_makes_tests_less_sure(factor: float) -> None:
    differences = np.random.default_rng(8).normal(0.7, 1.0, (1, 11))
    flips = sign_flips(11)
    assert paired_p(differences, flips, factor) >= paired_p(differences, flips)


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        # Benjamini and Hochberg's own 15 p-values: 4 are found by their method, 3 by Holm's.
        ("bh", 4),
        ("holm", 3),
    ],
)
def test_the_example_of_benjamini_and_hochberg(correction: Correction, expected: int) -> None:
    printed = (
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
        0.6528, 0.7590, 1.0000,
    )  # fmt: skip
    found = corrected(np.array(printed[::-1]), correction)
    assert (found <= ALPHA).sum() == expected


def test_unknown_p_values_do_not_count() -> None:
    found = corrected(np.array([0.01, np.nan, 0.02]), "holm")
    assert found[[0, 2]].tolist() == [0.02, 0.02]
    assert np.isnan(found[1])


def test_effect_sizes() -> None:
    differences = np.array([1.0, 2.0, 3.0, 4.0])
    assert effect_size(differences) == pytest.approx(2.5 / np.std(differences, ddof=1) * (1 - 3 / 11))
    assert np.isnan(effect_size(np.array([1.0])))
    assert np.isnan(effect_size(np.array([2.0, 2.0])))
    # Rounding counts as equal.
    assert np.isnan(effect_size(np.array([0.1, 0.1, 0.1])))
