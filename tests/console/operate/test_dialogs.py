from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTime
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from fsconsole.console.arming import READ_ONLY
from fsconsole.console.operate.nights.dialogs import (
    ExtendDialog,
    KillDialog,
    ShiftNoteDialog,
    StartWindowDialog,
    StopDialog,
)
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.preferences_dialog import PreferencesDialog
from fsconsole.neardedicated.handlers import MOST_NOTE
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import (
    CloseWindow,
    ExtendJob,
    KillJob,
    OpenWindow,
    WriteNote,
)
from fsconsole.text.numbers import UNKNOWN
from tests.console.operate import nights
from tests.console.operate.conftest import Sent
from tests.texts import Expected, naming, says, span, worded, wording

Find = Callable[[type[QDialog]], QDialog]
_CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def opened(armed: NightsWorkspace, dialog: Find, kind: type[QDialog], action: str) -> QDialog:
    assert armed.table.trigger(action)
    return dialog(kind)


def is_gone(widget: QDialog) -> bool:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return not isValid(widget) or not widget.isVisible()


def kill_dialog(armed: NightsWorkspace, dialog: Find) -> KillDialog:
    return cast("KillDialog", opened(armed, dialog, KillDialog, "operate.kill"))


def test_kill_names_job_user_machine_and_what_is_lost(armed: NightsWorkspace, dialog: Find) -> None:
    kill = kill_dialog(armed, dialog)
    assert kill.heading.text() == wording(
        "console.operate.nights.kill-of-on", job="ccm-0219a", user="sbert", machine=armed.controller.machine
    )
    assert kill.lost.text() == wording(
        "console.operate.nights.of-wall-time-and-of", elapsed="0:45:10", cpu="4:34:51"
    )
    assert kill.then.text() == wording(
        "neardedicated.control-scans-queue-and-starts",
        ends="Preemption ends",
        name="ccm-0219b",
        person="sbert",
    )
    assert kill.focusWidget() is kill.reason
    assert kill.cancel.isDefault()
    assert not kill.verb.isDefault()
    kill.reject()


def test_the_clock_is_held_while_a_dialog_is_open(armed: NightsWorkspace, dialog: Find) -> None:
    session = armed.session

    def runs() -> bool:
        return session.playback is not None and session.playback.is_running

    session.run()
    assert runs()
    armed.table.trigger("operate.kill")
    kill = dialog(KillDialog)
    assert isinstance(kill, KillDialog)
    assert not runs()
    assert kill._logged.text().endswith(wording("console.operate.nights.clock-is-held-at", time_s="23:45:10"))
    kill.reject()
    assert runs()
    session.pause()
    armed.table.trigger("operate.kill")
    dialog(KillDialog).reject()
    # It was paused before.
    assert not runs()


def test_enter_in_the_reason_cancels(qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent) -> None:
    kill = kill_dialog(armed, dialog)
    QTest.keyClicks(kill.reason, "user asked")
    QTest.keyClick(kill.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert sent.actions == []


def test_tab_and_space_kill_with_the_reason(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    kill = kill_dialog(armed, dialog)
    QTest.keyClicks(kill.reason, "by phone")
    QTest.keyClick(kill.reason, Qt.Key.Key_Tab)
    assert kill.focusWidget() is kill.hold_others
    QTest.keyClick(kill.hold_others, Qt.Key.Key_Space)
    QTest.keyClick(kill.hold_others, Qt.Key.Key_Tab)
    assert kill.focusWidget() is kill.verb
    QTest.keyClick(kill.verb, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert sent.actions == [(KillJob(41877, hold_others=True), "hale", "by phone")]


def test_alt_k_kills(qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent) -> None:
    kill = kill_dialog(armed, dialog)
    QTest.keyClick(kill, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: is_gone(kill))
    assert sent.last == KillJob(41877)


def test_a_job_that_has_just_ended_is_reported_and_cannot_be_killed(
    armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    kill = kill_dialog(armed, dialog)
    kill.reason.setText("too slow")
    ended = replace(nights.report().jobs[0], request=41877, start_s=nights.START, wall_s=2700.0)
    report = replace(nights.report(), jobs=(ended,))
    armed.controller.show(replace(nights.night(), job=None, night=report), ())
    assert kill.problem.text() == wording(
        "console.operate.nights.ended-at-nothing-was-changed", name="ccm-0219a", at="23:45:00"
    )
    assert not kill.verb.isEnabled()
    assert kill.reason.text() == "too slow"
    QTest.keyClick(kill, Qt.Key.Key_K, Qt.KeyboardModifier.AltModifier)
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    assert sent.actions == []
    kill.do_it()
    assert sent.actions == [(KillJob(41877), "hale", "too slow")]  # asked, and for the machine to refuse
    kill.reject()


def test_what_the_machine_refuses_is_reported_and_nothing_is_lost(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    sent.answer = Outcome(False, "41877 ended at 23:45:12: ended", 0)
    kill = kill_dialog(armed, dialog)
    kill.reason.setText("too slow")
    QTest.mouseClick(kill.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: kill.problem.text() == "41877 ended at 23:45:12: ended")
    assert kill.isVisible()
    assert kill.reason.text() == "too slow"
    kill.reject()


def test_a_dialog_cannot_act_once_the_console_is_read_only_again(
    armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    kill = kill_dialog(armed, dialog)
    armed.controller.arming.disarm()
    assert not kill.verb.isEnabled()
    assert kill.problem.text() == READ_ONLY
    kill.do_it()
    assert sent.actions == []
    armed.controller.arming.arm()
    assert kill.verb.isEnabled()
    assert kill.problem.isHidden()
    kill.reject()


def test_a_machine_that_was_started_anew_is_another_one(
    armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    kill = kill_dialog(armed, dialog)
    armed.session.target_changed.emit()
    armed.controller.arming.arm()
    armed.controller.show(nights.night(), ())
    assert kill.problem.text() == wording("console.operate.nights.another-machine-is-open-now")
    kill.do_it()
    assert sent.actions == []
    kill.reject()


def test_a_job_that_was_killed_offers_neither_kill_nor_extend(
    armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    kill = kill_dialog(armed, dialog)
    extend = cast("ExtendDialog", opened(armed, dialog, ExtendDialog, "operate.extend"))
    state = "Killed; ends when the clock advances"
    killed = replace(
        nights.job(), state=state, is_over=True, watchdog_s=nights.NOW, expected_end_s=nights.NOW
    )
    armed.controller.show(replace(nights.night(), job=killed), ())
    for asked in (kill, extend):
        assert asked.problem.text() == wording(
            "console.operate.nights.was-killed-it-ends-when", name="ccm-0219a"
        )
        assert not asked.verb.isEnabled()
        asked.reject()
    assert not armed.table.trigger("operate.kill")
    assert not armed.table.trigger("operate.extend")
    for widget in (armed.job.kill, armed.job.extend, armed.job.by):
        assert not widget.isEnabled()
        assert widget.toolTip() == wording("console.operate.nights.job-was-killed-it-ends")
    assert sent.actions == []


def test_words_of_a_dialog_are_not_squeezed_by_a_problem(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find
) -> None:
    armed.job.by.setValue(150)
    extend = cast("ExtendDialog", opened(armed, dialog, ExtendDialog, "operate.extend"))
    ended = replace(nights.report().jobs[0], request=41877, start_s=nights.START, wall_s=2700.0)
    report = replace(nights.report(), jobs=(replace(ended, how="killed at the end of the window by nobody"),))
    armed.controller.show(replace(nights.night(), job=None, night=report), ())
    assert extend.problem.isVisible()
    for label in (extend.effect, extend.problem):
        assert label.height() >= label.heightForWidth(label.width()), label.text()
    extend.reject()


def test_extend_says_what_no_longer_fits_and_does_it_by_enter(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    armed.job.by.setValue(150)
    extend = cast("ExtendDialog", opened(armed, dialog, ExtendDialog, "operate.extend"))
    assert extend.by.text() == "2:30 h"
    assert says(extend.effect.text(), "console.operate.nights.watchdog-moves-to", watchdog_s="05:30")
    assert "2 " + wording("console.operate.nights.queued-jobs-no-longer-fit") in extend.effect.text()
    extend.by.setValue(30)
    assert says(extend.effect.text(), "console.operate.nights.every-queued-job-that-fits")
    QTest.keyClicks(extend.reason, "nearly done")
    QTest.keyClick(extend.reason, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(extend))
    assert sent.actions == [(ExtendJob(41877, 1800.0), "hale", "nearly done")]


@pytest.mark.parametrize("typed", ["-10", "", "45", "2 hrs"])
def test_extend_waits_for_a_length(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent, typed: str
) -> None:
    extend = cast("ExtendDialog", opened(armed, dialog, ExtendDialog, "operate.extend"))
    extend.by.selectAll()
    QTest.keyClick(extend.by, Qt.Key.Key_Delete)
    QTest.keyClicks(extend.by, typed)
    QTest.keyClick(extend.by, Qt.Key.Key_Return)
    assert not extend.verb.isEnabled()
    assert extend.problem.text() == extend.by.problem
    assert extend.effect.text() == UNKNOWN
    assert sent.actions == []
    extend.by.selectAll()
    QTest.keyClicks(extend.by, "20 min")
    QTest.keyClick(extend.by, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: is_gone(extend))
    assert [action for action, *_ in sent.actions] == [ExtendJob(41877, 1200.0)]


@pytest.mark.parametrize(
    ("minutes", "wrong"),
    [
        (0, worded("console.operate.nights.choose-length-other-than-0")),
        (-300, naming("in the past")),
    ],
)
def test_an_extension_that_cannot_be(
    armed: NightsWorkspace, dialog: Find, minutes: int, wrong: Expected
) -> None:
    extend = cast("ExtendDialog", opened(armed, dialog, ExtendDialog, "operate.extend"))
    extend.by.setValue(minutes)
    assert says(extend.problem.text(), wrong)
    assert not extend.verb.isEnabled()
    extend.by.setValue(30)
    assert extend.verb.isEnabled()
    assert extend.problem.isHidden()
    extend.reject()


def test_stop_lets_the_job_run_unless_told(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    stop = cast("StopDialog", opened(armed, dialog, StopDialog, "operate.stop_window"))
    assert says(
        stop.effect.text(), "console.operate.nights.continues-until-at-latest", name="ccm-0219a", at="03:00"
    )
    stop.kills.setChecked(True)
    assert says(stop.effect.text(), "console.operate.nights.of-wall-time-and-of-2", cpu="4:34:51")
    stop.goes_on.setChecked(True)
    QTest.mouseClick(stop.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(stop))
    assert sent.last == CloseWindow(kill_running=False)


def test_stop_kills_the_job_that_was_shown_and_no_other(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    stop = cast("StopDialog", opened(armed, dialog, StopDialog, "operate.stop_window"))
    stop.kills.setChecked(True)
    assert stop.action() == CloseWindow(kill_running=True, request=41877)
    other = replace(nights.job(), request=41878, name="ccm-0219b")
    armed.controller.show(replace(nights.night(), job=other), ())
    assert stop.goes_on.isChecked()
    assert stop.effect.text().startswith(
        wording("console.operate.nights.has-ended-so-no-job", name="ccm-0219a") + "ccm-0219b continues"
    )
    assert stop.action() == CloseWindow()
    stop.kills.setChecked(True)
    assert stop.action() == CloseWindow(kill_running=True, request=41878)
    armed.controller.show(replace(nights.night(), job=None), ())
    assert not stop.kills.isVisible()
    assert stop.action() == CloseWindow()
    stop.reject()


def test_start_opens_up_to_a_time_of_the_clock(
    qtbot: QtBot, armed: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    closed = replace(nights.night(), job=None, window=replace(nights.night().window, is_open=False))
    armed.controller.show(closed, ())
    start = cast("StartWindowDialog", opened(armed, dialog, StartWindowDialog, "operate.start_window"))
    assert start.until.time() == QTime(7, 30)
    start.until.setTime(QTime(6, 0))
    assert says(start.effect.text(), "console.operate.nights.window-is-long", end_s=span(h=6, min=14))
    assert says(start.effect.text(), "console.operate.nights.starts-first-of-jobs", label="sbert ccm-0219b")
    QTest.mouseClick(start.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: is_gone(start))
    assert sent.last == OpenWindow(nights.END - 5400.0)


def test_a_note_may_be_left_read_only(
    qtbot: QtBot, operate: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    note = cast("ShiftNoteDialog", opened(operate, dialog, ShiftNoteDialog, "operate.note"))
    note.text.setPlainText("Tape fails.")
    note.accept()
    assert sent.last == WriteNote("Tape fails.")
    assert operate.note.isVisible()
    assert "Tape fails." in operate.note.words.text()
    operate.note.put_away()
    assert operate.note.isHidden()
    operate.controller.arming.arm()
    assert operate.note.is_wanted


def test_a_note_that_cannot_be_kept_stays_in_the_dialog(
    operate: NightsWorkspace, dialog: Find, own_folders: Path, sent: Sent
) -> None:
    operate.controller.notes = type(operate.controller.notes)(own_folders / "a file" / "notes")
    (own_folders / "a file").write_text("")
    note = cast("ShiftNoteDialog", opened(operate, dialog, ShiftNoteDialog, "operate.note"))
    note.text.setPlainText("Tape 3")
    note.accept()
    note.accept()
    assert note.isVisible()
    assert sent.actions == [(WriteNote("Tape 3"), "hale", "")]
    shown = note.problem
    assert says(shown, "console.operate.nights.machine-has-note-but-it")
    assert str(own_folders / "a file" / "notes") in shown
    note.reject()


def test_a_note_that_is_too_long_is_not_sent_and_stays(
    operate: NightsWorkspace, dialog: Find, sent: Sent
) -> None:
    note = cast("ShiftNoteDialog", opened(operate, dialog, ShiftNoteDialog, "operate.note"))
    note.text.setPlainText("x" * (MOST_NOTE + 1))
    note.accept()
    assert note.isVisible()
    problem = f"A note has at most {MOST_NOTE} characters. This one has {MOST_NOTE + 1}."
    assert note.problem == (wording("console.operate.nights.note-for-next-operator") + f": {problem}")
    assert sent.actions == []
    note.text.setPlainText("a\tb\x1b[1m\u202ec\x00\nd")
    note.accept()
    assert sent.last == WriteNote("a b[1mc\nd")


def test_preferences_of_operators_are_those_of_the_console(operate: NightsWorkspace, dialog: Find) -> None:
    chosen = cast("PreferencesDialog", opened(operate, dialog, PreferencesDialog, "operate.preferences"))
    assert chosen.focusWidget() is chosen.who
    chosen.who.setText("rosa")
    assert operate.controller.arming.choices.who == "rosa"
    chosen.reject()


def test_shortcuts_open_the_dialogs_when_armed_only(
    qtbot: QtBot, operate: NightsWorkspace, dialog: Find
) -> None:
    window = operate.window()
    QTest.keyClick(window, Qt.Key.Key_K, _CONTROL_SHIFT)
    assert not any(isinstance(one, KillDialog) for one in QApplication.topLevelWidgets())
    QTest.keyClick(window, Qt.Key.Key_A, _CONTROL_SHIFT)
    assert operate.controller.is_armed
    QTest.keyClick(window, Qt.Key.Key_K, _CONTROL_SHIFT)
    dialog(KillDialog).reject()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_E, _CONTROL_SHIFT)
    dialog(ExtendDialog).reject()
