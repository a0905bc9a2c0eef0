"""A forecast without a window, as a dock has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.forecast.cluster_page import ClusterPage
from fsconsole.console.analyse.forecast.panel import CLUSTER, ForecastPanel
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from tests.console.conftest import Answers

CAPTURES = Path(__file__).parents[3] / "slurm" / "captures"


@pytest.fixture
def session_of_own(empty_session: ConsoleSession, tmp_path: Path) -> ConsoleSession:
    """Nothing open, nothing remembered."""
    empty_session.preferences = Preferences(tmp_path / "preferences")
    return empty_session


@pytest.fixture
def panel(qtbot: QtBot, session_of_own: ConsoleSession, answers: Answers) -> Iterator[ForecastPanel]:
    dock, made = QWidget(), ForecastPanel(session_of_own, answers)
    layout = QVBoxLayout(dock)
    layout.addWidget(made.head)
    layout.addWidget(made)
    qtbot.addWidget(dock)
    dock.resize(800, 460)
    with qtbot.waitActive(dock):
        dock.show()
    yield made
    made.end()


@pytest.fixture
def page(qtbot: QtBot, panel: ForecastPanel, answers: Answers) -> ClusterPage:
    """The page of a cluster, of a real one's capture."""
    panel.mode.choose(CLUSTER)
    answers.to_open = CAPTURES / "drained.psv"
    panel.cluster.ask_capture()
    qtbot.waitUntil(lambda: panel.cluster.form.cluster is not None)
    return panel.cluster
