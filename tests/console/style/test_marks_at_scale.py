"""What is drawn on a finer screen is as large as on any other, in logical pixels."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter, qAlpha
from PySide6.QtWidgets import QApplication

from fsconsole.console.style import icons, marks, paint
from fsconsole.figures.style.curves import DASHED, CurveStyle

_SIDE_PX = 64


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_hatch_keeps_its_width(qapp: QApplication, ratio: float) -> None:
    image = QImage(round(_SIDE_PX * ratio), round(_SIDE_PX * ratio), QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.fillRect(QRect(0, 0, _SIDE_PX, _SIDE_PX), paint.hatch(painter, QColor("black")))
    painter.end()
    inked = [qAlpha(image.pixel(x, image.height() // 2)) > 127 for x in range(image.width())]
    lines = sum(now and not before for before, now in zip([False, *inked], inked, strict=False))
    assert lines == pytest.approx(_SIDE_PX / 8, abs=1)


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_marks_and_icons_have_the_pixels_of_the_screen(qapp: QApplication, ratio: float) -> None:
    for drawn in (
        marks.chip("c1", ratio),
        marks.chip_and_icon("c1", "user", ratio),
        marks.curve_sample(CurveStyle("c1", DASHED), ratio),
        icons.pixmap("user", ratio=ratio),
    ):
        assert drawn.devicePixelRatio() == ratio
        assert drawn.height() == 16 * ratio
