"""Curves that say how they are drawn: ticks, levels, labels, bands, on kinds and on time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFontMetricsF, QImage

from fsconsole.figures.arrange import arrange
from fsconsole.figures.export import file_bytes
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle
from fsconsole.figures.style.palette import CURVE_TOKENS, GREY_TOKENS, LIGHT, contrast, pale

pytestmark = pytest.mark.usefixtures("qapp")

KINDS = ("4h", "1d", "7d")
PLACES = np.arange(3.0)
STYLE = FigureStyle()


def figure(*curves: Curve, kinds: tuple[str, ...] = KINDS) -> FigureSpec:
    return FigureSpec("shapes", "Shapes", Axis("wait", "h"), curves, Axis("window", kinds=kinds))


def colours_near(spec: FigureSpec, x: float, y: float, reach: int = 2) -> set[str]:
    """Colours in a few pixels around a value."""
    image = QImage.fromData(file_bytes(spec, "png", STYLE))
    scale = image.width() / (STYLE.width_mm * 720 / 25.4)
    at = arrange(spec, STYLE, image.width() / scale, image.height() / scale)
    column, row = round(at.x(x) * scale), round(at.y(y) * scale)
    span = range(-reach, reach + 1)
    return {QColor(image.pixel(column + across, row + down)).name() for across in span for down in span}


def shown(token: str) -> str:
    return QColor(LIGHT.hex(token)).name()


def test_a_level_is_drawn_right_across_and_a_line_from_value_to_value() -> None:
    spec = figure(
        Curve("RelShare", PLACES, np.array([10.0, 20.0, 30.0]), "c5", shape="line", marks=True),
        Curve("FCFS", PLACES, np.full(3, 25.0), "c2", shape="level"),
    )
    assert shown("c2") in colours_near(spec, -0.4, 25.0)
    assert shown("c2") in colours_near(spec, 2.4, 25.0)
    assert shown("c5") in colours_near(spec, 0.5, 15.0)
    assert shown("c5") not in colours_near(spec, -0.4, 6.0)


def test_ticks_stand_over_the_bars_which_have_all_the_room() -> None:
    spec = figure(
        Curve("RelShare", PLACES, np.array([10.0, -10.0, 5.0]), "c5"),
        Curve("FCFS", PLACES, np.array([20.0, -5.0, 5.0]), "c2", shape="tick"),
    )
    light = light_bar("c5")
    assert light in colours_near(spec, -0.35, 5.0)
    assert light in colours_near(spec, 1.3, -9.0)
    assert colours_near(spec, 1.3, 3.0).isdisjoint({light, shown("c5")})
    assert shown("c2") in colours_near(spec, 0.3, 20.0)


def light_bar(token: str) -> str:
    """Bars under dashes: as pale as they can be while they stand out."""
    made = pale(LIGHT.hex(token), LIGHT.surface, LIGHT.raised)
    assert 3 <= contrast(made, LIGHT.surface) < contrast(LIGHT.hex(token), LIGHT.surface)
    return QColor(made).name()


def test_bars_of_nothing_leave_no_dash() -> None:
    spec = figure(Curve("a", PLACES, np.array([4.0, 0.0, 4.0]), "c5"), Curve("b", PLACES, np.ones(3), "c2"))
    assert shown("c5") not in colours_near(spec, 0.8, 0.0)
    assert shown("c5") in colours_near(spec, 0 - 0.2, 3.0)


def test_names_of_bars_are_a_key_from_the_top_whatever_their_values() -> None:
    spec = figure(
        Curve("low", PLACES, np.array([1.0, 1.0, 0.0]), "c5"),
        Curve("high", PLACES, np.array([9.0, 9.0, 9.0]), "c2"),
    )
    at = arrange(spec, STYLE, 4000, 3000)
    low, high = at.name_places
    assert low is not None
    assert high is not None
    assert at.plot.top() < low < high < at.plot.top() + at.plot.height() / 3
    line = figure(replace(spec.curves[0], shape="line"), spec.curves[1])
    (end, _) = arrange(line, STYLE, 4000, 3000).name_places
    assert end is not None
    assert end > at.plot.center().y()


def test_a_band_is_shaded_and_counts_for_the_range() -> None:
    values = np.array([10.0, 10.0, 10.0])
    spec = figure(Curve("a", PLACES, values, "c2", shape="line", band=(values - 5, values + 30)))
    assert arrange(spec, STYLE, 4000, 3000).y_range[1] >= 40
    inside, outside = colours_near(spec, 1.2, 33.0, 0), colours_near(spec, 1.2, 3.0, 0)
    assert inside != outside == {shown("surface")}


@pytest.mark.parametrize("token", [*CURVE_TOKENS, *GREY_TOKENS])
@pytest.mark.parametrize("shape", ["line", "level"])
def test_both_edges_of_a_band_stand_out_from_the_ground(shape: str, token: str) -> None:
    values = np.full(3, 20.0)
    band = (values - 10, values + 10)
    spec = figure(Curve("a", PLACES, values, token, shape=shape, band=band))  # type: ignore[arg-type]
    for edge in (10.0, 30.0):
        near = colours_near(spec, 1.2, edge, 1)
        assert max(contrast(one, LIGHT.surface) for one in near) >= 3


def test_a_box_goes_over_its_band_and_a_line_over_its_whiskers() -> None:
    values = np.full(3, 50.0)
    reach = {"band": (values - 20, values + 20), "whiskers": (values - 45, values + 45)}
    spec = figure(Curve("a", PLACES, values, "c2", shape="box", **reach))  # type: ignore[arg-type]
    ground = {shown("surface")}
    assert shown("c2") in colours_near(spec, 1.1, 50.0), "the dash"
    assert colours_near(spec, 1.1, 60.0, 0) != ground, "the box"
    assert shown("c2") in colours_near(spec, 1.0, 85.0), "the whisker"
    assert colours_near(spec, 1.1, 85.0, 0) == ground


def test_a_band_on_an_axis_of_powers_of_ten_is_where_its_values_are() -> None:
    values = np.full(3, 10.0)
    plain = figure(Curve("a", PLACES, values, "c2", shape="line", band=(values / 10, values * 100)))
    spec = replace(plain, y_axis=replace(plain.y_axis, is_log=True))
    ground = shown("surface")
    # 1000 is the upper edge.
    assert ground not in colours_near(spec, 0.5, 2.5)
    # 1 is the lower one.
    assert ground not in colours_near(spec, 0.5, 0.5)


def test_a_band_of_a_level_goes_right_across() -> None:
    values = np.full(3, 20.0)
    spec = figure(Curve("a", PLACES, values, "c2", shape="level", band=(values - 10, values + 10)))
    (ground,) = colours_near(spec, -0.4, 33.0, 0)
    assert ground == shown("surface")
    for x in (-0.4, 2.4):
        assert ground not in colours_near(spec, x, 13.0, 0)


@pytest.mark.parametrize("shape", ["bar", "line"])
def test_values_that_stand_alone_have_a_line_from_the_least_to_the_largest(shape: str) -> None:
    band = (np.array([10.0]), np.array([30.0]))
    curve = Curve("a", np.zeros(1), np.array([20.0]), "c2", shape=shape, band=band)  # type: ignore[arg-type]
    spec = figure(curve, kinds=("1d",))
    token = "text" if shape == "bar" else "c2"
    for y in (13.0, 27.0):
        assert shown(token) in colours_near(spec, -0.032 if shape == "bar" else 0.0, y)
    assert shown(token) not in colours_near(spec, 0.2, 27.0)


def test_thin_bars_leave_their_neighbours_to_be_seen() -> None:
    places = np.arange(300.0)
    many = [Curve(token, places, np.full(300, 10.0), token) for token in ("c2", "c8", "c5")]
    image = QImage.fromData(file_bytes(figure(*many, kinds=tuple(map(str, places))), "png", STYLE))
    at = round(0.6 * image.height())
    found = [QColor(image.pixel(x, at)) for x in range(image.width() // 4, image.width() // 2)]
    orange = sum(one.red() > max(one.green(), one.blue()) + 40 for one in found)
    blue = sum(one.blue() > max(one.green(), one.red()) + 20 for one in found)
    # Each has about the same room.
    assert 0.5 < blue / orange < 2


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_words_above_values_are_drawn_in_every_form(form: str) -> None:
    curve = Curve("a", PLACES, np.array([1.0, np.nan, 3.0]), "c2", shape="line", labels=("1", "", "three"))
    data = file_bytes(figure(curve), form, STYLE)
    if form == "svg":
        assert b">three<" in data
    assert data


def test_names_on_an_axis_are_thinned_until_they_fit() -> None:
    kinds = tuple(f"#{number}" for number in range(200))
    spec = figure(Curve("a", np.arange(200.0), np.ones(200)), kinds=kinds)
    ticks = arrange(spec, STYLE, 4000, 3000).x_ticks
    assert ticks.labels[0] == "#0"
    assert 5 < len(ticks.labels) < 60


def test_a_name_unlike_the_others_is_there_though_the_others_are_thinned() -> None:
    kinds = (*(f"1996-{month:02}" for month in range(1, 13)), "Lublin-Feitelson")
    spec = figure(Curve("a", np.arange(13.0), np.ones(13)), kinds=kinds)
    ticks = arrange(spec, STYLE, 4000, 3000).x_ticks
    assert "Lublin-Feitelson" in ticks.labels
    assert 3 < len(ticks.labels) < 13


def test_data_of_kinds_say_their_names() -> None:
    spec = figure(Curve("a", PLACES, np.array([1.5, 2.0, np.nan])))
    head, *rows = file_bytes(spec, "csv", STYLE).decode().splitlines()
    assert head.split() == ["window,a", "wait", "[h]"]
    assert rows == ["4h,1.5", "1d,2.0", "7d,"]


def test_words_above_the_highest_value_do_not_run_into_the_title() -> None:
    places = np.array([0.0, 1.0, 2.0])
    words = ("", "42.7", "")
    low, high = (
        replace(figure(Curve("", places, values, shape="tick", labels=words)), y_axis=axis)
        for values, axis in (
            (np.array([1.0, 5.0, 1.0]), Axis("wait", "h", limits=(0.0, 10.0))),
            (np.array([1.0, 9.9, 1.0]), Axis("wait", "h", limits=(0.0, 10.0))),
        )
    )
    tops = [arrange(spec, FigureStyle(), 4000.0, 2400.0).plot.top() for spec in (low, high)]
    letter = QFontMetricsF(arrange(high, FigureStyle(), 4000.0, 2400.0).fonts.plain).height()
    assert tops[1] == pytest.approx(tops[0] + letter)
