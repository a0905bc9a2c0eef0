"""The table of a cluster's jobs as an operator uses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.jobs.columns import RECENT_S, Field
from fsconsole.app.jobs.filter import chosen, read_filter
from fsconsole.app.jobs.words import reason_words, state_words
from fsconsole.console.operate.jobs.jobs_rows import COLUMN, FIELDS, JobsModel
from fsconsole.console.operate.jobs.jobs_table import JobsTable
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.style.theme import colour
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.targets.slurm.state import Link, Part, PartName
from tests.console.cluster import play
from tests.texts import says, wording

Publish = Callable[..., None]


def labels(operate: JobsWorkspace) -> list[str]:
    table = operate.jobs.table
    return [str(table.jobs.index(row, 0).data()) for row in range(table.jobs.rowCount())]


def cell(operate: JobsWorkspace, label: str, field: Field) -> str:
    row = labels(operate).index(label)
    return str(operate.jobs.table.jobs.index(row, COLUMN[field]).data())


def click(table: JobsTable, row: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    place = table.visualRect(table.jobs.index(row, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, modifier, place)


def test_every_job_is_there_with_what_matters(operate: JobsWorkspace) -> None:
    assert labels(operate) == ["7", "13", "19", "21", "30", "31", "32", "33_[4-9%2]", "34", "35", "36"]
    fields = {field: cell(operate, "7", field) for field in FIELDS}
    assert fields[Field.STATE] == "Running"
    assert (fields[Field.USER], fields[Field.ACCOUNT], fields[Field.PARTITION]) == (
        "fs_finn",
        "genomics",
        "batch",
    )
    assert (fields[Field.NODES], fields[Field.CPUS]) == ("n1", "5")
    # scontrol printed RunTime=00:02:31 at that second, and TimeLimit=00:30:00
    assert (fields[Field.ELAPSED], fields[Field.LEFT], fields[Field.LIMIT]) == (
        "0:02:31",
        "0:27:29",
        "0:30:00",
    )
    assert fields[Field.FAIRSHARE] == "0.2087"  # sshare: 0.208667
    assert fields[Field.START].endswith("09:38")


def test_a_job_that_waits_says_why_and_when_it_is_expected(operate: JobsWorkspace) -> None:
    assert cell(operate, "19", Field.STATE) == "Pending"
    assert cell(operate, "19", Field.REASON) == wording("app.jobs.waits-for-free-cpus-or")
    assert cell(operate, "19", Field.START).startswith("≈")
    assert cell(operate, "19", Field.ELAPSED) == "–"
    assert cell(operate, "34", Field.NODES) == "4 asked"
    assert cell(operate, "32", Field.STATE) == "Held"
    assert cell(operate, "32", Field.REASON) == wording("app.jobs.held-by-operator")


def test_typing_finds_jobs_and_escape_shows_all_again(operate: JobsWorkspace) -> None:
    box = operate.jobs.box
    QTest.keyClicks(box, "user:fs_kim")
    assert labels(operate) == ["30", "34"]
    QTest.keyClicks(box, " running")
    assert labels(operate) == ["30"]
    assert operate.jobs_dock.header._remark.text().startswith(
        wording("console.operate.jobs.of-3", shown="1", all_of_them="16")
    )
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert len(labels(operate)) == 11


def test_ctrl_f_goes_where_one_types(qtbot: QtBot, operate: JobsWorkspace) -> None:
    operate.jobs.table.setFocus()
    QTest.keyClick(operate.jobs.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(operate.jobs.box.hasFocus)


def test_what_cannot_be_looked_for_is_reported_below_and_changes_nothing(
    operate: JobsWorkspace,
) -> None:
    box = operate.jobs.box
    QTest.keyClicks(box, "user:fs_kim")
    box.setText("user:fs_kim cpus>x")  # pasted at once: no half of it is looked for
    assert operate.jobs.wrong.text() == wording(
        "app.jobs.is-not-number-example-16", field="cpus", text="'x'", field_2="cpus"
    )
    assert operate.jobs.wrong.isVisible()
    assert box.property("look") == "error"
    assert labels(operate) == ["30", "34"]
    QTest.keyClick(box, Qt.Key.Key_Backspace)
    QTest.keyClicks(box, "16")
    assert not operate.jobs.wrong.isVisible()
    assert labels(operate) == ["34"]


def test_chips_count_and_show_one_kind_of_state(operate: JobsWorkspace) -> None:
    chips = operate.jobs.chips
    assert {sort: chips.button(sort).text() for sort in Sort} == {
        Sort.RUNNING: "Running 3",
        Sort.WAITING: "Pending 9",  # 3, and 6 tasks of an array
        Sort.SUSPENDED: "Suspended 2",
        Sort.HELD: "Held 1",
        Sort.FINISHED: "Finished 1",
    }
    QTest.mouseClick(chips.button(Sort.SUSPENDED), Qt.MouseButton.LeftButton)
    assert labels(operate) == ["31", "36"]
    QTest.mouseClick(chips.button(Sort.HELD), Qt.MouseButton.LeftButton)
    assert labels(operate) == ["31", "32", "36"]
    QTest.keyClicks(operate.jobs.box, "fs_anna")
    assert labels(operate) == ["32"]
    assert chips.button(Sort.WAITING).text() == "Pending 6"  # of those that are found


def test_a_click_on_a_header_sorts_and_a_second_one_turns_it_round(operate: JobsWorkspace) -> None:
    header = operate.jobs.table.horizontalHeader()
    section = COLUMN[Field.CPUS]
    at = QPoint(header.sectionViewportPosition(section) + 10, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert labels(operate)[:2] in (["34", "33_[4-9%2]"], ["13", "32"])
    is_down = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
    assert labels(operate)[0] == ("34" if is_down else "13")


def test_selection_order_and_place_stay_while_jobs_come_and_go(
    qtbot: QtBot, operate: JobsWorkspace, publish: Publish
) -> None:
    table = operate.jobs.table
    publish(jobs=play.many_jobs(500))
    table.sortByColumn(COLUMN[Field.JOB], Qt.SortOrder.DescendingOrder)
    table.select([1400, 1397])
    top = table.jobs.job(table.verticalScrollBar().value()).job_id
    assert table.verticalScrollBar().value() > 0
    newer = tuple(play.job(5000 + number, "fs_ben", "batch", "PENDING") for number in range(40))
    gone = tuple(job for job in play.many_jobs(500) if job.job_id != 1397)
    publish(jobs=(*gone, *newer))
    assert table.selected_ids == [1400]
    assert [job.job_id for job in operate.controller.jobs] == [1400]
    assert table.jobs.job(table.verticalScrollBar().value()).job_id == top
    assert table.horizontalHeader().sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
    assert table.jobs.job(0).job_id == 5039


def test_a_job_that_changes_is_shown_and_stays_selected(
    operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    click(operate.jobs.table, 0)
    assert operate.job.title.text() == "<b>fs_finn</b>&nbsp; genomics"
    jobs = tuple(
        replace(job, states=("SUSPENDED",), priority=0) if job.job_id == 7 else job for job in target.now.jobs
    )
    publish(jobs=jobs)
    assert cell(operate, "7", Field.STATE) == "Suspended"
    assert operate.jobs.table.selected_ids == [7]
    assert operate.job.chip.text == "Suspended"


def test_selecting_jobs_selects_their_associations_everywhere(operate: JobsWorkspace) -> None:
    table = operate.jobs.table
    click(table, 0)
    click(table, 3, Qt.KeyboardModifier.ControlModifier)
    document = operate.session.document
    assert document is not None
    names = [document.tree.node(node).name for node in operate.session.selection]
    assert sorted(names) == ["fs_finn", "fs_jan"]
    click(table, 3, Qt.KeyboardModifier.ControlModifier)
    click(table, 0, Qt.KeyboardModifier.ControlModifier)
    assert (operate.controller.jobs, operate.session.selection) == ((), ())


def test_a_node_that_was_selected_elsewhere_stays_without_selected_jobs(operate: JobsWorkspace) -> None:
    document = operate.session.document
    assert document is not None
    bio = next(node.id for node in document.tree.walk() if node.name == "bio")
    click(operate.jobs.table, 0)
    operate.session.select([bio])
    click(operate.jobs.table, 0, Qt.KeyboardModifier.ControlModifier)
    assert (operate.controller.jobs, operate.session.selection) == ((), (bio,))


def test_the_switch_shows_jobs_of_the_selected_node_alone(operate: JobsWorkspace) -> None:
    document = operate.session.document
    assert document is not None
    bio = next(node.id for node in document.tree.walk() if node.name == "bio")
    operate.session.select([bio])
    assert operate.jobs.only.text() == "Only bio"
    assert len(labels(operate)) == 11
    QTest.mouseClick(operate.jobs.only, Qt.MouseButton.LeftButton)
    assert labels(operate) == ["7", "13", "21"]
    click(operate.jobs.table, 0)  # selects its user, and the table stays that of bio
    assert labels(operate) == ["7", "13", "21"]
    physics = next(node.id for node in document.tree.walk() if node.name == "physics")
    operate.session.select([physics])
    assert "7" not in labels(operate)
    assert "31" in labels(operate)


def test_cells_are_copied_as_lines_with_all_digits(operate: JobsWorkspace) -> None:
    table = operate.jobs.table
    assert table.columns is not None
    table.columns.show_column(COLUMN[Field.START], is_shown=True)  # it has gone for want of room
    table.select([7])
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    titles, line = (row.split("\t") for row in QGuiApplication.clipboard().text().splitlines())
    assert (titles[0], line[0]) == ("Job", "7")
    assert "0.208667" in line
    assert "2026-11-20 09:38:11" in line
    assert "100704" in line


def test_indexes_stay_with_their_jobs_however_they_are_sorted(operate: JobsWorkspace) -> None:
    model = JobsModel(operate)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show(operate.jobs.table.jobs.reading, None)
    held = {QPersistentModelIndex(model.index(row, 0)): model.job(row) for row in range(model.rowCount())}
    for section in range(model.columnCount()):
        for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
            model.sort(section, order)
            assert all(model.job(index.row()) is job for index, job in held.items())
            assert all(model.row_of(job.job_id) == index.row() for index, job in held.items())
    model.show(operate.jobs.table.jobs.reading, np.arange(len(held)) % 2 == 0)
    assert model.rowCount() == (len(held) + 1) // 2
    model.show(None, None)
    assert model.rowCount() == 0
    tester.deleteLater()
    model.deleteLater()


def test_columns_are_chosen_and_remembered(operate: JobsWorkspace) -> None:
    table = operate.jobs.table
    assert table.isColumnHidden(COLUMN[Field.QOS])
    assert table.columns is not None
    table.columns.show_column(COLUMN[Field.QOS], is_shown=True)
    assert not table.isColumnHidden(COLUMN[Field.QOS])
    again = JobsTable(operate.session.preferences)
    assert not again.isColumnHidden(COLUMN[Field.QOS])
    again.deleteLater()


def test_without_an_answer_values_are_muted_and_say_when_they_are_from(
    operate: JobsWorkspace, publish: Publish
) -> None:
    publish(link=Link.NO_ANSWER, parts=play.parts_failed("squeue: gone"))
    message = operate.link.words.text()
    assert says(message, "targets.slurm.does-not-respond-5", name="lab", problem="squeue: gone")
    read = message.partition(". ")[2].partition(": ")[2]
    names, _, moment = read.partition(" at ")
    assert moment == "09:40:42."
    assert re.findall(r"\w+", names.replace("and", "")) == [
        *("jobs", "usage", "associations", "nodes", "partitions", "reservations", "QOS", "settings")
    ]
    assert operate.link.isVisible()
    index = operate.jobs.table.jobs.index(0, 0)
    assert index.data(Qt.ItemDataRole.ForegroundRole) == colour("muted")
    assert labels(operate)[0] == "7"
    assert operate.jobs_dock.header._remark.text() == (
        "16, " + wording("console.operate.jobs.as-of-2", now_s="09:40:42")
    )


def test_no_jobs_is_reported(operate: JobsWorkspace, publish: Publish) -> None:
    jobs = Part(as_of_s=play.NOW_S + 2 * RECENT_S)  # nor has any ended lately
    publish(
        jobs=(),
        parts={**operate.controller.state.parts, PartName.JOBS: jobs} if operate.controller.state else {},
    )
    assert operate.jobs.empty.isVisible()
    assert operate.jobs.empty._sentence.text() == wording(
        "console.operate.jobs.shows-no-jobs", name="lab", private=""
    )


def test_a_selected_job_stays_selected_where_a_filter_leaves_it_out(operate: JobsWorkspace) -> None:
    operate.jobs.table.select([7])
    held = operate.jobs.chips.button(Sort.HELD)
    QTest.mouseClick(held, Qt.MouseButton.LeftButton)
    assert "7" not in labels(operate)
    assert [job.job_id for job in operate.controller.jobs] == [7]
    assert operate.job_dock.header._remark.text() == wording("console.operate.jobs.left-out-of-list")
    QTest.mouseClick(held, Qt.MouseButton.LeftButton)
    assert operate.jobs.table.selected_ids == [7]
    assert operate.job_dock.header._remark.text() == ""
    QTest.mouseClick(held, Qt.MouseButton.LeftButton)
    operate.jobs.table.selectRow(0)
    # A person selected another one.
    assert 7 not in operate.jobs.table.selected_ids


def test_jobs_that_ended_lately_stay_in_sight(operate: JobsWorkspace, publish: Publish) -> None:
    assert operate.controller.state is not None
    state = operate.controller.state
    operate.jobs.table.select([35])
    publish(jobs=tuple(job for job in state.jobs if job.job_id != 35))
    assert "35" in labels(operate)
    assert operate.jobs.chips.button(Sort.FINISHED).accessibleName() == "Finished 1"
    assert [job.job_id for job in operate.controller.jobs] == [35]
    jobs = Part(as_of_s=play.NOW_S + 2 * RECENT_S)
    publish(parts={**state.parts, PartName.JOBS: jobs})
    assert "35" not in labels(operate)
    assert operate.controller.jobs == ()


def test_where_nothing_is_found_all_jobs_are_offered(operate: JobsWorkspace) -> None:
    QTest.mouseClick(operate.jobs.chips.button(Sort.HELD), Qt.MouseButton.LeftButton)
    QTest.keyClicks(operate.jobs.box, "nobody")
    assert labels(operate) == []
    assert operate.jobs.empty._sentence.text() == wording("console.operate.jobs.no-job-matches")
    QTest.mouseClick(operate.jobs.empty._button, Qt.MouseButton.LeftButton)
    assert len(labels(operate)) == 11
    assert not operate.jobs.empty.isVisible()


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (play.job(1, "u", "batch", "RUNNING"), "Running"),
        (play.job(1, "u", "batch", "PENDING"), "Pending"),
        (play.job(1, "u", "batch", "PENDING", priority=0), "Held"),
        (play.job(1, "u", "batch", "CANCELLED", "COMPLETING"), "Completing, cancelled"),
        (play.job(1, "u", "batch", "OUT_OF_MEMORY"), "Out of memory"),
        (play.job(1, "u", "batch", "A_NEW_ONE"), "A new one"),
    ],
)
def test_states_in_words(job: Job, words: str) -> None:
    assert state_words(job) == words


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("", ""),
        ("None", ""),
        ("Resources", "waits for free CPUs or nodes"),
        ("AssocGrpCpuLimit", "its account's or user's limit is reached (AssocGrpCpuLimit)"),
        ("QOSMaxJobsPerUserLimit", "its QOS's limit is reached (QOSMaxJobsPerUserLimit)"),
        ("Some_new_reason", "Some new reason"),
    ],
)
def test_reasons_in_words(reason: str, words: str) -> None:
    assert reason_words(play.job(1, "u", "batch", "PENDING", reason=reason)) == words


@pytest.mark.parametrize(
    ("state", "reason", "words"),
    [
        ("CANCELLED", "Priority", ""),
        ("CANCELLED", "AssocGrpCpuLimit", ""),
        ("CANCELLED", "ReqNodeNotAvail,_UnavailableNodes:n7", ""),
        ("CANCELLED", "Prolog", ""),
        ("CANCELLED", "DependencyNeverSatisfied", "waits for a job that did not end as required"),
        ("TIMEOUT", "TimeLimit", "TimeLimit"),
        ("FAILED", "NonZeroExitCode", "NonZeroExitCode"),
        ("PENDING", "Priority", "jobs of higher priority go first"),
    ],
)
def test_what_a_job_waited_for_is_not_why_it_ended(
    publish: Publish, operate: JobsWorkspace, state: str, reason: str, words: str
) -> None:
    """squeue keeps the reason of a pending job that was cancelled."""
    ended = play.job(35, "fs_cora", "batch", state, reason=reason, end_s=play.NOW_S - 200)
    alike = play.job(37, "fs_cora", "batch", "PENDING", reason=reason)
    publish(jobs=(ended, alike))
    assert cell(operate, "35", Field.REASON) == words
    assert cell(operate, "37", Field.REASON) == reason_words(alike) != ""
    columns = operate.controller.columns
    assert columns is not None
    found = chosen(columns, read_filter(f"reason:{reason}"))
    assert found.tolist() == [bool(words), True]


def test_the_reason_is_readable_and_what_is_less_needed_goes(operate: JobsWorkspace) -> None:
    table, window = operate.jobs.table, operate.window()
    for width in (1280, 1600):
        window.resize(width, 800)
        QTest.qWait(0)
        header = table.horizontalHeader()
        assert header.length() <= table.viewport().width() + 1
        assert table.columnWidth(COLUMN[Field.REASON]) >= table.fontMetrics().horizontalAdvance(
            wording("app.jobs.jobs-of-higher-priority-go")
        )
        shown = [field for field, at in COLUMN.items() if not table.isColumnHidden(at)]
        assert set(shown) >= {Field.JOB, Field.STATE, Field.USER, Field.PRIORITY, Field.REASON}
        assert (Field.ACCOUNT in shown) is (width == 1600)
        user = table.columnWidth(COLUMN[Field.USER])
        assert user >= table.fontMetrics().horizontalAdvance("fs_emma") + 12
