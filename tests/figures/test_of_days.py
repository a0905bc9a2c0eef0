"""A user's days as figures: jobs as bars, node-hours as lines, dates where the trace has them."""

from __future__ import annotations

import polars as pl
import pytest

from fsconsole.figures.of_days import days_between, figure_2, figure_3, only_between
from tests.texts import wording

DAY_S = 86400
# 1996-10-26 00:00 in Stockholm, where clocks went back in the night after.
SATURDAY = 846280800


@pytest.fixture
def days() -> pl.DataFrame:
    """Four days of user 8, who asks for something on the second and the third, and of another."""
    rows = [
        (user, day, day * DAY_S, demand, demand / 2, demand / 4, 1.0, day, 1 if demand else 0, 0)
        for user, demands in (("8", (0.0, 30.0, 20.0, 0.0)), ("9", (5.0, 5.0, 5.0, 5.0)))
        for day, demand in enumerate(demands)
    ]
    names = ["user", "day", "start_s", "demand_nh", "usage_nh", "entitled_nh", "mean_demand_nh"]
    return pl.DataFrame(rows, schema=[*names, "waiting", "new", "started"], orient="row")


def test_jobs_by_day_are_bars_of_the_one_user(days: pl.DataFrame) -> None:
    spec = figure_2(days, "8", "RelShare(1d)", "a", None)
    assert spec.title.split(": ") == ["Fig. 2(a)", "RelShare(1d)"]
    assert {curve.name: curve.y.tolist() for curve in spec.curves} == {
        wording("figures.waiting-from-before"): [0, 1, 2, 3],
        "submitted": [0, 1, 1, 0],
        "started": [0, 0, 0, 0],
    }
    assert {spec.shape_of(curve) for curve in spec.curves} == {"bar"}
    assert spec.x_axis.kinds == ("1", "2", "3", "4")


def test_node_hours_by_day_are_lines(days: pl.DataFrame) -> None:
    spec = figure_3(days, "8", "FCFS-backfill", "b", None)
    values = {curve.name: curve.y.tolist() for curve in spec.curves}
    assert values["demand"] == [0, 30, 20, 0]
    assert values["usage"] == [0, 15, 10, 0]
    assert values["entitled share"] == [0, 7.5, 5, 0]
    assert {spec.shape_of(curve) for curve in spec.curves} == {"line"}


def test_each_date_is_reported_once_when_clocks_change(days: pl.DataFrame) -> None:
    spec = figure_2(days, "8", "RelShare(1d)", "a", SATURDAY, "Europe/Stockholm")
    assert spec.x_axis.kinds == ("26 Oct", "27 Oct", "28 Oct", "29 Oct")
    unknown = figure_2(days, "8", "RelShare(1d)", "a", SATURDAY + 7200, "Nowhere/Town")
    assert unknown.x_axis.kinds[0] == "26 Oct"


def test_days_on_which_a_user_asks_for_something(days: pl.DataFrame) -> None:
    assert days_between(days, "8") == (1, 2)
    assert days_between(days, "nobody") is None
    assert only_between(days, (1, 2)).filter(pl.col("user") == "8")["demand_nh"].to_list() == [30.0, 20.0]
