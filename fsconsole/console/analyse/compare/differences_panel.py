"""The table of a comparison, and the range over which its CPU time is counted."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QItemSelection, QSize, Qt, Slot
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from fsconsole.app.comparison import SourcesComparison
from fsconsole.console.analyse.compare.plot_panel import curve_styles
from fsconsole.console.analyse.compare.run_differences import RunDifferences
from fsconsole.console.kit.forms import is_being_typed
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import marks
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.experiments.comparing import LETTERS, ComparedNode, Variant
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.policies.words import policy_title
from fsconsole.shares.tree import ROOT_ID
from fsconsole.text.durations import clock, in_words, typed_seconds
from fsconsole.text.numbers import fixed, full, percent, points

_OVERLAP = "The two bands overlap, so chance can explain this difference"
_CPU, _OF_RUNS = "cpu", "runs"
_NAMES_PX = 130
_MINUS = "\N{MINUS SIGN}"


class DifferencesPanel(QWidget):
    """Nodes x variants, sorted by a click on a header; a row selected selects its node everywhere."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison: SourcesComparison | None = None
        self._names: tuple[str, ...] = ()
        self._styles: dict[int, CurveStyle] = {}
        self._places: dict[int, int] = {}  # Position of each node in the order of the tree.
        self.model = RowModel((self._node_column(),), self, key=lambda row: row.node)
        self.view = FlatTree(self.model, "Differences", self)
        self.since, self.until = QLineEdit(self), QLineEdit(self)
        self._counted = MutedLabel("", self, wraps=True)
        self.page = SegmentedButtons(((_CPU, "CPU time"), (_OF_RUNS, "All quantities")), "Show", self)
        self.of_runs = RunDifferences(self)
        self._pages = QStackedWidget(self)
        self._set_up_view()
        self._build_ui()
        for field in (self.since, self.until):
            field.setFixedWidth(74)
            field.textChanged.connect(self._refresh)
        session.system_left_out_changed.connect(self._refresh)
        self.setEnabled(False)

    @property
    def counted(self) -> str:
        """What the numbers are, in words."""
        return self._counted.text()

    @property
    def span_s(self) -> tuple[float, float] | None:
        """From when to when CPU time is counted; None where there is none."""
        comparison, span = self._comparison, self._range_s()
        if comparison is None or span is None:
            return None
        start_s, end_s = comparison.range_s(*span)
        return (start_s, end_s) if start_s < end_s else None

    def show_comparison(self, comparison: SourcesComparison | None) -> None:
        """Show another comparison over its whole length, or over the chosen range if it contains that."""
        before, self._comparison = self._comparison, comparison
        self.setEnabled(comparison is not None)
        diff = None if comparison is None else comparison.diff
        self.of_runs.show_diff(diff)
        self.page.setVisible(diff is not None)
        if diff is None:
            self.page.choose(_CPU)
            self._pages.setCurrentIndex(0)
        if comparison is None:
            self._show_rows((), ())
            for field in (self.since, self.until):
                field.clear()
            self._counted.setText("Differences appear when a comparison has run.")
            return
        common_s = comparison.common_s
        if before is None or before.common_s != common_s:
            for field, time_s in zip((self.since, self.until), common_s, strict=True):
                if not (field.hasFocus() and is_being_typed(field)):
                    field.setText(in_words(time_s))
        self._refresh()

    @Slot()
    def copy_all(self) -> None:
        """Put the whole table that shows on the clipboard as tab-separated lines."""
        if self.page.value == _OF_RUNS:
            self.of_runs.copy_all()
            return
        self.view.copy_all(["Node", *(column.about for column in self.model.columns[1:])])

    def sizeHint(self) -> QSize:
        return QSize(440, 400)

    def _range_s(self) -> tuple[float, float] | None:
        """Return the typed range; None if it is not valid."""
        found = []
        for field in (self.since, self.until):
            try:
                found.append(typed_seconds(field.text()))
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
        names = tuple(_titled(variant) for variant in comparison.variants)
        first_s, last_s = comparison.common_s
        if first_s >= last_s:
            self._show_rows((), names)
            self._counted.setText("Nothing to compare: the runs have no time in common.")
            return
        if span is None:
            self._counted.setText("From must be earlier than to. Example: 90 s or 20 min")
            return
        start, end = comparison.range_s(*span)
        if start >= end:
            self._show_rows((), names)
            common = f"{clock(first_s)} to {clock(last_s)}"
            self._counted.setText(f"No samples in this time. Choose times within {common}.")
            return
        leave_out = self._session.leave_out_system
        rows = comparison.table(*span, leave_out_system=leave_out)
        self._show_rows(tuple(row for row in rows if row.node != ROOT_ID), names)
        if len(rows) <= 1:
            self._counted.setText("Nothing to compare: the runs share no tree node.")
            return
        has_system = leave_out and any(node.system for node in comparison.tree.walk())
        facts = [f"% of the CPU time used from {clock(start)} to {clock(end)}"]
        if has_system:
            facts.append("without system groups")
        self._counted.setText(", ".join(facts))

    def _show_rows(self, rows: tuple[ComparedNode, ...], names: tuple[str, ...]) -> None:
        """Show other rows; `names` are those of the variants."""
        self._places = {row.node: place for place, row in enumerate(rows)}
        if rows and self._comparison is not None:
            self._styles = curve_styles(self._session, self._comparison.tree)
        if names != self._names:
            self._names = names
            self.model.set_columns((self._node_column(), *_value_columns(names)))
            header = self.view.header()
            for at, column in enumerate(self.model.columns[1:], 1):
                header.resizeSection(at, scaled(column.width))
            self.view.fit_names(_NAMES_PX)
            self.model.sort(header.sortIndicatorSection(), header.sortIndicatorOrder())
        self.model.set_rows(rows)

    def _node_column(self) -> Column[ComparedNode]:
        role = Qt.ItemDataRole
        return Column(
            "Node", lambda row: "  " * max(0, row.path.count("/") - 1) + row.path.rpartition("/")[2],
            "Sorted as in the tree", order=lambda row: self._places[row.node], full=lambda row: row.path,
            more={
                int(role.AccessibleTextRole): lambda row: row.path,
                int(role.DecorationRole): lambda row: marks.chip(self._styles[row.node].colour_token),
            },
        )  # fmt: skip

    @Slot(QItemSelection, QItemSelection)
    def _select(self, _chosen: QItemSelection, _left: QItemSelection) -> None:
        if rows := self.view.selected():
            self._session.select(row.node for row in rows)

    def _set_up_view(self) -> None:
        view, header = self.view, self.view.header()
        view.setSortingEnabled(True)
        view.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        view.selectionModel().selectionChanged.connect(self._select)

    def _build_ui(self) -> None:
        fields: list[QWidget] = []
        for word, name, field in (
            ("CPU from", "CPU time from", self.since),
            ("to", "CPU time to", self.until),
        ):
            label = PlainLabel(word, self, buddy=field)
            field.setAccessibleName(name)
            fields += (label, field)
        span = hbox(*fields, STRETCH, margins=(12, 6, 12, 0), spacing=8)
        self._counted.setContentsMargins(12, 0, 12, 0)
        page = QWidget(self)
        vbox(span, self._counted, (self.view, 1), on=page, spacing=4)
        self._pages.addWidget(page)
        self._pages.addWidget(self.of_runs)
        vbox(hbox(self.page, STRETCH, margins=(12, 6, 12, 2)), (self._pages, 1), on=self)
        self.page.hide()
        self.page.chosen.connect(lambda value: self._pages.setCurrentIndex(value == _OF_RUNS))


def _titled(variant: Variant) -> str:
    """Return the variant's name, with the title of the policy that it begins with."""
    policy = str(variant.settings.get("policy.name", ""))
    return policy_title(policy) + variant.name.removeprefix(policy) if policy else variant.name


def _value_columns(names: tuple[str, ...]) -> Iterator[Column[ComparedNode]]:
    """Yield columns: CPU with each variant in percent, and differences from the first in points."""
    for at, (letter, name) in enumerate(zip(LETTERS, names, strict=False)):
        yield _value_column(letter, f"CPU with variant {letter}, {name}, in %", at)
    for at, letter in enumerate(LETTERS[1 : len(names)]):
        about = f"CPU with variant {letter} minus CPU with variant A, {names[0]}, in points"
        yield _value_column(f"{letter} {_MINUS} A", about, at, is_difference=True)


def _value_column(title: str, about: str, at: int, *, is_difference: bool = False) -> Column[ComparedNode]:
    def value(row: ComparedNode) -> float:
        return row.differences()[at] if is_difference else row.cpu[at]

    def words(row: ComparedNode) -> str:
        return points(value(row), 1) if is_difference else fixed(100 * value(row), 1)

    def band(row: ComparedNode) -> str | None:
        if not row.cpu_bands or is_difference:
            return _OVERLAP if is_difference and row.overlaps(at + 1) else None
        found = row.cpu_bands[at]
        return (
            None
            if found is None
            else f"{percent(found[0], 2, unit=False)} to {percent(found[1], 2)}, 5th to 95th percentile"
        )

    def ink(row: ComparedNode) -> str:
        return "muted" if is_difference and row.overlaps(at + 1) else ""

    return Column(
        title, words, about, order=value, full=lambda row: full(100 * value(row)), tip=band, ink=ink,
        width=58 if is_difference else 52, is_number=True,
    )  # fmt: skip
