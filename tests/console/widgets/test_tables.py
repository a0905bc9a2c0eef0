"""What all tables share: columns that are chosen and remembered, cells that are copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView, QTreeView
from pytestqt.qtbot import QtBot

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.widgets.copying import CopyRole, copy_by_keys, copy_cells
from fsconsole.console.widgets.table_columns import TableColumns

NAMES = ("pid", "command", "cpu")


@pytest.fixture
def preferences(tmp_path: Path, look: ConsoleStyle, qtbot: QtBot) -> Preferences:
    return Preferences(tmp_path)


def table(qtbot: QtBot) -> QTableView:
    """Two processes."""
    made = QTableView()
    qtbot.addWidget(made)
    model = QStandardItemModel(0, 3, made)
    model.setHorizontalHeaderLabels(["PID", "Command", "CPU"])
    for row in (("7", "loop", "40.0\xa0%"), ("12", "copy", "9.8\xa0%")):
        model.appendRow([QStandardItem(text) for text in row])
    made.setModel(model)
    made.setSortingEnabled(True)
    return made


def titles(columns: TableColumns) -> dict[str, bool]:
    columns.menu.aboutToShow.emit()
    return {one.text(): one.isChecked() for one in columns.menu.actions() if one.isCheckable()}


def test_columns_are_chosen_ordered_sorted_and_remembered(qtbot: QtBot, preferences: Preferences) -> None:
    view = table(qtbot)
    columns = TableColumns(view, preferences, "observe/processes", NAMES)
    assert titles(columns) == {"Command": True, "CPU": True}
    next(one for one in columns.menu.actions() if one.text() == "Command").trigger()
    assert view.isColumnHidden(1)
    view.horizontalHeader().moveSection(2, 1)
    view.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    again = table(qtbot)
    columns = TableColumns(again, preferences, "observe/processes", NAMES)
    assert again.isColumnHidden(1)
    assert [again.horizontalHeader().logicalIndex(place) for place in range(3)] == [0, 2, 1]
    assert again.horizontalHeader().sortIndicatorSection() == 2
    assert again.horizontalHeader().sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
    assert titles(columns) == {"CPU": True, "Command": False}
    columns.menu.actions()[-1].trigger()
    assert not again.isColumnHidden(1)


def test_columns_without_room_are_not_forgotten(qtbot: QtBot, preferences: Preferences) -> None:
    view = table(qtbot)
    columns = TableColumns(view, preferences, "processes", NAMES)
    columns.show_column(1, False)
    columns.squeeze([2])
    assert [view.isColumnHidden(column) for column in range(3)] == [False, True, True]
    columns.squeeze(())
    assert [view.isColumnHidden(column) for column in range(3)] == [False, True, False]


@pytest.mark.parametrize("kept", [["command", "what", 3, None], ["cpu"], []])
def test_columns_that_are_unknown_are_passed_over(
    qtbot: QtBot, preferences: Preferences, kept: list[object]
) -> None:
    for what in ("hidden", "order", "sort"):
        preferences.set_value(f"processes/{what}", kept)
    view = table(qtbot)
    TableColumns(view, preferences, "processes", NAMES)
    assert view.isColumnHidden(1) == ("command" in kept)
    assert not view.isColumnHidden(0)


def test_the_header_opens_the_menu(qtbot: QtBot, preferences: Preferences) -> None:
    view = table(qtbot)
    columns = TableColumns(view, preferences, "processes", NAMES)
    view.show()
    view.horizontalHeader().customContextMenuRequested.emit(QPoint(5, 5))
    qtbot.waitUntil(columns.menu.isVisible)
    QTest.keyClick(columns.menu, Qt.Key.Key_Escape)
    assert not columns.menu.isVisible()


def test_cells_are_copied_as_they_stand_with_all_digits(qtbot: QtBot, look: ConsoleStyle) -> None:
    view = table(qtbot)
    view.model().setData(view.model().index(0, 2), "40.0123", CopyRole)
    view.horizontalHeader().moveSection(2, 0)
    view.setColumnHidden(1, True)
    view.selectAll()
    copy_by_keys(view)
    view.show()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "\t".join(view.model().headerData(at, Qt.Orientation.Horizontal) for at in (2, 0))
    assert sorted(lines[1:]) == ["40.0123\t7", "9.8 %\t12"]


def test_rows_of_a_tree_are_copied_from_the_top(qtbot: QtBot, look: ConsoleStyle) -> None:
    view = QTreeView()
    qtbot.addWidget(view)
    model = QStandardItemModel(view)
    for group in ("gr1", "gr2"):
        item = QStandardItem(group)
        item.appendRow(QStandardItem(f"user {group}"))
        model.appendRow(item)
    view.setModel(model)
    view.expandAll()
    view.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
    view.selectAll()
    copy_cells(view)
    assert QGuiApplication.clipboard().text().splitlines() == ["1", "gr1", "user gr1", "gr2", "user gr2"]
