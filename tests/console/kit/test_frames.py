"""Tables of frames: many rows sorted, copied, picked by a person and followed."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.frames import FrameModel, FrameTable, frame_column
from fsconsole.console.widgets.copying import copy_cells
from fsconsole.text.numbers import fixed


def test_many_rows_are_sorted_and_copied_as_they_are_shown(qtbot: QtBot) -> None:
    rows = 200_000
    values = np.random.default_rng(1).permutation(rows)
    frame = pl.DataFrame({"job_id": np.arange(rows), "value": values})
    frame = frame.with_columns(pl.when(pl.col("job_id") == 7).then(None).otherwise("value").alias("value"))
    model = FrameModel(
        (frame_column("job_id", "Job"), frame_column("value", "Value, h", partial(fixed, digits=1)))
    )
    model.show_frame(frame)
    parent = QWidget()
    qtbot.addWidget(parent)
    view = FrameTable(model, "Values", parent)
    view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    shown = [model.value(row, "value") for row in (0, 1, rows - 2)]
    assert shown == sorted(shown)
    assert model.index(rows - 1, 1).data() == "\N{EN DASH}"
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.setCurrentIndex(model.index(0, 0))
    copy_cells(view)
    titles, line = QApplication.clipboard().text().splitlines()
    assert titles.split("\t") == ["Job", "Value, h"]
    copied = line.split("\t")
    assert copied == [str(model.value(0, "job_id")), str(model.value(0, "value"))]


def test_the_current_row_is_followed_without_being_picked(qtbot: QtBot) -> None:
    model = FrameModel((frame_column("user", "User", tip_of="why"),), sorted_by={"user": "number"})
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal).setParent(model)
    model.show_frame(pl.DataFrame({"user": ["10", "9", "8"], "number": [10, 9, 8], "why": ["", "late", ""]}))
    parent = QWidget()
    qtbot.addWidget(parent)
    view = FrameTable(model, "Users", parent, "user")
    picked = QSignalSpy(view.picked)
    # By number, the largest first.
    assert [model.value(row, "user") for row in range(3)] == ["10", "9", "8"]
    assert model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole) == "late"
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) is None
    assert (view.show_current("user", "8"), view.currentIndex().row()) == (2, 2)
    assert view.show_current("user", "7") == -1
    assert picked.count() == 0
    view.setCurrentIndex(model.index(1, 0))
    assert [picked.at(at) for at in range(picked.count())] == [[1]]
    model.choose(np.array([True, False, True]))
    assert (model.rowCount(), model.place_of("user", "9")) == (2, -1)
