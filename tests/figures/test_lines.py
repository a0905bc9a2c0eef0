from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.figures.lines import cut_to_x, pieces, straightened, thin


def test_a_cut_line_ends_on_the_edges_with_values_between_its_points() -> None:
    x, y = cut_to_x(np.array([0.0, 10.0, 20.0]), np.array([0.0, 100.0, 0.0]), 5.0, 18.0)
    assert x.tolist() == [5.0, 10.0, 18.0]
    assert y.tolist() == [50.0, 100.0, 20.0]


def test_a_range_between_two_points_shows_the_line_between_them() -> None:
    x, y = cut_to_x(np.array([0.0, 10.0]), np.array([0.0, 100.0]), 4.0, 6.0)
    assert (x.tolist(), y.tolist()) == ([4.0, 6.0], [40.0, 60.0])


def test_a_range_beyond_the_data_is_empty() -> None:
    x, _ = cut_to_x(np.array([0.0, 10.0]), np.array([0.0, 1.0]), 20.0, 30.0)
    assert len(x) == 0


def test_a_line_that_leaves_the_range_comes_back_as_two_pieces() -> None:
    found = pieces(np.array([0.0, 10.0, 20.0]), np.array([0.0, 100.0, 0.0]), 0.0, 50.0)
    assert [(x.tolist(), y.tolist()) for x, y in found] == [
        ([0.0, 5.0], [0.0, 50.0]),
        ([15.0, 20.0], [50.0, 0.0]),
    ]


def test_unknown_values_are_gaps_never_straight_lines() -> None:
    found = pieces(np.arange(5.0), np.array([1.0, 1.0, np.nan, 2.0, 2.0]), 0.0, 5.0)
    assert [(x.tolist(), y.tolist()) for x, y in found] == [([0, 1], [1, 1]), ([3, 4], [2, 2])]


@given(
    st.lists(st.floats(-100, 100) | st.just(float("nan")), max_size=60), st.floats(-50, 0), st.floats(1, 50)
)
def test_pieces_stay_inside(values: list[float], low: float, high: float) -> None:
    y = np.array(values)
    for x_part, y_part in pieces(np.arange(float(len(y))), y, low, high):
        assert len(x_part) == len(y_part) > 0
        assert y_part.min() >= low - 1e-9
        assert y_part.max() <= high + 1e-9
        assert np.all(np.diff(x_part) >= 0)


def test_thinning_keeps_peaks_and_ends() -> None:
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    y[77_777], y[12_345] = 5.0, -3.0
    thin_x, thin_y = thin(x, y, 500)
    assert len(thin_x) <= 4 * 500
    assert (thin_y.max(), thin_y.min()) == (5.0, -3.0)
    assert (thin_x[0], thin_x[-1]) == (0.0, 99_999.0)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, 1.0, 7.0]), st.floats(-50, 50)), min_size=1, max_size=60
    ),
    off=st.floats(0.01, 20),
)
def test_a_straightened_line_passes_all_points_within_the_tolerance(
    steps: list[tuple[float, float]], off: float
) -> None:
    x, y = np.cumsum([step for step, _ in steps]), np.array([value for _, value in steps])
    kept_x, kept_y = straightened(x, y, off)
    assert (kept_x[0], kept_y[0], kept_x[-1], kept_y[-1]) == (x[0], y[0], x[-1], y[-1])
    kept = set(zip(kept_x.tolist(), kept_y.tolist(), strict=True))
    for at, value in zip(x.tolist(), y.tolist(), strict=True):
        single = np.flatnonzero(kept_x == at)
        is_jump = len(single) > 1 or np.count_nonzero(x == at) > 1
        assert (at, value) in kept or is_jump or abs(np.interp(at, kept_x, kept_y) - value) <= off + 1e-9


def test_a_straightened_line_has_its_corners_alone() -> None:
    x = np.arange(100.0)
    kept_x, _ = straightened(x, np.where(x < 40, 3.0, 7.0), 0.25)
    assert kept_x.tolist() == [0.0, 39.0, 40.0, 99.0]
