"""In print, bars of every policy are told apart without colours, and the key shows the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from fsconsole.figures.arrange import UNITS_PER_PT, arrange
from fsconsole.figures.export import file_bytes
from fsconsole.figures.print_looks import HATCHES, print_number
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle

STYLE = FigureStyle(theme="print")
COUNT = 8
_PIXELS_PER_PT = 200 / 72
Grey = NDArray[np.float64]


def bars_of(series: tuple[int | None, ...]) -> FigureSpec:
    place = np.zeros(1)
    curves = tuple(
        Curve(f"policy {number}", place, np.ones(1), "c2", series=one) for number, one in enumerate(series)
    )
    return FigureSpec("bars", "Bars", Axis("wait", limits=(0, 1)), curves, Axis("workload", kinds=("KTH",)))


def grey_of(spec: FigureSpec) -> Grey:
    image = QImage.fromData(file_bytes(spec, "png", STYLE)).convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].astype(np.float64) / 255


def feature(patch: Grey) -> Grey:
    """How light it is, and how much it changes to the right, down, and along both diagonals."""
    steps = (
        patch[:, 1:] - patch[:, :-1],
        patch[1:] - patch[:-1],
        patch[1:, 1:] - patch[:-1, :-1],
        patch[1:, :-1] - patch[:-1, 1:],
    )
    return np.array([patch.mean(), *(np.abs(step).mean() for step in steps)])


def looks(spec: FigureSpec) -> tuple[list[Grey], list[Grey]]:
    """Features of all bars and of all signs of the key."""
    grey = grey_of(spec)
    at = arrange(spec, STYLE, STYLE.width_mm * 720 / 25.4, STYLE.height_mm * 720 / 25.4)
    to_pixels = _PIXELS_PER_PT / UNITS_PER_PT
    bars, signs, width = [], [], 0.8 / len(spec.curves)
    for number, name_at in enumerate(at.name_places):
        assert name_at is not None
        left = number * width - 0.4
        x0, x1 = (round(at.x(left + part * width) * to_pixels) for part in (0.15, 0.75))
        y0, y1 = (round(at.y(part) * to_pixels) for part in (0.9, 0.3))
        bars.append(feature(grey[y0:y1, x0:x1]))
        em = STYLE.font_pt * UNITS_PER_PT
        x0, x1 = (round((at.plot.right() + part * em) * to_pixels) for part in (0.1, 0.8))
        y0, y1 = (round((name_at + part * em) * to_pixels) for part in (-0.3, 0.3))
        signs.append(feature(grey[y0:y1, x0:x1]))
    return bars, signs


def test_eight_policies_differ_in_print_and_the_key_agrees(qapp: object) -> None:
    bars, signs = looks(bars_of(tuple(range(COUNT))))
    for first, second in combinations(bars, 2):
        assert np.abs(first - second).max() > 0.05
    for number, sign in enumerate(signs):
        away = [float(np.abs(sign - bar).max()) for bar in bars]
        assert int(np.argmin(away)) == number


def test_a_policy_looks_the_same_in_every_figure(qapp: object) -> None:
    together, _ = looks(bars_of(tuple(range(4))))
    alone, _ = looks(bars_of((2, 0)))
    for number, series in enumerate((2, 0)):
        away = [float(np.abs(alone[number] - bar).max()) for bar in together]
        assert int(np.argmin(away)) == series


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_hatching_is_drawn_as_lines(qapp: object, form: str) -> None:
    full, hatched = (len(file_bytes(bars_of((one,)), form, STYLE)) for one in (0, 2))
    assert hatched > full


@given(st.lists(st.none() | st.integers(0, 40), min_size=1, max_size=len(HATCHES)))
def test_as_many_series_as_there_are_hatchings_all_differ(series: list[int | None]) -> None:
    spec = bars_of(tuple(series))
    by_number: dict[int, set[int]] = {}
    for index, one in enumerate(series):
        identity = -1 - index if one is None else one
        by_number.setdefault(print_number(spec, index), set()).add(identity)
    assert all(len(found) == 1 for found in by_number.values())
