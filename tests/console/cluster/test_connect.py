"""Choosing a cluster, as a person does it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.connect_dialog import ConnectDialog
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.recent_clusters import RecentClusters, mark_of, place_of_mark, prefix_of
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.files.file_controller import LAST_KEY
from fsconsole.console.files.questions import Answer, Questions
from fsconsole.console.preferences import Preferences
from fsconsole.console.welcome.rows import Row
from fsconsole.console.widgets.labels import FactLabel, InkLabel
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace import Workspace
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from tests.console.cluster.play import PlayTarget, cluster_state, parts_failed
from tests.console.conftest import Answers
from tests.texts import refuses_naming, says, wording

REFUSED = "ssh: connect to host login1 port 22: Connection refused"


@pytest.mark.parametrize(
    ("typed", "prefix"),
    [
        ("ssh login1", ("ssh", "login1")),
        ("sudo -u slurm", ("sudo", "-u", "slurm")),
        ("docker exec 'my slurm'", ("docker", "exec", "my slurm")),
        ("  ", ()),
    ],
)
def test_a_command_is_read_as_words(typed: str, prefix: tuple[str, ...]) -> None:
    assert prefix_of(typed) == prefix


@pytest.mark.parametrize("typed", ["ssh 'login1", "-p 22 login1"])
def test_what_is_no_command_is_reported(typed: str) -> None:
    with refuses_naming(ValueError, "command"):
        prefix_of(typed)


def test_the_last_cluster_is_told_from_a_file() -> None:
    assert place_of_mark(mark_of(("ssh", "login 1"))) == Location(("ssh", "login 1"))
    assert place_of_mark(mark_of(())) == Location()
    for other in ("", None, "folder/tree.yaml", "slurm:[", "slurm:{}", "slurm:[1]"):
        assert place_of_mark(other) is None


def test_recent_clusters_are_remembered_newest_first(qtbot: QtBot) -> None:
    recent = RecentClusters(Preferences())
    recent.add(("ssh", "login1"), "big")
    recent.add((), "lab")
    recent.add(("ssh", "login1"), "big")
    expected = [
        "big  (ssh login1)",
        "lab  (tools on this machine)",
    ]
    assert [entry.words for entry in recent.entries()] == expected


def dialog_of(window: ConsoleWindow) -> ConnectDialog:
    found = [one for one in window.findChildren(ConnectDialog) if one.isVisible()]
    assert len(found) == 1
    return found[0]


def type_way(qtbot: QtBot, dialog: ConnectDialog, words: str) -> None:
    QTest.mouseClick(dialog.through, Qt.MouseButton.LeftButton)
    dialog.command.clear()
    QTest.keyClicks(dialog.command, words)


def test_a_cluster_is_opened_behind_a_command(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    empty_window.show_workspace("design")
    asked: list[Location] = []

    def make(place: Location) -> ClusterTarget:
        asked.append(place)
        return play

    empty_window.clusters.connections.make = make
    assert empty_window.table.trigger("connect_slurm")
    dialog = dialog_of(empty_window)
    type_way(qtbot, dialog, "ssh login1")
    expected = "ssh    login1"
    assert expected in dialog.arguments.text()
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.keyClick(dialog.command, Qt.Key.Key_Return)
    session = empty_window.session
    assert asked == [Location(("ssh", "login1"))]
    cluster = session.offer(CLUSTER)
    assert cluster is not None
    assert session.machine is None
    assert not cluster.arming.is_armed
    assert isinstance(session.document, ClusterDocument)
    assert session.document.tree.find("root/physics/hep/fs_anna").shares == 10
    assert empty_window.windowTitle().split() == ["lab", "(Slurm)[*]", "-", "fsconsole"]
    assert empty_window.frame.bar.target.name == "lab"
    assert not empty_window.isWindowModified()


def test_a_test_says_how_the_cluster_answers_and_opens_nothing(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    empty_window.clusters.connections.make = lambda _: play
    empty_window.clusters.connections.ask()
    dialog = dialog_of(empty_window)
    QTest.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "is ready to open" in dialog.sentence)
    fields = dict(dialog.lines)
    assert says(
        fields["Settings"],
        "app.cluster.from-in",
        who="slurmctld",
    )
    assert fields["Settings"].split(", ")[:2] == ["cluster lab", "Slurm 22.05.8"]
    assert fields["Settings"].split()[-2].startswith("0.02")
    assert says(fields["Associations"], "app.cluster.from-in", state="23 associations", who="slurmdbd")
    assert empty_window.session.offer(CLUSTER) is None
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert empty_window.session.offer(CLUSTER) is not None


def failed_state() -> ClusterState:
    return ClusterState(1, "ssh login1", Link.NO_ANSWER, parts_failed(REFUSED))


def test_a_refusal_is_reported_and_nothing_is_open(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    target = PlayTarget(failed_state())
    empty_window.clusters.connections.make = lambda _: target
    empty_window.clusters.connections.ask()
    dialog = dialog_of(empty_window)
    type_way(qtbot, dialog, "ssh login1")
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: dialog.sentence.startswith("No answer. Run this in a terminal to see the error: ssh login1 ")
    )
    assert [text for _, text in dialog.lines] == [f"{REFUSED[0].upper()}{REFUSED[1:]}.", *["likewise"] * 3]
    assert dialog.open_button.isEnabled()
    assert not dialog.anyway.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert empty_window.session.offer(CLUSTER) is None
    assert target.is_closed


def test_all_lines_of_a_finding_are_visible(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    long = "ssh cannot reach the host: nobody@login1.example.org: Permission denied (publickey,password). "
    parts = {
        name: Part(problem=f"{place}: {long * 2}")
        for place, name in enumerate((PartName.SETTINGS, PartName.TREE, PartName.USAGE, PartName.JOBS))
    }
    target = PlayTarget(ClusterState(1, "ssh login1", Link.NO_ANSWER, {**parts_failed("x"), **parts}))
    empty_window.clusters.connections.make = lambda _: target
    empty_window.clusters.connections.ask()
    dialog = dialog_of(empty_window)
    type_way(qtbot, dialog, "ssh login1")
    QTest.mouseClick(dialog.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.sentence.startswith("No answer."))
    labels = [one for one in dialog.findChildren(FactLabel) if long.strip() in one.text()]
    assert len(labels) == 4
    qtbot.waitUntil(lambda: all(one.height() >= one.heightForWidth(one.width()) for one in labels))
    bottoms = [one.mapTo(dialog, one.rect().bottomLeft()).y() for one in labels]
    below = next(one for one in dialog.findChildren(InkLabel) if one.text() == dialog.sentence)
    assert max(bottoms) < below.mapTo(dialog, below.rect().topLeft()).y()


def test_without_the_tree_jobs_can_be_looked_at(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    whole = cluster_state()
    no_tree = Part(None, 0.1, "slurmdbd does not respond.")
    parts = {**whole.parts, PartName.TREE: no_tree, PartName.USAGE: no_tree}
    target = PlayTarget(replace(whole, tree=None, standing=None, parts=parts, link=Link.PARTLY))
    empty_window.clusters.connections.make = lambda _: target
    empty_window.show_workspace("design")
    empty_window.clusters.connections.ask()
    dialog = dialog_of(empty_window)
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.anyway.isVisible)
    assert says(dialog.sentence, "shares.scenario.cannot-be-read-3")
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.mouseClick(dialog.anyway, Qt.MouseButton.LeftButton)
    document = empty_window.session.document
    assert document is not None
    assert len(document.tree) == 1
    target.publish(tree=whole.tree, standing=whole.standing, parts=whole.parts, link=Link.ANSWERS)
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    with qtbot.waitSignal(empty_window.session.document_changed):
        cluster.look()
    assert empty_window.session.document is not document
    assert empty_window.session.offer(CLUSTER) is cluster
    assert empty_window.session.document is not None
    assert len(empty_window.session.document.tree) == 23


class Hanging(PlayTarget):
    """Answers nothing."""


def test_a_cluster_that_hangs_is_left_at_any_time(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    target = Hanging(ClusterState(1, "login1"))
    empty_window.clusters.connections.make = lambda _: target
    empty_window.clusters.connections.ask()
    dialog = dialog_of(empty_window)
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.open_button.text() == "Connecting…")
    assert dialog.cancel.isEnabled()
    qtbot.waitUntil(lambda: len(dialog.lines) == 4)
    QTest.mouseClick(dialog.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: target.is_closed)


def test_a_restart_comes_back_to_the_cluster_without_waiting(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget
) -> None:
    empty_window.clusters.connections.make = lambda _: play
    empty_window.session.preferences.set_value("workspace", "design")
    empty_window.session.preferences.set_value(LAST_KEY, mark_of(("ssh", "login1")))
    empty_window.restore_state()
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.start(None)
        assert not empty_window.stack.shows_workspaces()
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    assert not cluster.arming.is_armed


@pytest.mark.parametrize("asks", [False, True])
def test_other_workspaces_are_made_after_the_first_data(
    qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget, asks: bool
) -> None:
    """The threads that read would share the processor with the window's, for seconds at a large site."""
    connections, stack = empty_window.clusters.connections, empty_window.stack
    jobs, reached, place = play.now.parts[PartName.JOBS], Event(), Location(("ssh", "login1"))
    play.publish_parts(jobs=Part(is_reading=True))

    def make(_place: Location) -> ClusterTarget:
        reached.wait()
        return play

    def made() -> int:
        stack.make_missing()
        return len(empty_window.findChildren(Workspace))

    connections.make = make
    connections.connect_to(place.prefix) if asks else connections.reconnect(place)
    assert made() == 0
    reached.set()
    qtbot.waitUntil(lambda: empty_window.session.offer(CLUSTER) is not None)
    assert made() == 1
    cluster = empty_window.session.offer(CLUSTER)
    assert cluster is not None
    play.publish_parts(jobs=jobs)
    cluster.look()
    qtbot.waitUntil(lambda: made() == len(WORKSPACES))


def test_a_restart_says_that_the_cluster_does_not_answer(qtbot: QtBot, empty_window: ConsoleWindow) -> None:
    empty_window.clusters.connections.make = lambda _: PlayTarget(failed_state())
    empty_window.session.preferences.set_value(LAST_KEY, mark_of(("ssh", "login1")))
    with qtbot.waitSignal(empty_window.clusters.connections.failed) as failed:
        empty_window.start(None)
    assert failed.args is not None
    assert failed.args[0] == wording(
        "console.cluster.does-not-respond", name="ssh login1", why=f"{REFUSED[0].upper()}{REFUSED[1:]}."
    )
    assert not empty_window.stack.shows_workspaces()


def test_disconnect_leaves_nothing_open(cluster_window: ConsoleWindow, play: PlayTarget) -> None:
    assert cluster_window.table.trigger("cluster.disconnect")
    assert play.is_closed
    assert cluster_window.session.offer(CLUSTER) is None
    assert not cluster_window.stack.shows_workspaces()
    assert not cluster_window.table.qaction("cluster.arm").isVisible()


def test_the_tree_can_be_simulated(qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget) -> None:
    assert cluster_window.table.trigger("cluster.simulate")
    session = cluster_window.session
    assert session.offer(CLUSTER) is None
    assert session.document is not None
    assert len(session.document.tree) == 23
    qtbot.waitUntil(lambda: session.snapshot is not None)


def test_the_mode_is_armed_by_keys_and_a_bar_says_so(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    QTest.keyClick(
        cluster_window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    assert cluster.arming.is_armed
    assert play.notes[-1][0] == "arm"
    bar = cluster_window.clusters.armed
    assert bar is not None
    assert bar.isVisible()
    QTest.mouseClick(bar.disarm, Qt.MouseButton.LeftButton)
    assert play.notes[-1][0] == "disarm"
    assert bar.isHidden()


@pytest.mark.parametrize(("answer", "is_left"), [("cancel", False), ("discard", True)])
def test_leaving_asks_for_what_is_staged(
    qtbot: QtBot, cluster_window: ConsoleWindow, answers: Answers, answer: Answer, is_left: bool
) -> None:
    session = cluster_window.session
    document = session.document
    assert document is not None
    answers.answer = answer
    document.edit("Set shares", [SetShares.of(document.tree.find("root/physics/hep").id, 7)])
    assert cluster_window.isWindowModified()
    cluster_window.table.trigger("cluster.disconnect")
    assert [asked.split() for asked in answers.asked] == [["leave", "1", "changes", "of", "lab"]]
    assert (session.offer(CLUSTER) is None) is is_left


def test_staged_edits_are_asked_about_each_time(
    qtbot: QtBot, cluster_window: ConsoleWindow, answers: Answers, tmp_path: Path
) -> None:
    document = cluster_window.session.document
    assert document is not None
    hep = document.tree.find("root/physics/hep").id
    document.edit("Set shares", [SetShares.of(hep, 7)])
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: [", "utf-8")
    answers.answer = "discard"
    cluster_window.files.open(bad)
    qtbot.waitUntil(lambda: bool(answers.reported))
    assert answers.asked == []
    for shares in (8, 9):
        document.stack.undo()
        document.edit("Set shares", [SetShares.of(hep, shares)])
        assert cluster_window.files.may_leave()  # and then the action fails
    assert [asked.split()[0] for asked in answers.asked] == ["leave", "leave"]


def test_a_discard_is_of_what_the_question_names(cluster_window: ConsoleWindow) -> None:
    """A command stages one more while the question stands: it is asked about, too."""
    window, asked, boxes = cluster_window, list[str](), list[QMessageBox]()
    document = window.session.document
    assert document is not None
    tree = document.tree
    document.edit("Set shares", [SetShares.of(tree.find("root/physics/hep").id, 7)])

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox) or box in boxes:
            return
        if not box.isActiveWindow():
            box.activateWindow()
            return
        boxes.append(box)
        asked.append(box.text())
        if len(asked) == 1:
            document.edit("Set shares", [SetShares.of(tree.find("root/bio").id, 8)])
            QTest.keyClick(box, Qt.Key.Key_D, Qt.KeyboardModifier.AltModifier)
        else:
            QTest.keyClick(box, Qt.Key.Key_Escape)

    timer = QTimer(window)
    timer.timeout.connect(press)
    timer.start(10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window.files, "questions", Questions(window))
        assert not window.files.close()
    timer.stop()
    assert len(set(asked)) == 2
    assert window.session.document is document


def test_what_is_staged_is_saved_as_a_copy_only(
    cluster_window: ConsoleWindow, answers: Answers, tmp_path: Path
) -> None:
    document = cluster_window.session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.find("root/physics/hep").id, 7)])
    assert not cluster_window.table.trigger("save")
    answers.to_save = (tmp_path / "copy.yaml", 0)
    assert cluster_window.table.trigger("save_as")
    assert read_scenario(tmp_path / "copy.yaml").tree.find("root/physics/hep").shares == 7
    assert document.path is None
    assert cluster_window.isWindowModified()


def test_welcome_offers_recent_clusters(qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget) -> None:
    empty_window.session.preferences.set_value("workspace", "design")
    empty_window.clusters.connections.make = lambda _: play
    empty_window.clusters.connections.recent.add(("ssh", "login1"), "big")
    empty_window.show_workspace("design")
    row = next(one for one in empty_window.findChildren(Row) if one.text() == "big")
    with qtbot.waitSignal(empty_window.session.document_changed):
        QTest.mouseClick(row, Qt.MouseButton.LeftButton)
    assert empty_window.session.offer(CLUSTER) is not None
