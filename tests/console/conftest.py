"""A session with Convex series 1 on a machine that stands, and a window of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.look.style import ConsoleStyle, install_look
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario


@pytest.fixture(scope="session")
def look(qapp: QApplication) -> ConsoleStyle:
    return install_look(qapp, "light")


@pytest.fixture
def empty_session(qtbot: QtBot, look: ConsoleStyle) -> Iterator[ConsoleSession]:
    """Nothing is open."""
    made = ConsoleSession()
    yield made
    made.open(None)
    made.close()


@pytest.fixture
def session(qtbot: QtBot, empty_session: ConsoleSession) -> ConsoleSession:
    """Convex series 1 is open, the machine stands, paused at 0 s."""
    path = examples() / "convex-series-1.yaml"
    empty_session.open(Document(read_scenario(path), path, text=path.read_text("utf-8")))
    qtbot.waitUntil(lambda: empty_session.snapshot is not None, timeout=60_000)
    return empty_session


@pytest.fixture
def window(qtbot: QtBot, session: ConsoleSession) -> Iterator[ConsoleWindow]:
    """The console, 1600 x 1000."""
    made = ConsoleWindow(session)
    made.resize(1600, 1000)
    made.show()
    yield made
    made.hide()
    made.deleteLater()
