"""The Compare page: the open tree beside another one, as a table of differences or side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from fsconsole.app.examples import example_titles
from fsconsole.app.tree.comparison import (
    ADDED,
    REMOVED,
    TITLES,
    ComparedNode,
    TreeComparison,
    compare_trees,
    settings_words,
)
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column as TreeColumn
from fsconsole.console.design.columns import title_of
from fsconsole.console.document import Document
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons, menu_button
from fsconsole.console.widgets.copying import copy_rows
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.shares.files import write_atomic
from fsconsole.shares.formats import FORMATS, all_endings, read_tree
from fsconsole.shares.matching import matched
from fsconsole.shares.scenario.spec import settings_of
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.text import numbers
from fsconsole.text.words import count_words, listed

_AFTER_MS = 200
_MOST_SETTINGS = 6
_COMPARISON, _READING = "comparison", "reading"
_TABLE, _SIDES = "table", "sides"
_ALL = "All files (*)"
_ARROW = "\N{RIGHTWARDS ARROW}"
_DIGITS = numbers.PERCENT_OF_MACHINE_DIGITS


@dataclass(frozen=True, eq=False, slots=True)
class OtherTree:
    """What the open tree is compared with.

    Attributes:
        name: what it is called.
        tree: returns it; None while there is none. The document's own states share its ids (`is_own`).
        settings: of policy and machine; empty where they are not known.
        problem: why there is none, in a sentence.
    """

    name: str
    tree: Callable[[], ShareTree | None]
    is_own: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


class ComparePanel(QWidget):
    """A choice of the other tree over its differences from the open one; a click selects a row's node."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Compare")
        self._session = session
        self._tasks = Tasks(self)
        self._document: Document | None = None
        self._is_stale = True
        self._other: OtherTree | None = None
        self.comparison: TreeComparison | None = None
        self._places: dict[int, int] = {}
        self.questions = Questions(self)
        self.rows = RowModel(_difference_columns(self._place_of), self, key=lambda one: one.node)
        self.sides = RowModel(_side_columns(), self, key=lambda one: one.node)
        self.table = FlatTree(self.rows, "Differences", self)
        self.side_by_side = FlatTree(self.sides, "Side by side", self)
        self.view = SegmentedButtons(((_TABLE, "Differences"), (_SIDES, "Side by side")), "Show", self)
        self.summary = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight)
        self._build_ui()
        self._connect_signals()
        self._on_document_changed()

    # -- choosing -------------------------------------------------------------------------------------------

    def choose_saved(self) -> None:
        """Compare with the document as it was saved, or as it was opened."""
        document = self._document
        if document is not None:
            name = "Saved version" if document.path is not None else "As opened"
            self._choose(OtherTree(name, lambda: document.saved_tree, is_own=True))

    def choose_cluster(self) -> None:
        """Compare with the tree that the cluster has."""
        staging = self._session.offer(STAGING)
        if staging is not None:
            self._choose(OtherTree("Cluster", lambda: staging.base, is_own=True))

    def choose_file(self, path: Path) -> None:
        """Compare with the tree in a file, once it is read."""
        self.summary.setText(f"Reading {path.name}")
        self._tasks.run(
            partial(_read, path), self._choose, partial(self._on_unreadable, path.name), latest=_READING
        )

    def ask_file(self) -> None:
        """Ask for the file to compare with."""
        filters = (f"Scenarios and share trees ({' '.join(all_endings())})", _ALL)
        path = self.questions.file_to_open("Compare with", self._session.folder, filters)
        if path is not None:
            self.choose_file(path)

    # -- table ----------------------------------------------------------------------------------------------

    def copy_table(self) -> None:
        """Put the differences on the clipboard, as lines of tab-separated values."""
        lines = [TITLES, *(one.cells() for one in self.rows.rows)]
        copy_rows(lines)
        self._session.message.emit(f"{count_words(len(lines) - 1, 'difference')} copied")

    def ask_export(self) -> None:
        """Ask for a file and write the differences into it as CSV."""
        comparison, document = self.comparison, self._document
        if comparison is None or document is None:
            return
        wished = self._session.folder / f"{Path(document.name).stem}-differences.csv"
        chosen = self.questions.file_to_save("Export differences", wished, ("CSV (*.csv)",))
        if chosen is None:
            return
        try:
            write_atomic(chosen[0], comparison.csv())
        except OSError as error:
            self._session.message.emit(f"{chosen[0]}: {error.strerror or error}. No file was written.")
            return
        self._session.message.emit(f"Wrote the differences to {chosen[0].name}")

    # -- following ------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._compare()

    @Slot()
    def _on_document_changed(self) -> None:
        if self._document is not None:
            self._document.saved.disconnect(self._compare_soon)
        self._tasks.cancel()
        self._document = document = self._session.document
        self._other = None
        self._show(None)
        title = title_of(TreeColumn.PART_OF_MACHINE, of_cluster=self._session.offer(CLUSTER) is not None)
        self.rows.set_title(self.rows.place(_PART), title)
        if document is not None:
            document.saved.connect(self._compare_soon)
            if self._session.offer(STAGING) is not None:
                self.choose_cluster()
            else:
                self.choose_saved()

    def _choose(self, other: OtherTree) -> None:
        self._other = other
        self.choice.setText(other.name)
        self.choice.setToolTip(f"Compare with: {other.name}")
        self._compare_soon()

    @Slot()
    def _compare_soon(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self._compare(_AFTER_MS)

    def _compare(self, after_ms: int = 0) -> None:
        document, other = self._document, self._other
        tree = other.tree() if other is not None else None
        if document is None or other is None or tree is None:
            self._show(None)
            return
        self._is_stale = False
        now, is_swapped = document.tree.copy(), self.swapped.isChecked()
        call = partial(_compared, tree.copy(), now, is_own=other.is_own, swap=is_swapped)
        self._tasks.run(call, self._show, self._on_failed, latest=_COMPARISON, after_ms=after_ms)

    def _show(self, comparison: TreeComparison | None) -> None:
        self.comparison = comparison
        name = self._other.name if self._other is not None else ""
        if comparison is None:
            self.rows.set_rows(())
            self.sides.set_rows(())
            self.summary.setText("")
            hint = "Compare shows how the open tree differs from another one. Select the other tree above."
            self._notice.say((self._other and self._other.problem) or hint)
            self._show_settings()
            return
        self._places = {one.node: at for at, one in enumerate(comparison.nodes)}
        self.rows.set_rows(comparison.differences(edited_alone=self.edited_alone.isChecked()))
        self.sides.set_rows(comparison.nodes)
        self.summary.setText(comparison.summary())
        self._show_settings()
        self.sides.set_title(0, "Now" if self.swapped.isChecked() else name)
        self.sides.set_title(4, name if self.swapped.isChecked() else "Now")
        if self.rows.rows:
            self._notice.hide()
        else:
            self._notice.say(f"{name}: no differences.")

    def _place_of(self, row: ComparedNode) -> int:
        """Return the place of a row: changed nodes first, each in the order of the tree."""
        return self._places.get(row.node, 0) + (0 if row.changes else len(self._places))

    @Slot()
    def _show_settings(self) -> None:
        """Show the different settings of policy and machine in a separate line."""
        document, other = self._document, self._other
        words: list[str] = []
        if document is not None and other is not None and other.settings:
            states = (other.settings, document.settings)
            words = settings_words(*(reversed(states) if self.swapped.isChecked() else states))
        self.settings.setText(f"Settings differ: {listed(words, _MOST_SETTINGS)}." if words else "")
        self.settings.setToolTip("\n".join(words))
        self.settings.setVisible(bool(words))

    def _on_unreadable(self, name: str, error: Exception) -> None:
        problem = f"{name} cannot be read: {describe_error(error)}"
        self._choose(OtherTree(name, lambda: None, problem=problem))

    def _on_failed(self, error: Exception) -> None:
        self._show(None)
        self._notice.say(f"Cannot compare the trees: {describe_error(error)}")

    def _on_chosen(self, model: RowModel[ComparedNode], index: QModelIndex) -> None:
        """Select the node of a row, or the lowest remaining group that held it."""
        row, document = model.row_at(index.row()), self._document
        if row is None or document is None:
            return
        at: int | None = row.node
        seen = {one.node: one for one in self.sides.given}
        while at is not None and at not in document.tree:
            gone = seen.get(at)
            node = gone and (gone.old or gone.new)
            at = node.parent if node else None
        if at is not None:
            self._session.select((at,))

    # -- building -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        self._others = QMenu(self)
        self._others.aboutToShow.connect(self._fill_others)
        self.choice = menu_button("Compare with", "Compare with another tree", self._others, self)
        options = QMenu(self)
        self.edited_alone = _checkable(options, "Hide nodes whose only change is the entitled share")
        self.swapped = _checkable(options, "Swap before and after")
        options.addSeparator()
        options.addAction("Copy table", self.copy_table)
        options.addAction("Export table…", self.ask_export)
        self.options = menu_button("", "Options of the comparison", options, self)
        put_icon(self.options, "settings")
        self.options.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.side_by_side)
        self._notice = EmptyNotice(self.table)
        top = hbox(self.choice, self.view, (self.summary, 1), self.options, margins=(8, 3, 8, 3), spacing=8)
        self.settings = MutedLabel("", self, "caption", wraps=True)
        self.settings.setAccessibleName("Settings that differ")
        self.settings.setContentsMargins(8, 0, 8, 3)
        self.settings.hide()
        vbox(top, self.settings, (self._pages, 1), on=self)
        for view in (self.table, self.side_by_side):
            view.setMinimumSize(0, 24)
            view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)

    def _connect_signals(self) -> None:
        session = self._session
        session.document_changed.connect(self._on_document_changed)
        session.edited.connect(self._compare_soon)
        session.settings_changed.connect(self._show_settings)
        self.view.chosen.connect(lambda value: self._pages.setCurrentIndex(value == _SIDES))
        self.edited_alone.toggled.connect(lambda _: self._show(self.comparison))
        self.swapped.toggled.connect(self._compare_soon)
        for view, model in ((self.table, self.rows), (self.side_by_side, self.sides)):
            chosen = partial(self._on_chosen, model)
            view.clicked.connect(chosen)
            view.activated.connect(chosen)
            view.customContextMenuRequested.connect(partial(self._show_menu, view))

    def _show_menu(self, view: FlatTree[ComparedNode], at: QPoint) -> None:
        self.options.menu().popup(view.viewport().mapToGlobal(at))

    def _fill_others(self) -> None:
        menu = self._others
        menu.clear()
        document = self._document
        if document is None:
            menu.addAction("Open a scenario first").setEnabled(False)
            return
        if self._session.offer(STAGING) is not None:
            menu.addAction("Cluster", self.choose_cluster)
        else:
            menu.addAction("Saved version" if document.path else "As opened", self.choose_saved)
        menu.addAction("File…", self.ask_file)
        examples = menu.addMenu("Example")
        for path, title in example_titles():
            examples.addAction(title, partial(self.choose_file, path))


def _read(path: Path) -> OtherTree:
    """Read the tree of a file, in a thread; formats of other schedulers have no settings of ours."""
    found = read_tree(path)
    is_scenario = path.suffix.lower() in FORMATS[0].all_suffixes
    settings = settings_of(found.machine, found.policy) if is_scenario else {}
    return OtherTree(path.name, lambda: found.tree, settings=settings)


def _compared(
    other: ShareTree,
    now: ShareTree,
    *,
    is_own: bool,
    swap: bool,
) -> TreeComparison:
    """Compare in a thread; trees of files get the ids of the open one first."""
    other = other if is_own else matched(now, other)
    before, after = (now, other) if swap else (other, now)
    return compare_trees(before, after)


def _checkable(menu: QMenu, words: str) -> QAction:
    action = menu.addAction(words)
    action.setCheckable(True)
    return action


def _machine(row: ComparedNode) -> str:
    before, after = (numbers.percent(one, _DIGITS) for one in (row.machine_before, row.machine_after))
    if not row.is_entitled_otherwise:
        return after
    return f"{before} {_ARROW} {after}"


_PART = "Share of machine"  # name in the preferences


def _difference_columns(place: Callable[[ComparedNode], int]) -> tuple[Column[ComparedNode], ...]:
    return (
        Column("Node", lambda row: row.path.rpartition("/")[2],
               "Sorted as in the tree, changed nodes first", name="Node",
               full=lambda row: row.path, order=place, width=100, is_name=True),
        Column("Difference", lambda row: row.words, name="Difference",
               ink=lambda row: "text" if row.changes else "muted", stretches=True),
        Column("Share of machine", _machine, "Entitled share before and after",
               name=_PART, order=lambda row: row.machine_after or 0.0, width=170,
               is_number=True),
        Column("Points", lambda row: numbers.points(row.difference, _DIGITS),
               "Change of the entitled share, in points", name="Points",
               order=lambda row: row.difference, width=62, is_number=True),
    )  # fmt: skip


def _side_columns() -> tuple[Column[ComparedNode], ...]:
    """Return a tree in the first three columns, the other in the last three; rows that differ are tinted."""
    return (
        *_side(lambda row: row.old, lambda row: row.machine_before, "before"),
        Column("", _mark, "Difference: + added, − removed, ≠ changed",
               name="Difference", full=lambda row: row.words, width=24, more=_TINT),
        *_side(lambda row: row.new, lambda row: row.machine_after, "after"),
    )  # fmt: skip


def _side(
    node: Callable[[ComparedNode], Node | None], share: Callable[[ComparedNode], float | None], when: str
) -> tuple[Column[ComparedNode], ...]:
    def name(row: ComparedNode) -> str:
        found = node(row)
        return "" if found is None else "  " * row.depth + found.name

    def shares(row: ComparedNode) -> str:
        found = node(row)
        return "" if found is None else numbers.thousands(found.shares)

    def machine(row: ComparedNode) -> str:
        return "" if node(row) is None else numbers.percent(share(row), _DIGITS)

    return (
        Column(f"Node {when}", name, name=f"Node {when}", full=lambda row: row.path if node(row) else "",
               more=_TINT, stretches=True),
        Column("Shares", shares, name=f"Shares {when}", width=54, is_number=True, more=_TINT),
        Column("Machine", machine, f"Share of the machine {when}", name=f"Machine {when}", width=80,
               is_number=True, more=_TINT),
    )  # fmt: skip


def _mark(row: ComparedNode) -> str:
    if not row.changes:
        return ""
    return {ADDED: "+", REMOVED: numbers.MINUS}.get(row.kinds[0], "\N{NOT EQUAL TO}")


def _ground(row: ComparedNode) -> Any:
    if ADDED in row.kinds:
        return colour("okbg")
    if REMOVED in row.kinds:
        return colour("dangerbg")
    return colour("sel") if row.changes else None


_TINT: dict[int, Callable[[ComparedNode], Any]] = {int(Qt.ItemDataRole.BackgroundRole): _ground}
