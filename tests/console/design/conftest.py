from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.scenario.spec import Scenario
from tests.console.design.trees import navoceano


@pytest.fixture
def design(qtbot: QtBot, empty_session: ConsoleSession) -> ConsoleSession:
    """The NAVOCEANO tree is open."""
    empty_session.open(Document(Scenario(navoceano(), title="NAVOCEANO")))
    return empty_session
