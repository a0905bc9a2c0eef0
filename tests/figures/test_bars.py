"""Bars side by side on an axis of kinds."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from fsconsole.figures.arrange import arrange
from fsconsole.figures.data import columns_of
from fsconsole.figures.export import file_bytes, sidecar_text
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle
from fsconsole.figures.style.palette import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")

KINDS = ("startup", "user", "idle")


@pytest.fixture
def bars() -> FigureSpec:
    """Two bars of each of three kinds."""
    places = np.arange(3.0)
    curves = (
        Curve("a", places, np.array([1.0, 0.5, 0.0]), "c2"),
        Curve("b", places, np.array([0.0, 1.0, 0.5]), "c4"),
    )
    return FigureSpec("bars", "Bars", Axis("part", limits=(0, 1)), curves, Axis("component", kinds=KINDS))


def test_kinds_stand_where_numbers_would(bars: FigureSpec) -> None:
    assert bars.x_span() == (-0.5, 2.5)
    laid_out = arrange(bars, FigureStyle(), 4000, 3000)
    assert laid_out.x_ticks.labels == KINDS
    places = [laid_out.x(value) for value in laid_out.x_ticks.values]
    assert all(before < after for before, after in pairwise(places))


def colours_at(image: QImage, bars: FigureSpec, kind: int, height: float) -> list[str]:
    """Colours of both bars of a kind at a part of the plot's height."""
    style = FigureStyle()
    scale = image.width() / (style.width_mm * 720 / 25.4)
    at = arrange(bars, style, image.width() / scale, image.height() / scale)
    found = []
    for beside in (-0.2, 0.2):
        point = at.x(kind + beside) * scale, at.y(height) * scale
        found.append(QColor(image.pixel(round(point[0]), round(point[1]))).name())
    return found


def test_bars_are_as_high_as_their_values(bars: FigureSpec) -> None:
    image = QImage.fromData(file_bytes(bars, "png", FigureStyle()))
    a, b, empty = (QColor(LIGHT.hex(token)).name() for token in ("c2", "c4", "surface"))
    assert colours_at(image, bars, 0, 0.7) == [a, empty]
    assert colours_at(image, bars, 1, 0.33) == [a, b]
    assert colours_at(image, bars, 1, 0.7) == [empty, b]
    assert colours_at(image, bars, 2, 0.33) == [empty, b]


def test_bars_that_share_a_colour_are_told_apart_by_hatching(bars: FigureSpec) -> None:
    """Five windows of RelShare have three colours; curves differ by their dashes, bars looked the same."""
    one, other = (replace(curve, colour="c2") for curve in bars.curves)
    image = QImage.fromData(file_bytes(replace(bars, curves=(one, other)), "png", FigureStyle()))
    full, empty = (QColor(LIGHT.hex(token)).name() for token in ("c2", "surface"))
    rows = [colours_at(image, bars, 1, height / 100) for height in range(20, 40)]
    assert {left for left, _ in rows} == {full}
    assert {right for _, right in rows} >= {empty}
    assert len({right for _, right in rows}) > 1  # lines on an empty ground


@pytest.mark.parametrize("form", ["svg", "pdf"])
@pytest.mark.parametrize("theme", ["dark", "print"])
def test_bars_on_paper(bars: FigureSpec, form: str, theme: str) -> None:
    assert file_bytes(bars, form, FigureStyle(theme=theme))  # type: ignore[arg-type]


def test_data_of_bars_have_a_row_for_each_kind_and_the_file_beside_says_which(bars: FigureSpec) -> None:
    columns = dict(columns_of(bars))
    assert columns["component"].tolist() == [0, 1, 2]
    assert json.loads(sidecar_text(bars))["kinds"].split(", ") == ["startup", "user", "idle"]
