"""Weights of control groups that stand for shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.cpu_weights import V1, V2, WeightRange, sibling_weights
from fsconsole.shares.formats import systemd

RATIO = st.floats(1.0, 200.0)


def worst(values: np.ndarray, shares: list[float]) -> float:
    scale = values / np.array(shares)
    return float(scale.max() / scale.min() - 1)


@given(st.lists(RATIO, min_size=1, max_size=40), st.sampled_from([V1, V2]))
def test_ratios_up_to_200_are_held_within_one_per_cent(shares: list[float], limits: WeightRange) -> None:
    found = sibling_weights(shares, limits)
    assert found.is_expressible
    assert limits.least <= found.weights.min() <= found.weights.max() <= limits.most
    assert worst(found.weights, shares) <= 0.01
    assert worst(limits.kept(found.weights), shares) == pytest.approx(found.error)
    assert found.error <= 0.01


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30))
def test_larger_shares_never_get_smaller_weights(shares: list[int]) -> None:
    weights = sibling_weights(shares, V2).weights
    order = np.argsort(shares, kind="stable")
    assert np.all(np.diff(weights[order]) >= 0)


@pytest.mark.parametrize(
    ("shares", "limits", "expected"),
    [
        ([100, 100, 100], V2, [100, 100, 100]),
        ([1000, 1000], V1, [1000, 1000]),
        ([300, 200, 100], V2, [300, 200, 100]),
        ([2, 1], V2, [200, 100]),
        ([100, 100, 333], V2, [100, 100, 333]),
        ([0, 5], V2, [1, 500]),
        ([0, 0], V2, [1, 1]),
        ([1, 10_000], V1, [25, 250_000]),
    ],
)
def test_weights_are_exact_and_near_the_usual_ones(
    shares: list[float], limits: WeightRange, expected: list[int]
) -> None:
    found = sibling_weights(shares, limits)
    assert found.weights.tolist() == expected
    assert found.error < 1e-4


def test_slices_take_what_groups_take() -> None:
    assert (V2.least, V2.most, str(V2.usual)) == (systemd.LEAST, systemd.MOST, systemd.DEFAULT)


def test_what_cannot_be_expressed_is_reported_and_nearest() -> None:
    found = sibling_weights([1, 20_000], V2)
    assert not found.is_expressible
    assert found.weights.tolist() == [1, 10_000]
    assert found.error == pytest.approx(20_000 * 10 / 102_400 - 1)
    assert sibling_weights([1, 20_000], V1).is_expressible
