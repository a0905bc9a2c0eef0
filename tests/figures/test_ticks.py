from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fsconsole.figures import ticks


@pytest.mark.parametrize(
    ("low", "high", "count", "labels"),
    [
        (0, 100, 4, ("0", "25", "50", "75", "100")),
        (0, 3, 6, ("0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0")),
        (0, 30, 3, ("0", "10", "20", "30")),
        (-20, 20, 4, ("−20", "−10", "0", "10", "20")),
        (0, 0.03, 3, ("0.00", "0.01", "0.02", "0.03")),
    ],
)
def test_ticks_stand_at_whole_steps(low: float, high: float, count: int, labels: tuple[str, ...]) -> None:
    assert ticks.linear_ticks(low, high, count).labels == labels


@pytest.mark.parametrize(
    ("low", "high", "count", "step"),
    [(0, 980, 8, 120), (0, 600, 5, 120), (400, 970, 5, 120), (0, 60, 6, 10), (0, 7200, 8, 1200)],
)
def test_time_ticks_are_whole_minutes_where_there_are_some(
    low: float, high: float, count: int, step: float
) -> None:
    values = ticks.time_ticks(low, high, count).values
    assert {after - before for before, after in pairwise(values)} == {step}
    assert all(value % step == 0 for value in values)


@pytest.mark.parametrize(("high", "count"), [(400, 8), (400, 6), (500, 8), (600, 9), (1800, 8), (3600, 5)])
def test_round_ranges_have_a_tick_at_their_end(high: float, count: int) -> None:
    values = ticks.time_ticks(0.0, high, count).values
    assert values[-1] == high
    assert count / 2 <= len(values) - 1 <= 1.5 * count


@given(st.floats(1e-9, 1e12))
def test_the_end_of_an_axis_holds_its_value_without_wasting_half(value: float) -> None:
    top = ticks.nice_top(value)
    assert value <= top * (1 + 1e-9)
    assert top <= 2 * value


def test_an_axis_without_data_has_an_end() -> None:
    assert ticks.nice_top(0.0) == 1.0
    assert ticks.nice_top(float("nan")) == 1.0


@pytest.mark.parametrize(
    ("largest", "exponent", "unit"),
    [(99_999, 0, "s"), (100_000, 3, "10³ s"), (2.6e6, 6, "10⁶ s"), (0.5, 0, "s"), (0.002, -3, "10⁻³ s")],
)
def test_large_and_small_values_move_into_the_axis_title(largest: float, exponent: int, unit: str) -> None:
    assert ticks.power_of_thousand(largest) == exponent
    assert ticks.unit_with_power("s", exponent) == unit


@given(st.lists(st.floats(0, 1000), max_size=16), st.floats(5, 40))
@example([899.0, 932.0, 967.0, 1000.0], 34.0)
def test_names_at_line_ends_never_overlap(wanted: list[float], height: float) -> None:
    places = ticks.spread(wanted, height, 0.0, 1000.0)
    assert len(places) == len(wanted)
    assert all(-1e-6 <= place <= 1000 + 1e-6 for place in places)
    gap = min(height, 1000 / max(len(wanted) - 1, 1))
    ordered = sorted(places)
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(ordered))


def test_names_with_room_stand_where_they_want() -> None:
    assert ticks.spread([100.0, 10.0, 50.0], 12.0, 0.0, 200.0) == [100.0, 10.0, 50.0]


def test_names_that_want_one_place_keep_their_order_around_it() -> None:
    assert ticks.spread([50.0, 50.0, 50.0], 10.0, 0.0, 100.0) == [40.0, 50.0, 60.0]
    first, second, _ = ticks.spread([50.4, 49.6, 90.0], 10.0, 0.0, 100.0)
    # What ends higher is named higher.
    assert second == pytest.approx(first - 10.0)
