from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.why_ticket import WhyDialog
from fsconsole.console.window import ConsoleWindow


def answered(qtbot: QtBot, window: ConsoleWindow, action: str) -> WhyDialog:
    """The dialog of an action, once the answer is there."""
    window.table.refresh()
    assert window.table.trigger(action)
    dialog = [one for one in window.findChildren(WhyDialog) if one.isVisible()][-1]
    qtbot.waitUntil(lambda: dialog.text.toPlainText() != "Reading…")
    return dialog


def select(window: ConsoleWindow, *names: str) -> None:
    document = window.session.document
    assert document is not None
    window.session.select(document.tree.find(name).id for name in names)


def test_selected_users_and_accounts_are_explained_and_copied(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    select(cluster_window, "fs_finn", "fs_gina")
    dialog = answered(qtbot, cluster_window, "cluster.why")
    text = dialog.text.toPlainText()
    assert "Why fs_finn@genomics and fs_gina@genomics are in this order" in text
    assert "What would change it: " in text
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == text
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    select(cluster_window, "genomics")
    assert (
        "Why account genomics stands where it does"
        in answered(qtbot, cluster_window, "cluster.why").text.toPlainText()
    )
    select(cluster_window, "genomics", "fs_finn")
    cluster_window.table.refresh()
    assert not cluster_window.table.trigger("cluster.why")


def test_a_job_selected_in_operate_is_explained(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    cluster_window.show_workspace("operate")
    workspace = cluster_window.stack.workspace("operate")
    controller = workspace.controller  # type: ignore[attr-defined]
    pending = next(job for job in controller.state.jobs if job.is_pending)
    controller.choose([pending.job_id])
    dialog = answered(qtbot, cluster_window, "cluster.why_job")
    assert f"Job {pending.label} of {pending.user} is pending" in dialog.text.toPlainText()
