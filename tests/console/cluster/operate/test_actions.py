"""What an operator does to jobs of a cluster: dialogs, keys, what came of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QCoreApplication, QDateTime, QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from fsconsole.app.nights.times import read_length
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.operate.jobs.controller import CAPTURE, PendingAction
from fsconsole.console.operate.jobs.dialogs import ExtendJobs, JobDialog, PlainJobDialog
from fsconsole.console.operate.jobs.results import ResultsDialog, doing_words
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.widgets import late_input
from fsconsole.console.widgets.danger_buttons import DangerButton
from fsconsole.console.widgets.late_input import JUST_CHANGED, READ_S
from fsconsole.console.window import ConsoleWindow
from fsconsole.recording.audit import Result
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.state import Link, PartName
from fsconsole.text.durations import day_duration
from fsconsole.text.numbers import UNKNOWN
from fsconsole.text.words import count_words
from tests.console.cluster import play
from tests.texts import says, span, wording

Find = Callable[[type[QDialog]], QDialog]
Publish = Callable[..., None]
_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def is_gone(widget: QDialog) -> bool:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return not isValid(widget) or not widget.isVisible()


def opened(armed: JobsWorkspace, dialog: Find, verb: JobVerb, *jobs: int) -> JobDialog:
    armed.jobs.table.select(list(jobs))
    assert armed.table.trigger(f"cluster.{verb}")
    return cast("JobDialog", dialog(JobDialog))


def tick(dialog: JobDialog) -> None:
    """Insist."""
    dialog.insist.setFocus()
    QTest.keyClick(dialog.insist, Qt.Key.Key_Space)


def refusals(change: JobChange) -> tuple[ActionReport, ...]:
    """Every second one is refused."""
    return tuple(
        ActionReport(
            job,
            Result.REFUSED if place % 2 else Result.DONE,
            f"Access/permission denied for job {job}" if place % 2 else "",
            ("scontrol", change.verb.value, job),
            "RUNNING",
            "RUNNING",
        )
        for place, job in enumerate(change.jobs)
    )


def test_kill_names_job_user_cluster_and_what_is_lost(armed: JobsWorkspace, dialog: Find) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    assert kill.heading.text() == wording(
        "console.operate.nights.kill-of-on", job="job 7", user="fs_finn", machine="lab"
    )
    assert kill._elapsed.text() == wording("console.operate.jobs.ran-of", ran="0:02:31", limit="0:30:00")
    state, *asked = kill._state.text().split(", ")
    assert state == wording("console.operate.jobs.on", state="Running", nodes="n1")
    assert asked == ["5 CPUs", "partition batch"]
    # 151 s on 5 CPUs are 0.21 CPU hours
    assert kill.known.text() == (
        wording(
            "slurm.cpu-hours-are-lost-unless",
            hours=wording("slurm.has-run-on", label="7", now_s=span(min=2, s=31), cpus="5 CPUs") + ": 0.2",
        )
    )
    assert kill.focusWidget() is kill.reason
    assert kill.cancel.isDefault()
    assert not kill.verb.isDefault()
    kill.reject()


def test_enter_in_the_reason_cancels_a_kill(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    QTest.keyClicks(kill.reason, "user asked")
    QTest.keyClick(kill.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert target.asked == []


def test_tab_and_space_kill_with_the_reason(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    QTest.keyClicks(kill.reason, "by phone")
    QTest.keyClick(kill.reason, Qt.Key.Key_Tab)
    assert kill.focusWidget() is kill.verb
    QTest.keyClick(kill.verb, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert target.asked == [play.Asked(JobChange(JobVerb.KILL, ("7",)), "hale", "by phone", False)]
    assert armed.results.words.text().partition("</b>")[::2] == ("<b>Kill 7:", " done.")


def test_alt_k_kills(qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    QTest.keyClick(kill, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert [asked.change.verb for asked in target.asked] == [JobVerb.KILL]


def test_shortcuts_open_the_dialogs(qtbot: QtBot, armed: JobsWorkspace, dialog: Find) -> None:
    armed.jobs.table.select([7])
    QTest.keyClick(armed.window(), Qt.Key.Key_E, _CONTROL_SHIFT)
    extend = dialog(ExtendJobs)
    extend.reject()
    armed.window().activateWindow()
    qtbot.waitUntil(armed.window().isActiveWindow)
    QTest.keyClick(armed.window(), Qt.Key.Key_K, _CONTROL_SHIFT)
    kill = dialog(PlainJobDialog)
    kill.reject()


def test_read_only_buttons_only_ask_and_say_so(operate: JobsWorkspace, cluster: ClusterSession) -> None:
    operate.jobs.table.select([7])
    suspend, hold, requeue = operate.job.others
    assert [button.text() for button in operate.job.others] == ["Suspend…", "Hold…", "Requeue…"]
    for button in (operate.job.kill, operate.job.extend, suspend, requeue):
        assert button.isEnabled()
        assert button.toolTip() == READ_ONLY
    assert hold.toolTip() == wording("slurm.job-has-started-only-pending", state="RUNNING")
    cluster.arming.arm()
    assert suspend.text() == "Suspend"
    assert suspend.toolTip() == ""


@pytest.mark.parametrize(
    ("verb", "job"), [(JobVerb.KILL, 7), (JobVerb.EXTEND, 7), (JobVerb.SUSPEND, 7), (JobVerb.HOLD, 19)]
)
def test_read_only_the_command_can_be_looked_at_and_nothing_done(
    qtbot: QtBot, operate: JobsWorkspace, dialog: Find, target: play.PlayTarget, verb: JobVerb,
    job: int,
) -> None:  # fmt: skip
    shown = opened(operate, dialog, verb, job)
    assert not shown.verb.isEnabled()
    assert shown.problem.text() == READ_ONLY
    QTest.mouseClick(shown.show_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(shown.commands.isVisible)
    expected = f"scontrol {verb} {job}"
    assert shown.commands.toPlainText() == expected
    shown.do_it()
    QTest.keyClick(shown.reason, Qt.Key.Key_Return)
    assert [asked.dry_run for asked in target.asked] == [True]
    shown.reject()


def test_it_can_be_armed_in_the_dialog_and_is_done_only_by_its_button(
    qtbot: QtBot, operate: JobsWorkspace, dialog: Find, target: play.PlayTarget,
    cluster: ClusterSession,
) -> None:  # fmt: skip
    kill = opened(operate, dialog, JobVerb.KILL, 7)
    QTest.mouseClick(kill.arm_button, Qt.MouseButton.LeftButton)
    assert cluster.arming.is_armed
    assert not kill.arm_button.isVisible()
    assert not kill.problem.isVisible()
    assert target.asked == []
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert [asked.change.verb for asked in target.asked] == [JobVerb.KILL]


def test_a_capture_shows_commands_and_cannot_be_armed(
    operate: JobsWorkspace, dialog: Find, target: play.PlayTarget, tmp_path: Path
) -> None:
    target.place = capture_place(tmp_path)
    kill = opened(operate, dialog, JobVerb.KILL, 7)
    assert kill.problem.text() == CAPTURE
    assert not kill.arm_button.isVisible()
    assert not kill.verb.isEnabled()
    assert kill.show_button.isEnabled()
    kill.reject()


def test_a_capture_offers_no_files_of_a_job(
    window: ConsoleWindow, operate: JobsWorkspace, target: play.PlayTarget, tmp_path: Path
) -> None:
    operate.controller.choose([7])
    window.table.refresh()
    action = window.table.qaction("cluster.job_files")
    assert action.isEnabled()
    target.place = capture_place(tmp_path)
    window.table.refresh()
    assert not action.isEnabled()
    assert says(action.toolTip(), "console.operate.jobs.capture-folder-has-no-scripts")


def test_while_jobs_cannot_be_read_nothing_is_asked_of_them(
    armed: JobsWorkspace, dialog: Find, publish: Publish
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    jobs = replace(play.parts_read()[PartName.JOBS], problem="slurmctld did not respond.")
    publish(link=Link.PARTLY, parts={**play.parts_read(), PartName.JOBS: jobs})
    why = "lab does not list its jobs: slurmctld did not respond"
    assert kill.problem.text() == f"{why}."
    assert not kill.verb.isEnabled()
    assert armed.job.kill.toolTip() == why
    assert not armed.table.trigger("cluster.hold")
    publish(link=Link.ANSWERS, parts=play.parts_read())
    assert kill.verb.isEnabled()
    kill.reject()


def test_buttons_offer_what_can_be_done_to_the_job(armed: JobsWorkspace) -> None:
    def offered(job: int) -> list[tuple[str, bool]]:
        armed.jobs.table.select([job])
        return [(button.text(), button.isEnabled()) for button in armed.job.others]

    assert offered(7) == [("Suspend", True), ("Hold", False), ("Requeue…", True)]
    assert offered(36) == [("Resume", True), ("Hold", False), ("Requeue…", True)]
    assert offered(32) == [("Suspend", False), ("Release", True), ("Requeue…", False)]
    assert offered(19) == [("Suspend", False), ("Hold", True), ("Requeue…", False)]
    assert armed.job.others[0].toolTip() == wording("slurm.job-is-not-running", state="PENDING")
    assert armed.job.kill.isEnabled()


def test_kill_and_extend_never_stand_side_by_side(armed: JobsWorkspace) -> None:
    armed.jobs.table.select([7])
    panel = armed.job
    assert panel.extend.x() - (panel.kill.x() + panel.kill.width()) > 60


def test_what_can_be_taken_back_is_done_at_once(
    qtbot: QtBot, armed: JobsWorkspace, target: play.PlayTarget
) -> None:
    armed.jobs.table.select([19])
    with qtbot.waitSignals([armed.controller.acted, armed.controller.acted]):
        QTest.mouseClick(armed.job.others[1], Qt.MouseButton.LeftButton)
    assert [asked.change for asked in target.asked] == [JobChange(JobVerb.HOLD, ("19",))]
    assert armed.results.isVisible()


def test_a_job_whose_cpus_are_free_is_resumed_at_once_and_no_other(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, publish: Publish
) -> None:
    armed.jobs.table.select([36])
    with qtbot.waitSignals([armed.controller.acted, armed.controller.acted]):
        QTest.mouseClick(armed.job.others[0], Qt.MouseButton.LeftButton)
    assert [asked.change for asked in target.asked] == [JobChange(JobVerb.RESUME, ("36",))]
    grown = tuple(replace(job, cpus=14) if job.job_id == 21 else job for job in target.now.jobs)
    publish(jobs=grown)
    QTest.mouseClick(armed.job.others[0], Qt.MouseButton.LeftButton)
    resume = cast("JobDialog", dialog(JobDialog))
    assert says(resume.known.text(), "slurm.other-jobs-now-run-on")
    assert len(target.asked) == 1
    resume.reject()


def test_several_jobs_are_listed_and_those_left_out_say_why(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7, 21, 35)
    assert kill.heading.text() == wording("console.operate.jobs.kill-on", jobs="2 jobs", cluster="lab")
    assert [line.split(", ") for line in kill._job.text().splitlines()] == [
        [wording("app.jobs.of-2", label="7", user="fs_finn"), "genomics"],
        [wording("app.jobs.of-2", label="21", user="fs_jan"), "neuro"],
    ]
    assert kill.left_out.text().split(": ") == [
        wording("app.jobs.of-2", label="35", user="fs_cora"),
        wording("slurm.job-has-ended", state="COMPLETED"),
    ]
    assert kill.verb.text() == wording("console.operate.jobs.kill-jobs", count="2")
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert target.asked[-1].change == JobChange(JobVerb.KILL, ("7", "21"))


def test_of_many_jobs_the_first_ten_are_named(
    armed: JobsWorkspace, dialog: Find, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(jobs=play.many_jobs(60))
    compared, equals = list[Job](), Job.__eq__

    def compare(job: Job, other: object) -> bool:
        compared.append(job)
        return equals(job, other)

    monkeypatch.setattr(Job, "__eq__", compare)
    kill = opened(armed, dialog, JobVerb.KILL, *range(1000, 1040))
    assert len(compared) < 40  # Not each with each other.
    assert len(kill._job.text().splitlines()) == 11
    assert kill._job.text().endswith(wording("text.and-more-2", count="30"))
    kill.reject()


def test_a_job_that_ended_meanwhile_is_reported_and_cannot_be_killed(
    armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, publish: Publish
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    kill.reason.setText("too slow")
    jobs = tuple(replace(job, states=("COMPLETED",)) if job.job_id == 7 else job for job in target.now.jobs)
    publish(jobs=jobs)
    assert kill.problem.text() == wording(
        "console.operate.jobs.no-action-is-possible",
        label="7",
        others=wording("slurm.job-has-ended", state="COMPLETED"),
    )
    assert not kill.verb.isEnabled()
    assert kill.reason.text() == "too slow"
    kill.reject()


def test_what_the_cluster_refuses_is_reported_and_nothing_typed_is_lost(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    target.answer = lambda change: (
        ActionReport(
            "7", Result.REFUSED, "Kill job error on job id 7: Access/permission denied", ("scancel", "7")
        ),
    )
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    kill.reason.setText("too slow")
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    message = "Refused: Kill job error on job id 7: Access/permission denied"
    qtbot.waitUntil(lambda: kill.problem.text() == message)
    assert kill.isVisible()
    assert kill.reason.text() == "too slow"
    assert kill.verb.isEnabled()
    kill.reject()
    assert "Access/permission denied" in armed.results.words.text()


def test_while_the_cluster_is_asked_the_dialog_waits_and_may_be_left(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    target.holds = True
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    assert kill.below.text() == wording("console.operate.jobs.waiting-for-to-respond", name="lab")
    assert not kill.verb.isEnabled()
    kill.do_it()  # asked once
    assert len(target.asked) == 1
    expected = "<b>Kill 7:</b> waiting for lab to respond"
    assert armed.results.words.text() == expected
    QTest.mouseClick(kill.cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(kill))
    target.let_go()
    qtbot.waitUntil(lambda: armed.results.words.text().startswith("<b>Kill 7:</b> done."))


def test_a_dialog_cannot_act_once_the_console_is_read_only_again(
    armed: JobsWorkspace, dialog: Find, cluster: ClusterSession, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    cluster.arming.disarm()
    assert not kill.verb.isEnabled()
    assert kill.problem.text() == READ_ONLY
    kill.do_it()
    assert target.asked == []
    cluster.arming.arm()
    assert kill.verb.isEnabled()
    kill.reject()


def test_without_an_answer_nothing_can_be_asked(armed: JobsWorkspace, dialog: Find, publish: Publish) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    publish(link=Link.NO_ANSWER, parts=play.parts_failed("no route"))
    assert kill.problem.text() == wording("console.operate.jobs.does-not-respond", name="lab") + "."
    assert not kill.verb.isEnabled()
    kill.reject()
    assert armed.job.kill.toolTip() == wording("console.operate.jobs.does-not-respond", name="lab")
    assert not armed.table.trigger("cluster.kill")


def test_another_cluster_is_not_the_one_that_was_shown(
    armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7)
    armed.session.open(None)
    assert kill.problem.text() == wording("console.operate.jobs.another-cluster-is-open-now")
    kill.do_it()
    assert target.asked == []
    kill.reject()


def test_show_the_command_runs_nothing(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    kill = opened(armed, dialog, JobVerb.KILL, 7, 21)
    QTest.mouseClick(kill.show_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(kill.commands.isVisible)
    expected = "scontrol kill 7\nscontrol kill 21"
    assert kill.commands.toPlainText() == expected
    assert [asked.dry_run for asked in target.asked] == [True]
    assert not armed.results.isVisible()
    kill.reject()


def test_extend_says_what_it_comes_to_and_enter_does_it(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    assert extend.limit.text() == wording(
        "console.operate.jobs.ends-by-instead-of",
        words=wording("console.operate.jobs.becomes", time_limit_s="0:30:00", after_s="1:00:00"),
        after="10:38",
        before="10:08",
    )
    extend.by.setValue(10)
    assert extend.limit.text() == wording(
        "console.operate.jobs.ends-by-instead-of",
        words=wording("console.operate.jobs.becomes", time_limit_s="0:30:00", after_s="0:40:00"),
        after="10:18",
        before="10:08",
    )
    extend.until.setDateTime(extend.until.dateTime().addSecs(3600))
    assert extend.by.value() == 70
    QTest.keyClick(extend.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(extend))
    assert target.asked[-1].change == JobChange(JobVerb.EXTEND, ("7",), 4200.0)


@pytest.mark.parametrize("then", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
@pytest.mark.parametrize(
    "typed",
    [
        "2 h",
        "1 d",
        "0:45",
        "-0:10",
        "90 min",
        "1 d 2 h",
        "-10",
        "-",
        "",
        "45",
        "1e3",
        "9" * 30,
        "3x",
        "2401 h",
    ],
)
def test_the_length_in_sight_is_the_one_that_is_sent(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, typed: str, then: Qt.Key
) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    extend.by.setFocus()
    extend.by.selectAll()
    QTest.keyClick(extend.by, Qt.Key.Key_Delete)
    QTest.keyClicks(extend.by, typed)
    assert extend.by.text() == typed
    by_s = read_length(typed) if not extend.by.problem else None
    limit = UNKNOWN if by_s is None else f"0:30:00 becomes {day_duration(1800 + by_s)}"
    assert extend.limit.text().partition(";")[0] == limit
    assert (extend.verb.isEnabled(), extend.show_button.isEnabled()) == (by_s is not None, by_s is not None)
    QTest.keyClick(extend.by, then)
    if by_s is None:
        assert extend.by.text() == typed
        assert extend.problem.text() == extend.by.problem
        QTest.mouseClick(extend.verb, Qt.MouseButton.LeftButton)
        QTest.keyClick(extend.reason, Qt.Key.Key_Return)
        assert target.asked == []
        extend.reject()
        return
    if then is Qt.Key.Key_Tab:
        assert read_length(extend.by.text()) == by_s
        QTest.mouseClick(extend.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(extend))
    assert [asked.change.by_s for asked in target.asked] == [by_s]


@pytest.mark.parametrize("chosen", ["moment", "length"])
@pytest.mark.parametrize("more_s", [7200, 600, -600])
def test_what_was_chosen_last_stays_when_others_change_the_end(
    qtbot: QtBot,
    armed: JobsWorkspace,
    dialog: Find,
    target: play.PlayTarget,
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
    chosen: str,
    more_s: int,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(late_input, "monotonic", lambda: now_s[0])
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    if chosen == "moment":
        extend.until.setDateTime(extend.until.dateTime().addSecs(3600))  # in all 1:30 h longer
    else:
        extend.by.setValue(90)
    moment = extend.until.dateTime()
    assert extend.verb.isEnabled()
    jobs = tuple(
        replace(job, time_limit_s=job.time_limit_s + more_s, end_s=job.end_s + more_s)
        if job.job_id == 7 and job.time_limit_s and job.end_s
        else job
        for job in target.now.jobs
    )
    publish(jobs=jobs)
    extend.do_it()  # on its way when the limit changed
    assert target.asked == []
    assert extend.problem.text() == JUST_CHANGED
    assert not extend.verb.isEnabled()
    by_s = 5400 - (more_s if chosen == "moment" else 0)
    assert extend.by.seconds == by_s
    assert extend.until.dateTime() == moment.addSecs(more_s if chosen == "length" else 0)
    assert f"ends by {extend.until.dateTime().toString('HH:mm')}" in extend.limit.text()
    now_s[0] += READ_S
    extend.refresh()
    QTest.keyClick(extend.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(extend))
    assert [asked.change.by_s for asked in target.asked] == [by_s]


def test_a_moment_beyond_the_longest_length_cannot_be_chosen(armed: JobsWorkspace, dialog: Find) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    end = extend.until.dateTime().addSecs(-1800)
    for year in (2100, 2000):
        extend.until.setDateTime(QDateTime(year, 1, 1, 0, 0, 0))
        assert end.secsTo(extend.until.dateTime()) == extend.by.seconds
    extend.reject()


def test_commands_of_another_length_are_hidden(qtbot: QtBot, armed: JobsWorkspace, dialog: Find) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    extend.show_button.click()
    qtbot.waitUntil(extend.commands.isVisible)
    extend.by.setValue(45)
    assert extend.commands.isHidden()
    extend.reject()


def test_extend_warns_beyond_the_partitions_longest_time(armed: JobsWorkspace, dialog: Find) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    extend.by.setValue(8 * 24 * 60)
    # MaxTime of batch is 7-00:00:00
    assert says(
        extend.known.text(), "slurm.limit-becomes-beyond-maxtime-of", longest_s="7-00:00:00", name="batch"
    )
    assert extend.verb.isEnabled()
    extend.by.setValue(0)
    assert extend.problem.text() == wording(
        "console.operate.jobs.no-action-is-possible", label="7", others=wording("slurm.job-would-not-change")
    )
    extend.reject()


def test_a_limit_below_what_it_has_run_must_be_insisted_on(armed: JobsWorkspace, dialog: Find) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    extend.by.setValue(-29)
    assert extend.insist.isVisible()
    assert not extend.verb.isEnabled()
    tick(extend)
    assert extend.verb.isEnabled()
    extend.reject()


def test_a_tick_for_one_length_is_void_for_another(armed: JobsWorkspace, dialog: Find) -> None:
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    for first, then in ((-29, 30), (-29, -28)):
        extend.by.setValue(first)
        tick(extend)
        assert extend.verb.isEnabled()
        extend.by.setValue(then)
        extend.by.setValue(-28)
        assert not extend.insist.isChecked()
        assert not extend.verb.isEnabled()
    extend.by.setValue(-29)
    tick(extend)
    extend.refresh()  # a poll that changes nothing of it
    assert extend.verb.isEnabled()
    extend.reject()


def test_resume_of_a_displaced_job_says_by_whom_and_must_be_insisted_on(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    resume = opened(armed, dialog, JobVerb.RESUME, 31)
    assert says(resume.known.text(), "slurm.slurm-suspended-job-for-another")
    assert "probably by" in resume.known.text()
    assert wording("app.jobs.of-2", label="30", user="fs_kim") in resume.known.text()
    assert not resume.verb.isEnabled()
    tick(resume)
    QTest.mouseClick(resume.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(resume))
    change = target.asked[-1].change
    assert (change.verb, change.jobs) == (JobVerb.RESUME, ("31",))
    ((label, why),) = change.insisted
    assert label == "31"
    assert says(why, "slurm.slurm-suspended-job-for-another")


def _with(target: play.PlayTarget, job_id: int, **changed: Any) -> tuple[Job, ...]:
    """The jobs, one of them otherwise."""
    return tuple(replace(job, **changed) if job.job_id == job_id else job for job in target.now.jobs)


# What happens while the question to resume job 31, which job 30 has displaced, stands ticked.
MEANWHILE: dict[str, Callable[[play.PlayTarget], dict[str, Any]]] = {
    "another has displaced it": lambda target: {"jobs": _with(target, 30, user="fs_ben")},
    "it has been resumed": lambda target: {"jobs": _with(target, 31, states=("RUNNING",))},
    "it has ended": lambda target: {"jobs": _with(target, 31, states=("COMPLETED",))},
    "it is unknown by now": lambda target: {
        "jobs": tuple(job for job in target.now.jobs if job.job_id != 31)
    },
    "the cluster does not answer": lambda _: {
        "link": Link.NO_ANSWER, "parts": play.parts_failed("no route")
    },
}  # fmt: skip


@pytest.mark.parametrize("what", MEANWHILE)
def test_what_changes_behind_a_question_makes_its_answer_void(
    armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, publish: Publish, what: str
) -> None:
    resume = opened(armed, dialog, JobVerb.RESUME, 31)
    tick(resume)
    assert resume.verb.isEnabled()
    publish(**MEANWHILE[what](target))
    QTest.keyClick(resume.reason, Qt.Key.Key_Return)
    QTest.keyClick(resume, Qt.Key.Key_R, Qt.KeyboardModifier.AltModifier)
    QTest.mouseClick(resume.verb, Qt.MouseButton.LeftButton)
    assert target.asked == []
    assert resume.problem.isVisible()
    resume.reject()


def test_what_changes_elsewhere_leaves_the_answer(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, publish: Publish
) -> None:
    """Another node fails, with an alert, and another job ends."""
    resume = opened(armed, dialog, JobVerb.RESUME, 31)
    tick(resume)
    down = tuple(replace(node, state="down") if node.name == "n3" else node for node in target.now.nodes)
    publish(nodes=down)
    publish(jobs=_with(target, 21, states=("COMPLETED",)))
    QTest.keyClick(resume.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(resume))
    assert [asked.change.jobs for asked in target.asked] == [("31",)]


def test_a_reservation_made_while_a_question_stands_is_in_sight(
    armed: JobsWorkspace,
    dialog: Find,
    target: play.PlayTarget,
    publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where it is all that has changed, within a second."""
    monkeypatch.setattr(type(armed.controller), "now_s", property(lambda _: play.NOW_S))
    extend = cast("ExtendJobs", opened(armed, dialog, JobVerb.EXTEND, 7))
    extend.by.setValue(60)
    assert not extend.known.text()
    job = next(one for one in target.now.jobs if one.job_id == 7)
    assert job.end_s is not None
    made = replace(
        target.now.reservations[0], name="soon", nodes=job.nodes, start_s=job.end_s, end_s=job.end_s + 3600
    )
    publish(reservations=(*target.now.reservations, made))
    assert says(extend.known.text(), "slurm.may-run-into-reservation-on")
    extend.reject()


def test_requeue_says_what_is_lost(armed: JobsWorkspace, dialog: Find) -> None:
    requeue = opened(armed, dialog, JobVerb.REQUEUE, 21)
    assert says(requeue.known.text(), "slurm.cpu-hours-are-lost-unless")
    assert requeue.cancel.isDefault()
    requeue.reject()


def test_what_came_of_each_job_is_counted_and_shown(
    qtbot: QtBot, armed: JobsWorkspace, dialog: Find, target: play.PlayTarget
) -> None:
    target.answer = refusals
    suspend = opened(armed, dialog, JobVerb.SUSPEND, 7, 21, 30)
    QTest.mouseClick(suspend.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(suspend.problem.isVisible)
    counts, refusal = suspend.problem.text().splitlines()
    assert counts.split(", ") == ["2 done", "1 refused."]
    assert refusal.startswith("21, refused:")
    assert refusal.endswith(refusals(JobChange(JobVerb.SUSPEND, ("7", "21")))[1].text)
    suspend.reject()
    message = "<b>Suspend 3 jobs:</b> 2 done, 1 refused. 21: Access/permission denied for job 21"
    assert armed.results.words.text() == message
    QTest.mouseClick(armed.results.details, Qt.MouseButton.LeftButton)
    details = cast("ResultsDialog", dialog(ResultsDialog))
    assert details.table.rows.rowCount() == 3
    assert details.table.model().index(1, 1).data() == "refused"
    copy = next(button for button in details.buttons.buttons() if button.text() == "Copy report")
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[2].split("\t")[:2] == ["21", "refused"]
    assert shlex.split(lines[2])[-3:] == ["scontrol", "suspend", "21"]
    details.reject()
    QTest.mouseClick(armed.results.close_button, Qt.MouseButton.LeftButton)
    assert not armed.results.isVisible()


def test_a_failure_is_not_lost_behind_the_next_action(
    qtbot: QtBot, armed: JobsWorkspace, target: play.PlayTarget
) -> None:
    target.answer = lambda change: (ActionReport("19", Result.REFUSED, "no", ("scontrol", "hold", "19")),)
    armed.controller.act(JobChange(JobVerb.HOLD, ("19",)))
    qtbot.waitUntil(lambda: "refused" in armed.results.words.text())
    target.answer = play.done_reports
    armed.controller.act(JobChange(JobVerb.HOLD, ("13",)))
    qtbot.waitUntil(lambda: "done" in armed.results.words.text())
    assert says(
        armed.results.words.text(),
        "console.operate.jobs.did-not-complete-see-records",
        failed=count_words(1, "earlier action"),
    )
    QTest.mouseClick(armed.results.close_button, Qt.MouseButton.LeftButton)
    armed.controller.act(JobChange(JobVerb.HOLD, ("13",)))
    qtbot.waitUntil(armed.results.isVisible)
    assert "before" not in armed.results.words.text()


def test_how_long_the_cluster_is_waited_for_is_reported() -> None:
    doing = PendingAction(JobChange(JobVerb.KILL, ("7",)), 100.0)
    words = wording("console.operate.jobs.waiting-for-to-respond-3", cluster="lab")
    assert doing_words(doing, "lab", 100.4) == f"Kill 7: {words}"
    assert doing_words(doing, "lab", 112.0) == f"Kill 7: {words}, 12 s"


def without_array(change: JobChange) -> tuple[ActionReport, ...]:
    """The six tasks of the array were not sent, a job before them was."""
    return tuple(
        ActionReport(job, Result.NOT_SENT, "Stopped before it was run.", (), count=6)
        if job.startswith("33")
        else ActionReport(job, Result.DONE, "", ("scontrol", change.verb.value, job))
        for job in change.jobs
    )


@pytest.mark.parametrize("by_disarming", [False, True])
def test_what_was_sent_of_several_is_counted_and_the_rest_can_be_stopped(
    qtbot: QtBot,
    armed: JobsWorkspace,
    dialog: Find,
    target: play.PlayTarget,
    cluster: ClusterSession,
    *,
    by_disarming: bool,
) -> None:
    target.answer, target.holds = without_array, True
    hold = opened(armed, dialog, JobVerb.HOLD, 19, 33)
    assert not hold.stop_button.isVisible()
    assert hold.heading.text().startswith("Hold 7 jobs on lab?")
    QTest.mouseClick(hold.verb, Qt.MouseButton.LeftButton)
    assert target.progress is not None
    for sent in (0, 1):
        target.progress(sent, 7)
    words = wording("console.operate.jobs.of-sent", sent="1", count="7")
    qtbot.waitUntil(lambda: hold.below.text() == words)
    assert words in armed.results.words.text()
    stops = (hold.stop_button, armed.results.stop)
    assert all(stop.isVisible() for stop in stops)
    if by_disarming:
        cluster.arming.disarm()
        assert target.stopped == ["apply", "act"]
    else:
        for stop in stops:
            QTest.mouseClick(stop, Qt.MouseButton.LeftButton)
        assert target.stopped == ["act", "act"]
    target.let_go()
    message = "<b>Hold 7 jobs:</b> 1 done, 6 not sent. 33_[4-9%2]: Stopped before it was run."
    qtbot.waitUntil(lambda: armed.results.words.text() == message)
    assert not any(stop.isVisible() for stop in stops)
    assert hold.problem.text().startswith("1 done, 6 not sent.")
    assert (READ_ONLY in hold.problem.text()) == by_disarming
    hold.reject()


def test_a_dialog_shows_what_it_has_sent_until_it_is_answered(
    armed: JobsWorkspace, dialog: Find, target: play.PlayTarget, publish: Publish
) -> None:
    target.holds = True
    kill = opened(armed, dialog, JobVerb.KILL, 7, 21)
    heading, jobs = kill.heading.text(), kill._job.text()
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    publish(jobs=tuple(job for job in target.now.jobs if job.job_id != 7))
    assert (kill.heading.text(), kill._job.text()) == (heading, jobs)
    assert not kill.left_out.isVisible()
    target.let_go()


def test_a_target_that_fails_is_reported_for_each_job(
    qtbot: QtBot, armed: JobsWorkspace, target: play.PlayTarget
) -> None:
    target.holds = True
    armed.controller.act(JobChange(JobVerb.HOLD, ("19",)))
    future, _ = target._held.pop()
    future.set_exception(RuntimeError("ssh has gone"))
    qtbot.waitUntil(lambda: "unknown. ssh has gone" in armed.results.words.text())


@pytest.mark.parametrize("verb", [*JobVerb])
def test_every_verb_is_in_the_menu_and_needs_a_job(operate: JobsWorkspace, verb: JobVerb) -> None:
    action = operate.table[f"cluster.{verb}"]
    assert action.menu == "Target"
    assert action.needs is CLUSTER
    assert not operate.table.qaction(action.id).isEnabled()


@pytest.mark.parametrize(
    ("verb", "before", "after", "message"),
    [
        (JobVerb.KILL, "RUNNING", "COMPLETING", "Kill 7: done. Job 7 is ending (COMPLETING)."),
        (JobVerb.KILL, "PENDING", "CANCELLED", "Kill 7: done. Job 7 has ended."),
        (
            JobVerb.EXTEND,
            "0:30:00",
            "1:00:00",
            "Extend 7: done. Job 7 has the time limit 1:00:00 instead of 0:30:00.",
        ),
        (
            JobVerb.REQUEUE,
            "RUNNING",
            "COMPLETING",
            "Requeue 7: done. Job 7 is requeued. Slurm shows COMPLETING.",
        ),
        (JobVerb.HOLD, "PENDING", "", "Hold 7: done. Job 7 is held."),
    ],
)
def test_a_result_is_a_sentence(verb: JobVerb, before: str, after: str, message: str) -> None:
    report = ActionReport("7", Result.DONE, "", ("x",), before, after)
    assert doing_words(PendingAction(JobChange(verb, ("7",)), 0.0, (report,)), "lab", 1.0) == message


def test_what_went_well_is_reported_while_it_is_news(
    qtbot: QtBot,
    armed: JobsWorkspace,
    dialog: Find,
    target: play.PlayTarget,
    cluster: ClusterSession,
) -> None:
    target.answer = lambda change: (
        ActionReport("7", Result.DONE, "", ("scancel", "7"), "RUNNING", "COMPLETING"),
    )
    QTest.mouseClick(opened(armed, dialog, JobVerb.KILL, 7).verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "is ending (COMPLETING)" in armed.results.words.text())
    others = tuple(job for job in target.now.jobs if job.job_id != 7)
    target.publish(jobs=others, parts=play.parts_read(play.NOW_S + 5))
    cluster.look()
    assert says(armed.results.words.text(), "console.operate.jobs.has-ended", job="Job 7")
    target.publish(parts=play.parts_read(play.NOW_S + 61))
    cluster.look()
    assert not armed.results.isVisible()


def test_requeue_bears_its_own_icon(armed: JobsWorkspace, dialog: Find) -> None:
    drawings = {}
    for verb in (JobVerb.KILL, JobVerb.REQUEUE):
        shown = opened(armed, dialog, verb, 7)
        assert isinstance(shown.verb, DangerButton)
        drawings[verb] = shown.verb.drawing
        shown.reject()
    assert drawings == {JobVerb.KILL: "kill", JobVerb.REQUEUE: "requeue"}


def test_a_dialog_heeds_arming_only_between_being_built_and_gone(
    qtbot: QtBot, armed: JobsWorkspace, cluster: ClusterSession
) -> None:
    """Its words are said of rows that are not there before, and no more afterwards."""

    class Late(AskDialog):
        followed: list[str]
        what: QLabel

        def follow(self) -> str:
            self.followed = ["followed"]
            self.what.setText("x")
            return ""

    shown = Late(cluster.arming, "Title", QPushButton("Do"), "ok", armed)
    cluster.arming.changed.emit()
    shown.refresh()
    shown.what = shown.row("What")
    shown.lay_out(cancels=False)
    assert shown.followed == ["followed"]
    with qtbot.waitSignal(shown.destroyed):
        shown.deleteLater()
    cluster.arming.changed.emit()
