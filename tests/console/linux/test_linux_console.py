"""The console on control groups: on folders like the kernel's, driven as a person does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.linux import window_integration
from fsconsole.console.linux.dialogs import ApplyDialog, AssignDialog, MemoryDialog, ReleaseDialog
from fsconsole.console.linux.notices import LeftGroupsNotice, LinuxFailedNotice
from fsconsole.console.linux.session import LINUX, LinuxSession
from fsconsole.console.live.linux.groups_panel import least_weight_words
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.linux.hierarchy import ControlGroupsError
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import PLAYBACK
from fsconsole.targets.linux import target as target_module
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.state import Memory
from fsconsole.targets.linux.target import LinuxTarget
from tests.console.conftest import Answers, notice_of
from tests.linux.control_groups import FileGroups, put_process, removable
from tests.texts import says, wording

__all__ = ["removable"]
T = TypeVar("T", bound=QDialog)


@pytest.fixture
def groups(tmp_path: Path, removable: None) -> FileGroups:
    return FileGroups(tmp_path)


@pytest.fixture
def linux_window(
    qtbot: QtBot,
    window: ConsoleWindow,
    groups: FileGroups,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[ConsoleWindow]:
    """Convex series 1, opened on folders like control groups by the target box's menu."""
    monkeypatch.setattr(target_module, "WINDOW_S", 1000.0)  # rates stay, however slow this machine is

    def make(tree: ShareTree) -> LinuxTarget:
        log = tmp_path / "audit.jsonl"
        return LinuxTarget(
            lambda changed: GroupsWorker(groups, tree, changed, log=log, sys=tmp_path), period_s=0.1
        )

    controller = window.linux.controller
    controller.make = make
    controller.look_for_left = list
    box = window.frame.bar.target
    box.menu.aboutToShow.emit()
    entry = next(
        action for action in box.menu.actions() if "machine (Linux)" in action.text().replace("&", "")
    )
    entry.trigger()
    qtbot.waitUntil(lambda: window.session.offer(LINUX) is not None)
    yield window
    window.session.close_target()


def linux_of(window: ConsoleWindow) -> LinuxSession:
    found = window.session.offer(LINUX)
    assert found is not None
    return found


def dialog_of(kind: type[T]) -> T:
    found = [one for one in QApplication.topLevelWidgets() if isinstance(one, kind) and one.isVisible()]
    assert len(found) == 1
    return found[0]


def _has_memory(linux: LinuxSession, wanted: bool) -> bool:
    return (linux.state.memory is not None) == wanted


def apply(qtbot: QtBot, window: ConsoleWindow) -> None:
    linux = linux_of(window)
    if not linux.arming.is_armed:
        window.table.trigger("linux.arm")
    qtbot.waitUntil(lambda: linux.count > 0)
    window.table.trigger("linux.apply")
    dialog = dialog_of(ApplyDialog)
    qtbot.waitUntil(dialog.verb.isEnabled)
    with qtbot.waitSignal(linux.acted):
        dialog.verb.click()
    qtbot.waitUntil(lambda: linux.state.is_applied and linux.count == 0)


def test_nothing_is_written_before_it_is_armed_and_confirmed(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups
) -> None:
    linux, top = linux_of(linux_window), groups.hierarchy.cpu / "fsconsole"
    qtbot.waitUntil(lambda: linux.count > 0)
    document = linux_window.session.document
    assert document is not None
    # The document stays, its file too.
    assert document.name == "convex-series-1.yaml"
    assert not linux_window.session.shows(PLAYBACK)
    assert linux_window.frame.bar.target.name == wording("targets.linux.this-machine-linux")
    QTest.keyClick(linux_window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    dialog = dialog_of(ApplyDialog)
    assert dialog.steps.toPlainText().splitlines() == list(linux.pending.lines)
    assert says(
        dialog.steps.toPlainText().splitlines()[0],
        "linux.write-to-2",
        value="+cpu",
        path=f"{top.parent}/cgroup.subtree_control",
    )
    assert says(dialog.below.text(), "linux.not-run-on-real-kernel")
    assert not dialog.verb.isEnabled()
    assert "read-only" in dialog.problem.text()
    assert not top.exists()
    linux_window.table.trigger("linux.arm")
    assert dialog.verb.isEnabled()
    with qtbot.waitSignal(linux.acted):
        dialog.verb.click()
    qtbot.waitUntil(lambda: linux.state.is_applied and linux.count == 0)
    weights = {name: (top / name / "cpu.weight").read_text() for name in ("gr1", "gr1/u11", "gr2/u23")}
    assert weights["gr1/u11"] == weights["gr2/u23"] == "100"
    assert not linux_window.table.qaction("linux.apply").isEnabled()


def test_only_the_steps_on_screen_are_done(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups
) -> None:
    apply(qtbot, linux_window)
    linux, document = linux_of(linux_window), linux_window.session.document
    assert document is not None
    document.edit("Set shares", (SetShares.of(document.tree.find("u12").id, 50),))
    qtbot.waitUntil(lambda: linux.count == 1)
    linux_window.table.trigger("linux.apply")
    dialog = dialog_of(ApplyDialog)
    weight = groups.hierarchy.cpu / "fsconsole/gr1/u11/cpu.weight"
    qtbot.waitUntil(dialog.verb.isEnabled)
    weight.write_text("400\n")
    dialog.verb.click()
    qtbot.waitUntil(lambda: says(dialog.problem.text().lower(), "linux.nothing-was-changed-steps-have"))
    assert weight.read_text() == "400\n"
    dialog.reject()


def test_an_edit_in_design_becomes_a_weight_once_applied(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups
) -> None:
    apply(qtbot, linux_window)
    session, linux = linux_window.session, linux_of(linux_window)
    document = session.document
    assert document is not None
    linux_window.show_workspace("design")
    assert "linux.apply" in linux_window.workspace("design").tool_bar_ids()
    node = document.tree.find("u12").id
    document.edit("Set shares", (SetShares(((node, 50),)),))
    qtbot.waitUntil(lambda: linux.count == 1)
    assert linux.pending.nodes == {node}
    file = groups.hierarchy.cpu / "fsconsole/gr1/u12/cpu.weight"
    assert file.read_text().strip() == "100"
    apply(qtbot, linux_window)
    assert file.read_text() == "50"
    document.stack.undo()
    qtbot.waitUntil(lambda: linux.count == 1)
    assert any("only child" in problem.text for problem in linux.problems())


def test_rates_stand_beside_shares_in_observe(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups
) -> None:
    apply(qtbot, linux_window)
    linux, target = linux_of(linux_window), linux_of(linux_window).source
    tree = linux.document.tree
    linux_window.show_workspace("observe")
    qtbot.waitUntil(lambda: len(target.series) > 0)
    node = tree.find("u11").id
    groups.charge(tree, {"u11": 0.3, "u21": 0.1})
    qtbot.waitUntil(lambda: bool(target.at().values("cpu_rate", (node,))[0] > 0))
    assert target.at().values("cpu_rate", (node,))[0] == pytest.approx(0.75, abs=0.01)
    assert target.at().values("allocated_share", (node,))[0] == pytest.approx(0.5)
    live = linux_window.workspace("observe")
    assert isinstance(live, LiveWorkspace)
    qtbot.waitUntil(lambda: len(live.linux.groups.model.rows) == len(tree) - 1)
    row = live.linux.groups.model.rows[live.linux.groups.model.row_of(node)]
    assert live.linux.groups.model.cells(row)[:4] == ("root/gr1/u11", "100", "100", "")
    assert live.linux.head.chip.text == "In force"
    assert says(live.linux.head.words.text().replace("&nbsp;", " "), "console.live.linux.weights-by-shares")


def test_processes_are_assigned_by_number_and_a_wrong_one_is_reported(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups, tmp_path: Path
) -> None:
    apply(qtbot, linux_window)
    put_process(tmp_path / "proc", 4711)
    linux, session = linux_of(linux_window), linux_window.session
    session.select((linux.document.tree.find("u21").id,))
    linux_window.table.refresh()
    linux_window.table.trigger("linux.assign")
    dialog = dialog_of(AssignDialog)
    assert dialog.what.text() == "u21"
    dialog.kind.choose("pids")
    dialog.kind.chosen.emit("pids")
    dialog.what.setText("47x")
    assert says(dialog.problem.text(), "console.linux.is-not-process-id-enter", word="'47x'")
    dialog.what.setText("4712")
    with qtbot.waitSignal(linux.refused):
        dialog.verb.click()
    assert says(dialog.problem.text(), "linux.process-it-does-not-exist", pid="4712")
    dialog.what.setText("4711")
    with qtbot.waitSignal(linux.acted):
        dialog.verb.click()
    assert (groups.hierarchy.cpu / "fsconsole/gr2/u21/cgroup.procs").read_text() == "4711"
    put_process(tmp_path / "proc", 4720, parent=4711)
    put_process(tmp_path / "proc", 4721, parent=4720)
    for with_started, text in ((False, "1 process moved"), (True, "3 processes moved")):
        linux_window.table.trigger("linux.assign")
        dialog = dialog_of(AssignDialog)
        dialog.kind.choose("pids")
        dialog.kind.chosen.emit("pids")
        dialog.what.setText("4711")
        dialog.started.setChecked(with_started)
        with qtbot.waitSignal(linux.acted) as acted:
            dialog.verb.click()
        assert acted.args is not None
        assert str(acted.args[0]).startswith(text)


def test_a_memory_begins_and_ends_and_release_takes_all_back(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups, answers: Answers
) -> None:
    apply(qtbot, linux_window)
    linux = linux_of(linux_window)
    for words, has_memory in (("Weigh by usage", True), ("Weigh by shares", False)):
        linux_window.table.trigger("linux.memory")
        dialog = dialog_of(MemoryDialog)
        assert dialog.verb.text().replace("&", "") == words
        with qtbot.waitSignal(linux.acted):
            dialog.verb.click()
        qtbot.waitUntil(partial(_has_memory, linux, has_memory))
    linux_window.table.trigger("linux.release")
    release = dialog_of(ReleaseDialog)
    with qtbot.waitSignal(linux.acted):
        release.verb.click()
    qtbot.waitUntil(lambda: not linux.state.is_applied)
    assert not (groups.hierarchy.cpu / "fsconsole").exists()
    linux_window.table.trigger("linux.simulate")
    assert linux_window.session.offer(LINUX) is None
    assert linux_window.session.shows(PLAYBACK)
    # Nothing was in force.
    assert answers.asked == []


def test_weights_by_usage_rest_while_the_console_is_read_only(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(qtbot, linux_window)
    linux, written = linux_of(linux_window), list[int]()
    monkeypatch.setattr(type(groups), "set_weights", lambda *_, **__: written.append(1))
    done = linux.worker.remember(Memory(half_life_s=60.0, delta_s=0.1), "op")
    qtbot.waitUntil(done.done)
    qtbot.waitUntil(lambda: bool(written))
    linux.arming.disarm()
    linux.worker.pending(linux.document.tree).result()  # What was being set is set.
    written.clear()
    before = linux.state.serial
    qtbot.waitUntil(lambda: linux.state.serial > before + 3)
    linux.worker.pending(linux.document.tree).result()
    assert not written
    assert linux.state.memory is not None
    linux.arming.arm()
    qtbot.waitUntil(lambda: bool(written))


def test_leaving_asks_what_becomes_of_groups_in_force(
    qtbot: QtBot, linux_window: ConsoleWindow, groups: FileGroups, answers: Answers
) -> None:
    apply(qtbot, linux_window)
    answers.answer = "cancel"
    linux_window.table.trigger("linux.simulate")
    assert [asked.split()[-1] for asked in answers.asked] == ["fsconsole"]
    assert linux_window.session.offer(LINUX) is not None
    linux = linux_of(linux_window)
    linux.arming.disarm("test")
    answers.answer = "save"
    linux_window.table.trigger("linux.simulate")
    assert answers.asked[-1].split()[-2:] == ["fsconsole,", "read-only"]
    assert linux_window.session.offer(LINUX) is None
    qtbot.waitUntil(lambda: not (groups.hierarchy.cpu / "fsconsole").exists())


def test_what_was_left_is_offered_at_the_start_and_released(
    qtbot: QtBot, window: ConsoleWindow, groups: FileGroups, answers: Answers, tmp_path: Path
) -> None:
    groups.apply(ShareTree())
    groups.let_go()
    controller = window.linux.controller
    controller.look_for_left = lambda: ["fsconsole"] if groups.is_applied() else []
    controller.make_worker = lambda _root: GroupsWorker(
        FileGroups(tmp_path), ShareTree(), lambda: None, log=tmp_path / "audit.jsonl"
    )
    notice = notice_of(window, LeftGroupsNotice)
    window.linux.controller.look()
    qtbot.waitUntil(notice.isVisible)
    assert notice.text == wording("console.linux.control-groups-of-are-still", roots="fsconsole")
    controller.release_left()
    assert answers.asked == ["release fsconsole"]
    assert groups.is_applied()
    answers.yes = True
    controller.release_left()
    qtbot.waitUntil(lambda: not notice.isVisible())
    assert not groups.is_applied()


def test_no_control_groups_and_no_permission_are_one_sentence(
    qtbot: QtBot, window: ConsoleWindow, groups: FileGroups, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def none(_tree: ShareTree) -> LinuxTarget:
        raise ControlGroupsError("control groups are not mounted here; Linux mounts them at /sys/fs/cgroup")

    controller = window.linux.controller
    controller.make = none
    window.table.trigger("linux.open")
    notice = notice_of(window, LinuxFailedNotice)
    qtbot.waitUntil(notice.isVisible)
    assert notice.text == (
        wording(
            "console.linux.cannot-open-tree-on-this", words=wording("linux.control-groups-are-not-mounted")
        )
    )
    assert window.session.shows(PLAYBACK)
    top = groups.hierarchy.cpu
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != top)
    controller.make = lambda tree: LinuxTarget(
        lambda changed: GroupsWorker(groups, tree, changed, log=tmp_path / "audit.jsonl")
    )
    window.table.trigger("linux.open")
    qtbot.waitUntil(lambda: window.session.offer(LINUX) is not None)
    window.table.refresh()
    assert not window.table.qaction("linux.arm").isEnabled()
    assert linux_of(window).state.fixed == wording("linux.is-not-writable-only-root-2", folder=top)
    window.session.close_target()


def test_other_systems_have_no_control_groups(window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.table.refresh()
    assert window.table.qaction("linux.open").isEnabled()
    monkeypatch.setattr(window_integration, "has_control_groups", lambda: False)
    window.table.refresh()
    assert not window.table.qaction("linux.open").isEnabled()
    assert says(window.table.qaction("linux.open").toolTip(), "console.linux.control-groups-need-linux")


def test_a_group_without_processes_below_is_idle(linux_window: ConsoleWindow) -> None:
    """A great share with the least weight would read as a fault."""
    tree = linux_of(linux_window).document.tree
    group = next(node for node in tree.walk() if node.is_group and node.parent is not None)
    user = next(node for node in tree.walk(group.id) if not node.is_group)
    other = next(node for node in tree.walk() if not node.is_group and node.parent != group.id)
    idle = "idle: has the lowest weight until a process runs in it"
    assert least_weight_words(tree, group.id, {other.id: 1, user.id: 0}) == idle
    used = "lowest weight by usage: inactive, or far above its share"
    assert least_weight_words(tree, group.id, {other.id: 1, user.id: 2}) == used
    # Not read yet.
    assert least_weight_words(tree, user.id, {}) == used
