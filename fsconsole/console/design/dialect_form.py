"""What the selected node has in the dialect of another scheduler, as fields below its form."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from fsconsole.app.tree.dialect_columns import edits_for, form_columns, takes, value_of, words_about
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.labels import InkLabel, MutedLabel
from fsconsole.shares.formats import dialects_of
from fsconsole.shares.formats.base import Column, Meaning
from fsconsole.shares.tree import Node

_LIKE = "Part of machine"  # the widest caption of the form above


class DialectForm(QWidget):
    """A field for each column of the tree's dialects; hidden where it has none."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._columns: tuple[Column, ...] = ()
        self._rows: list[tuple[QLineEdit, list[QWidget]]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 0, 12, 10)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self._caption_px = self.fontMetrics().horizontalAdvance(_LIKE)
        self._title = MutedLabel("", self)
        self._fault = InkLabel(self)
        session.document_changed.connect(self._build_ui)
        for signal in (session.selection_changed, session.edited):
            signal.connect(self.refresh)
        self._build_ui()

    def editor(self, title: str) -> QLineEdit:
        """The field of the column of that title."""
        return next(
            row[0] for row, column in zip(self._rows, self._columns, strict=True) if column.title == title
        )

    @property
    def fault(self) -> str:
        """What is wrong with what was typed."""
        return self._fault.text()

    @property
    def _node(self) -> Node | None:
        document, chosen = self._session.document, self._session.selection
        return document.tree.node(chosen[0]) if document is not None and chosen else None

    def _build_ui(self) -> None:
        """Make the fields of the open tree's dialects."""
        for _, widgets in self._rows:
            for widget in widgets:
                self._grid.removeWidget(widget)
                widget.deleteLater()
        document = self._session.document
        self._columns = form_columns(document.tree) if document is not None else ()
        titles = [form.title for form in dialects_of(document.tree)] if document is not None else []
        self._title.setText(", ".join(titles))
        self._grid.addWidget(self._title, 0, 0, 1, 3)
        self._rows = [self._row(place, column) for place, column in enumerate(self._columns)]
        self._grid.addWidget(self._fault, len(self._rows) + 1, 0, 1, 3)
        self.refresh()

    def _row(self, place: int, column: Column) -> tuple[QLineEdit, list[QWidget]]:
        caption, unit = MutedLabel(column.title, self), MutedLabel(column.unit, self)
        caption.setWordWrap(True)
        caption.setFixedWidth(self._caption_px)
        editor = QLineEdit(self)
        editor.setAccessibleName(column.title)
        editor.setPlaceholderText(column.default if column.meaning is Meaning.WEIGHT else "")
        editor.editingFinished.connect(partial(self._on_finished, place))
        caption.setBuddy(editor)
        widgets: list[QWidget] = [caption, editor, unit]
        for at, widget in enumerate(widgets):
            self._grid.addWidget(widget, place + 1, at)
        return editor, widgets

    def refresh(self) -> None:
        """Show the node as it is; what was wrong is put back."""
        node, document = self._node, self._session.document
        self.setVisible(node is not None and bool(self._columns))
        self._fault.say("", "muted")
        for (editor, _), column in zip(self._rows, self._columns, strict=True):
            set_look(editor, "")
            locked = document.locked if document is not None else ""
            editor.setEnabled(node is not None and takes(node, column))
            editor.setReadOnly(bool(locked))
            editor.setToolTip(locked or words_about(column))
            text = value_of(document.tree, node, column) if node is not None and document is not None else ""
            editor.setText(text)
            editor.setModified(False)

    def _on_finished(self, place: int) -> None:
        editor, column = self._rows[place][0], self._columns[place]
        node, document = self._node, self._session.document
        if node is None or document is None or not editor.isModified():
            return
        try:
            edits = edits_for(document.tree, node, column, editor.text())
            if edits:
                document.edit(f"Set {column.title}", edits)
        except ValueError as error:
            self._fault.say(str(error), "danger")
            set_look(editor, "error")
