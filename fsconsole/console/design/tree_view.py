"""The share tree as a table: editing in place, drag and drop, selection shared with all views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.console.design.columns import EDITABLE, WIDTHS, Column
from fsconsole.console.design.editors import (
    DialectDelegate,
    KindDelegate,
    NameDelegate,
    NoteDelegate,
    SharesDelegate,
    TextDelegate,
)
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_drag import DroppingTreeView
from fsconsole.console.design.tree_filter import Found
from fsconsole.console.design.tree_model import NODE_ROLE, ShareTreeModel, node_of
from fsconsole.console.design.what_if.demand_delegate import DemandDelegate
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.document import Document
from fsconsole.console.kit.cell_delegate import CellKeeper, CheckedDelegate
from fsconsole.console.kit.consent import TypedEntry
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.share_bar import GROUP_BAR_WIDTH, MACHINE_BAR_WIDTH, ShareBarDelegate

_ROWS_OPENED = 40
_ROWS_FOUND = 60
_DIALECT_PX = 92
_STARTS_SHARES = "0123456789="
_NOWHERE = QModelIndex()
_Hint = QStyledItemDelegate.EndEditHint


class ShareTreeView(DroppingTreeView):
    """Table of nodes; expanded groups are remembered by id.

    Signals: menu_wanted(QPoint) in global coordinates; hovered(node id or None) under the pointer.
    """

    menu_wanted = Signal(QPoint)
    hovered = Signal(object)

    def __init__(self, session: ConsoleSession, preview: SharePreview, parent: QWidget | None = None) -> None:
        super().__init__(session, ShareTreeModel(session, preview), parent)
        self._expanded: set[int] = set()
        self._document: Document | None = None
        self._is_following = False
        self._linked: int | None = None
        self._of_dialect: dict[int, DialectDelegate] = {}
        self.keeper = CellKeeper(self, self._checked_delegates, self.index_of)
        self.setModel(self._tree_model)
        self._set_up()
        self._set_delegates(preview)
        self._connect_signals()
        self._restore()

    def edit_node(self, node_id: int, column: Column = Column.NAME) -> None:
        """Open the editor of a cell."""
        index = self.index_of(node_id, column)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def follow_demands(self, what_if: WhatIf) -> None:
        """Show demands, and let them be typed."""
        self._tree_model.cells.demand_of = what_if.demand_of
        delegate = DemandDelegate(
            self, lambda index, demand: what_if.set_demand(node_of(index), demand), "chip"
        )
        self._delegates[Column.DEMAND] = delegate
        self.setItemDelegateForColumn(Column.DEMAND, delegate)
        what_if.changed.connect(self._tree_model.figures_changed)

    def show_found(self, found: Found | None) -> None:
        """Show what a search found, its groups expanded; None shows all, expanded as before."""
        if found is not None or self._tree_model.found is not None:
            self._tree_model.show_found(found)

    def show_hovered(self, node: int | None) -> None:
        """Tint the row of a node that the pointer is on in another view; None for none."""
        before, self._linked = self._linked, node
        for one in {before, node} - {None}:
            self.viewport().update(self._row_rect(cast("int", one)))

    # -- making -------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        self.setAccessibleName("Share tree")
        self.setMouseTracking(True)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked)
        self.setExpandsOnDoubleClick(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setFirstSectionMovable(False)
        for column, width in WIDTHS.items():
            self.setColumnWidth(column, scaled(width))

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

    def _show_dialect(self) -> None:
        """Give the columns of another scheduler their editors and widths."""
        for place, column in enumerate(self._tree_model.dialect_columns, len(Column)):
            self._of_dialect[place] = DialectDelegate(self, self._session, column)
            self.setItemDelegateForColumn(place, self._of_dialect[place])
            title = self.fontMetrics().horizontalAdvance(column.title)
            self.setColumnWidth(place, max(scaled(_DIALECT_PX), title + scaled(24)))

    def _connect_signals(self) -> None:
        model = self._tree_model
        model.modelAboutToBeReset.connect(self.keeper.put_by)
        model.modelReset.connect(self._restore)
        model.figures_changed.connect(self.viewport().update)
        model.rowsInserted.connect(self._expand_again)
        self.doubleClicked.connect(self._show_locked)
        self.expanded.connect(self._keep_expanded)
        self.collapsed.connect(self._keep_collapsed)
        self._session.selection_changed.connect(self.follow_selection)
        self._session.leaving.connect(self.keeper.put_by)
        self._session.edited.connect(self.keeper.settle)
        self._session.typed_wanted.connect(self._report_typed)
        self.keeper.lost.connect(self._session.not_entered)
        self.customContextMenuRequested.connect(self._ask_for_menu)
        self.entered.connect(self._on_hovered)
        self.viewportEntered.connect(self._on_hovered)

    def _on_hovered(self, index: QModelIndex = _NOWHERE) -> None:
        self.hovered.emit(self.node_at(index))

    def _ask_for_menu(self, at: QPoint) -> None:
        self.menu_wanted.emit(self.viewport().mapToGlobal(at))

    # -- expanded groups ----------------------------------------------------------------------------------

    def _restore(self) -> None:
        """Restore expanded groups and selection after a reset, or choose those of a new tree."""
        if self._document is not self._tree_model.document:
            self._document = self._tree_model.document
            self._show_dialect()
            self._choose_expanded()
            self.keeper.forget()
        self._expand_kept()
        self.follow_selection()
        self.keeper.go_on()

    def rowsAboutToBeRemoved(
        self, parent: QModelIndex | QPersistentModelIndex, first: int, last: int
    ) -> None:
        self.keeper.put_by_rows(parent, first, last)
        super().rowsAboutToBeRemoved(parent, first, last)

    def _checked_delegates(self) -> Iterator[tuple[int, CheckedDelegate]]:
        for column, delegate in (*self._delegates.items(), *self._of_dialect.items()):
            if isinstance(delegate, CheckedDelegate):
                yield int(column), delegate

    @Slot(object)
    def _report_typed(self, found: list[TypedEntry]) -> None:
        """Report what is half typed into a cell of the document."""
        for _, delegate in self._checked_delegates():
            if isinstance(delegate, TextDelegate) and (typed := delegate.typed) is not None:
                found.append(typed)

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
        """Expand a node that comes back as it was, and the group that something was put into."""
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

    def wanted_nodes(self) -> Sequence[int]:
        return self._session.selection

    def follow_selection(self) -> None:
        if not self._is_following:
            super().follow_selection()

    def on_followed(self) -> None:
        # As many of the selected rows as fit are shown; the groups that open for that stay open.
        nodes = [node for node in self._session.selection if self.index_of(node).isValid()]
        if not nodes:
            return
        self._is_following = True
        primary, current = self.index_of(nodes[0]), self.currentIndex()
        column = current.column() if current.isValid() else 0
        self.selectionModel().setCurrentIndex(
            primary.siblingAtColumn(column), QItemSelectionModel.SelectionFlag.NoUpdate
        )
        ends = self.index_of(nodes[-1]), primary
        for index in ends:
            self.scrollTo(index)
        self._is_following = False
        for index in ends:
            self._keep_open_above(index)

    def _keep_open_above(self, index: QModelIndex) -> None:
        """Keep the groups open that were opened to show a node."""
        while (index := index.parent()).isValid():
            self._keep_expanded(index)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().currentChanged(current, previous)
        if not self.is_behind:
            self.on_selected()

    def on_selected(self) -> None:
        # The row with the focus is the primary one.
        if self._is_following:
            return
        self._is_following = True
        rows, current = self.selected_nodes, self.node_at(self.currentIndex())
        chosen = set(rows)
        first = [current] if current is not None and current in chosen else []
        self._session.select([*first, *(node for node in self._session.selection if node in chosen), *rows])
        self._is_following = False

    # -- keys and editors ---------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        text = event.text()
        if text and text in _STARTS_SHARES and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._begin_shares(text)
            return
        super().keyPressEvent(event)

    @Slot()
    def _show_locked(self) -> None:
        """Show why editing is locked, if it is."""
        document = self._session.document
        if document is not None and document.locked:
            self._session.message.emit(document.locked)

    def _begin_shares(self, text: str) -> None:
        index = self.currentIndex().siblingAtColumn(Column.SHARES)
        if not index.isValid() or not index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._show_locked()
            return
        self.edit(index)
        editor = self.viewport().focusWidget()
        if isinstance(editor, QLineEdit):
            editor.setText("")
            editor.insert(text)
            editor.setModified(True)
            editor.textEdited.emit(editor.text())

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if self._linked is not None and index.data(NODE_ROLE) == self._linked:
            painter.fillRect(option.rect, colour("hover"))
        super().drawRow(painter, option, index)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)

    def commitData(self, editor: QWidget) -> None:
        # Ignore an editor that Qt has closed because its node was removed. Qt hides it but its delegate
        # still watches it, so loss of focus would commit it.
        if not editor.isHidden():
            super().commitData(editor)

    def closeEditor(self, editor: QWidget, hint: QStyledItemDelegate.EndEditHint) -> None:
        # Tab moves to the next editable cell of the row.
        if editor.isHidden():
            return
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
