"""The paper's tables for the study at hand, one tab each; exported as CSV or Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QTreeView, QWidget

from fsconsole.app.study.paper_tables import paper_tables
from fsconsole.app.study.state import StudyState
from fsconsole.batch.measures.table_form import Table
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import StudyView
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock import DockBody
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.text.numbers import UNKNOWN, fixed, full
from fsconsole.text.table_files import TABLE_FORMS, table_bytes

_SLIMMEST, _WIDEST = 56, 220
_BESIDE_TITLE = 18  # Margins and half of the sort arrow.
_Row = tuple[Any, ...]
_FORMS = tuple(f"{title} (*.{form})" for form, title in TABLE_FORMS.items())


class TablesPage(StudyView):
    """Tabs over a table, its title above and how it was made below."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._made_of: StudyState | None = None
        self.tables: tuple[Table, ...] = ()
        self.bar = PageTabs("Tables of the study", self)
        self.table: Table | None = None
        self.model: RowModel[_Row] = RowModel((), self)
        self.view = FlatTree(self.model, "Table of the study", self)
        self._title = PlainLabel("", self, wraps=True)
        self._note = MutedLabel("", self, wraps=True)
        self._sheet = QWidget(self)
        self.body = DockBody(self._sheet, self)
        self._set_up_view()
        self._build_ui()
        self.bar.currentChanged.connect(self._turn)
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self._refresh)
        selection.user_selected.connect(self._on_user_selected)
        self.view.clicked.connect(self._on_clicked)

    @Slot()
    def copy_all(self) -> None:
        """Put the table shown on the clipboard as tab-separated lines, as it is sorted."""
        self.view.copy_all([column.about for column in self.model.columns])

    def export(self, questions: Questions) -> None:
        """Ask for a file and write the table shown into it."""
        table = self.table
        if table is None:
            self._selection.session.message.emit("No table yet")
            return
        name = table.name.lower().replace(" ", "-").replace("(", "").replace(")", "")
        answer = questions.file_to_save(f"Export {table.name}", Path.home() / f"{name}.csv", _FORMS)
        if answer is None:
            return
        path, form = answer
        by_suffix = path.suffix.lower().removeprefix(".")
        chosen = by_suffix if by_suffix in TABLE_FORMS else list(TABLE_FORMS)[form]
        title = f"{table.name}: {table.title}"
        self._write(path, table_bytes(table.frame, chosen, title, table.note))

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _on_study_changed(self) -> None:
        self._tasks.cancel()
        self._made_of = None
        self._show_tables(())
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Have the tables made of what is done by now, while the page is seen."""
        state = self._selection.state
        if not self.isVisible() or state is self._made_of or self._tasks.is_busy():
            return
        if state is None or state.users.is_empty():
            self.body.show_content()  # A notice over all pages shows that no run is done yet.
            return
        if not self.tables:
            self.body.show_empty("Making the tables…")
        self._made_of = state
        self._tasks.run(partial(paper_tables, state), self._on_tables, self._on_failed)

    def _on_tables(self, tables: Sequence[Table]) -> None:
        self._show_tables(tables)
        self._refresh()

    def _on_failed(self, error: Exception) -> None:
        self.body.show_empty(f"Cannot make the tables: {describe_error(error)}")

    @property
    def _user_column(self) -> int:
        """Column of users in the displayed table; -1 without one."""
        names = [column.name for column in self.table.columns] if self.table is not None else []
        return names.index("user") if "user" in names else -1

    @Slot()
    def _on_user_selected(self) -> None:
        """Mark the row of the user selected in other views."""
        user, at = self._selection.user, self._user_column
        self.model.light((lambda row: str(row[at]) == user) if user and at >= 0 else None)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        row, at = self.model.row_at(index.row()), self._user_column
        if row is not None and at >= 0:
            self._selection.select_user(str(row[at]))

    def _show_tables(self, tables: Sequence[Table]) -> None:
        """Show others; the one of the same name stays in front if there is one."""
        shown = self.bar.tabText(self.bar.currentIndex())
        self.tables = tuple(tables)
        with QSignalBlocker(self.bar):
            while self.bar.count():
                self.bar.removeTab(0)
            for table in self.tables:
                self.bar.setTabToolTip(self.bar.addTab(table.name), table.title)
            names = [table.name for table in self.tables]
            if shown in names:
                self.bar.setCurrentIndex(names.index(shown))
        self._turn(self.bar.currentIndex())
        if self.tables:
            self.body.show_content()

    @Slot(int)
    def _turn(self, place: int) -> None:
        table = self.table = self.tables[place] if 0 <= place < len(self.tables) else None
        columns = [_column(table, at) for at in range(len(table.columns))] if table is not None else []
        self.model.set_columns(columns)
        self.model.set_rows(table.frame.rows() if table is not None else ())
        self.view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self._title.setText(table.title if table is not None else "")
        self._note.setText(table.note if table is not None else "")
        self._note.setVisible(table is not None and bool(table.note))
        for column in range(self.model.columnCount()):
            self.view.setColumnWidth(column, self._width_of(column))
        self._on_user_selected()
        self.changed.emit()

    def _width_of(self, column: int) -> int:
        """Return the width of the cells and of the title's longer line, which Qt would count as one line."""
        title = str(self.model.headerData(column, Qt.Orientation.Horizontal) or "")
        metrics = self.view.header().fontMetrics()
        lines = (metrics.horizontalAdvance(line) for line in title.splitlines())
        width = max(self.view.sizeHintForColumn(column), max(lines, default=0) + _BESIDE_TITLE)
        return min(max(width, _SLIMMEST), _WIDEST)

    def _set_up_view(self) -> None:
        view, header = self.view, self.view.header()
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setSortingEnabled(True)
        view.setHorizontalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        header.setStretchLastSection(False)

    def _build_ui(self) -> None:
        self._title.setFont(ui_font("table", semibold=True))
        self._title.setContentsMargins(12, 6, 12, 6)
        self._note.setContentsMargins(12, 6, 12, 8)
        vbox(self._title, (self.view, 1), self._note, on=self._sheet)
        vbox(self.bar, (self.body, 1), on=self)


def _column(table: Table, at: int) -> Column[_Row]:
    """Make a column with a title of two lines; fractions in percent, unknown values last."""
    form = table.columns[at]
    scale = 100 if form.unit == "fraction" else 1

    def value(row: _Row) -> Any:
        return scale * row[at] if isinstance(row[at], float) else row[at]

    return Column(
        form.heading_with("\n"), lambda row: _shown(value(row)), form.heading,
        order=lambda row: (row[at] is None, row[at]), full=lambda row: _copied(value(row)),
        tip=lambda row: full(value(row)) if isinstance(row[at], float) else None,
        is_number=table.frame.schema[form.name] != pl.String,
    )  # fmt: skip


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return fixed(value, 1 if isinstance(value, float) else 0)
    return UNKNOWN if value is None else str(value)


def _copied(value: object) -> str:
    if isinstance(value, float):
        return full(value)
    return "" if value is None else str(value)
