"""What is in sight: seconds and pixels fit together, and nobody gets lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.console.analyse.study.gantt_sight import LEAST_S, Sight, areas_of

ALL = Sight.of_all(0.0, 1_000_000.0, 100.0, 800.0, 500.0)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("zoom"), st.floats(0.1, 10), st.floats(0, 1)),
        st.tuples(st.just("lanes"), st.floats(0.1, 10), st.floats(0, 1)),
        st.tuples(st.just("move"), st.floats(-5000, 5000), st.floats(-900, 900)),
    ),
    max_size=8,
)


def moved(sight: Sight, way: tuple[str, float, float]) -> Sight:
    kind, first, second = way
    if kind == "zoom":
        return sight.zoomed(first, sight.begin_s + second * sight.seconds)
    if kind == "lanes":
        return sight.zoomed_lanes(first, sight.top + second * (sight.bottom - sight.top))
    return sight.moved(first, second)


@given(moves)
def test_whatever_is_done_what_is_in_sight_is_there(ways: list[tuple[str, float, float]]) -> None:
    sight = ALL
    for way in ways:
        sight = moved(sight, way)
        assert ALL.begin_s - 1e-6 <= sight.begin_s < sight.end_s <= ALL.end_s + 1e-6
        assert -1e-9 <= sight.top < sight.bottom <= ALL.lanes + 1e-9
        assert sight.seconds >= LEAST_S * (1 - 1e-9)
    assert sight.all() == ALL


@given(st.floats(0.05, 1), st.floats(0, 1), st.floats(0, 800))
def test_seconds_and_places_are_inverse_and_the_place_under_the_pointer_stays(
    factor: float, part: float, x: float
) -> None:
    sight = ALL.zoomed(factor, part * 1e6)
    assert sight.x(sight.second(x)) == pytest.approx(x, abs=1e-6)
    closer = sight.zoomed(0.5, sight.second(x))
    assert closer.x(sight.second(x)) == pytest.approx(x, abs=1e-4)


def test_a_drag_moves_what_is_drawn_with_the_pointer() -> None:
    sight = ALL.zoomed(0.1)
    assert sight.moved(40.0).x(sight.second(100.0)) == pytest.approx(60.0)


def test_another_run_shows_the_same_time_if_it_has_that() -> None:
    near = ALL.zoomed(0.01, 500_000.0)
    assert ALL.like(near).begin_s == near.begin_s
    early = Sight.of_all(0.0, 1000.0, 100.0, 800.0, 500.0)
    assert early.like(near) == early
    assert ALL.like(ALL) == ALL


@given(st.integers(200, 2000), st.integers(160, 1500))
def test_parts_lie_under_each_other_inside(width: int, height: int) -> None:
    areas = areas_of(width, height)
    parts = (areas.machine, areas.strip, areas.waiting, areas.axis)
    assert all(upper.bottom <= lower.y for upper, lower in pairwise(parts))
    assert areas.axis.bottom <= height
    assert all(part.x == areas.machine.x and part.right <= width for part in parts)
