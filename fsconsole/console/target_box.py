"""The displayed target at the right of the tool bar: icon, name, state; a click offers others."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.visible_text import visible_line

_SHORTEST = 110
_WIDEST = 260
_WIDEST_TROUBLED = 340
_WIDEST_ROOMY = 520
_LEFT_OF_ICON_PX, _RIGHT_OF_ICON_PX = 15, 24
_ROOM = "slurmctld does not respond"  # Longer remarks are elided; the notice has them whole.
_PART_OF_PX = 2  # The width in whole pixels is smaller than that of the letters.


class TargetBox(QAbstractButton):
    """A framed button with a menu; the name elides in the middle.

    Attributes:
        menu: the menu of a click, filled with other targets.

    Signals: widened() after it needs another width.
    """

    widened = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFont(ui_font())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.menu = QMenu(self)
        self._name, self._remark, self._icon, self._token = "", "", "monitor", "muted"
        self._is_polled = False
        self._shown: tuple[object, ...] = ()
        self._is_short = False
        self.clicked.connect(self._open)
        self.hide()

    @property
    def name(self) -> str:
        """Name of the displayed target."""
        return self._name

    @property
    def remark(self) -> str:
        """What is wrong with it, else empty."""
        return self._remark

    def say(
        self,
        name: str,
        remark: str = "",
        *,
        icon: str = "monitor",
        token: str = "muted",
        tip: str = "",
        is_polled: bool = False,
    ) -> None:
        """Show a name, and what is wrong with it; nothing for an empty name.

        The box of a target that `is_polled` always has room for a remark, which comes and goes by itself.
        """
        name, remark = visible_line(name), visible_line(remark)
        shown = (name, remark, icon, token, is_polled)
        tip = tip or f"The open machine: {name}"
        if shown == self._shown and tip == self.toolTip():
            return
        self._shown = shown
        self._name, self._remark, self._icon, self._token, self._is_polled = shown
        self.setAccessibleName(f"Target: {', '.join(filter(None, (name, remark)))}")
        self.setToolTip(tip)
        self.setVisible(bool(name))
        self.updateGeometry()
        self.update()
        self.widened.emit()

    @Slot()
    def _open(self) -> None:
        self.menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def sizeHint(self) -> QSize:
        words = "  ".join(filter(None, (self._name, _ROOM if self._is_polled else self._remark)))
        wanted = (
            self.fontMetrics().horizontalAdvance(words)
            + _PART_OF_PX
            + _LEFT_OF_ICON_PX
            + scaled(16)
            + _RIGHT_OF_ICON_PX
        )
        return QSize(min(scaled(_WIDEST_ROOMY), wanted), control_height(self))

    def set_short(self, *, is_short: bool) -> None:
        """Let the name elide to a few letters, or keep the room of most names."""
        if is_short is not self._is_short:
            self._is_short = is_short
            self.updateGeometry()

    def least_px(self, *, is_short: bool) -> int:
        """Return the least width, short or not."""
        least = _SHORTEST if is_short else _WIDEST_TROUBLED if self._remark or self._is_polled else _WIDEST
        return min(self.sizeHint().width(), scaled(least))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.least_px(is_short=self._is_short), control_height(self))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            box = self.rect().adjusted(0, (self.height() - control_height(self)) // 2, 0, 0)
            box.setHeight(control_height(self))
            is_hot = self.underMouse() or self.isDown()
            border, width = ("accent", 2) if self.hasFocus() else ("edge", 1)
            paint.box(painter, box, "hover" if is_hot else "surface", border, border_width=width)
            icons.draw_icon(painter, self._icon, self._token, box.adjusted(9, 0, 0, 0))
            place = box.adjusted(_LEFT_OF_ICON_PX + scaled(16), 0, -_RIGHT_OF_ICON_PX, 0)
            align = Qt.AlignmentFlag.AlignVCenter
            metrics = self.fontMetrics()
            beside = metrics.horizontalAdvance(f"  {self._remark}") if self._remark else 0
            name = metrics.elidedText(
                self._name, Qt.TextElideMode.ElideMiddle, max(place.width() - beside, 60)
            )
            painter.setPen(colour("text"))
            draw_text(painter, place, align, name)
            if self._remark:
                painter.setPen(colour(self._token))
                rest = place.adjusted(metrics.horizontalAdvance(f"{name}  "), 0, 0, 0)
                remark = metrics.elidedText(self._remark, Qt.TextElideMode.ElideRight, rest.width())
                draw_text(painter, rest, align, remark)
            paint.arrow(
                painter, box.adjusted(box.width() - _RIGHT_OF_ICON_PX, 0, 0, 0), up=False, ink=colour("muted")
            )
