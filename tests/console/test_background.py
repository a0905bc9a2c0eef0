from __future__ import annotations

import subprocess
import sys
import time
from threading import Event

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from fsconsole.console import background
from fsconsole.console.background import Background


def test_an_import_that_met_another_thread_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def once_in_vain(module: str) -> None:
        asked.append(module)
        if len(asked) == 1:
            msg = "partially initialized module"
            raise ImportError(msg)

    monkeypatch.setattr(background, "import_module", once_in_vain)
    monkeypatch.setattr(background, "_WAIT_S", 0.0)
    background.load("json")
    assert asked == ["json", "json"]


def test_a_module_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_WAIT_S", 0.0)
    with pytest.raises(ImportError, match="nowhere"):
        background.load("fsconsole.nowhere")


def test_work_that_is_let_go_ends_before_it_goes(qtbot: QtBot) -> None:
    parent = QObject()
    gate = Event()
    work = _Gated(gate, parent)
    gone: list[None] = []
    work.destroyed.connect(lambda: gone.append(None))
    work.start()
    work.let_go()
    assert parent.children() == [work]
    gate.set()
    qtbot.waitUntil(lambda: bool(gone))
    assert parent.children() == []


class _Gated(Background):
    """Works until a gate opens."""

    def __init__(self, gate: Event, parent: QObject) -> None:
        super().__init__(parent)
        self._gate = gate

    def work(self) -> None:
        self._gate.wait(60)


class _Telling(Background):
    """Tells as long as somebody hears."""

    told = Signal(int)

    def __init__(self, gate: Event, parent: QObject) -> None:
        super().__init__(parent)
        self._gate = gate

    def work(self) -> None:
        self._gate.wait(60)
        self.tell(self.told, 1)


def test_work_whose_parent_has_gone_is_cancelled() -> None:
    parent, gate = QObject(), Event()
    work = _Telling(gate, parent)
    work.start()
    delete(parent)
    gate.set()
    work._thread.join()
    assert work.is_cancelled()


def test_work_may_go_with_its_parent_while_it_tells(qtbot: QtBot) -> None:
    """Each of these works tells without end; with signals emitted in their threads this crashed."""
    heard: list[int] = []
    for _ in range(80):
        parent, works = QObject(), list[_Chatting]()
        for _ in range(3):
            works.append(_Chatting(parent))
            works[-1].told.connect(heard.append)
            works[-1].start()
        with qtbot.waitSignal(works[0].told):
            pass
        parent.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        for work in works:
            work._thread.join()
    assert all(value == 1 for value in heard)


def test_what_was_told_is_not_said_once_it_is_cancelled(qtbot: QtBot) -> None:
    parent, gate, heard = QObject(), Event(), list[int]()
    work = _Telling(gate, parent)
    work.told.connect(heard.append)
    work.start()
    gate.set()
    work._thread.join()  # its word is on its way
    work.cancel()
    QCoreApplication.sendPostedEvents()
    assert heard == []


class _Chatting(Background):
    """Tells without end."""

    told = Signal(int)

    def work(self) -> None:
        while not self.is_cancelled():
            self.tell(self.told, 1)
            self.tell(self.told, 1)
            time.sleep(0.0002)  # the window's thread has other things to do as well


_ENDS_EARLY = """
import subprocess
import sys
import time
from PySide6.QtCore import QCoreApplication, QObject, Signal
from fsconsole.console.background import Background

class Chatting(Background):
    told = Signal(int)
    def work(self):
        while not self.is_cancelled():
            self.tell(self.told, 1)

app, parent = QCoreApplication([]), QObject()
works = [Chatting(parent) for _ in range(3)]
for work in works:
    work.start()
end = time.monotonic() + 0.05
while time.monotonic() < end:
    app.processEvents()
"""


def test_the_program_may_end_while_threads_tell() -> None:
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", _ENDS_EARLY], check=False, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stderr
