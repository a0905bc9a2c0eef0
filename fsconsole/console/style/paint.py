"""Shapes the style is made of: rounded boxes, rules, check marks, chevrons and arrows."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QPolygonF

from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour

RADIUS = 4.0
_HATCH_PX = 8
BOX_RADIUS = 2.0


def box(
    painter: QPainter,
    rect: QRect,
    fill: str,
    border: str = "",
    *,
    radius: float = RADIUS,
    border_width: float = 1.0,
) -> None:
    """Draw a rounded box filled with one token and bordered with another (none: no border)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colour(fill) if fill else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour(border), border_width) if border else Qt.PenStyle.NoPen)
    inset = border_width / 2 if border else 0.0
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius)
    painter.restore()


def rule(painter: QPainter, rect: QRect, edge: Qt.Edge, token: str = "line") -> None:
    """Paint one pixel of a token's colour along an edge of `rect`, inside it."""
    x, y, width, height = rect.x(), rect.y(), rect.width(), rect.height()
    ink = colour(token)
    if edge is Qt.Edge.BottomEdge:
        painter.fillRect(x, y + height - 1, width, 1, ink)
    elif edge is Qt.Edge.TopEdge:
        painter.fillRect(x, y, width, 1, ink)
    elif edge is Qt.Edge.RightEdge:
        painter.fillRect(x + width - 1, y, 1, height, ink)
    else:
        painter.fillRect(x, y, 1, height, ink)


def frame(painter: QPainter, rect: QRect, token: str = "line") -> None:
    """Paint one pixel of a token's colour all around, inside `rect`."""
    for edge in (Qt.Edge.TopEdge, Qt.Edge.BottomEdge, Qt.Edge.LeftEdge, Qt.Edge.RightEdge):
        rule(painter, rect, edge, token)


def track(painter: QPainter, rect: QRect) -> None:
    """Fill the empty part of a bar, and mark its end, where the whole of it is."""
    painter.fillRect(rect, colour("track"))
    rule(painter, rect, Qt.Edge.RightEdge, "edge")


def hatch(painter: QPainter, ink: QColor) -> QBrush:
    """Return a hatch that is as wide on any screen; Qt's own counts the pixels of the screen."""
    ratio = painter.device().devicePixelRatioF()
    return QBrush(ink, Qt.BrushStyle.BDiagPattern) if ratio == 1 else _fine_hatch(ink.rgba(), ratio)


@lru_cache(maxsize=64)
def _fine_hatch(rgba: int, ratio: float) -> QBrush:
    tile = QPixmap(round(_HATCH_PX * ratio), round(_HATCH_PX * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    with QPainter(tile) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor.fromRgba(rgba), 1))
        for left in (-_HATCH_PX, 0, _HATCH_PX):
            painter.drawLine(QLineF(left, _HATCH_PX, left + _HATCH_PX, 0))
    return QBrush(tile)


def check_box(painter: QPainter, rect: QRect, state: Qt.CheckState, *, enabled: bool, focus: bool) -> None:
    """Check box: empty, ticked, or barred for partly checked."""
    if state is Qt.CheckState.Unchecked:
        border = "accent" if focus else "edge" if enabled else "line2"
        box(painter, rect, "surface" if enabled else "raised", border, radius=BOX_RADIUS)
        return
    ground = "accent" if enabled else "line2"
    box(painter, rect, ground, ground, radius=BOX_RADIUS)
    points: tuple[tuple[float, float], ...] = ((0.27, 0.5), (0.73, 0.5))
    if state is Qt.CheckState.Checked:
        points = ((0.24, 0.52), (0.43, 0.71), (0.77, 0.31))
    polyline(painter, rect, points, colour("onaccent"), 1.6)


def radio(painter: QPainter, rect: QRect, *, on: bool, enabled: bool, focus: bool) -> None:
    """Paint a radio button: empty or with a dot."""
    ground = ("accent" if enabled else "line2") if on else "surface"
    border = ground if on else "accent" if focus else "edge" if enabled else "line2"
    box(painter, rect, ground, border, radius=rect.width() / 2)
    if on:
        inset = round(rect.width() * 0.32)
        box(painter, rect.adjusted(inset, inset, -inset, -inset), "onaccent", radius=rect.width() / 2)


def chevron(
    painter: QPainter, rect: QRect, *, is_open: bool, ink: QColor, left_to_right: bool = True
) -> None:
    """Paint the mark of a foldable row: pointing down if open, else along the text; as wide as a letter."""
    side = min(scaled(10), rect.width())
    middle = QRect(0, 0, side, side)
    middle.moveCenter(rect.center())
    points: tuple[tuple[float, float], ...] = ((0.1, 0.3), (0.5, 0.7), (0.9, 0.3))
    if not is_open:
        points = ((0.3, 0.1), (0.7, 0.5), (0.3, 0.9))
        if not left_to_right:
            points = tuple((1 - x, y) for x, y in points)
    polyline(painter, middle, points, ink, 1.4)


def arrow(painter: QPainter, rect: QRect, *, up: bool, ink: QColor, width: int = 8) -> None:
    """Draw a filled triangle in the middle of rect, half as high as wide; width at the usual text size."""
    centre = QRectF(rect).center()
    width_px = min(scaled(width), rect.width())
    half, rise = width_px / 2, width_px / 4 * (-1 if up else 1)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(
        QPolygonF(
            [
                QPointF(centre.x() - half, centre.y() - rise),
                QPointF(centre.x() + half, centre.y() - rise),
                QPointF(centre.x(), centre.y() + rise),
            ]
        )
    )
    painter.restore()


def polyline(
    painter: QPainter, rect: QRect, points: tuple[tuple[float, float], ...], ink: QColor, width: float
) -> None:
    """Paint a round-ended line through points given as fractions of rect."""
    area = QRectF(rect)
    placed = [QPointF(area.x() + x * area.width(), area.y() + y * area.height()) for x, y in points]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(
        QPen(ink, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.drawPolyline(placed)
    painter.restore()


def curve_sample(painter: QPainter, rect: QRect, ink: QColor, dash: tuple[float, ...] = ()) -> None:
    """Paint a short piece of a curve, 2 px thick, in the middle of rect; dash in px."""
    pen = QPen(ink, 2)
    if dash:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([part / 2 for part in dash])
    middle = rect.y() + rect.height() / 2
    painter.save()
    painter.setPen(pen)
    painter.drawLine(QLineF(rect.x(), middle, rect.x() + rect.width(), middle))
    painter.restore()
