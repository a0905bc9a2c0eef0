"""Dialogs that compute beside their entries: Enter waits for the answer to what is shown, or is about it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.app.runs.branches import Start
from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.app.study.choice import trace_facts
from fsconsole.app.study.search_choice import usual_months
from fsconsole.console.analyse.search import new_search
from fsconsole.console.analyse.search.new_search import NewSearchDialog
from fsconsole.console.arming import Arming
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.kit.changes_field import Before
from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.preferences import Preferences
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from tests.batch.study.small import swf_text
from tests.console.conftest import Answers


class Ask(AskDialog):
    """Asks for something that takes a while; `asked` has the reason of each request."""

    def __init__(self, arming: Arming, parent: QWidget) -> None:
        super().__init__(arming, "Do it", QPushButton("&Do it"), "extend", parent)
        self.asked: list[str] = []
        self.lay_out(cancels=False)

    def ask(self) -> bool:
        self.asked.append(self.reason.text())
        return True


def test_enter_sends_what_is_shown_once_and_waits_for_the_answer(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    arming = Arming(Preferences(), window)
    arming.arm()
    dialog = Ask(arming, window)
    dialog.open()
    QTest.keyClicks(dialog.reason, "why")
    for _ in range(3):
        QTest.keyClick(dialog.reason, Qt.Key.Key_Return)
    assert dialog.asked == ["why"]
    dialog.on_answer("refused")
    assert dialog.problem.text() == "refused"
    QTest.keyClick(dialog.reason, Qt.Key.Key_Return)
    assert dialog.asked == ["why", "why"]
    dialog.on_answer("")
    assert not dialog.isVisible()


def test_what_is_edited_while_a_branch_is_checked_withdraws_it(qtbot: QtBot) -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    asked: list[Future[Start]] = []
    begun: list[tuple[float, ...]] = []

    def ask(_at_s: float, _texts: ChangeTexts) -> Future[Start]:
        asked.append(Future())
        return asked[-1]

    window = QWidget()
    qtbot.addWidget(window)
    dialog = BranchDialog(
        "a run", Before(scenario, scenario.tree, {}), ask, lambda _, *times: begun.append(times), window,
        at_s=10.0, until_s=60.0, first_s=0.0, last_s=100.0,
    )  # fmt: skip
    qtbot.addWidget(dialog)
    dialog.show()
    start = object.__new__(Start)
    for _ in range(3):  # Enter again, while it is checked, asks nothing more.
        QTest.keyClick(dialog.until, Qt.Key.Key_Return)
    assert len(asked) == 1
    dialog.until.selectAll()
    QTest.keyClicks(dialog.until, "90 s")
    asked[0].set_result(start)
    qtbot.wait(1)
    assert not begun
    assert dialog.isVisible()
    QTest.keyClick(dialog.until, Qt.Key.Key_Return)
    asked[1].set_result(start)
    qtbot.waitUntil(lambda: bool(begun))
    assert begun == [(10.0, 90.0)]


@pytest.mark.parametrize("typed", ["", "2"])
def test_a_search_has_the_months_of_the_trace_that_is_shown(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    read, may_go_on = trace_facts, threading.Event()

    def slowly(trace: str) -> object:
        may_go_on.wait(5.0)
        return read(trace)

    answers = Answers()
    answers.to_open = tmp_path / "other.swf"
    answers.to_open.write_text(swf_text(12))
    dialog = NewSearchDialog(answers, None)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: bool(dialog.train.text()))
    before = dialog.train.text()
    monkeypatch.setattr(new_search, "trace_facts", slowly)
    dialog.show()
    dialog.browse_trace()
    assert dialog.train.text() == before
    if typed:
        dialog.train.selectAll()
        QTest.keyClicks(dialog.train, typed)
    may_go_on.set()
    dialog.file.setText(str(tmp_path / "search.yaml"))
    QTest.keyClick(dialog.file, Qt.Key.Key_Return)
    usual, _ = usual_months(read(str(answers.to_open)))
    assert usual not in ("", before)
    assert dialog.train.text() == (typed or usual)
