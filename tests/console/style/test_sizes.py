"""A change of the text size leaves the choice of columns and their widths in proportion."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication, QHeaderView, QTableView, QTreeView
from pytestqt.qtbot import QtBot

from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.sizes import set_sizes
from tests.laws import tries


@pytest.fixture
def sizes(qapp: QApplication, look: ConsoleStyle) -> Iterator[QApplication]:
    yield qapp
    set_sizes(qapp, 0, "normal")


@given(st.sets(st.integers(0, 5)), st.sampled_from([16, 20, 26]), st.booleans())
@tries(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_hidden_columns_keep_their_widths(
    qtbot: QtBot, sizes: QApplication, hidden: set[int], text_px: int, is_tree: bool
) -> None:
    set_sizes(sizes, 13, "normal")
    view = QTreeView() if is_tree else QTableView()
    view.setModel(QStandardItemModel(3, 6, view))
    header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    widths = [60 + 20 * at for at in range(6)]
    for at, width in enumerate(widths):
        header.resizeSection(at, width)
        view.setColumnHidden(at, at in hidden)
    for size in (text_px, 13):
        set_sizes(sizes, size, "normal")
        assert {at for at in range(6) if view.isColumnHidden(at)} == hidden
    for at in hidden:
        view.setColumnHidden(at, False)
    assert [header.sectionSize(at) for at in range(6)] == pytest.approx(widths, abs=1)
    view.deleteLater()
