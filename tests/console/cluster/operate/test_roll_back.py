"""Rolling back from Records: found, confirmed and sent, by mouse and by the command search."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from fsconsole.app.cluster.records import history_of
from fsconsole.console.cluster.apply_dialog import ApplyDialog
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.operate.jobs.roll_back import RollBackDialog
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.slurm.change_set import Verb
from fsconsole.slurm.job_change import JobVerb
from fsconsole.targets.slurm.apply_rows import BEGIN, END
from tests.console.cluster import play
from tests.console.cluster.play import PlayTarget
from tests.texts import wording

Publish = Callable[..., object]
Dialog = Callable[[type[QDialog]], QDialog]
AT = play.NOW_S - 600


def _row(action: str, on: str, before: str, after: str, result: Result = Result.DONE) -> AuditRow:
    return AuditRow(AT, "hale", action, on, before, after, result, "", "board")


APPLIED = (
    _row(BEGIN, "lab", "", "2 changes"),
    _row("set shares", "hep", "9 shares", "3 shares"),
    _row("set shares", "astro", "9 shares", "5 shares"),
    _row(END, "lab", "", ""),
)
RELEASED = _row("release job", "34", "PENDING (held)", "PENDING")
KILLED = _row("kill job", "99", "RUNNING", "")


def _show(qtbot: QtBot, operate: JobsWorkspace, publish: Publish, *rows: AuditRow) -> None:
    publish(audit=rows)
    if (cluster := operate.controller.cluster) is not None:
        cluster.look()
    ways = operate.records.ways
    qtbot.waitUntil(lambda: any(ways.way(row) is not None for row in rows))


def _select(operate: JobsWorkspace, row: AuditRow) -> None:
    table = operate.records.audit
    table.selectRow(table.rows.rows.index(row))


def test_the_column_says_what_can_go_back(qtbot: QtBot, operate: JobsWorkspace, publish: Publish) -> None:
    _show(qtbot, operate, publish, *APPLIED, RELEASED, KILLED)
    shares = {row.on: row for row in APPLIED}
    words = operate.records.ways.words
    assert words(shares["hep"]) == words(RELEASED)
    # It has one share.
    assert "1 share" in words(shares["astro"])
    killed = operate.records.ways.way(KILLED)
    assert killed is not None
    assert killed.why_not == wording("app.cluster.killed-job-is-lost")
    assert killed.why_not in words(KILLED)
    assert words(APPLIED[-1]) == ""
    table = operate.records.audit
    shown = {row: table.rows.cells(row) for row in table.rows.rows}
    assert words(RELEASED) in shown[RELEASED]


def test_shares_go_back_after_a_question(
    qtbot: QtBot, cluster_window: ConsoleWindow, dialog: Dialog, play: PlayTarget
) -> None:
    cluster_window.show_workspace("operate")
    operate, target = cluster_window.workspace("operate"), play
    assert isinstance(operate, JobsWorkspace)
    qtbot.waitUntil(operate.isVisible)
    _show(qtbot, operate, play.publish, *APPLIED)
    _select(operate, APPLIED[0])
    QTest.mouseClick(operate.records.back_button, Qt.MouseButton.LeftButton)
    asking = dialog(ApplyDialog)
    assert isinstance(asking, ApplyDialog)
    (line,) = asking.model.rows
    assert (line.what.on, line.gain is not None) == ("hep", True)
    assert "astro" in asking.below.text()
    assert not asking.apply.isEnabled()
    assert asking.reason.text() == ""
    QTest.keyClick(asking, Qt.Key.Key_Return)
    assert not target.applied
    qtbot.waitUntil(lambda: not asking.isVisible())
    QTest.mouseClick(operate.records.back_button, Qt.MouseButton.LeftButton)
    asking = dialog(ApplyDialog)
    assert isinstance(asking, ApplyDialog)
    QTest.mouseClick(asking.arm, Qt.MouseButton.LeftButton)
    QTest.keyClicks(asking.reason, "too early")
    QTest.mouseClick(asking.apply, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: asking.report is not None)
    ((changes, who, why, dry_run),) = target.applied
    (one,) = changes.changes
    assert (one.verb, one.on, one.before, one.after) == (Verb.SET, "hep", "3 shares", "9 shares")
    assert (why, dry_run) == ("too early", False)
    assert who
    assert target.undone == [history_of(APPLIED).records[0].id]
    asking.close()


def test_a_job_goes_back(
    qtbot: QtBot,
    operate: JobsWorkspace,
    publish: Publish,
    dialog: Dialog,
    target: play.PlayTarget,
    cluster: ClusterSession,
) -> None:
    _show(qtbot, operate, publish, RELEASED)
    _select(operate, RELEASED)
    QTest.mouseClick(operate.records.back_button, Qt.MouseButton.LeftButton)
    asking = dialog(RollBackDialog)
    assert isinstance(asking, RollBackDialog)
    assert not asking.verb.isEnabled()
    QTest.mouseClick(asking.arm, Qt.MouseButton.LeftButton)
    assert asking.verb.isEnabled()
    # Enter cancels.
    assert asking.cancel.isDefault()
    QTest.mouseClick(asking.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(target.asked))
    (asked,) = target.asked
    assert (asked.change.verb, asked.change.jobs) == (JobVerb.HOLD, ("34",))
    assert target.undone == [history_of((RELEASED,)).records[0].id]
    cluster.arming.disarm()


def test_what_changes_meanwhile_is_not_rolled_back(
    qtbot: QtBot,
    operate: JobsWorkspace,
    publish: Publish,
    dialog: Dialog,
    target: play.PlayTarget,
    cluster: ClusterSession,
) -> None:
    cluster.arming.arm()
    _show(qtbot, operate, publish, RELEASED)
    _select(operate, RELEASED)
    QTest.mouseClick(operate.records.back_button, Qt.MouseButton.LeftButton)
    asking = dialog(RollBackDialog)
    assert isinstance(asking, RollBackDialog)
    assert asking.verb.isEnabled()
    publish(jobs=tuple(job for job in target.now.jobs if job.job_id != 34))
    assert not asking.verb.isEnabled()
    assert asking.problem.isVisible()
    asking.do_it()
    assert not target.asked
    asking.reject()
    cluster.arming.disarm()


def test_an_answer_on_its_way_is_not_called_undone(
    qtbot: QtBot,
    operate: JobsWorkspace,
    publish: Publish,
    dialog: Dialog,
    target: play.PlayTarget,
    cluster: ClusterSession,
) -> None:
    """The job is held and then gone: what hinders a second action says nothing about the first."""
    cluster.arming.arm()
    target.holds = True
    _show(qtbot, operate, publish, RELEASED)
    _select(operate, RELEASED)
    QTest.mouseClick(operate.records.back_button, Qt.MouseButton.LeftButton)
    asking = dialog(RollBackDialog)
    assert isinstance(asking, RollBackDialog)
    QTest.mouseClick(asking.verb, Qt.MouseButton.LeftButton)
    publish(jobs=tuple(job for job in target.now.jobs if job.job_id != 34))
    assert not asking.problem.isVisible()
    target.let_go()
    qtbot.waitUntil(lambda: not asking.isVisible())
    cluster.arming.disarm()


@pytest.mark.parametrize("rows", [(KILLED,), (RELEASED,)])
def test_it_is_found_by_its_name(
    qtbot: QtBot, window: ConsoleWindow, operate: JobsWorkspace, publish: Publish, rows: tuple[AuditRow, ...]
) -> None:
    _show(qtbot, operate, publish, *rows)
    action = window.table.qaction("cluster.roll_back")
    qtbot.waitUntil(lambda: action.isEnabled() is (rows == (RELEASED,)))
    window.table.trigger("commands")
    search = window.findChild(CommandSearch)
    assert isinstance(search, CommandSearch)
    QTest.keyClicks(search.box, "roll back")
    assert "Roll back" in str(search.model.index(0).data())
    QTest.keyClick(search, Qt.Key.Key_Escape)
