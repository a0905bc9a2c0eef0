"""Titles of columns break over lines, and a header is as high as its titles need."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.header_titles import lines_that_fit, title_lines

_TITLE = "Share miss of project, points"


def test_a_title_breaks_between_words_and_is_cut_only_in_its_last_line(look: ConsoleStyle) -> None:
    metrics = QFontMetrics(ui_font("table"))
    wide = metrics.horizontalAdvance(_TITLE)
    assert title_lines(_TITLE, metrics, wide) == [_TITLE]
    assert title_lines("FCFS-backfill\nMaxW, h", metrics, wide) == ["FCFS-backfill", "MaxW, h"]
    half = title_lines(_TITLE, metrics, metrics.horizontalAdvance("Share miss of proj"))
    assert half == ["Share miss of", "project, points"]
    room = metrics.horizontalAdvance("Share mi")
    cut = title_lines(_TITLE, metrics, room, most=2)
    assert cut[0] == "Share"
    assert cut[1].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert all(metrics.horizontalAdvance(line) <= room + 1 for line in cut)
    assert lines_that_fit(metrics, 2 * metrics.lineSpacing()) == 2
    assert lines_that_fit(metrics, 2) == 1


def test_a_header_grows_as_a_column_gets_too_narrow_for_its_title(qtbot: QtBot, look: ConsoleStyle) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    model: RowModel[int] = RowModel((Column(_TITLE, str, width=400), Column("Jobs", str, width=60)), parent)
    table = Table(model, "Points", parent, sorts=True)
    table.resize(600, 200)
    parent.show()
    header = table.horizontalHeader()
    one_line = header.height()
    assert one_line < 2 * header.fontMetrics().lineSpacing()
    header.resizeSection(0, 130)
    assert header.height() > one_line
    two_lines = header.height()
    assert header.height() >= 2 * header.fontMetrics().lineSpacing()
    header.resizeSection(0, 400)
    assert header.height() == one_line
    header.resizeSection(0, header.fontMetrics().horizontalAdvance(_TITLE) + 16)
    assert header.height() == one_line
    header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    # The arrow takes the room of a word.
    assert header.height() == two_lines
    header.hideSection(0)
    qtbot.waitUntil(lambda: header.height() == one_line)
