"""What is on record: the audit log, the report of this night, that of the last one."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QStackedWidget,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)

from fsconsole.console.files.questions import Questions
from fsconsole.console.look.fonts import fixed_font
from fsconsole.console.look.icons import put_icon
from fsconsole.console.operate.audit_model import TITLES, AuditModel
from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.neardedicated.report import TABLES, report_csv, report_text
from fsconsole.neardedicated.view import ReportView
from fsconsole.shares.csv_text import csv_of_rows
from fsconsole.shares.files import write_atomic

AUDIT, NIGHT, LAST = range(3)
_TABS = ("Audit log", "ND report", "Last night")
_NAMES = ("audit log", "ND report", "ND report of last night")
_AUDIT_FORMS = ("Text (*.txt)", "Table (*.csv)")
_REPORT_FORMS = ("Text (*.txt)", "Jobs that ended (*.csv)", "System use (*.csv)")
_STEMS = ("audit", "nd-report", "nd-report-last-night")
_ROW = 24
_WIDTHS = (84, 84, 210, 200, 130, 140, 104)
_NO_REPORT = ("No window has been open yet.", "There is no night before this one yet.")


class AuditTable(QTableView):
    """The audit log; Ctrl+C copies its cells."""

    def __init__(
        self, clock: Callable[[int], str], preferences: Preferences, key: str, parent: QWidget | None = None
    ) -> None:
        """`clock` says in words when a row's tick was; the columns are remembered under `key`."""
        super().__init__(parent)
        self.log = AuditModel(clock, self)
        self.setModel(self.log)
        self.setAccessibleName("Audit log")
        self.setFrameShape(self.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(_WIDTHS):
            header.resizeSection(column, width)
        names = [title.lower() for title in TITLES]
        self.columns = TableColumns(self, preferences, key, names)
        copy_by_keys(self)


class ReportPage(QPlainTextEdit):
    """A report in the paper's layout."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFont(fixed_font())
        self.setFrameShape(self.Shape.NoFrame)
        self.setLineWrapMode(self.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)

    def say(self, text: str) -> None:
        """Show a text; where one reads it stays."""
        if text == self.toPlainText():
            return
        bar = self.verticalScrollBar()
        at, was_last = bar.value(), bar.maximum() > 0 and bar.value() == bar.maximum()
        self.setPlainText(text)
        bar.setValue(bar.maximum() if was_last else at)


class Records(QStackedWidget):
    """One page at a time, chosen by tabs in the dock's header.

    Signals: said(words) for the status bar.
    """

    said = Signal(str)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._shown: dict[int, ReportView | None] = {}
        self.audit = AuditTable(
            lambda tick: desk.times.clock(tick / desk.hz), desk.session.preferences, "operate/audit", self
        )
        self.night = ReportPage("Near-dedicated report", self)
        self.last = ReportPage("Report of last night", self)
        for page in (self.audit, self.night, self.last):
            self.addWidget(page)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Audit log, report or last night")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for words in _TABS:
            self.tabs.addTab(words)
        self.export_button = QToolButton()
        self.export_button.setToolTip("Export what is shown as text or CSV")
        self.export_button.setAccessibleName("Export what is shown")
        self.export_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        put_icon(self.export_button, "export")
        self.tabs.currentChanged.connect(self._turn)
        desk.changed.connect(self._follow)
        desk.audited.connect(self._follow)

    def put_tabs(self, dock: Dock) -> None:
        """Put the tabs where the dock's title is, the button at the right."""
        dock.header.set_title("")
        layout = dock.header.layout()
        if isinstance(layout, QHBoxLayout):
            layout.insertWidget(0, self.tabs)
        dock.header.add_widget(self.export_button)

    def text(self, form: int = 0) -> str:
        """What is shown, as a file has it in one of the page's forms."""
        page = self.currentIndex()
        report = self._report(page)
        if page == AUDIT:
            rows = [TITLES, *(self.audit.log.cells(row) for row in self._desk.audit)]
            return lines_of(rows, as_csv=form > 0)
        if report is None:
            return ""
        start = self._desk.times.start
        return report_csv(report, start, TABLES[form - 1]) if form else report_text(report, start)

    def export(self, questions: Questions) -> None:
        """Ask for a file and write what is shown into it."""
        page = self.currentIndex()
        if not self.text():
            self.said.emit(_NO_REPORT[page - 1])
            return
        forms = _AUDIT_FORMS if page == AUDIT else _REPORT_FORMS
        wanted = Path.home() / f"{_STEMS[page]}.txt"
        answer = questions.file_to_save(f"Export {_NAMES[page]}", wanted, forms)
        if answer is None:
            return
        path, form = answer
        try:
            write_atomic(path, self.text(form or int(path.suffix.lower() == ".csv")))
        except OSError as error:
            self.said.emit(f"{path.name} could not be written: {error.strerror or error}")
            return
        self.said.emit(f"{path.name} written")

    # -- inside ---------------------------------------------------------------------------------------------

    @Slot(int)
    def _turn(self, page: int) -> None:
        self.setCurrentIndex(page)
        self._follow()

    def _report(self, page: int) -> ReportView | None:
        night = self._desk.night
        if night is None or page == AUDIT:
            return None
        return night.night if page == NIGHT else night.last_night

    @Slot()
    def _follow(self) -> None:
        if not self.isVisible():
            return
        page = self.currentIndex()
        if page == AUDIT:
            self.audit.log.take(self._desk.audit)
            return
        report = self._report(page)
        if page in self._shown and self._shown[page] == report:
            return
        self._shown[page] = report
        shown = self.night if page == NIGHT else self.last
        shown.say(report_text(report, self._desk.times.start) if report else _NO_REPORT[page - 1])

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has come meanwhile."""
        super().showEvent(event)
        self._follow()


def lines_of(rows: list[tuple[str, ...]], *, as_csv: bool) -> str:
    """A table, its titles first, as text in columns or as CSV."""
    if as_csv:
        return csv_of_rows(rows)
    out = io.StringIO()
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        out.write(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n"
        )
    return out.getvalue()
