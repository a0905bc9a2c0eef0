"""Draws a share map, for a document and for small pictures of trees; its axis, and the handle of a border."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures import map_painter
from fsconsole.figures.map_geometry import Box
from fsconsole.figures.map_painter import MapInk, MapLook
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.numbers import PERCENT

_AXIS_PX = 24
_STEPS = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0)
_LEAST_TICK_PX = 60


def paint_map(painter: QPainter, found: Sequence[Box], look: MapLook) -> None:
    """Draw boxes in the painter's font and the theme's colours."""
    map_painter.paint_map(painter, found, look, MapInk(theme().palette, hatch=paint.hatch))


def tint(token: str, opacity: float) -> QColor:
    """Return a token's colour over the surface."""
    return MapInk(theme().palette).tint(token, opacity)


def ticks(machine: float, width: float, least_px: float = _LEAST_TICK_PX) -> list[tuple[float, str]]:
    """Return (fraction of the width, label) for an axis of machine shares; the last label has the unit."""
    whole = 100 * machine
    if whole <= 0 or width <= 0:
        return []
    scale = 1.0
    while whole / scale < 10:
        scale /= 10
    step = min((step * scale for step in _STEPS if width * step * scale / whole >= least_px), default=whole)
    count = int(whole / step + 1e-9)
    values = [step * number for number in range(count + 1)]
    words = [f"{value:g}" for value in values]
    words[-1] += PERCENT
    return [(value / whole, word) for value, word in zip(values, words, strict=True)]


def axis_px() -> int:
    """Return the height of the axis below the map."""
    return tall(_AXIS_PX)


def paint_axis(painter: QPainter, rect: QRect, machine: float) -> None:
    """Paint an axis along the top of rect, from 0 to a share of the machine."""
    painter.setFont(tabular_font("caption"))
    painter.fillRect(rect.x(), rect.y() + 2, rect.width(), 1, colour("line2"))
    painter.setPen(colour("muted"))
    for fraction, word in ticks(machine, rect.width(), scaled(_LEAST_TICK_PX)):
        x = rect.x() + fraction * (rect.width() - 1)
        painter.fillRect(round(x), rect.y() + 2, 1, 4, colour("line2"))
        align = Qt.AlignmentFlag.AlignTop
        box = QRectF(x - 80, rect.y() + 6, 160, rect.height() - 6)
        if fraction < 1e-6:
            box.moveLeft(x)
            draw_text(painter, box, align | Qt.AlignmentFlag.AlignLeft, word)
        elif fraction > 1 - 1e-6:
            box.moveRight(x + 1)
            draw_text(painter, box, align | Qt.AlignmentFlag.AlignRight, word)
        else:
            draw_text(painter, box, align | Qt.AlignmentFlag.AlignHCenter, word)


def paint_handle(painter: QPainter, x: float, y: float, height: float, width: int) -> None:
    """Paint an accent bar over a border, with a small triangle on top."""
    painter.save()
    painter.fillRect(QRectF(round(x) - width / 2, y, width, height), colour("accent"))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("accent"))
    painter.drawPolygon(QPolygonF([QPointF(x - 5, y - 7), QPointF(x + 5, y - 7), QPointF(x, y - 1)]))
    painter.restore()
