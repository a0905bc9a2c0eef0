"""Why a job waits, as a person asks: a job, a time, and who is ahead."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.app.study.why_answer import Answer, History, answer_of, facts, history_of
from fsconsole.batch.clock import Clock
from fsconsole.batch.insight.losses import reservations_of
from fsconsole.batch.insight.why_waiting import why_waiting
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study import why_page
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.why_page import WhyPage
from tests.texts import says, wording

_LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def schedule(kth_folder: StudyFolder) -> Schedule:
    """RelShare(1d) with its reservations."""
    return kth_folder.month_run(kth_folder.cells()[2], reservations=True).schedule


@pytest.fixture
def page(qtbot: QtBot, kth_selection: StudySelection) -> WhyPage:
    made = WhyPage(kth_selection)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    return made


def longest(schedule: Schedule) -> int:
    return int(np.argmax(schedule.wait_s))


def ask(
    qtbot: QtBot, page: WhyPage, selection: StudySelection, schedule: Schedule, row: int, at_s: int
) -> None:
    """Select a job and a time, and wait for the answer."""
    selection.set_cursor(at_s)
    selection.select_job(int(schedule.jobs.job_id[row]))
    qtbot.waitUntil(
        lambda: page.answer is not None and (page.answer.found.row, page.answer.found.at_s) == (row, at_s),
    )


def test_the_button_asks_about_the_longest_wait(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    buttons = page.body.findChildren(QPushButton)
    qtbot.waitUntil(lambda: any(button.text() == "Longest wait" and button.isVisible() for button in buttons))
    next(button for button in buttons if button.text() == "Longest wait").click()
    qtbot.waitUntil(lambda: page.answer is not None)
    row = longest(schedule)
    assert kth_selection.job == schedule.jobs.job_id[row]
    assert kth_selection.cursor_s is not None
    assert schedule.jobs.submit_s[row] < kth_selection.cursor_s < schedule.start_s[row]


def test_the_page_says_what_the_explanation_says(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    row = longest(schedule)
    at_s = int(schedule.start_s[row]) - 1
    ask(qtbot, page, kth_selection, schedule, row, at_s)
    found = why_waiting(schedule, row, at_s)
    assert page.reasons.text().split("\n") == list(found.reasons)
    ids = [page.model.value(place, "job_id") for place in range(page.model.rowCount())]
    assert tuple(ids) == found.ahead_ids
    assert says(page.head.text(), "batch.insight.job-of-user", job_id=found.job_id, user=f"#{found.user}")
    place = [str(found.position), "of", str(found.waiting)]
    assert place in [shown.split() for shown in dict(page.facts.facts).values()]


def test_reservations_have_the_room_that_is_left(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    page.resize(980, 680)
    row = longest(schedule)
    ask(qtbot, page, kth_selection, schedule, row, int(schedule.start_s[row]) - 1)
    header = page.view.header()
    words = "from 1996-10-30 22:11:08"
    assert header.length() == page.view.viewport().width()
    assert header.sectionSize(header.count() - 1) > page.view.fontMetrics().horizontalAdvance(words)


def test_its_reservations_are_reported_and_drawn(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    log = schedule.reservations
    assert log is not None
    row = int(log.job[log.job >= 0][0])
    ask(qtbot, page, kth_selection, schedule, row, int(schedule.jobs.submit_s[row]))
    qtbot.waitUntil(lambda: page.history is not None)
    assert page.history is not None
    assert page.history.found.spans == reservations_of(schedule, row).spans
    assert page.reserved.text().startswith(
        wording("batch.insight.job-of-user", job_id=schedule.jobs.job_id[row], user="")
    )


def test_reservations_of_another_run_that_come_late_are_not_shown(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule, kth_folder: StudyFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    _, other, first = kth_folder.cells()
    begun, go_on = Event(), Event()
    reserved_of, is_there = kth_selection.reserved.of, {first}

    def slow_history(own: Schedule, row: int) -> History:
        begun.set()
        assert go_on.wait(60)
        return history_of(own, row)

    monkeypatch.setattr(why_page, "history_of", slow_history)
    monkeypatch.setattr(
        kth_selection.reserved, "of", lambda cell: reserved_of(cell) if cell in is_there else None
    )
    log = schedule.reservations
    assert log is not None
    row = int(log.job[log.job >= 0][0])
    ask(qtbot, page, kth_selection, schedule, row, int(schedule.jobs.submit_s[row]))
    qtbot.waitUntil(begun.is_set)
    with qtbot.waitSignal(kth_selection.runs.loaded):
        kth_selection.select_cell(other)
    go_on.set()
    qtbot.waitUntil(lambda: not page._tasks.is_busy("history"))
    is_there.add(other)
    qtbot.waitUntil(lambda: reserved_of(other) is not None)
    kth_selection.reserved.loaded.emit(other)
    qtbot.waitUntil(lambda: page.history is not None)
    assert page.history is not None
    run = kth_folder.month_run(other, reservations=True)
    assert page.history.found.spans == reservations_of(run.schedule, row).spans


def test_what_was_selected_while_another_question_failed_is_asked(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    row, begun, go_on = longest(schedule), Event(), Event()
    at_s = int(schedule.start_s[row]) - 1

    def failing_answer(own: Schedule, asked: int, second: int) -> Answer:
        if second != at_s:
            return answer_of(own, asked, second)
        begun.set()
        assert go_on.wait(60)
        raise ValueError("of a test")

    monkeypatch.setattr(why_page, "answer_of", failing_answer)
    kth_selection.set_cursor(at_s)
    kth_selection.select_job(int(schedule.jobs.job_id[row]))
    qtbot.waitUntil(begun.is_set)
    kth_selection.set_cursor(at_s - 60)
    go_on.set()
    qtbot.waitUntil(lambda: page.answer is not None and page.answer.found.at_s == at_s - 60)
    kth_selection.set_cursor(at_s)
    qtbot.waitUntil(lambda: any("of a test" in one.text() for one in page.body.findChildren(QLabel)))


def test_the_scrubber_moves_the_cursor_and_the_newest_question_is_answered(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    row = longest(schedule)
    submit, start = int(schedule.jobs.submit_s[row]), int(schedule.start_s[row])
    ask(qtbot, page, kth_selection, schedule, row, submit)
    bar = page.scrubber
    for part in (0.2, 0.5, 0.8):
        x = round(bar.x_of(submit + part * (start - submit)))
        QTest.mouseClick(bar, _LEFT, pos=QPoint(x, 16))
    wanted = kth_selection.cursor_s
    assert wanted == bar.second_of(x)
    qtbot.waitUntil(lambda: page.answer is not None and page.answer.found.at_s == wanted)
    QTest.keyClick(bar, Qt.Key.Key_Home)
    assert kth_selection.cursor_s == submit
    QTest.keyClick(bar, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    events = np.concatenate([schedule.jobs.submit_s, schedule.end_s])
    assert kth_selection.cursor_s == events[events > submit].min()
    QTest.keyClick(bar, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert kth_selection.cursor_s == submit
    QTest.keyClick(bar, Qt.Key.Key_End)
    assert kth_selection.cursor_s == start
    qtbot.waitUntil(lambda: page.answer is not None and page.answer.found.at_s == start)
    assert "running" in page.head.text()


def test_enter_on_a_job_ahead_asks_about_that_one(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    jobs = schedule.jobs
    for row in np.argsort(-schedule.wait_s)[:20].tolist():
        at_s = int(jobs.submit_s[row])
        if why_waiting(schedule, row, at_s).ahead:
            break
    ask(qtbot, page, kth_selection, schedule, row, at_s)
    other = page.model.value(0, "job_id")
    page.view.setCurrentIndex(page.model.index(0, 0))
    QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert kth_selection.job == other


def test_another_run_is_asked_about_the_same_job(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection, schedule: Schedule
) -> None:
    row = longest(schedule)
    ask(qtbot, page, kth_selection, schedule, row, int(schedule.jobs.submit_s[row]))
    before, state = page.answer, kth_selection.state
    assert state is not None
    kth_selection.select_cell(state.cells[0])
    qtbot.waitUntil(lambda: page.answer is not None and page.answer is not before)
    assert page.answer is not None
    assert page.answer.found.standing is None


def test_a_job_that_is_not_there_is_reported(
    qtbot: QtBot, page: WhyPage, kth_selection: StudySelection
) -> None:
    kth_selection.select_job(99_999_999)
    labels = page.body.findChildren(QLabel)
    qtbot.waitUntil(lambda: any("Job 99999999 is not in this run" in label.text() for label in labels))
    assert page.answer is None


def test_machine_shows_the_job_there(qtbot: QtBot, page: WhyPage) -> None:
    with qtbot.waitSignal(page.page_wanted) as wanted:
        page.machine.click()
    assert wanted.args == ["machine"]


def test_facts_stand_on_the_explanation(schedule: Schedule) -> None:
    row = longest(schedule)
    answer = answer_of(schedule, row, int(schedule.jobs.submit_s[row]))
    fields = dict(facts(answer.found, Clock(schedule.jobs)))
    assert fields["Nodes needed"] == str(int(schedule.jobs.nodes[row]))
    standing = answer.found.standing
    assert standing is not None
    rank = fields[wording("app.study.owner-s-rank-among-waiting")]
    assert rank.split() == [str(standing.rank), "of", str(standing.users_waiting)]
