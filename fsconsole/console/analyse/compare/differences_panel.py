"""The table of a comparison, and the range over which its CPU time is counted."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QSize, QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QTreeView, QVBoxLayout, QWidget

from fsconsole.console.analyse.compare.differences_model import DifferencesModel, NodeRole, SortRole
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.copying import copy_by_keys, tsv_of
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.experiments.comparing import Comparison, Variant
from fsconsole.policies.words import policy_title
from fsconsole.shares.tree import ROOT_ID
from fsconsole.text.durations import in_words, seconds

_VALUE_WIDTH, _DIFFERENCE_WIDTH = 44, 54


class DifferencesPanel(QWidget):
    """Nodes x variants, sorted by a click on a header; a row selected selects its node everywhere."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison: Comparison | None = None
        self.model = DifferencesModel(session, self)
        self.view = QTreeView(self)
        self._sorted = QSortFilterProxyModel(self)
        self.since, self.until = QLineEdit(self), QLineEdit(self)
        self._counted = MutedLabel("", self)
        self._set_up_view()
        self._lay_out()
        for field in (self.since, self.until):
            field.setFixedWidth(74)
            field.textChanged.connect(self._refresh)
        session.system_left_out_changed.connect(self._refresh)
        self.setEnabled(False)

    @property
    def counted(self) -> str:
        """What the numbers are, in words."""
        return self._counted.text()

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison over its whole length, or over the range chosen where it has that."""
        before, self._comparison = self._comparison, comparison
        self.setEnabled(comparison is not None)
        if comparison is None:
            self.model.show_rows((), ())
            for field in (self.since, self.until):
                field.clear()
            self._counted.setText("Differences appear when a comparison has run.")
            return
        end = float(comparison.times[-1])
        if before is None or before.times[-1] != end:
            self.since.setText("0 s")
            self.until.setText(in_words(end))
        self._refresh()

    @Slot()
    def copy_all(self) -> None:
        """Put the whole table on the clipboard as tab-separated lines, in the order shown."""
        model = self._sorted
        columns = range(model.columnCount())
        titles = [
            str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole))
            for column in columns
        ]
        cells = (model.index(row, column) for row in range(model.rowCount()) for column in columns)
        lines = ("\t".join(["Node", *titles[1:]]), tsv_of(cells, lambda column: column))
        QGuiApplication.clipboard().setText("\n".join(lines))

    def sizeHint(self) -> QSize:
        return QSize(440, 400)

    def _range_s(self) -> tuple[float, float] | None:
        """The range typed; None where it is none."""
        found = []
        for field in (self.since, self.until):
            try:
                found.append(seconds(field.text()))
            except ValueError:
                return None
        return (found[0], found[1]) if 0 <= found[0] < found[1] else None

    @Slot()
    def _refresh(self) -> None:
        comparison, span = self._comparison, self._range_s()
        for field in (self.since, self.until):
            set_look(field, "error" if comparison is not None and span is None else "")
        if comparison is None:
            return
        if span is None:
            self._counted.setText("From must be a time before to, such as 90 s or 20 min")
            return
        leave_out = self._session.leave_out_system
        names = tuple(_titled(variant) for variant in comparison.variants)
        rows = comparison.table(*span, leave_out_system=leave_out)
        self.model.show_rows(tuple(row for row in rows if row.node != ROOT_ID), names)
        start, end = comparison.range_s(*span)
        has_system = leave_out and any(node.system for node in comparison.tree.walk())
        without = ", system groups left out" if has_system else ""
        self._counted.setText(f"% of the CPU time given from {start:g} to {end:g} s{without}")
        self._fit_columns()

    def _fit_columns(self) -> None:
        header = self.view.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        columns = self.model.columnCount()
        for column in range(1, columns):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, _VALUE_WIDTH if column <= columns // 2 else _DIFFERENCE_WIDTH)

    @Slot(QItemSelection, QItemSelection)
    def _select(self, _chosen: QItemSelection, _left: QItemSelection) -> None:
        rows = self.view.selectionModel().selectedRows()
        if rows:
            self._session.select(int(index.data(NodeRole)) for index in rows)

    def _set_up_view(self) -> None:
        self._sorted.setSourceModel(self.model)
        self._sorted.setSortRole(SortRole)
        view = self.view
        view.setModel(self._sorted)
        view.setAccessibleName("Differences")
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setAllColumnsShowFocus(True)
        view.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        view.setSortingEnabled(True)
        view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        header = view.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        view.selectionModel().selectionChanged.connect(self._select)
        copy_by_keys(view)

    def _lay_out(self) -> None:
        span = QHBoxLayout()
        span.setContentsMargins(12, 6, 12, 0)
        span.setSpacing(8)
        for word, field in (("CPU from", self.since), ("to", self.until)):
            label = QLabel(word, self)
            label.setBuddy(field)
            field.setAccessibleName(f"Count {word}")
            span.addWidget(label)
            span.addWidget(field)
        span.addStretch(1)
        self._counted.setContentsMargins(12, 0, 12, 0)
        self._counted.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(span)
        layout.addWidget(self._counted)
        layout.addWidget(self.view, 1)


def _titled(variant: Variant) -> str:
    """The variant's name, with the title of the policy that it begins with."""
    policy = str(variant.settings.get("policy.name", ""))
    return policy_title(policy) + variant.name.removeprefix(policy) if policy else variant.name
