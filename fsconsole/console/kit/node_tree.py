"""A share tree as rows: the model of them, and a view in which any number of rows can be selected.

Qt selects by ranges of siblings. It compares each new range with all others, and for each cell that it paints
it asks the model for the parents of all ranges: with one for each of 4,000 nodes, Ctrl+A took 102 s and a
repaint up to 0.7 s. So runs of siblings are one range here, they are selected without an event, for which Qt
would compute the region of each, and Qt is not asked which rows are selected while it paints them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import overload

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSignalBlocker,
    Qt,
)
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QTreeView, QWidget

from fsconsole.console.widgets.copying import Cells, selected_cells
from fsconsole.shares.tree import ROOT_ID, ShareTree

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Flag = QItemSelectionModel.SelectionFlag
_FEW_ROWS = 64  # So many rows at a time are selected by Qt itself.
_FEW_RANGES = 16


class NodeModel(QAbstractItemModel):
    """Rows are nodes, with the root at the top; an index carries the node's id + 1.

    Attributes:
        is_painting: whether a view is painting its cells, and knows itself which rows are selected.
    """

    is_painting = False

    @property
    def tree(self) -> ShareTree | None:
        """Tree that is shown; None for none."""
        raise NotImplementedError

    def roots(self) -> Sequence[int]:
        """Return the node of the top row, if there is one."""
        return () if self.tree is None else (ROOT_ID,)

    def children_of(self, node_id: int) -> Sequence[int]:
        """Return the nodes that have rows below a node."""
        tree = self.tree
        return tree.node(node_id).children if tree is not None and node_id in tree else ()

    def groups_in(self, node_id: int) -> list[int]:
        """Return the nodes below a node that have rows below them."""
        tree = self.tree
        if tree is None:
            return []
        return [child for child in self.children_of(node_id) if tree.node(child).children]

    def parent_of(self, node_id: int) -> int | None:
        """Return the group of a node; None for the root, and for one that is not in the tree."""
        tree = self.tree
        return tree.node(node_id).parent if tree is not None and node_id in tree else None

    def rows_by_group(self, tree: ShareTree) -> dict[int, dict[int, int]]:
        """Return the rows of nodes in the groups that were asked for so far."""
        return tree.derived(_no_rows)

    def node_of(self, index: Index) -> int:
        """Return the node of a valid index."""
        return int(index.internalId()) - 1

    def index_of(self, node_id: int, column: int = 0) -> QModelIndex:
        """Return the index of a node; invalid for one that has no row."""
        tree = self.tree
        if tree is None or node_id not in tree:
            return QModelIndex()
        return self.createIndex(self._row(tree, node_id), column, node_id + 1)

    def selectable(self, flags: Qt.ItemFlag) -> Qt.ItemFlag:
        """Return the flags of a cell that can be selected, as the view that asks is to see them."""
        return flags if self.is_painting else flags | Qt.ItemFlag.ItemIsSelectable

    def _row(self, tree: ShareTree, node_id: int) -> int:
        group = tree.node(node_id).parent
        if group is None:
            return 0
        known = self.rows_by_group(tree)
        rows = known.get(group)
        if rows is None:
            rows = known[group] = {child: row for row, child in enumerate(self.children_of(group))}
        return rows[node_id]

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        if not 0 <= column < self.columnCount() or row < 0 or parent.column() > 0:
            return QModelIndex()
        children = self.children_of(self.node_of(parent)) if parent.isValid() else self.roots()
        return self.createIndex(row, column, children[row] + 1) if row < len(children) else QModelIndex()

    @overload
    def parent(self) -> QObject: ...
    @overload
    def parent(self, index: Index) -> QModelIndex: ...
    def parent(self, index: Index | None = None) -> QModelIndex | QObject:
        if index is None:
            return super().parent()
        tree = self.tree
        if tree is None or not index.isValid():
            return QModelIndex()
        group = self.parent_of(self.node_of(index))
        return QModelIndex() if group is None else self.createIndex(self._row(tree, group), 0, group + 1)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if parent.column() > 0:
            return 0
        return len(self.children_of(self.node_of(parent)) if parent.isValid() else self.roots())


def _no_rows(_tree: ShareTree) -> dict[int, dict[int, int]]:
    return {}


class NodeTreeView(QTreeView):
    """Base of tables of nodes. Subclasses call `setModel` with the same model after their construction.

    Attributes:
        is_behind: whether it was out of sight when other nodes were wanted, and follows when it is shown.
    """

    def __init__(self, nodes: NodeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes = nodes
        self._selected: tuple[int, ...] | None = ()
        self._is_selected: Collection[int] = ()
        self.is_behind = True  # Until it is shown, what it selects is nobody's wish.
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    @property
    def selected_nodes(self) -> tuple[int, ...]:
        """Nodes of the selected rows."""
        if self._selected is None:
            self._selected = tuple(self._nodes_in(selected_cells(self)))
            self._is_selected = frozenset(self._selected)
        return self._selected

    # -- for subclasses -------------------------------------------------------------------------------------

    def wanted_nodes(self) -> Sequence[int]:
        """Return the nodes that are to be selected, the first one first."""
        return ()

    def on_selected(self) -> None:
        """Take what a person has selected."""

    def on_followed(self) -> None:
        """Bring nodes into sight that were selected elsewhere."""

    def follow_selection(self) -> None:
        """Select the wanted nodes; a view that is out of sight does so when it is shown."""
        self.is_behind = not self.isVisible()
        if not self.is_behind and set(self.wanted_nodes()) != set(self.selected_nodes):
            self._select(self._ranges_of(self.wanted_nodes()))
            self.on_followed()

    def nodes_shown(self) -> list[int]:
        """Return the nodes of all rows, from the top, without those in closed groups."""
        open_groups, found, stack = set(self._expanded_groups()), list[int](), [*self._nodes.roots()]
        while stack:
            found.append(node := stack.pop())
            if node in open_groups:
                stack.extend(reversed(self._nodes.children_of(node)))
        return found

    def _expanded_groups(self) -> Iterator[int]:
        """Yield the groups whose children have rows."""
        stack = [*self._nodes.roots()]
        while stack:
            node = stack.pop()
            if self.isExpanded(self._nodes.index_of(node)):
                yield node
                stack += self._nodes.groups_in(node)

    # -- inside ---------------------------------------------------------------------------------------------

    def _select(
        self, ranges: QItemSelection, command: QItemSelectionModel.SelectionFlag | None = None
    ) -> None:
        """Select ranges, by default in place of what is selected."""
        model = self.selectionModel()
        with QSignalBlocker(model):
            if command is None:
                model.clearSelection()  # Else Qt compares each range with each that was selected.
            model.select(ranges, _Flag.Select if command is None else command)
        self._selected = None
        self.viewport().update()

    def _ranges_of(self, nodes: Iterable[int]) -> QItemSelection:
        """Return the rows of nodes, with runs of siblings as one range."""
        wanted, found, model, tree = set(nodes), QItemSelection(), self._nodes, self._nodes.tree
        groups = {tree.node(node).parent for node in wanted if node in tree} if tree is not None else set()
        for group in groups:
            children = model.roots() if group is None else model.children_of(group)
            for first, last in _runs(row for row, child in enumerate(children) if child in wanted):
                self._add_rows(found, group, first, last)
        return found

    def _add_rows(self, found: QItemSelection, group: int | None, first: int, last: int) -> None:
        """Add rows of a group that is shown, or of the top level for None."""
        model = self._nodes
        parent = QModelIndex() if group is None else model.index_of(group)
        if group is None or parent.isValid():
            ends = model.index(first, 0, parent), model.index(last, model.columnCount() - 1, parent)
            found.append(QItemSelectionRange(*ends))

    def _nodes_in(self, chosen: Iterable[Cells]) -> Iterator[int]:
        for parent, rows, _ in chosen:
            children = (
                self._nodes.children_of(self._nodes.node_of(parent))
                if parent.isValid()
                else self._nodes.roots()
            )
            yield from children[rows.start : rows.stop]

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def selectAll(self) -> None:
        found, model = self._ranges_of(self._nodes.roots()), self._nodes
        for group in self._expanded_groups():
            self._add_rows(found, group, 0, len(model.children_of(group)) - 1)
        self._select(found)
        self.on_selected()

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        place = rect.normalized()
        first, last = self.indexAt(place.topLeft()), self.indexAt(place.bottomRight())
        are_few = not first.isValid() or place.height() < _FEW_ROWS * self.rowHeight(first)
        if are_few or not last.isValid():
            super().setSelection(rect, command)
            return
        shown = self.nodes_shown()
        begin, end = (shown.index(self._nodes.node_of(one)) for one in (first, last))
        # Shift alone replaces what is selected. With Qt's own command it would compare all ranges in pairs.
        replaces = command & (_Flag.Clear | _Flag.Current) and not command & (_Flag.Toggle | _Flag.Deselect)
        self._select(self._ranges_of(shown[begin : end + 1]), None if replaces else command)
        self.on_selected()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._selected = None
        if not self.is_behind:
            self.on_selected()

    def reset(self) -> None:
        super().reset()
        self._selected = None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_behind:
            self.follow_selection()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        # Qt would compare each cell with the ranges that were selected before this click.
        if self.selectionModel().selection().size() > _FEW_RANGES:
            self._select(self._ranges_of(self.selected_nodes))

    def paintEvent(self, event: QPaintEvent) -> None:
        self._nodes.is_painting = True
        super().paintEvent(event)
        self._nodes.is_painting = False

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if self.selected_nodes and self._nodes.node_of(index) in self._is_selected:
            option.state |= QStyle.StateFlag.State_Selected
        super().drawRow(painter, option, index)


def _runs(rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of ascending numbers."""
    first = last = -1
    for row in rows:
        if first >= 0 and row != last + 1:
            yield first, last
        first, last = (row if first < 0 or row != last + 1 else first), row
    if first >= 0:
        yield first, last
