"""Limits of an account and a QOS: typed in Design, applied to a real cluster, read back, rolled back."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.apply_dialog import ApplyDialog
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.target import SlurmTarget
from tests.slurm.lab.lab import Lab
from tests.texts import wording


def _stored(lab: Lab) -> tuple[str, str]:
    """What the cluster has of ocean itself, and of the QOS normal."""
    asked = ("sacctmgr", "-nP", "show")
    own = ("assoc", "WOPLimits", "where", "account=ocean", "user=", "format=grpjobs,grptres")
    account = lab.run(*asked, *own)
    qos = lab.run(*asked, "qos", "where", "name=normal", "format=usagefactor,maxjobspu")
    return account.stdout.strip(), qos.stdout.strip()


def _type(editor: QLineEdit, text: str) -> None:
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)


def test_limits_are_typed_applied_and_rolled_back(
    qtbot: QtBot, empty_window: ConsoleWindow, slurm_lab: Lab
) -> None:
    def wait(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    window, before = empty_window, _stored(slurm_lab)
    window.show_workspace("design")
    window.clusters.connections.open(SlurmTarget(Location(tuple(shlex.split(slurm_lab.via)))))
    wait(lambda: window.session.offer(CLUSTER) is not None)
    cluster = window.session.offer(CLUSTER)
    design = window.workspace("design")
    assert cluster is not None
    assert isinstance(design, DesignWorkspace)
    wait(lambda: len(cluster.state.qos) > 0)
    wait(lambda: window.session.document is not None and len(window.session.document.tree) > 1)
    document = window.session.document
    assert document is not None
    wait(lambda: "slurm.qos" in document.tree.root.foreign)
    form, staging = design.node_panel.dialect, cluster.offer(STAGING)
    assert staging is not None

    window.session.select([document.tree.find("root/science/ocean").id])
    _type(form.editor("GrpJobs"), "8")
    _type(form.editor("GrpTRES"), "cpu=20,mem=4g")
    assert form.editor("GrpTRES").text() == "cpu=20,mem=4G"
    window.table.refresh()
    assert window.table.trigger("set_qos_limits")
    form.whose.setCurrentText("QOS normal")
    form.refresh()
    _type(form.editor("UsageFactor"), "0.5")
    wait(lambda: not staging.is_working and len(staging.staged.changes.changes) == 3)
    assert _stored(slurm_lab) == before

    assert window.table.trigger("cluster.apply")
    dialog = next(one for one in window.findChildren(ApplyDialog) if one.isVisible())
    QTest.mouseClick(dialog.arm, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    wait(lambda: dialog.report is not None)
    results = dialog.model.place("result")
    assert [dialog.model.index(row, results).data() for row in range(3)] == ["Done"] * 3
    assert _stored(slurm_lab) == ("8|cpu=20,mem=4G", f"0.500000|{before[1].partition('|')[2]}")
    wait(lambda: not staging.nodes)

    QTest.mouseClick(dialog.back, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    wait(lambda: dialog.report is not None)
    assert _stored(slurm_lab) == before
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    wait(lambda: form.editor("UsageFactor").text() == "")
    assert form.editor("UsageFactor").placeholderText() == wording("app.tree.by-default", default="1")
    assert not staging.nodes
