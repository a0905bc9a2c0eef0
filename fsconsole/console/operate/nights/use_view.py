"""System use of each report interval as stacked bars, and that of the window so far."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, pale
from fsconsole.figures.painted_text import draw_text
from fsconsole.neardedicated.view import ReportView, UseRow
from fsconsole.text import numbers

_LEFT, _TOP, _BOTTOM = 40, 12, 24
_LEGEND = 150
_PARTS = (("User", "user", "c2"), ("System", "system", "c6"), ("Idle", "idle", "track"))
_WIDEST, _SLIMMEST = 60, 34
_Align = Qt.AlignmentFlag


class UseView(Chart):
    """As many of the newest bars as there is room for."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setAccessibleName("System use")
        self.setAccessibleDescription("No data yet")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Screen readers read it, and F6 reaches it.
        self.setMinimumHeight(100)
        controller.changed.connect(self._refresh)

    @property
    def report(self) -> ReportView | None:
        """The night that is shown."""
        return self._controller.night.night if self._controller.night is not None else None

    @property
    def shown(self) -> tuple[UseRow, ...]:
        """The intervals shown, oldest first."""
        report = self.report
        room = max(1, int(self._plot().width() // _SLIMMEST))
        return report.use[-room:] if report is not None else ()

    @property
    def interval_s(self) -> float | None:
        """Time between two bars; None while there are not two."""
        rows = self.shown[-2:]
        return rows[1].time_s - rows[0].time_s if len(rows) > 1 else None

    @Slot()
    def _refresh(self) -> None:
        report = self.report
        if report is None:
            self.setAccessibleDescription("No data yet")
            return
        share_text = numbers.spoken_percent("user", report.user, 1)
        self.setAccessibleDescription(f"{_window_words(report)}: {share_text}")
        self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each interval of the window; those that have no room for a bar too."""
        report = self.report
        rows = report.use if report is not None else ()
        times = self._controller.times
        columns: tuple[Column[UseRow], ...] = (
            Column("To", lambda row: times.short(row.time_s), order=lambda row: row.time_s),
            *(_part_column(words, name) for words, name, _ in _PARTS),
            Column(
                "Mflop/s",
                lambda row: numbers.thousands(row.mflops),
                order=lambda row: row.mflops,
                is_number=True,
            ),
            Column("Job of", lambda row: row.person),
            Column("Efficiency", _efficiency_words),
        )
        return rows_twin(rows, columns)

    def _plot(self) -> QRectF:
        return QRectF(
            _LEFT, _TOP, max(self.width() - _LEFT - _LEGEND - 16, 60), self.height() - _TOP - _BOTTOM
        )

    def _bars(self) -> list[tuple[QRectF, UseRow]]:
        plot, rows = self._plot(), self.shown
        step = min(max(plot.width() / max(len(rows), 1), _SLIMMEST), _WIDEST)
        gap = step * 0.2
        return [
            (QRectF(plot.x() + gap + step * at, plot.y(), step - gap, plot.height()), row)
            for at, row in enumerate(rows)
        ]

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(560, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(420, 100)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.report is None:
            return
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            self._paint_axes(painter)
            last = -1e9
            for box, row in self._bars():
                self._paint_bar(painter, box, row)
                if box.center().x() - last >= 46:
                    painter.setPen(colour("muted"))
                    last = box.center().x()
                    words = QRectF(last - 30, box.bottom() + 3, 60, 18)
                    draw_text(painter, words, _Align.AlignCenter, self._controller.times.short(row.time_s))
            self._paint_legend(painter)
            if self.hasFocus():
                paint.frame(painter, self.rect(), "accent")

    def _paint_axes(self, painter: QPainter) -> None:
        plot = self._plot()
        for part in (0, 50, 100):
            y = plot.bottom() - plot.height() * part / 100
            painter.setPen(colour("muted"))
            draw_text(
                painter, QRectF(0, y - 9, _LEFT - 8, 18), _Align.AlignRight | _Align.AlignVCenter, str(part)
            )
            ink = "line2" if part == 0 else "grid"
            painter.fillRect(QRectF(plot.x(), round(y), plot.width(), 1), colour(ink))
        painter.fillRect(QRectF(plot.x(), plot.y(), 1, plot.height()), colour("line2"))

    def _paint_bar(self, painter: QPainter, box: QRectF, row: UseRow) -> None:
        bottom = box.bottom()
        for _, name, token in _PARTS:
            height = box.height() * max(getattr(row, name), 0.0)
            part = QRectF(box.x(), bottom - height, box.width(), height)
            if height >= 1:
                _paint_part(painter, part, token)
            if name == "user" and height > 18 and box.width() >= 24:
                painter.setFont(tabular_font("caption", semibold=True))
                painter.setPen(colour("text"))
                draw_text(painter, part, _Align.AlignCenter, numbers.percent(row.user, 0, unit=False))
                painter.setFont(tabular_font("caption"))
            bottom -= height

    def _paint_legend(self, painter: QPainter) -> None:
        report = self.report
        if report is None:
            return
        left, top = self.width() - _LEGEND, 10
        room = QRectF(left, top, _LEGEND - 12, 20)
        painter.setPen(colour("muted"))
        draw_text(
            painter,
            room,
            _Align.AlignLeft | _Align.AlignVCenter,
            f"{_window_words(report)}, %",
        )
        painter.setFont(tabular_font())
        for words, name, token in _PARTS:
            room = room.translated(0, 20)
            _paint_part(painter, QRectF(left + 0.5, room.y() + 5.5, 10, 10), token)
            painter.setPen(colour("text"))
            draw_text(painter, room.adjusted(18, 0, 0, 0), _Align.AlignLeft | _Align.AlignVCenter, words)
            painter.setFont(tabular_font(semibold=True))
            text = numbers.percent(getattr(report, name), unit=False)
            draw_text(painter, room, _Align.AlignRight | _Align.AlignVCenter, text)
            painter.setFont(tabular_font())
        painter.setFont(tabular_font("caption"))
        painter.setPen(colour("muted"))
        room = room.translated(0, 24)
        text = f"Mflop/s {numbers.thousands(report.mflops)} mean"
        draw_text(painter, room, _Align.AlignLeft | _Align.AlignVCenter, text)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            row = next((one for box, one in self._bars() if box.contains(at)), None)
            QToolTip.showText(event.globalPos(), self._tip(row) if row is not None else "", self)
            return True
        return super().event(event)

    def _tip(self, row: UseRow) -> str:
        parts = [f"{words} {numbers.percent(getattr(row, name))}" for words, name, _ in _PARTS]
        lines = [f"Up to {self._controller.times.short(row.time_s)}: {', '.join(parts)}"]
        lines.append(f"Mflop/s {numbers.thousands(row.mflops)}")
        if row.person:
            lines.append(f"Job of {row.person}: efficiency {_efficiency_words(row)}")
        return "\n".join(lines)


def _window_words(report: ReportView) -> str:
    return "Window so far" if report.end_s is None else "Last window"


def _efficiency_words(row: UseRow) -> str:
    if not row.person:
        return numbers.UNKNOWN
    return "preparing" if row.efficiency is None else numbers.percent(row.efficiency)


def _part_column(title: str, name: str) -> Column[UseRow]:
    """Return the column of a part of all CPU time."""
    part: Callable[[UseRow], float] = attrgetter(name)
    return Column(title, lambda row: numbers.percent(part(row)), order=part, is_number=True)


def _paint_part(painter: QPainter, box: QRectF, token: str) -> None:
    if token == "track":
        painter.setPen(QPen(colour("line2"), 1))
        painter.setBrush(colour(token))
        painter.drawRect(
            QRectF(
                round(box.x()) + 0.5, round(box.y()) + 0.5, round(box.width()) - 1, round(box.height()) - 1
            )
        )
        return
    painter.fillRect(box.toAlignedRect(), pale(token) if token == "c2" else colour(token))
    painter.fillRect(QRectF(box.x(), box.y(), box.width(), 1), colour("surface"))
