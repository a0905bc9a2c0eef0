"""Rolling back from Records: found, confirmed and sent, by mouse and by the command search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from fsconsole.app.cluster.records import history_of, identities
from fsconsole.console.cluster.apply_dialog import ApplyDialog
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.operate.jobs.roll_back import RollBackDialog
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.operate.records import ROLL_BACK, WAYS_TITLE
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.dock_states import EmptyNotice
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
    operate.records_dock.raise_()
    ways = operate.records.ways
    qtbot.waitUntil(lambda: any(ways.way(one) is not None for one in identities(rows)))


def _line(operate: JobsWorkspace, on: str) -> int:
    """Place of the line on an object."""
    return [line.row.on for line in operate.records.audit.log.rows].index(on)


def _press(operate: JobsWorkspace, on: str, title: str = WAYS_TITLE) -> None:
    """Click into a cell, as on a link in it."""
    table = operate.records.audit
    index = table.log.index(_line(operate, on), table.log.titles.index(title))
    table.scrollTo(index)
    where = table.visualRect(index).topLeft() + QPoint(12, 8)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def test_an_apply_is_one_row_that_opens(qtbot: QtBot, operate: JobsWorkspace, publish: Publish) -> None:
    _show(qtbot, operate, publish, *APPLIED, RELEASED, KILLED)
    table, log = operate.records.audit, operate.records.audit.log

    def shown() -> list[str]:
        return [line.row.on for line in log.rows]

    assert shown() == ["99", "34", "hep, astro"]
    assert log.cells(log.rows[2])[4:6] == ("9 shares, 9 shares", "3 shares, 5 shares")
    _press(operate, "hep, astro", "Action")
    assert shown()[2:] == ["hep, astro", "hep", "astro"]
    _press(operate, "hep, astro", "Action")
    assert len(log.rows) == 3
    assert [line.row.on for line in table.selected()] == ["hep, astro"]
    keys = Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left
    for key, count in zip(keys, (3, 5, 5, 3), strict=True):
        QTest.keyClick(table, key)
        assert len(log.rows) == count


def test_records_are_found_by_words(qtbot: QtBot, operate: JobsWorkspace, publish: Publish) -> None:
    many = tuple(replace(APPLIED[1], on=f"group{number}") for number in range(9))
    _show(qtbot, operate, publish, APPLIED[0], *many, *APPLIED[1:], RELEASED, KILLED)
    records, log = operate.records, operate.records.audit.log
    (notice,) = records.audit.findChildren(EmptyNotice)

    def found(words: str) -> list[str]:
        records.box.setText(words)
        return [line.row.action.split()[0] for line in log.rows]

    assert found("") == ["Kill", "Release", "Apply"]
    assert found("HALE") == ["Kill", "Release", "Apply"]
    assert found("release 34") == ["Release"]
    # The row of an apply names the first of its changes alone.
    assert not any("astro" in cell for cell in log.cells(log.given[2]))
    assert found("astro") == ["Apply"]
    assert not notice.isVisible()
    assert found("astro 34") == []
    assert notice.isVisible()
    publish(audit=(*operate.controller.audit, replace(RELEASED, on="35")))
    assert found("35") == ["Release"]
    assert not notice.isVisible()
    assert len(found("")) == 4


def test_the_column_says_what_can_go_back(qtbot: QtBot, operate: JobsWorkspace, publish: Publish) -> None:
    _show(qtbot, operate, publish, *APPLIED, RELEASED, KILLED)
    table = operate.records.audit
    _press(operate, "hep, astro", "Action")
    place = table.log.titles.index(WAYS_TITLE)
    words = {line.row.on: table.log.cells(line)[place] for line in table.log.rows}
    assert words["34"] == words["hep"] == ROLL_BACK
    assert words["hep, astro"].startswith(ROLL_BACK)
    # It has one share.
    assert "1 share" in words["astro"]
    assert "1 share" in words["hep, astro"]
    killed = operate.records.ways.way(identities([KILLED])[0])
    assert killed is not None
    assert killed.why_not == wording("app.cluster.killed-job-is-lost")
    assert words["99"] == killed.words
    for on, ink in (("34", "accent"), ("99", "muted")):
        cell = table.log.index(_line(operate, on), place)
        assert cell.data(Qt.ItemDataRole.ForegroundRole) == colour(ink)


def test_shares_go_back_after_a_question(
    qtbot: QtBot, cluster_window: ConsoleWindow, dialog: Dialog, play: PlayTarget
) -> None:
    cluster_window.show_workspace("operate")
    operate, target = cluster_window.workspace("operate"), play
    assert isinstance(operate, JobsWorkspace)
    qtbot.waitUntil(operate.isVisible)
    _show(qtbot, operate, play.publish, *APPLIED)
    _press(operate, "hep, astro")
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
    QTest.keyClick(operate.records.audit, Qt.Key.Key_Return)
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
    _press(operate, "34")
    asking = dialog(RollBackDialog)
    assert isinstance(asking, RollBackDialog)
    assert not asking.verb.isEnabled()
    QTest.mouseClick(asking.arm_button, Qt.MouseButton.LeftButton)
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
    _press(operate, "34")
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
    _press(operate, "34")
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
