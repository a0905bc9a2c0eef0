"""The Operate workspace in a window, showing the night of the design's picture."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import Action
from tests.console.operate import nights


@dataclass
class Sent:
    """What the session was asked for instead of its machine; `answer` is what comes back."""

    actions: list[tuple[Action, str, str]] = field(default_factory=list)
    answer: Outcome = field(default_factory=lambda: Outcome(True, "it is done", 0))

    @property
    def last(self) -> Action:
        return self.actions[-1][0]

    def act(self, action: Action, who: str = "", why: str = "") -> Future[Outcome]:
        self.actions.append((action, who, why))
        asked: Future[Outcome] = Future()
        asked.set_result(self.answer)
        return asked


@pytest.fixture
def sent(session: ConsoleSession, monkeypatch: pytest.MonkeyPatch) -> Sent:
    made = Sent()
    monkeypatch.setattr(session, "act", made.act)
    return made


@pytest.fixture
def operate(
    qtbot: QtBot, window: ConsoleWindow, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> NightsWorkspace:
    """Read-only at first; the machine's own snapshots are left alone."""
    made = window.workspace("operate")
    assert isinstance(made, NightsWorkspace)
    monkeypatch.setattr(type(made.controller), "times", nights.TIMES)
    monkeypatch.setattr(type(made.controller), "hz", nights.HZ)
    monkeypatch.setattr(type(made.controller), "machine", "Simulated Y-MP 8/64")
    window.show_workspace("operate")
    qtbot.waitUntil(made.isVisible)
    window.session.frame.disconnect(made.controller._on_frame)
    monkeypatch.setattr(made.controller, "look", lambda: None)
    made.controller.arming.choices.who = "hale"
    made.controller.show(nights.night(), nights.audit())
    return made


@pytest.fixture
def armed(operate: NightsWorkspace) -> NightsWorkspace:
    operate.controller.arming.arm()
    return operate


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
