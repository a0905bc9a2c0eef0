"""The table of the queue: rows are dragged to their places, or moved by keys."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.app.nights.replan import free_s
from fsconsole.app.nights.times import mw
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style.sizes import row_px
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.chips import ChipState, paint_chip
from fsconsole.neardedicated.view import Fit, NightView, QueueRow
from fsconsole.text import numbers
from fsconsole.text.durations import duration, length_words

_NARROW_WIDTHS = {"place": 40, "user": 62, "job": 80, "estimate": 74, "cpu": 74, "shown": 80, "fit": 142}
ChipRole = int(Qt.ItemDataRole.UserRole) + 80
"""(state, icon) of a cell that is a chip."""

_CHIPS: dict[Fit, tuple[ChipState, str]] = {
    Fit.FITS: ("ok", "ok"),
    Fit.TOO_LONG: ("danger", "kill"),
    Fit.TAKES_CHANCES: ("warn", "warning"),
}
_KEPT_BACK: tuple[ChipState, str] = ("neutral", "locked")  # Held or not eligible.


class QueueModel(RowModel[QueueRow]):
    """The rows of a night in the order of the queue.

    Attributes:
        is_narrow: whether titles are short.
    """

    def __init__(self, controller: NightController) -> None:
        self._controller = controller
        self._required = 0.0
        self._is_closing = self._is_preview = False
        self.is_narrow = False
        super().__init__(self._made_columns(), key=lambda row: row.request)

    def show_night(self, night: NightView | None) -> None:
        """Show another night; jobs keep their selection."""
        self._required = night.required_efficiency if night is not None else 0.0
        self.set_title(self.place("fit"), fit_title(night, self._controller, is_short=self.is_narrow))
        is_closing = night is not None and night.window.closing
        if is_closing != self._is_closing:
            self._is_closing = is_closing
            self._refresh_fits()
        self.set_rows(night.queue if night is not None else ())

    def preview(self, *, is_preview: bool) -> None:
        """Set whether the window is being moved: then fits are dimmed, since they are of the present one."""
        if is_preview != self._is_preview:
            self._is_preview = is_preview
            self._refresh_fits()

    def _refresh_fits(self) -> None:
        self.emit_changed(self.place("fit"), self.place("why"))

    def _fits(self, row: QueueRow) -> str:
        """Return the fit; no promise is made while the window is closing."""
        return "Not started" if self._is_closing and row.fit in _CHIPS else row.fit.value

    def _why(self, row: QueueRow) -> str:
        return "the window is closing" if self._is_closing else row.why

    def _chip(self, row: QueueRow) -> tuple[ChipState, str]:
        state, icon = _CHIPS.get(row.fit, _KEPT_BACK)
        return ("neutral" if self._is_closing or self._is_preview else state, icon)

    def _ink_of_shown(self, row: QueueRow) -> str:
        is_low = row.shown_efficiency is not None and row.shown_efficiency < self._required
        return "danger" if is_low else ""

    def _made_columns(self) -> tuple[Column[QueueRow], ...]:
        return (
            Column("#", lambda row: str(row.place), name="place", tip=tip_of, width=46, is_number=True),
            Column("User", lambda row: row.person, tip=tip_of, width=60, is_name=True),
            Column("Job", lambda row: row.name, tip=tip_of, width=90, is_name=True),
            Column("CPU asked", lambda row: duration(row.requested_cpu_s), name="cpu", tip=tip_of,
                   full=lambda row: numbers.full(row.requested_cpu_s), width=86, is_number=True),
            Column("Estimate", lambda row: duration(row.estimate_s), tip=tip_of, width=70,
                   is_number=True),
            Column("Shown eff.", lambda row: numbers.percent(row.shown_efficiency), name="shown", tip=tip_of,
                   ink=self._ink_of_shown, width=84, is_number=True),
            Column("Fits", self._fits, name="fit", tip=tip_of, width=140, more={ChipRole: self._chip}),
            Column("Why", self._why, tip=tip_of, ink=lambda _row: "muted", stretches=True),
        )  # fmt: skip


def tip_of(row: QueueRow) -> str:
    """Return the tooltip with all values of a row."""
    lines = [f"Request {row.request}, {row.person} {row.name}", f"{row.fit.value}: {row.why}"]
    if row.memory_mw or row.sds_mw:
        lines.append(f"Needs {mw(row.memory_mw)} of memory, {mw(row.sds_mw)} of SDS")
    return "\n".join(lines)


def fit_title(night: NightView | None, controller: NightController, *, is_short: bool = False) -> str:
    """Return the rest of the window at the start of the next job: `In 4 h 30 min left at 03:00`.

    Where there is little room for it, the time is left out.
    """
    if night is None or night.window.end_s is None:
        return "Fits"
    if night.window.closing:
        return "Closing"
    at_s = free_s(night, by_pace=False)
    if at_s >= night.window.end_s:
        return "Nothing left"
    left = f"{length_words(night.window.end_s - at_s)} left"
    return left if is_short else f"In {left} at {controller.times.short(at_s)}"


class QueueTable(Table[QueueRow]):
    """Waiting jobs in order.

    Signals: dragged(request, place) while a row is dragged, place 0 when that is over; moved(request, place)
    when it is let go; chosen() when another job is selected.
    """

    dragged = Signal(int, int)
    moved = Signal(int, int)
    chosen = Signal()

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        self.queue = QueueModel(controller)
        super().__init__(
            self.queue, "Near-dedicated queue", parent, controller.session.preferences, "operate/queue"
        )
        self._controller = controller
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self._held: tuple[int, QPoint] | None = None
        self._place = 0
        self.queue.modelAboutToBeReset.connect(self._let_go)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(self.queue.place("fit"), _FitDelegate(self))
        self.setItemDelegateForColumn(self.queue.place("place"), _PlaceDelegate(self))
        self.selectionModel().selectionChanged.connect(self.chosen)

    @property
    def selected_job(self) -> QueueRow | None:
        """Job that is selected; None for none."""
        return next(iter(self.selected()), None)

    @property
    def drop_place(self) -> int:
        """The place a dragged row would get, from 1; 0 while none is dragged."""
        return self._place

    def set_narrow(self, *, narrow: bool) -> None:
        """Narrow the columns, and hide those that estimate and reason repeat."""
        self.queue.is_narrow = narrow
        self.squeeze(("cpu", "shown") if narrow else ())
        self.set_widths(_NARROW_WIDTHS if narrow else {})

    # -- inside ---------------------------------------------------------------------------------------------

    def _place_at(self, y: int) -> int:
        """Return the place, from 1, of a row that is dropped at a height."""
        passed = math.ceil((y - self.rowViewportPosition(0) - row_px() / 2) / row_px())
        above = min(max(passed, 0), len(self.queue.rows))
        held = self.queue.row_of(self._held[0]) if self._held is not None else 0
        return max(1, above if above > held else above + 1)

    @Slot()
    def _let_go(self) -> None:
        if self._held is not None and self._place:
            self.dragged.emit(self._held[0], 0)
        self._held, self._place = None, 0
        self.viewport().unsetCursor()
        self.viewport().update()

    def _line_y(self) -> int:
        """Return the height of the line that shows the place."""
        held = self.queue.row_of(self._held[0]) if self._held is not None else 0
        row = self._place - 1 if self._place - 1 <= held else self._place
        if row < len(self.queue.rows):
            return self.rowViewportPosition(row)
        return self.rowViewportPosition(len(self.queue.rows) - 1) + row_px()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() is Qt.MouseButton.LeftButton and self._controller.is_armed:
            self._held = (self.queue.rows[index.row()].request, event.position().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            super().mouseMoveEvent(event)
            return
        at = event.position().toPoint()
        far = (at - self._held[1]).manhattanLength() >= QApplication.startDragDistance()
        if self._place or far:
            place = self._place_at(at.y())
            if place != self._place:
                self._place = place
                self.dragged.emit(self._held[0], place)
                self.viewport().update()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, place = self._held, self._place
        self._let_go()
        super().mouseReleaseEvent(event)
        if held is not None and place and self.queue.row_of(held[0]) != place - 1:
            self.moved.emit(held[0], place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._held is not None:
            self._let_go()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._place:
            return
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            y = max(self._line_y(), 4)
            painter.fillRect(QRect(8, y - 1, self.viewport().width() - 12, 2), colour("accent"))
            painter.setPen(QPen(colour("accent"), 2))
            painter.setBrush(colour("surface"))
            painter.drawEllipse(QPoint(5, y), 3, 3)


class _FitDelegate(QStyledItemDelegate):
    """Delegate that paints a chip."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        view = option.widget
        view.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, view)
        state, icon = index.data(ChipRole)
        painter.setFont(option.font)
        paint_chip(painter, option.rect.adjusted(6, 0, -6, 0), option.text, state, icon)


class _PlaceDelegate(QStyledItemDelegate):
    """The number, with a grip where rows can be dragged."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        rect = option.rect
        for column in (0, 5):
            for row in (-5, 0, 5):
                x, y = rect.x() + 11 + column, rect.center().y() + row
                painter.fillRect(x, y, 2, 2, colour("muted"))
