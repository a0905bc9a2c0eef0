"""Figures of waits: percentiles by nearest rank, and the cumulative distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.measures.slowdown import p99
from fsconsole.figures.of_waits import parts_up_to, percentiles_h, user_waits, wait_figures
from tests.figures.test_of_batch import kth

_WAITS = st.lists(st.integers(0, 10**6), min_size=1, max_size=300)


def test_parts_of_jobs_by_hand() -> None:
    # 0, 10 s, 1 min, 10 min, 1 h, 6 h, 1 d, 3 d, 7 d
    found = parts_up_to(np.array([0.0, 0.0, 10.0, 61.0, 3600.0, 90_000.0, 700_000.0, 700_000.0]))
    assert found.tolist() == [0.25, 0.375, 0.375, 0.5, 0.625, 0.625, 0.625, 0.75, 0.75]


@given(_WAITS)
def test_percentiles_rise_and_agree_with_those_of_the_tables(waits: list[int]) -> None:
    waits_s = np.array(waits, dtype=np.float64)
    found = percentiles_h(waits_s)
    assert (np.diff(found) >= 0).all()
    assert found[-1] == waits_s.max() / 3600
    assert found[5] == pytest.approx(p99(np.array(waits)) / 3600)
    parts = parts_up_to(waits_s)
    assert (np.diff(parts) >= 0).all()
    assert parts[0] == (waits_s == 0).mean()


def test_policies_have_their_colours_and_the_axis_is_of_powers_of_ten() -> None:
    numbers = kth()
    waits = {label: np.array([0.0, 3600.0, 7200.0]) for label in ("FCFS-backfill", "RelShare(1d)")}
    percentiles, parts = wait_figures(numbers, "KTH", waits)
    assert percentiles.y_axis.is_log
    assert percentiles.x_axis.kinds == ("25", "50", "75", "90", "95", "99", "99.9", "max")
    assert [curve.name for curve in parts.curves] == list(waits)
    assert [curve.colour for curve in parts.curves] == [numbers.styles[label].colour_token for label in waits]
    brief = wait_figures(numbers, "KTH", waits, are_brief=True)
    assert brief[0].curves[0].name == "FCFS"


def test_boxes_of_users_hold_the_middle_half() -> None:
    spec = user_waits(kth(), "KTH", {"FCFS-backfill": np.arange(1.0, 101.0), "LXF-backfill": np.ones(4)})
    (boxes,) = spec.curves
    assert spec.x_axis.kinds == ("FCFS", "LXF")
    assert boxes.y.tolist() == [50, 1]
    assert [edge.tolist() for edge in (*boxes.band, *boxes.whiskers)] == [[25, 1], [75, 1], [5, 1], [95, 1]]


def test_a_user_stands_out_among_the_boxes_with_numbers() -> None:
    waits = {"FCFS-backfill": np.arange(1.0, 101.0), "LXF-backfill": np.ones(4)}
    boxes, own = user_waits(kth(), "KTH", waits, "6", {"FCFS-backfill": 7.25}).curves
    assert boxes.path == "users"
    assert own.shape == "tick"
    assert own.labels == ("7.25", "")
    assert own.y[0] == 7.25
    assert np.isnan(own.y[1])
    assert "#6" in user_waits(kth(), "KTH", waits, "6", {"FCFS-backfill": 7.25}).caption
    assert len(user_waits(kth(), "KTH", waits, "6", {}).curves) == 1
