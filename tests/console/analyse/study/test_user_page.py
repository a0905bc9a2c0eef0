"""One user of a study, as a person looks: the table, types with reasons, days, jobs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.study.user_facts import Types, jobs_frame, types_of, users_frame
from fsconsole.batch.insight.losses import held_spans
from fsconsole.batch.insight.user_types import find_user_types
from fsconsole.batch.months import MonthRun
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study import user_page
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.user_detail import HOURS, JOBS
from fsconsole.console.analyse.study.user_page import UserPage
from tests.texts import wording

_TYPE = 1


@pytest.fixture(scope="module")
def runs(kth_folder: StudyFolder) -> tuple[MonthRun, MonthRun]:
    """FCFS, and RelShare(1d) with its reservations."""
    cells = kth_folder.cells()
    return kth_folder.month_run(cells[0]), kth_folder.month_run(cells[2], reservations=True)


@pytest.fixture
def page(qtbot: QtBot, kth_selection: StudySelection) -> UserPage:
    """The page, types known."""
    made = UserPage(kth_selection)
    qtbot.addWidget(made)
    made.resize(1000, 800)
    made.show()
    qtbot.waitUntil(lambda: "compared with FCFS-backfill" in made.remark.text())
    return made


def test_all_users_are_listed_those_who_waited_longest_first(
    page: UserPage, kth_folder: StudyFolder, kth_selection: StudySelection
) -> None:
    assert kth_selection.cell is not None
    users = kth_folder.users_of(kth_selection.cell)
    assert page.model.rowCount() == len(users)
    assert page.model.value(0, "max_wait_h") == users["max_wait_h"].max()
    page.view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    names = [page.model.value(row, "user") for row in range(page.model.rowCount())]
    assert names == sorted(names, key=int)


def test_users_are_sorted_by_how_much_longer_they_wait(
    page: UserPage, runs: tuple[MonthRun, MonthRun], kth_selection: StudySelection
) -> None:
    titles = [column.title for column in page.model.columns]
    page.view.sortByColumn(titles.index("Waits longer, h"), Qt.SortOrder.DescendingOrder)
    shown = [
        (str(page.model.value(row, "user")), float(page.model.value(row, "longer_wait_h")))
        for row in range(page.model.rowCount())
    ]
    assert [longer for _, longer in shown] == sorted((longer for _, longer in shown), reverse=True)
    assert shown[0][1] > 0
    for user, longer in (shown[0], shown[-1]):
        means = []
        for run in runs:
            own = run.schedule.jobs.user == run.schedule.jobs.users.index(user)
            means.append(float(run.schedule.wait_s[own & run.measured].mean()) / 3600)
        assert longer == pytest.approx(means[1] - means[0])
    state = kth_selection.state
    assert state is not None
    kth_selection.select_cell(state.cells[0])
    # FCFS is what others are compared with.
    assert page.model.value(0, "longer_wait_h") is None


def test_the_user_on_top_is_selected_where_nobody_is(
    qtbot: QtBot, page: UserPage, kth_selection: StudySelection
) -> None:
    assert kth_selection.user == page.model.value(0, "user")
    assert page.view.currentIndex().row() == 0
    kth_selection.select_user(str(page.model.value(3, "user")))
    second = UserPage(kth_selection)
    qtbot.addWidget(second)
    second.show()
    # Somebody who is selected stays so.
    assert kth_selection.user == page.model.value(3, "user")


def test_types_are_those_found_with_their_reasons(
    page: UserPage, kth_selection: StudySelection, runs: tuple[MonthRun, MonthRun]
) -> None:
    base, run = runs
    found = find_user_types(
        base.schedule, run.schedule, run.measured, run.period, base_measured=base.measured
    )
    assert types_of("key", base, run).found == {one.user: one for one in found}
    for one in found:
        place = page.model.place_of("user", one.user)
        assert page.model.index(place, _TYPE).data() == one.kind
        assert page.model.index(place, _TYPE).data(Qt.ItemDataRole.ToolTipRole) == one.reason
        kth_selection.select_user(one.user)
        assert page.detail.reason.text() == one.reason
    page.suffering.setChecked(True)
    assert page.model.rowCount() == len(found)


def test_types_that_could_not_be_found_are_not_said_to_be_looked_for(
    qtbot: QtBot, kth_selection: StudySelection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing_types(cell_key: str, base: MonthRun, run: MonthRun) -> Types:
        raise ValueError("of a test")

    monkeypatch.setattr(user_page, "types_of", failing_types)
    page = UserPage(kth_selection)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: "of a test" in page.remark.text())
    kth_selection.results_changed.emit()
    assert page.remark.text().startswith(wording("console.analyse.study.cannot-find-types-s1-and", error=""))


def test_a_row_selects_the_user_everywhere_and_is_selected_from_elsewhere(
    page: UserPage, kth_selection: StudySelection
) -> None:
    page.view.setCurrentIndex(page.model.index(2, 0))
    assert kth_selection.user == page.model.value(2, "user")
    kth_selection.select_user(str(page.model.value(5, "user")))
    assert page.view.currentIndex().row() == 5


def test_a_user_is_looked_for_by_number(page: UserPage) -> None:
    user = str(page.model.value(0, "user"))
    QTest.keyClicks(page.filter, f"#{user}")
    names = [str(page.model.value(row, "user")) for row in range(page.model.rowCount())]
    assert user in names
    assert all(name.startswith(user) for name in names)
    page.filter.setText("nobody")
    assert page.model.rowCount() == 0


def test_days_of_the_user_stand_together_for_three_policies(
    qtbot: QtBot, page: UserPage, kth_selection: StudySelection
) -> None:
    user = str(page.model.value(0, "user"))
    kth_selection.select_user(user)
    qtbot.waitUntil(lambda: len(page.detail.parts) == 3)
    titles = [view.spec.title for view in page.detail.parts]
    assert [title.partition(": ")[2] for title in titles] == [
        "RelShare(1d), jobs",
        "FCFS-backfill, jobs",
        "LXF-backfill, jobs",
    ]
    # Bars have no names.
    assert page.detail.key.isVisible()
    first, second, _ = page.detail.parts
    page.resize(1000, 600)
    qtbot.waitUntil(lambda: first.y() == second.y())
    page.resize(1000, 1400)
    qtbot.waitUntil(lambda: first.x() == second.x())
    own = kth_selection.state
    assert own is not None
    jobs = own.users.filter((pl.col("user") == user) & (pl.col("policy") == "RelShare(1d)"))["jobs"][0]
    for view in page.detail.parts:
        new = next(curve for curve in view.spec.curves if curve.name == "submitted")
        assert new.y.sum() == jobs
    page.detail.choice.choose(HOURS)
    assert "demand" in [curve.name for curve in page.detail.parts[0].spec.curves]
    assert page.current_figure is page.detail.specs[0]
    days = page.detail._found[0].days.filter(pl.col("user") == user).sort("day")
    asked = days.filter((pl.col("demand_nh") > 0) | (pl.col("new") > 0))
    kth_selection.set_cursor(int(asked["start_s"][0]) + 60)
    assert {view.style_shown().cursor_at for view in page.detail.parts} == {0.0}


def test_jobs_of_the_user_with_lost_reservations(
    qtbot: QtBot, page: UserPage, kth_selection: StudySelection, runs: tuple[MonthRun, MonthRun]
) -> None:
    _, run = runs
    spans = held_spans(run.schedule)
    lost = spans.job[spans.is_lost(run.schedule)]
    assert len(lost)
    row = int(lost[0])
    user = run.schedule.jobs.users[int(run.schedule.jobs.user[row])]
    kth_selection.select_user(user)
    page.detail.choice.choose(JOBS)
    model = page.detail.model
    job = int(run.schedule.jobs.job_id[row])
    qtbot.waitUntil(
        lambda: model.rowCount() > 0 and model.value(model.place_of("job_id", job), "lost") is not None,
    )
    assert model.rowCount() == (run.schedule.jobs.user == run.schedule.jobs.user[row]).sum()
    place = model.place_of("job_id", job)
    assert model.value(place, "lost") == (lost == row).sum()
    page.detail.view.setCurrentIndex(model.index(place, 0))
    assert kth_selection.job == job
    assert page.current_figure is None
    with qtbot.waitSignal(page.page_wanted) as wanted:
        page.detail.why.click()
    assert wanted.args == ["why"]


def test_jobs_without_a_log_have_unknown_losses(runs: tuple[MonthRun, MonthRun]) -> None:
    base, run = runs
    user = base.schedule.jobs.users[0]
    frame = jobs_frame(base, user, None)
    assert frame["lost"].null_count() == len(frame) > 0
    assert len(jobs_frame(run, "nobody", held_spans(run.schedule))) == 0
    assert frame["wait_s"].to_list() == base.schedule.wait_s[base.schedule.jobs.user == 0].tolist()


def test_users_without_types_have_none(kth_folder: StudyFolder) -> None:
    users = kth_folder.users_of(kth_folder.cells()[0])
    frame = users_frame(users, None)
    assert set(frame["type"]) == {""}
    assert np.array_equal(frame["dev_nh"].to_numpy(), users["dev_nh"].to_numpy())


def test_the_base_itself_has_no_types(qtbot: QtBot, page: UserPage, kth_selection: StudySelection) -> None:
    state = kth_selection.state
    assert state is not None
    kth_selection.select_cell(state.cells[0])
    assert page.remark.text() == wording("console.analyse.study.s1-and-s2-are-found")
    assert page.model.value(0, "type") == ""


def test_what_is_decided_of_users_stands_in_the_table(
    qtbot: QtBot, page: UserPage, kth_selection: StudySelection
) -> None:
    # A week of jobs is too short for tests: all there is to show is nothing.
    qtbot.waitUntil(lambda: kth_selection.significance.users("RelShare(1d)", "FCFS-backfill") is not None)
    tests = kth_selection.significance.users("RelShare(1d)", "FCFS-backfill")
    assert tests is not None
    assert tests.reason == wording("app.study.no-tests-by-user-too")
    assert set(page.model.frame["verdict"]) == {""}
