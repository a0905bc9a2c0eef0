"""Edit by keyboard in Design, run, and see the plotted data change in the running machine."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow


def allocated(session: ConsoleSession, node: int) -> float:
    assert session.target is not None
    _, values = session.target.curves("allocated_share", (node,), 0.0, 1e9, 10_000)
    return float(values[0, -1]) if values.size else 0.0


def test_shares_typed_while_it_runs_show_in_the_plots(
    qtbot: QtBot, session: ConsoleSession, window: ConsoleWindow
) -> None:
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    assert session.document is not None
    tree = session.document.tree
    first, second = tree.find("u11").id, tree.find("u12").id
    session.set_speed(1000)
    session.run()
    qtbot.waitUntil(lambda: allocated(session, first) > 0)
    qtbot.waitUntil(lambda: allocated(session, second) > 0)
    before = allocated(session, first)

    session.select([first])
    view = design.tree_view
    QTest.keyClicks(view, "3")
    editor = view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "0000")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tree.node(first).shares == 30_000)

    qtbot.waitUntil(lambda: allocated(session, first) > 1.2 * before)
    session.pause()
    group = sum(allocated(session, node.id) for node in tree.siblings(first))
    assert group == pytest.approx(allocated(session, tree.node(first).parent or 0), rel=1e-6)
