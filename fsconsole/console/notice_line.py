"""The line of notices: one row of fixed height below the tool bar, which is always there."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolButton, QWidget

from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.strip import NOTICE_HEIGHT, Notice

_BUTTON_PX = 20
_BEFORE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_AFTER = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


class NoticeLine(QWidget):
    """Shows the most important notice, with a count of all and a way to the others.

    It takes no room from the page and never takes the focus. What the pointer is over, or has the focus,
    stays until it is used or left, even if its cause is gone; only the count changes.
    """

    def __init__(self, page: QWidget, parent: QWidget | None = None) -> None:
        """`page` gets the focus when the notice that has it goes."""
        super().__init__(parent)
        self._page = page
        self._notices: list[Notice] = []
        self._owners: dict[Notice, QWidget] = {}  # Notices of one page of the window alone.
        self._owner: QWidget | None = None
        self._front: Notice | None = None
        self._chosen: Notice | None = None
        self._known: frozenset[Notice] = frozenset()
        self._is_used = False
        keep_height(self, NOTICE_HEIGHT)
        self._stepper = _Stepper(self)
        self._stepper.stepped.connect(self._step)
        self._stepper.hide()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    @property
    def front(self) -> Notice | None:
        """The notice that is shown."""
        return self._front

    @property
    def count_words(self) -> str:
        """Place of the notice shown among all; empty where it is the only one."""
        return "" if self._stepper.isHidden() else self._stepper.count.text()

    def add(self, notices: Iterable[Notice], owner: QWidget | None = None) -> None:
        """Show notices from now on when they have something to report; with an owner, on its page alone."""
        for notice in notices:
            notice.setParent(self)
            self._notices.append(notice)
            if owner is not None:
                self._owners[notice] = owner
            notice.wanted_changed.connect(self._choose)
            for button in notice.findChildren(QAbstractButton):
                button.clicked.connect(self._on_clicked)
        self._choose()

    def show_page(self, owner: QWidget | None) -> None:
        """Show the notices of another page, too."""
        if owner is not self._owner:
            self._owner = owner
            self._choose()

    @property
    def _wanted(self) -> list[Notice]:
        here = (one for one in self._notices if self._owners.get(one, self._owner) is self._owner)
        return sorted((one for one in here if one.is_wanted), key=lambda one: one.order)

    @property
    def _is_held(self) -> bool:
        return not self._is_used and (self.underMouse() or self._has_focus())

    def _has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    @Slot()
    def _choose(self) -> None:
        wanted = self._wanted
        new, self._known = frozenset(wanted) - self._known, frozenset(wanted)
        shown = self._front
        if self._chosen not in wanted or any(one.order < self._chosen.order for one in new):
            self._chosen = None
        if shown is None or not self._is_held:
            self._show(self._chosen or (wanted[0] if wanted else None))
        elif shown not in wanted:
            wanted = [shown, *wanted]
        self._show_count(wanted)

    def _show(self, notice: Notice | None) -> None:
        before, self._front = self._front, notice
        if notice is before:
            return
        self._is_used = False
        if notice is not None:
            notice.setGeometry(self._room())
            notice.show()
        if before is not None:
            focus = QApplication.focusWidget()
            if focus is not None and before.isAncestorOf(focus):
                self._page.setFocus(Qt.FocusReason.OtherFocusReason)  # Qt would choose any control.
            before.hide()

    def _show_count(self, wanted: list[Notice]) -> None:
        if self._front is not None and len(wanted) > 1:
            self._stepper.show_count(wanted.index(self._front) + 1, len(wanted))
        self._stepper.setVisible(len(wanted) > 1)
        self.update()

    def _step(self, by: int) -> None:
        wanted = self._wanted
        if wanted:
            at = wanted.index(self._front) if self._front in wanted else -by
            self._chosen = wanted[(at + by) % len(wanted)]
            self._show(self._chosen)
            self._show_count(wanted)

    @Slot()
    def _on_clicked(self) -> None:
        """Follow what a click in the notice has done."""
        self._is_used = True
        self._choose()

    @Slot()
    def _on_focus_changed(self) -> None:
        if self._front is not None and not self._is_held:
            self._choose()

    def _room(self) -> QRect:
        """Return the place of a notice: left of the count, whether there is one or not."""
        return self.rect().adjusted(0, 0, -self._stepper.sizeHint().width(), 0)

    def _place(self) -> None:
        room = self._room()
        for notice in self._notices:
            notice.setGeometry(room)
        self._stepper.setGeometry(QRect(room.topRight() + QPoint(1, 0), self.rect().bottomRight()))

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._is_used = False

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._choose()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._front is not None:
                self._front.paint_ground(painter, self.rect())
            else:
                painter.fillRect(self.rect(), colour("raised"))
                paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)


class _Stepper(QWidget):
    """`1 of 3` and two buttons. Signals: stepped(int) by 1 or -1."""

    stepped = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.count = MutedLabel("", self)
        self.count.setFont(tabular_font())
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        set_control_height(self, _BUTTON_PX)
        self.before = self._button("before", _BEFORE, "Previous notice", -1)
        self.after = self._button("after", _AFTER, "Next notice", 1)
        hbox((self.count, 1), self.before, self.after, on=self, margins=(4, 0, 12, 0), spacing=2)
        self._reserve()

    def show_count(self, at: int, count: int) -> None:
        """Show the place of a notice among all."""
        self.count.setText(f"{at} of {count}")

    def _button(self, name: str, sign: str, tip: str, by: int) -> QToolButton:
        made = QToolButton(self)
        made.setObjectName(name)
        made.setAutoRaise(True)
        made.setText(sign)
        made.setAccessibleName(tip)
        made.setToolTip(tip)
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.clicked.connect(lambda: self.stepped.emit(by))
        return made

    def _reserve(self) -> None:
        """Leave room for the longest count, so that nothing moves with it."""
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance("88 of 88"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "count"):
            self._reserve()
