"""Header controls of the share tree: find as you type, choose columns."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QToolButton

from fsconsole.console.design.columns import TITLES, Column
from fsconsole.console.design.tree_filter import NodeTexts, find
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.look.controls import set_look
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.search_box import SearchBox

_HIDDEN_KEY = "design/hidden_columns"


class TreeControls(QObject):
    """The search field and the column menu of the tree's dock."""

    def __init__(self, session: ConsoleSession, dock: Dock, view: ShareTreeView) -> None:
        super().__init__(dock)
        self._session = session
        self._dock = dock
        self._view = view
        self._texts = NodeTexts()
        self._is_narrow = False
        self.search = SearchBox("Find node", dock.header, width=188)
        self.search.textChanged.connect(self._find)
        self.search.returnPressed.connect(self._go_to_first)
        self.columns = QToolButton(dock.header)
        self._make_menu()
        dock.header.add_widget(self.search)
        dock.header.add_widget(self.columns)
        session.edited.connect(self._texts.heed)
        session.document_changed.connect(self.search.clear)
        self._apply_columns()

    def set_narrow(self, is_narrow: bool) -> None:
        """In a narrow window the note gives way."""
        self._is_narrow = is_narrow
        self._apply_columns()

    def _find(self, text: str) -> None:
        document = self._session.document
        if document is None or not text.strip():
            self._view.show_found(None)
            self._dock.header.set_remark("")
            return
        found = find(document.flat, self._texts.of(document), text.strip())
        self._view.show_found(found)
        count = int(found.matches.sum())
        self._dock.header.set_remark("1 node found" if count == 1 else f"{count} nodes found")

    def _go_to_first(self) -> None:
        """Select the first node found and go to it."""
        document = self._session.document
        if document is None or not self.search.text().strip():
            return
        found = find(document.flat, self._texts.of(document), self.search.text().strip())
        if found.matches.any():
            self._session.select((int(found.flat.ids[int(found.matches.argmax())]),))
            self._view.setFocus()

    def _make_menu(self) -> None:
        self.columns.setText("Columns")
        self.columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        set_look(self.columns, "boxed")
        menu = QMenu(self.columns)
        hidden = self._hidden()
        for column in list(Column)[1:]:
            action = menu.addAction(TITLES[column])
            action.setCheckable(True)
            action.setChecked(column not in hidden)
            action.toggled.connect(partial(self._show_column, column))
        self.columns.setMenu(menu)

    def _hidden(self) -> set[int]:
        return set(self._session.preferences.value(_HIDDEN_KEY, []))

    def _show_column(self, column: Column, is_shown: bool) -> None:
        hidden = self._hidden() - {int(column)} if is_shown else self._hidden() | {int(column)}
        self._session.preferences.set_value(_HIDDEN_KEY, sorted(hidden))
        self._apply_columns()

    def _apply_columns(self) -> None:
        hidden = self._hidden() | ({int(Column.NOTE)} if self._is_narrow else set())
        for column in Column:
            self._view.setColumnHidden(column, column in hidden)
