"""CPU efficiency of the running job: a bar against the required line, and its history."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.app.nights.times import Times
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.neardedicated.view import Efficiency
from fsconsole.text import durations, numbers

_BAR = 13
_LOW, _HIGH = 0.5, 1.0  # what the history shows
_SHOWN = 36  # values: three hours of five minutes
_Align = Qt.AlignmentFlag


class EfficiencyBar(QWidget):
    """The last interval's efficiency from 0 to 100 %; warn below the required line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._efficiency: float | None = None
        self._required = 0.88
        self._is_whole = True
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def is_low(self) -> bool:
        """Whether it is below the line, over an interval in which it computed all the time."""
        return self._is_whole and self._efficiency is not None and self._efficiency < self._required

    def show_values(self, efficiency: float | None, required: float, *, is_whole: bool = True) -> None:
        """Show other values, fractions; the interval is not whole where it holds a part of the setup."""
        self._efficiency, self._required, self._is_whole = efficiency, required, is_whole
        said = numbers.spoken_percent("CPU efficiency", efficiency, 1)
        self.setAccessibleName(f"{said}, required {numbers.percent(required, 0, unit=False)}")
        self.update()

    @property
    def _token(self) -> str:
        if not self._is_whole:
            return "muted"
        return "warn" if self.is_low else "ok"

    def sizeHint(self) -> QSize:
        return QSize(200, _BAR + 21)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular_font("caption"))
        width = self.width()
        painter.fillRect(0, 2, width, _BAR, colour("track"))
        if self._efficiency is not None:
            filled = round(width * min(max(self._efficiency, 0.0), 1.0))
            painter.fillRect(0, 2, filled, _BAR, colour(self._token))
        at = round(width * self._required)
        painter.fillRect(at - 1, 0, 2, _BAR + 5, colour("text"))
        self._paint_words(painter, at)
        painter.end()

    def _paint_words(self, painter: QPainter, at: int) -> None:
        width, top = self.width(), _BAR + 4
        painter.setPen(colour("muted"))
        rect = QRectF(0, top, width, 17)
        painter.drawText(rect, _Align.AlignLeft | _Align.AlignBottom, "0")
        painter.drawText(rect, _Align.AlignRight | _Align.AlignBottom, "100")
        for part in (25, 50):
            if part / 100 < self._required - 0.3:
                painter.drawText(
                    QRectF(width * part / 100 - 20, top, 40, 17),
                    _Align.AlignHCenter | _Align.AlignBottom,
                    str(part),
                )
        painter.setPen(colour("text"))
        room = QRectF(0, top, min(at + 2, width - 28), 17)
        said = f"required {numbers.percent(self._required, 0)}"
        painter.drawText(room, _Align.AlignRight | _Align.AlignBottom, said)


_WORDS_PX = 36  # height from which there is room for words


class EfficiencyHistory(QWidget):
    """The efficiency of each interval as a line, 50 to 100 %, with the required one dashed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[Efficiency, ...] = ()
        self._required = 0.88
        self._times: Times | None = None
        self._setup_s = 0.0
        self.setMinimumHeight(40)

    def show_values(
        self, points: tuple[Efficiency, ...], required: float, times: Times, setup_s: float
    ) -> None:
        """Show other values; `setup_s` is how long the job prepared."""
        self._points = tuple(point for point in points if point.efficiency is not None)[-_SHOWN:]
        self._required, self._times, self._setup_s = required, times, setup_s
        last = self._points[-1] if self._points else None
        said = f"{numbers.percent(last.efficiency)} at {times.short(last.time_s)}" if last else "none yet"
        self.setAccessibleName(f"History of efficiency, {said}")
        self.setToolTip(
            "\n".join(f"{times.short(one.time_s)}  {numbers.percent(one.efficiency)}" for one in self._points)
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular_font("caption"))
        height, width = self.height(), self.width()
        painter.fillRect(0, 2, 1, height - 4, colour("line2"))
        painter.fillRect(0, height - 3, width, 1, colour("line2"))
        dashed = QPen(colour("text"), 1)
        dashed.setDashPattern([3, 3])
        painter.setPen(dashed)
        y = round(self._y(self._required)) + 0.5
        painter.drawLine(QPointF(0, y), QPointF(width, y))
        places = self._places()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("ok"), 1.5))
        painter.drawPolyline(places)
        self._paint_points(painter, places)
        self._paint_words(painter, places)
        painter.end()

    def _places(self) -> list[QPointF]:
        step = max(0.0, (self.width() - 80) / max(len(self._points) - 1, 7))
        return [
            QPointF(78 + step * at, self._y(one.efficiency or 0.0)) for at, one in enumerate(self._points)
        ]

    def _y(self, efficiency: float) -> float:
        part = (min(max(efficiency, _LOW), _HIGH) - _LOW) / (_HIGH - _LOW)
        return 4 + (1 - part) * (self.height() - 12)

    def _paint_points(self, painter: QPainter, places: list[QPointF]) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for at, one in zip(places, self._points, strict=True):
            token = "ok" if (one.efficiency or 0.0) >= self._required else "warn"
            painter.setBrush(colour("muted" if one.partly_setup else token))
            painter.drawEllipse(at, 2.5, 2.5)

    def _paint_words(self, painter: QPainter, places: list[QPointF]) -> None:
        """The first value, with the preparation, and the lowest of the last ones."""
        if not self._points or self._times is None or self.height() < _WORDS_PX:
            return  # words would cover the line
        painter.setPen(colour("muted"))
        setup = f", setup {durations.length_words(self._setup_s)}" if self._setup_s else ""
        self._say(painter, self._points[0], places[0] + QPointF(7, 4), setup)
        if len(self._points) > 3:
            lowest = min(range(3, len(places)), key=lambda at: self._points[at].efficiency or 0.0)
            self._say(painter, self._points[lowest], places[lowest] + QPointF(6, 15))

    def _say(self, painter: QPainter, point: Efficiency, at: QPointF, more: str = "") -> None:
        if self._times is None:
            return
        percent = numbers.percent(point.efficiency, unit=False)
        words = f"{percent} at {self._times.short(point.time_s)}{more}"
        left = min(at.x(), self.width() - QFontMetricsF(painter.font()).horizontalAdvance(words) - 2)
        painter.drawText(QPointF(left, min(at.y(), self.height() - 6)), words)
