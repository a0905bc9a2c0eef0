"""Texts that are painted: whole, or elided with a mark, never cut."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

_PART_OF_PX = 1.0  # Advances are parts of pixels, and rooms are rounded.
_MARK = "\N{HORIZONTAL ELLIPSIS}"
_WIDGET = 1  # Qt's number of this kind of device. Pages are as large as what is painted on them.
_END = Qt.TextElideMode.ElideRight
_ALIGN, _FLAG = Qt.AlignmentFlag, Qt.TextFlag


def draw_text(
    painter: QPainter, room: QRect | QRectF, align: int, text: str, loses: Qt.TextElideMode = _END
) -> None:
    """Paint a text in a line; where it has no room it loses its end, and all of it if no letter has room.

    Qt cuts what is too long at the edges of its room, or of the widget: a number at its first digit if it is
    right-aligned, at both ends if centred. Then it reads as another number.

    Args:
        painter: has the font and the ink.
        room: where the text may be.
        align: how it stands there, as for QPainter.
        text: what is painted.
        loses: what of the text is elided.
    """
    box = QRectF(room)
    shown = text.replace("&", "") if int(align) & int(_FLAG.TextShowMnemonic) else text
    width = QFontMetricsF(painter.font(), painter.device()).horizontalAdvance(shown)
    left, right = _edges(painter)
    begin = _begin(box, int(align), width)
    if begin < left or begin + width > right:
        box.setLeft(max(box.left(), left))
        box.setRight(max(min(box.right(), right), box.left()))
    text = _fitting(painter, text, width, box.width(), loses)
    if text:
        painter.drawText(box, int(align) | int(_FLAG.TextDontClip), text)


def draw_text_at(painter: QPainter, at: QPointF, text: str) -> None:
    """Paint a text from a point on its base line; it begins on the widget, and is elided at its edge."""
    left, right = _edges(painter)
    at = QPointF(max(at.x(), left), at.y())
    width = QFontMetricsF(painter.font(), painter.device()).horizontalAdvance(text)
    text = _fitting(painter, text, width, right - at.x(), _END)
    if text:
        painter.drawText(at, text)


def _begin(box: QRectF, align: int, width: float) -> float:
    """Return the left edge of a text of a width."""
    if align & int(_ALIGN.AlignRight):
        return box.right() - width
    return box.center().x() - width / 2 if align & int(_ALIGN.AlignHCenter) else box.left()


def _fitting(painter: QPainter, text: str, width: float, room: float, loses: Qt.TextElideMode) -> str:
    """Return a text of a width as it has room; empty if no letter of it has."""
    room += _PART_OF_PX
    if width <= room:
        return text
    metrics = QFontMetricsF(painter.font(), painter.device())
    shown = metrics.elidedText(text, loses, max(room, 0.0))
    return "" if shown == _MARK or metrics.horizontalAdvance(shown) > room else shown


def _edges(painter: QPainter) -> tuple[float, float]:
    """Return the left and right edge of the widget, as the painter has it; infinities on a page or turned."""
    to_device = painter.worldTransform()
    if painter.device().devType() != _WIDGET or to_device.isRotating():
        return -math.inf, math.inf
    ends = [(x - to_device.dx()) / to_device.m11() for x in (0, painter.device().width())]
    return min(ends), max(ends)
