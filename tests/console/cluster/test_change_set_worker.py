"""Edits of a cluster's tree: staged, shown, taken back, applied, kept, and met by those of others."""

from __future__ import annotations

import json
import shlex
from concurrent.futures import Future
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.app.cluster.saved_edits import SavedEdits, edits_of, rows_of
from fsconsole.app.cluster.tree_diff import differing, differing_after, reverting, reverting_all
from fsconsole.console.cluster.apply_dialog import READ_ONLY, ApplyDialog
from fsconsole.console.cluster.change_panel import ChangeSetPanel
from fsconsole.console.cluster.change_set_worker import STAGING, ChangeSetWorker
from fsconsole.console.cluster.gains_panel import GainsPanel
from fsconsole.console.cluster.notices import CheckedNotice, UnfinishedNotice
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.console.notices import ConflictNotice
from fsconsole.console.widgets import late_input
from fsconsole.console.widgets.dock_states import ErrorStrip
from fsconsole.console.widgets.late_input import JUST_CHANGED, READ_S
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.diff import diff
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares, apply_all
from fsconsole.shares.foreign import takes_parents_shares, with_parents_shares
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError
from fsconsole.slurm.change_set import Change, ChangeSet, Verb
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.remote_edits import news
from fsconsole.targets.external_changes import OutsideChange
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.base import RUNNING, SENT, Progress, Step
from fsconsole.targets.slurm.change_set_applier import apply
from fsconsole.targets.slurm.link_words import at
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.state import Link, PartName
from tests.console.cluster.play import (
    NOW_S,
    PlayTarget,
    cluster_state,
    cluster_tree,
    parts_failed,
    parts_read,
)
from tests.console.conftest import Answers
from tests.slurm.pretend import Database
from tests.texts import says, wording

HEP, ANNA = "root/physics/hep", "root/physics/hep/fs_anna"


def staging_of(window: ConsoleWindow) -> ChangeSetWorker:
    staging = window.session.offer(STAGING)
    assert staging is not None
    return staging


def document_of(window: ConsoleWindow) -> Document:
    assert window.session.document is not None
    return window.session.document


def node(window: ConsoleWindow, path: str) -> int:
    return document_of(window).tree.find(path).id


def set_shares(window: ConsoleWindow, path: str, shares: int) -> None:
    document_of(window).edit("Set shares", [SetShares.of(node(window, path), shares)])


def look(window: ConsoleWindow) -> None:
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()


def settle(qtbot: QtBot, window: ConsoleWindow) -> ChangeSetWorker:
    """Wait until the change set is that of the newest edit."""
    staging = staging_of(window)
    qtbot.waitUntil(lambda: not staging.is_working)
    return staging


def rows(panel: ChangeSetPanel) -> list[tuple[str, ...]]:
    model = panel.model
    return [
        tuple(str(model.index(row, column).data()) for column in range(4)) for row in range(model.rowCount())
    ]


def panel_of(window: ConsoleWindow, kind: type) -> object:
    found: object = window.workspace("design").findChild(kind)
    if isinstance(found, ChangeSetPanel | GainsPanel):
        QAbstractItemModelTester(
            found.model, QAbstractItemModelTester.FailureReportingMode.Fatal, found.model
        )
    return found


# -- pure ---------------------------------------------------------------------------------------------------


@st.composite
def edited(draw: st.DrawFn) -> tuple[ClusterTree, ShareTree]:
    """The lab's tree, and a copy with some edits."""
    tree = cluster_tree()
    wanted = tree.shares.copy()
    for number in range(draw(st.integers(0, 6))):
        nodes = [one for one in wanted.walk() if one.parent is not None]
        if not nodes:
            break
        chosen = draw(st.sampled_from(nodes))
        groups = [one for one in wanted.walk() if one.is_group]
        above = draw(st.sampled_from(groups))
        new = Node(
            wanted.next_id,
            f"new{number}",
            draw(st.integers(0, 50)),
            draw(st.sampled_from((Kind.USER, Kind.GROUP))),
        )
        edits: tuple[Edit, ...] = (
            SetShares.of(chosen.id, draw(st.integers(0, 99))),
            Remove(chosen.id),
            Move(chosen.id, above.id, 0),
            Insert(above.id, 0, (new,)),
            SetField(chosen.id, "foreign", with_parents_shares(chosen.foreign, on=draw(st.booleans()))),
        )
        edit = edits[draw(st.integers(0, 4))]
        try:
            edit.apply(wanted)
        except TreeError:
            continue
    return tree, wanted


@given(edited())
def test_what_differs_is_found_and_reverting_all_takes_it_away(case: tuple[ClusterTree, ShareTree]) -> None:
    tree, wanted = case
    back = wanted.copy()
    apply_all(back, reverting_all(tree.shares, wanted))
    assert differing(tree.shares, back) == ()
    assert bool(differing(tree.shares, wanted)) == bool(rows_of(tree, wanted))


@given(edited(), edited())
def test_what_differs_after_an_edit_is_what_differs(
    case: tuple[ClusterTree, ShareTree], other: tuple[ClusterTree, ShareTree]
) -> None:
    tree, wanted = case
    before = differing(tree.shares, wanted)
    edits = diff(wanted, other[1])
    apply_all(wanted, edits)
    assert set(differing_after(tree.shares, wanted, before, edits)) == set(differing(tree.shares, wanted))


@given(edited())
def test_reverting_node_by_node_takes_everything_away(case: tuple[ClusterTree, ShareTree]) -> None:
    tree, wanted = case
    for _ in range(len(differing(tree.shares, wanted)) + 1):
        for one in differing(tree.shares, wanted):
            for edit in reverting(tree.shares, wanted, one):
                edit.apply(wanted)
    assert differing(tree.shares, wanted) == ()


@given(edited())
def test_what_is_kept_stages_the_same_again(case: tuple[ClusterTree, ShareTree]) -> None:
    """Whatever the node ids: those of another reading are others."""
    tree, wanted = case
    text = json.dumps(rows_of(tree, wanted))
    again = tree.shares.copy()
    edits, lost = edits_of(SavedEdits(None, tuple(json.loads(text))), tree, again)  # type: ignore[arg-type]
    apply_all(again, edits)
    assert lost == 0
    assert paths(again) == paths(wanted)


def paths(tree: ShareTree) -> dict[str, tuple[int | str, str]]:
    return {
        tree.path(one.id): ("parent" if takes_parents_shares(one) else one.shares, str(one.kind))
        for one in tree.walk()
    }


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"do": "shares"},
        {"do": "shares", "key": 3},
        {"do": "remove", "key": ["x", "", ""]},
        {"do": "?", "key": ["hep", "", ""]},
    ],
)
def test_damaged_rows_are_lost_and_no_more(row: dict[str, object]) -> None:
    tree = cluster_tree()
    assert edits_of(SavedEdits(None, (row,)), tree, tree.shares) == ([], 1)  # type: ignore[arg-type]


# -- in the window ------------------------------------------------------------------------------------------


def test_an_edit_stands_in_the_change_set_with_its_command(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    staging = settle(qtbot, cluster_window)
    panel = panel_of(cluster_window, ChangeSetPanel)
    assert isinstance(panel, ChangeSetPanel)
    qtbot.waitUntil(lambda: len(rows(panel)) == 1)
    assert rows(panel) == [("Set shares", "hep", "3 shares", "7 shares")]
    command = staging.staged.changes.changes[0].command
    assert command[:2] == ("sacctmgr", "-i")
    assert "cluster=lab" in command
    assert play.staged is not None
    assert play.staged.find(HEP).shares == 7
    assert cluster_window.isWindowModified()
    assert not play.applied


def test_who_gains_and_loses_is_predicted(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    set_shares(cluster_window, ANNA, 100)
    settle(qtbot, cluster_window)
    panel = panel_of(cluster_window, GainsPanel)
    assert isinstance(panel, GainsPanel)
    qtbot.waitUntil(lambda: bool(panel.model.rows))
    by_name = {gain.name: gain.difference for gain in panel.model.rows}
    assert by_name[wording("slurm.in-2", user="fs_anna", account="hep")] > 0
    assert by_name[wording("slurm.in-2", user="fs_ben", account="hep")] < 0
    assert "1 gain" in panel.summary
    assert wording("slurm.in-2", user="fs_finn", account="genomics") not in by_name


def in_rows(panel: GainsPanel) -> dict[str, tuple[str, ...]]:
    """Columns of each row, by the association."""
    model = panel.model
    cells = [
        [str(model.index(row, at).data()) for at in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
    return {row[0]: tuple(row[1:]) for row in cells}


def test_every_view_of_design_names_the_same_fairshares(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    """While jobs run, the next calculation differs from the last one without any change."""
    standing = play.now.standing
    assert standing is not None
    lagging = replace(standing.printed, fairshare=standing.printed.fairshare * 0.9)
    play.publish(standing=replace(standing, printed=lagging))
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()
    anna = node(cluster_window, ANNA)
    set_shares(cluster_window, ANNA, 100)
    settle(qtbot, cluster_window)
    panel, changes = panel_of(cluster_window, GainsPanel), panel_of(cluster_window, ChangeSetPanel)
    tree = cluster_window.workspace("design").findChild(ShareTreeView)
    assert isinstance(panel, GainsPanel)
    assert isinstance(changes, ChangeSetPanel)
    assert isinstance(tree, ShareTreeView)
    printed = float(lagging.fairshare[anna])
    cell = tree.index_of(anna, Column.FAIRSHARE)
    qtbot.waitUntil(lambda: f"{printed:.6f} →" in str(cell.data()))
    last, unchanged, changed, difference = in_rows(panel)[
        wording("slurm.in-2", user="fs_anna", account="hep")
    ]
    assert float(last) == pytest.approx(printed, abs=1e-6)
    assert float(unchanged) != float(last)
    assert float(difference.replace("−", "-")) == pytest.approx(float(changed) - float(unchanged), abs=2e-6)
    shown = changes.model.index(0, changes.model.place("fairshare"))
    assert str(cell.data()).lstrip("~") == str(shown.data())
    assert str(shown.data()).split() == [last, "→", changed]
    for index in (cell, shown):
        tip = str(index.data(Qt.ItemDataRole.ToolTipRole))
        assert says(tip, "console.cluster.last-calculated-sshare", last=last)
        assert says(tip, "console.cluster.next-calculation-unchanged", before=unchanged)
        assert says(tip, "console.cluster.next-calculation-with-changes", after=changed)


def test_hold_in_observe_leaves_design_alone(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    cluster, standing = cluster_window.session.offer(CLUSTER), play.now.standing
    assert cluster is not None
    assert standing is not None
    tree = cluster_window.workspace("design").findChild(ShareTreeView)
    assert isinstance(tree, ShareTreeView)
    cell = tree.index_of(node(cluster_window, ANNA), Column.FAIRSHARE)
    qtbot.waitUntil(lambda: str(cell.data()).startswith("0."))
    cluster_window.show_workspace("observe")
    assert cluster_window.table.trigger("observe.hold")
    cluster_window.show_workspace("design")
    before = str(cell.data())
    halved = replace(standing.printed, fairshare=standing.printed.fairshare / 2)
    play.publish(standing=replace(standing, printed=halved))
    cluster.look()
    qtbot.waitUntil(lambda: str(cell.data()) != before)
    assert float(str(cell.data()).lstrip("~")) == pytest.approx(float(before.lstrip("~")) / 2, abs=1e-6)


def test_apply_reads_again_and_names_the_usage_that_the_forecast_rests_on(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    settle(qtbot, cluster_window)
    shown = apply_dialog(qtbot, cluster_window, armed=False)
    assert {PartName.TREE, PartName.USAGE} <= set(play.refreshed[-1])
    assert says(shown.below.text(), "app.cluster.fairshare-is-predicted-from-usage", usage_s=at(NOW_S))
    play.publish(parts=parts_failed("slurmctld does not respond"))
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()
    assert says(shown.below.text(), "targets.slurm.does-not-respond-2", who="slurmctld")


def test_rows_are_taken_back_one_by_one(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    set_shares(cluster_window, HEP, 7)
    set_shares(cluster_window, ANNA, 25)
    settle(qtbot, cluster_window)
    panel = panel_of(cluster_window, ChangeSetPanel)
    assert isinstance(panel, ChangeSetPanel)
    qtbot.waitUntil(lambda: len(rows(panel)) == 2)
    row = next(at for at, one in enumerate(rows(panel)) if one[1] == "hep")
    panel.table.setCurrentIndex(panel.model.index(row, 0))
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert document_of(cluster_window).tree.find(HEP).shares == 3
    assert document_of(cluster_window).tree.find(ANNA).shares == 25
    cluster_window.table.trigger("undo")
    assert document_of(cluster_window).tree.find(HEP).shares == 7
    assert cluster_window.table.trigger("cluster.revert")
    settle(qtbot, cluster_window)
    assert not cluster_window.isWindowModified()
    assert not cluster_window.table.trigger("cluster.apply")


def test_what_slurm_cannot_do_is_reported_and_keeps_apply_shut(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    document_of(cluster_window).edit("Rename", [Rename(node(cluster_window, HEP), "hep2")])
    settle(qtbot, cluster_window)
    panel = panel_of(cluster_window, ChangeSetPanel)
    assert isinstance(panel, ChangeSetPanel)
    qtbot.waitUntil(lambda: len(rows(panel)) == 1)
    assert says(
        rows(panel)[0][0],
        "console.cluster.cannot-be-applied",
        on="hep",
        why=wording("slurm.slurm-cannot-rename-account-restore", key="hep", name="hep2", key_2="hep"),
    )
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    assert not dialog.apply.isEnabled()


def apply_dialog(qtbot: QtBot, window: ConsoleWindow, *, armed: bool) -> ApplyDialog:
    settle(qtbot, window)
    assert window.table.trigger("cluster.apply")
    found = [one for one in window.findChildren(ApplyDialog) if one.isVisible()][-1]
    if armed:
        QTest.mouseClick(found.arm, Qt.MouseButton.LeftButton)
    return found


def type_shares(qtbot: QtBot, window: ConsoleWindow, path: str, text: str) -> ShareTreeView:
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    window.show_workspace("design")
    view, one = design.tree_view, node(window, path)
    view.setCurrentIndex(view.index_of(one, Column.SHARES))
    view.setFocus()
    view.edit(view.index_of(one, Column.SHARES))
    editor = view.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, text)
    with qtbot.waitSignal(document_of(window).edited):
        QTest.keyClick(editor, Qt.Key.Key_Return)
    return view


def last_words(staging: ChangeSetWorker) -> list[str]:
    return [change.command[-1] for change in staging.staged.changes.changes]


def test_parent_is_typed_as_shares(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    view = type_shares(qtbot, cluster_window, HEP, "parent")
    staging = settle(qtbot, cluster_window)
    assert last_words(staging) == ["fairshare=parent"]
    assert view.index_of(node(cluster_window, HEP), Column.SHARES).data() == "parent"
    type_shares(qtbot, cluster_window, HEP, "0")  # which is another thing
    assert [one.command[-1] for one in settle(qtbot, cluster_window).staged.changes.changes] == [
        "fairshare=0"
    ]
    staging.revert_all()
    settle(qtbot, cluster_window)
    assert staging.nodes == ()
    assert cluster_window.table.trigger("undo")
    assert len(settle(qtbot, cluster_window).staged.changes.changes) == 1


@pytest.mark.parametrize("how", ["click", "Alt+A", "command"])
@pytest.mark.parametrize("behind", ["before", "one more"])
def test_a_plan_that_changes_behind_the_question_is_read_before_it_is_applied(
    qtbot: QtBot,
    cluster_window: ConsoleWindow,
    play: PlayTarget,
    monkeypatch: pytest.MonkeyPatch,
    behind: str,
    how: str,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(late_input, "monotonic", lambda: now_s[0])
    set_shares(cluster_window, HEP, 7)
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    shown = [dialog.model.cells(line) for line in dialog.model.rows]
    assert dialog.apply.isEnabled()
    if behind == "before":
        outside_shares(cluster_window, play, HEP, 5)
    else:
        set_shares(cluster_window, "root/ops", 70)
    settle(qtbot, cluster_window)
    qtbot.waitUntil(lambda: [dialog.model.cells(line) for line in dialog.model.rows] != shown)

    def answer() -> None:
        if how == "click":
            QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
        elif how == "Alt+A":
            QTest.keyClick(dialog, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
        else:
            dialog.do_it()

    answer()
    assert play.applied == []
    assert (dialog.apply.isEnabled(), dialog.apply.toolTip(), dialog.remark.text()) == (
        False,
        JUST_CHANGED,
        JUST_CHANGED,
    )
    expected = [line.what for line in dialog.model.rows]
    now_s[0] += READ_S
    qtbot.waitUntil(dialog.apply.isEnabled, timeout=5000)  # without another poll
    assert dialog.remark.text() == ""
    answer()
    qtbot.waitUntil(lambda: bool(play.applied))
    assert [*play.applied[0][0].changes] == expected


def test_nothing_is_applied_while_read_only(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    dialog = apply_dialog(qtbot, cluster_window, armed=False)
    assert not dialog.apply.isEnabled()
    assert dialog.apply.toolTip() == READ_ONLY
    dialog.do_it()
    assert play.applied == []
    QTest.mouseClick(dialog.arm, Qt.MouseButton.LeftButton)
    assert dialog.apply.isEnabled()
    assert dialog.apply.text().split() == ["&Apply", "1", "change"]
    QTest.keyClicks(dialog.focusWidget(), "asked for")  # Arm is gone, and what is typed next is the reason
    assert dialog.reason.text() == "asked for"


def test_a_dry_run_and_the_clipboard_have_the_commands(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    dialog = apply_dialog(qtbot, cluster_window, armed=False)
    QTest.mouseClick(dialog.dry, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert [one[3] for one in play.applied] == [True]
    assert dialog.model.index(0, dialog.model.place("result")).data() == "Dry run"
    qtbot.waitUntil(lambda: dialog.focusWidget() is dialog.reason)
    QTest.keyClicks(dialog.focusWidget(), "agreed")
    assert dialog.reason.text() == "agreed"
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    outer = shlex.split(QGuiApplication.clipboard().text().splitlines()[0])
    assert outer[:2] == ["ssh", "login1"]
    assert shlex.split(outer[2])[:5] == ["sacctmgr", "-i", "modify", "account", "where"]
    assert dialog.report is None


def test_what_comes_of_it_is_reported_row_by_row_and_can_be_rolled_back(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    set_shares(cluster_window, ANNA, 25)
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    denied = "Access/permission denied"
    first = dialog.model.rows[0].what
    answers = {first: (Result.DONE, "")}
    play.answer_change = lambda change: ChangeReport(change, *answers.get(change, (Result.REFUSED, denied)))
    QTest.keyClicks(dialog.reason, "agreed")
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    assert play.applied[-1][2:] == ("agreed", False)
    assert [dialog.model.index(row, dialog.model.place("result")).data() for row in range(2)] == [
        "Done",
        f"Refused: {denied}",
    ]
    assert dialog.remark.text().split(", ") == ["1 done", "1 refused."]
    assert dialog.isVisible()
    assert not dialog.apply.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_slurm_would_refuse_is_reported_before_anything_is_sent(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    jobs = (Job(job_id=4711, user="fs_anna", partition="batch", states=("RUNNING",), account="hep"),)
    play.publish(jobs=jobs)
    look(cluster_window)
    set_shares(cluster_window, HEP, 7)
    document_of(cluster_window).edit("Remove", [Remove(node(cluster_window, ANNA))])
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    assert dialog.obstacles.isVisible()
    where = wording("slurm.in-2", user="fs_anna", account="hep")
    assert says(dialog.obstacles.text(), "slurm.1-job-is-active-in", where=where, named="4711 running")
    assert dialog.apply.text().split() == ["&Apply", "1", "change"]
    QTest.mouseClick(dialog.insist, Qt.MouseButton.LeftButton, pos=QPoint(8, dialog.insist.height() // 2))
    assert dialog.apply.text().split() == ["&Apply", "2", "changes"]
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    assert [one.obstacle for one in play.applied[-1][0].changes] == ["", ""]


def test_the_keys_of_apply_act_in_the_tree_right_after_an_edit_and_say_why_not(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    view = type_shares(qtbot, cluster_window, HEP, "7")
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    (dialog,) = [one for one in cluster_window.findChildren(ApplyDialog) if one.isVisible()]
    dialog.reject()
    document_of(cluster_window).stack.undo()
    settle(qtbot, cluster_window)
    cluster_window.table.refresh()
    view.setFocus()
    with qtbot.waitSignal(cluster_window.session.message) as said:
        QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert said.args is not None
    assert says(said.args[0], "console.cluster.nothing-is-staged-edit-shares")


def test_a_tick_for_one_obstacle_is_void_for_another(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    def running(number: int, user: str) -> Job:
        return Job(job_id=number, user=user, partition="batch", states=("RUNNING",), account="hep")

    play.publish(jobs=(running(4711, "fs_anna"),))
    look(cluster_window)
    document = document_of(cluster_window)
    ben = next(one.id for one in document.tree.walk() if one.name == "fs_ben")
    for one in (node(cluster_window, ANNA), ben):
        document.edit("Remove", [Remove(one)])
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    dialog.insist.click()
    assert dialog.apply.text().split() == ["&Apply", "2", "changes"]
    where = document.tree.path(document.tree.find(HEP).id).rpartition("/")[2]
    play.publish(jobs=(running(4711, "fs_anna"), replace(running(4712, "fs_ben"), account=where)))
    look(cluster_window)
    assert not dialog.insist.isChecked()
    dialog.insist.click()
    play.publish(jobs=())
    look(cluster_window)
    assert (dialog.insist.isHidden(), dialog.insist.isChecked()) == (True, False)
    assert dialog.apply.text().split() == ["&Apply", "2", "changes"]


def test_a_default_account_that_goes_is_reported_before_anything_is_sent(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    play.defaults = {"fs_anna": "hep"}
    play.publish(jobs=())
    look(cluster_window)
    document_of(cluster_window).edit("Remove", [Remove(node(cluster_window, ANNA))])
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    qtbot.waitUntil(dialog.obstacles.isVisible)
    assert says(dialog.obstacles.text(), "slurm.is-default-account-of-so", account="hep", user="fs_anna")
    assert not dialog.apply.isEnabled()


@pytest.mark.parametrize("has_edit", [False, True])
def test_default_accounts_are_queried_again_with_each_reading_of_the_tree(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget, has_edit: bool
) -> None:
    play.defaults = {"fs_anna": "astro"}
    play.publish(jobs=())
    look(cluster_window)
    document_of(cluster_window).edit("Remove", [Remove(node(cluster_window, ANNA))])
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    assert dialog.apply.isEnabled()
    assert not dialog.obstacles.isVisible()
    play.defaults = {"fs_anna": "hep"}
    if has_edit:
        outside_shares(cluster_window, play, "root/ops", 77)
        settle(qtbot, cluster_window)
    else:
        play.publish(parts=parts_read(NOW_S + 30))
        look(cluster_window)
    qtbot.waitUntil(dialog.obstacles.isVisible)
    assert says(dialog.obstacles.text(), "slurm.is-default-account-of-so", account="hep", user="fs_anna")
    assert not dialog.apply.isEnabled()
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert play.applied == []


@pytest.mark.parametrize("insists", [False, True])
def test_what_changes_behind_the_dialog_is_not_sent(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget, insists: bool
) -> None:
    """The applier reads the cluster again; the consent holds for the job, not for the default account."""
    jobs = (Job(job_id=4711, user="fs_anna", partition="batch", states=("RUNNING",), account="hep"),)
    play.publish(jobs=jobs if insists else ())
    look(cluster_window)
    database = Database(cluster_tree())
    database.defaults["fs_anna"] = "hep"
    play.defaults = {"fs_anna": "astro"}
    play.answer_change = lambda change: apply(database, "lab", ChangeSet((change,))).rows[0]
    document_of(cluster_window).edit("Remove", [Remove(node(cluster_window, ANNA))])
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    if insists:
        dialog.insist.click()
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    (result,) = [row.result for row in dialog.report.rows] if dialog.report is not None else []
    assert result is Result.NOT_SENT
    shown = dialog.model.index(0, dialog.model.place("result")).data()
    assert says(shown, "slurm.is-default-account-of-so", account="hep", user="fs_anna")
    assert database.changing == []


def test_a_rollback_is_shown_before_it_is_done(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    done = dialog.model.rows[0].what
    assert isinstance(done, Change)
    back = replace(done, before="7 shares", after="3 shares")
    report = ApplyReport((ChangeReport(done, Result.DONE),), ChangeSet((back,)))
    dialog._take(report)
    dialog._refresh()
    assert dialog.back.text() == wording("console.cluster.roll-back", rollback="1 change")
    QTest.mouseClick(dialog.back, Qt.MouseButton.LeftButton)
    assert play.applied == []
    assert dialog.apply.text().split() == ["&Roll", "back", "1", "change"]
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    assert play.applied[-1][0] == ChangeSet((back,))


def test_unknown_results_are_said_so_and_checked_when_the_cluster_is_back(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    set_shares(cluster_window, ANNA, 25)
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    first = dialog.model.rows[0].what
    why = "Connection to login1 closed by remote host. Cannot read the stored associations"
    play.answer_change = lambda change: ChangeReport(
        change, *((Result.DONE, "") if change is first else (Result.UNKNOWN, why))
    )
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    assert dialog.heading.text() == (
        wording("app.cluster.of-on-unknown", unknown="1", count="2 results", cluster="lab", rest=", ")
        + "1 done"
    )
    assert not says(dialog.below.text(), "app.cluster.console-has-read-each-sent")
    assert why in dialog.below.text()
    assert dialog.queries.isVisible()
    second = dialog.model.rows[1].what
    assert isinstance(second, Change)
    expected = f"ssh login1 '{shlex.join(second.query)}'"
    assert dialog.queries.toPlainText() == expected
    assert dialog.remark.text().split(", ") == ["1 done", "1 unknown."]
    checked = Author("console").row(
        f"check {second.verb.lower()}", second.on, second.before, second.after, Result.DONE, "Read now: so"
    )
    play.publish(checked=(replace(checked, checks=NOW_S),))
    look(cluster_window)
    assert dialog.heading.text().removesuffix(" lab") == "Applied to"
    assert not dialog.queries.isVisible()
    (notice,) = cluster_window.findChildren(CheckedNotice)
    qtbot.waitUntil(notice.isVisible)
    assert " checked" + ": " + wording("targets.slurm.it-was-made") in " ".join(
        label.text() for label in notice.findChildren(QLabel)
    )
    QTest.mouseClick(notice.findChildren(QPushButton)[-1], Qt.MouseButton.LeftButton)
    look(cluster_window)
    assert not notice.isVisible()


def test_an_apply_without_an_end_is_pointed_to(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    begun = AuditRow(
        0, "mia", "start of apply", "lab", "", "2 changes", result=Result.DONE, text="Begun", why=""
    )
    text = "sacctmgr -i modify"
    sent = AuditRow(
        0, "mia", "send set shares", "hep", "3 shares", "7 shares", result=Result.DONE, text=text, why=""
    )
    play.publish(audit=(begun, sent))
    look(cluster_window)
    (notice,) = cluster_window.findChildren(UnfinishedNotice)
    qtbot.waitUntil(notice.isVisible)
    message = " ".join(label.text() for label in notice.findChildren(QLabel))
    assert "Sent: " + text + ". " + wording("app.cluster.it-was-not-done") in message
    QTest.mouseClick(notice.findChildren(QPushButton)[-1], Qt.MouseButton.LeftButton)
    look(cluster_window)
    assert not notice.isVisible()


def test_an_apply_without_an_end_can_be_rolled_back(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    rows = tuple(
        AuditRow(0, "mia", action, on, before, after, result=Result.DONE, text="", why="")
        for action, on, before, after in (
            ("start of apply", "lab", "", "2 changes"),
            ("send set shares", "hep", "9 shares", "3 shares"),
        )
    )
    play.publish(audit=rows)
    look(cluster_window)
    (notice,) = cluster_window.findChildren(UnfinishedNotice)
    qtbot.waitUntil(notice.isVisible)
    QTest.mouseClick(notice.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: any(one.isVisible() for one in cluster_window.findChildren(ApplyDialog)), timeout=10_000
    )
    (dialog,) = (one for one in cluster_window.findChildren(ApplyDialog) if one.isVisible())
    (line,) = dialog.model.rows
    assert (line.what.on, dialog.model.cells(line)[2:4]) == ("hep", ("3 shares", "9 shares"))
    assert not play.applied
    dialog.close()


def outside_shares(window: ConsoleWindow, play: PlayTarget, path: str, shares: int) -> None:
    """Somebody else sets shares in the cluster."""
    tree = play.now.tree
    assert tree is not None
    changed = tree.shares.copy()
    edit = SetShares.of(changed.find(path).id, shares)
    edit.apply(changed)
    news = OutsideChange("", f"{path.rsplit('/', 1)[-1]} has {shares} shares", (edit,))
    play.publish(tree=replace(tree, shares=changed), outside=(*play.now.outside, news))
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()


def test_changes_of_others_are_followed_and_not_staged(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, ANNA, 25)
    with qtbot.waitSignal(cluster_window.session.taken_in):
        outside_shares(cluster_window, play, HEP, 5)
    assert document_of(cluster_window).tree.find(HEP).shares == 5
    assert document_of(cluster_window).tree.find(ANNA).shares == 25
    staging = settle(qtbot, cluster_window)
    assert [change.on for change in staging.staged.changes.changes] == [
        wording("slurm.in-2", user="fs_anna", account="hep")
    ]


def test_what_meets_something_staged_is_reported_and_what_is_staged_stays(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    with qtbot.waitSignal(cluster_window.session.conflicted) as conflicted:
        outside_shares(cluster_window, play, HEP, 5)
    assert conflicted.args is not None
    assert says(conflicted.args[0], "console.cluster.another-user-changed-on-cluster")
    assert document_of(cluster_window).tree.find(HEP).shares == 7
    outside = document_of(cluster_window)
    assert outside.is_modified


def test_what_is_staged_elsewhere_too_is_staged_no_more(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    tree = play.now.tree
    assert tree is not None
    changed = tree.shares.copy()
    SetShares.of(changed.find(HEP).id, 7).apply(changed)
    play.publish(tree=replace(tree, shares=changed))
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()
    settle(qtbot, cluster_window)
    assert not cluster_window.isWindowModified()


def store(window: ConsoleWindow, play: PlayTarget, edits: list[Edit], keys: dict[int, Key]) -> None:
    """Let the cluster have other associations from now on, and the console read them."""
    before = play.now.tree
    assert before is not None
    shares = before.shares.copy()
    apply_all(shares, edits)
    known = {node: key for node, key in {**before.keys, **keys}.items() if node in shares}
    limits_of = dict(zip(before.nodes, before.stored.limits, strict=True))
    stored = replace(before.stored, limits=tuple(limits_of.get(node, {}) for node in known))
    after = replace(before, stored=stored, shares=shares, nodes=tuple(known), keys=known)
    found = news(before, after, document_of(window).tree)
    changes = [OutsideChange("somebody", found.line, (one,)) for one in (*found.edits, *found.misfits)]
    play.publish(tree=after, outside=(*play.now.outside, *changes), standing=None)
    cluster = window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()


def notice_of(window: ConsoleWindow) -> ConflictNotice:
    found = window.findChild(ConflictNotice)
    assert isinstance(found, ConflictNotice)
    return found


NEW = 900
GENOMICS, FINN = "root/bio/genomics", "fs_finn"


def half_moved(qtbot: QtBot, window: ConsoleWindow, play: PlayTarget) -> ApplyDialog:
    """Move finn to hep and apply that; he is added there, and not removed from where he was."""
    tree, finn = document_of(window).tree, node(window, f"{GENOMICS}/{FINN}")
    document_of(window).edit("Move", [Move(finn, tree.find(HEP).id, 0)])
    dialog = apply_dialog(qtbot, window, armed=True)
    play.answer_change = lambda change: ChangeReport(
        change, Result.DONE if change.verb == Verb.ADD else Result.REFUSED
    )
    dialog.insist.click()  # his job there is expected to stand in the way
    dialog.insist.setChecked(True)  # finn has a job that runs, so that the refusal is foreseen
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    added = Node(NEW, FINN, tree.node(finn).shares, Kind.USER)
    store(window, play, [Insert(tree.find(HEP).id, 0, (added,))], {NEW: ("hep", FINN, "")})
    return dialog


def test_what_was_applied_here_is_not_from_outside(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    half_moved(qtbot, cluster_window, play)
    assert not notice_of(cluster_window).isVisible()
    staged = settle(qtbot, cluster_window).staged.changes
    assert [(one.verb, one.on) for one in staged.changes] == [
        (Verb.REMOVE, wording("slurm.in-2", user="fs_finn", account="genomics"))
    ]
    assert not staged.refusals


def test_a_move_that_ends_later_leaves_the_user_where_he_was_moved(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    half_moved(qtbot, cluster_window, play)
    assert play.now.tree is not None
    old = play.now.tree.shares.find(f"{GENOMICS}/{FINN}").id
    store(cluster_window, play, [Remove(old)], {})
    assert document_of(cluster_window).tree.find(f"{HEP}/{FINN}").id == NEW
    staging = settle(qtbot, cluster_window)
    assert staging.nodes == ()
    assert not cluster_window.isWindowModified()


def test_undo_after_apply_and_roll_back_stages_nothing(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    """What was applied is the base; a roll back is applied too."""
    set_shares(cluster_window, HEP, 7)
    dialog = apply_dialog(qtbot, cluster_window, armed=True)
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.report is not None)
    store(cluster_window, play, [SetShares.of(node(cluster_window, HEP), 7)], {})
    cluster_window.table.trigger("undo")
    assert document_of(cluster_window).tree.find(HEP).shares == 7
    assert settle(qtbot, cluster_window).nodes == ()
    done = dialog.model.rows[0].what
    assert isinstance(done, Change)
    back = replace(done, before="7 shares", after="3 shares", was=done.will, will=done.was)
    dialog._take(ApplyReport((ChangeReport(done, Result.DONE),), ChangeSet((back,))))
    dialog.offer_rollback()
    dialog.do_it()
    qtbot.waitUntil(lambda: dialog.report is not None)
    store(cluster_window, play, [SetShares.of(node(cluster_window, HEP), 3)], {})
    assert document_of(cluster_window).tree.find(HEP).shares == 3
    cluster_window.table.trigger("undo")
    assert document_of(cluster_window).tree.find(HEP).shares == 3
    assert settle(qtbot, cluster_window).nodes == ()


def test_a_conflict_goes_once_it_is_over(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    set_shares(cluster_window, HEP, 7)
    outside_shares(cluster_window, play, HEP, 5)
    assert notice_of(cluster_window).isVisible()
    set_shares(cluster_window, ANNA, 25)
    assert notice_of(cluster_window).isVisible()
    staging_of(cluster_window).revert([node(cluster_window, HEP)])
    assert document_of(cluster_window).tree.find(HEP).shares == 5
    assert not notice_of(cluster_window).isVisible()


def test_new_usage_is_followed(qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget) -> None:
    standing = play.now.standing
    assert standing is not None
    set_shares(cluster_window, HEP, 7)
    before = settle(qtbot, cluster_window).staged
    usage = standing.norm_usage.copy()
    usage[:] = np.where(np.isnan(usage), usage, usage / 2)
    play.publish(standing=replace(standing, norm_usage=usage))
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    cluster.look()
    qtbot.waitUntil(lambda: staging_of(cluster_window).staged is not before)


def test_problems_are_what_the_cluster_cannot_be_reported(
    qtbot: QtBot, cluster_window: ConsoleWindow
) -> None:
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    hep = node(cluster_window, HEP)
    document_of(cluster_window).edit("Rename", [Rename(hep, "hep2")])
    settle(qtbot, cluster_window)

    def refused() -> set[int]:
        problems = design.tree_view.tree_model.cells.problems
        return {node for node, one in problems.items() if "cannot be applied" in one.text}

    qtbot.waitUntil(lambda: refused() == {hep})
    cluster_window.table.trigger("undo")
    qtbot.waitUntil(lambda: not refused())


class Waiting(PlayTarget):
    """Applies nothing before it is told to."""

    def __init__(self) -> None:
        super().__init__(cluster_state())
        self.asked_of_it: Future[ApplyReport] = Future()
        self.is_stopped = False
        self.step: Step | None = None

    def apply(
        self,
        changes: ChangeSet,
        who: str,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: Progress | None = None,
        step: Step | None = None,
        undoes: str = "",
    ) -> Future[ApplyReport]:
        self.applied.append((changes, who, why, dry_run))
        self.step = step
        return self.asked_of_it

    def stop_applying(self) -> None:
        self.is_stopped = True


def test_the_dialog_stays_while_something_is_done(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Answers
) -> None:
    target = Waiting()
    empty_window.show_workspace("design")
    empty_window.clusters.connections.open(target)
    set_shares(empty_window, HEP, 7)
    set_shares(empty_window, ANNA, 9)
    dialog = apply_dialog(qtbot, empty_window, armed=True)
    QTest.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert dialog.is_running
    assert target.step is not None

    def results() -> list[str]:
        place = dialog.model.place("result")
        return [dialog.model.index(row, place).data() for row in range(dialog.model.rowCount())]

    assert results() == ["", ""]
    first, second = target.applied[0][0].changes
    for change, state in ((first, RUNNING), (second, RUNNING), (first, SENT)):
        target.step(change, state)
    qtbot.waitUntil(lambda: results() == [SENT, RUNNING])
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    dialog.close()
    assert dialog.isVisible()
    empty_window.table.trigger("cluster.disconnect")
    leave, place, *_, doing = answers.asked[-1].split()
    assert (leave, place, doing) == ("leave", "lab", "applied")
    QTest.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert target.is_stopped
    report = ApplyReport(tuple(ChangeReport(one, Result.NOT_SENT) for one in (first, second)), ChangeSet())
    Thread(target=lambda: target.asked_of_it.set_result(report)).start()  # as the target's thread does it
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert results() == ["Not sent", "Not sent"]
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_old_figures_are_muted_and_said_to_be_old(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    strip = design.tree_dock.body.findChild(ErrorStrip)
    assert strip is not None
    assert strip.isHidden()
    cluster = cluster_window.session.offer(CLUSTER)
    assert cluster is not None
    play.publish(parts=parts_failed("slurmctld gone"), link=Link.NO_ANSWER)
    cluster.look()
    assert says(strip.text, "targets.slurm.usage-and-fairshare")
    assert "slurmctld gone" in strip.text
    retry = strip.findChild(QPushButton, "Retry")
    assert retry is not None
    QTest.mouseClick(retry, Qt.MouseButton.LeftButton)
    assert play.refreshed[-1] == ()
    play.publish(parts=parts_read(), link=Link.ANSWERS)
    cluster.look()
    assert strip.isHidden()


def test_what_should_be_known_before_is_reported(qtbot: QtBot, cluster_window: ConsoleWindow) -> None:
    document = document_of(cluster_window)
    document.edit(
        "Move", [Move(node(cluster_window, "root/bio/neuro"), node(cluster_window, "root/physics"), 0)]
    )
    dialog = apply_dialog(qtbot, cluster_window, armed=False)
    notes = dialog.model.rows[0].what
    assert isinstance(notes, Change)
    assert notes.notes
    assert f"neuro: {notes.notes[0]}" in dialog.below.text()
