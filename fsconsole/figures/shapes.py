"""Drawing of a figure's curves: lines, bars, dashes, levels, and bands of their spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from fsconsole.figures.arrange import UNITS_PER_PT, Arrangement
from fsconsole.figures.hatch_lines import hatch_lines
from fsconsole.figures.label_places import label_places
from fsconsole.figures.lines import cut_to_x, pieces, straightened
from fsconsole.figures.log_axis import places_on_log
from fsconsole.figures.painted_text import draw_text_at
from fsconsole.figures.print_looks import Hatch, dash_of, hatch_of
from fsconsole.figures.spec import Curve, FigureSpec, FigureStyle, Floats
from fsconsole.figures.style.palette import Palette, pale
from fsconsole.text.visible_text import visible_line

BARS_WIDTH = 0.8  # All bars of a kind take this fraction of their room.
_BAND_FILL = 0.2
_BAND_EDGE_PT = 0.75
_BOX_WIDTH_PART = 0.5
_THIN_PT = 2.5
_LEAST_PT = 0.5  # Thinner dashes would be too pale.
_HATCH_PT = 0.5
_MARK_PT = 2.1
_RAISED_EM = 0.7  # Labels keep this distance above their value.
_SEEN = 0.025 * UNITS_PER_PT  # Points of a curve that are less off the line through others are left out.
_LIT_PT = 1.2  # It is the outline of a highlighted bar.


@dataclass(frozen=True, eq=False, slots=True)
class Pens:
    """The tools for drawing curves: layout and colours."""

    painter: QPainter
    spec: FigureSpec
    style: FigureStyle
    at: Arrangement
    palette: Palette

    @property
    def is_print(self) -> bool:
        """True if the figure is without colours."""
        return self.style.theme == "print"

    def hatch(self, index: int) -> Hatch:
        """Return the fill of a curve's bars in the figure's theme."""
        return hatch_of(self.spec, index, self.style)

    def colour(self, token: str, opacity: float = 1.0) -> QColor:
        """Return a token's colour in the figure's theme."""
        made = QColor(self.palette.hex(token))
        made.setAlphaF(opacity)
        return made

    def pale(self, token: str) -> QColor:
        """Return a token's colour as pale as it can be on the grounds that figures are shown on."""
        return QColor(pale(self.palette.hex(token), self.palette.surface, self.palette.raised))

    def pen(self, token: str, width_pt: float) -> QPen:
        """Return a pen with flat ends in a token's colour."""
        made = QPen(self.colour(token), width_pt * UNITS_PER_PT)
        made.setCapStyle(Qt.PenCapStyle.FlatCap)
        return made

    def curve_pen(self, index: int) -> QPen:
        """Return the pen of a curve; without colours, its dash alone identifies it."""
        curve = self.spec.curves[index]
        made = self.pen(curve.colour, self.style.line_pt)
        dash = dash_of(self.spec, index, self.style)
        if dash:
            made.setDashPattern(list(dash))
        made.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        return made

    def text(self, text: str, x: float, baseline: float, font: QFont, token: str) -> None:
        """Draw a text from a place on."""
        self.painter.setFont(font)
        self.painter.setPen(self.colour(token))
        draw_text_at(self.painter, QPointF(x, baseline), visible_line(text))

    def points(self, index: int) -> list[tuple[float, float]]:
        """Return the known values of a curve in shown units."""
        drawn = self.at.curves[index]
        return [(x, y) for x, y in zip(drawn.x.tolist(), drawn.y.tolist(), strict=True) if y == y]


def draw_band(pens: Pens, index: int) -> None:
    """Draw the spread of a curve as a shaded band between two fine lines, if it has one."""
    curve = pens.spec.curves[index]
    if not curve.band or _has_whiskers(pens, curve) or pens.spec.shape_of(curve) == "box":
        return
    at = pens.at
    low, high = (_edge(pens, curve, edge) for edge in curve.band)
    if low and high and pens.spec.shape_of(curve) == "level":
        low, high = ([(x, edge[0][1]) for x in at.x_range] for edge in (low, high))
    lower, upper = ([QPointF(at.x(x), at.y(y)) for x, y in edge] for edge in (low, high))
    pens.painter.setPen(Qt.PenStyle.NoPen)
    pens.painter.setBrush(pens.colour(curve.colour, _BAND_FILL))
    pens.painter.drawPolygon(QPolygonF([*lower, *reversed(upper)]))
    pens.painter.setBrush(Qt.BrushStyle.NoBrush)
    pens.painter.setPen(QPen(pens.pale(curve.colour), _BAND_EDGE_PT * UNITS_PER_PT))
    for edge in (lower, upper):
        pens.painter.drawPolyline(QPolygonF(edge))


def draw_whiskers(pens: Pens, index: int) -> None:
    """Draw the spread of a curve as a line at each value, if there is no room for a band between values."""
    curve, at = pens.spec.curves[index], pens.at
    if not curve.band or not _has_whiskers(pens, curve):
        return
    is_bar = pens.spec.shape_of(curve) == "bar"
    beside, width = _bar_place(pens, index) if is_bar else (0.0, 0.0)
    pens.painter.setPen(pens.pen("text" if is_bar else curve.colour, pens.style.line_pt))
    for (x, low), (_, high) in zip(*(_edge(pens, curve, edge) for edge in curve.band), strict=True):
        middle = at.x(x + beside + 0.46 * width)
        pens.painter.drawLine(QLineF(middle, at.y(low), middle, at.y(high)))


def _has_whiskers(pens: Pens, curve: Curve) -> bool:
    """Return True if a curve's values are separate: bars, or a line of one value."""
    shape = pens.spec.shape_of(curve)
    return shape == "bar" or (shape == "line" and int((curve.y == curve.y).sum()) == 1)


def _edge(pens: Pens, curve: Curve, edge: Floats) -> list[tuple[float, float]]:
    """Return an edge of a band or of whiskers in shown units, inside the ranges."""
    at = pens.at
    start, end = (limit / at.x_scale for limit in at.x_range)
    xs, ys = cut_to_x(curve.x, edge, start, end)
    low, high = at.y_range
    places = ys * at.y_scale
    if at.log_floor is not None:
        places = places_on_log(places, at.log_floor, low)
    shown = zip((xs * at.x_scale).tolist(), places.tolist(), strict=True)
    return [(x, min(max(y, low), high)) for x, y in shown if y == y]


def draw_boxes(pens: Pens, index: int) -> None:
    """Draw boxes over a curve's band, lines over its whiskers, and a dash at each value."""
    curve, at, painter = pens.spec.curves[index], pens.at, pens.painter
    painter.setPen(pens.pen(curve.colour, pens.style.line_pt))
    painter.setBrush(pens.colour(curve.colour, _BAND_FILL))
    boxes = list(zip(*(_edge(pens, curve, edge) for edge in curve.band), strict=True))
    reach = list(zip(*(_edge(pens, curve, edge) for edge in curve.whiskers), strict=True))
    for (x, low), (_, high) in reach:
        painter.drawLine(QLineF(at.x(x), at.y(low), at.x(x), at.y(high)))
    for (x, low), (_, high) in boxes:
        left, right = at.x(x - _BOX_WIDTH_PART / 2), at.x(x + _BOX_WIDTH_PART / 2)
        painter.setBrush(pens.colour("surface"))
        painter.drawRect(QRectF(left, at.y(high), right - left, at.y(low) - at.y(high)))
        painter.setBrush(pens.colour(curve.colour, _BAND_FILL))
        painter.drawRect(QRectF(left, at.y(high), right - left, at.y(low) - at.y(high)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_dash_pen(pens, index))
    for x, y in pens.points(index):
        painter.drawLine(
            QLineF(at.x(x - _BOX_WIDTH_PART / 2), at.y(y), at.x(x + _BOX_WIDTH_PART / 2), at.y(y))
        )


def draw_line(pens: Pens, index: int) -> None:
    """Draw a line through all values, with a dot on each if the curve has marks."""
    curve, drawn, at = pens.spec.curves[index], pens.at.curves[index], pens.at
    pens.painter.setPen(pens.curve_pen(index))
    for xs, ys in pieces(drawn.x, drawn.y, *at.y_range):
        placed = straightened(np.array([*map(at.x, xs.tolist())]), np.array([*map(at.y, ys.tolist())]), _SEEN)
        points = [QPointF(x, y) for x, y in zip(*map(np.ndarray.tolist, placed), strict=True)]
        if len(points) == 1:
            pens.painter.drawPoint(points[0])
        else:
            pens.painter.drawPolyline(QPolygonF(points))
    if curve.marks:
        _draw_marks(pens, index)


def _draw_marks(pens: Pens, index: int) -> None:
    radius = _MARK_PT * UNITS_PER_PT
    pens.painter.setPen(Qt.PenStyle.NoPen)
    pens.painter.setBrush(pens.colour(pens.spec.curves[index].colour))
    low, high = pens.at.y_range
    labels = _labels_of(pens, index) if pens.spec.curves[index].labels_some else {}
    for x, y in pens.points(index):
        if low <= y <= high and (not labels or labels.get(x)):
            pens.painter.drawEllipse(QPointF(pens.at.x(x), pens.at.y(y)), radius, radius)
    pens.painter.setBrush(Qt.BrushStyle.NoBrush)


def _bar_place(pens: Pens, index: int) -> tuple[float, float]:
    """Return the left edge of a curve's bars, from the middle of a kind, and their width, in kinds."""
    shapes = [pens.spec.shape_of(curve) == "bar" for curve in pens.spec.curves]
    width = BARS_WIDTH / max(sum(shapes), 1)
    return sum(shapes[:index]) * width - BARS_WIDTH / 2, width


def draw_bars(pens: Pens, index: int) -> None:
    """Draw bars from 0, side by side, cut at the plot's edges; hatched in print."""
    at = pens.at
    low, high = at.y_range
    left, width = _bar_place(pens, index)
    is_thin = not pens.is_print and at.x(width) - at.x(0) < _THIN_PT * UNITS_PER_PT
    _set_bar(pens, index, is_thin=is_thin)
    foot = at.y(max(0.0, low))
    lit_x = _lit_x(pens, index)
    for x, y in pens.points(index):
        if x == lit_x:
            pens.painter.setPen(pens.pen("text", _LIT_PT))
            pens.painter.setBrush(pens.colour(pens.spec.curves[index].colour))
        start, end, top = at.x(x + left), at.x(x + left + 0.92 * width), at.y(min(max(y, low), high))
        end = max(end, start + _LEAST_PT * UNITS_PER_PT)
        if top != foot:  # An empty bar's outline would look like a dash.
            _draw_bar(pens, index, QRectF(start, min(top, foot), end - start, abs(foot - top)))
        if x == lit_x:
            _set_bar(pens, index, is_thin=is_thin)
    pens.painter.setBrush(Qt.BrushStyle.NoBrush)


def _lit_x(pens: Pens, index: int) -> float | None:
    """Return the x of a curve's highlighted bar, in shown units; None without one."""
    curve = pens.spec.curves[index]
    return None if curve.lit is None else float(curve.x[curve.lit]) * pens.at.x_scale


def _set_bar(pens: Pens, index: int, *, is_thin: bool = False) -> None:
    """Set outline and fill of a curve's bars; an outline would make thin ones cover their neighbours."""
    token, is_light = pens.spec.curves[index].colour, pens.spec.has_light_bars
    pens.painter.setPen(Qt.PenStyle.NoPen if is_light or is_thin else pens.pen(token, 0.8))
    fill = pens.pale(token) if is_light else pens.colour(token)  # Dashes over bars are then visible.
    pens.painter.setBrush(fill if is_thin or pens.hatch(index).is_full else Qt.BrushStyle.NoBrush)


def _draw_bar(pens: Pens, index: int, place: QRectF) -> None:
    """Draw one bar with the present pen and brush, and its hatching."""
    pens.painter.drawRect(place)
    if lines := list(hatch_lines(place, pens.hatch(index))):
        before = pens.painter.pen()
        pens.painter.setPen(pens.pen(pens.spec.curves[index].colour, _HATCH_PT))
        pens.painter.drawLines(lines)
        pens.painter.setPen(before)


def draw_sign(pens: Pens, index: int, place: QRectF) -> None:
    """Draw a sample of a curve's bars or dashes for a key."""
    if pens.spec.shape_of(pens.spec.curves[index]) == "tick":
        pens.painter.setPen(_dash_pen(pens, index))
        middle = place.center().y()
        pens.painter.drawLine(QLineF(place.left(), middle, place.right(), middle))
        return
    _set_bar(pens, index)
    _draw_bar(pens, index, place)
    pens.painter.setBrush(Qt.BrushStyle.NoBrush)


def _dash_pen(pens: Pens, index: int) -> QPen:
    return pens.pen(pens.spec.curves[index].colour, max(1.5, pens.style.line_pt))


def draw_ticks(pens: Pens, index: int) -> None:
    """Draw a short dash at each value, as wide as all bars of a kind."""
    at = pens.at
    pens.painter.setPen(_dash_pen(pens, index))
    low, high = at.y_range
    for x, y in pens.points(index):
        if low <= y <= high:
            left, right = at.x(x - BARS_WIDTH / 2), at.x(x + BARS_WIDTH / 2)
            pens.painter.drawLine(QLineF(left, at.y(y), right, at.y(y)))


def draw_level(pens: Pens, index: int) -> None:
    """Draw a line across the whole plot at a curve's first value."""
    points = pens.points(index)
    if points:
        y = pens.at.y(points[0][1])
        pens.painter.setPen(pens.curve_pen(index))
        pens.painter.drawLine(QLineF(pens.at.plot.left(), y, pens.at.plot.right(), y))


def draw_labels(pens: Pens, index: int) -> None:
    """Draw the labels of a curve's values above them, clear of each other; above 0 for negative bars."""
    curve, at = pens.spec.curves[index], pens.at
    if not curve.labels:
        return
    metrics, labels = QFontMetricsF(at.fonts.plain), _labels_of(pens, index)
    if curve.labels_some and pens.spec.shape_of(curve) == "line":
        points = [(x, y, words) for x, y in pens.points(index) if (words := labels.get(x))]
        for x, baseline, words in label_places(at, points, pens.style.font_pt):
            pens.text(words, x, baseline, at.fonts.plain, "text")
        return
    lit_x = _lit_x(pens, index)
    taken: list[QRectF] = []
    for x, y in sorted(pens.points(index), key=lambda point: point[0] != lit_x):
        if not (words := labels.get(x, "")):
            continue
        width, height = metrics.horizontalAdvance(words), metrics.height()
        top = max(y, 0.0) if pens.spec.shape_of(curve) == "bar" else y
        foot = at.y(min(max(top, at.y_range[0]), at.y_range[1]))
        foot -= _RAISED_EM * pens.style.font_pt * UNITS_PER_PT
        left = min(max(at.x(x) - width / 2, at.plot.left()), at.plot.right() - width)
        place = QRectF(left, foot - height, width, height)
        while any(place.intersects(other) for other in taken):
            place.translate(0, -height)
        taken.append(place)
        pens.text(words, left, place.bottom(), at.fonts.bold if x == lit_x else at.fonts.plain, "text")


def _labels_of(pens: Pens, index: int) -> dict[float, str]:
    """Return the labels of a curve by x in shown units."""
    curve = pens.spec.curves[index]
    return dict(zip((curve.x * pens.at.x_scale).tolist(), curve.labels, strict=True))
