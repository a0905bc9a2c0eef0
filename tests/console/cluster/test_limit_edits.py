"""Limits of associations and QOS in Design: typed, staged, shown as commands, undone, refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.app.cluster.preview import ChangeSetPreview, Gain
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.change_table import lines_of
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.dialect_form import DialectForm
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.document import Document
from fsconsole.console.window import ConsoleWindow
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.cluster_tree import share_tree
from fsconsole.slurm.own_limits import with_own
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.target import SlurmTarget
from tests.console.cluster.play import PlayTarget
from tests.texts import says, wording

_CAPTURE = Path(__file__).parents[2] / "data" / "slurm" / "limits"


@pytest.fixture
def window(qtbot: QtBot, empty_window: ConsoleWindow) -> ConsoleWindow:
    """Design with the capture in which jobs wait for limits."""
    empty_window.resize(1600, 1000)
    empty_window.show_workspace("design")
    empty_window.clusters.connections.open(SlurmTarget(capture_place(_CAPTURE)))
    qtbot.waitUntil(lambda: empty_window.session.offer(CLUSTER) is not None)
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: bool(cluster.state.tree and cluster.state.tree.qos))
    qtbot.waitUntil(lambda: "slurm.qos" in _document(empty_window).tree.root.foreign)
    return empty_window


def _document(window: ConsoleWindow) -> Document:
    assert window.session.document is not None
    return window.session.document


def _panel(window: ConsoleWindow) -> NodePanel:
    (panel,) = window.findChildren(NodePanel)
    return panel


def _select(window: ConsoleWindow, path: str) -> DialectForm:
    window.session.select([_document(window).tree.find(path).id])
    return _panel(window).dialect


def _type(editor: QLineEdit, text: str) -> None:
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text) if text else QTest.keyClick(editor, Qt.Key.Key_Delete)
    QTest.keyClick(editor, Qt.Key.Key_Return)


def _commands(qtbot: QtBot, window: ConsoleWindow) -> list[str]:
    """What the change set sets, with the values before and after."""
    staging = window.session.offer(STAGING)
    assert staging is not None
    qtbot.waitUntil(lambda: not staging.is_working)
    return [
        f"{one.on}: {one.before} to {one.after}: {one.command[-1]}" for one in staging.staged.changes.changes
    ]


def test_a_limit_shows_no_fairshare_of_the_change_above_it() -> None:
    share = Change("set", 3, "hep", "30", "40", ("sacctmgr",))
    limit = replace(share, before="", after="20", limit="MaxJobs")
    gain = Gain(3, 2, "hep", is_user=False, last=0.35495, before=0.35495, after=0.284468)
    lines = lines_of(ChangeSetPreview(ChangeSet((share, limit)), {3: gain}))
    assert [line.gain for line in lines] == [gain, None]


def test_a_limit_is_typed_staged_undone_and_cleared(qtbot: QtBot, window: ConsoleWindow) -> None:
    form, document = _select(window, "root/teaching"), _document(window)
    assert form.editor("GrpJobs").text() == "1"
    _type(form.editor("GrpJobs"), "8")
    (command,) = _commands(qtbot, window)
    assert command.split(": ")[::2] == ["teaching", "GrpJobs=8"]
    assert command.split(": ")[1].split() == ["GrpJobs", "1", "to", "GrpJobs", "8"]
    assert document.stack.undoText() == "Set GrpJobs"
    _type(form.editor("MaxWall"), "1-12:30")
    assert form.editor("MaxWall").text() == "1-12:30:00"
    assert len(_commands(qtbot, window)) == 2
    document.stack.undo()
    document.stack.undo()
    assert form.editor("GrpJobs").text() == "1"
    assert _commands(qtbot, window) == []
    _type(form.editor("GrpJobs"), "")
    (command,) = _commands(qtbot, window)
    assert command.split(": ")[::2] == ["teaching", "GrpJobs=-1"]
    assert command.split(": ")[1].split() == ["GrpJobs", "1", "to", "no", "GrpJobs"]


def test_an_empty_field_says_what_comes_down_and_from_where(window: ConsoleWindow) -> None:
    form = _select(window, "root/science/ocean/games")
    assert form.editor("MaxJobs").text() == "3"
    assert form.editor("MaxWall").text() == ""
    assert form.editor("MaxWall").placeholderText() == wording(
        "app.tree.from-2", value="1-00:00:00", source="science"
    )
    facts = dict(_panel(window).association.facts.facts)
    jobs, wall = facts[wording("app.cluster.limits-in-force")].split(", ")
    assert jobs == "MaxJobs 3"
    assert wall.split() == ["MaxWall", "1-00:00:00", "from", "science"]
    limits = "GrpTRES cpu=20,mem=4G", "GrpJobs 7", "GrpTRESMins cpu=100000"
    assert facts["Shared limits"] == wording("app.cluster.of", text=", ".join(limits), account="science")
    assert not says(facts, "app.cluster.by-qos-only")
    _select(window, "root/medicine/imaging/proxy")
    facts = dict(_panel(window).association.facts.facts)
    *others, last = facts[wording("app.cluster.by-qos-only")].split(", ")
    assert others == ["MaxJobsPU 1", "MaxWall 02:00:00"]
    assert last.split() == ["GrpTRES", "cpu=16", "(high)"]


@pytest.mark.parametrize(("title", "text"), [("GrpJobs", "2.5"), ("MaxWall", "1:30"), ("GrpTRES", "cpu=1k")])
def test_what_slurm_would_alter_is_refused_where_it_is_typed(
    qtbot: QtBot, window: ConsoleWindow, title: str, text: str
) -> None:
    form = _select(window, "root/science/climate")
    _type(form.editor(title), text)
    assert form.fault.startswith(title)
    assert text.rpartition("=")[2] in form.fault
    assert _commands(qtbot, window) == []


def test_limits_of_a_qos_are_chosen_at_the_root_by_the_keyboard(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.table.refresh()
    assert window.table.trigger("set_qos_limits")
    form, document = _panel(window).dialect, _document(window)
    assert [form.whose.itemText(place) for place in range(form.whose.count())] == [
        "Account root", "QOS normal", "QOS high",
    ]  # fmt: skip
    assert form.whose.currentText() == "QOS normal"
    QTest.keyClick(form.whose, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: form.editor("UsageFactor").text() == "2")
    _type(form.editor("UsageFactor"), "0.5")
    assert document.stack.undoText().split() == ["Set", "QOS", "high", "UsageFactor"]
    (command,) = _commands(qtbot, window)
    assert command.split(": ")[::2] == ["QOS high", "UsageFactor=0.5"]
    assert command.split(": ")[1].split() == ["UsageFactor", "2", "to", "UsageFactor", "0.5"]
    document.stack.undo()
    assert form.editor("UsageFactor").text() == "2"
    assert _commands(qtbot, window) == []


def test_the_menu_of_a_node_leads_to_its_limits(qtbot: QtBot, window: ConsoleWindow) -> None:
    form = _select(window, "root/science")
    window.activateWindow()
    window.table.refresh()
    assert window.table.trigger("set_limits")
    qtbot.waitUntil(lambda: QApplication.focusWidget() is form.editor("MaxJobs"))
    QTest.keyClick(form.editor("MaxJobs"), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(form.editor("MaxJobs"), "12")
    QTest.keyClick(form.editor("MaxJobs"), Qt.Key.Key_Tab)
    (command,) = _commands(qtbot, window)
    assert command.split(": ")[::2] == ["science", "MaxJobs=12"]
    assert command.split(": ")[1].split() == ["MaxJobs", "10", "to", "MaxJobs", "12"]


def test_limits_that_are_read_late_are_not_taken_for_staged_ones(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    form = _select(cluster_window, "root/physics/hep")
    assert not form.has_limits
    _type(_panel(cluster_window).editor("Shares"), "7")
    staged = [line.partition(":")[0] for line in _commands(qtbot, cluster_window)]
    assert staged == ["hep"]
    tree = play.now.tree
    assert tree is not None
    stored = with_own(tree.stored, {("hep", "", ""): {"GrpJobs": "7"}}, ())
    play.publish(tree=replace(tree, stored=stored, shares=share_tree(stored, tree.nodes)))
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()
    qtbot.waitUntil(lambda: form.has_limits)
    assert form.editor("GrpJobs").text() == "7"
    assert [line.partition(":")[0] for line in _commands(qtbot, cluster_window)] == staged


def test_what_the_cluster_does_not_count_is_refused_at_the_field(qtbot: QtBot, window: ConsoleWindow) -> None:
    """The capture has AccountingStorageTRES=cpu,mem,energy,node,billing,fs/disk,vmem,pages."""
    form = _select(window, "root/teaching")
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    qtbot.waitUntil(lambda: cluster.state.settings is not None)
    _type(form.editor("GrpTRES"), "gres/gpu=4")
    assert form.fault.startswith(
        "GrpTRES: " + wording("slurm.this-cluster-has-no-tres", name="'gres/gpu'", known="billing, cpu")
    )
    _type(form.editor("GrpTRES"), "cpu=64")
    assert not form.fault
