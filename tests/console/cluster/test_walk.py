"""Every workspace, dock and action with a cluster open: nothing is of a machine that is not there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QFileDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.app import let_go_of_clipboard
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.cluster.tree_cells import ClusterCells
from fsconsole.console.design.columns import Column
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import MACHINE, PLAYBACK
from fsconsole.targets.slurm.state import Link, Part
from tests.console.cluster.play import NOW_S, PlayTarget, parts_failed
from tests.console.conftest import Answers
from tests.texts import wording

# They ask for files, end the console, leave the cluster, or begin long work of their own.
_LEAVES = (
    "quit", "close", "new", "open", "save", "cluster.disconnect", "cluster.simulate", "connect_slurm",
    "cluster.open_diary", "linux.open", "import", "export", "example", "study", "experiment", "compare",
    "theme", "run_", "forecast", "tour",
)  # fmt: skip


@pytest.fixture
def walked(cluster_window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[ConsoleWindow]:
    """The window with all its workspaces made; dialogs that a test leaves open are closed.

    Nobody is there to answer a file dialog, which would wait for ever.
    """
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_args, **_more: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args, **_more: "")
    for name in WORKSPACES:
        cluster_window.show_workspace(name)
    yield cluster_window
    let_go_of_clipboard()
    for dialog in cluster_window.findChildren(QDialog):
        dialog.close()


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_all_docks_can_be_looked_at(qtbot: QtBot, walked: ConsoleWindow, size: tuple[int, int]) -> None:
    walked.resize(*size)
    for name in WORKSPACES:
        walked.show_workspace(name)
        workspace = walked.workspace(name)
        workspace.reset_layout()
        docks = workspace.findChildren(QDockWidget)
        usual = {dock.objectName() for dock in docks if not dock.isHidden()}
        for dock in docks:
            dock.show()
            dock.raise_()
            inside = dock.widget()
            qtbot.waitUntil(lambda inside=inside: not inside.visibleRegion().isEmpty())  # type: ignore[misc]
        workspace.reset_layout()
        assert {dock.objectName() for dock in docks if not dock.isHidden()} == usual


def test_no_action_of_a_machine_is_there(walked: ConsoleWindow) -> None:
    for action in walked.table:
        if action.needs in (MACHINE, PLAYBACK):
            assert not walked.table.qaction(action.id).isVisible()
            assert not walked.table.trigger(action.id)
    present = {action.id for action in walked.table if walked.table.is_present(action)}
    for gone in ("simulate", "parameters", "accept_commands", "operate.arm", "policy.share"):
        assert gone not in present


@pytest.mark.parametrize("name", WORKSPACES)
def test_f5_reads_the_cluster_in_every_workspace(
    qtbot: QtBot, walked: ConsoleWindow, play: PlayTarget, name: str
) -> None:
    walked.show_workspace(name)
    with qtbot.waitActive(walked):
        walked.show()
    play.refreshed.clear()
    with qtbot.waitSignal(walked.session.message):
        QTest.keyClick(walked, Qt.Key.Key_F5)
    assert play.refreshed == [()]


@pytest.mark.parametrize("name", WORKSPACES)
def test_actions_do_no_harm(qtbot: QtBot, walked: ConsoleWindow, name: str) -> None:
    walked.show_workspace(name)
    document = walked.session.document
    assert document is not None
    for action in walked.table:
        if action.id.startswith(_LEAVES) or any(
            word in action.id for word in ("export", "study", "run", "show_")
        ):
            continue
        walked.session.select([document.tree.find("root/physics/hep").id])
        walked.table.trigger(action.id)
        QApplication.processEvents()
        for dialog in walked.findChildren(QDialog):
            dialog.close()
    assert walked.session.offer(CLUSTER) is not None


def test_the_target_box_says_that_nobody_answers(walked: ConsoleWindow, play: PlayTarget) -> None:
    cluster = walked.session.offer(CLUSTER)
    assert cluster is not None
    box = walked.frame.bar.target
    assert (box.name, box.remark) == ("lab", "")
    play.publish(link=Link.NO_ANSWER, parts=parts_failed("slurmctld gone"))
    cluster.look()
    assert box.remark.startswith(wording("targets.slurm.no-response-since", since=""))
    assert "slurmctld gone" in box.toolTip()
    play.publish(link=Link.ANSWERS)
    cluster.look()
    assert box.remark == ""


def test_the_target_box_says_what_cannot_be_read(walked: ConsoleWindow, play: PlayTarget) -> None:
    cluster = walked.session.offer(CLUSTER)
    assert cluster is not None
    failed = Part(NOW_S, problem="slurmctld does not respond")
    play.publish(link=Link.PARTLY)
    play.publish_parts(jobs=failed, nodes=failed)
    cluster.look()
    assert walked.frame.bar.target.remark == wording("targets.slurm.does-not-respond-2", who="slurmctld")


def test_a_window_made_after_its_cluster_has_its_actions(
    qtbot: QtBot, empty_session: ConsoleSession, play: PlayTarget, answers: Answers
) -> None:
    cluster = ClusterSession(play, empty_session.preferences)
    tree = play.now.tree
    assert tree is not None
    empty_session.open(Document(Scenario(tree.shares.copy(), title="lab"), name="lab"), cluster)
    window = ConsoleWindow(empty_session, answers)
    try:
        assert window.table.shows(CLUSTER)
        assert window.table.is_present(window.table["cluster.disconnect"])
        assert window.clusters.mode_widget() is not None
        window.clusters.toggle_armed()
        assert cluster.arming.is_armed
    finally:
        answers.answer = "discard"
        window.close()
        window.deleteLater()


def test_the_tree_shows_what_sshare_prints(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    assert isinstance(design.tree_view.tree_model.cells.of_cluster, ClusterCells)
    document = cluster_window.session.document
    assert document is not None
    anna = document.tree.find("root/physics/hep/fs_anna").id
    view = design.tree_view
    qtbot.waitUntil(lambda: view.index_of(anna, Column.FAIRSHARE).data() != "–")
    standing = play.now.standing
    assert standing is not None
    printed = standing.printed.fairshare[anna]  # the node of a row is the row here
    assert view.index_of(anna, Column.FAIRSHARE).data() == f"{printed:.6f}"
    assert not view.isColumnHidden(Column.FAIRSHARE)
    assert view.isColumnHidden(Column.DEMAND)
    neuro = document.tree.find("root/bio/neuro").id
    assert view.index_of(neuro, Column.SHARES).data() == "parent"
    cluster_window.session.select([anna])
    facts = dict(design.node_panel.association.facts.facts)
    assert facts["FairShare"] == f"{printed:.6f}"
    assert "normal" in facts["QOS"]
