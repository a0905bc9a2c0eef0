"""Buttons of our own: one of several (speed, format, theme), on or off, and tool buttons of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QKeyEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from fsconsole.console.style import paint
from fsconsole.console.style.controls import Look, control_height, set_look
from fsconsole.console.style.fonts import semibold
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.figures.painted_text import draw_text


class SegmentedButtons(QWidget):
    """A row of joined buttons, one of which is chosen; arrow keys move the choice.

    Signals: chosen(value) when a person or `choose` has picked another value.
    """

    accessible_role = Role.Grouping

    chosen = Signal(object)

    def __init__(self, options: Iterable[tuple[Any, str]], name: str, parent: QWidget | None = None) -> None:
        """`options` are pairs of value and word; `name` is what a screen reader says."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._group = QButtonGroup(self)
        self._values: list[Any] = []
        self._segments: list[_Segment] = []
        for value, word in options:
            self._add(value, word, name)
        hbox(*self._segments, on=self)
        self._segments[0].is_first = self._segments[-1].is_last = True
        self._segments[0].setChecked(True)
        self._group.idToggled.connect(self._toggled)

    @property
    def value(self) -> Any:
        """The value chosen; None where none of them is."""
        at = self._group.checkedId()
        return self._values[at] if at >= 0 else None

    def choose(self, value: Any) -> None:
        """Choose a value; none is chosen for one that is not offered."""
        if value in self._values:
            self._segments[self._values.index(value)].setChecked(True)
            return
        self._group.setExclusive(False)
        for segment in self._segments:
            segment.setChecked(False)
        self._group.setExclusive(True)

    def button(self, value: Any) -> QAbstractButton:
        """Return the button of a value, to disable it or give it a tooltip."""
        return self._segments[self._values.index(value)]

    def _add(self, value: Any, word: str, name: str) -> None:
        segment = _Segment(word, self)
        segment.setAccessibleName(f"{name} {word}")
        self._group.addButton(segment, len(self._values))
        self._values.append(value)
        self._segments.append(segment)

    def _toggled(self, number: int, is_checked: bool) -> None:
        if is_checked:
            self.chosen.emit(self._values[number])


class LinkButton(QAbstractButton):
    """Button that leads somewhere: Enter presses it as the space bar does."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class _Segment(QAbstractButton):
    """One of the joined buttons."""

    def __init__(self, word: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(word)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # After a click, the space bar still runs the machine.
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.is_first = self.is_last = False

    def sizeHint(self) -> QSize:
        # Width of the text in semibold, so that nothing moves when it is chosen.
        width = QFontMetrics(semibold(self.font())).horizontalAdvance(self.text())
        return QSize(width + 24, control_height(self))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            rect = self.rect()
            painter.save()
            painter.setClipPath(self._outline(rect))
            painter.fillRect(rect, colour(self._ground()))
            painter.restore()
            self._paint_border(painter, rect)
            if self.isChecked():
                painter.setFont(semibold(self.font()))
            painter.setPen(colour(self._ink()))
            draw_text(painter, rect, Qt.AlignmentFlag.AlignCenter, self.text())
            if self.hasFocus():
                ring = "onaccent" if self.isChecked() else "accent"
                paint.box(painter, rect.adjusted(2, 2, -2, -2), "", ring, radius=paint.BOX_RADIUS)

    def _ground(self) -> str:
        if self.isChecked():
            return "accent" if self.isEnabled() else "line2"
        return "hover" if self.underMouse() and self.isEnabled() else "surface"

    def _ink(self) -> str:
        if self.isChecked():
            return "onaccent"
        return "text" if self.isEnabled() else "line2"

    def _outline(self, rect: QRect) -> QPainterPath:
        """Return a rect with rounded corners at the outer ends of the row."""
        path = QPainterPath()
        left = 0 if self.is_first else 2 * paint.RADIUS
        right = 0 if self.is_last else 2 * paint.RADIUS
        path.addRoundedRect(rect.adjusted(-round(left), 0, round(right), 0), paint.RADIUS, paint.RADIUS)
        return path

    def _paint_border(self, painter: QPainter, rect: QRect) -> None:
        reach = rect.adjusted(0 if self.is_first else -8, 0, 0 if self.is_last else 8, 0)
        paint.box(painter, reach, "", "edge" if self.isEnabled() else "line2")
        if not self.is_last and not self.isChecked():
            paint.rule(painter, rect.adjusted(0, 1, 0, -1), Qt.Edge.RightEdge, "line2")


_TRACK_PX, _TRACK_HEIGHT = 28, 16


class Switch(QAbstractButton):
    """On or off, with its words right of it."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        # Size of track and text, at least 24 px for the pointer.
        words = self.fontMetrics().horizontalAdvance(self.text()) + 8 if self.text() else 0
        return QSize(scaled(_TRACK_PX) + words + 2, tall(24))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            height = scaled(_TRACK_HEIGHT)
            track = QRect(1, (self.height() - height) // 2, scaled(_TRACK_PX), height)
            on, enabled = self.isChecked(), self.isEnabled()
            strong = "accent" if enabled else "line2"
            border = strong if on else "edge" if enabled else "line2"
            paint.box(painter, track, strong if on else "surface", border, radius=height / 2)
            knob = QRect(0, 0, height - 6, height - 6)
            knob.moveCenter(track.center())
            knob.moveLeft(track.right() - 2 - knob.width() if on else track.left() + 3)
            paint.box(painter, knob, "onaccent" if on else border, radius=knob.height() / 2)
            if self.hasFocus():
                paint.box(
                    painter, track.adjusted(-1, -4, 2, 4), "", "accent", radius=height / 2 + 2, border_width=2
                )
            painter.setPen(colour("text" if enabled else "muted"))
            words = self.rect().adjusted(scaled(_TRACK_PX) + 9, 0, 0, 0)
            draw_text(painter, words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


def tool_button(
    action: QAction, parent: QWidget | None = None, *, look: Look = "", words: bool = True
) -> QToolButton:
    """Make a tool button of an action of the table, with or without its words."""
    made = QToolButton(parent)
    made.setDefaultAction(action)
    made.setAutoRaise(True)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    style = Qt.ToolButtonStyle
    made.setToolButtonStyle(style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly)
    made.setAccessibleName(action.text().replace("&", ""))
    if look:
        set_look(made, look)
    return made


def flat_button(
    words: str, name: str, pressed: Callable[[], object], parent: QWidget | None = None
) -> QToolButton:
    """Make a button without a frame until hovered; `name` is its tooltip and accessible name."""
    made = QToolButton(parent)
    made.setText(words)
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setAutoRaise(True)
    made.clicked.connect(pressed)
    return made


def menu_button(words: str, name: str, menu: QMenu, parent: QWidget | None = None) -> QToolButton:
    """Make a boxed button that opens a menu; `name` is its tooltip and accessible name."""
    made = QToolButton(parent)
    made.setText(words)
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    menu.setParent(made, menu.windowFlags())
    made.setMenu(menu)
    set_look(made, "boxed")
    return made
