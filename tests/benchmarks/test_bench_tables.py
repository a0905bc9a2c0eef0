"""A table of the kit with 100,000 rows, all of them selected: filtered, sorted and copied."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.application_style import install_look
from fsconsole.console.widgets.copying import copy_cells
from tests.benchmarks.measure import Benchmark

ROWS = 100_000
Row = tuple[int, int]
COLUMNS: tuple[Column[Row], ...] = (
    Column("Name", lambda row: f"n{row[0]}"),
    Column("Number", lambda row: str(row[1]), order=lambda row: row[1]),
    Column("State", lambda _row: "done"),
    Column("Reason", lambda _row: ""),
)


@pytest.fixture
def table(qtbot: QtBot, qapp: QApplication) -> Table[Row]:
    install_look(qapp, "light")
    model = RowModel(COLUMNS, key=lambda row: row[0])
    made = Table(model, "Rows", sorts=True)
    made.setSelectionMode(made.SelectionMode.ExtendedSelection)
    qtbot.addWidget(made)
    model.set_rows([(number, number * 7919 % ROWS) for number in range(ROWS)])
    made.resize(600, 400)
    made.show()
    return made


def _filtered(table: Table[Row]) -> None:
    table.rows.set_filter(lambda row: row[0] % 2 == 0)


def _sorted(table: Table[Row]) -> None:
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)


@pytest.mark.parametrize("act", [_filtered, _sorted, copy_cells], ids=["filter", "sort", "copy"])
def test_all_rows_selected(
    bench: Benchmark, table: Table[Row], qapp: QApplication, act: Callable[[Table[Row]], None]
) -> None:
    def set_up() -> None:
        table.rows.set_filter(None)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.selectAll()
        qapp.processEvents()

    def measured() -> None:
        act(table)
        qapp.processEvents()

    bench(measured, setup=set_up, clock=time.thread_time)
    assert len(table.selected_rows) > ROWS // 3
