"""Documents and dialogs that are closed leave no widgets behind."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES

_DIALOGS = ("keyboard", "glossary", "about", "commands", "observe.login", "observe.start", "observe.export")


def living(window: ConsoleWindow) -> tuple[int, int, int]:
    """(widgets, windows, objects of the console's window) once all that was deleted has gone."""
    for _ in range(3):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
    widgets, tops = QApplication.allWidgets(), QApplication.topLevelWidgets()
    return len(widgets), len(tops), len(window.findChildren(QObject))


def reopen(window: ConsoleWindow, qtbot: QtBot) -> None:
    """Open two examples, one after the other."""
    session = window.session
    for name in ("convex-series-6", "two-organisations"):
        assert window.table.trigger(f"example_{name}")
        qtbot.waitUntil(
            lambda name=name: session.document is not None and session.document.name == f"{name}.yaml",  # type: ignore[misc]
        )
        qtbot.waitUntil(lambda: session.snapshot is not None)


def test_documents_that_were_open_leave_nothing(window: ConsoleWindow, qtbot: QtBot) -> None:
    for workspace_id in WORKSPACES:
        window.show_workspace(workspace_id)
    window.show_workspace("observe")
    reopen(window, qtbot)
    before = living(window)
    for _ in range(3):
        reopen(window, qtbot)
    assert living(window) == before


@pytest.mark.parametrize("action_id", _DIALOGS)
def test_a_dialog_that_is_closed_leaves_nothing(window: ConsoleWindow, qtbot: QtBot, action_id: str) -> None:
    window.show_workspace("observe")

    def open_and_close() -> None:
        assert window.table.trigger(action_id)
        shown = [top for top in QApplication.topLevelWidgets() if top is not window and top.isVisible()]
        assert shown
        for top in shown:
            top.close()

    open_and_close()
    before = living(window)
    for _ in range(5):
        open_and_close()
    assert living(window) == before
