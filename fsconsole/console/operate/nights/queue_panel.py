"""The queue, what a move changes, and the policy that puts it in order."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from fsconsole.app.nights.replan import move_sentence
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.nights.queue_table import QueueTable
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.strip import Foot
from fsconsole.neardedicated.view import Fit, NightView
from fsconsole.shares.scenario.actions import HoldJob, MoveJob, OrderQueue, ReleaseJob
from fsconsole.shares.scenario.nd_spec import Order
from fsconsole.text.words import count_words

_ORDERS: tuple[tuple[Order, str], ...] = (
    ("arrival", "by arrival"),
    ("shares", "by shares"),
    ("shortest", "shortest first"),
    ("efficiency", "by efficiency"),
    ("by-hand", "by hand"),
)
_FOOT = 30


class QueuePanel(QWidget):
    """Table and foot; the box with the policies is for the dock's header."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.table = QueueTable(controller, self)
        self.order = QComboBox()
        self.order.setAccessibleName("Order of the queue")
        self.order.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for value, words in _ORDERS:
            self.order.addItem(f"Order: {words}", value)
        self.order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._sentence = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight, token="text")
        self._next = MutedLabel("", self)
        self._build_ui()
        self.order.activated.connect(self._put_in_order)
        self.table.dragged.connect(self._show_drag)
        self.table.moved.connect(self.move_to)
        self.table.chosen.connect(self._show_effect)
        controller.changed.connect(self._refresh)
        controller.arming.changed.connect(self._refresh)

    @property
    def sentence(self) -> str:
        """Sentence at the foot."""
        return self._sentence.text()

    def can_move(self, step: int) -> bool:
        """Return True if the selected job can go up (-1) or down (1)."""
        row = self.table.selected_job
        return (
            row is not None
            and self._controller.is_armed
            and 1 <= row.place + step <= len(self.table.queue.rows)
        )

    def move_by(self, step: int) -> None:
        """Move the selected job up or down by one place."""
        row = self.table.selected_job
        if row is not None and self.can_move(step):
            self.move_to(row.request, row.place + step)

    @Slot(int, int)
    def move_to(self, request: int, place: int) -> None:
        """Move a job to a place."""
        self._controller.act(MoveJob(request, place))

    def can_hold(self, *, held: bool) -> bool:
        """Return True if the selected job waits held, or not held, as given."""
        row = self.table.selected_job
        return row is not None and self._controller.is_armed and (row.fit is Fit.HELD) is held

    def hold(self) -> None:
        """Keep the selected job from being started."""
        if (row := self.table.selected_job) is not None:
            self._controller.act(HoldJob(row.request))

    def release(self) -> None:
        """Let the selected job be started again."""
        if (row := self.table.selected_job) is not None:
            self._controller.act(ReleaseJob(row.request))

    def put_head(self, dock: Dock) -> None:
        """Put the policies into the dock's header."""
        dock.header.add_widget(self.order)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        foot = Foot(self, "alt")
        keep_height(foot, _FOOT)
        hbox((self._sentence, 1), self._next, on=foot, margins=(12, 0, 12, 0), spacing=INHERIT)
        vbox((self.table, 1), foot, on=self)

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        self.order.setEnabled(self._controller.is_armed and night is not None)
        self.order.setToolTip("Rule for the order" if self._controller.is_armed else READ_ONLY)
        if not self.isVisible():
            return
        self.table.queue.show_night(night)
        if night is None:
            self._next.clear()
        elif not self.order.view().isVisible():
            self._show_order(night)
        self._show_effect()

    def _show_order(self, night: NightView) -> None:
        by_hand = night.by_hand_until_s
        until = f"until {self._controller.times.short(by_hand)}" if by_hand is not None else ""
        self.order.setItemText(len(_ORDERS) - 1, f"Order: by hand {until}".rstrip())
        wanted = "by-hand" if by_hand is not None else night.order
        self.order.setCurrentIndex(max(self.order.findData(wanted), 0))
        at = night.next_reorder_s
        self._next.setText(f"Next policy pass {self._controller.times.short(at)}" if at is not None else "")

    @Slot(int)
    def _put_in_order(self, row: int) -> None:
        self._controller.act(OrderQueue(_ORDERS[row][0]))

    @Slot(int, int)
    def _show_drag(self, request: int, place: int) -> None:
        night = self._controller.night
        if night is not None and place:
            self._sentence.setText(move_sentence(night, request, place))
        else:
            self._show_effect()

    @Slot()
    def _show_effect(self) -> None:
        """Show the selected job, while none is dragged."""
        if self.table.drop_place:
            return
        row = self.table.selected_job
        night = self._controller.night
        if night is not None and night.window.closing:
            count = count_words(len(night.queue), "job is", "jobs are")
            self._sentence.setText(f"{count} not started: the window is closing" if night.queue else "")
        elif row is not None:
            self._sentence.setText(f"{row.place} {row.name} of {row.person}: {row.why}")
        else:
            self._sentence.setText(_planned(night) if night is not None and night.queue else "")
        drag = "Drag a row, or press Alt+Up and Alt+Down, to move a job" if row else ""
        self._sentence.setToolTip("\n".join(filter(None, (self._sentence.text(), drag))))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()


def _planned(night: NightView) -> str:
    """Return the numbers of jobs that the two lanes of the timeline start, in words."""
    by_estimate, by_pace = len(night.plan_by_estimate), len(night.plan_by_pace)
    starts = count_words(by_estimate, "job starts", "jobs start")
    return f"{starts} if jobs run as long as estimated, {by_pace} if they end as expected"
