"""Header controls of the share tree: find as you type, choose columns."""

from __future__ import annotations

from PySide6.QtCore import QObject

from fsconsole.console.design.columns import OF_CLUSTER, OF_MACHINE, Column
from fsconsole.console.design.tree_filter import NodeTexts, find
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.shares.edits import Edit, Insert
from fsconsole.text.words import count_words


class TreeControls(QObject):
    """The search field and the column menu of the tree's dock."""

    def __init__(self, session: ConsoleSession, dock: Dock, view: ShareTreeView) -> None:
        super().__init__(dock)
        self._session = session
        self._dock = dock
        self.view = view
        self._texts = NodeTexts()
        self.search = SearchBox("Find node", dock.header, width=188)
        self.search.textChanged.connect(self._find)
        self.search.returnPressed.connect(self._go_to_first)
        self.search.escaped.connect(view.setFocus)
        names = [column.name.lower() for column in Column]
        self.columns = TableColumns(view, session.preferences, "design/share_tree", names)
        dock.header.add_widget(self.search)
        dock.header.add_widget(menu_button("Columns", "Columns to show", self.columns.menu))
        session.edited.connect(self._on_edited)
        session.document_changed.connect(self.search.clear)
        session.document_changed.connect(self._on_document_changed)
        self._is_narrow = False
        self._on_document_changed()

    def find_node(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus()
        self.search.selectAll()

    def set_narrow(self, is_narrow: bool) -> None:
        """Hide the note in a narrow window."""
        self._is_narrow = is_narrow
        self._choose_columns()

    def _on_document_changed(self) -> None:
        """Show the columns that a tree of another scheduler has, before the notes."""
        keys = [column.key for column in self.view.tree_model.dialect_columns]
        self.columns.have_more(keys, Column.NOTE)
        self._choose_columns()

    def _choose_columns(self) -> None:
        """Choose the columns: a machine has demands, a cluster usage and FairShare."""
        cells = self.view.tree_model.cells.of_cluster
        if not cells.has_values:
            self.columns.leave_out(OF_CLUSTER)
            self.columns.squeeze({Column.NOTE} if self._is_narrow else ())
            return
        self.columns.leave_out(OF_MACHINE if cells.has_levels else {*OF_MACHINE, Column.LEVEL_FS})
        self.columns.squeeze({Column.KIND, Column.PART_OF_GROUP} if self._is_narrow else {Column.KIND})

    def _on_edited(self, edits: tuple[Edit, ...]) -> None:
        """Show a node that was added here, also if the search does not match it."""
        self._texts.forget_edited(edits)
        if not self._session.intake.is_on and any(isinstance(edit, Insert) for edit in edits):
            self.search.clear()

    def _find(self, text: str) -> None:
        document = self._session.document
        if document is None or not text.strip():
            self.view.show_found(None)
            self._dock.header.set_remark("")
            self._dock.body.show_content()
            return
        found = find(document.flat, self._texts.of(document), text.strip())
        self.view.show_found(found)
        count = int(found.matches.sum())
        self._dock.header.set_remark(count_words(count, "node found", "nodes found"))
        if count:
            self._dock.body.show_content()
        else:
            sentence = f"No name or note contains {text.strip()}."
            self._dock.body.show_empty(sentence, "Show all nodes", self._show_all)

    def _show_all(self) -> None:
        self.search.clear()
        self.view.setFocus()

    def _go_to_first(self) -> None:
        """Select the first node found and go to it."""
        document = self._session.document
        if document is None or not self.search.text().strip():
            return
        found = find(document.flat, self._texts.of(document), self.search.text().strip())
        if found.matches.any():
            self._session.select((int(found.flat.ids[int(found.matches.argmax())]),))
            self.view.setFocus()
