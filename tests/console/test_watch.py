"""The watch finds what it is for, and nothing else."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.console.window import ConsoleWindow
from tests.console import watch as watching
from tests.console.watch import Watch
from tests.console.watched_tests import allowance, watch_of

_TURNS = 5


class Page(QDialog):
    """A field, and a button whose action comes some time later."""

    def __init__(self) -> None:
        super().__init__()
        self.typed, self.other = QLineEdit(self), QLineEdit(self)
        self.button = QPushButton("Act", self)
        layout = QHBoxLayout(self)
        for part in (self.typed, self.other, self.button):
            layout.addWidget(part)


@pytest.fixture
def page(qtbot: QtBot) -> Page:
    made = Page()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
    made.typed.setFocus()
    return made


@pytest.fixture
def watch(request: pytest.FixtureRequest) -> Watch:
    """A watch of its own: what it finds is not a finding of this test."""
    return Watch(f"test_watch-{request.node.name}", geometry=True)


def kinds(watch: Watch) -> list[str]:
    return [one.kind for one in watch.findings]


def spend(seconds: float) -> None:
    end_s = time.thread_time() + seconds
    while time.thread_time() < end_s:
        pass


def wait_for_later(qtbot: QtBot, watch: Watch, run: Callable[[], object] = lambda: None) -> None:
    """Wait until a timer, as of a poll, has done something once the input has ended, and some turns more."""
    turns: list[None] = []

    def on_timeout() -> None:
        if watch.is_judging:
            turns.append(None)
            if len(turns) == 1:
                run()

    timer = QTimer()
    timer.timeout.connect(on_timeout)
    timer.start(1)
    qtbot.waitUntil(lambda: len(turns) > _TURNS)


def action_of(page: Page, action: str, value: object) -> Callable[[], object]:
    target = page.typed if action in ("setText", "hide", "setFixedWidth") else page.other
    return lambda: getattr(target, action)(*([] if value is None else [value]))


@pytest.mark.parametrize(
    ("action", "value", "found"),
    [
        ("setFocus", None, ["focus"]),
        ("setText", "3", ["value"]),
        ("hide", None, ["focus", "value", "place", "place"]),
        ("setFixedWidth", 40, ["place", "place"]),
        ("setToolTip", "a tip", []),
    ],
)  # fmt: skip
def test_what_a_timer_does_is_found(
    qtbot: QtBot, page: Page, watch: Watch, action: str, value: object, found: list[str]
) -> None:
    with watch:
        QTest.keyClicks(page.typed, "15")
        wait_for_later(qtbot, watch, action_of(page, action, value))
    assert sorted(kinds(watch)) == sorted(found), watch.report()


def test_what_the_test_does_is_input(qtbot: QtBot, page: Page, watch: Watch) -> None:
    with watch:
        QTest.keyClicks(page.typed, "15")
        wait_for_later(qtbot, watch)
        page.other.setFocus()
        page.typed.setFixedWidth(40)
        page.button.hide()
        wait_for_later(qtbot, watch)
        QTest.mouseClick(page.typed, Qt.MouseButton.LeftButton)
        wait_for_later(qtbot, watch)
    assert watch.findings == []
    assert watch.inputs[0].startswith("keyClicks(QLineEdit")
    assert len(watch.inputs) == 2


def test_a_value_that_the_user_commits_is_none_of_the_faults(qtbot: QtBot, page: Page, watch: Watch) -> None:
    with watch:
        QTest.keyClicks(page.typed, "15")
        QTest.keyClick(page.typed, Qt.Key.Key_Return)
        wait_for_later(qtbot, watch, action_of(page, "setText", "16"))
    assert watch.findings == []


@pytest.mark.parametrize("by", ["timer", "input", "body"])
def test_long_turns_are_found_in_a_window(
    qtbot: QtBot, window: ConsoleWindow, watch: Watch, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setattr(watching, "_calibrate", lambda: 0.0)  # A slow or busy machine allows longer ones.
    monkeypatch.setattr(watching, "_is_busy", lambda: False)
    button = QPushButton(window)
    button.clicked.connect(lambda: spend(0.6))
    button.show()
    with watch:
        if by == "timer":
            QTimer.singleShot(0, window, lambda: spend(0.6))
        elif by == "input":
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        else:
            spend(0.6)
        wait_for_later(qtbot, watch)
    turns = [one.text for one in watch.findings if one.kind == "turn"]
    assert len(turns) == (by != "body"), watch.report()
    assert by != "input" or turns[0].startswith("mouseClick")


def test_making_a_window_is_not_watched(qtbot: QtBot, window: ConsoleWindow, watch: Watch) -> None:
    with watch:
        other = ConsoleWindow(window.session)

        def show() -> None:
            spend(0.4)
            other.show()

        QTimer.singleShot(0, other, show)
        qtbot.waitUntil(lambda: other._was_painted)
    assert kinds(watch) == []
    other.close()


def test_a_finding_comes_with_pictures_and_inputs(qtbot: QtBot, page: Page, watch: Watch) -> None:
    with watch:
        for at in range(12):
            QTest.keyClicks(page.typed, str(at))
        wait_for_later(qtbot, watch, action_of(page, "setFocus", None))
    folder = watch.folder
    assert folder is not None
    assert str(folder) in watch.report()
    names = sorted(one.name for one in folder.iterdir())
    assert names == ["after-0-Page.png", "before-0-Page.png", "report.txt"]
    assert (folder / "report.txt").read_text("utf-8").count("keyClicks(") == 10
    assert watch.report(("place",)) == ""


@pytest.mark.parametrize("nodeid", ["tests/console/live/test_a.py::b", "tests/walks/test_a.py::b"])
def test_each_test_has_a_folder_of_its_own(nodeid: str) -> None:
    """Walks too: the folder of all would be removed with each finding."""
    item = SimpleNamespace(nodeid=nodeid, stash=pytest.Stash())
    assert watch_of(item).name in nodeid  # type: ignore[arg-type]
    assert watch_of(item).name.endswith("test_a.py::b")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "colour"}, {"reason": " "}, {"issue": "someday"}],
)  # fmt: skip
def test_an_exception_has_a_kind_a_reason_and_an_issue(wrong: dict[str, str]) -> None:
    right = {"kind": "turn", "reason": "why", "issue": "calm"}
    assert allowance(**right) == "turn"  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="watch_allows"):
        allowance(**{**right, **wrong})  # type: ignore[arg-type]


def test_every_exception_stands_with_its_reason() -> None:
    """Exceptions of tests that do not run here are checked, too."""
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.watch_allows"):
                arguments = [ast.literal_eval(one) for one in node.args]
                allowance(*arguments, **{one.arg or "": ast.literal_eval(one.value) for one in node.keywords})
