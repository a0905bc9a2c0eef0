"""The picture of spans against boxes laid out place by place, and against sums that must hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from fsconsole.figures.span_picture import PARTS, paint_spans

WHITE, BLACK, RED = (255.0, 255.0, 255.0), (0.0, 0.0, 0.0), (200.0, 0.0, 0.0)


def painted(
    spans: list[tuple[int, int, int, int, int]],
    size: tuple[int, int],
    sight: tuple[float, float, float, float, float],
    colours: tuple[tuple[float, float, float], ...] = (BLACK, RED, WHITE),
) -> NDArray[Any]:
    """The picture, [height, width, 3], of (start, end, first lane, lanes, colour)."""
    columns = np.array(spans, dtype=np.int64).reshape(-1, 5).T
    height, width = size
    pixels = np.zeros(size, dtype=np.uint32)
    paint_spans(
        np.ascontiguousarray(columns[0]),
        np.ascontiguousarray(columns[1]),
        columns[2].astype(np.int32),
        columns[3].astype(np.int32),
        columns[4].astype(np.uint8),
        np.array(sight),
        np.array(colours, dtype=np.float32),
        np.zeros((height + 2, width, PARTS), dtype=np.float32),
        pixels,
    )
    assert (pixels >> 24 == 255).all()
    return np.stack([pixels >> shift & 255 for shift in (16, 8, 0)], axis=2)


def test_a_job_fills_its_seconds_and_lanes_and_leaves_a_line_to_its_neighbours() -> None:
    picture = painted([(2, 8, 1, 2, 1)], (20, 10), (0.0, 1.0, 0.0, 5.0, 1.0))
    is_red = (picture == np.array(RED)).all(axis=2)
    assert is_red[5:14, 2:7].all()
    assert is_red.sum() == 9 * 5  # a pixel less at the right and below
    assert (picture[~is_red] == 255).all()


def test_narrow_jobs_count_by_what_they_cover() -> None:
    picture = painted([(0, 25, 0, 1, 0), (50, 75, 0, 1, 0)], (4, 1), (0.0, 0.01, 0.0, 4.0, 1.0))
    assert picture[:3, 0].tolist() == [[127, 127, 127]] * 3


def test_more_lanes_than_pixels_share_them() -> None:
    picture = painted([(0, 10, 0, 50, 0)], (10, 10), (0.0, 1.0, 0.0, 0.1, 0.0))
    assert (picture[:5] == 0).all()
    assert (picture[5:] == 255).all()


@pytest.mark.parametrize("sight", [(100.0, 1.0, 0.0, 5.0, 1.0), (0.0, 1.0, 30.0, 5.0, 1.0)])
def test_what_is_out_of_sight_is_not_painted(sight: tuple[float, float, float, float, float]) -> None:
    assert (painted([(2, 8, 1, 2, 1)], (20, 10), sight) == 255).all()


spans_drawn = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 40), st.integers(0, 8), st.integers(1, 4)), max_size=12
)


@given(spans_drawn, st.floats(-5, 30), st.floats(0.05, 4), st.floats(0, 4), st.sampled_from([0.3, 1.0, 3.7]))
def test_each_place_is_covered_as_much_as_boxes_laid_over_it(
    drawn: list[tuple[int, int, int, int]], begin: float, px_per_s: float, top: float, px_per_lane: float
) -> None:
    """Without lines between, black on white; a whole lane's rows are alike."""
    height, width = 12, 16
    spans = [(start, start + runs, first, wide, 0) for start, runs, first, wide in drawn]
    picture = painted(spans, (height, width), (begin, px_per_s, top, px_per_lane, 0.0))
    covered = np.zeros((height, width))
    for start, end, first, wide, _ in spans:
        x = _covered((start - begin) * px_per_s, (end - begin) * px_per_s, width)
        if px_per_lane >= 1:
            lanes = np.floor(np.floor(top) + (top - np.floor(top)) + (np.arange(height) + 0.5) / px_per_lane)
            y = ((lanes >= first) & (lanes < first + wide)).astype(float)
        else:
            y = _covered((first - top) * px_per_lane, (first + wide - top) * px_per_lane, height)
        covered += np.outer(y, x)
    wanted = 255 * (1 - np.minimum(covered, 1))
    assert np.abs(picture[:, :, 0] - wanted).max() <= 2


def _covered(first: float, last: float, count: int) -> NDArray[Any]:
    """How much of each of so many places lies between two."""
    places = np.arange(count)
    found: NDArray[Any] = np.clip(np.minimum(last, places + 1) - np.maximum(first, places), 0, 1)
    return found
