"""What has no room for its words has them whole in its tooltip."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from tests.console.elided_words import unexplained
from tests.console.test_accessibility import PLACES, opened
from tests.console.words_in_sight import settle


@pytest.mark.watch_allows(
    "focus", reason="the page of welcome drops the focus when a capture is read", issue="calm"
)
@pytest.mark.parametrize("place", PLACES)
def test_words_that_are_cut_are_whole_in_the_tooltip(
    qtbot: QtBot, empty_window: ConsoleWindow, place: str
) -> None:
    empty_window.resize(1000, 700)
    opened(qtbot, empty_window, PLACES[place])
    faults: set[str] = set()
    for workspace in WORKSPACES:
        empty_window.show_workspace(workspace)
        assert empty_window.current is not None
        settle(empty_window)
        faults.update(unexplained(empty_window))
        for dock in empty_window.current.docks:
            dock.bring_forward()
            QApplication.processEvents()
            faults.update(unexplained(dock))
    assert not faults, "\n".join(sorted(faults))
