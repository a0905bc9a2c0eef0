from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from threading import Thread

import pytest
from PySide6.QtCore import qInstallMessageHandler, qWarning
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from fsconsole.console.crash import CrashReporter, log_path, start_logging
from fsconsole.console.window import ConsoleWindow
from tests.disks import fails_with


@pytest.fixture
def reporter(window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch) -> CrashReporter:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr("threading.excepthook", lambda _found: None)
    made = CrashReporter(window)
    made.install()
    return made


@pytest.fixture
def log() -> Iterator[None]:
    before = list(logging.getLogger().handlers)
    start_logging()
    yield
    qInstallMessageHandler(None)
    for handler in logging.getLogger().handlers:
        if handler not in before:
            logging.getLogger().removeHandler(handler)
            handler.close()


FAULT = ArithmeticError("too many shares")


def fault() -> None:
    raise FAULT


def take(reporter: CrashReporter) -> None:
    try:
        fault()
    except ArithmeticError as error:
        reporter.take(type(error), error, error.__traceback__)


def boxes(window: ConsoleWindow) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def test_the_same_fault_is_shown_once(qtbot: QtBot, window: ConsoleWindow, reporter: CrashReporter) -> None:
    for _ in range(3):
        take(reporter)
    assert list(reporter.seen.values()) == [3]
    assert len(boxes(window)) == 1
    assert str(FAULT) in boxes(window)[0].informativeText()
    assert not boxes(window)[0].isModal()
    default = boxes(window)[0].defaultButton()
    assert default is not None
    assert default.text() == "Close"
    boxes(window)[0].close()
    take(reporter)
    assert not boxes(window)


def test_a_fault_in_a_thread_reaches_the_window(
    qtbot: QtBot, window: ConsoleWindow, reporter: CrashReporter
) -> None:
    thread = Thread(target=fault)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(boxes(window)))
    boxes(window)[0].close()


def test_faults_and_qt_messages_are_logged(window: ConsoleWindow, reporter: CrashReporter, log: None) -> None:
    take(reporter)
    warning = "a message of Qt"
    qWarning(warning)
    text = log_path().read_text("utf-8")
    assert str(FAULT) in text
    assert f"qt: {warning}" in text
    assert any(isinstance(handler, RotatingFileHandler) for handler in logging.getLogger().handlers)
    boxes(window)[0].close()


def test_a_log_on_a_full_disk_prints_nothing(
    log: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (handler,) = (one for one in logging.getLogger().handlers if isinstance(one, RotatingFileHandler))
    with monkeypatch.context() as patch:
        patch.setattr(handler, "flush", fails_with(errno.ENOSPC))
        logging.getLogger("fsconsole").warning("cannot be kept")
    assert capsys.readouterr().err == ""
