"""Everything that is wrong with a file, as a list that can be copied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.style.icons import icon
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.copying import copy_text
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import MutedLabel, SectionLabel
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.text.visible_text import visible_line
from fsconsole.text.words import count_words

_COLUMNS = ("Severity", "Line", "Column", "Where", "Problem")
_WIDTH, _LEAST_ROWS, _MOST_ROWS = 920, 4, 16
_TOKENS = {Severity.ERROR: "danger", Severity.WARNING: "warn", Severity.NOTE: "muted"}


class ProblemsDialog(Dialog):
    """List of problems with line and column; Ctrl+C and Copy take it as text."""

    def __init__(self, name: str, problems: Sequence[Problem], heading: str, parent: QWidget) -> None:
        super().__init__("fsconsole", parent)
        self._name, self._problems = name, tuple(problems)
        title = SectionLabel(heading, self, wraps=True)
        count = count_words(len(problems), "problem")
        remark = MutedLabel(f"{count}. Neither the file nor the open document was changed.", self)
        self.list = self._made_list()
        buttons = close_buttons(self)
        buttons.addButton("Copy", buttons.ButtonRole.ActionRole).clicked.connect(self.copy)
        vbox(title, remark, (self.list, 1), buttons, on=self, margins=(16, 16, 16, 12), spacing=8)
        self.list.setMinimumHeight(self._whole_rows())
        self.resize(_WIDTH, self.minimumSizeHint().height())

    def text(self) -> str:
        """Return the list as lines NAME: line, column: what."""
        return "\n".join(f"{self._name}: {problem}" for problem in self._problems)

    def _whole_rows(self) -> int:
        """Return the list's height in pixels, with no part of a row."""
        rows = min(max(len(self._problems), _LEAST_ROWS), _MOST_ROWS)
        header, row = self.list.header().sizeHint().height(), self.list.sizeHintForRow(0)
        return header + rows * row + 2 * self.list.frameWidth()

    @Slot()
    def copy(self) -> None:
        """Put the list on the clipboard."""
        copy_text(self.text())

    def _made_list(self) -> QTreeWidget:
        made = QTreeWidget(self)
        made.setHeaderLabels(_COLUMNS)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.setAllColumnsShowFocus(True)  # A frame round a single cell would look editable.
        made.setAccessibleName("Problems")
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        made.addTopLevelItems([_row(problem) for problem in self._problems])
        header = made.header()
        for column, width in enumerate((90, 50, 70, 150)):
            header.resizeSection(column, scaled(width))
        header.setSectionResizeMode(4, QHeaderView.ResizeMode.Stretch)
        copy = QAction("Copy", made)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy)
        made.addAction(copy)
        return made


def _row(problem: Problem) -> QTreeWidgetItem:
    line = str(problem.line) if problem.line else "–"
    column = str(problem.column) if problem.column else "–"
    words = (problem.severity.value.capitalize(), line, column, _where(problem), problem.text)
    made = QTreeWidgetItem([visible_line(word) for word in words])
    made.setIcon(0, icon("warning", _TOKENS[problem.severity]))
    for number in (1, 2):
        made.setTextAlignment(number, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    made.setToolTip(4, problem.text)
    return made


def _where(problem: Problem) -> str:
    """Return the file, where there are several, and the node or key."""
    return ": ".join(part for part in (problem.file, problem.path) if part) or "–"
