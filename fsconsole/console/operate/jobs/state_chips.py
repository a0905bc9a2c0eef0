"""How many jobs run, wait and so on: each is a button that shows these alone."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from fsconsole.app.jobs.words import ICONS, TITLES, Sort
from fsconsole.console.style import icons, paint
from fsconsole.console.style.fonts import semibold, tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.text import numbers

_HEIGHT = 24
_ICON, _GAP, _PADDING = 16, 4, 8


class StateChips(QWidget):
    """One button for each kind of state; none pressed shows all. Signals: changed() when a person has."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        self._buttons = {sort: _StateButton(sort, self) for sort in Sort}
        for button in self._buttons.values():
            line.addWidget(button)
            button.toggled.connect(self.changed)

    @property
    def wanted(self) -> frozenset[Sort]:
        """Which are pressed."""
        return frozenset(sort for sort, button in self._buttons.items() if button.isChecked())

    def clear(self) -> None:
        """None is pressed."""
        for button in self._buttons.values():
            button.setChecked(False)

    def button(self, sort: Sort) -> QAbstractButton:
        """The button of one kind."""
        return self._buttons[sort]

    def say(self, counts: Mapping[Sort, int]) -> None:
        """How many there are of each."""
        for sort, button in self._buttons.items():
            button.say(counts.get(sort, 0))

    def set_narrow(self, *, narrow: bool) -> None:
        """Icons and numbers alone where there is little room."""
        for button in self._buttons.values():
            button.set_narrow(narrow=narrow)


class _StateButton(QAbstractButton):
    """Icon, word, number."""

    def __init__(self, sort: Sort, parent: QWidget) -> None:
        super().__init__(parent)
        self._sort = sort
        self._count = 0
        self._is_narrow = False
        self.setCheckable(True)
        self.setFont(tabular_font())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._name()

    def say(self, count: int) -> None:
        if count != self._count:
            self._count = count
            self._name()

    def set_narrow(self, *, narrow: bool) -> None:
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._name()

    def _name(self) -> None:
        title = TITLES[self._sort]
        self.setText(numbers.thousands(self._count) if self._is_narrow else self._words())
        self.setAccessibleName(self._words())
        self.setToolTip(f"{title}: {numbers.thousands(self._count)}\nShow these alone; again: all")
        self.updateGeometry()
        self.update()

    def _words(self) -> str:
        return f"{TITLES[self._sort]} {numbers.thousands(self._count)}"

    def sizeHint(self) -> QSize:
        words = QFontMetrics(semibold(self.font())).horizontalAdvance(self.text())
        return QSize(words + _ICON + _GAP + 2 * _PADDING, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        is_on = self.isChecked()
        ground = "accent" if is_on else "hover" if self.underMouse() else "surface"
        border = "accent" if self.hasFocus() or is_on else "edge"
        paint.box(painter, self.rect(), ground, border)
        if self.hasFocus():
            inner = self.rect().adjusted(2, 2, -2, -2)
            paint.box(painter, inner, "", "onaccent" if is_on else "accent", radius=paint.BOX_RADIUS)
        ink = "onaccent" if is_on else "text"
        drawn = icons.pixmap(ICONS[self._sort], ink, _ICON, self.devicePixelRatioF())
        painter.drawPixmap(_PADDING, (self.height() - _ICON) // 2, drawn)
        painter.setFont(semibold(self.font()) if is_on else self.font())
        painter.setPen(colour(ink))
        room = QRect(_PADDING + _ICON + _GAP, 0, self.width(), self.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.end()
