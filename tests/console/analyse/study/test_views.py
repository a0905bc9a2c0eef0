"""The study's views on small frames: table, overview, sweep."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.study.state import CellState, StudyState, SweepProgress
from fsconsole.batch.policy import POLICIES
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.console.analyse.study.figures_page import key_of
from fsconsole.console.analyse.study.overview import Overview
from fsconsole.console.analyse.study.page import PageKind, StudyPage
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.sweep_panel import SweepPanel
from fsconsole.console.analyse.study.table_panel import (
    ALL,
    FIRST,
    NAMES,
    WORKLOAD,
    StudyTableModel,
    StudyTablePanel,
)
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.figures.of_batch import figure_1, figure_4
from fsconsole.figures.study_numbers import StudyNumbers
from tests.console.analyse.study.conftest import STUDIED, cells_of, study_state
from tests.console.assistive import description_of
from tests.console.test_text_twins import cells as twin_cells
from tests.texts import says, span, wording

MONTHS = ("KTH 1996-10", "KTH 1996-11")
SLOWDOWN, LONGEST = NAMES.index("avg_bounded_slowdown"), NAMES.index("max_wait_h")


def policies_shown(panel: StudyTablePanel) -> list[str]:
    return [str(panel.model.index(row, 0).data()) for row in range(panel.model.rowCount())]


@pytest.fixture
def overview(qtbot: QtBot, selection: StudySelection) -> Overview:
    made = Overview(selection)
    qtbot.addWidget(made)
    made.resize(900, 800)
    made.show()
    selection.show(study_state())
    return made


@pytest.fixture
def panel(overview: Overview) -> StudyTablePanel:
    return overview.table


def test_the_model_is_one(selection: StudySelection) -> None:
    model = StudyTableModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_numbers(study_state(MONTHS).numbers)
    model.set_heated(True)
    model.show_numbers(study_state().numbers, "KTH")
    assert model.rowCount() == 4
    del tester


def test_the_table_is_sorted_by_maximum_wait_at_first(panel: StudyTablePanel) -> None:
    assert policies_shown(panel) == ["FCFS-backfill", "LXF-backfill", "RelShare(4h)", "RelShare(1d)"]
    panel.view.sortByColumn(SLOWDOWN, Qt.SortOrder.AscendingOrder)
    assert policies_shown(panel) == ["LXF-backfill", "RelShare(1d)", "RelShare(4h)", "FCFS-backfill"]


def test_best_values_are_semibold_and_said(panel: StudyTablePanel) -> None:
    best = panel.model.index(0, LONGEST)
    assert best.data() == "71.9"
    assert best.data(Qt.ItemDataRole.FontRole).weight() == QFont.Weight.DemiBold
    assert best.data(Qt.ItemDataRole.AccessibleTextRole) == "71.9, best"
    assert panel.model.index(1, LONGEST).data(Qt.ItemDataRole.FontRole) is None


def test_heat_tints_every_value_but_the_best(panel: StudyTablePanel) -> None:
    role = Qt.ItemDataRole.BackgroundRole
    assert panel.model.index(3, LONGEST).data(role) is None
    panel.heat.click()
    alphas = [panel.model.index(row, LONGEST).data(role).color().alphaF() for row in range(4)]
    assert alphas == sorted(alphas)
    assert alphas[0] == 0.0 < alphas[-1]
    assert panel.model.index(3, NAMES.index("jobs")).data(role) is None


def test_long_names_are_shortened_where_they_do_not_fit_and_the_tool_tip_has_them_whole(
    overview: Overview, panel: StudyTablePanel
) -> None:
    long = replace(STUDIED[-1], expected_usage=False)
    numbers, label = study_state().numbers, STUDIED[-1].label
    renamed = numbers.summary.with_columns(pl.col("policy").replace(label, long.label))
    panel.model.show_numbers(StudyNumbers(("KTH",), {**numbers.policies, long.label: long}, renamed))
    name = panel.model.index(panel.model.row_of(("KTH", long.label)), 0)
    overview.resize(1200, 800)
    assert name.data() == ("RelShare(1d), " + wording("console.analyse.study.no-expected-usage"))
    overview.resize(620, 800)
    assert name.data().split(", ") == ["RelShare(1d)", "no expected"]
    assert name.data(Qt.ItemDataRole.ToolTipRole) == (
        "RelShare(1d), " + wording("console.analyse.study.no-expected-usage")
    )
    assert name.data(CopyRole) == ("RelShare(1d), " + wording("console.analyse.study.no-expected-usage"))


def test_a_key_says_every_colour_and_dash_of_all_parts_once() -> None:
    numbers = study_state(MONTHS).numbers
    full, brief = figure_1(numbers), figure_1(numbers, are_brief=True)
    assert key_of(full, brief) == (
        ("FCFS-backfill", "c2", "dashed"),
        ("LXF-backfill", "c8", "dotted"),
        ("RelShare(1d)", numbers.styles["RelShare(1d)"].colour_token, "line"),
    )
    # Names stand at the lines.
    assert key_of(full, full) == ()
    windows = key_of(figure_4(numbers), figure_4(numbers, are_brief=True))
    assert [name for name, _, _ in windows] == ["RelShare(4h)", "RelShare(1d)"]


def test_titles_of_measures_have_room(panel: StudyTablePanel) -> None:
    header = panel.view.header()
    for column in range(FIRST, len(NAMES)):
        title = str(panel.model.headerData(column, Qt.Orientation.Horizontal))
        if not header.isSectionHidden(column):
            assert header.sectionSize(column) > header.fontMetrics().horizontalAdvance(title) + 10


def test_plots_without_a_value_stay_blank(overview: Overview, selection: StudySelection) -> None:
    plots = [*overview.small, overview.deviation]
    assert all(plot.figure.isVisible() for plot in plots)
    selection.show(study_state(states={cell.key: "waiting" for cell in cells_of(("KTH",))}))
    # Not those of another study either.
    assert not any(plot.figure.isVisible() for plot in plots)
    selection.update(study_state())
    assert all(plot.figure.isVisible() for plot in plots)


def test_policies_of_one_colour_are_told_by_their_dash(qtbot: QtBot, selection: StudySelection) -> None:
    windows = tuple(replace(POLICIES["relshare"], window_s=hours * 3600) for hours in (4, 12, 24, 48, 168))
    cells = cells_of(("KTH",), windows)
    summary = pl.DataFrame(
        [("KTH", cell.policy.label, None, 1.0) for cell in cells],
        schema=["workload", "policy", "seed", "avg_wait_h"],
        orient="row",
    )
    states: dict[str, CellState] = {cell.key: "done" for cell in cells}
    panel = StudyTablePanel(selection)
    qtbot.addWidget(panel)
    selection.show(StudyState("Windows", cells, states, summary=summary))
    marks = [
        panel.model.index(row, 0).data(Qt.ItemDataRole.DecorationRole).toImage()
        for row in range(panel.model.rowCount())
    ]
    assert len(marks) == len(windows)
    assert all(one != other for one, other in combinations(marks, 2))


def test_the_filter_leaves_the_policies_typed(panel: StudyTablePanel) -> None:
    panel.filter.setText("relshare")
    assert policies_shown(panel) == ["RelShare(4h)", "RelShare(1d)"]
    panel.filter.clear()
    assert len(policies_shown(panel)) == 4


def test_the_table_is_copied_with_its_headers_as_it_is_shown(panel: StudyTablePanel) -> None:
    panel.filter.setText("fcfs")
    panel.copy_all()
    titles, row = QGuiApplication.clipboard().text().splitlines()
    policy, slowdown, at_least = titles.split("\t")[:3]
    assert (policy, slowdown) == ("Policy", "Avg slowdown")
    assert at_least.split() == ["Avg", "slowdown", "≥", "1"]
    assert row.split("\t")[:6] == ["FCFS-backfill", "26.687", "", "1.765", "19.84", "71.89"]


def test_headers_have_units_and_say_what_they_are(panel: StudyTablePanel) -> None:
    orientation, tip = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    assert panel.model.headerData(LONGEST, orientation) == wording("console.analyse.study.max-wait-h")
    assert "node-hours" in panel.model.headerData(NAMES.index("over_shared"), orientation, tip)


def test_a_selected_policy_drives_the_deviations(overview: Overview, selection: StudySelection) -> None:
    assert selection.cell is not None
    # A window of a day is shown first.
    assert selection.cell.policy.label == "RelShare(1d)"
    assert [curve.name for curve in overview.deviation.spec.curves] == ["RelShare(1d)", "FCFS"]
    view = overview.table.view
    view.setCurrentIndex(overview.table.model.index(1, 0))
    assert selection.cell.policy.label == "LXF-backfill"
    assert [curve.name for curve in overview.deviation.spec.curves] == ["LXF", "FCFS"]
    view.setCurrentIndex(overview.table.model.index(0, 0))
    # Nothing to compare it with.
    assert [curve.name for curve in overview.deviation.spec.curves] == ["FCFS"]
    assert overview.deviation.remark == wording(
        "figures.of-users-dev-node-h", users="3", whom="4", considerable_nh="50"
    )


def test_deviations_are_of_the_seed_selected_and_say_so(
    overview: Overview, selection: StudySelection
) -> None:
    once = study_state()
    other = once.users.with_columns(pl.lit(2, pl.UInt64).alias("seed"), pl.col("user").replace("84", "85"))
    first = once.users.with_columns(pl.lit(1, pl.UInt64).alias("seed"))
    cells = tuple(replace(cell, key=f"{cell.key}{seed}", seed=seed) for seed in (1, 2) for cell in once.cells)
    states = dict.fromkeys((cell.key for cell in cells), "done")
    selection.show(replace(once, cells=cells, states=states, users=pl.concat([first, other])))  # type: ignore[arg-type]
    for cell, user in ((cells[0], "84"), (cells[4], "85")):
        selection.select_cell(cell)
        assert overview.deviation.title.split(", ")[-1] == f"seed {cell.seed}"
        assert f"#{user}" in overview.deviation.spec.x_axis.kinds


def test_the_small_plots_are_over_windows_of_one_workload(overview: Overview) -> None:
    left, right = (plot.spec for plot in overview.small)
    assert left.x_axis.kinds == right.x_axis.kinds == ("4h", "1d")
    assert [curve.name for curve in right.curves] == ["RelShare", "FCFS 72", "LXF 127"]
    assert overview.current_figure is left


def test_over_months_they_are_over_months_until_one_is_chosen(
    overview: Overview, selection: StudySelection
) -> None:
    selection.show(study_state(MONTHS))
    panel = overview.table
    assert panel.workload.currentText() == wording(
        "console.analyse.study.means-over-workloads", workloads="2"
    )
    assert overview.small[0].spec.x_axis.kinds == ("1996-10", "1996-11")
    assert [curve.name for curve in overview.small[0].spec.curves] == ["FCFS", "LXF", "4h", "1d"]
    assert panel.view.isColumnHidden(WORKLOAD)
    assert len(policies_shown(panel)) == 4
    panel.workload.setCurrentText(ALL)
    assert not panel.view.isColumnHidden(WORKLOAD)
    assert len(policies_shown(panel)) == 8
    panel.workload.setCurrentText(MONTHS[1])
    assert overview.small[0].spec.x_axis.kinds == ("4h", "1d")
    assert panel.view.isColumnHidden(WORKLOAD)
    assert len(policies_shown(panel)) == 4


def test_rows_appear_as_runs_are_done_and_the_choice_stays(
    overview: Overview, selection: StudySelection
) -> None:
    waiting = {"KTH/RelShare(1d)": "waiting", "KTH/LXF-backfill": "failed"}
    selection.show(study_state(states=waiting))  # type: ignore[arg-type]
    assert policies_shown(overview.table) == ["FCFS-backfill", "RelShare(4h)"]
    assert selection.cell is not None
    assert selection.cell.policy.label == "RelShare(4h)"
    selection.update(study_state())
    # The better first choice, as nobody has chosen.
    assert selection.cell.policy.label == "RelShare(1d)"
    overview.table.view.setCurrentIndex(overview.table.model.index(0, 0))
    selection.update(study_state())
    assert selection.cell.policy.label == "FCFS-backfill"
    assert overview.table.view.currentIndex().data() == "FCFS-backfill"


def test_a_click_on_a_bar_selects_its_user(
    qtbot: QtBot, overview: Overview, selection: StudySelection
) -> None:
    figure = overview.deviation.figure
    at = QPoint(figure.width() // 2, figure.height() // 2)
    with qtbot.waitSignal(selection.user_selected):
        QTest.mouseClick(figure, Qt.MouseButton.LeftButton, pos=at)
    # 84 deviates most, then 2 and 3 lack most.
    assert selection.user == "2"


def test_values_under_the_pointer_stand_beside_the_title(overview: Overview) -> None:
    plot = overview.small[1]
    plot.figure.setFocus()
    QTest.keyClick(plot.figure, Qt.Key.Key_Right)
    assert "RelShare 221.8" in plot.remark
    QTest.keyClick(plot.figure, Qt.Key.Key_Escape)
    assert plot.remark == ""


def test_long_titles_and_signs_do_not_widen_the_page(overview: Overview) -> None:
    least = overview.minimumSizeHint().width()
    assert least < 500  # beside the sweep in a window of 900 pixels
    signs = [("RelShare(1d), no expected usage", "c4", "bar"), ("FCFS-backfill", "c2", "tick")]
    title = "Deviation by user: used minus entitled, 1000 node-hours, and much else"
    overview.deviation.show_figure(overview.deviation.spec, title, "40 of 108 users", signs)  # type: ignore[arg-type]
    assert overview.minimumSizeHint().width() == least
    assert overview.deviation._title.toolTip() == title


# -- the sweep ---------------------------------------------------------------------------------------------


@pytest.fixture
def sweep(qtbot: QtBot, selection: StudySelection) -> SweepPanel:
    made = SweepPanel(selection)
    qtbot.addWidget(made)
    made.resize(340, 280)
    made.show()
    states = {
        f"{MONTHS[0]}/LXF-backfill": "failed",
        f"{MONTHS[1]}/FCFS-backfill": "running",
        f"{MONTHS[1]}/RelShare(1d)": "waiting",
    }
    selection.show(study_state(MONTHS, states))  # type: ignore[arg-type]
    return made


def test_counts_time_left_and_workers_are_reported(sweep: SweepPanel) -> None:
    assert sweep.counts.text().split() == ["5", "of", "8", "cells"]
    twin = twin_cells(sweep.cells.text_twin())
    assert twin[0] == ["Workload", "Policy", "State", "Reason"]
    assert ["KTH 1996-10", "LXF-backfill", "failed"] in [line[:3] for line in twin]
    assert len(twin) == 9
    message = "Runs of the study: 5 done, 1 failed, 1 running and 1 waiting"
    assert description_of(sweep.cells) == message
    assert sweep.where.text() == "1 failed"
    sweep.show_progress(SweepProgress("running", 16, "2 hosts", 108.0))
    assert sweep.where.text().split(", ") == ["1 failed", "16 workers"]
    assert sweep.left.text() == f"{span(min=1, s=48)} left"


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        ("idle", {"Run study"}),
        ("reading", {"Pause", "Stop…"}),
        ("running", {"Pause", "Stop…"}),
        ("pausing", {"Go on", "Stop…"}),
        ("paused", {"Go on", "Stop…"}),
    ],
)
def test_buttons_follow_the_run(sweep: SweepPanel, mode: str, shown: set[str]) -> None:
    sweep.show_progress(SweepProgress(mode))  # type: ignore[arg-type]
    buttons = (sweep.run, sweep.pause, sweep.stop)
    assert {button.text() for button in buttons if button.isVisible()} == shown


def test_a_finished_study_cannot_be_run_again(sweep: SweepPanel, selection: StudySelection) -> None:
    selection.show(study_state())
    assert not sweep.run.isVisible()


def test_arrows_walk_over_the_runs_and_enter_opens_one(
    qtbot: QtBot, sweep: SweepPanel, selection: StudySelection
) -> None:
    cells = sweep.cells
    selection.select_cell(cells.grid.cell(0, 0))
    cells.setFocus()
    QTest.keyClick(cells, Qt.Key.Key_Right)
    assert "failed. the machine is too small" in cells.accessibleName()
    QTest.keyClick(cells, Qt.Key.Key_Down)
    QTest.keyClick(cells, Qt.Key.Key_Down)
    with qtbot.waitSignal(sweep.opened) as opened:
        QTest.keyClick(cells, Qt.Key.Key_Return)
    assert opened.args == [selection.cell]
    assert selection.cell is cells.grid.cell(1, 1)


def test_a_click_opens_a_run(qtbot: QtBot, sweep: SweepPanel, selection: StudySelection) -> None:
    x, y, wide, high = sweep.cells.layout_of_cells().box(1, 2)
    at = QPoint(round(x + wide / 2), round(y + high / 2))
    with qtbot.waitSignal(sweep.opened):
        QTest.mouseClick(sweep.cells, Qt.MouseButton.LeftButton, pos=at)
    assert selection.cell is sweep.cells.grid.cell(1, 2)


def test_cells_of_all_states_look_unlike_each_other(sweep: SweepPanel) -> None:
    picture = sweep.cells.grab().toImage()
    ratio = picture.devicePixelRatio()
    layout = sweep.cells.layout_of_cells()
    colours = set()
    for place in ((0, 0), (0, 1), (1, 0), (1, 3)):
        x, y, _, high = layout.box(*place)
        colours.add(picture.pixelColor(round((x + 3) * ratio), round((y + high / 2) * ratio)).name())
    assert len(colours) == 4


# -- the page ----------------------------------------------------------------------------------------------


def test_pages_are_made_when_they_are_first_seen(qtbot: QtBot, selection: StudySelection) -> None:
    made_by = "tests.console.analyse.study.test_views:CountedPage"
    kinds = tuple(PageKind(name, name.title(), made_by, "") for name in ("first", "second"))
    CountedPage.made = 0
    page = StudyPage(selection, pages=kinds)
    qtbot.addWidget(page)
    assert CountedPage.made == 1
    with qtbot.waitSignal(page.changed):
        page.show_page("second")
    assert (CountedPage.made, page.shown) == (2, "second")
    page.show_page("first")
    assert CountedPage.made == 2


def test_the_head_says_what_the_run_is_of(qtbot: QtBot, selection: StudySelection) -> None:
    page = StudyPage(selection)
    qtbot.addWidget(page)
    selection.show(study_state())
    assert page.facts.split(", ") == ["KTH", "28\u202f481 jobs", "100 nodes"]
    assert page.current_figure is not None


def test_the_head_says_how_many_jobs_of_the_trace_were_left_out_and_why(
    qtbot: QtBot, kth_selection: StudySelection, kth_folder: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = StudyPage(kth_selection)
    qtbot.addWidget(page)
    assert "left out" not in page.facts
    why = "4\u202f703 jobs dropped: larger than the machine (lines 20, 21, …)"
    sources = {
        key: replace(source, dropped=4703, report=(why,)) for key, source in kth_folder.plan.sources.items()
    }
    monkeypatch.setattr(kth_folder, "plan", replace(kth_folder.plan, sources=sources))
    kth_selection.results_changed.emit()
    assert page.facts.endswith("nodes" + wording("console.analyse.study.left-out", dropped="4\u202f703"))
    assert page._facts.toolTip().splitlines() == [page.facts, why]
    few = {key: replace(source, dropped=1) for key, source in sources.items()}
    monkeypatch.setattr(kth_folder, "plan", replace(kth_folder.plan, sources=few))
    kth_selection.results_changed.emit()
    # Few: in the tooltip alone.
    assert page.facts.endswith("nodes")
    assert why in page._facts.toolTip()
    leaves = f"{wording('batch.traces.not-modelled-here')}time limits of 9 jobs"
    limited = {key: replace(source, dropped=1, report=(why, leaves)) for key, source in sources.items()}
    monkeypatch.setattr(kth_folder, "plan", replace(kth_folder.plan, sources=limited))
    kth_selection.results_changed.emit()
    assert page.facts.endswith(f"nodes. {leaves}")


class CountedPage(Overview):
    """Counts how many there are."""

    made = 0

    def __init__(self, selection: StudySelection, parent: object = None) -> None:
        super().__init__(selection)
        CountedPage.made += 1


def test_another_study_forgets_what_was_selected(selection: StudySelection) -> None:
    selection.show(study_state())
    selection.select_user("3")
    selection.select_job(812)
    selection.set_cursor(3600)
    other = replace(study_state(), name="Another", cells=(), states={})
    selection.show(other)
    assert (selection.cell, selection.user, selection.job, selection.cursor_s) == (None, "", None, None)


@pytest.fixture
def ten_months(qtbot: QtBot, overview: Overview, selection: StudySelection) -> StudyTablePanel:
    """Ten months in which LXF has a third of FCFS's slowdown and RelShare as much as LXF, but for noise."""
    state = study_state(tuple(f"KTH 1996-{month:02}" for month in range(1, 11)))
    rng = np.random.default_rng(1)
    like = {name: rng.gamma(4.0, 5.0) for name in state.workloads}
    part = {"FCFS-backfill": 3.0, "LXF-backfill": 1.0, "RelShare(4h)": 2.0, "RelShare(1d)": 1.0}
    values = [
        like[row["workload"]] * part[row["policy"]] * (1 + 0.05 * rng.normal())
        for row in state.summary.iter_rows(named=True)
    ]
    summary = state.summary.with_columns(pl.Series("avg_bounded_slowdown", values))
    with qtbot.waitSignal(selection.significance.computed):
        selection.show(replace(state, summary=summary))
    return overview.table


def cell_of(panel: StudyTablePanel, policy: str, role: Qt.ItemDataRole = Qt.ItemDataRole.DisplayRole) -> str:
    return str(panel.model.index(policies_shown(panel).index(policy), SLOWDOWN).data(role))


def test_means_that_are_not_decided_against_the_best_are_marked(ten_months: StudyTablePanel) -> None:
    marked = {policy for policy in policies_shown(ten_months) if cell_of(ten_months, policy).startswith("~")}
    assert len(marked) == 1
    assert marked < {"LXF-backfill", "RelShare(1d)"}
    (tied,) = marked
    assert cell_of(ten_months, tied, Qt.ItemDataRole.AccessibleTextRole).split(", ")[-1] == "not decided"
    assert says(
        cell_of(ten_months, tied, Qt.ItemDataRole.ToolTipRole),
        "console.analyse.study.no-significant-difference-from-best",
    )
    assert ten_months.remark.text() == wording(
        "console.analyse.study.not-significant-95-intervals-over", tied="~", words="10 months"
    )


def test_intervals_are_shown_behind_means(ten_months: StudyTablePanel) -> None:
    before = cell_of(ten_months, "FCFS-backfill")
    ten_months.intervals.click()
    after = cell_of(ten_months, "FCFS-backfill")
    number = r"\d+\.\d\d"
    assert re.fullmatch(rf"\({number}\s–\s{number}\)", after.removeprefix(before).strip())
    ten_months.workload.setCurrentText(ALL)
    # Single months have no interval.
    assert cell_of(ten_months, "FCFS-backfill").count("(") == 0


def test_a_mean_selects_the_policy_on_the_workload_that_is_looked_at(
    ten_months: StudyTablePanel, selection: StudySelection
) -> None:
    place = policies_shown(ten_months).index("LXF-backfill")
    ten_months.view.setCurrentIndex(ten_months.model.index(place, 0))
    assert selection.cell is not None
    assert (selection.cell.policy.label, selection.cell.workload) == ("LXF-backfill", "KTH 1996-01")
    assert ten_months.view.currentIndex().row() == place
