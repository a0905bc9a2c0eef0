"""Tables declared by columns: what rows, selections and views do when other rows come."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.tables import Bar, Column, Index, RowModel, Table
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole, copy_cells
from fsconsole.console.widgets.share_bar import ShareBarRole

Role = Qt.ItemDataRole


@dataclass(frozen=True)
class Job:
    id: int
    user: str
    cpus: int = 1


COLUMNS: tuple[Column[Job], ...] = (
    Column("User", lambda job: job.user, "Submitter", width=90, is_name=True),
    Column("CPUs", lambda job: f"{job.cpus:,}", order=lambda job: job.cpus, full=lambda job: str(job.cpus),
           ink=lambda job: "warn" if job.cpus > 1000 else "", is_number=True, width=60,
           bar=Bar(lambda job: job.cpus / 4000, 40)),
)  # fmt: skip
ANNA, BEN, CARL = Job(1, "anna", 64), Job(2, "ben", 2048), Job(3, "carl", 8)
Jobs = list[Job]


def made() -> RowModel[Job]:
    model = RowModel(COLUMNS, key=lambda job: job.id)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tester.setParent(model)
    return model


def cell(model: RowModel[Job], row: int, column: int, role: int = Role.DisplayRole) -> object:
    return model.index(row, column).data(role)


def test_a_column_says_all_of_its_cells() -> None:
    model = made()
    model.set_rows([BEN])
    assert cell(model, 0, 0) == "ben"
    assert cell(model, 0, 1) == "2,048"
    assert cell(model, 0, 1, CopyRole) == "2048"
    assert cell(model, 0, 1, Role.ToolTipRole) == "2048"
    assert cell(model, 0, 1, Role.ForegroundRole) == colour("warn")
    assert cell(model, 0, 1, ShareBarRole.FRACTION) == 0.512
    assert cell(model, 0, 0, Role.TextAlignmentRole) is None
    assert model.headerData(0, Qt.Orientation.Horizontal, Role.ToolTipRole) == "Submitter"
    model.set_rows([BEN], is_stale=True)
    assert cell(model, 0, 0, Role.ForegroundRole) == colour("muted")
    assert cell(model, 0, 1, ShareBarRole.COLOUR) == "g3"


ID = attrgetter("id")
JOBS = st.lists(
    st.builds(Job, st.integers(1, 9), st.just("u"), st.integers(1, 5)), unique_by=lambda job: job.id
)


@given(JOBS, JOBS, st.booleans(), st.booleans())
def test_rows_and_indexes_are_right_whatever_comes_next(
    before: Jobs, after: Jobs, is_sorted: bool, is_down: bool
) -> None:
    model = made()
    if is_sorted:
        model.sort(1, Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder)
    model.set_rows(before)
    held = {QPersistentModelIndex(model.index(at, 0)): job.id for at, job in enumerate(model.rows)}
    model.set_rows(after)
    wanted = sorted(after, key=lambda job: job.cpus, reverse=is_down) if is_sorted else after
    assert list(model.rows) == wanted
    for index, key in held.items():
        if index.isValid():
            assert model.rows[index.row()].id == key
    if {job.id for job in before} == {job.id for job in after}:
        assert all(index.isValid() for index in held)


def test_only_rows_that_differ_are_told_of() -> None:
    model = made()
    model.set_rows([ANNA, BEN, CARL])
    spy, reset = QSignalSpy(model.dataChanged), QSignalSpy(model.modelReset)
    model.set_rows([ANNA, BEN, CARL])
    assert spy.count() == 0
    model.set_rows([ANNA, Job(2, "ben", 4096), CARL])
    assert [(spy.at(0)[0].row(), spy.at(0)[1].row()) for _ in range(spy.count())] == [(1, 1)]
    assert reset.count() == 0


def test_new_rows_of_a_log_come_in_at_the_top() -> None:
    model = made()
    model.set_rows([BEN, CARL])
    inserted, removed, reset = (
        QSignalSpy(signal) for signal in (model.rowsInserted, model.rowsRemoved, model.modelReset)
    )
    model.set_rows([ANNA, BEN])
    assert (inserted.count(), removed.count(), reset.count()) == (1, 1, 0)
    assert model.rows == (ANNA, BEN)


def test_a_filter_goes_with_rows_that_come() -> None:
    model = made()
    model.set_rows([ANNA, BEN])
    model.set_filter(lambda job: job.cpus < 100)
    assert list(model.rows) == [ANNA]
    model.set_rows([ANNA, BEN, CARL])
    assert list(model.rows) == [ANNA, CARL]
    model.set_filter(None)
    assert list(model.rows) == [ANNA, BEN, CARL]


@pytest.fixture
def table(qtbot: QtBot, tmp_path: Path) -> Table[Job]:
    made_table = Table(made(), "Jobs", None, Preferences(tmp_path), "test/jobs", sorts=True)
    qtbot.addWidget(made_table)
    made_table.resize(400, 200)
    with qtbot.waitExposed(made_table):
        made_table.show()
    return made_table


def test_the_selection_follows_its_rows_through_everything(table: Table[Job]) -> None:
    model = table.model()
    assert isinstance(model, RowModel)
    model.set_rows([ANNA, BEN, CARL])
    table.select([2])
    for rows in ([CARL, BEN, ANNA], [BEN], [Job(7, "dora"), Job(2, "ben", 1)], [Job(2, "ben", 3), CARL]):
        model.set_rows(rows)
        assert [job.id for job in table.selected()] == [2]
    table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert [job.user for job in model.rows] == ["carl", "ben"]
    assert [job.id for job in table.selected()] == [2]


def test_what_is_copied_has_all_digits(table: Table[Job], qtbot: QtBot) -> None:
    model = table.model()
    assert isinstance(model, RowModel)
    model.set_rows([ANNA, BEN])
    flags = QItemSelectionModel.SelectionFlag
    table.selectionModel().select(model.index(1, 0), flags.Select | flags.Rows)
    copy_cells(table)
    assert QGuiApplication.clipboard().text() == "User\tCPUs\nben\t2048"


def test_columns_hide_for_want_of_room_and_come_back(table: Table[Job]) -> None:
    table.squeeze(("cpus",))
    assert table.isColumnHidden(1)
    table.squeeze(())
    assert not table.isColumnHidden(1)


def test_a_cell_is_edited_where_its_column_takes_texts() -> None:
    def with_cpus(job: Job, text: str) -> Job:
        return replace(job, cpus=int(text))

    model = RowModel((COLUMNS[0], replace(COLUMNS[1], edit=with_cpus)), key=lambda job: job.id)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal).setParent(model)
    model.set_rows([ANNA, BEN])
    edited, cpus = QSignalSpy(model.edited), model.index(1, 1)
    assert not model.index(1, 0).flags() & Qt.ItemFlag.ItemIsEditable
    assert cpus.flags() & Qt.ItemFlag.ItemIsEditable
    assert model.setData(cpus, "8")
    assert (model.rows[1], edited.count()) == (Job(2, "ben", 8), 1)
    # A wrong text changes nothing.
    assert not model.setData(cpus, "many")
    # The same again is no edit.
    assert model.setData(cpus, "8")
    assert (model.rows[1], edited.count()) == (Job(2, "ben", 8), 1)


def test_rows_that_a_filter_hides_are_selected_again_when_they_come_back(table: Table[Job]) -> None:
    table.rows.set_rows([ANNA, BEN, CARL])
    table.select([BEN.id])
    table.rows.set_filter(lambda job: job.user != "ben")
    assert table.selected() == []
    table.rows.set_filter(None)
    assert table.selected() == [BEN]
    table.rows.set_filter(lambda job: job.user != "ben")
    table.select([CARL.id])  # other rows than those
    table.rows.set_filter(None)
    assert table.selected() == [CARL]


def test_many_rows_are_selected_in_one_go(table: Table[Job]) -> None:
    table.rows.set_rows([Job(number, f"u{number}") for number in range(3000)])
    spy = QSignalSpy(table.selectionModel().selectionChanged)
    table.select(range(0, 3000, 2))
    assert spy.count() == 1
    assert table.selected_rows.tolist() == list(range(0, 3000, 2))
    assert table.currentIndex().row() == 2998


def test_all_selected_rows_are_not_looked_at_to_draw(qtbot: QtBot) -> None:
    """Qt's header did so, for each column: five seconds of 100,000 rows at each repaint."""

    class Counting(RowModel[Job]):
        asked = 0

        def flags(self, index: Index) -> Qt.ItemFlag:
            self.asked += 1
            return super().flags(index)

    model = Counting(COLUMNS, key=attrgetter("id"))
    view = Table(model, "Jobs")
    qtbot.addWidget(view)
    model.set_rows([Job(number, "anna") for number in range(5000)])
    view.resize(400, 300)
    view.show()
    view.selectAll()
    view.grab()
    assert len(view.selected()) == 5000
    assert model.asked < 2000
