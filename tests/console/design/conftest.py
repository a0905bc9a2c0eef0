from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from tests.console.design.trees import navoceano


@pytest.fixture
def design(qtbot: QtBot, empty_session: ConsoleSession) -> ConsoleSession:
    """The NAVOCEANO tree is open."""
    empty_session.open(Document(Scenario(navoceano(), title="NAVOCEANO")))
    return empty_session


@pytest.fixture
def workspace(qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession) -> DesignWorkspace:
    session.open(Document(Scenario(navoceano(), title="NAVOCEANO")))
    window.show_workspace("design")
    made = window.workspace("design")
    assert isinstance(made, DesignWorkspace)
    window.activateWindow()
    made.tree_view.setFocus()
    qtbot.waitUntil(made.tree_view.hasFocus)
    return made


@pytest.fixture
def document(workspace: DesignWorkspace) -> Document:
    assert workspace.session.document is not None
    return workspace.session.document
