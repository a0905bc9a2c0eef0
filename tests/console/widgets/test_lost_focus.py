"""The keys of a control that goes press no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGroupBox, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.widgets.dialog import Dialog


class Buttons(Dialog):
    """Two buttons in a box; which ones were pressed."""

    def __init__(self) -> None:
        super().__init__("")
        self.pressed: list[QPushButton] = []
        self.page, self.box = QWidget(self), QGroupBox()
        self.first, self.second = QPushButton("First"), QPushButton("Second")
        inside, around = QVBoxLayout(self.box), QVBoxLayout(self)
        for button in (self.first, self.second):
            button.clicked.connect(lambda _, one=button: self.pressed.append(one))
            inside.addWidget(button)
        QVBoxLayout(self.page).addWidget(self.box)
        around.addWidget(self.page)


@pytest.mark.parametrize(
    ("lose", "around"),
    [
        (lambda made: made.first.hide(), "page"),
        (lambda made: made.first.setEnabled(False), "page"),
        (lambda made: made.page.hide(), ""),
    ],
)
def test_keys_of_a_control_that_goes_press_no_other(
    qtbot: QtBot, lose: Callable[[Buttons], None], around: str
) -> None:
    made = Buttons()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
    made.first.setFocus()
    lose(made)
    focus = QApplication.focusWidget()
    assert focus is (made.page if around else made)
    QTest.keyClick(focus, Qt.Key.Key_Space)
    assert made.pressed == []
    if around:
        QTest.keyClick(focus, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is made.second
