"""What the live plots paint, in pixels of the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QRegion, QTransform
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.live.plots.plot_annotations import (
    LATER,
    Scales,
    paint_events,
    paint_later,
    paint_notes,
)
from fsconsole.console.live.plots.plot_curves import curve_pen
from fsconsole.console.live.plots.value_column import ValueColumn, ValueRow
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.theme import ThemeMode, colour, pale, theme
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID, CurveStyle
from fsconsole.figures.style.palette import CURVE_TOKENS, contrast
from fsconsole.recording.notes import NoteMark

INK = QColor("#c00000")


def screen(ratio: float) -> QImage:
    """A picture of 200 x 80 px on a screen of so many pixels per px."""
    made = QImage(round(200 * ratio), round(80 * ratio), QImage.Format.Format_RGB32)
    made.setDevicePixelRatio(ratio)
    made.fill(colour("surface"))
    return made


def inked_rows(image: QImage, x: int) -> int:
    """How many pixels of a column are of the ink."""
    return sum(image.pixelColor(x, y) == INK for y in range(image.height()))


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("width", [1, 2])
def test_curves_are_as_wide_in_px_on_every_screen(look: ConsoleStyle, ratio: float, width: int) -> None:
    image = screen(ratio)
    with QPainter(image) as painter:
        painter.setTransform(QTransform.fromScale(0.01, 40.0), combine=True)  # seconds and units to px
        painter.setPen(curve_pen(INK, (), width, ratio))
        painter.drawLine(QPointF(0, 1), QPointF(20_000, 1))
    assert inked_rows(image, image.width() // 2) == width * ratio


def test_a_curve_does_not_run_through_the_words_of_an_event(look: ConsoleStyle) -> None:
    image = screen(1.0)
    scales = Scales(QRectF(0, 0, 200, 80), (0.0, 200.0), (0.0, 1.0))
    with QPainter(image) as painter:
        painter.fillRect(QRectF(0, 0, 200, 6), INK)  # a curve at the top of the plot
        paint_events(painter, scales, [(10.0, "u21 logs in")])
    words = image.copy(16, 0, 20, 6)  # behind the line, for want of room before it
    assert not any(words.pixelColor(x, y) == INK for x in range(20) for y in range(6))
    assert image.pixelColor(190, 3) == INK
    assert image.pixelColor(5, 3) == INK


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_events_stand_out_however_many_they_are(look: ConsoleStyle, mode: ThemeMode) -> None:
    theme().set_mode(mode)
    scales = Scales(QRectF(0, 0, 200, 80), (0.0, 200.0), (0.0, 1.0))
    strongest = []
    for step in (50, 4):
        image = screen(1.0)
        with QPainter(image) as painter:
            paint_events(painter, scales, [(float(at), "") for at in range(10, 200, step)])
        inks = {image.pixelColor(60, y).name() for y in range(80)} | {
            image.pixelColor(10, y).name() for y in range(80)
        }
        strongest.append(max(contrast(ink, colour("surface").name()) for ink in inks))
    few, many = strongest
    assert few > many >= 3


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_curves_stand_out_from_the_ground_of_what_came_later(look: ConsoleStyle, mode: ThemeMode) -> None:
    theme().set_mode(mode)
    scales = Scales(QRectF(0, 0, 200, 80), (0.0, 200.0), (0.0, 1.0))
    image = screen(1.0)
    inks = [colour(token) for token in CURVE_TOKENS] + [pale(token, LATER) for token in CURVE_TOKENS]
    with QPainter(image) as painter:
        for row, ink in enumerate(inks):
            painter.fillRect(QRectF(0, 3 * row, 200, 1), ink)
        paint_later(painter, scales, 100.0)
    ground = image.pixelColor(150, 79)
    assert ground != image.pixelColor(50, 79) == colour("surface")
    for row in range(len(inks)):
        assert contrast(image.pixelColor(150, 3 * row).name(), ground.name()) >= 3


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("height", [30, 60, 400])
def test_samples_beside_the_values_stand_out(
    qtbot: QtBot, look: ConsoleStyle, mode: ThemeMode, height: int
) -> None:
    theme().set_mode(mode)
    column = ValueColumn(quantity_named("cpu_rate"))
    qtbot.addWidget(column)
    styles = [CurveStyle(token, dash) for token in CURVE_TOKENS for dash in (SOLID, DASHED, DOTTED)]
    rows = tuple(ValueRow(style, "", "") for style in styles)
    for row in rows:
        column.say("%", (row, row))
        column.resize(column.sizeHint().width(), height)
        image = QImage(column.size(), QImage.Format.Format_RGB32)
        image.fill(colour("surface"))
        column.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        inks = {image.pixelColor(x, y).name() for x in range(8) for y in range(18, image.height())}
        assert max(contrast(ink, colour("surface").name()) for ink in inks) >= 3


def test_a_note_is_a_line_and_its_span_a_band_with_words_beside(look: ConsoleStyle) -> None:
    image = screen(1.0)
    scales = Scales(QRectF(0, 0, 200, 80), (0.0, 200.0), (0.0, 1.0))
    ground = image.pixelColor(30, 70)
    with QPainter(image) as painter:
        paint_notes(painter, scales, [NoteMark(20.0, 120.0, "a note"), NoteMark(125.0, None, "no room" * 9)])
    assert image.pixelColor(20, 70) != image.pixelColor(60, 70) != ground
    assert image.pixelColor(120, 70) not in (image.pixelColor(60, 70), ground)  # both ends
    assert image.pixelColor(122, 70) == image.pixelColor(190, 70) == ground
    rows = {y for y in range(80) for x in range(26, 60) if image.pixelColor(x, y) != image.pixelColor(80, 70)}
    assert rows  # the words
    assert max(rows) < 40
