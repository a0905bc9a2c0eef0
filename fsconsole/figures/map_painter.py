"""Draws the boxes of a share map, in the window and in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from fsconsole.figures.map_geometry import Box
from fsconsole.figures.painted_text import draw_text
from fsconsole.figures.style.palette import Palette, mix

BAR_WIDTH = 3
FILL = 0.22
HOVER_FILL = 0.30
_PADDING = 6
_LETTERS = 3
_WORTH_HATCHING = 0.01


@dataclass(frozen=True, slots=True)
class MapLook:
    """Text and looks of each row of the tree in a map.

    Attributes:
        name: name of a row's node; empty for none.
        token: curve colour token.
        part: number at the right, as text; empty for none.
        selected, hovered: marked rows.
        unused: fraction of a row's entitlement that is not used, 0 .. 1: hatched at its right end.
    """

    name: Callable[[int], str]
    token: Callable[[int], str]
    part: Callable[[int], str]
    selected: frozenset[int] = frozenset()
    hovered: int | None = None
    unused: Callable[[int], float] | None = None


def _plain_hatch(_painter: QPainter, ink: QColor) -> QBrush:
    return QBrush(ink, Qt.BrushStyle.BDiagPattern)


@dataclass(frozen=True, slots=True)
class MapInk:
    """Colours and brushes of a map.

    Attributes:
        palette: its colours.
        hatch: returns the brush of a hatch in a colour.
    """

    palette: Palette
    hatch: Callable[[QPainter, QColor], QBrush] = _plain_hatch

    def colour(self, token: str) -> QColor:
        """Return a token's colour."""
        return QColor(self.palette.hex(token))

    def tint(self, token: str, opacity: float) -> QColor:
        """Return a token's colour over the surface."""
        return _tint(self.palette.hex(token), self.palette.surface, opacity)


@lru_cache(maxsize=256)
def _tint(over: str, under: str, opacity: float) -> QColor:
    return QColor(mix(over, under, opacity))


def paint_map(painter: QPainter, found: Sequence[Box], look: MapLook, ink: MapInk) -> None:
    """Draw boxes in the painter's font; selected ones come last, so that their border is complete."""
    metrics = QFontMetricsF(painter.font())
    for box in found:
        if box.merged:
            _paint_merged(painter, box, ink, metrics)
        else:
            _paint_box(painter, box, look, ink, metrics)
    painter.setPen(QPen(ink.colour("text"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in found:
        if box.row in look.selected and not box.merged:
            painter.drawRect(_crisp(box))


def _paint_box(painter: QPainter, box: Box, look: MapLook, ink: MapInk, metrics: QFontMetricsF) -> None:
    token = look.token(box.row)
    painter.fillRect(_crisp(box), ink.tint(token, HOVER_FILL if box.row == look.hovered else FILL))
    if look.unused is not None:
        _paint_unused(painter, box, look.unused(box.row), ink)
    painter.setPen(QPen(ink.colour("cell"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(_crisp(box))
    bar = min(float(BAR_WIDTH), box.w)
    painter.fillRect(QRectF(round(box.x), box.y, bar, box.h), ink.colour(token))
    _write(painter, box, (look.name(box.row), look.part(box.row)), ink, metrics)


def _paint_unused(painter: QPainter, box: Box, fraction: float, ink: MapInk) -> None:
    if fraction > _WORTH_HATCHING:
        rect = _crisp(box)
        rect.setLeft(rect.right() - fraction * rect.width())
        painter.fillRect(rect, ink.hatch(painter, ink.colour("cell")))


def _paint_merged(painter: QPainter, box: Box, ink: MapInk, metrics: QFontMetricsF) -> None:
    painter.fillRect(_crisp(box), ink.tint("g3", FILL))
    painter.setPen(QPen(ink.colour("cell"), 1))
    painter.drawRect(_crisp(box))
    text = f"+{box.merged}"
    if metrics.horizontalAdvance(text) + 4 <= box.w:
        painter.setPen(ink.colour("muted"))
        draw_text(painter, _crisp(box), Qt.AlignmentFlag.AlignCenter, text)


def _write(painter: QPainter, box: Box, words: tuple[str, str], ink: MapInk, metrics: QFontMetricsF) -> None:
    name, part = words
    room = box.w - BAR_WIDTH - 2 * _PADDING
    if not name or room < metrics.averageCharWidth() * _LETTERS:
        return
    inner = QRectF(box.x + BAR_WIDTH + _PADDING, box.y, room, box.h)
    painter.setPen(ink.colour("text"))
    name_width, part_width = metrics.horizontalAdvance(name), metrics.horizontalAdvance(part)
    if part and name_width + part_width + 2 * _PADDING <= room:
        draw_text(painter, inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, part)
    elided = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
    if len(elided) >= _LETTERS or elided == name:
        draw_text(painter, inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)


def _crisp(box: Box) -> QRectF:
    """Return the box on half pixels, so that a line of 1 px is sharp; neighbours share their border."""
    left, right = round(box.x), round(box.x + box.w)
    return QRectF(left + 0.5, box.y + 0.5, max(right - left, 1), box.h)
