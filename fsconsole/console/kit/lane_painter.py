"""How boxes in lanes over a time axis are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip

from fsconsole.console.kit.lanes import LABEL_LEFT, Bar, Lane, LanesLayout
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text, draw_text_at
from fsconsole.text.visible_text import visible_line

GAP = 8.0
_INSET = 4.0
_SLIM = 25.0  # Height in px below which a lane does not draw its bars.
_ARROW = 14.0
_Align = Qt.AlignmentFlag
L = TypeVar("L", bound=LanesLayout)


@dataclass(frozen=True, slots=True)
class BarLook:
    """Tokens of a kind of box: its fill with the opacity, its border."""

    fill: str
    opacity: float
    border: str
    is_dashed: bool = False
    is_hatched: bool = False


def paint_box(painter: QPainter, box: QRectF, look: BarLook) -> None:
    """Draw a box with fill, hatching and edge of its look."""
    fill = QColor(colour(look.fill))
    fill.setAlphaF(look.opacity)
    painter.fillRect(box, fill)
    if look.is_hatched:
        painter.fillRect(box, paint.hatch(painter, fill))
    pen = QPen(colour(look.border), 1)
    if look.is_dashed:
        pen.setDashPattern([4, 3])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)


class LanesPainter(Generic[L]):
    """Draws a layout with a painter, once. Subclasses define the look of their boxes."""

    looks: ClassVar[Mapping[str, BarLook]]
    arrow = "text"  # Colour token of the arrow of a box that continues outside the view.

    def __init__(self, painter: QPainter, layout: L, width: float, height: float) -> None:
        self.painter, self.layout = painter, layout
        self.width, self.height, self.bottom = width, height, height - layout.foot
        painter.setFont(tabular_font("caption"))
        self.metrics = QFontMetricsF(painter.font())

    def rule(self, x: float, top: float, bottom: float, token: str, width: float = 1.0) -> None:
        """Draw an upright line."""
        self.painter.fillRect(QRectF(round(x - width / 2), top, width, bottom - top), colour(token))

    def paint_axis(self) -> None:
        """Draw the line below, its marks and their words, as far as they do not meet."""
        axis, last = self.layout.axis, float("-inf")
        self.painter.fillRect(QRectF(0, self.bottom, axis.right, 1), colour("line2"))
        for x, words in self.layout.ticks:
            if axis.left < x < axis.right:
                self.rule(x, self.layout.top, self.bottom, "grid")
            left = x - self.metrics.horizontalAdvance(words) / 2
            if left > last and left >= axis.left - 30:
                self.painter.setPen(colour("muted"))
                draw_text_at(self.painter, QPointF(left, self.height - 6), words)
                last = left + self.metrics.horizontalAdvance(words) + GAP

    def paint_lanes(self, selected: frozenset[int] = frozenset()) -> None:
        """Draw names and boxes, and how many lanes more there are."""
        for row, lane in enumerate(self.layout.lanes):
            self._paint_head(lane, is_first=row == 0, is_selected=lane.item in selected)
            for bar in lane.bars:
                self._paint_bar(bar, lane)
        if self.layout.more and self.layout.lanes:
            last = self.layout.lanes[-1]
            room = QRectF(LABEL_LEFT, last.y + last.height, self.layout.axis.right - LABEL_LEFT, last.height)
            self.words(room, f"and {self.layout.more} more", "muted")

    def paint_now(self) -> None:
        """Draw the mark of the present with its tag."""
        x, painter = self.layout.now_x, self.painter
        if x is None:
            return
        self.rule(x, self.layout.top - 4, self.bottom, "text", 2)
        painter.setFont(tabular_font("caption", semibold=True))
        width = QFontMetricsF(painter.font()).horizontalAdvance(self.layout.now) + 2 * GAP
        left = self.tag_left(min(max(x - width / 2, 2), self.width - width - 2), width)
        tag = QRectF(left, 3, width, self.layout.top - 7)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("text"))
        painter.drawRoundedRect(tag, 3, 3)
        painter.restore()
        painter.setPen(colour("surface"))
        draw_text(painter, tag, _Align.AlignCenter, self.layout.now)

    def words(
        self, room: QRectF, words: str, token: str = "text", *, semibold: bool = False, whole: bool = False
    ) -> QRectF:
        """Write at the left of a room, elided unless `whole`; return the room that is left."""
        painter, words = self.painter, visible_line(words)
        painter.setFont(tabular_font("caption", semibold=semibold))
        metrics = QFontMetricsF(painter.font())
        needed = metrics.horizontalAdvance(words)
        if whole and needed > room.width():
            painter.setFont(tabular_font("caption"))
            return room
        mode = Qt.TextElideMode.ElideMiddle if semibold else Qt.TextElideMode.ElideRight
        shown = metrics.elidedText(words, mode, max(room.width(), 0))
        if len(shown) > 2 or shown == words:
            painter.setPen(colour(token))
            draw_text(painter, room, _Align.AlignVCenter | _Align.AlignLeft, shown)
        painter.setFont(tabular_font("caption"))
        return room.adjusted(metrics.horizontalAdvance(shown) + GAP if words else 0, 0, 0, 0)

    # -- for subclasses -------------------------------------------------------------------------------------

    def tag_left(self, left: float, _width: float) -> float:
        """Return the left edge of the tag of the present, which would be at `left`."""
        return left

    def paint_bar_words(self, bar: Bar, box: QRectF, inner: QRectF) -> None:
        """Write inside where there is room, else right of the box; not across the mark of the present."""
        needed = self.metrics.horizontalAdvance(bar.words) + 2 * GAP
        now_x = self.layout.now_x
        if now_x is not None and inner.left() < now_x < inner.right() - needed:
            inner.setLeft(now_x + GAP)
        right = box.right() + GAP
        beside = QRectF(right, box.top(), self.layout.axis.right - right, box.height())
        is_outside = needed > box.width() and beside.width() > inner.width()
        self.words(beside if is_outside else inner, bar.words)

    # -- inside ---------------------------------------------------------------------------------------------

    def _paint_head(self, lane: Lane, *, is_first: bool, is_selected: bool) -> None:
        axis = self.layout.axis
        if is_selected:
            self.painter.fillRect(QRectF(0, lane.y, axis.right, lane.height), colour("sel"))
        if not is_first:
            self.painter.fillRect(QRectF(0, lane.y, axis.right, 1), colour("line"))
        room = QRectF(LABEL_LEFT, lane.y, axis.left - LABEL_LEFT - 4, lane.height)
        self.words(self.words(room, lane.words, semibold=True), lane.rest, "muted")

    def _paint_bar(self, bar: Bar, lane: Lane) -> None:
        if bar.width <= 0 and not bar.words:
            return
        painter = self.painter
        inset = _INSET if lane.height >= _SLIM + self.layout.grown else _INSET / 2
        box = QRectF(round(bar.x) + 0.5, lane.y + inset + 0.5, 0, lane.height - 2 * inset - 1)
        box.setRight(max(round(bar.x + bar.width) - 0.5, box.left() + 1))
        paint_box(painter, box, self.looks[bar.kind])
        self.paint_bar_words(bar, box, box.adjusted(GAP, 0, -GAP - (_ARROW if bar.beyond else 0), 0))
        if bar.beyond:
            painter.setPen(colour(self.arrow))
            draw_text(painter, box.adjusted(0, 0, -6, 0), _Align.AlignVCenter | _Align.AlignRight, "→")


class LanesView(Chart):
    """A widget of lanes that shows the tooltips of its layout."""

    @property
    def shown_layout(self) -> LanesLayout | None:
        """Where everything is; None while there is nothing."""
        raise NotImplementedError

    def time_words(self, time_s: float) -> str:
        """Return a time of the axis in words."""
        raise NotImplementedError

    def text_twin(self) -> TextTwin:
        """Return the boxes of all lanes with their times, as far as these are in sight."""
        layout = self.shown_layout
        if layout is None:
            return TextTwin()
        boxes = [(lane, bar) for lane in layout.lanes for bar in lane.bars]

        def at(x: float) -> str:
            return self.time_words(layout.axis.time(x))

        columns: tuple[Column[int], ...] = (
            Column("Lane", lambda row: " ".join(filter(None, (boxes[row][0].words, boxes[row][0].rest)))),
            Column("Job", lambda row: boxes[row][1].words),
            Column("From", lambda row: at(boxes[row][1].x)),
            Column("To", lambda row: at(boxes[row][1].x + boxes[row][1].width)),
            Column("About", lambda row: boxes[row][1].tip.replace("\n", "; ")),
        )
        return TextTwin(columns, tuple(range(len(boxes))))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            layout, at = self.shown_layout, event.pos()
            tip = layout.tip_at(at.x(), at.y()) if layout is not None else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)
