"""The share tree as a Qt item model: reads the document, never changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    Qt,
    Signal,
    Slot,
)

from fsconsole.app.tree.dialect_columns import shown_columns, takes, words_about
from fsconsole.console.connections import once
from fsconsole.console.design.cells import Cells
from fsconsole.console.design.columns import EDITABLE, OF_CLUSTER, OF_MEMBERS, Column, tip_of, title_of
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_filter import Found
from fsconsole.console.document import Document
from fsconsole.console.kit.node_tree import Index, NodeModel
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit, Insert, Move, Remove
from fsconsole.shares.formats.base import Column as DialectColumn
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.tree import ShareTree

_NO_INDEX = QModelIndex()
NODES_MIME = "application/x-fsconsole-nodes"
FRESH_MS = 400
NODE_ROLE = int(Qt.ItemDataRole.UserRole)


class ShareTreeModel(NodeModel):
    """Rows are nodes, the root is the one at the top.

    Signals: figures_changed() when numbers anywhere may be others, so that what is visible is drawn again.
    """

    figures_changed = Signal()

    def __init__(self, session: ConsoleSession, preview: SharePreview) -> None:
        super().__init__(session)
        self._session = session
        self._document: Document | None = None
        self._rows: dict[int, dict[int, int]] = {}
        self._kids: dict[int, list[int]] = {}
        self._found: Found | None = None
        self._is_moving = False
        self._is_resetting = False
        self._dialect: tuple[DialectColumn, ...] = ()
        self.cells = Cells(session, preview)
        preview.changed.connect(self.figures_changed)
        self.cells.of_cluster.changed.connect(self.figures_changed)
        session.curves.changed.connect(self.figures_changed)
        session.document_changed.connect(self._open)
        session.taken_in.connect(self._show_fresh)
        self._fresh_for = once(self, FRESH_MS, self._show_fresh)
        self._open()

    @property
    def tree(self) -> ShareTree | None:
        """Tree that is shown; None for none."""
        return self._document.tree if self._document is not None else None

    def index_of(self, node_id: int, column: int = Column.NAME) -> QModelIndex:
        # Invalid for a node that a search hides.
        if self.tree is None or node_id not in self.tree or not self._shows(self.tree, node_id):
            return QModelIndex()
        return super().index_of(node_id, column)

    def _shows(self, tree: ShareTree, node_id: int) -> bool:
        """Return True if a search shows a node; a later one may be in a group that it hides."""
        found = self._found
        return found is None or (
            found.shows(node_id) and all(found.shows(above.id) for above in tree.ancestors(node_id))
        )

    @property
    def document(self) -> Document | None:
        """The document whose tree is shown."""
        return self._document

    @property
    def dialect_columns(self) -> tuple[DialectColumn, ...]:
        """Columns of other schedulers that the tree has values of; they follow the fixed ones."""
        return self._dialect

    def dialect_column(self, section: int) -> DialectColumn | None:
        """Return the column of another scheduler at a section; None for a fixed one."""
        place = section - len(Column)
        return self._dialect[place] if 0 <= place < len(self._dialect) else None

    @property
    def found(self) -> Found | None:
        """The search that hides what it did not find."""
        return self._found

    def show_found(self, found: Found | None) -> None:
        """Show what a search found alone; None shows everything."""
        self.beginResetModel()
        self._found = found
        self._forget_rows()
        self.endResetModel()

    def set_problems(self, problems: Mapping[int, Problem]) -> None:
        """Mark nodes that something is wrong with."""
        self.cells.problems = dict(problems)
        self.figures_changed.emit()

    @Slot()
    @Slot(object)
    def _show_fresh(self, nodes: Iterable[int] = ()) -> None:
        """Highlight nodes for a moment that others have changed."""
        self.cells.fresh = frozenset(nodes)
        if self.cells.fresh:
            self._fresh_for.start()
        self.figures_changed.emit()

    # -- following the document ---------------------------------------------------------------------------

    def _open(self) -> None:
        self.beginResetModel()
        old, self._document = self._document, self._session.document
        if old is not None:
            old.applying.disconnect(self._applying)
            old.applied.disconnect(self._applied)
        self._found = None
        self._forget_rows()
        self.cells.problems = {}
        self._dialect = shown_columns(self._document.tree) if self._document is not None else ()
        if self._document is not None:
            self._document.applying.connect(self._applying)
            self._document.applied.connect(self._applied)
        self.endResetModel()

    def _applying(self, edit: Edit) -> None:
        if self._found is not None and isinstance(edit, Insert | Remove | Move):
            self._is_resetting = True  # The rows of the tree and of the view differ now.
            self.beginResetModel()
        else:
            self._begin(edit)
        self._forget_rows()

    def _begin(self, edit: Edit) -> None:
        match edit:
            case Insert(parent, row):
                self.beginInsertRows(self.index_of(parent), row, row)
            case Remove(node):
                row = self._row_of(node)
                self.beginRemoveRows(self.parent(self.index_of(node)), row, row)
            case Move():
                self._is_moving = self._begin_move(edit)

    def _begin_move(self, move: Move) -> bool:
        source, row = self.index_of(move.node), self._row_of(move.node)
        above = self.parent(source)
        target = self.index_of(move.parent)
        place = move.row + (1 if above == target and move.row > row else 0)
        return self.beginMoveRows(above, row, row, target, place)

    def _applied(self, edit: Edit) -> None:
        if self._is_resetting:
            self._is_resetting = False
            self.endResetModel()
        else:
            self._end(edit)
        self.figures_changed.emit()

    def _end(self, edit: Edit) -> None:
        match edit:
            case Insert():
                self.endInsertRows()
            case Remove():
                self.endRemoveRows()
            case Move():
                if self._is_moving:
                    self.endMoveRows()
            case _:
                self._emit_changed(edit.touched())

    def _emit_changed(self, nodes: Sequence[int]) -> None:
        """Emit one signal for each group with changed nodes, since siblings depend on each other."""
        shown = [index for node in nodes if (index := self.index_of(node)).isValid()]
        for above in {self.parent(index) for index in shown}:
            last = self.rowCount(above) - 1
            self.dataChanged.emit(self.index(0, 0, above), self.index(last, self.columnCount() - 1, above))

    # -- what a view asks ---------------------------------------------------------------------------------

    def roots(self) -> Sequence[int]:
        # An unsuccessful search has no rows.
        roots = super().roots()
        return roots if self._found is None else [*filter(self._found.shows, roots)]

    def children_of(self, node_id: int) -> Sequence[int]:
        children, found = super().children_of(node_id), self._found
        if found is None:
            return children
        kids = self._kids.get(node_id)
        if kids is None:
            kids = self._kids[node_id] = [*filter(found.shows, children)]
        return kids

    def rows_by_group(self, tree: ShareTree) -> dict[int, dict[int, int]]:
        return super().rows_by_group(tree) if self._found is None else self._rows

    def _row_of(self, node_id: int) -> int:
        return self.index_of(node_id).row()

    def _forget_rows(self) -> None:
        self._rows.clear()
        self._kids.clear()

    def columnCount(self, _parent: Index = _NO_INDEX) -> int:
        return len(Column) + len(self._dialect)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.tree is None or not index.isValid():
            return None
        node = self.tree.node(node_of(index))
        if role == NODE_ROLE:
            return node.id
        if (dialect := self.dialect_column(index.column())) is not None:
            return self.cells.dialect_value(self.tree, node, dialect, role)
        return self.cells.value(node, Column(index.column()), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if (dialect := self.dialect_column(section)) is not None:
            texts = {
                Qt.ItemDataRole.DisplayRole: dialect.title,
                Qt.ItemDataRole.ToolTipRole: words_about(dialect),
            }
            return texts.get(Qt.ItemDataRole(role))
        column = Column(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return title_of(column, of_cluster=self.cells.of_cluster.has_values)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(column, of_cluster=self.cells.of_cluster.has_values)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (Column.SHARES, *OF_CLUSTER):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.tree is None or not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        node = self.tree.node(node_of(index))
        flags = self.selectable(Qt.ItemFlag.ItemIsEnabled)
        if node.is_group:
            flags |= Qt.ItemFlag.ItemIsDropEnabled
        is_root = node.parent is None
        if not is_root:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        column = index.column()
        if self._document is not None and self._document.locked:
            return flags & ~(Qt.ItemFlag.ItemIsDropEnabled | Qt.ItemFlag.ItemIsDragEnabled)
        if (dialect := self.dialect_column(column)) is not None and takes(node, dialect):
            flags |= Qt.ItemFlag.ItemIsEditable
        if column in (*EDITABLE, Column.DEMAND) and not (is_root and column in OF_MEMBERS):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def mimeTypes(self) -> list[str]:
        return [NODES_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        return nodes_to_mime(list(dict.fromkeys(node_of(index) for index in indexes)))

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction


def node_of(index: Index) -> int:
    """Return the id of the node at an index of the model."""
    return int(index.internalId()) - 1


def nodes_to_mime(nodes: Sequence[int]) -> QMimeData:
    """Return node ids as data of a drag."""
    data = QMimeData()
    data.setData(NODES_MIME, " ".join(map(str, nodes)).encode())
    return data


def nodes_from_mime(data: QMimeData) -> list[int]:
    """Return the ids of a drag; empty for a drag of something else."""
    text = bytes(data.data(NODES_MIME).data()).decode("ascii", "replace")
    return [int(part) for part in text.split() if part.isdigit()]
