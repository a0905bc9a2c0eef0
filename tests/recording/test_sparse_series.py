"""Readings of many nodes: what goes in comes out, in bounded memory, with its gaps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.recording.sparse_series import LEAST, Readings

NODES = (7, 3, 5)


def read(readings: Readings, time_s: float, nodes: tuple[int, ...] = NODES) -> bool:
    """A reading in which a node's value is ten times the time and its id."""
    return readings.append(time_s, nodes, {"used": np.array([10 * time_s + node for node in nodes], float)})


def test_what_was_read_comes_out() -> None:
    readings = Readings(("used",))
    for time_s in (10.0, 20.0, 30.0):
        assert read(readings, time_s)
    times, values = readings.curves("used", (3, 99, 7), 0.0, 100.0)
    assert times.tolist() == [10.0, 20.0, 30.0]
    assert values[0].tolist() == [103.0, 203.0, 303.0]
    assert np.isnan(values[1]).all()
    assert readings.values_at("used", (5, 99), 29.0)[0] == 205.0
    assert np.isnan(readings.values_at("used", (5,), 9.0)[0])
    assert readings.span_s == (10.0, 30.0)


def test_a_span_has_one_reading_beyond_each_end() -> None:
    readings = Readings(("used",))
    for time_s in range(10, 100, 10):
        read(readings, float(time_s))
    assert readings.curves("used", (3,), 35.0, 45.0)[0].tolist() == [30.0, 40.0, 50.0]
    assert readings.sample_times(35.0, 65.0).tolist() == [40.0, 50.0, 60.0]


def test_the_same_time_again_is_no_reading() -> None:
    readings = Readings(("used",))
    assert read(readings, 10.0)
    before = readings.revision
    assert not read(readings, 10.0)
    assert not read(readings, 9.0)
    assert readings.revision == before


def test_a_gap_parts_what_is_before_from_what_is_after() -> None:
    readings = Readings(("used",))
    assert not readings.gap(5.0)  # there is nothing to part
    read(readings, 10.0)
    assert readings.gap(20.0)
    assert not readings.gap(30.0)  # it goes on
    read(readings, 40.0)
    times, values = readings.curves("used", (3,), 0.0, 100.0)
    assert times.tolist() == [10.0, 20.0, 40.0]
    assert np.isnan(values[0]).tolist() == [False, True, False]
    assert readings.sample_times(0.0, 100.0).tolist() == [10.0, 40.0]
    assert np.isnan(readings.values_at("used", (3,), 35.0)[0])


def test_nodes_may_come_and_go() -> None:
    readings = Readings(("used",))
    read(readings, 10.0)
    read(readings, 20.0, (3, *range(100, 300)))
    read(readings, 30.0, (7,))
    values = readings.curves("used", (3, 7, 150), 0.0, 100.0)[1]
    assert np.isnan(values).tolist() == [[False, False, True], [False, True, False], [True, False, True]]
    low, high = readings.band("used", (3, 7, 150), 0.0, 100.0)[1:]
    assert (low.tolist(), high.tolist()) == ([103.0, 203.0, 307.0], [107.0, 350.0, 307.0])


@given(st.lists(st.booleans(), min_size=LEAST, max_size=6 * LEAST))
def test_memory_is_bounded_and_gaps_stay(is_read: list[bool]) -> None:
    """Whatever is thinned: times rise, values are those of their times, and no line crosses a gap."""
    readings = Readings(("used",), budget_bytes=1)
    for at, answered in enumerate(is_read):
        if answered:
            read(readings, float(at))
        else:
            readings.gap(float(at))
    assert len(readings) <= LEAST
    times, values = readings.curves("used", (3,), 0.0, 1e9)
    assert (np.diff(times) > 0).all()
    there = ~np.isnan(values[0])
    assert np.array_equal(values[0][there], (10 * times + 3)[there])
    for at in np.flatnonzero(there[:-1] & there[1:]).tolist():
        assert all(is_read[int(times[at]) : int(times[at + 1])])
