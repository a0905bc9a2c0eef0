"""The view of a plain table of rows, as problems and changes are shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from fsconsole.console.design.rows_model import Row, RowsModel
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.table_columns import TableColumns


class RowsView(QTreeView):
    """Rows to choose from by click, arrows or Enter; Ctrl+C copies them as TSV.

    Signals: chosen(Row).
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        model: RowsModel,
        widths: Sequence[int],
        preferences: Preferences,
        parent: QWidget | None = None,
        *,
        wide: int = -1,
    ) -> None:
        """`wide` is the column that takes the room left, the last one unless told otherwise."""
        super().__init__(parent)
        self._rows = model
        self.setAccessibleName(name)
        self.setModel(model)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.setMinimumSize(0, 48)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(wide % len(widths), QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        key = name.lower().replace(" ", "_")
        self.columns = TableColumns(self, preferences, f"design/{key}", model.titles)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)
        copy_by_keys(self)

    def current_row(self) -> Row | None:
        """The row with the keyboard's mark."""
        index = self.currentIndex()
        return self._rows.rows[index.row()] if index.isValid() else None

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._rows.rows[index.row()])
