"""Draws a share map, for a document and for small pictures of trees; its axis, and the handle of a border."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from fsconsole.console.design.map_geometry import Box
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.style.palette import mix

BAR_WIDTH = 3
FILL = 0.22
HOVER_FILL = 0.30
_PADDING = 6
_LETTERS = 3
_WORTH_HATCHING = 0.01
AXIS_HEIGHT = 24
_STEPS = (100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0)
_LEAST_TICK_PX = 60


@dataclass(frozen=True, slots=True)
class MapLook:
    """What a map says and shows of each row of the tree.

    Attributes:
        name: name of a row's node; nothing is written where it is empty.
        token: curve colour token.
        part: the number at the right, as text; empty for none.
        selected, hovered: rows that are marked.
        unused: how much of a row's part is entitled but not used, 0 .. 1: hatched at its right end.
    """

    name: Callable[[int], str]
    token: Callable[[int], str]
    part: Callable[[int], str]
    selected: frozenset[int] = frozenset()
    hovered: int | None = None
    unused: Callable[[int], float] | None = None


def paint_map(painter: QPainter, found: Sequence[Box], look: MapLook) -> None:
    """Draw boxes in the painter's font; selected ones last, so that their border is whole."""
    metrics = QFontMetricsF(painter.font())
    for box in found:
        if box.merged:
            _paint_merged(painter, box, metrics)
        else:
            _paint_box(painter, box, look, metrics)
    painter.setPen(QPen(colour("text"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in found:
        if box.row in look.selected and not box.merged:
            painter.drawRect(_crisp(box))


def _paint_box(painter: QPainter, box: Box, look: MapLook, metrics: QFontMetricsF) -> None:
    token = look.token(box.row)
    painter.fillRect(_crisp(box), tint(token, HOVER_FILL if box.row == look.hovered else FILL))
    if look.unused is not None:
        _paint_unused(painter, box, look.unused(box.row))
    painter.setPen(QPen(colour("cell"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(_crisp(box))
    bar = min(float(BAR_WIDTH), box.w)
    painter.fillRect(QRectF(round(box.x), box.y, bar, box.h), colour(token))
    _write(painter, box, look.name(box.row), look.part(box.row), metrics)


def _paint_unused(painter: QPainter, box: Box, fraction: float) -> None:
    if fraction > _WORTH_HATCHING:
        rect = _crisp(box)
        rect.setLeft(rect.right() - fraction * rect.width())
        painter.fillRect(rect, paint.hatch(painter, colour("cell")))


def _paint_merged(painter: QPainter, box: Box, metrics: QFontMetricsF) -> None:
    painter.fillRect(_crisp(box), tint("g3", FILL))
    painter.setPen(QPen(colour("cell"), 1))
    painter.drawRect(_crisp(box))
    text = f"+{box.merged}"
    if metrics.horizontalAdvance(text) + 4 <= box.w:
        painter.setPen(colour("muted"))
        painter.drawText(_crisp(box), Qt.AlignmentFlag.AlignCenter, text)


def _write(painter: QPainter, box: Box, name: str, part: str, metrics: QFontMetricsF) -> None:
    room = box.w - BAR_WIDTH - 2 * _PADDING
    if not name or room < metrics.averageCharWidth() * _LETTERS:
        return
    inner = QRectF(box.x + BAR_WIDTH + _PADDING, box.y, room, box.h)
    painter.setPen(colour("text"))
    name_width, part_width = metrics.horizontalAdvance(name), metrics.horizontalAdvance(part)
    if part and name_width + part_width + 2 * _PADDING <= room:
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, part)
    elided = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
    if len(elided) >= _LETTERS or elided == name:
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)


def _crisp(box: Box) -> QRectF:
    """Return the box on half pixels, so that a rule of one px is sharp; neighbours share their border."""
    left, right = round(box.x), round(box.x + box.w)
    return QRectF(left + 0.5, box.y + 0.5, max(right - left, 1), box.h)


def tint(token: str, opacity: float) -> QColor:
    """Return a token's colour over the surface."""
    palette = theme().palette
    return _tint(palette.hex(token), palette.surface, opacity)


@lru_cache(maxsize=256)
def _tint(over: str, under: str, opacity: float) -> QColor:
    return QColor(mix(over, under, opacity))


def ticks(machine: float, width: float, least_px: float = _LEAST_TICK_PX) -> list[tuple[float, str]]:
    """(fraction of the width, words) for an axis over a part of the machine; the last bears the unit."""
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
    words[-1] += " %"
    return [(value / whole, word) for value, word in zip(values, words, strict=True)]


def paint_axis(painter: QPainter, rect: QRect, machine: float) -> None:
    """Axis along the top of rect, from 0 to a part of the machine."""
    painter.setFont(tabular_font("caption"))
    painter.fillRect(rect.x(), rect.y() + 2, rect.width(), 1, colour("line2"))
    painter.setPen(colour("muted"))
    for fraction, word in ticks(machine, rect.width(), scaled(_LEAST_TICK_PX)):
        x = rect.x() + fraction * (rect.width() - 1)
        painter.fillRect(round(x), rect.y() + 2, 1, 4, colour("line2"))
        align = Qt.AlignmentFlag.AlignTop
        box = QRectF(x - 40, rect.y() + 6, 80, 16)
        if fraction < 1e-6:
            box.moveLeft(x)
            painter.drawText(box, align | Qt.AlignmentFlag.AlignLeft, word)
        elif fraction > 1 - 1e-6:
            box.moveRight(x + 1)
            painter.drawText(box, align | Qt.AlignmentFlag.AlignRight, word)
        else:
            painter.drawText(box, align | Qt.AlignmentFlag.AlignHCenter, word)


def paint_handle(painter: QPainter, x: float, y: float, height: float, width: int) -> None:
    """Accent bar over a border, with a small triangle on top."""
    painter.save()
    painter.fillRect(QRectF(round(x) - width / 2, y, width, height), colour("accent"))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour("accent"))
    painter.drawPolygon(QPolygonF([QPointF(x - 5, y - 7), QPointF(x + 5, y - 7), QPointF(x, y - 1)]))
    painter.restore()
