"""The pages at the bottom of Design: problems, source, compare and, in a narrow window, changes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSize, Signal
from PySide6.QtGui import QShowEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QStackedWidget,
    QTextEdit,
    QWidget,
)

from fsconsole.app.tree.source import Source
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.text.numbers import UNKNOWN
from fsconsole.text.words import capitalised

if TYPE_CHECKING:
    from fsconsole.console.design.compare_panel import ComparePanel

_PROBLEMS, _SOURCE, _COMPARE, _CHANGES = range(4)
_MARKS = {
    Severity.ERROR: ("warning", "danger"),
    Severity.WARNING: ("warning", "warn"),
    Severity.NOTE: ("file", "muted"),
}


class ProblemsPanel(FlatTree[Problem]):
    """One row per problem; choosing one selects its node and shows its line.

    Signals: line_wanted(int).
    """

    line_wanted = Signal(int)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        self._session = session
        columns: tuple[Column[Problem], ...] = (
            Column("Severity", lambda one: one.severity.capitalize(), name="Severity",
                   ink=lambda one: _MARKS[one.severity][1], icon=lambda one: _MARKS[one.severity], width=98),
            Column("Line", lambda one: str(one.line) if one.line else UNKNOWN, name="Line", width=42,
                   is_number=True, tip=lambda one: f"Line of {one.file}" if one.file else None),
            Column("Node", self._name, name="Node", width=72),
            Column("Problem", self._sentence, name="Problem", width=100, stretches=True),
        )  # fmt: skip
        self.rows = RowModel(columns)
        super().__init__(self.rows, "Problems", parent, session.preferences, "design/problems")
        self.setMinimumSize(0, 48)
        self._notice = EmptyNotice(self)
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)

    def show_problems(self, problems: tuple[Problem, ...]) -> None:
        """Show these problems and no others."""
        document = self._session.document
        # A cluster's tree does not come from a file with lines.
        if document is not None and not document.is_of_file:
            problems = tuple(replace(one, line=0) for one in problems)
        self.rows.set_rows(problems)
        if problems or document is None:
            self._notice.hide()
        else:
            self._notice.say("No problems found.")

    def _node_of(self, problem: Problem) -> int | None:
        """Return the node of a problem, if it is in the tree."""
        document = self._session.document
        return problem.node if document is not None and problem.node in document.tree else None

    def _name(self, problem: Problem) -> str:
        document, node = self._session.document, self._node_of(problem)
        name = document.tree.node(node).name if document is not None and node is not None else ""
        return name or problem.path.rpartition("/")[2]

    def _sentence(self, problem: Problem) -> str:
        text = problem.text
        return text if self._node_of(problem) is not None else capitalised(text)

    def _on_chosen(self, index: QModelIndex) -> None:
        problem = self.rows.rows[index.row()]
        node = self._node_of(problem)
        if node is not None:
            self._session.select((node,))
        # Otherwise the line belongs to another text than the one shown.
        if problem.line and not problem.file:
            self.line_wanted.emit(problem.line)


class SourcePanel(QPlainTextEdit):
    """The text as it would be saved; the line of the selected node is tinted."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._source = Source()
        self._text_shown = ""
        self._line = 0
        self.setAccessibleName("Source")
        self.setReadOnly(True)
        self.setFont(fixed_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        session.selection_changed.connect(self._follow)
        theme().changed.connect(self._tint)

    def show_source(self, source: Source) -> None:
        """Show a text when this page is visible; the scroll position stays."""
        self._source = source
        if self.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        if self._text_shown != self._source.text:
            place = self.verticalScrollBar().value()
            self._text_shown = self._source.text
            self.setPlainText(self._source.text)
            self.verticalScrollBar().setValue(place)
        self._follow()

    def show_line(self, line: int) -> None:
        """Tint a line, counted from 1, and scroll to it; 0 tints none."""
        self._line = line
        self._tint()
        if line:
            cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
            self.setTextCursor(cursor)
            self.centerCursor()

    def _follow(self) -> None:
        chosen = self._session.selection
        self.show_line(self._source.line_of(chosen[0]) if chosen else 0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()

    def _tint(self) -> None:
        block = self.document().findBlockByNumber(self._line - 1)
        if self._line <= 0 or not block.isValid():
            self.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(block)
        mark.format.setBackground(colour("sel"))
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        self.setExtraSelections([mark])


class ContentHolder(QWidget):
    """Content of a dock that is shown elsewhere now and then.

    Signals: wanted() when the dock is opened although its content is elsewhere.
    """

    wanted = Signal()

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.content = content
        self._place = vbox(on=self)
        self.take_back()

    def take_back(self) -> None:
        """Show it here again."""
        self._place.addWidget(self.content)
        self.content.show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.content.parentWidget() is not self:
            self.wanted.emit()


class BottomPages(QStackedWidget):
    """One page at a time, chosen by tabs in the dock's header."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.problems = ProblemsPanel(session, self)
        self.source = SourcePanel(session, self)
        self.addWidget(self.problems)
        self.late_compare = LazyWidget(partial(_made_compare, session), QSize(0, 48))
        self.addWidget(self.source)
        self.addWidget(self.late_compare)
        self.tabs = PageTabs("Problems, source, compare or changes")
        self.tabs.addTab("Problems")
        self.tabs.addTab("Source")
        self.tabs.addTab("Compare")
        self.tabs.currentChanged.connect(self.setCurrentIndex)
        self.problems.line_wanted.connect(self.source.show_line)
        self._count = 0
        self._changes: ContentHolder | None = None

    @property
    def compare(self) -> ComparePanel:
        """The open tree beside another one."""
        return self.late_compare.widget

    def show_compare(self) -> None:
        """Bring the comparison to the front."""
        self.tabs.setCurrentIndex(_COMPARE)
        self.compare.choice.setFocus()

    def put_tabs(self, dock: Dock) -> None:
        """Put the tabs where the dock's title is."""
        dock.header.set_title("")
        layout = dock.header.layout()
        if isinstance(layout, QHBoxLayout):
            layout.insertWidget(0, self.tabs)

    def show_checked(self, source: Source) -> None:
        """Show text and problems."""
        self.problems.show_problems(source.problems)
        self.source.show_source(source)
        count = len(source.problems)
        self.tabs.setTabText(_PROBLEMS, f"Problems {count}" if count else "Problems")

    def take_changes(self, changes: ContentHolder | None) -> None:
        """Show the changes of a dock as a page, or give them back."""
        if self._changes is not None and self._changes is not changes:
            self.tabs.removeTab(_CHANGES)
            self._changes.take_back()
        if changes is not None and self._changes is not changes:
            self.addWidget(changes.content)
            self.tabs.addTab("Changes")
        self._changes = changes
        self.show_count(self._count)

    def show_count(self, count: int) -> None:
        """Show the number of changes."""
        self._count = count
        if self.tabs.count() > _CHANGES:
            self.tabs.setTabText(_CHANGES, f"Changes {count}" if count else "Changes")


def _made_compare(session: ConsoleSession, parent: QWidget) -> ComparePanel:
    from fsconsole.console.design.compare_panel import ComparePanel

    return ComparePanel(session, parent)
