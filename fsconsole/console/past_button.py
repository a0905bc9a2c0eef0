"""The button shown with a past instant; a click returns to the present."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.text import durations, moments

_SHORTEST = "Past: 00:00:00"


class PastButton(QAbstractButton):
    """A button with the displayed instant; hidden at the present."""

    def __init__(self, session: ConsoleSession, leave: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._widest = _SHORTEST  # Kept while the past is shown, so that nothing moves during playback.
        self.setFont(tabular_font("base", semibold=True))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(f"{session.locked}\n{leave.toolTip()}".strip())
        self.clicked.connect(leave.trigger)
        session.past_moved.connect(self._follow)
        self.hide()

    @Slot()
    def _follow(self) -> None:
        at_s, target = self._session.past.time_s, self._session.target
        if at_s is not None and target is not None:
            epoch_s = target.clock.epoch_s
            when = durations.clock(at_s) if epoch_s is None else moments.clock(epoch_s + at_s)
            self.setText(f"Past: {when}")
            if self.isHidden() or len(self.text()) > len(self._widest):
                self._widest = max(_SHORTEST, self.text(), key=len)
                self.updateGeometry()
            self.setAccessibleName(f"{self.text()}. Return to the present")
        if self.isHidden() is not (at_s is None):
            self.setVisible(at_s is not None)
            bar = self.parentWidget()
            if bar is not None:
                bar.update()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self._widest) + scaled(16) + 30, control_height(self)
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            ground = "hover" if self.underMouse() else "warnbg"
            border = "accent" if self.hasFocus() else "warn"
            paint.box(painter, self.rect(), ground, border, border_width=2 if self.hasFocus() else 1)
            icons.draw_icon(painter, "scrub", "warn", self.rect().adjusted(10, 0, 0, 0))
            painter.setPen(colour("warn"))
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            draw_text(painter, self.rect().adjusted(18 + scaled(16), 0, 0, 0), align, self.text())
