"""Several figures on one page: equal plots, one time axis, all data in one table."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from fsconsole.figures.arrange import UNITS_PER_MM, arrange
from fsconsole.figures.data import columns_of
from fsconsole.figures.export import file_bytes, sidecar_text
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec, FigureStyle
from fsconsole.figures.stack import placed, stacked

THIN = "\N{NARROW NO-BREAK SPACE}"
TIMES = np.arange(0.0, 601.0, 10.0)
SHARE = FigureSpec(
    "run-share", "Share", Axis("share", "%", 100.0, "fraction", (0.0, 100.0)),
    (Curve("anna", TIMES, TIMES / 600),), quantity="share", events=(EventMark(300.0, "anna logs in"),),
)  # fmt: skip
CHARGE = FigureSpec(
    "run-charge", "Charge", Axis("charge", "CPU s", 1.0, "CPU s"), (Curve("anna", TIMES, 1e4 * TIMES),),
    quantity="charge", events=SHARE.events,
)  # fmt: skip
BOTH = stacked([SHARE, CHARGE], "run-plots", "The run")


def test_plots_of_one_page_are_equal_and_share_their_times() -> None:
    style = FigureStyle(height_mm=140.0)
    width, height = style.width_mm * UNITS_PER_MM, style.height_mm * UNITS_PER_MM
    parts = placed(BOTH, style, width, height)
    plots = [arrange(part, look, width, room).plot for part, look, _, room in parts]
    assert plots[0].height() == pytest.approx(plots[1].height())
    assert (plots[0].left(), plots[0].right()) == pytest.approx((plots[1].left(), plots[1].right()))
    assert parts[-1][2] + parts[-1][3] == pytest.approx(height)
    assert {look.x_range for _, look, _, _ in parts} == {(0.0, 600.0)}
    titles = [arrange(part, look, width, room).x_title for part, look, _, room in parts]
    assert titles == ["", "time, s"]
    assert [[mark.text for mark in part.events] for part, *_ in parts] == [[SHARE.events[0].text], [""]]


def test_one_figure_stays_as_it_is() -> None:
    assert stacked([SHARE], "run-plots", "The run") is SHARE


def test_the_files_of_a_page_hold_all_its_figures() -> None:
    columns = columns_of(BOTH, (100.0, 200.0))
    assert [name.split() for name, _ in columns] == [
        ["time_s"],
        ["anna", "share", "[fraction]"],
        ["anna", "charge", "[CPU", "s]"],
    ]
    assert len(columns[0][1]) == 11
    assert json.loads(sidecar_text(BOTH))["quantity"] == "share, charge"
    svg = file_bytes(BOTH, "svg", FigureStyle()).decode()
    assert "share, %" in svg
    assert ["charge,", "10⁶", "CPU", "s"] in [text.split() for text in re.split("[<>]", svg)]
    assert svg.count("time, s") == 1


def test_an_axis_in_powers_of_ten_has_a_place_for_0_and_says_what_it_is() -> None:
    charge = replace(CHARGE, y_axis=replace(CHARGE.y_axis, is_log=True))
    at = arrange(charge, FigureStyle(), 4000.0, 3000.0)
    assert at.y_title.split() == ["charge,", "CPU", "s", "(log)"]
    assert at.y_ticks.labels == ("0", f"100{THIN}000", "1 M", "10 M")
    (curve,) = at.curves
    assert at.y(curve.y[0]) == pytest.approx(at.plot.bottom())  # the charge is 0 there
    assert curve.y[10] == pytest.approx(6.0)
    assert at.y(at.y_ticks.values[-1]) == pytest.approx(at.plot.top())
    heights = np.diff([at.y(value) for value in at.y_ticks.values[1:]])
    assert heights == pytest.approx(np.full(2, heights[0]))
