"""Dialogs that open by themselves, after a thread: no key on its way to something else answers them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.connect_dialog import ConnectDialog
from fsconsole.console.crash import CrashReporter
from fsconsole.console.files.copies import Copy, CopyFacts
from fsconsole.console.files.questions import Questions
from fsconsole.console.widgets import late_input
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.shares.formats import format_named
from tests.console.cluster.play import PlayTarget, cluster_state

_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Escape)
_CAPTURE = Path(__file__).parents[1] / "data" / "slurm" / "26.05"
_TREE = "version: 1\ntree:\n  name: root\n  children:\n    - {name: a, shares: 30}\n"


@dataclass(frozen=True)
class Scene:
    """A window with an unsaved edit, and a folder for files."""

    window: ConsoleWindow
    folder: Path

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    def leave_copy(self, text: str) -> None:
        copy = Copy.begin()
        copy.write(text, CopyFacts("mine.yaml", None, "", 1, datetime.now().astimezone()))
        copy.release()
        self.window.restorer.look()
        self.window.restorer.restore()

    def reach_cluster(self) -> None:
        connections = self.window.clusters.connections
        connections.make = lambda _: PlayTarget(cluster_state())
        connections.connect_to(("ssh", "login1"))

    def make_groups(self) -> None:
        """Open the tree on this machine, with a note that no folder has."""
        made: Any = SimpleNamespace(close=lambda: None)
        self.window.session.notes.add(0.0, "a note")
        self.window.linux.controller.make = lambda _: made
        self.window.linux.controller.open()

    def save_over(self, text: str, by_others: str) -> None:
        """Save the document into its file, which others have changed."""
        document = self.window.session.document
        assert document is not None
        path = self.file("mine.yaml", by_others)
        document.mark_saved(path, text)
        edit(self.window)
        self.window.files.save()

    def export(self) -> None:
        """Write the tree in a format that cannot hold all of it."""
        document = self.window.session.document
        assert document is not None
        self.window.files._export(document, self.folder / "users.cfg", format_named("slurm"))

    def fail(self) -> None:
        reporter = CrashReporter(self.window)
        try:
            raise ArithmeticError("too many shares")
        except ArithmeticError as error:
            reporter.take(type(error), error, error.__traceback__)


OPENERS: dict[str, Callable[[Scene], object]] = {
    "a file is read": lambda one: one.window.files.open(one.file("other.yaml", _TREE)),
    "a file cannot be read": lambda one: one.window.files.open(one.file("bad.yaml", "a: [")),
    "a copy is read": lambda one: one.leave_copy(_TREE),
    "a copy cannot be read": lambda one: one.leave_copy("a: ["),
    "a capture is read": lambda one: one.window.clusters.connections.open_capture(_CAPTURE),
    "a cluster is reached": Scene.reach_cluster,
    "control groups are made": Scene.make_groups,
    "a study cannot be read": lambda one: one.window.files.open_study(one.file("study.yaml", "study: [")),
    "a search cannot be read": lambda one: one.window.files.open_study(one.file("search.yaml", "search: [")),
    "a file was changed": lambda one: one.save_over("", _TREE),
    "comments are lost": lambda one: one.save_over(f"{_TREE}    # b\n", f"{_TREE}    # b\n"),
    "an export is incomplete": Scene.export,
    "the program fails": Scene.fail,
}


def edit(window: ConsoleWindow) -> None:
    document = window.session.document
    assert document is not None
    leaf = document.tree.find("u11")
    document.edit("Set shares", [SetShares.of(leaf.id, leaf.shares + 7)])


def dialog_in_sight() -> QDialog | None:
    """The dialog that has opened by itself."""
    for one in QApplication.topLevelWidgets():
        if isinstance(one, QDialog) and one.isVisible() and not isinstance(one, ConnectDialog):
            return one
    return None


@pytest.mark.parametrize("what", OPENERS)
def test_no_key_for_something_else_answers(
    qtbot: QtBot,
    window: ConsoleWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(late_input, "monotonic", lambda: now_s[0])
    edit(window)
    withstood: list[bool] = []
    closed: list[bool] = []

    def look() -> None:
        dialog = dialog_in_sight()
        if dialog is None:
            closed[:] = [True] * bool(withstood)
            return
        focus: QWidget | None = dialog.focusWidget()
        if not withstood:
            for key in _KEYS:
                QTest.keyClick(focus or dialog, key)
            withstood.append(dialog.isVisible())
            now_s[0] += late_input.READ_S
        QTest.keyClick(focus or dialog, Qt.Key.Key_Escape)

    timer = QTimer(window)
    timer.timeout.connect(look)
    timer.start(10)
    document = window.session.document
    with pytest.MonkeyPatch.context() as patch:
        for asker, name in ((window.files, "questions"), (window.files.unkept, "_questions")):
            patch.setattr(asker, name, Questions(window))
        OPENERS[what](Scene(window, tmp_path))
        qtbot.waitUntil(lambda: bool(closed))
    timer.stop()
    assert withstood == [True]
    assert window.session.document is document
