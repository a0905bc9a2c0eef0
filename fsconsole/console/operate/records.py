"""What is on record: the audit log, and what else a target reports."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from fsconsole.app.cluster.roll_back import WayBack
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.report_export import REPORT_FORMS, is_report, write_report_to
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.result_marks import RESULT_MARKS
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.files import write_atomic
from fsconsole.text.csv_text import csv_of_rows
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.app.reports.document import Report

_FIRST_PX = (84, 84, 210)
WAYS_TITLE = "Can be rolled back"
ROLL_BACK = "Roll back…"
_ACTION = "Action"
_CHEVRON_PX = 22
AUDIT_FORMS = ("Text (*.txt)", "Table (*.csv)")


@dataclass(frozen=True, slots=True)
class Record:
    """A page of the records.

    Attributes:
        title: word on its tab; name: what sentences call it; stem: of the files it is exported to.
        widget: what shows it; follow: brings that up to date.
        text: it in one of `forms`, by number; empty where there is nothing, which `nothing` says.
        report: gives what makes a report with figures of it in a thread; None where there is none.
        find: shows only what has some words; None where it is not searched.
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
    find: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log.

    Attributes:
        row: what was done; an apply with all its changes is one row.
        key: identity of the line.
        is_open: whether the changes of an apply are shown below it; None for others.
        is_step: whether it is one of these changes.
        names: all that an apply changes, to be found; its row names the first ones alone.
        result: its result in words, where the row has only that of the worst change.
    """

    row: AuditRow
    key: Hashable
    is_open: bool | None = None
    is_step: bool = False
    names: str = ""
    result: str = ""


Way = Callable[[LogLine], WayBack | None]


class AuditTable(Table[LogLine]):
    """The audit log, the newest action first; Ctrl+C copies its cells.

    Signals: toggled(key) when an apply is to be opened or closed; linked() when the selected line is to be
    rolled back.
    """

    toggled = Signal(object)
    linked = Signal()

    def __init__(
        self,
        clock: Callable[[int], str],
        preferences: Preferences,
        key: str,
        first_px: tuple[int, int, int] = _FIRST_PX,
        way_back: Way | None = None,
    ) -> None:
        """`clock` says in words when a row's tick was; the columns are remembered under `key`, and
        `first_px` are the first widths of time, author and action. `way_back` is that from a line, for a
        column of its own.
        """
        self._way_back = way_back
        self._pressed_px = 0
        self._nothing = ""
        self.log = RowModel(_audit_columns(clock, first_px, way_back), key=lambda line: line.key)
        super().__init__(self.log, "Audit log", None, preferences, key)
        self.notice = EmptyNotice(self)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self.setMouseTracking(way_back is not None)
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self._on_double_clicked)

    def show_rows(self, rows: tuple[AuditRow, ...]) -> None:
        """Show rows, given oldest first."""
        self.show_lines([LogLine(row, row) for row in rows[::-1]])

    def show_lines(self, lines: Sequence[LogLine], nothing: str = "") -> None:
        """Show lines from the top; `nothing` is the message without any."""
        self._nothing = nothing
        self.log.set_rows(lines)
        self._show_emptiness()

    def filter_by(self, text: str) -> None:
        """Show only the lines that have all words of a text in one of their cells."""
        words = text.casefold().split()

        def has_all(line: LogLine) -> bool:
            cells = "\n".join((*self.log.cells(line), line.names)).casefold()
            return all(word in cells for word in words)

        self.log.set_filter(has_all if words else None)
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        if self.log.given and not self.log.rows:
            self.notice.say("No record matches.")
        elif self._nothing and not self.log.given:
            self.notice.say(self._nothing)
        else:
            self.notice.hide()

    def _is_link(self, index: QModelIndex) -> bool:
        line = self.log.row_at(index.row())
        if line is None or self._way_back is None or self.log.columns[index.column()].title != WAYS_TITLE:
            return False
        way = self._way_back(line)
        return way is not None and way.is_possible

    def _is_chevron(self, index: QModelIndex) -> bool:
        is_there = self.log.columns[index.column()].title == _ACTION
        return is_there and self._pressed_px - self.visualRect(index).left() < scaled(_CHEVRON_PX)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if self._is_link(index):
            self.linked.emit()
        elif self._is_chevron(index):
            self._toggle(index)

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        if not (self._is_link(index) or self._is_chevron(index)):
            self._toggle(index)

    def _toggle(self, index: QModelIndex, *, wanted: bool | None = None) -> bool:
        """Open or close an apply; return whether that was another state."""
        line = self.log.row_at(index.row())
        if line is None or line.is_open is None or line.is_open is wanted:
            return False
        self.toggled.emit(line.key)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, opens = event.key(), event.key() == Qt.Key.Key_Right
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._way_back is not None:
            self.linked.emit()
        elif not (opens or key == Qt.Key.Key_Left) or not self._toggle(self.currentIndex(), wanted=opens):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_px = event.position().toPoint().x()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        is_link = self._is_link(self.indexAt(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())

    def text(self, rows: Sequence[AuditRow], *, as_csv: bool) -> str:
        """Return rows as a file has them, in the words of the table."""
        cells = (self.log.cells(LogLine(row, row)) for row in rows)
        return table_text([self.log.titles, *cells], as_csv=as_csv)


class Records(QStackedWidget):
    """One page at a time, chosen by tabs in the dock's header. Signals: message(words) for the status bar."""

    message = Signal(str)

    def __init__(self, pages: Sequence[Record], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        self.pages = tuple(pages)
        self.tabs = PageTabs(f"{', '.join(page.title for page in pages[:-1])} or {pages[-1].title}")
        for page in pages:
            self.addWidget(page.widget)
            self.tabs.addTab(page.title)
        self.export_button = QToolButton()
        self.export_button.setToolTip("Export the page shown as text or CSV, reports also as PDF or web page")
        self.export_button.setAccessibleName("Export the page shown")
        self.export_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        put_icon(self.export_button, "export")
        self.box = SearchBox("Find in records")
        self.box.textChanged.connect(self._find)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    def put_head(self, dock: Dock) -> None:
        """Put the button into the dock's header, and tabs where its title is if there are several pages."""
        layout = dock.header.layout()
        if len(self.pages) > 1 and isinstance(layout, QHBoxLayout):
            dock.header.set_title("")
            layout.insertWidget(0, self.tabs)
        dock.header.add_widget(self.box, rank=1)
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
        self.message.emit(written(path, page.text(form or int(path.suffix.lower() == ".csv"))))

    @Slot()
    def follow(self) -> None:
        """Show the page in front as it is now, while it is seen."""
        if self.isVisible():
            self.pages[self.currentIndex()].follow()

    @Slot(str)
    def _find(self, text: str) -> None:
        if (find := self.pages[self.currentIndex()].find) is not None:
            find(text)

    @Slot(int)
    def _on_tab_changed(self, page: int) -> None:
        self.setCurrentIndex(page)
        self.box.setEnabled(self.pages[page].find is not None)
        self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()


def audit_remark(rows: Sequence[object], trouble: str) -> str:
    """Return the remark of the dock's header: the number of actions, or why they are not stored."""
    return f"Not written to disk: {trouble}" if trouble else count_words(len(rows), "action")


def written(path: Path, text: str) -> str:
    """Write a file, and return the result as a sentence."""
    try:
        write_atomic(path, text)
    except OSError as error:
        return f"Cannot write {path.name}: {error.strerror or error}"
    return f"{path.name} written"


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
    clock: Callable[[int], str], first_px: tuple[int, int, int], way_back: Way | None
) -> tuple[Column[LogLine], ...]:
    def column(
        title: str, text: Callable[[AuditRow], str], width: int, *, is_name: bool = False
    ) -> Column[LogLine]:
        def tip(line: LogLine) -> str | None:
            return "\n".join(dict.fromkeys(filter(None, (said(line), line.row.text)))) or None

        def said(line: LogLine) -> str:
            return (line.result if title == "Result" else "") or text(line.row)

        ink = {"Result": lambda line: RESULT_MARKS[line.row.result][1]}.get(title)
        is_muted = title in ("Before", "Reason")
        icon = {"Result": lambda line: RESULT_MARKS[line.row.result], _ACTION: _chevron}.get(title)
        return Column(
            title, _indented if title == _ACTION else said, tip=tip, width=width, is_name=is_name, full=said,
            ink=(lambda _line: "muted") if is_muted else ink, icon=icon,
        )  # fmt: skip

    def said_of_way(line: LogLine) -> str:
        way = way_back(line) if way_back is not None else None
        if way is None or not way.is_possible:
            return way.words if way is not None else ""
        return f"{ROLL_BACK} {way.words}" if way.left else ROLL_BACK

    def ink_of_way(line: LogLine) -> str:
        return "accent" if said_of_way(line).startswith(ROLL_BACK) else "muted"

    time_px, author_px, action_px = first_px
    ways = () if way_back is None else (Column(WAYS_TITLE, said_of_way, full=said_of_way, ink=ink_of_way),)
    return (
        column("Time", lambda row: clock(row.tick), time_px),
        column("Who", lambda row: row.author, author_px, is_name=True),
        column(_ACTION, lambda row: row.action, action_px),
        column(
            "On", lambda row: row.on or (row.text if row.done else ""), 180 if ways else 200, is_name=True
        ),
        column("Before", lambda row: row.before, 100, is_name=True),
        column("After", lambda row: row.after, 100, is_name=True),
        column("Result", lambda row: str(row.result), 104),
        column("Reason", _reason, 130 if ways else 0),
        *ways,
    )


def _chevron(line: LogLine) -> tuple[str, str] | None:
    if line.is_open is None:
        return None
    return ("opened" if line.is_open else "closed"), "muted"


def _indented(line: LogLine) -> str:
    return f"        {line.row.action}" if line.is_step else line.row.action


def _reason(row: AuditRow) -> str:
    return "; ".join(filter(None, (row.why, "" if row.result is Result.DONE else row.text)))
