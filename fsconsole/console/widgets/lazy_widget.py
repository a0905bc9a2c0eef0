"""Content of a dock that is created when first shown, so that unopened docks cost nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, QTimer, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.widgets.boxes import vbox

_Made = TypeVar("_Made", bound=QWidget)


class LazyWidget(QWidget, Generic[_Made]):
    """A placeholder for a widget until that is painted or requested, and its parent from then on."""

    def __init__(self, make: Callable[[QWidget], _Made], least: QSize) -> None:
        """`make` gets the widget's parent; `least` is the room it will need."""
        super().__init__()
        self._make = make
        self._least = least
        self._made: _Made | None = None
        self._place = vbox(on=self)

    @property
    def is_made(self) -> bool:
        """Whether the widget is there."""
        return self._made is not None

    @property
    def widget(self) -> _Made:
        """The widget, made now if it was not."""
        if self._made is None:
            self._made = self._make(self)
            self._place.addWidget(self._made)
        return self._made

    @Slot()
    def fill(self) -> None:
        """Make the widget unless it is there."""
        self.widget.show()

    def minimumSizeHint(self) -> QSize:
        return self._least if self._made is None else super().minimumSizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        # The dock is visible: Qt shows docks behind others too, but it paints only visible ones.
        super().paintEvent(event)
        if self._made is None:
            QTimer.singleShot(0, self, self.fill)
