"""What the selected node has in the dialect of another scheduler, limits too, as fields below its form."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from fsconsole.app.tree.dialect_columns import edits_for, form_columns, takes, unsaid, value_of, words_about
from fsconsole.app.tree.limit_columns import limit_columns, limit_of, qos_names
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.kit.forms import name_fault
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.labels import InkLabel, MutedLabel
from fsconsole.console.widgets.scrolling import bring_into_sight
from fsconsole.shares.formats import dialects_of
from fsconsole.shares.formats.base import Column
from fsconsole.shares.tree import Node
from fsconsole.slurm import limits

_LIKE = "Share of machine"  # Widest label of the form above.
_OWN = "Account root"


class DialectForm(QWidget):
    """A field for each column of the tree's dialects; hidden without such columns.

    Attributes:
        whose: at the root of a cluster, whether its limits or those of a QOS are shown.
    """

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
        self.whose = QComboBox(self)
        self.whose.setAccessibleName("Limits of")
        self.whose.activated.connect(self.refresh)
        self._fault = InkLabel(self)
        session.document_changed.connect(self._build_ui)
        for signal in (session.selection_changed, session.edited):
            signal.connect(self.refresh)
        self._build_ui()

    def editor(self, title: str) -> QLineEdit:
        """Return the field of the column of that title."""
        return next(
            row[0] for row, column in zip(self._rows, self._columns, strict=True) if column.title == title
        )

    @property
    def has_limits(self) -> bool:
        """Whether limits of Slurm are among the fields."""
        return any(limit_of(column) is not None for column in self._columns)

    def enter_limits(self, *, of_qos: bool = False) -> None:
        """Put the cursor into the first limit; of QOS at their list, of which the first one is shown."""
        if of_qos and self.whose.currentIndex() < 1 < self.whose.count():
            self.whose.setCurrentIndex(1)
            self.refresh()
        first = (row[0] for row, one in zip(self._rows, self._columns, strict=True) if limit_of(one))
        widget: QWidget | None = self.whose if of_qos else next(first, None)
        if widget is None:
            return
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
        bring_into_sight(self._rows[-1][0])
        bring_into_sight(widget)

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
        self._columns = self._wanted()
        self._grid.addWidget(self._title, 0, 0, 1, 3)
        self._grid.addWidget(self.whose, 0, 1, 1, 2)
        self._rows = [self._row(place, column) for place, column in enumerate(self._columns)]
        self.refresh()

    def _wanted(self) -> tuple[Column, ...]:
        """Return the columns of the tree's dialects; limits of the node, or of the QOS chosen at the root."""
        document, node = self._session.document, self._node
        if document is None:
            return ()
        tree = document.tree
        names = qos_names(tree) if node is not None and node.parent is None else ()
        items = [_OWN, *(f"QOS {name}" for name in names)]
        if items != [self.whose.itemText(place) for place in range(self.whose.count())]:
            self.whose.clear()
            self.whose.addItems(items)
        chosen = self.whose.currentIndex()
        cluster = self._session.offer(CLUSTER)
        tres = limits.tres_of(cluster.state.settings) if cluster is not None else frozenset()
        own = limit_columns(tree, names[chosen - 1] if names and chosen > 0 else "", tres)
        self.whose.setVisible(bool(names))
        title = "Limits of" if names else "Own limits"
        self._title.setText(title if own else ", ".join(form.title for form in dialects_of(tree)))
        return (*form_columns(tree), *own)

    def _row(self, place: int, column: Column) -> tuple[QLineEdit, list[QWidget]]:
        caption, unit = MutedLabel(column.title, self), MutedLabel(column.unit, self)
        caption.setWordWrap(True)
        caption.setFixedWidth(max(self._caption_px, caption.minimumSizeHint().width()))
        editor = QLineEdit(self)
        editor.setAccessibleName(column.title)
        editor.editingFinished.connect(partial(self._on_finished, place))
        caption.setBuddy(editor)
        widgets: list[QWidget] = [caption, editor, unit]
        for at, widget in enumerate(widgets):
            self._grid.addWidget(widget, 2 * place + 1, at)  # Leave a row between fields for error messages.
        return editor, widgets

    def refresh(self) -> None:
        """Show the node as it is; what was wrong is put back."""
        if self._wanted() != self._columns:
            self._build_ui()
            return
        node, document = self._node, self._session.document
        self.setVisible(node is not None and bool(self._columns))
        self._fault.say("", "muted")
        for (editor, _), column in zip(self._rows, self._columns, strict=True):
            set_look(editor, "")
            locked = document.locked if document is not None else ""
            editor.setEnabled(node is not None and takes(node, column))
            editor.setReadOnly(bool(locked))
            editor.setToolTip(locked or words_about(column))
            if node is None or document is None:
                editor.clear()
            else:
                editor.setText(value_of(document.tree, node, column))
                editor.setPlaceholderText(unsaid(document.tree, node, column))
            editor.setModified(False)

    def _on_finished(self, place: int) -> None:
        editor, column = self._rows[place][0], self._columns[place]
        node, document = self._node, self._session.document
        if node is None or document is None or not editor.isModified():
            return
        try:
            edits = edits_for(document.tree, node, column, editor.text())
            if edits:
                document.edit(f"Set {_named(column)}", edits)
        except ValueError as error:
            self._grid.addWidget(self._fault, 2 * place + 2, 0, 1, 3)
            self._fault.say(name_fault(_named(column), str(error)), "danger")
            bring_into_sight(self._fault)
            set_look(editor, "error")


def _named(column: Column) -> str:
    """Return a column's title, with the QOS that has it."""
    _, qos = limit_of(column) or (None, "")
    return f"QOS {qos} {column.title}" if qos else column.title
