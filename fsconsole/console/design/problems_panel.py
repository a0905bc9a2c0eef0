"""Problems and source of the scenario, as two pages of one dock."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from fsconsole.app.tree.source import Source
from fsconsole.console.design.rows_view import Row, RowsView
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.text.numbers import UNKNOWN

_TITLES = ("Severity", "Line", "Node", "Problem")
_WIDTHS = (98, 42, 72, 100)
_MARKS = {
    Severity.ERROR: ("warning", "danger"),
    Severity.WARNING: ("warning", "warn"),
    Severity.NOTE: ("file", "muted"),
}


class ProblemsPanel(RowsView):
    """One row per problem; choosing one selects its node and shows its line.

    Signals: line_wanted(int).
    """

    line_wanted = Signal(int)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__("Problems", _TITLES, _WIDTHS, session.preferences, parent, right=(1,))
        self._session = session
        self._notice = EmptyNotice(self)
        self.chosen.connect(self._jump)

    def show_problems(self, problems: tuple[Problem, ...]) -> None:
        """Replace the list."""
        self.rows.set_rows([self._row(problem) for problem in problems])
        if problems or self._session.document is None:
            self._notice.hide()
        else:
            self._notice.say("No problems were found.")

    def _row(self, problem: Problem) -> Row:
        icon, token = _MARKS[problem.severity]
        document = self._session.document
        is_known = document is not None and problem.node is not None and problem.node in document.tree
        name = document.tree.node(problem.node or 0).name if document is not None and is_known else ""
        cells = (
            problem.severity.capitalize(),
            str(problem.line) if problem.line else UNKNOWN,
            name or problem.path.rpartition("/")[2],
            problem.text[:1].upper() + problem.text[1:] if not is_known else problem.text,
        )
        nodes = (problem.node,) if is_known and problem.node is not None else ()
        return Row(cells, nodes, problem.line, icon, token)

    def _jump(self, row: Row) -> None:
        if row.nodes:
            self._session.select(row.nodes)
        if row.line:
            self.line_wanted.emit(row.line)


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
        """Show a text, once this page is looked at; where it was scrolled to stays."""
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
