"""Who holds memory and SDS."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.app.nights.times import mw
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.neardedicated.view import Held
from fsconsole.text import numbers
from fsconsole.text.words import count_words

_MARGIN = 14
_BAR = 14
_GAP = 12
_TOKENS = {"ND job": "c5", "Batch": "c2", "Interactive": "c3", "System": "g3"}
_OTHERS = ("c8", "c11", "c12", "c9")
_Align = Qt.AlignmentFlag


class MemoryView(Chart):
    """A bar for memory, one for SDS, and the processes suspended for them."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setAccessibleName("Memory and SDS")
        self.setAccessibleDescription("No data yet")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Screen readers can then read it, and F6 reaches it.
        controller.changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        if night is None:
            return
        parts = [
            f"{what} {mw(sum(one.mw for one in held))} of {mw(size)}"
            for what, held, size in (
                ("Memory", night.memory, night.memory_mw),
                ("SDS", night.sds, night.sds_mw),
            )
        ]
        self.setAccessibleDescription(", ".join(parts))
        self.setToolTip("\n".join(f"{one.who}: {mw(one.mw)} of memory" for one in night.memory))
        self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each holder of memory and of SDS, and for what is free."""
        night = self._controller.night
        if night is None:
            return TextTwin()
        lines = [
            (what, one, one.mw / size)
            for what, held, size in (
                ("Memory", night.memory, night.memory_mw),
                ("SDS", night.sds, night.sds_mw),
            )
            if size > 0
            for one in (*held, Held("Free", max(size - sum(one.mw for one in held), 0.0)))
        ]
        columns: tuple[Column[tuple[str, Held, float]], ...] = (
            Column("Kind", lambda line: line[0]),
            Column("Held by", lambda line: line[1].who),
            Column(
                "MW", lambda line: numbers.fixed(line[1].mw, 1), order=lambda line: line[1].mw, is_number=True
            ),
            Column("Part", lambda line: numbers.percent(line[2]), order=lambda line: line[2], is_number=True),
        )
        return rows_twin(lines, columns)

    def sizeHint(self) -> QSize:
        return QSize(410, 166)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 150)

    def paintEvent(self, _event: QPaintEvent) -> None:
        night = self._controller.night
        if night is None:
            return
        with QPainter(self) as painter:
            step = min(max((self.height() - 40) // 2, 56), 68)
            self._paint_bar(painter, 8, "Memory", night.memory, night.memory_mw)
            self._paint_bar(painter, 8 + step, "SDS", night.sds, night.sds_mw)
            room = QRectF(_MARGIN, 8 + 2 * step, self.width() - 2 * _MARGIN, 20)
            left = f"Suspended for SDS {count_words(night.suspended, 'process', 'processes')}"
            right = f"Swapped out {night.swapped_out}"
            painter.setFont(tabular_font("caption"))
            painter.setPen(colour("muted"))
            held = f"{left}, {mw(night.suspended_mw)}" if night.suspended else left
            metrics = QFontMetricsF(painter.font())
            free = room.width() - metrics.horizontalAdvance(right) - _GAP
            left = held if metrics.horizontalAdvance(held) <= free else left
            draw_text(painter, room, _Align.AlignLeft | _Align.AlignVCenter, left)
            draw_text(painter, room, _Align.AlignRight | _Align.AlignVCenter, right)
            if self.hasFocus():
                paint.frame(painter, self.rect(), "accent")

    def _paint_bar(
        self, painter: QPainter, top: int, name: str, held: tuple[Held, ...], size_mw: float
    ) -> None:
        width = self.width() - 2 * _MARGIN
        head = QRectF(_MARGIN, top, width, 18)
        painter.setFont(tabular_font(semibold=True))
        painter.setPen(colour("text"))
        draw_text(painter, head, _Align.AlignLeft | _Align.AlignVCenter, name)
        painter.setFont(tabular_font("caption"))
        painter.setPen(colour("muted"))
        if size_mw <= 0:
            draw_text(painter, head, _Align.AlignRight | _Align.AlignVCenter, "not part of this machine")
            return
        used = numbers.fixed(sum(one.mw for one in held), 1)
        draw_text(painter, head, _Align.AlignRight | _Align.AlignVCenter, f"{used} of {mw(size_mw)}")
        paint.track(painter, QRectF(_MARGIN, top + 20, width, _BAR).toRect())
        x = float(_MARGIN)
        for one in held:
            part = width * min(one.mw / size_mw, 1.0)
            painter.fillRect(QRectF(x, top + 20, max(part - 1, 1), _BAR), colour(token_of(one.who)))
            x += part
        self._paint_legend(painter, QRectF(_MARGIN, top + 21 + _BAR, width, 18), held)

    def _paint_legend(self, painter: QPainter, room: QRectF, held: tuple[Held, ...]) -> None:
        """Paint holders and their amounts, as many as there is room for."""
        x = room.x()
        for one in held:
            painter.setFont(tabular_font("caption"))
            name = QFontMetricsF(painter.font()).horizontalAdvance(one.who)
            bold = tabular_font("caption", semibold=True)
            size_text = numbers.fixed(one.mw, 1)
            value = QFontMetricsF(bold).horizontalAdvance(size_text)
            if x + 14 + name + 5 + value > room.right():
                return
            painter.fillRect(QRectF(x, room.y() + 5, 8, 8), colour(token_of(one.who)))
            painter.setPen(colour("muted"))
            draw_text(painter, QRectF(x + 14, room.y(), name + 2, 18), _Align.AlignVCenter, one.who)
            painter.setFont(bold)
            painter.setPen(colour("text"))
            draw_text(painter, QRectF(x + 19 + name, room.y(), value + 2, 18), _Align.AlignVCenter, size_text)
            x += 19 + name + value + 14


def token_of(who: str) -> str:
    """Return the colour of who holds memory; the same name has the same one in every bar."""
    return _TOKENS.get(who) or _OTHERS[sum(who.encode()) % len(_OTHERS)]
