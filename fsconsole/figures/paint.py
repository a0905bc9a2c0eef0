"""Painting of a figure: own pens, antialiased, names at the line ends.

Units are tenths of a point on every device, so a PNG of any resolution, an SVG, a PDF and the preview on the
screen are the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from fsconsole.figures.arrange import UNITS_PER_MM, UNITS_PER_PT, Arrangement, arrange
from fsconsole.figures.label_places import EventPlace, event_places
from fsconsole.figures.shapes import (
    Pens,
    draw_band,
    draw_bars,
    draw_boxes,
    draw_labels,
    draw_level,
    draw_line,
    draw_sign,
    draw_ticks,
    draw_whiskers,
)
from fsconsole.figures.spec import Curve, FigureSpec, FigureStyle
from fsconsole.figures.stack import placed
from fsconsole.figures.style.palette import Palette, palette_of
from fsconsole.figures.tree_map import TreeMap, paint_tree_map

_SPAN_FILL = 0.12
_WORD_GROUND = 0.85  # The ground below labels lets curves shine through a little.


def paint_figure(
    painter: QPainter, spec: FigureSpec, style: FigureStyle, size: tuple[float, float] | None = None
) -> None:
    """Paint a figure at the origin, in tenths of a point; `size` in those units overrides the style's."""
    width, height = size or (style.width_mm * UNITS_PER_MM, style.height_mm * UNITS_PER_MM)
    if isinstance(spec, TreeMap):
        paint_tree_map(painter, spec, style, (width, height))
        return
    if spec.below:
        painter.fillRect(QRectF(0, 0, width, height), QColor(palette_of(style.theme).hex(style.ground)))
        for part, look, top, part_height in placed(spec, style, width, height):
            painter.save()
            painter.translate(0, top)
            paint_figure(painter, part, look, (width, part_height))
            painter.restore()
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    sheet = _Sheet(painter, spec, style, arrange(spec, style, width, height), palette_of(style.theme), width)
    painter.fillRect(QRectF(0, 0, width, height), QColor(sheet.palette.hex(style.ground)))
    sheet.draw()


@dataclass(frozen=True, eq=False)
class _Sheet:
    painter: QPainter
    spec: FigureSpec
    style: FigureStyle
    at: Arrangement
    palette: Palette
    width: float

    def draw(self) -> None:
        self._grid()
        self._axes()
        self._axis_titles()
        if self.style.title:
            self._title()
        elif self.spec.provenance.fitted:
            self._fitted()
        marks = self._marked()
        self._lines(marks)
        self._cursor()
        for index in range(len(self.spec.curves)):
            draw_band(self._pens, index)
        for index, curve in enumerate(self.spec.curves):
            self._curve(index, curve)
        self._words_of_marks(marks)
        if self.style.expected:
            self._expected()
        if self.style.names:
            self._names()

    # -- the frame ----------------------------------------------------------------------------------------

    def _grid(self) -> None:
        if self.style.theme == "print":
            return
        plot, pen = self.at.plot, self._pen("grid", 0.5)
        self.painter.setPen(pen)
        for value in self.at.x_ticks.values:
            x = self.at.x(value)
            self.painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        for value in self.at.y_ticks.values:
            y = self.at.y(value)
            self.painter.drawLine(QLineF(plot.left(), y, plot.right(), y))

    def _axes(self) -> None:
        plot, em = self.at.plot, self._em
        self.painter.setPen(self._pen("line2", 0.6))
        self.painter.drawLine(QLineF(plot.left(), plot.top(), plot.left(), plot.bottom()))
        self.painter.drawLine(QLineF(plot.left(), plot.bottom(), plot.right(), plot.bottom()))
        for value in self.at.x_ticks.values:
            x = self.at.x(value)
            self.painter.drawLine(QLineF(x, plot.bottom(), x, plot.bottom() + 0.3 * em))
        for value in self.at.y_ticks.values:
            y = self.at.y(value)
            self.painter.drawLine(QLineF(plot.left() - 0.3 * em, y, plot.left(), y))
        self._tick_labels()

    def _tick_labels(self) -> None:
        plot, em, metrics = self.at.plot, self._em, QFontMetricsF(self.at.fonts.plain)
        x_labels = self.at.x_ticks.labels if self.style.x_labels else ()
        for value, label in zip(self.at.x_ticks.values, x_labels, strict=False):
            x = self.at.x(value) - metrics.horizontalAdvance(label) / 2
            baseline = plot.bottom() + 0.5 * em + metrics.ascent()
            self._text(label, x, baseline, self.at.fonts.plain, "muted")
        for value, label in zip(self.at.y_ticks.values, self.at.y_ticks.labels, strict=True):
            x = plot.left() - 0.55 * em - metrics.horizontalAdvance(label)
            baseline = self.at.y(value) + metrics.capHeight() / 2
            self._text(label, x, baseline, self.at.fonts.plain, "muted")

    def _axis_titles(self) -> None:
        plot, em, metrics = self.at.plot, self._em, QFontMetricsF(self.at.fonts.plain)
        width = metrics.horizontalAdvance(self.at.x_title)
        baseline = plot.bottom() + 0.8 * em + metrics.height() + metrics.ascent()
        self._text(self.at.x_title, plot.center().x() - width / 2, baseline, self.at.fonts.plain, "muted")
        # A title longer than its plot would overlap that of the plot above or below.
        room = max(plot.height() + 2 * metrics.height(), 1.0) if self.at.y_title else 0.0
        y_title = _fitting(self.at.y_title, metrics, room)
        length = metrics.horizontalAdvance(y_title)
        self.painter.save()
        self.painter.translate(0.6 * em + metrics.ascent(), plot.center().y() + length / 2)
        self.painter.rotate(-90)
        self._text(y_title, 0, 0, self.at.fonts.plain, "muted")
        self.painter.restore()

    def _title(self) -> None:
        fonts, em = self.at.fonts, self._em
        title, small = QFontMetricsF(fonts.title), QFontMetricsF(fonts.small)
        room = max(self.width - self.at.plot.left() - em, em)
        top = 0.9 * em
        if self.spec.title:
            text = title.elidedText(self.spec.title, Qt.TextElideMode.ElideRight, room)
            self._text(text, self.at.plot.left(), top + title.ascent(), fonts.title, "text")
            top += title.height() + 0.2 * em
        if self.spec.caption:
            text = small.elidedText(self.spec.caption, Qt.TextElideMode.ElideRight, room)
            self._text(text, self.at.plot.left(), top + small.ascent(), fonts.small, "muted")

    def _fitted(self) -> None:
        """Write in a corner that the model was fitted, as the title would."""
        small, inset = QFontMetricsF(self.at.fonts.small), 0.4 * self._em
        place = self.at.plot.topLeft() + QPointF(inset, inset + small.ascent())
        self._text("fitted", place.x(), place.y(), self.at.fonts.small, "muted")

    # -- the data -----------------------------------------------------------------------------------------

    def _curve(self, index: int, curve: Curve) -> None:
        pens = self._pens
        match self.spec.shape_of(curve):
            case "bar":
                draw_bars(pens, index)
            case "tick":
                draw_ticks(pens, index)
            case "box":
                draw_boxes(pens, index)
            case "level":
                draw_level(pens, index)
            case _:
                draw_line(pens, index)
        draw_whiskers(pens, index)
        draw_labels(pens, index)

    def _names(self) -> None:
        metrics, em, right = QFontMetricsF(self.at.fonts.bold), self._em, self.at.plot.right()
        for index, place in enumerate(self.at.name_places):
            if place is None or not self.spec.curves[index].name:
                continue
            if self.spec.has_key:
                draw_sign(self._pens, index, QRectF(right, place - 0.4 * em, 0.9 * em, 0.8 * em))
            else:
                self._leader(index, place)
            name = self.spec.curves[index].name
            words = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, self.at.name_width)
            self._text(words, right + 1.1 * em, place + metrics.capHeight() / 2, self.at.fonts.bold, "text")

        if self.at.unnamed is not None:
            count, place = self.at.unnamed
            baseline = place + metrics.capHeight() / 2
            self._text(f"{count} more", right + 1.1 * em, baseline, self.at.fonts.plain, "muted")

    def _leader(self, index: int, place: float) -> None:
        """Draw a line from the end of a curve to its name."""
        end = self.at.curves[index].end_y
        if end is None:
            return
        em, right, (low, high) = self._em, self.at.plot.right(), self.at.y_range
        self.painter.setPen(self._pen(self.spec.curves[index].colour, 0.6))
        self.painter.drawLine(
            QLineF(right + 0.2 * em, self.at.y(min(max(end, low), high)), right + 0.9 * em, place)
        )

    @property
    def _is_in_print(self) -> bool:
        return self.style.theme == "print"

    def _marked(self) -> list[EventPlace]:
        """Return places of events and notes."""
        marks = (*(self.spec.events * self.style.events), *(self.spec.notes * self.style.notes))
        marks = tuple(sorted(marks, key=lambda mark: mark.at_s))
        return event_places(self.at, marks, self.style.font_pt)

    def _lines(self, places: Sequence[EventPlace]) -> None:
        """Draw a dotted line for an event; a whole one for a note, and its span as a band."""
        plot, (low, high) = self.at.plot, self.at.x_range
        for place in places:
            mark, ends = place.mark, [place.mark.at_s]
            pen = self._pen("text", 0.7)
            if mark.is_note:
                token = "text" if self._is_in_print else "accent"
                pen = self._pen(token, 0.7)
                if mark.until_s is not None:
                    ends.append(mark.until_s)
                    end = self.at.x(min(mark.until_s * self.at.x_scale, high))
                    ground = self._pens.colour(token, _SPAN_FILL)
                    self.painter.fillRect(QRectF(place.x, plot.top(), end - place.x, plot.height()), ground)
            else:
                pen.setDashPattern([1.5, 2.5])
            self.painter.setPen(pen)
            for shown in (end_s * self.at.x_scale for end_s in ends):
                if low <= shown <= high:
                    self.painter.drawLine(
                        QLineF(self.at.x(shown), plot.top(), self.at.x(shown), plot.bottom())
                    )

    def _words_of_marks(self, places: Sequence[EventPlace]) -> None:
        for place in places:
            if place.at is None:
                continue
            if place.ground is not None:
                self.painter.fillRect(place.ground, self._pens.colour("surface", _WORD_GROUND))
            token = "accent" if place.mark.is_note and not self._is_in_print else "text"
            self._text(place.text, place.at.x(), place.at.y(), self.at.fonts.small, token)

    def _cursor(self) -> None:
        at = self.style.cursor_at
        if at is None:
            return
        shown = at * self.at.x_scale
        if self.at.x_range[0] <= shown <= self.at.x_range[1]:
            x = self.at.x(shown)
            self.painter.setPen(self._pen("text", 0.7))
            self.painter.drawLine(QLineF(x, self.at.plot.top(), x, self.at.plot.bottom()))

    def _expected(self) -> None:
        half = 2.2 * UNITS_PER_PT
        self.painter.setPen(self._pen("text", 0.8))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for value in self.spec.expected:
            x, y = value.x * self.at.x_scale, value.y * self.at.y_scale
            inside = (
                self.at.x_range[0] <= x <= self.at.x_range[1]
                and self.at.y_range[0] <= y <= self.at.y_range[1]
            )
            if inside:
                self._expected_mark(self.at.x(x), self.at.y(y), half, is_papers=value.is_papers)

    def _expected_mark(self, x: float, y: float, half: float, *, is_papers: bool) -> None:
        if is_papers:
            self.painter.drawRect(QRectF(x - half, y - half, 2 * half, 2 * half))
            return
        wide = half * 2**0.5
        corners = ((x, y - wide), (x + wide, y), (x, y + wide), (x - wide, y))
        self.painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))

    # -- pens and letters ---------------------------------------------------------------------------------

    @property
    def _pens(self) -> Pens:
        return Pens(self.painter, self.spec, self.style, self.at, self.palette)

    @property
    def _em(self) -> float:
        return self.style.font_pt * UNITS_PER_PT

    def _pen(self, token: str, width_pt: float) -> QPen:
        return self._pens.pen(token, width_pt)

    def _text(self, text: str, x: float, baseline: float, font: QFont, token: str) -> None:
        self._pens.text(text, x, baseline, font, token)


def _fitting(title: str, metrics: QFontMetricsF, room: float) -> str:
    """Return an axis title that fits a width: the unit stays as long as possible, the end is elided."""
    if metrics.horizontalAdvance(title) <= room:
        return title
    name, comma, unit = title.rpartition(", ")
    if comma and metrics.horizontalAdvance(unit) <= room * 2 / 3:
        left = room - metrics.horizontalAdvance(comma + unit)
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, left) + comma + unit
    return metrics.elidedText(title, Qt.TextElideMode.ElideRight, room)
