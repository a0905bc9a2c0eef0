"""Drives the console by keys alone: what is pressed goes to what has the focus, as on a keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from PySide6.QtCore import QKeyCombination
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

_MOST_TABS = 60
_TURNS = 4  # of the event loop, in which what a key began is done


class Keys:
    """A keyboard with no mouse beside it."""

    def __init__(self, qtbot: QtBot, window: QWidget) -> None:
        self._qtbot, self._window = qtbot, window

    @property
    def focus(self) -> QWidget:
        """What a key goes to: a popup's or dialog's part if one is open."""
        popup = QApplication.activePopupWidget()
        if popup is not None and popup.focusProxy() is not None:
            return popup  # what is offered below a field: it passes keys on
        if popup is not None:
            inside: QWidget | None = popup.focusWidget()
            return popup if inside is None else inside
        return QApplication.focusWidget() or QApplication.activeModalWidget() or self._window

    def press(self, *sequences: str) -> None:
        """Press keys one after the other, each written as in menus."""
        for sequence in sequences:
            self._activate()
            pressed = cast("QKeyCombination", cast("Any", QKeySequence(sequence))[0])
            QTest.keyClick(self.focus, pressed.key(), pressed.keyboardModifiers())
            self._let_go_on()

    def type(self, text: str) -> None:
        """Type letters into what has the focus."""
        self._activate()
        for letter in text:  # the first may open an editor, which gets the next
            QTest.keyClicks(self.focus, letter)
            self._let_go_on()

    def tab_to(self, name: str, key: str = "Tab") -> QWidget:
        """Press Tab until what has the focus is called so; it is in sight wherever the focus stops."""
        passed: list[str] = []
        for _ in range(_MOST_TABS):
            self.press(key)
            here = self.focus
            assert here.isVisible(), name_of(here)
            if name_of(here).startswith(name):
                return here
            passed.append(name_of(here))
        raise AssertionError(f"Tab never came to {name!r}, but to {passed}")

    def command(self, words: str) -> None:
        """Find a command, node or example with Ctrl+K and do it."""
        self.press("Ctrl+K")
        self.type(words)
        self.press("Return")

    def signal(self, signal: Any) -> Any:
        """Wait for a signal, as a context."""
        return self._qtbot.waitSignal(signal)

    def _activate(self) -> None:
        """Activate what lies on top, as desktops do once a popup or a dialog is gone."""
        if QApplication.activePopupWidget() is None and QApplication.activeWindow() is None:
            (QApplication.activeModalWidget() or self._window).activateWindow()
            self._let_go_on()

    def _let_go_on(self) -> None:
        for _ in range(_TURNS):
            QApplication.processEvents()

    def until(self, is_so: Callable[[], bool]) -> None:
        """Let the console go on until something is so."""
        self._qtbot.waitUntil(is_so)


def name_of(widget: QWidget) -> str:
    """What a part calls itself: to assistive technology, or by its words."""
    words = getattr(widget, "text", str)
    return widget.accessibleName() or (words().replace("&", "") if callable(words) else "")
