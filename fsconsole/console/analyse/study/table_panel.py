"""The study's table with its filter: one row a policy; the selected one drives what is drawn above."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QTreeView, QVBoxLayout, QWidget

from fsconsole.app.study.rows import MEASURED, StudyRow
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.table_model import (
    FIRST,
    NAMES,
    POLICY,
    WORKLOAD,
    FilterRole,
    RowRole,
    SortRole,
    StudyTableModel,
)
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.copying import copy_by_keys, tsv_of
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.table_columns import TableColumns

ALL = "All workloads"
_KEY = "study/table"
_WORKLOAD_WIDTH, _WIDEST_WORKLOAD, _LEAST_POLICY = 70, 120, 112
_BESIDE_TITLE, _BESIDE_SORTED = 12, 34  # margins; and the arrow
_BESIDE_NAME = 40  # piece of the curve and margins
_MOST_POLICY = 170  # as much as names may take from other columns


class StudyTablePanel(QWidget):
    """Workload, filter and heat above the table; sorted by a click on a header, copied as TSV."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.model = StudyTableModel(self)
        self.view = QTreeView(self)
        self.sorted = QSortFilterProxyModel(self)
        self.workload = QComboBox(self)
        self.filter = SearchBox("Filter policies", self)
        self.heat = Switch("Heat by column", self)
        self._is_selecting = False
        self._is_fitted = False
        preferences = selection.session.preferences
        if preferences.value(f"{_KEY}/hidden") is None:
            preferences.set_value(f"{_KEY}/hidden", [one.name for one in MEASURED if not one.is_shown])
        if preferences.value(f"{_KEY}/sort") is None:
            preferences.set_value(f"{_KEY}/sort", ["max_wait_h", "ascending"])
        self._set_up_view()
        self.columns = TableColumns(self.view, preferences, _KEY, NAMES)
        self._lay_out()
        self._listen()
        self.start_anew()

    @property
    def chosen_workload(self) -> str:
        """The workload that is shown; empty for all."""
        return str(self.workload.currentData() or "")

    @Slot()
    def start_anew(self) -> None:
        """Another study: its workloads, the first one chosen where it has one alone."""
        state = self._selection.state
        workloads = state.workloads if state is not None else ()
        self.workload.blockSignals(True)
        self.workload.clear()
        if len(workloads) != 1:
            self.workload.addItem(ALL, "")
        for workload in workloads:
            self.workload.addItem(workload, workload)
        self.workload.blockSignals(False)
        self.workload.setVisible(len(workloads) > 1)
        self.filter.clear()
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Show what is done by now."""
        state = self._selection.state
        self.model.show_numbers(state.numbers if state is not None else None, self.chosen_workload)
        self.columns.squeeze([WORKLOAD] if self.workload.count() == 1 or self.chosen_workload else [])
        wanted = self.view.sizeHintForColumn(WORKLOAD)
        self.view.setColumnWidth(WORKLOAD, min(max(wanted, _WORKLOAD_WIDTH), _WIDEST_WORKLOAD))
        self._fit()
        self._follow_selection()

    @Slot()
    def copy_all(self) -> None:
        """Put the whole table on the clipboard as tab-separated lines, as it is sorted and filtered."""
        header, model = self.view.header(), self.sorted
        columns = [column for column in range(len(NAMES)) if not header.isSectionHidden(column)]
        columns.sort(key=header.visualIndex)
        titles = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in columns]
        cells = (model.index(row, column) for row in range(model.rowCount()) for column in columns)
        text = tsv_of(cells, header.visualIndex)
        QGuiApplication.clipboard().setText("\t".join(titles) + "\n" + text)

    def sizeHint(self) -> QSize:
        return QSize(620, 250)

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _follow_selection(self) -> None:
        cell = self._selection.cell
        if cell is None:
            self.view.clearSelection()
            return
        place = self.model.place_of(cell.workload, cell.policy.label)
        index = self.sorted.mapFromSource(self.model.index(place, POLICY)) if place >= 0 else QModelIndex()
        self._is_selecting = True
        self.view.setCurrentIndex(index)
        self._is_selecting = False

    @Slot(QModelIndex, QModelIndex)
    def _select(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row, state = current.data(RowRole), self._selection.state
        if self._is_selecting or not isinstance(row, StudyRow) or state is None:
            return
        cells = [cell for cell in state.cells_of(row.workload, row.policy) if state.state(cell) == "done"]
        if cells:
            self._selection.select_cell(cells[0])

    def _set_up_view(self) -> None:
        self.sorted.setSourceModel(self.model)
        self.sorted.setSortRole(SortRole)
        self.sorted.setFilterRole(FilterRole)
        self.sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        view = self.view
        view.setModel(self.sorted)
        view.setAccessibleName("Study table")
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # months differ in their end
        view.setAllColumnsShowFocus(True)
        view.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setSortingEnabled(True)
        header = view.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(48)
        copy_by_keys(view)

    def _lay_out(self) -> None:
        self.workload.setAccessibleName("Workload")
        self.workload.setToolTip("Which workload is shown")
        self.heat.setToolTip("Tint each value by how near it is to the worst of its column")
        line = QHBoxLayout()
        line.setContentsMargins(8, 4, 8, 4)
        line.setSpacing(12)
        line.addWidget(self.workload)
        line.addWidget(self.filter)
        line.addStretch(1)
        line.addWidget(self.heat)
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self.view, 1)

    def _listen(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self.start_anew)
        selection.results_changed.connect(self.follow)
        selection.cell_selected.connect(self._follow_selection)
        self.workload.currentIndexChanged.connect(self.follow)
        self.filter.textChanged.connect(self.sorted.setFilterFixedString)
        self.heat.toggled.connect(self.model.set_heated)
        self.view.selectionModel().currentChanged.connect(self._select)

    def _fit_titles(self) -> None:
        """Measures get the room that their titles need, once: a person may give them another."""
        header = self.view.header()
        sorted_by = header.sortIndicatorSection()
        for place, measure in enumerate(MEASURED, FIRST):
            beside = _BESIDE_SORTED if place == sorted_by else _BESIDE_TITLE
            header.resizeSection(place, header.fontMetrics().horizontalAdvance(measure.title) + beside)
        self._is_fitted = True

    def _fit(self) -> None:
        """Policies get the room that the other columns leave."""
        header = self.view.header()
        others = sum(header.sectionSize(column) for column in range(WORKLOAD, len(NAMES)))
        room = self.view.viewport().width() - others
        names = (self.view.fontMetrics().horizontalAdvance(row.policy) for row in self.model.rows)
        needed = max(names, default=0) + _BESIDE_NAME
        # Names have priority over columns at the right, which can be scrolled to.
        room = max(room, _LEAST_POLICY, min(needed, _MOST_POLICY))
        header.resizeSection(POLICY, room)
        self.model.set_brief(needed > room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_fitted:
            self._fit_titles()
        self._fit()
        self._follow_selection()
