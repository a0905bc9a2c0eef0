"""The time strip: what happened over the whole run, which part of it the plots show, and the play head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QToolTip, QWidget

from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, add_table_action, rows_twin
from fsconsole.console.kit.time_scale import TimeScale
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.style.sizes import grown_px
from fsconsole.console.style.theme import colour, pale, theme
from fsconsole.figures.painted_text import draw_text_at
from fsconsole.figures.ticks import clock_ticks
from fsconsole.targets.events import Event
from fsconsole.text import durations

HEIGHT = 48
_BAR_HEIGHT, _BOX_HEIGHT = 9, 15
_LINES = 2  # Lines of text: flags above the bar, times below it.
_KEY_PART = 0.1
_NEAR_PX = 8
_SECTION_FILL = 0.45
_BRACKET_PX, _FOOT_PX, _LEAST_SECTION_PX = 2, 5, 4
EDGE_PX = 5
Part = Literal["head", "left", "right", "box", "none"]


@dataclass(frozen=True, slots=True)
class Label:
    """A flag's text and its start; empty without room."""

    flag: Event
    x: float
    words: str


def labels(flags: Sequence[Event], scale: TimeScale, width_of: Callable[[str], float]) -> list[Label]:
    """Return flags with their words, left to right; what would run into the next flag has none."""
    placed = []
    for at, flag in enumerate(flags):
        x = scale.x(flag.time_s)
        words = f"planned: {flag.label}" if flag.is_planned else flag.label
        room = (scale.x(flags[at + 1].time_s) if at + 1 < len(flags) else scale.width) - x - 16
        placed.append(Label(flag, x, words if width_of(words) <= room else ""))
    return placed


def flag_at(x: float, y: float, placed: Sequence[Label], width_of: Callable[[str], float]) -> Event | None:
    """Return the flag whose mark or words are at a place; None beside and below them."""
    if y >= _bar_top() - 2:
        return None
    for label in reversed(placed):
        right = label.x + 11 + width_of(label.words) if label.words else label.x + EDGE_PX + 3
        if label.x - EDGE_PX <= x <= right:
            return label.flag
    return None


def part_at(x: float, left: float, right: float, head: float = -1.0) -> Part:
    """Return the part at x: the play head, an edge of the box, the box, or nothing."""
    if abs(x - head) <= EDGE_PX:
        return "head"
    if abs(x - left) <= EDGE_PX and x < (left + right) / 2:
        return "left"
    if abs(x - right) <= EDGE_PX:
        return "right"
    return "box" if left < x < right else "none"


def dragged(part: Part, start_s: float, end_s: float, moved_s: float) -> tuple[float, float]:
    """Return the range after a drag of one of its parts by some seconds; edges do not cross."""
    if part == "left":
        return min(start_s + moved_s, end_s - 1), end_s
    if part == "right":
        return start_s, max(end_s + moved_s, start_s + 1)
    return start_s + moved_s, end_s + moved_s


def _bar_top() -> int:
    return 20 + grown_px()


def _box_top() -> int:
    return 17 + grown_px()


class TimeStrip(Chart):
    """Flags over a bar of the run; the box is the range of the plots: drag it, or its edges.

    `spans` gives stretches of time that are marked above the bar, such as those of notes; `section` the one
    that is played round and round, which stands between brackets.
    The play head stands at the instant that is looked at; drag it, or click where it shall go.

    A click on a flag leads to its instant. The menu lists all that happened near a place, and so does Return
    at the play head.

    Signals: head_moved(time): another instant is wanted; right of the present, the present.
    note_wanted(time): a note on an instant is wanted.
    """

    head_moved = Signal(float)
    note_wanted = Signal(float)

    def __init__(
        self, span: TimeRange, flags: Callable[[], Sequence[Event]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._span, self._flags = span, flags
        self._held: tuple[Part, float, float, float] | None = None
        self._is_click = False
        self._head_s: float | None = None
        self._drawn: tuple[object, ...] = ()
        self.spans: Callable[[], Sequence[tuple[float, float]]] = tuple
        self.section: Callable[[], tuple[float, float] | None] = lambda: None
        self._fit_height()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Time strip")
        self._describe()
        span.changed.connect(self.refresh)
        theme().changed.connect(self.update)

    @property
    def scale(self) -> TimeScale:
        """Scale from times to pixels."""
        return TimeScale(self._span.first_s, self._span.whole_s, self.width())

    def show_head(self, time_s: float | None) -> None:
        """Put the play head at an instant, or at the present."""
        self._head_s = time_s
        self.refresh()

    def refresh(self) -> None:
        """Paint again where that can be seen."""
        scale, span = self.scale, self._span
        places = (round(scale.x(time_s)) for time_s in (span.now_s, span.start_s, span.end_s))
        head = None if self._head_s is None else round(scale.x(self._head_s))
        drawn = (*places, head, scale, tuple(self._flags()), self.section())
        if drawn != self._drawn:
            self._drawn = drawn
            self._describe()
            self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription(self._loop_words() or "Events of the run, and the time that plots show")

    def text_twin(self) -> TextTwin:
        """Return a line for all that happened, is planned or is noted."""
        lines = [(flag, at) for flag in self._flags() for at in range(len(flag.texts))]

        def kind(line: tuple[Event, int]) -> str:
            flag, at = line
            return "planned" if flag.is_planned else "event" if at < len(flag.texts) - flag.notes else "note"

        columns: tuple[Column[tuple[Event, int]], ...] = (
            Column(
                "Time", lambda line: _clock(line[0].time_s, self._span), order=lambda line: line[0].time_s
            ),
            Column("Kind", kind),
            Column("About", lambda line: line[0].texts[line[1]]),
        )
        return rows_twin(lines, columns)

    def _box(self) -> tuple[float, float]:
        scale = self.scale
        return scale.x(max(self._span.start_s, scale.first_s)), scale.x(min(self._span.end_s, scale.last_s))

    def _head_x(self) -> float:
        return self.scale.x(self._span.now_s if self._head_s is None else self._head_s)

    def _paint_bar(self, painter: QPainter, scale: TimeScale) -> None:
        left, right, now = scale.x(scale.first_s), scale.x(scale.last_s), scale.x(self._span.now_s)
        paint.track(painter, QRectF(left, _bar_top(), right - left, _BAR_HEIGHT).toRect())
        painter.fillRect(QRectF(left, _bar_top(), now - left, _BAR_HEIGHT), pale("accent", "track"))
        for start_s, end_s in self.spans():
            begin = scale.x(start_s)
            painter.fillRect(QRectF(begin, _bar_top() - 6, scale.x(end_s) - begin, 2), colour("accent"))

    def _paint_ticks(self, painter: QPainter, scale: TimeScale) -> None:
        metrics = QFontMetricsF(painter.font())
        ticks = clock_ticks(scale.first_s, scale.last_s, max(2, int(self.width() / 130)), self._span.offset_s)
        for time_s in ticks:
            x = round(scale.x(time_s)) + 0.5
            painter.setPen(colour("line2"))
            painter.drawLine(QLineF(x, _bar_top() + _BAR_HEIGHT + 2, x, _bar_top() + _BAR_HEIGHT + 5))
            words = self._span.mark(time_s, scale.first_s, scale.last_s)
            width = metrics.horizontalAdvance(words)
            left = min(max(x - width / 2, scale.x(scale.first_s)), self.width() - width - 4)
            painter.setPen(colour("muted"))
            draw_text_at(painter, QPointF(left, self.height() - 3), words)

    def _paint_flags(self, painter: QPainter, scale: TimeScale) -> None:
        metrics = QFontMetricsF(painter.font())
        for label in labels(self._flags(), scale, metrics.horizontalAdvance):
            flag = label.flag
            is_note = flag.notes == len(flag.texts)
            ink = colour("muted" if flag.is_planned else "accent" if is_note else "text")
            x = round(label.x) + 0.5
            painter.setPen(ink)
            painter.drawLine(QLineF(x, 4, x, _bar_top() + _BAR_HEIGHT))
            if not is_note:
                painter.fillRect(QRectF(x, 4, 6, 6), ink)
            if flag.notes:  # Notes have a pennant.
                tip = [QPointF(x, 4), QPointF(x + 8, 7.5), QPointF(x, 11)]
                painter.setBrush(colour("accent"))
                painter.drawPolygon(QPolygonF(tip))
            painter.setPen(colour("muted" if flag.is_planned else "text"))
            draw_text_at(painter, QPointF(x + 11, 2 + metrics.ascent()), label.words)

    def _paint_box(self, painter: QPainter) -> None:
        left, right = self._box()
        painter.setPen(QPen(colour("accent"), 3) if self.hasFocus() else QPen(colour("text"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(
            QRectF(round(left) + 0.5, _box_top() + 0.5, round(right) - round(left), _BOX_HEIGHT - 1)
        )

    def section_px(self) -> tuple[float, float] | None:
        """Return start and end of the looped section; None without one, or if it is not visible."""
        section, scale = self.section(), self.scale
        if section is None or section[1] < scale.first_s or section[0] > scale.last_s:
            return None
        left, right = (round(scale.x(min(max(one, scale.first_s), scale.last_s))) for one in section)
        return left, max(right, left + _LEAST_SECTION_PX)

    def _paint_section(self, painter: QPainter) -> None:
        ends = self.section_px()
        if ends is None:
            return
        left, right = ends
        ink, fill = colour("warn"), QColor(colour("warn"))
        fill.setAlphaF(_SECTION_FILL)
        # Drawn only over the colour of the past, it would look grey.
        for ground in (colour("surface"), fill):
            painter.fillRect(QRectF(left, _bar_top(), right - left, _BAR_HEIGHT), ground)
        top, high = _box_top() - 2, _BOX_HEIGHT + 4
        for x, foot_x in ((left, left), (right - _BRACKET_PX, right - _FOOT_PX)):
            painter.fillRect(QRectF(x, top, _BRACKET_PX, high), ink)
            for y in (top, top + high - _BRACKET_PX):
                painter.fillRect(QRectF(foot_x, y, _FOOT_PX, _BRACKET_PX), ink)

    def _loop_words(self) -> str:
        section = self.section()
        if section is None:
            return ""
        begin, end = (_clock(one, self._span) for one in section)
        return f"Loop from {begin} to {end}"

    def _paint_head(self, painter: QPainter, scale: TimeScale) -> None:
        x = self._head_x()
        top, bottom = _box_top() - 1, _box_top() + _BOX_HEIGHT + 2
        points = [
            (x - 4, top),
            (x + 4, top),
            (x + 4, bottom - 4),
            (x, bottom),
            (x - 4, bottom - 4),
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("accent" if self._head_s is None else "warn"))
        painter.drawPolygon(QPolygonF([QPointF(*point) for point in points]))

    def _near(self, x: float) -> list[tuple[float, str]]:
        """Return time and words of each event or note near a place."""
        scale = self.scale
        near = [flag for flag in self._flags() if abs(scale.x(flag.time_s) - x) < _NEAR_PX]
        return [(flag.time_s, line) for flag in near for line in _lines(flag, self._span)]

    def _flag_at(self, at: QPointF) -> Event | None:
        metrics = QFontMetricsF(tabular_font("caption"))
        placed = labels(self._flags(), self.scale, metrics.horizontalAdvance)
        return flag_at(at.x(), at.y(), placed, metrics.horizontalAdvance)

    def _pop_up_menu(self, x: float) -> None:
        """List what happened near a place, to go there, and offer a note on it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        near = self._near(x)
        for time_s, line in near:
            menu.addAction(menu_words(line), partial(self.head_moved.emit, time_s))
        if near:
            menu.addSeparator()
        time_s = near[0][0] if near else max(self._span.first_s, min(self.scale.time(x), self._span.now_s))
        menu.addAction("Add note here…", partial(self.note_wanted.emit, time_s))
        add_table_action(menu, self)
        menu.popup(self.mapToGlobal(QPoint(round(x), _box_top() + _BOX_HEIGHT)))

    def _fit_height(self) -> None:
        self.setFixedHeight(HEIGHT + _LINES * grown_px())

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(640, self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            scale = self.scale
            painter.fillRect(self.rect(), colour("surface"))
            self._paint_bar(painter, scale)
            self._paint_ticks(painter, scale)
            self._paint_flags(painter, scale)
            self._paint_box(painter)
            self._paint_section(painter)
            self._paint_head(painter, scale)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        flag = self._flag_at(event.position())
        if flag is not None:
            self.head_moved.emit(flag.time_s)
            return
        part = part_at(x, *self._box(), self._head_x())
        self._is_click = part != "head"
        if part == "none":
            half = (self._span.end_s - self._span.start_s) / 2
            middle = self.scale.time(x)
            self._span.fix(middle - half, middle + half)
            part = "box"
        self._held = (part, x, self._span.start_s, self._span.end_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held is None:
            part = part_at(x, *self._box(), self._head_x())
            is_flag = self._flag_at(event.position()) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if is_flag else _POINTERS[part])
            return
        part, began, start_s, end_s = self._held
        scale = self.scale
        if part == "head":
            self.head_moved.emit(scale.time(x))
            return
        if self._is_click and abs(x - began) < QApplication.startDragDistance():
            return
        self._is_click = False
        self._span.fix(*dragged(part, start_s, end_s, scale.time(x) - scale.time(began)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None and self._is_click:
            self.head_moved.emit(self.scale.time(event.position().x()))
        self._held = None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        self._pop_up_menu(self._head_x() if is_by_key else event.pos().x())

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._held = None
        self._span.show_whole()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        width = self._span.end_s - self._span.start_s
        moves = {Qt.Key.Key_Left: -_KEY_PART, Qt.Key.Key_Right: _KEY_PART}
        zooms = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Minus: 1.25}
        key = Qt.Key(event.key())
        if key in moves:
            by = moves[key] * width
            self._span.fix(self._span.start_s + by, self._span.end_s + by)
        elif key in zooms:
            self._span.zoom((self._span.start_s + self._span.end_s) / 2, zooms[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pop_up_menu(self._head_x())
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            lines = [line for _, line in self._near(event.pos().x())]
            ends = self.section_px()
            if ends is not None and ends[0] <= event.pos().x() <= ends[1]:
                lines.append(self._loop_words())
            QToolTip.showText(event.globalPos(), "\n".join(lines), self)
            return True
        return super().event(event)


def _clock(time_s: float, span: TimeRange) -> str:
    """Return a time as its target counts it: from the begin of the run, or by the clock."""
    return durations.clock(time_s) if span.clock.epoch_s is None else span.short(time_s)


def _lines(flag: Event, span: TimeRange) -> list[str]:
    """Return all texts of a flag, each with its time."""
    kinds = ["" if at < len(flag.texts) - flag.notes else "note: " for at in range(len(flag.texts))]
    planned = ", planned" if flag.is_planned else ""
    at = _clock(flag.time_s, span)
    return [f"{at}  {kind}{text}{planned}" for kind, text in zip(kinds, flag.texts, strict=True)]


_POINTERS = {
    "head": Qt.CursorShape.SizeHorCursor,
    "left": Qt.CursorShape.SizeHorCursor,
    "right": Qt.CursorShape.SizeHorCursor,
    "box": Qt.CursorShape.OpenHandCursor,
    "none": Qt.CursorShape.ArrowCursor,
}
