from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.recording.series import FACTOR, TieredSeries


def filled(values: list[float], capacity: int = 16) -> TieredSeries:
    """A series of one node with a sample each second, that keeps few samples one by one."""
    series = TieredSeries(("cpu_rate",), 1)
    series.capacity = capacity
    for at, value in enumerate(values):
        series.append(float(at), [7], {"cpu_rate": np.array([value])})
    return series


values_of_a_run = st.lists(st.floats(-1000, 1000, width=32, allow_subnormal=False), min_size=1, max_size=1400)


@given(values_of_a_run, st.integers(2, 60), st.floats(0, 1), st.floats(0, 1))
def test_no_sample_lies_outside_what_is_drawn(
    values: list[float], points: int, one: float, other: float
) -> None:
    series = filled(values)
    last = len(values) - 1
    start, end = sorted((one * last, other * last))
    times, drawn = series.curve("cpu_rate", 7, start, end, points)
    for at in range(math.ceil(start), math.floor(end) + 1):
        # A bucket is drawn from the last time not after a sample to the next one.
        began = times[times <= at].max()
        ended = times[times > began].min(initial=math.inf)
        covering = drawn[(times == began) | (times == ended)]
        assert covering.min() <= np.float32(values[at]) <= covering.max()


@given(values_of_a_run, st.integers(2, 60))
def test_nothing_is_drawn_that_was_not_there(values: list[float], points: int) -> None:
    times, drawn = filled(values).curve("cpu_rate", 7, 0.0, float(len(values)), points)
    assert list(times) == sorted(times)
    assert set(drawn.astype(np.float32)) <= set(np.array(values, np.float32))
    assert drawn.max() == np.float32(max(values))
    assert drawn.min() == np.float32(min(values))


@given(values_of_a_run, st.integers(2, 60), st.booleans())
def test_what_only_rises_or_falls_is_drawn_as_it_does(values: list[float], points: int, falls: bool) -> None:
    values.sort(reverse=falls)
    times, drawn = filled(values).curve("cpu_rate", 7, 0.0, float(len(values)), points)
    assert (np.diff(times) >= 0).all()
    assert (np.diff(-drawn if falls else drawn) >= 0).all()


def test_times_never_repeat_across_tiers() -> None:
    # 5000 samples with 16 kept: five tiers, each ending in the middle of the next coarser one's bucket.
    series = filled([float(at % 97) for at in range(5003)])
    times, _ = series.curve("cpu_rate", 7, 0.0, 5003.0, 10_000)
    starts = times[::2] if len(times) > 1 and times[0] == times[1] else np.unique(times)
    assert len(np.unique(times)) >= len(starts) - 1
    assert times[0] == 0.0
    assert times[-1] == 5002.0


def test_a_start_before_the_first_sample_is_drawn_as_finely_as_the_first_sample() -> None:
    series = filled([float(at) for at in range(200)], capacity=4096)
    early, _ = series.curve("cpu_rate", 7, -50.0, 200.0, 1000)
    exact, _ = series.curve("cpu_rate", 7, 0.0, 200.0, 1000)
    assert early.tolist() == exact.tolist() == [float(at) for at in range(200)]


def test_memory_does_not_grow_with_the_length_of_a_run() -> None:
    def held(series: TieredSeries) -> int:
        return sum(tier._low.nbytes + tier._high.nbytes + tier.times.nbytes for tier in series._tiers)

    series = TieredSeries(("cpu_rate",), 1)
    series.capacity = 64
    value = {"cpu_rate": np.array([1.0])}
    sizes = []
    for at in range(20_000):
        series.append(float(at), [1], value)
        if at in (FACTOR**4, 19_999):
            sizes.append((held(series), len(series._tiers)))
    (early, tiers_then), (late, tiers_now) = sizes
    assert late / tiers_now == early / tiers_then
    assert tiers_now <= tiers_then + 1


def test_a_peak_of_one_sample_survives_a_month() -> None:
    values = [0.0] * 30_000
    values[12_345] = 1.0
    _, drawn = filled(values, capacity=64).curve("cpu_rate", 7, 0.0, 30_000.0, 100)
    assert drawn.max() == 1.0


def test_nodes_that_come_later_have_no_values_before() -> None:
    series = TieredSeries(("cpu_rate",), 1)
    for at in range(20):
        ids = [1] if at < 10 else [1, 2]
        series.append(float(at), ids, {"cpu_rate": np.full(len(ids), float(at))})
    times, values = series.curves("cpu_rate", (2, 1, 99), 0.0, 20.0, 100)
    assert times.tolist() == [float(at) for at in range(20)]
    assert np.isnan(values[0, :10]).all()
    assert values[0, 10:].tolist() == [float(at) for at in range(10, 20)]
    assert values[1].tolist() == [float(at) for at in range(20)]
    assert np.isnan(values[2]).all()


def test_an_unknown_node_has_an_empty_curve() -> None:
    times, values = filled([1.0, 2.0]).curve("cpu_rate", 3, 0.0, 9.0, 10)
    assert len(times) == len(values) == 0


def test_an_empty_series_says_so() -> None:
    series = TieredSeries(("charge",), 1)
    assert series.span_s == (0.0, 0.0)
    assert len(series) == 0
    assert np.isnan(series.values_at("charge", (7,), 3.0)).all()
    assert len(series.curve("charge", 1, 0.0, 1.0, 10)[0]) == 0


def test_values_are_those_of_the_newest_sample_not_after_a_time() -> None:
    series = filled([10.0, 20.0, 30.0])
    assert series.values_at("cpu_rate", (7,), 1.9).tolist() == [20.0]
    assert series.values_at("cpu_rate", (7,), 99.0).tolist() == [30.0]
    assert series.values_at("cpu_rate", (7,), -5.0).tolist() == [10.0]


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40), st.integers(0, 900), st.data())
def test_kept_instants_keep_what_was_known_of_them(first: list[int], more: int, data: st.DataObject) -> None:
    series = filled([float(value) for value in first])
    times = data.draw(st.lists(st.integers(0, len(first) - 1), min_size=1, max_size=3))
    series.keep(map(float, times))
    known = [(at, series.values_at("cpu_rate", (7,), at)[0], series.span_at(at)) for at in times]
    for at in range(len(first), len(first) + more):
        series.append(float(at), [7, 8], {"cpu_rate": np.array([2000.0 + at, 1.0])})
    for at, value, span in known:
        assert series.values_at("cpu_rate", (7,), at)[0] == value
        assert series.span_at(at) == span


@given(st.integers(1, 3000), st.data())
def test_values_at_a_time_are_the_largest_of_its_span(count: int, data: st.DataObject) -> None:
    values = [float(at * 7919 % 101) for at in range(count)]
    at = data.draw(st.integers(0, count - 1))
    series = filled(values)
    start_s, end_s = series.span_at(at)
    assert start_s <= at <= end_s
    inside = values[int(start_s) : max(int(end_s), at + 1)]
    newest = values[-1:] if end_s == count - 1 else []  # of the same bucket, or of the next one
    assert series.values_at("cpu_rate", (7,), at)[0] in {max(inside), max(inside + newest)}


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=1, max_size=300))
def test_a_band_holds_the_curves_of_all_its_nodes(pairs: list[tuple[float, float]]) -> None:
    series = TieredSeries(("cpu_rate",), 2)
    series.capacity = 16
    for at, pair in enumerate(pairs):
        series.append(float(at), [1, 2], {"cpu_rate": np.array(pair)})
    _, low, high = series.band("cpu_rate", (1, 2), 0.0, float(len(pairs)), 20)
    assert low.min() == min(min(pair) for pair in pairs)
    assert high.max() == max(max(pair) for pair in pairs)
    assert (low <= high).all()


def test_an_unknown_quantity_is_refused() -> None:
    with pytest.raises(KeyError):
        filled([1.0]).curve("temperature", 7, 0.0, 1.0, 10)
