"""Small marks of a node: its colour chip, its chip and icon, a piece of its curve.

Their sizes are those at the text of the specification; they grow with the text. The device ratio, when not
given, is that of the finest screen: models have no widget to ask.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from fsconsole.console.style import icons, paint
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import theme
from fsconsole.figures.style.curves import CurveStyle

CHIP_WIDTH = 8
CHIP_HEIGHT = 12
_SIZE = 16
_GAP = 4
_SAMPLE_WIDTH = 18
_PLATE = 3  # Height in px of the background above and below the middle of a curve.


def chip(token: str, ratio: float | None = None) -> QPixmap:
    """Colour chip of a curve token, 8 x 12 px in a 16 px high pixmap."""
    palette = theme().palette
    return _chip(palette.hex(token), palette.surface, scaled(_SIZE), ratio or icons.sharpest_ratio())


def chip_and_icon(token: str, icon_name: str, ratio: float | None = None) -> QPixmap:
    """Colour chip with an icon right of it, 28 x 16 px: the decoration of a tree row."""
    palette = theme().palette
    looks = (palette.hex(token), icon_name, palette.hex("muted"), palette.surface)
    return _chip_and_icon(*looks, scaled(_SIZE), ratio or icons.sharpest_ratio())


def curve_sample(style: CurveStyle, ratio: float | None = None) -> QPixmap:
    """Return a short piece of a curve, 18 x 16 px: the decoration of a legend row."""
    palette = theme().palette
    looks = (palette.hex(style.colour_token), style.dash, palette.surface)
    return _curve_sample(*looks, scaled(_SIZE), ratio or icons.sharpest_ratio())


@lru_cache(maxsize=128)
def _chip(colour: str, ground: str, height_px: int, ratio: float) -> QPixmap:
    made = _blank(CHIP_WIDTH, height_px, ratio)
    painter = _painter(made, height_px)
    _paint_chip(painter, colour, ground)
    painter.end()
    return made


@lru_cache(maxsize=512)
def _chip_and_icon(
    colour: str, icon_name: str, _ink: str, ground: str, height_px: int, ratio: float
) -> QPixmap:
    drawn = icons.pixmap(icon_name, "muted", _SIZE, ratio)
    made = _blank(CHIP_WIDTH + _GAP + _SIZE, height_px, ratio)
    painter = _painter(made, height_px)
    _paint_chip(painter, colour, ground)
    painter.drawPixmap(QRect(CHIP_WIDTH + _GAP, 0, _SIZE, _SIZE), drawn)
    painter.end()
    return made


@lru_cache(maxsize=256)
def _curve_sample(colour: str, dash: tuple[float, ...], ground: str, height_px: int, ratio: float) -> QPixmap:
    made = _blank(_SAMPLE_WIDTH, height_px, ratio)
    painter = _painter(made, height_px)
    painter.fillRect(0, _SIZE // 2 - _PLATE, _SAMPLE_WIDTH, 2 * _PLATE, QColor(ground))
    paint.curve_sample(painter, QRect(0, 0, _SAMPLE_WIDTH, _SIZE), QColor(colour), dash)
    painter.end()
    return made


def _paint_chip(painter: QPainter, colour: str, ground: str) -> None:
    """Paint a chip on a plate of the plots' ground, so that it is visible in a selected row too."""
    painter.fillRect(_chip_rect(), QColor(ground))
    painter.fillRect(_chip_rect().adjusted(1, 1, -1, -1), QColor(colour))


def _chip_rect() -> QRect:
    return QRect(0, (_SIZE - CHIP_HEIGHT) // 2, CHIP_WIDTH, CHIP_HEIGHT)


def _blank(width: int, height_px: int, ratio: float) -> QPixmap:
    """Return an empty pixmap `width` wide at the text of the specification."""
    made = QPixmap(round(width * height_px / _SIZE * ratio), round(height_px * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    return made


def _painter(made: QPixmap, height_px: int) -> QPainter:
    """Return a painter in the pixels of the specification."""
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.scale(height_px / _SIZE, height_px / _SIZE)
    return painter
