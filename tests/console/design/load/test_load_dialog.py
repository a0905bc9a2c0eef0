from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.app.load.plan import plan_of
from fsconsole.console.design.load.dialog import LoadDialog
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.live.machine.planned_load import PlannedLoad
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Demand, DemandReport
from fsconsole.shares.scenario.write import write_text
from fsconsole.text.words import count_words
from tests.texts import says, wording

T = TypeVar("T", bound=QWidget)
SACCT = """JobID|JobIDRaw|User|Account|Submit|Start|End|ElapsedRaw|AllocCPUS|State
1|1|p2101|x|2026-11-20T08:00:00|2026-11-20T08:10:00|2026-11-20T09:10:00|3600|2|COMPLETED
2|2|zoe|x|2026-11-20T09:00:00|2026-11-20T09:00:00|2026-11-20T09:10:00|600|1|COMPLETED
"""


def child(parent: QWidget, kind: type[T]) -> T:
    found = [one for one in parent.findChildren(kind) if one.isVisible()]
    assert found
    return found[-1]


def open_dialog(qtbot: QtBot, workspace: DesignWorkspace, action: str) -> LoadDialog:
    workspace.table.refresh()
    workspace.table.trigger(action)
    dialog = child(workspace, LoadDialog)
    qtbot.waitUntil(lambda: dialog.is_ready)
    return dialog


def keep(qtbot: QtBot, dialog: LoadDialog) -> None:
    qtbot.waitUntil(lambda: dialog.is_ready)
    QTest.mouseClick(dialog.buttons.verb, Qt.MouseButton.LeftButton)


def test_a_tree_without_work_is_simulated_with_load_that_can_be_edited_again(
    qtbot: QtBot, window: ConsoleWindow, workspace: DesignWorkspace, document: Document
) -> None:
    dialog = open_dialog(qtbot, workspace, "simulate")
    dialog.each.fill(2)
    dialog.profile.fill("office")
    dialog.profile.activated.emit(1)  # hours of a day are not seen in 20 min
    assert dialog.length.read() == 86400.0
    qtbot.waitUntil(lambda: "3 users with work in 1 d" in dialog.report)
    keep(qtbot, dialog)
    qtbot.waitUntil(lambda: workspace.session.is_running)
    workspace.session.pause()
    made = document.scenario
    text = write_text(made)
    assert write_text(parse_scenario(text)) == text
    assert made.plot.until_s == 86400
    target = workspace.session.target
    assert target is not None
    assert any(event.is_planned or event.time_s == 0 for event in target.events())
    window.show_workspace("observe")
    lane = child(window, PlannedLoad)
    assert lane.most == 6
    assert says(lane.describe(60.0), "console.kit.of-requested", asked="6.0", cpus="1 processor")

    window.show_workspace("design")
    again = open_dialog(qtbot, workspace, "plan_load")
    assert (again.source.read(), again.each.read(), again.profile.read()) == ("same", 2, "office")
    again.source.fill("planned")
    again.planned_table.select((0, 1))  # the afternoon and the next morning of one user
    QTest.mouseClick(again.remove, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: again.is_ready and "2 users" in again.report)
    keep(qtbot, again)
    assert len([1 for found in plan_of(document.scenario).sessions.values() if found]) == 2
    document.stack.undo()
    assert document.scenario == made
    document.stack.undo()
    assert not document.scenario.logins
    assert not document.scenario.events


@pytest.mark.usefixtures("document")
def test_enter_right_after_a_number_keeps_the_plan_with_it(qtbot: QtBot, workspace: DesignWorkspace) -> None:
    dialog = open_dialog(qtbot, workspace, "plan_load")
    dialog.each.setFocus()
    dialog.each.selectAll()
    QTest.keyClicks(dialog.each, "5")
    assert not dialog.is_ready
    with qtbot.waitSignal(dialog.planned):
        QTest.keyClick(dialog.each, Qt.Key.Key_Return)
    again = open_dialog(qtbot, workspace, "plan_load")
    assert again.each.read() == 5


def test_what_removed_users_had_planned_is_left_out(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    dialog = open_dialog(qtbot, workspace, "plan_load")
    keep(qtbot, dialog)
    document.edit("Remove", [Remove(document.tree.find("p2101").id)])
    again = open_dialog(qtbot, workspace, "plan_load")
    again.source.fill("planned")
    assert [again.planned_table.rows.cells(row)[0] for row in again.planned_table.rows.rows] == [
        "p2104",
        "p2107",
    ]


def test_simulate_can_go_without_load(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    dialog = open_dialog(qtbot, workspace, "simulate")
    skip = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Run without load")
    QTest.mouseClick(skip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workspace.session.is_running)
    workspace.session.pause()
    assert not document.stack.count()


def test_a_trace_shows_what_is_matched_and_what_is_lost_before_it_is_kept(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    path = tmp_path / "t.psv"
    path.write_text(SACCT, "utf-8")
    dialog = open_dialog(qtbot, workspace, "plan_load")
    dialog.source.choose("trace")
    assert not dialog.is_ready
    QTest.keyClicks(dialog.trace.file, str(path))
    QTest.keyClick(dialog.trace.file, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.is_ready)
    user = count_words(1, "user")
    matched = f"{user} " + wording("app.load.matched-by-name")
    assert says(dialog.report, "app.load.of-cpu-time", names=matched, jobs="1 job", part="92.3\xa0%")
    lost = wording("app.load.of-cpu-time", names=f"{user} left out", jobs="1 job", part="7.7\xa0%")
    assert lost + " (zoe)" in dialog.report
    model = dialog.trace.matches.rows
    assert [model.cells(row)[3] for row in model.rows] == ["p2101", "leave out"]
    assert not model.setData(model.index(1, 3), "nowhere")
    assert model.setData(model.index(1, 3), "p2104")
    qtbot.waitUntil(lambda: "1 user matched by hand" in dialog.report)
    keep(qtbot, dialog)
    names = {document.tree.node(one.node).name for one in plan_of(document.scenario).all()}
    assert names == {"p2101", "p2104"}


def test_a_trace_that_shares_no_name_with_the_tree_is_dealt_out_at_first(
    qtbot: QtBot, workspace: DesignWorkspace, tmp_path: Path
) -> None:
    path = tmp_path / "t.psv"
    path.write_text(SACCT.replace("p2101", "yan"), "utf-8")
    dialog = open_dialog(qtbot, workspace, "plan_load")
    dialog.source.choose("trace")
    QTest.keyClicks(dialog.trace.file, str(path))
    QTest.keyClick(dialog.trace.file, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "2 users without a match: assigned" in dialog.report)
    assert dialog.trace.rest.read()
    dialog.trace.rest.setCurrentIndex(0)
    dialog.trace.rest.activated.emit(0)
    qtbot.waitUntil(lambda: "2 users left out" in dialog.report)  # what is chosen stays


@pytest.mark.parametrize("text", ["no trace at all", "1 2 3\n"])
def test_a_file_that_is_not_a_trace_says_so(
    qtbot: QtBot, workspace: DesignWorkspace, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "t.swf"
    path.write_text(text, "utf-8")
    dialog = open_dialog(qtbot, workspace, "plan_load")
    dialog.source.choose("trace")
    dialog.trace.file.fill(str(path))
    dialog.trace.read_trace()
    about = dialog.trace.about
    qtbot.waitUntil(lambda: "t.swf" in about.text() and "Reading" not in about.text())
    assert not dialog.buttons.verb.isEnabled()


def test_demands_of_a_report_become_load(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    air_force = document.tree.find("Air Force").id
    document.keep_report(DemandReport("May", (Demand(air_force, 0.3),)))
    dialog = open_dialog(qtbot, workspace, "plan_load")
    dialog.source.choose("demands")
    qtbot.waitUntil(lambda: dialog.is_ready and "0.3 times what 1 processor" in dialog.report)
    keep(qtbot, dialog)
    assert len(document.scenario.workloads) == 3
    assert replace(document.scenario, workloads=(), logins=()).events == ()
