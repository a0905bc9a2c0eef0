"""Dialogs that compute beside their entries: Enter waits for the answer to what is shown, or is about that.

The dialogs are found in the code. A new one needs an entry in `CASES`: its test, or why none is needed.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.app.runs.branches import Start
from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.app.study.choice import trace_facts
from fsconsole.app.study.search_choice import usual_months
from fsconsole.console.analyse.search import new_search
from fsconsole.console.analyse.search.new_search import NewSearchDialog
from fsconsole.console.kit.changes_field import Before
from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from tests.batch.study.small import swf_text
from tests.console.conftest import Answers

_COMPUTES = re.compile(
    r"\b(Tasks|QTimer|once|every|ConnectionAttempt|PacedQuery|Thread|RefreshThrottle|run_and_wait|ApplyRun)\("
    r"|\.(singleShot|watch|run_task)\("
)
_SENT = "Enter sends what is shown, once, and waits for the answer"
_NO_ENTRY = "it shows something, and has no button that acts on it"
CASES = {
    "ApplyDialog": "nothing is sent while the effect is computed: tests/app/test_apply_view.py",
    "BranchDialog": "test_what_is_edited_while_a_branch_is_checked_withdraws_it",
    "ClusterActionDialog": "the base of those on jobs and nodes",
    "ConnectDialog": "an edit leaves the attempt: tests/console/cluster/test_connect.py",
    "ExportDialog": "only the weight is computed; Export reads all: tests/console/test_export_dialog.py",
    "ExtendJobs": _SENT,
    "JobDialog": _SENT,
    "JobFilesDialog": _NO_ENTRY,
    "LoadDialog": "tests/console/design/load/test_load_dialog.py",
    "NewFileDialog": "the base of both below",
    "NewSearchDialog": "test_a_search_has_the_months_of_the_trace_that_is_shown",
    "NewStudyDialog": "the study is written from the entries: tests/console/analyse/study/test_new_study.py",
    "NodeDialog": _SENT,
    "PlainJobDialog": _SENT,
    "RollBackDialog": _SENT,
    "RulesDialog": _NO_ENTRY,
    "WhyDialog": _NO_ENTRY,
}


def dialogs() -> dict[str, type[QDialog]]:
    """All dialogs of the console, by name and module."""
    found: dict[str, type[QDialog]] = {}
    for module in pkgutil.walk_packages(fsconsole.console.__path__, "fsconsole.console."):
        for name, kind in vars(importlib.import_module(module.name)).items():
            if isinstance(kind, type) and issubclass(kind, QDialog) and kind.__module__ == module.name:
                found[f"{name} of {module.name}"] = kind
    return found


def test_each_dialog_that_computes_has_a_case() -> None:
    computing = {
        kind.__name__
        for kind in dialogs().values()
        if kind.__name__ != "Dialog" and _COMPUTES.search(inspect.getsource(kind))
    }
    heirs = {
        kind.__name__
        for kind in dialogs().values()
        if any(base.__name__ in computing for base in kind.__mro__[1:])
    }
    assert computing | heirs == set(CASES)
    here = globals()
    assert all(words in here for words in CASES.values() if words.startswith("test_"))
    named = [word for words in CASES.values() for word in words.split() if word.startswith("tests/")]
    assert all((Path(__file__).parents[2] / path).is_file() for path in named)


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
