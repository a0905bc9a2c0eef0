"""The Operate face of a cluster that is played in memory, in a window; the clock here shows UTC."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from tests.console.cluster import play
from tests.console.conftest import Answers


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def target() -> play.PlayTarget:
    return play.PlayTarget(play.night_state())


@pytest.fixture
def cluster(empty_session: ConsoleSession, target: play.PlayTarget) -> ClusterSession:
    """Read-only; hale sits here. The window opens it."""
    made = ClusterSession(target, empty_session.preferences)
    made.arming.choices.who = "hale"
    return made


@pytest.fixture
def window(
    qtbot: QtBot, empty_session: ConsoleSession, cluster: ClusterSession, answers: Answers
) -> Iterator[ConsoleWindow]:
    made = ConsoleWindow(empty_session, answers)
    made.resize(1600, 1000)
    made.stack.wanted = "operate"
    tree = cluster.state.tree
    assert tree is not None
    scenario = Scenario(tree.shares.copy(), title="lab (Slurm)")
    named = replace(scenario, machine=replace(scenario.machine, name="lab"))
    empty_session.open(Document(named, name="lab (Slurm)"), cluster)
    with qtbot.waitActive(made):
        made.show()
    yield made
    answers.answer = "discard"
    made.close()
    made.deleteLater()


@pytest.fixture
def operate(qtbot: QtBot, window: ConsoleWindow, answers: Answers) -> JobsWorkspace:
    """Read-only at first; the near-dedicated class is worked out."""
    window.show_workspace("operate")
    made = window.workspace("operate")
    assert isinstance(made, JobsWorkspace)
    qtbot.waitUntil(made.isVisible)
    qtbot.waitUntil(lambda: made.controller.near is not None)
    made.questions = answers
    return made


@pytest.fixture
def armed(operate: JobsWorkspace, cluster: ClusterSession) -> JobsWorkspace:
    cluster.arming.arm()
    return operate


@pytest.fixture
def publish(qtbot: QtBot, cluster: ClusterSession, target: play.PlayTarget) -> Callable[..., None]:
    """Let the cluster stand otherwise, and the console see it."""

    def done(**changed: object) -> None:
        with qtbot.waitSignal(cluster.changed):
            target.publish(**changed)

    return done


@pytest.fixture
def dialog(qtbot: QtBot) -> Callable[[type[QDialog]], QDialog]:
    """The open dialog of a kind."""

    def found(kind: type[QDialog]) -> QDialog:
        def there() -> list[QDialog]:
            return [
                one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()
            ]

        qtbot.waitUntil(lambda: bool(there()))
        made = there()[-1]
        made.activateWindow()
        qtbot.waitUntil(made.isActiveWindow)
        return made

    return found
