"""A person connects to a real cluster, edits shares, applies them and takes them back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.apply_dialog import ApplyDialog
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.connect_dialog import ConnectDialog
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.design.columns import Column
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.window import ConsoleWindow
from tests.slurm.lab.lab import Lab

_CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def wait(qtbot: QtBot, condition: Callable[[], bool]) -> None:
    qtbot.waitUntil(condition)


def dialog_of(window: ConsoleWindow, kind: type[QDialog]) -> QDialog:
    return next(one for one in window.findChildren(kind) if one.isVisible())


def raw_shares(lab: Lab) -> dict[tuple[str, str], str]:
    """What sshare shows of every association."""
    rows = lab.run("sshare", "-a", "-P", "-n", "-o", "Account,User,RawShares").stdout.splitlines()
    fields = [[field.strip() for field in row.split("|")] for row in rows]
    return {(account, user): shares for account, user, shares in fields}


def test_shares_are_edited_applied_and_taken_back(
    qtbot: QtBot, empty_window: ConsoleWindow, slurm_lab: Lab
) -> None:
    window = empty_window
    window.show_workspace("design")
    before = raw_shares(slurm_lab)

    # Connect through a command that sets the environment, typed as a person would.
    assert window.table.trigger("connect_slurm")
    dialog = dialog_of(window, ConnectDialog)
    assert isinstance(dialog, ConnectDialog)
    QTest.mouseClick(dialog.through, Qt.MouseButton.LeftButton)
    QTest.keyClicks(dialog.command, slurm_lab.via)
    QTest.keyClick(dialog.command, Qt.Key.Key_Return)
    wait(qtbot, lambda: window.session.offer(CLUSTER) is not None)
    cluster, document = window.session.offer(CLUSTER), window.session.document
    assert cluster is not None
    staging = cluster.offer(STAGING)
    assert staging is not None
    assert document is not None

    # Type new shares over those of ocean.
    ocean = document.tree.find("root/science/ocean").id
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    view = design.tree_view
    window.session.select([ocean])
    view.setCurrentIndex(view.index_of(ocean, Column.SHARES))
    view.setFocus()
    QTest.keyClicks(view, "7")
    QTest.keyClick(view.viewport().focusWidget(), Qt.Key.Key_Return)
    wait(qtbot, lambda: document.tree.node(ocean).shares == 7)
    wait(qtbot, lambda: bool(staging.staged.changes.changes))
    assert raw_shares(slurm_lab) == before

    # Apply: read-only at first, then armed by its keys.
    assert window.table.trigger("cluster.apply")
    apply = dialog_of(window, ApplyDialog)
    assert isinstance(apply, ApplyDialog)
    assert not apply.apply.isEnabled()
    QTest.mouseClick(apply.arm, Qt.MouseButton.LeftButton)
    assert apply.apply.text().split() == ["&Apply", "1", "change"]
    QTest.keyClicks(apply.reason, "agreed")
    QTest.mouseClick(apply.apply, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: apply.report is not None)
    assert apply.model.index(0, apply.model.place("result")).data() == "Done"
    assert raw_shares(slurm_lab)[("ocean", "")] == "7"
    wait(qtbot, lambda: not window.isWindowModified())
    assert any(row.why == "agreed" and row.done for row in cluster.target.state().audit)

    # Take it back.
    QTest.mouseClick(apply.back, Qt.MouseButton.LeftButton)
    assert apply.apply.text().split() == ["&Roll", "back", "1", "change"]
    QTest.mouseClick(apply.apply, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: apply.report is not None)
    assert raw_shares(slurm_lab) == before
    QTest.keyClick(apply, Qt.Key.Key_Escape)

    # The document follows the roll-back, as it follows what others do.
    wait(qtbot, lambda: document.tree.node(ocean).shares == int(before[("ocean", "")]))
    _somebody_else_changes(qtbot, cluster, slurm_lab, lambda: document.tree.node(ocean).shares)


def _somebody_else_changes(
    qtbot: QtBot, cluster: ClusterSession, lab: Lab, shares: Callable[[], int]
) -> None:
    before = shares()
    staging = cluster.offer(STAGING)
    assert staging is not None
    for wanted in (before + 5, before):
        lab.run("sacctmgr", "-i", "modify", "account", "where", "name=ocean", "set", f"fairshare={wanted}")
        cluster.target.refresh()
        wait(qtbot, lambda wanted=wanted: shares() == wanted)  # type: ignore[misc]
        assert not staging.nodes
