"""Names at the ends of curves: in the order of the ends, apart from each other, and none beyond the plot."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF

from fsconsole.figures.arrange import Arrangement, arrange
from fsconsole.figures.files import svg_bytes
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle
from fsconsole.figures.ticks import spread

pytestmark = pytest.mark.usefixtures("qapp")
ends = st.lists(st.floats(0, 1) | st.sampled_from([0.5, 0.5000001, 0.4999999]), min_size=1, max_size=16)
heights = st.integers(500, 4000)


def laid_out(last: list[float], height: int, *, are_bars: bool = False) -> Arrangement:
    x = np.arange(2.0)
    curves = tuple(
        Curve(f"curve {number}", x, np.array([0.3, end]), shape="bar" if are_bars else "line")
        for number, end in enumerate(last)
    )
    return arrange(FigureSpec("a", "A", Axis("y", limits=(0.0, 1.0)), curves), FigureStyle(), 4000, height)


def line_of(at: Arrangement) -> float:
    return QFontMetricsF(at.fonts.bold).capHeight()


@given(ends, heights)
def test_names_stand_in_the_order_of_the_ends_without_overlap(last: list[float], height: int) -> None:
    at = laid_out(last, height)
    named = [(at.y(end), place) for end, place in zip(last, at.name_places, strict=True) if place is not None]
    assert named or at.unnamed
    for (first_end, first), (second_end, second) in pairwise(sorted(named)):
        if first_end < second_end:
            # Leaders do not cross.
            assert first < second
    places = sorted(place for _, place in named)
    if at.unnamed is not None:
        assert at.unnamed[0] == len(last) - len(named)
        places.append(at.unnamed[1])
    assert all(after - before >= line_of(at) for before, after in pairwise(places))
    assert all(at.plot.top() <= place <= at.plot.bottom() for place in places)


@given(ends, heights)
def test_a_key_stays_in_the_plot_without_overlap(last: list[float], height: int) -> None:
    at = laid_out(last, height, are_bars=True)
    places = [place for place in at.name_places if place is not None]
    assert places == sorted(places)
    if at.unnamed is not None:
        assert at.unnamed[0] == len(last) - len(places)
        places.append(at.unnamed[1])
    assert all(after - before >= line_of(at) for before, after in pairwise(places))
    assert all(place <= at.plot.bottom() for place in places)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=12), st.floats(1, 80))
def test_places_are_in_the_order_that_is_wanted(wanted: list[float], height: float) -> None:
    places = spread(wanted, height, 0.0, 1000.0)
    for (before, first), (after, second) in pairwise(sorted(zip(wanted, places, strict=True))):
        assert before == after or first < second


def test_where_there_is_room_all_are_named() -> None:
    at = laid_out([0.1 * number for number in range(8)], 4000)
    assert at.unnamed is None
    assert None not in at.name_places


@pytest.mark.parametrize("letters", [5, 300])
def test_a_long_name_leaves_the_curves_half_of_the_width(letters: int) -> None:
    x = np.arange(2.0)
    curve = Curve("n" * letters, x, x)
    at = arrange(FigureSpec("a", "A", Axis("y", limits=(0.0, 1.0)), (curve,)), FigureStyle(), 4000, 2000)
    words = QFontMetricsF(at.fonts.bold)
    assert at.plot.width() > 0.5 * 4000
    assert at.plot.right() + min(words.horizontalAdvance(curve.name), at.name_width) <= 4000


def test_a_name_that_is_elided_is_drawn_with_both_ends() -> None:
    x = np.arange(2.0)
    curve = Curve("first" + "n" * 300 + "last", x, x)
    text = svg_bytes(FigureSpec("a", "A", Axis("y", limits=(0.0, 1.0)), (curve,)), FigureStyle()).decode()
    assert "first" in text
    assert "…" in text
    assert "last" in text
    assert curve.name not in text


def test_a_title_has_the_whole_width_and_a_curve_without_a_name_no_leader() -> None:
    """Titles were cut where the names of curves begin; boxes had a dash beside the plot."""
    curve = Curve("a policy with a long name", np.arange(3.0), np.arange(3.0), "c2")
    spec = FigureSpec("f", "A title that is longer than the plot beside such names", Axis("y"), (curve,))
    style = FigureStyle(width_mm=100, height_mm=60)
    assert spec.title in svg_bytes(spec, style).decode()
    drawn = [svg_bytes(replace(spec, curves=(replace(curve, name=name),)), style) for name in ("", "a")]
    lines = [drawing.count(b"<polyline") + drawing.count(b"<path") for drawing in drawn]
    assert lines[0] == lines[1] - 1
