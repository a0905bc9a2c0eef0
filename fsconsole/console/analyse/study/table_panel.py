"""The study's table with its filter: one row a policy; the selected one drives what is drawn above."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QSize, Qt, Slot
from PySide6.QtGui import QBrush, QColor, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QTreeView, QWidget

from fsconsole.app.study.rows import MEASURED, StudyRow, mean_rows, study_rows, with_significance
from fsconsole.app.study.significance import NOTHING_KNOWN, Interval, Significance
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.view import keep_filter
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.style import marks
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.figures.study_numbers import StudyNumbers, short_workloads
from fsconsole.text.numbers import fixed, full

POLICY, WORKLOAD, FIRST = range(3)
NAMES = ("policy", "workload", *(column.name for column in MEASURED))
_Role = Qt.ItemDataRole
ALL = "All workloads"
_KEY = "study/table"
_WORKLOAD_WIDTH, _WIDEST_WORKLOAD, _LEAST_POLICY = 70, 120, 112
_BESIDE_TITLE, _BESIDE_SORTED = 12, 34  # Margins beside a title, without and with the sort arrow.
_BESIDE_NAME = 40  # Sample of the curve and margins.
_MOST_POLICY = 170  # Width that policy names may take from other columns.
_HOTTEST = 0.34
_LONG = "no expected usage", "no expected"  # Suffix of a policy name, and its short form for narrow columns.
TIED = "~"  # Mark of values without a significant difference from the best of their column.
_LAST = float("inf")  # Unknown values come last.


class StudyTableModel(RowModel[StudyRow]):
    """A row for each policy on each workload that is done: best values in semibold, heat by column."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._numbers: StudyNumbers | None = None
        self._is_heated = False
        self._is_brief = False
        self._has_intervals = False
        columns = (
            Column(
                "Policy", self._policy_text, name="policy", order=lambda row: row.policy,
                full=lambda row: row.policy, tip=_policy_tip,
                more={int(_Role.DecorationRole): self._sample},
            ),
            Column(
                "Workload", self._workload_text, name="workload", order=self._workload_place,
                full=lambda row: row.workload,
            ),
            *map(self._value_column, range(len(MEASURED))),
        )  # fmt: skip
        super().__init__(columns, parent, key=lambda row: (row.workload, row.policy))

    def show_numbers(
        self, numbers: StudyNumbers | None, workload: str = "", known: Significance = NOTHING_KNOWN
    ) -> None:
        """Show a study's results on a workload, or on all; `known` is of the workload, or of the only one."""
        self._numbers = numbers
        found = study_rows(numbers) if numbers is not None else ()
        shown = [row for row in found if not workload or row.workload == workload]
        self.set_rows(with_significance(shown, known))

    def show_means(self, numbers: StudyNumbers, known: Significance) -> None:
        """Show means over all workloads of the policies that are done on all of them."""
        self._numbers = numbers
        self.set_rows(with_significance(mean_rows(numbers), known))

    def set_intervals(self, has_intervals: bool) -> None:
        """Show 95 % intervals behind values."""
        self._has_intervals = has_intervals
        self.emit_changed(FIRST)

    def set_heated(self, is_heated: bool) -> None:
        """Tint each value by how near it is to the worst of its column."""
        self._is_heated = is_heated
        self.emit_changed(FIRST)

    def set_brief(self, is_brief: bool) -> None:
        """Leave out of long names of policies what goes without saying; tooltips have them whole."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self.emit_changed(POLICY, POLICY)

    def _policy_text(self, row: StudyRow) -> str:
        return row.policy.replace(*_LONG) if self._is_brief else row.policy

    def _sample(self, row: StudyRow) -> QPixmap | None:
        return None if self._numbers is None else marks.curve_sample(self._numbers.styles[row.policy])

    def _workload_place(self, row: StudyRow) -> int:
        return -1 if self._numbers is None or row.mean_of else self._numbers.workloads.index(row.workload)

    def _workload_text(self, row: StudyRow) -> str:
        if row.mean_of:
            return row.mean_of
        workloads = () if self._numbers is None else self._numbers.workloads
        return short_workloads(workloads)[self._workload_place(row)] if workloads else ""

    def _value_column(self, at: int) -> Column[StudyRow]:
        measure = MEASURED[at]

        # A mean of counts is not a whole number.
        def text(row: StudyRow) -> str:
            digits = max(measure.digits, 1) if row.mean_of else measure.digits
            shown = fixed(row.values[at].mean * measure.scale, digits)
            if at in row.tied:
                shown = f"{TIED} {shown}"
            interval = row.intervals[at] if row.intervals else Interval()
            if self._has_intervals and interval.is_known:
                shown += f"  {_interval_text(interval, measure.scale, digits)}"
            return shown

        return Column(
            measure.title, text, measure.about, name=measure.name, is_number=True,
            order=lambda row: row.values[at].mean if row.values[at].is_known else _LAST,
            full=lambda row: full(row.values[at].mean * measure.scale) if row.values[at].is_known else "",
            tip=lambda row: _tip(row, at),
            font=lambda row: tabular_font(semibold=True) if at in row.best else None,
            more={
                int(_Role.BackgroundRole): lambda row: _heat(row.heat[at]) if self._is_heated else None,
                int(_Role.AccessibleTextRole): lambda row: (
                    text(row) + ", best" * (at in row.best) + ", not decided" * (at in row.tied)
                ),
            },
        )  # fmt: skip


class StudyTablePanel(QWidget):
    """Workload, filter and heat above the table; sorted by a click on a header, copied as TSV."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.model = StudyTableModel(self)
        self.view = FlatTree(self.model, "Study table", self)
        self.workload = QComboBox(self)
        self.filter = SearchBox("Filter policies", self)
        self.heat = Switch("Heatmap", self)
        self.intervals = Switch("95 % intervals", self)
        self.remark = ElidedLabel(self)
        self._is_selecting = False
        self._is_fitted = False
        preferences = selection.session.preferences
        if preferences.value(f"{_KEY}/hidden") is None:
            preferences.set_value(f"{_KEY}/hidden", [one.name for one in MEASURED if not one.is_shown])
        if preferences.value(f"{_KEY}/sort") is None:
            preferences.set_value(f"{_KEY}/sort", ["max_wait_h", "ascending"])
        self._set_up_view()
        self.columns = TableColumns(self.view, preferences, _KEY, NAMES)
        self._build_ui()
        self._connect_signals()
        self._on_study_changed()

    @property
    def chosen_workload(self) -> str:
        """The workload that is shown; empty for all, or their means."""
        return str(self.workload.currentData() or "")

    @property
    def shows_means(self) -> bool:
        """Whether means over all workloads are shown."""
        return self.workload.count() > 1 and self.workload.currentIndex() == 0

    @Slot()
    def _on_study_changed(self) -> None:
        """Show the workloads of another study; a single one is selected."""
        state = self._selection.state
        workloads = state.workloads if state is not None else ()
        with QSignalBlocker(self.workload):
            self.workload.clear()
            if len(workloads) > 1:
                self.workload.addItem(f"Means over {len(workloads)} workloads", "")
            if len(workloads) != 1:
                self.workload.addItem(ALL, "")
            for workload in workloads:
                self.workload.addItem(workload, workload)
        self.workload.setVisible(len(workloads) > 1)
        keep_filter(self.filter, self._selection, "policies")
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show what is done by now."""
        state = self._selection.state
        workload = self.chosen_workload
        known = self._selection.significance.of(workload)
        if state is not None and self.shows_means:
            self.model.show_means(state.numbers, known)
        else:
            if not workload and self.workload.count() > 1:
                known = NOTHING_KNOWN  # Significance is known only for the means.
            self.model.show_numbers(state.numbers if state is not None else None, workload, known)
        self.remark.setText(_remark(known))
        self.remark.setToolTip(known.words)
        self.intervals.setEnabled(bool(known.intervals))
        is_one = self.workload.count() == 1 or workload or self.shows_means
        self.columns.squeeze([WORKLOAD] if is_one else [])
        wanted = self.view.sizeHintForColumn(WORKLOAD)
        self.view.setColumnWidth(WORKLOAD, min(max(wanted, _WORKLOAD_WIDTH), _WIDEST_WORKLOAD))
        self._fit()
        self._on_cell_selected()

    @Slot()
    def copy_all(self) -> None:
        """Put the whole table on the clipboard as tab-separated lines, as it is sorted and filtered."""
        self.view.copy_all(self.model.titles)

    def sizeHint(self) -> QSize:
        return QSize(620, 250)

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _on_cell_selected(self) -> None:
        cell = self._selection.cell
        if cell is None:
            self.view.clearSelection()
            return
        self._is_selecting = True
        workload = "" if self.shows_means else cell.workload
        place = self.model.row_of((workload, cell.policy.label))
        self.view.setCurrentIndex(self.model.index(place, POLICY))
        self._is_selecting = False

    @Slot(QModelIndex, QModelIndex)
    def _select(self, current: QModelIndex, _previous: QModelIndex) -> None:
        state = self._selection.state
        if self._is_selecting or not current.isValid() or state is None:
            return
        row = self.model.rows[current.row()]
        workload = row.workload
        if row.mean_of:  # The row of this policy on the selected workload.
            seen = self._selection.cell
            workload = seen.workload if seen is not None else state.workloads[0]
        cells = [cell for cell in state.cells_of(workload, row.policy) if state.state(cell) == "done"]
        if cells:
            self._selection.select_cell(cells[0])

    @Slot(str)
    def _on_filter(self, text: str) -> None:
        typed = text.casefold()
        self.model.set_filter(lambda row: typed in f"{row.policy} {row.workload}".casefold())
        self._on_cell_selected()

    def _set_up_view(self) -> None:
        view = self.view
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # Names of months differ at the end.
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setSortingEnabled(True)
        header = view.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(48)

    def _build_ui(self) -> None:
        self.workload.setAccessibleName("Workload")
        self.workload.setToolTip("Workload to show")
        self.heat.setToolTip("Shade each value by its distance from the worst of its column")
        self.intervals.setToolTip("Show the 95 % interval behind each value")
        parts = (self.workload, self.filter, (self.remark, 1), self.intervals, self.heat)
        line = hbox(*parts, margins=(8, 4, 8, 4), spacing=12)
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        vbox(line, (self.view, 1), on=self)

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        selection.results_changed.connect(self.refresh)
        selection.cell_selected.connect(self._on_cell_selected)
        self.workload.currentIndexChanged.connect(self.refresh)
        self.filter.textChanged.connect(self._on_filter)
        self.heat.toggled.connect(self.model.set_heated)
        self.intervals.toggled.connect(self._on_intervals)
        selection.significance.computed.connect(self.refresh)
        self.view.selectionModel().currentChanged.connect(self._select)

    @Slot(bool)
    def _on_intervals(self, has_intervals: bool) -> None:
        self.model.set_intervals(has_intervals)
        self._fit_titles()
        self._fit()

    def _fit_titles(self) -> None:
        """Fit the columns of measures to their titles once, since the user may change the widths."""
        header = self.view.header()
        sorted_by = header.sortIndicatorSection()
        for place, measure in enumerate(MEASURED, FIRST):
            beside = _BESIDE_SORTED if place == sorted_by else _BESIDE_TITLE
            title = header.fontMetrics().horizontalAdvance(measure.title) + beside
            cells = self.view.sizeHintForColumn(place) if self.intervals.isChecked() else 0
            header.resizeSection(place, max(title, cells))
        self._is_fitted = True

    def _fit(self) -> None:
        """Give policies the room that the other columns leave."""
        header = self.view.header()
        others = sum(header.sectionSize(column) for column in range(WORKLOAD, len(NAMES)))
        room = self.view.viewport().width() - others
        names = (self.view.fontMetrics().horizontalAdvance(row.policy) for row in self.model.given)
        needed = max(names, default=0) + _BESIDE_NAME
        # Names have priority over the columns to the right, to which the user can scroll.
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
        self._on_cell_selected()


def _policy_tip(row: StudyRow) -> str:
    return f"{row.policy}: means over {row.seeds} seeds" if row.seeds > 1 else row.policy


def _heat(part: float | None) -> QBrush | None:
    if part is None:
        return None
    tint = QColor(colour("c2"))
    tint.setAlphaF(_HOTTEST * part)
    return QBrush(tint)


def _tip(row: StudyRow, at: int) -> str | None:
    """Return a value in full, its spread, its interval, and its relation to the best one."""
    value, scale = row.values[at], MEASURED[at].scale
    if not value.is_known:
        return None
    words = [full(value.mean * scale)]
    if row.mean_of:
        words.append(f"{row.mean_of.lower()}: {full(value.low * scale)} to {full(value.high * scale)}")
    elif value.seeds > 1:
        words.append(f"{full(value.low * scale)} to {full(value.high * scale)} over {value.seeds} seeds")
    if row.intervals and row.intervals[at].is_known:
        interval = row.intervals[at]
        words.append(f"95 % interval {fixed(interval.low * scale, 2)} to {fixed(interval.high * scale, 2)}")
    if at in row.best:
        words.append("best of the policies" if row.mean_of else "best policy on this workload")
    elif at in row.tied:
        words.append("no significant difference from the best policy")
    return ", ".join(words)


def _interval_text(interval: Interval, scale: float, digits: int) -> str:
    low, high = (fixed(end * scale, digits) for end in (interval.low, interval.high))
    return f"({low} – {high})"


def _remark(known: Significance) -> str:
    """Return the explanation of the marks, as far as there is room."""
    if known.reason or known.units is None:
        return known.reason
    return f"{TIED} not significant; 95 % intervals over {known.units.words}"
