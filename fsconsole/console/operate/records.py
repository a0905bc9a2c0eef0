"""What is on record: the audit log, and what else a target reports."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QWidget,
)

from fsconsole.console.files.questions import Questions
from fsconsole.console.files.report_export import REPORT_FORMS, is_report, write_report_to
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.result_marks import RESULT_MARKS
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.files import write_atomic
from fsconsole.text.csv_text import csv_of_rows
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.app.reports.document import Report

_FIRST_PX = (84, 84, 210)
WAYS_TITLE = "Can be rolled back"
AUDIT_FORMS = ("Text (*.txt)", "Table (*.csv)")


@dataclass(frozen=True, slots=True)
class Record:
    """A page of the records.

    Attributes:
        title: word on its tab; name: what sentences call it; stem: of the files it is exported to.
        widget: what shows it; follow: brings that up to date.
        text: it in one of `forms`, by number; empty where there is nothing, which `nothing` says.
        report: gives what makes a report with figures of it in a thread; None where there is none.
    """

    title: str
    name: str
    stem: Callable[[], str]
    forms: tuple[str, ...]
    widget: QWidget
    follow: Callable[[], None]
    text: Callable[[int], str]
    nothing: str = ""
    report: Callable[[], Callable[[], Report]] | None = None


class AuditTable(Table[AuditRow]):
    """The audit log, the newest action first; Ctrl+C copies its cells."""

    def __init__(
        self,
        clock: Callable[[int], str],
        preferences: Preferences,
        key: str,
        first_px: tuple[int, int, int] = _FIRST_PX,
        way_back: Callable[[AuditRow], str] | None = None,
    ) -> None:
        """`clock` says in words when a row's tick was; the columns are remembered under `key`, and
        `first_px` are the first widths of time, author and action. `way_back` says whether a row can be
        rolled back, for a column of its own.
        """
        self.log = RowModel(_audit_columns(clock, first_px, way_back))
        super().__init__(self.log, "Audit log", None, preferences, key)
        self.notice = EmptyNotice(self)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None

    def show_rows(self, rows: tuple[AuditRow, ...], nothing: str = "") -> None:
        """Show rows, given oldest first; `nothing` is the message without rows."""
        self.log.set_rows(rows[::-1])
        if nothing and not rows:
            self.notice.say(nothing)
        else:
            self.notice.hide()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())

    def text(self, rows: Sequence[AuditRow], *, as_csv: bool) -> str:
        """Return rows as a file has them, in the words of the table."""
        return table_text([self.log.titles, *map(self.log.cells, rows)], as_csv=as_csv)


class Records(QStackedWidget):
    """One page at a time, chosen by tabs in the dock's header. Signals: message(words) for the status bar."""

    message = Signal(str)

    def __init__(self, pages: Sequence[Record], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self.pages = tuple(pages)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName(f"{', '.join(page.title for page in pages[:-1])} or {pages[-1].title}")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for page in pages:
            self.addWidget(page.widget)
            self.tabs.addTab(page.title)
        self.export_button = QToolButton()
        self.export_button.setToolTip("Export the page shown as text or CSV, reports also as PDF or web page")
        self.export_button.setAccessibleName("Export the page shown")
        self.export_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        put_icon(self.export_button, "export")
        self.tabs.currentChanged.connect(self._on_tab_changed)

    def put_head(self, dock: Dock) -> None:
        """Put the button into the dock's header, and tabs where its title is if there are several pages."""
        layout = dock.header.layout()
        if len(self.pages) > 1 and isinstance(layout, QHBoxLayout):
            dock.header.set_title("")
            layout.insertWidget(0, self.tabs)
        dock.header.add_widget(self.export_button)

    def text(self, form: int = 0) -> str:
        """Return the page as text, in one of its file formats."""
        return self.pages[self.currentIndex()].text(form)

    def export(self, questions: Questions) -> None:
        """Ask for a file and write the displayed page into it."""
        page = self.pages[self.currentIndex()]
        if not page.text(0):
            self.message.emit(page.nothing)
            return
        wanted = Path.home() / f"{page.stem()}.txt"
        forms = (*page.forms, *REPORT_FORMS) if page.report is not None else page.forms
        answer = questions.file_to_save(f"Export {page.name}", wanted, forms)
        if answer is None:
            return
        path, form = answer
        if page.report is not None and is_report(path):
            write_report_to(path, self._tasks, page.report(), self.message.emit)
            return
        try:
            write_atomic(path, page.text(form or int(path.suffix.lower() == ".csv")))
        except OSError as error:
            self.message.emit(f"Cannot write {path.name}: {error.strerror or error}")
            return
        self.message.emit(f"{path.name} written")

    @Slot()
    def follow(self) -> None:
        """Show the page in front as it is now, while it is seen."""
        if self.isVisible():
            self.pages[self.currentIndex()].follow()

    @Slot(int)
    def _on_tab_changed(self, page: int) -> None:
        self.setCurrentIndex(page)
        self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()


def audit_remark(rows: Sequence[AuditRow], trouble: str) -> str:
    """Return the remark of the dock's header: the number of actions, or why they are not stored."""
    return f"Not written to disk: {trouble}" if trouble else count_words(len(rows), "action")


def table_text(rows: Sequence[tuple[str, ...]], *, as_csv: bool) -> str:
    """Return a table, its titles first, as text in columns or as CSV."""
    if as_csv:
        return csv_of_rows(rows)
    out = io.StringIO()
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        out.write("  ".join(cells).rstrip() + "\n")
    return out.getvalue()


def _audit_columns(
    clock: Callable[[int], str], first_px: tuple[int, int, int], way_back: Callable[[AuditRow], str] | None
) -> tuple[Column[AuditRow], ...]:
    def column(
        title: str, text: Callable[[AuditRow], str], width: int, *, is_name: bool = False
    ) -> Column[AuditRow]:
        def tip(row: AuditRow) -> str | None:
            return "\n".join(dict.fromkeys(filter(None, (text(row), row.text)))) or None

        ink = {"Result": lambda row: RESULT_MARKS[row.result][1]}.get(title)
        is_muted = title in ("Before", "Reason")
        return Column(
            title, text, tip=tip, width=width, is_name=is_name, full=text,
            ink=(lambda _row: "muted") if is_muted else ink,
            icon=(lambda row: RESULT_MARKS[row.result]) if title == "Result" else None,
        )  # fmt: skip

    time_px, author_px, action_px = first_px
    ways = () if way_back is None else (column(WAYS_TITLE, way_back, 160),)
    return (
        column("Time", lambda row: clock(row.tick), time_px),
        column("Who", lambda row: row.author, author_px, is_name=True),
        column("Action", lambda row: row.action, action_px),
        column("On", lambda row: row.on or (row.text if row.done else ""), 200, is_name=True),
        column("Before", lambda row: row.before, 100, is_name=True),
        column("After", lambda row: row.after, 100, is_name=True),
        column("Result", lambda row: str(row.result), 104),
        *ways,
        column("Reason", _reason, 0),
    )


def _reason(row: AuditRow) -> str:
    return "; ".join(filter(None, (row.why, "" if row.result is Result.DONE else row.text)))
