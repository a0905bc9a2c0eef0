"""Keys and clicks on their way to something else do not answer a dialog that opens by itself."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from contextlib import nullcontext

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.console.files.questions import Answer, Questions
from fsconsole.console.kit.forms import DialogButtons
from fsconsole.console.kit.tasks import Tasks, run_and_wait
from fsconsole.console.widgets import late_input
from fsconsole.console.widgets.dialog import Dialog, MessageBox
from fsconsole.console.widgets.late_input import READ_S, after_dialogs, by_itself
from fsconsole.console.widgets.name_dialog import NameDialog

Key = Qt.Key
_ALT = Qt.KeyboardModifier.AltModifier


class Form(Dialog):
    """A field and two buttons; `ends` has what closed it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Form", parent)
        self.ends: list[int] = []
        self.field = QLineEdit(self)
        self.buttons = DialogButtons("&Save", self)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.buttons)
        self.finished.connect(self.ends.append)


class Clock:
    """The time that a dialog has been in sight."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(late_input, "monotonic", made)
    return made


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
    return made


def press(key: Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key, which goes where the keyboard is, or to the dialog."""
    dialog: QWidget | None = QApplication.activeModalWidget()
    assert dialog is not None
    focus: QWidget | None = dialog.focusWidget()
    QTest.keyClick(focus or dialog, key, modifiers)


def click(dialog: QDialog, words: str) -> None:
    (button,) = [one for one in dialog.findChildren(QPushButton) if one.text().replace("&", "") == words]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


LATE: dict[str, Callable[[Form], object]] = {
    "Enter": lambda _: press(Key.Key_Return),
    "Esc": lambda _: press(Key.Key_Escape),
    "Alt+S": lambda _: press(Key.Key_S, _ALT),
    "click": lambda form: click(form, "Save"),
}


@pytest.mark.parametrize("late", LATE)
def test_an_input_answers_what_was_in_sight_long_enough(
    qtbot: QtBot, window: QWidget, clock: Clock, late: str
) -> None:
    for opens_by_itself in (True, False):
        form = Form(window)
        with by_itself() if opens_by_itself else nullcontext():
            form.open()
        form.activateWindow()
        qtbot.waitUntil(form.isActiveWindow)
        if opens_by_itself:
            LATE[late](form)
            assert form.isVisible()
            assert not form.buttons.verb.isDown()  # A shortcut presses it for a moment.
            clock.now_s += READ_S
        LATE[late](form)
        qtbot.waitUntil(lambda form=form: bool(form.ends))  # type: ignore[misc]
        assert form.ends == [late != "Esc"]


def test_nothing_is_typed_into_a_dialog_that_was_not_seen(window: QWidget, clock: Clock) -> None:
    form = Form(window)
    with by_itself():
        form.open()
    for letter in "12":
        QTest.keyClicks(form.field, letter)
        clock.now_s += READ_S - 0.1  # Typing goes on.
    press(Key.Key_Return)
    assert (form.field.text(), form.ends) == ("", [])
    clock.now_s += READ_S
    QTest.keyClicks(form.field, "3")
    press(Key.Key_Return)
    assert (form.field.text(), form.ends) == ("3", [1])


def asked(window: QWidget, during: Callable[[], object]) -> Answer:
    """Ask, as `during` says, and return the answer."""
    QTimer.singleShot(0, window, during)
    return Questions(window).save_changes("a.yaml", "Convex")


def test_a_question_after_a_thread_is_not_answered_by_the_key_before_it(
    qtbot: QtBot, window: QWidget, clock: Clock
) -> None:
    """Both where a result comes by itself, and where an input had to wait for a thread."""
    answers: list[Answer] = []
    owner = QObject(window)

    def during() -> None:
        press(Key.Key_Return)
        clock.now_s += READ_S
        press(Key.Key_Escape)  # fails where there is no question any more

    tasks = Tasks(owner)
    tasks.run(lambda: None, lambda _: answers.append(asked(window, during)))
    qtbot.waitUntil(lambda: bool(answers))
    run_and_wait(lambda: None, owner)
    answers.append(asked(window, during))
    assert answers == ["cancel", "cancel"]


def test_what_follows_from_an_answer_is_asked_for(qtbot: QtBot, window: QWidget, clock: Clock) -> None:
    answers: list[Answer] = []

    def first() -> None:
        clock.now_s += READ_S
        press(Key.Key_Return)

    def ask(_: None) -> None:
        answers.append(asked(window, first))
        answers.append(asked(window, lambda: press(Key.Key_Escape)))

    Tasks(window).run(lambda: None, ask)
    qtbot.waitUntil(lambda: len(answers) == 2)
    assert answers == ["save", "cancel"]
    answers.clear()
    run_and_wait(lambda: None, window)
    qtbot.wait(1)  # The event loop goes on.
    answers.append(asked(window, lambda: press(Key.Key_Escape)))
    assert answers == ["cancel"]


def test_what_has_arrived_waits_for_the_dialogs_that_are_open(qtbot: QtBot, window: QWidget) -> None:
    calls: list[str] = []
    form = Form(window)
    form.open()
    after_dialogs(window, lambda: calls.append("once"))
    gone = QObject(window)
    after_dialogs(gone, lambda: calls.append("never"))
    gone.deleteLater()
    qtbot.wait(150)
    assert not calls
    form.reject()
    qtbot.waitUntil(lambda: bool(calls))
    after_dialogs(window, lambda: calls.append("at once"))
    assert calls == ["once", "at once"]


def test_every_dialog_of_the_console_can_be_held() -> None:
    for module in pkgutil.walk_packages(fsconsole.console.__path__, "fsconsole.console."):
        for kind in vars(importlib.import_module(module.name)).values():
            if isinstance(kind, type) and issubclass(kind, QDialog) and kind.__module__ == module.name:
                assert issubclass(kind, Dialog | MessageBox | NameDialog), kind
