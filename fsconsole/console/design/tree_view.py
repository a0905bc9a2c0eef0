"""The share tree as a table: editing in place, drag and drop, selection shared with all views."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QTreeView,
    QWidget,
)

from fsconsole.console.design.columns import EDITABLE, WIDTHS, Column
from fsconsole.console.design.editors import KindDelegate, NameDelegate, NoteDelegate, SharesDelegate
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.rearrange import Place
from fsconsole.console.design.tree_drag import DropLabel, move_nodes, paint_drop_frame, paint_drop_line
from fsconsole.console.design.tree_filter import Found
from fsconsole.console.design.tree_model import NODE_ROLE, ShareTreeModel, nodes_from_mime
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.share_bar import GROUP_BAR_WIDTH, MACHINE_BAR_WIDTH, ShareBarDelegate

_ROWS_OPENED = 40
_ROWS_FOUND = 120
_STARTS_SHARES = "0123456789="
_Hint = QStyledItemDelegate.EndEditHint


class ShareTreeView(QTreeView):
    """Table of nodes; expanded groups are remembered by id.

    Signals: menu_wanted(QPoint) in global coordinates.
    """

    menu_wanted = Signal(QPoint)

    def __init__(self, session: ConsoleSession, preview: SharePreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tree_model = ShareTreeModel(session, preview)
        self._expanded: set[int] = set()
        self._document: Document | None = None
        self._is_following = False
        self._drop: Place | None = None
        self._drop_frames = False
        self._drop_label = DropLabel(self)
        self.setModel(self._tree_model)
        self._set_up()
        self._set_delegates(preview)
        self._connect()
        self._restore()

    @property
    def tree_model(self) -> ShareTreeModel:
        """What is shown."""
        return self._tree_model

    @property
    def drop_label(self) -> DropLabel:
        """What is said while nodes are dragged over the table."""
        return self._drop_label

    def index_of(self, node_id: int, column: int = Column.NAME) -> QModelIndex:
        """Index of a node in this view; invalid for one that the filter hides."""
        return self._tree_model.index_of(node_id, column)

    def node_at(self, index: QModelIndex) -> int | None:
        """Id of the node at an index of this view."""
        return int(index.data(NODE_ROLE)) if index.isValid() else None

    def edit_node(self, node_id: int, column: Column = Column.NAME) -> None:
        """Open the editor of a cell."""
        index = self.index_of(node_id, column)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def show_found(self, found: Found | None) -> None:
        """Show what a search found, its groups expanded; None shows all, expanded as before."""
        if found is not None or self._tree_model.found is not None:
            self._tree_model.show_found(found)

    # -- making -------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        self.setAccessibleName("Share tree")
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked)
        self.setExpandsOnDoubleClick(False)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDropIndicatorShown(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setFirstSectionMovable(False)
        for column, width in WIDTHS.items():
            self.setColumnWidth(column, width)

    def _set_delegates(self, preview: SharePreview) -> None:
        self._delegates: dict[Column, QStyledItemDelegate] = {
            Column.NAME: NameDelegate(self, self._session),
            Column.KIND: KindDelegate(self, self._session),
            Column.SHARES: SharesDelegate(self, self._session, preview),
            Column.PART_OF_GROUP: ShareBarDelegate(self, GROUP_BAR_WIDTH, "100.00 %"),
            Column.PART_OF_MACHINE: ShareBarDelegate(self, MACHINE_BAR_WIDTH),
            Column.NOTE: NoteDelegate(self, self._session),
        }
        for column, delegate in self._delegates.items():
            self.setItemDelegateForColumn(column, delegate)

    def _connect(self) -> None:
        model = self._tree_model
        model.modelReset.connect(self._restore)
        model.figures_changed.connect(self.viewport().update)
        model.rowsInserted.connect(self._expand_again)
        self.expanded.connect(self._keep_expanded)
        self.collapsed.connect(self._keep_collapsed)
        self._session.selection_changed.connect(self._follow_selection)
        self.customContextMenuRequested.connect(self._ask_for_menu)

    def _ask_for_menu(self, at: QPoint) -> None:
        self.menu_wanted.emit(self.viewport().mapToGlobal(at))

    # -- expanded groups ----------------------------------------------------------------------------------

    def _restore(self) -> None:
        """After a reset: expanded groups and selection as they were, or those of a new tree."""
        if self._document is not self._tree_model.document:
            self._document = self._tree_model.document
            self._choose_expanded()
        self._expand_kept()
        self._follow_selection()

    def _choose_expanded(self) -> None:
        """Expand a new tree as far as it fits about a screen."""
        self._expanded = {0}
        tree = self._tree_model.tree
        if tree is not None:
            level = [tree.root]
            rows = 1
            while level and rows + sum(len(node.children) for node in level) <= _ROWS_OPENED:
                rows += sum(len(node.children) for node in level)
                self._expanded |= {node.id for node in level}
                level = [child for node in level for child in tree.children(node.id)]

    def _expand_kept(self) -> None:
        was, self._is_following = self._is_following, True
        tree, found = self._tree_model.tree, self._tree_model.found
        wanted = self._expanded if found is None else found.groups_to_expand(_ROWS_FOUND)
        for node in wanted:
            if tree is not None and node in tree and tree.node(node).children:
                self.expand(self.index_of(node))
        self._is_following = was

    def _expand_again(self, parent: QModelIndex, first: int, last: int) -> None:
        """A node that comes back is expanded as it was, and what is put into a group can be seen."""
        model = self._tree_model
        stack = [model.index(row, 0, parent) for row in range(first, last + 1)]
        while stack:
            index = stack.pop()
            if self.node_at(index) in self._expanded:
                self.expand(index)
                stack += [model.index(row, 0, index) for row in range(model.rowCount(index))]

    def _keep_expanded(self, index: QModelIndex) -> None:
        node = self.node_at(index)
        if node is not None and not self._is_following:
            self._expanded.add(node)

    def _keep_collapsed(self, index: QModelIndex) -> None:
        node = self.node_at(index)
        if node is not None and not self._is_following:
            self._expanded.discard(node)

    # -- selection ----------------------------------------------------------------------------------------

    def _follow_selection(self) -> None:
        chosen = self._session.selection
        if self._is_following or set(chosen) == self._selected():
            return
        self._is_following = True
        selection = QItemSelection()
        indexes = [index for node in chosen if (index := self.index_of(node)).isValid()]
        for index in indexes:
            selection.select(index, index)
        flag = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(selection, flag.ClearAndSelect | flag.Rows)
        if indexes:
            primary = indexes[0]
            self.selectionModel().setCurrentIndex(
                primary.siblingAtColumn(self.currentIndex().column() if self.currentIndex().isValid() else 0),
                flag.NoUpdate,
            )
            self.scrollTo(primary)
        self._is_following = False
        for index in indexes:
            self._keep_open_above(index)

    def _keep_open_above(self, index: QModelIndex) -> None:
        """Groups that were opened to show a node stay open."""
        while (index := index.parent()).isValid():
            self._keep_expanded(index)

    def _selected(self) -> set[int]:
        return {int(index.data(NODE_ROLE)) for index in self.selectionModel().selectedRows()}

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Tell all views; the current node is the primary one."""
        super().selectionChanged(selected, deselected)
        if self._is_following:
            return
        self._is_following = True
        rows = [int(index.data(NODE_ROLE)) for index in self.selectionModel().selectedRows()]
        kept = [node for node in self._session.selection if node in rows]
        self._session.select(kept + [node for node in rows if node not in kept])
        self._is_following = False

    # -- keys and editors ---------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A digit or = begins to edit the shares of the current node."""
        text = event.text()
        if text and text in _STARTS_SHARES and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._begin_shares(text)
            return
        super().keyPressEvent(event)

    def _begin_shares(self, text: str) -> None:
        index = self.currentIndex().siblingAtColumn(Column.SHARES)
        if not index.isValid() or not index.flags() & Qt.ItemFlag.ItemIsEditable:
            return
        self.edit(index)
        editor = self.viewport().focusWidget()
        if isinstance(editor, QLineEdit):
            editor.setText("")
            editor.insert(text)
            editor.setModified(True)
            editor.textEdited.emit(editor.text())

    def closeEditor(self, editor: QWidget, hint: QStyledItemDelegate.EndEditHint) -> None:
        """Tab goes on to the next cell of the row that can be edited."""
        if hint not in (_Hint.EditNextItem, _Hint.EditPreviousItem):
            super().closeEditor(editor, hint)
            return
        index = self.currentIndex()
        super().closeEditor(editor, _Hint.NoHint)
        step = 1 if hint is _Hint.EditNextItem else -1
        order = [column for column in EDITABLE if not self.isColumnHidden(column)]
        place = order.index(Column(index.column())) + step if index.column() in order else -1
        if 0 <= place < len(order):
            following = index.siblingAtColumn(order[place])
            self.setCurrentIndex(following)
            if following.flags() & Qt.ItemFlag.ItemIsEditable:
                self.edit(following)

    # -- drag and drop ------------------------------------------------------------------------------------

    def drop_place(self, at: QPoint) -> Place | None:
        """Where nodes dropped at a point of the viewport go: into a group, or between two rows."""
        index = self.indexAt(at).siblingAtColumn(0)
        node_id, tree = self.node_at(index), self._tree_model.tree
        if node_id is None or tree is None:
            return None
        node, rect = tree.node(node_id), self.visualRect(index)
        edge = max(4, rect.height() // 4) if node.is_group else rect.height() // 2
        if node.parent is not None and at.y() < rect.y() + edge:
            return Place(node.parent, tree.row(node_id))
        if node.parent is not None and at.y() > rect.bottom() - edge and not self._shows_children(index):
            return Place(node.parent, tree.row(node_id) + 1)
        if self._shows_children(index) and at.y() > rect.bottom() - edge:
            return Place(node_id, 0)
        return Place(node_id, len(node.children))

    def _shows_children(self, index: QModelIndex) -> bool:
        return self.isExpanded(index) and self._tree_model.rowCount(index) > 0

    def _takes(self, place: Place, node_id: int | None) -> bool:
        """Whether a drop goes into the group under the pointer rather than between rows."""
        tree = self._tree_model.tree
        return tree is not None and place == (node_id, len(tree.node(place.parent).children))

    def _show_drop(self, place: Place | None) -> None:
        self._drop = place
        self.viewport().update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Nodes of this document can come in."""
        if nodes_from_mime(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Frame or line at the place, and the label that says what the drop will do."""
        super().dragMoveEvent(event)  # scrolls at the edges
        document = self._session.document
        if document is None:
            return
        at = event.position().toPoint()
        place = self.drop_place(at)
        nodes = nodes_from_mime(event.mimeData())
        is_allowed = self._drop_label.judge(document, nodes, place, self.viewport().mapToGlobal(at))
        self._drop_frames = place is not None and self._takes(place, self.node_at(self.indexAt(at)))
        self._show_drop(place if is_allowed else None)
        if is_allowed:
            event.setDropAction(Qt.DropAction.MoveAction)
            event.accept()
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing will happen here."""
        super().dragLeaveEvent(event)
        self._drop_label.hide()
        self._show_drop(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Move the nodes as one edit."""
        place, document = self._drop, self._session.document
        self._drop_label.hide()
        self._show_drop(None)
        self.stopAutoScroll()
        self.setState(QAbstractItemView.State.NoState)
        if place is not None and document is not None:
            move_nodes(document, nodes_from_mime(event.mimeData()), place)
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The table, and where dragged nodes would go."""
        super().paintEvent(event)
        tree = self._tree_model.tree
        if self._drop is None or tree is None:
            return
        group, row = self._drop
        with QPainter(self.viewport()) as painter:
            if self._drop_frames:
                paint_drop_frame(painter, self._row_rect(group))
            else:
                self._paint_between(painter, tree.node(group).children, row)

    def _paint_between(self, painter: QPainter, children: list[int], row: int) -> None:
        after = row >= len(children)
        rect = self.visualRect(self.index_of(children[-1 if after else row]))
        paint_drop_line(painter, rect.x(), self.viewport().width(), rect.bottom() + 1 if after else rect.y())

    def _row_rect(self, node_id: int) -> QRect:
        rect = self.visualRect(self.index_of(node_id))
        return QRect(0, rect.y(), self.viewport().width(), rect.height())

    def shares_delegate(self) -> SharesDelegate:
        """The delegate of the shares, whose read-out others may look at."""
        return cast("SharesDelegate", self._delegates[Column.SHARES])
