"""Columns of a table that the user chooses and orders; they are remembered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QHeaderView, QMenu, QTableView, QTreeView

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.plain_words import menu_words


class TableColumns(QObject):
    """A right click on the header chooses columns, dragging orders them, a click sorts where the table can.

    The first column always shows. What was chosen is kept in the preferences by the names of the columns, so
    that another version of the table with other columns can still read it.
    """

    def __init__(
        self, view: QTreeView | QTableView, preferences: Preferences, key: str, names: Sequence[str]
    ) -> None:
        """`names` are the columns' names in the preferences, in the model's order."""
        super().__init__(view)
        self._view, self._preferences, self._key = view, preferences, key
        self._fixed = self._names = tuple(names)
        self._is_placing = False
        self._squeezed: frozenset[int] = frozenset()
        self._insisted: set[int] = set()
        self._left_out: frozenset[int] = frozenset()
        self._header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
        self.menu = QMenu(view)
        self.menu.aboutToShow.connect(self._fill_menu)
        self._set_up(self._header)
        self._restore()
        self._header.sectionMoved.connect(self._keep_order)
        self._header.sortIndicatorChanged.connect(self._keep_sort)

    def squeeze(self, columns: Iterable[int]) -> None:
        """Hide these columns for want of room but those shown from the menu since; none: as chosen."""
        self._squeezed = frozenset(int(column) for column in columns) - self._insisted
        self._hide()

    def leave_out(self, columns: Iterable[int]) -> None:
        """Have the table without these columns, in its menu too, until others are left out."""
        self._left_out = frozenset(int(column) for column in columns)
        self._hide()

    def have_more(self, names: Iterable[str], before: int) -> None:
        """Let columns of these names follow the fixed ones of the model; at first they show before one."""
        self._names = (*self._fixed, *names)
        self._is_placing = True
        for column in range(len(self._fixed), len(self._names)):
            if self._header.visualIndex(column) > self._header.visualIndex(before):
                self._header.moveSection(self._header.visualIndex(column), self._header.visualIndex(before))
        self._restore()
        self._is_placing = False

    def show_column(self, column: int, is_shown: bool) -> None:
        """Show or hide a column from now on."""
        hidden = self.hidden() - {column} if is_shown else self.hidden() | {column}
        if is_shown:
            self._insisted.add(column)
        self._squeezed -= self._insisted
        self._keep("hidden", [self._names[one] for one in sorted(hidden)])
        self._hide()

    def hidden(self) -> set[int]:
        """Return the columns that the user has hidden."""
        return set(self._known(self._preferences.value(f"{self._key}/hidden", [])))

    # -- inside ---------------------------------------------------------------------------------------------

    def _set_up(self, header: QHeaderView) -> None:
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._show_menu)

    def _show_menu(self, at: QPoint) -> None:
        self.menu.popup(self._header.mapToGlobal(at))

    def _fill_menu(self) -> None:
        self.menu.clear()
        hidden = self.hidden()
        for column in self._in_order()[1:]:
            if column in self._left_out:
                continue
            title = self._view.model().headerData(column, Qt.Orientation.Horizontal)
            action = self.menu.addAction(menu_words(str(title)))
            action.setCheckable(True)
            action.setChecked(column not in hidden)
            action.toggled.connect(partial(self.show_column, column))
        self.menu.addSeparator()
        self.menu.addAction("Show all columns", self._show_all)

    def _show_all(self) -> None:
        self._keep("hidden", [])
        self._hide()

    def _in_order(self) -> list[int]:
        return [self._header.logicalIndex(place) for place in range(len(self._names))]

    def _hide(self) -> None:
        hidden = self.hidden() | self._squeezed | self._left_out
        for column in range(len(self._names)):
            self._view.setColumnHidden(column, column in hidden)

    def _restore(self) -> None:
        order = self._known(self._preferences.value(f"{self._key}/order", []))
        for place, column in enumerate(order):
            self._header.moveSection(self._header.visualIndex(column), place)
        self._hide()
        sort = self._preferences.value(f"{self._key}/sort", [])
        columns = self._known(sort[:1])
        if columns and self._view.isSortingEnabled():
            is_down = sort[1:] == ["descending"]
            order_of = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
            self._view.sortByColumn(columns[0], order_of)

    def _known(self, names: Iterable[object]) -> list[int]:
        return [self._names.index(name) for name in names if name in self._names]

    def _keep(self, what: str, value: list[str]) -> None:
        self._preferences.set_value(f"{self._key}/{what}", value)

    def _keep_order(self) -> None:
        if self._is_placing:
            return
        self._keep("order", [self._names[column] for column in self._in_order()])

    def _keep_sort(self, column: int, order: Qt.SortOrder) -> None:
        if self._view.isSortingEnabled() and 0 <= column < len(self._names):
            is_down = order is Qt.SortOrder.DescendingOrder
            self._keep("sort", [self._names[column], "descending" if is_down else "ascending"])
