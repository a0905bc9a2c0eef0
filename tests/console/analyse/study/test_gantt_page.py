"""The machine over time under a person's hands, on the first 500 jobs of KTH's trace."""

from __future__ import annotations

from functools import partial
from math import ceil, floor
from pathlib import Path
from shutil import copytree
from threading import enumerate as enumerate_threads

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.app.study.reading import read_state
from fsconsole.batch.insight.area_sums import area_sums
from fsconsole.batch.insight.schedule_snapshot import held_at
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study.gantt_page import GanttPage
from fsconsole.console.analyse.study.gantt_sight import LEFT_PX, RIGHT_PX
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.why_page import WhyPage
from fsconsole.console.style.theme import colour, theme
from fsconsole.text.words import count_words
from tests.console.conftest import Answers
from tests.texts import says, wording

_LEFT = Qt.MouseButton.LeftButton
_PLAIN = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(qtbot: QtBot, kth_selection: StudySelection) -> GanttPage:
    """The page, with its run drawn and reservations known."""
    made = GanttPage(kth_selection)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    qtbot.waitUntil(lambda: made.view.shown.has_log)
    return made


def middle_of(page: GanttPage, row: int) -> QPoint:
    """A place in the widest box of a job."""
    scene, sight, machine = page.view.scene, page.view.sight, page.view.areas.machine
    assert scene is not None
    assert sight is not None
    first, wide = max(scene.lanes.of_job(row), key=lambda span: span[1])
    second = (scene.schedule.start_s[row] + scene.schedule.end_s[row]) / 2
    return QPoint(round(machine.x + sight.x(second)), round(machine.y + sight.y(first + wide / 2)))


def largest(page: GanttPage) -> int:
    assert page.scene is not None
    return int(np.argmax(page.scene.schedule.jobs.node_seconds))


def pixel(picture: QImage, at: QPoint) -> int:
    return int(picture.pixel(at))


def test_a_click_selects_the_job_and_sets_the_cursor(page: GanttPage, kth_selection: StudySelection) -> None:
    row, scene = largest(page), page.scene
    assert scene is not None
    QTest.mouseClick(page.view, _LEFT, pos=middle_of(page, row))
    assert kth_selection.job == scene.schedule.jobs.job_id[row]
    assert kth_selection.cursor_s is not None
    assert scene.schedule.start_s[row] <= kth_selection.cursor_s < scene.schedule.end_s[row]
    assert says(page.remark.text(), "console.analyse.study.job-user", job_id=kth_selection.job)
    assert says(page.view.accessibleDescription(), "console.analyse.study.job-user", job_id=kth_selection.job)
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    assert kth_selection.job is None


def test_a_drag_of_time_moves_what_else_is_shown_of_the_instant(
    page: GanttPage, kth_selection: StudySelection, qtbot: QtBot
) -> None:
    why = WhyPage(kth_selection)
    qtbot.addWidget(why)
    why.resize(900, 600)
    why.show()
    row, view, scene = largest(page), page.view, page.scene
    assert scene is not None
    kth_selection.select_job(int(scene.schedule.jobs.job_id[row]))
    qtbot.waitUntil(lambda: why.scrubber.life is not None)
    before = view.sight
    assert before is not None
    machine, axis = view.areas.machine, view.areas.axis
    start, end = (QPoint(round(machine.x + part * machine.width), round(axis.y + 4)) for part in (0.3, 0.6))
    seen: list[int | None] = []
    kth_selection.cursor_moved.connect(lambda: seen.append(kth_selection.cursor_s))

    def is_at(x: int) -> bool:
        return kth_selection.cursor_s == int(before.second(x - machine.x))

    QTest.mousePress(view, _LEFT, pos=start)
    for at in (start + QPoint(40, 0), end):
        QTest.mouseMove(view, at)
        qtbot.waitUntil(partial(is_at, at.x()))
    QTest.mouseRelease(view, _LEFT, pos=end)
    assert len(seen) >= 2
    assert view.sight == before  # only time was moved
    assert why.scrubber.accessibleDescription() == scene.time.words(kth_selection.cursor_s or 0)
    on_line = QPoint(end.x(), round(machine.y + machine.height / 2))
    QTest.mousePress(view, _LEFT, pos=on_line)
    QTest.mouseMove(view, on_line - QPoint(90, 0))
    qtbot.waitUntil(partial(is_at, end.x() - 90))
    QTest.mouseRelease(view, _LEFT, pos=on_line - QPoint(90, 0))
    assert view.sight == before


def test_jobs_are_drawn_where_they_run_in_both_themes(page: GanttPage) -> None:
    at = middle_of(page, largest(page))
    for mode in ("light", "dark"):
        theme().set_mode(mode)
        drawn = pixel(page.view.grab().toImage(), at)
        assert drawn != colour("surface").rgb()
        assert pixel(page.view.grab().toImage(), QPoint(at.x(), 2)) == colour("surface").rgb()


def test_a_selected_user_stands_out(page: GanttPage, kth_selection: StudySelection) -> None:
    scene, row = page.scene, largest(page)
    assert scene is not None
    at = middle_of(page, row)
    before = pixel(page.view.grab().toImage(), at)
    owner = scene.schedule.jobs.users[int(scene.schedule.jobs.user[row])]
    kth_selection.select_user(owner)
    strong = pixel(page.view.grab().toImage(), at)
    kth_selection.select_user(next(name for name in scene.schedule.jobs.users if name != owner))
    pale = pixel(page.view.grab().toImage(), at)
    assert len({before, strong, pale}) == 3
    assert f"#{kth_selection.user}" in page.legend.accessibleName()


def test_the_reservation_at_the_cursor_is_reported_and_drawn(
    page: GanttPage, kth_selection: StudySelection, kth_folder: StudyFolder
) -> None:
    assert kth_selection.cell is not None
    schedule = kth_folder.month_run(kth_selection.cell, reservations=True).schedule
    log = schedule.reservations
    assert log is not None
    at_s = int(log.at_s[np.flatnonzero(log.job >= 0)[0]])
    kth_selection.set_cursor(at_s)
    held = held_at(log, at_s)
    assert page.view.shown.held == held
    assert says(page.remark.text(), "console.analyse.study.reserved-for")
    with_it = page.view.grab().toImage()
    kth_selection.set_cursor(None)
    assert page.view.grab().toImage() != with_it


def test_wheel_drag_and_keys_look_around(page: GanttPage, qapp: QApplication) -> None:
    view = page.view
    assert view.sight is not None
    at = QPointF(500, 200)
    second = view.sight.second(at.x() - view.areas.machine.x)
    wheel = QWheelEvent(
        at, at, QPoint(), QPoint(0, 480), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    qapp.sendEvent(view, wheel)
    near = view.sight
    assert near.seconds < 0.5 * near.last_s
    assert near.second(at.x() - view.areas.machine.x) == pytest.approx(second, abs=1)
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.mousePress(view, _LEFT, shift, QPoint(500, 200))
    QTest.mouseMove(view, QPoint(450, 200))
    QTest.mouseRelease(view, _LEFT, shift, QPoint(450, 200))
    assert view.sight.begin_s == pytest.approx(near.begin_s + 50 / near.px_per_s)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.sight.begin_s > near.begin_s + 50 / near.px_per_s
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.sight.begin_s == view.sight.first_s
    QTest.keyClick(view, Qt.Key.Key_End)
    assert view.sight.end_s == pytest.approx(view.sight.last_s)
    QTest.keyClick(view, Qt.Key.Key_Plus)
    assert view.sight.seconds < near.seconds
    QTest.keyClick(view, Qt.Key.Key_0)
    assert view.sight.is_all
    QTest.keyClick(view, Qt.Key.Key_W)
    assert view.sight.seconds < near.last_s - near.first_s
    QTest.keyClick(view, Qt.Key.Key_A)
    left = view.sight.begin_s
    QTest.keyClick(view, Qt.Key.Key_D)
    assert view.sight.begin_s > left
    QTest.keyClick(view, Qt.Key.Key_S)
    assert view.sight.is_all
    QTest.keyClick(view, Qt.Key.Key_Plus)
    QTest.mouseDClick(view, _LEFT, pos=QPoint(450, 200))
    assert view.sight.is_all


def drag(view: GanttView, start: QPoint, end: QPoint, keys: Qt.KeyboardModifier = _PLAIN) -> None:
    QTest.mousePress(view, _LEFT, keys, start)
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, _LEFT, keys, end)


def test_a_drag_selects_an_area_whose_users_are_summed_up(
    page: GanttPage, kth_selection: StudySelection
) -> None:
    scene, machine = page.scene, page.view.areas.machine
    assert scene is not None
    start = QPoint(round(machine.x + 100), round(machine.y + 10))
    drag(page.view, start, QPoint(round(machine.x + 400), round(machine.bottom + 40)))
    area = page.view.shown.area
    assert area is not None
    assert kth_selection.job is None
    # Cut where the nodes end.
    assert area.bottom == scene.lanes.count
    expected = area_sums(scene.schedule, scene.lanes, area)
    assert page.area.isVisible()
    assert page.area.model.rowCount() == len(expected.users)
    heaviest = scene.schedule.jobs.users[expected.users[0].user]
    assert page.area.model.rows[0].user == heaviest
    assert f"{expected.jobs} jobs" in page.area.remark.text()
    first = page.area.table.visualRect(page.area.model.index(0, 0)).center()
    QTest.mouseClick(page.area.table.viewport(), _LEFT, pos=first)
    assert kth_selection.user == heaviest
    QTest.keyClick(page.view, Qt.Key.Key_F)
    sight = page.view.sight
    assert sight is not None
    assert (sight.begin_s, sight.end_s) == pytest.approx((area.begin_s, area.end_s))
    QTest.keyClick(page.view, Qt.Key.Key_Escape)
    assert page.view.shown.area is None
    assert not page.area.isVisible()


def test_an_area_begins_where_the_button_was_pressed_also_if_the_view_moves_during_the_drag(
    page: GanttPage,
) -> None:
    view, machine = page.view, page.view.areas.machine
    start, end = (QPoint(round(machine.x + x), round(machine.y + y)) for x, y in ((300, 10), (400, 60)))
    assert view.sight is not None
    pressed_s = view.sight.second(start.x() - machine.x)
    QTest.mousePress(view, _LEFT, _PLAIN, start)
    QTest.mouseMove(view, end)
    QTest.keyClick(view, Qt.Key.Key_W)
    QTest.mouseMove(view, end + QPoint(5, 0))
    QTest.mouseRelease(view, _LEFT, _PLAIN, end + QPoint(5, 0))
    area, sight = view.shown.area, view.sight
    assert area is not None
    assert sight is not None
    released_s = sight.second(end.x() + 5 - view.areas.machine.x)
    assert [area.begin_s, area.end_s] == pytest.approx(sorted([pressed_s, released_s]), abs=2)


@pytest.mark.parametrize("has_run_below", [False, True])
def test_the_first_drag_selects_the_nodes_between_press_and_release(
    qtbot: QtBot, page: GanttPage, has_run_below: bool
) -> None:
    if has_run_below:
        page.other.setCurrentIndex(page.other.findText("FCFS-backfill"))
        page.other.activated.emit(page.other.currentIndex())
        qtbot.waitUntil(lambda: page.second.scene is not None)
    view, height = page.view, page.view.height()
    machine, sight = view.areas.machine, view.sight
    assert sight is not None
    x, y = round(machine.x + 100), round(machine.y)
    QTest.mousePress(view, _LEFT, _PLAIN, QPoint(x, y + 10))
    for by in (20, 60, 100):
        QTest.mouseMove(view, QPoint(x + 2 * by, y + by))
        QApplication.processEvents()
        # The chart keeps its size below the pointer.
        assert view.height() == height
        area = view.shown.area
        assert area is not None
        assert (area.top, area.bottom) == (floor(sight.lane(10)), ceil(sight.lane(by)))
    QTest.mouseRelease(view, _LEFT, _PLAIN, QPoint(x + 200, y + 100))
    QApplication.processEvents()
    assert view.shown.area == area
    assert page.area.isVisible()
    assert view.height() < height


def test_two_runs_below_each_other_show_the_same_time_and_area(
    qtbot: QtBot, page: GanttPage, kth_selection: StudySelection
) -> None:
    label = "FCFS-backfill"
    page.other.setCurrentIndex(page.other.findText(label))
    page.other.activated.emit(page.other.currentIndex())
    qtbot.waitUntil(lambda: page.second.scene is not None)
    below, view = page.second.view, page.view
    assert below.isVisible()
    assert below.scene is not None
    assert below.scene.schedule.label == label
    view.setFocus()
    for key in (Qt.Key.Key_W, Qt.Key.Key_W, Qt.Key.Key_D):
        QTest.keyClick(view, key)
    assert below.sight is not None
    assert view.sight is not None
    assert (below.sight.begin_s, below.sight.end_s) == pytest.approx((view.sight.begin_s, view.sight.end_s))
    QTest.keyClick(below, Qt.Key.Key_A)
    assert (below.sight.begin_s, below.sight.end_s) == pytest.approx((view.sight.begin_s, view.sight.end_s))
    machine = below.areas.machine
    at = QPoint(round(machine.x + 50), round(machine.y + 5))
    drag(below, at, at + QPoint(200, 60))
    assert view.shown.area == below.shown.area is not None
    assert label in page.area.remark.text()
    table = page.area.table
    # Six users are in sight below two runs.
    assert table.viewport().height() >= 6 * table.rowHeight(0)
    below_column = page.area.model.place("node-hours below")
    assert not page.area.table.isColumnHidden(below_column)
    page.other.setCurrentIndex(0)
    page.other.activated.emit(0)
    assert not below.isVisible()
    assert label not in page.area.remark.text()


def test_the_strip_of_all_the_run_chooses_what_is_in_sight(page: GanttPage) -> None:
    strip, view = page.minimap, page.view
    assert view.sight is not None
    whole = view.sight
    middle = strip.height() // 2
    left, right = (
        QPoint(round(LEFT_PX + part * (strip.width() - LEFT_PX - RIGHT_PX)), middle) for part in (0.25, 0.5)
    )
    QTest.mousePress(strip, _LEFT, pos=left)
    QTest.mouseMove(strip, right)
    QTest.mouseRelease(strip, _LEFT, pos=right)
    seconds = whole.last_s - whole.first_s
    assert view.sight.begin_s == pytest.approx(whole.first_s + 0.25 * seconds, abs=seconds / 200)
    assert view.sight.seconds == pytest.approx(0.25 * seconds, abs=seconds / 100)
    assert strip.accessibleDescription().startswith("25.")
    inside = QPoint((left.x() + right.x()) // 2, middle)
    QTest.mousePress(strip, _LEFT, pos=inside)
    QTest.mouseMove(strip, inside + QPoint(100, 0))
    QTest.mouseRelease(strip, _LEFT, pos=inside + QPoint(100, 0))
    assert view.sight.begin_s > whole.first_s + 0.3 * seconds
    assert view.sight.seconds == pytest.approx(0.25 * seconds, abs=seconds / 100)
    QTest.mouseClick(strip, _LEFT, pos=left)
    assert (view.sight.begin_s + view.sight.end_s) / 2 == pytest.approx(
        whole.first_s + 0.25 * seconds, abs=seconds / 100
    )


def test_the_cursor_goes_from_event_to_event(page: GanttPage, kth_selection: StudySelection) -> None:
    scene = page.scene
    assert scene is not None
    submit = int(scene.schedule.jobs.submit_s[40])
    kth_selection.set_cursor(submit)
    QTest.keyClick(page.view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert kth_selection.cursor_s == scene.next_event(submit, 1)
    QTest.keyClick(page.view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert kth_selection.cursor_s == submit


def test_a_job_is_gone_to_by_its_number(page: GanttPage, kth_selection: StudySelection) -> None:
    scene = page.scene
    assert scene is not None
    row = int(np.argmax(scene.schedule.wait_s))
    QTest.keyClicks(page.job, str(scene.schedule.jobs.job_id[row]))
    QTest.keyClick(page.job, Qt.Key.Key_Return)
    assert kth_selection.job == scene.schedule.jobs.job_id[row]
    sight = page.view.sight
    assert sight is not None
    assert not sight.is_all
    assert sight.begin_s <= scene.schedule.jobs.submit_s[row] <= scene.schedule.end_s[row] <= sight.end_s
    page.job.setText("999999999999999999999999")
    QTest.keyClick(page.job, Qt.Key.Key_Return)
    assert says(page.remark.text(), "console.analyse.study.this-run-has-no-job")
    assert kth_selection.job == scene.schedule.jobs.job_id[row]


def test_another_run_keeps_time_job_and_cursor(
    qtbot: QtBot, page: GanttPage, kth_selection: StudySelection
) -> None:
    state = kth_selection.state
    assert state is not None
    kth_selection.select_job(100)
    kth_selection.set_cursor(200_000)
    page.view.zoom_in()
    before, sight = page.scene, page.view.sight
    assert sight is not None
    kth_selection.select_cell(state.cells[0])
    qtbot.waitUntil(lambda: page.scene is not before and page.view.shown.has_log)
    assert page.scene is not None
    assert page.scene.schedule.label == "FCFS-backfill"
    now = page.view.sight
    assert now is not None
    assert now.begin_s == pytest.approx(sight.begin_s)
    assert page.view.shown.cursor_s == 200_000
    assert page.view.shown.job == page.scene.row_of(100)


def test_why_opens_the_page_that_explains(
    qtbot: QtBot, page: GanttPage, kth_selection: StudySelection
) -> None:
    assert not page.why.isEnabled()
    kth_selection.select_job(100)
    with qtbot.waitSignal(page.page_wanted) as wanted:
        page.why.click()
    assert wanted.args == ["why"]


def test_without_a_study_the_page_says_so(
    qtbot: QtBot, page: GanttPage, kth_selection: StudySelection
) -> None:
    kth_selection.show(None)
    assert page.scene is None
    assert page.view.grab().toImage().pixel(500, 300) == colour("surface").rgb()


def test_the_picture_is_exported_finer_than_the_screen(page: GanttPage, tmp_path: Path) -> None:
    answers = Answers()
    page.export(answers)
    assert answers.asked == [wording("console.analyse.study.export-machine")]
    answers.to_save = tmp_path / "machine.png", 0
    page.export(answers)
    written = QImage(str(tmp_path / "machine.png"))
    assert written.size() == page.view.size() * 3
    assert "RelShare(1d)" in written.text("Description")
    at = middle_of(page, largest(page))
    assert written.pixel(at * 3) == page.view.grab().toImage().pixel(at)


def test_a_page_that_goes_while_it_works_leaves_nothing_behind(
    qtbot: QtBot, kth_selection: StudySelection
) -> None:
    """What its threads find then is told to nobody; an exception there would fail this test."""
    made = GanttPage(kth_selection)
    were_busy: list[bool] = []

    def go(_cell: object) -> None:
        were_busy.append(made.first._tasks.is_busy("scene"))
        made.deleteLater()

    kth_selection.runs.loaded.connect(go)
    with qtbot.waitSignal(made.destroyed):
        made.show()
    qtbot.waitUntil(lambda: all(thread.name != "task" for thread in enumerate_threads()))
    assert were_busy == [True]


def test_a_run_that_could_be_read_again_is_drawn(
    qtbot: QtBot, selection: StudySelection, kth_folder: StudyFolder, tmp_path: Path
) -> None:
    copied = Path(copytree(kth_folder.path, tmp_path / "copy"))
    state = read_state(StudyFolder(copied), "KTH")
    aside = (copied / "cells").rename(tmp_path / "aside")
    made = GanttPage(selection)
    qtbot.addWidget(made)
    with qtbot.waitSignal(selection.runs.missed):
        selection.show(state)
        made.show()
    assert made.scene is None
    aside.rename(copied / "cells")
    selection.update(read_state(StudyFolder(copied), "KTH"))
    qtbot.waitUntil(lambda: made.scene is not None)
    selection.close()


def test_the_jobs_in_sight_are_read_as_a_table(page: GanttPage, kth_selection: StudySelection) -> None:
    view, scene = page.view, page.scene
    assert scene is not None
    schedule = scene.schedule
    twin = view.text_twin()
    assert len(twin.rows) == (schedule.start_s >= 0).sum()
    assert says(
        view.accessibleDescription(), "console.analyse.study.in-sight-from-to", jobs=f"{len(twin.rows)} jobs"
    )
    kth_selection.select_job(int(schedule.jobs.job_id[largest(page)]))
    view.look_at_job()
    sight, fewer = view.sight, view.text_twin()
    assert sight is not None
    assert largest(page) in fewer.rows
    rows = np.array(fewer.rows)
    assert len(rows) < len(twin.rows)
    assert (schedule.start_s[rows] < sight.end_s).all()
    assert (schedule.end_s[rows] > sight.begin_s).all()
    fields = {column.title: column.text(largest(page)) for column in fewer.columns}
    user = int(schedule.jobs.user[largest(page)])
    assert fields["Job"] == str(kth_selection.job)
    assert fields["User"] == f"#{schedule.jobs.users[user]}"
    assert fields["Started"] == scene.time.words(int(schedule.start_s[largest(page)]))
    assert says(
        view.accessibleDescription(),
        "console.analyse.study.in-sight-from-to",
        jobs=count_words(len(rows), "job"),
    )
