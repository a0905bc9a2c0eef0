"""What the selected node has in the dialect of another scheduler, limits too, as fields below its form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QWidget

from fsconsole.app.tree.dialect_columns import edits_for, form_columns, takes, unsaid, value_of, words_about
from fsconsole.app.tree.limit_columns import limit_columns, limit_of, qos_names
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.document import Document
from fsconsole.console.kit.consent import TypedEntry, lost_words
from fsconsole.console.kit.forms import EntryField, is_being_typed, name_fault, typed_into
from fsconsole.console.session import ConsoleSession
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

    What is typed stays whatever others do to the tree, as in the form above. A field stays as long as its
    column does.

    Attributes:
        whose: at the root of a cluster, whether its limits or those of a QOS are shown.
    """

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._columns: tuple[Column, ...] = ()
        self._rows: list[_Row] = []
        self._shown_for: tuple[Document | None, int | None] = (None, None)
        self._name = ""
        self._wrong: EntryField | None = None
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
        session.typed_wanted.connect(self._report_typed)
        self._build_ui()

    def editor(self, title: str) -> EntryField:
        """Return the field of the column of that title."""
        return next(row.field for row in self._rows if row.column.title == title)

    @property
    def has_limits(self) -> bool:
        """Whether limits of Slurm are among the fields."""
        return any(limit_of(column) is not None for column in self._columns)

    def enter_limits(self, *, of_qos: bool = False) -> None:
        """Put the cursor into the first limit; of QOS at their list, of which the first one is shown."""
        if of_qos and self.whose.currentIndex() < 1 < self.whose.count():
            self.whose.setCurrentIndex(1)
            self.refresh()
        first = (row.field for row in self._rows if limit_of(row.column))
        widget: QWidget | None = self.whose if of_qos else next(first, None)
        if widget is None:
            return
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)
        bring_into_sight(self._rows[-1].field)
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
        """Make the fields of the open tree's dialects, but those that are there."""
        self._columns = self._wanted()
        before = {_named(row.column): row for row in self._rows}
        self._grid.addWidget(self._title, 0, 0, 1, 3)
        self._grid.addWidget(self.whose, 0, 1, 1, 2)
        self._rows = []
        for place, column in enumerate(self._columns):
            row = before.pop(_named(column), None) or self._row(column)
            row.column = column
            row.unit.setText(column.unit)
            self._rows.append(row)
            for at, widget in enumerate(row.widgets):
                # Leave a row between fields for error messages.
                self._grid.addWidget(widget, 2 * place + 1, at)
        for above, below in pairwise(self._rows):
            self.setTabOrder(above.field, below.field)
        lost = typed_into([row.field for row in before.values()], self._name)
        if lost and self._session.document is self._shown_for[0]:
            self._session.not_entered.emit(lost_words(lost))
        for row in before.values():
            for widget in row.widgets:
                self._grid.removeWidget(widget)
                widget.deleteLater()
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
            kept = self.whose.currentText()
            self.whose.clear()
            self.whose.addItems(items)
            self.whose.setCurrentIndex(max(0, self.whose.findText(kept)))
        chosen = self.whose.currentIndex()
        cluster = self._session.offer(CLUSTER)
        tres = limits.tres_of(cluster.state.settings) if cluster is not None else frozenset()
        own = limit_columns(tree, names[chosen - 1] if names and chosen > 0 else "", tres)
        self.whose.setVisible(bool(names))
        title = "Limits of" if names else "Own limits"
        self._title.setText(title if own else ", ".join(form.title for form in dialects_of(tree)))
        return (*form_columns(tree), *own)

    def _row(self, column: Column) -> _Row:
        caption, unit = MutedLabel(column.title, self, wraps=True), MutedLabel(column.unit, self)
        caption.setFixedWidth(max(self._caption_px, caption.minimumSizeHint().width()))
        row = _Row(column, caption, EntryField(column.title, self), unit)
        row.field.entered.connect(lambda: self._on_entered(row))
        caption.setBuddy(row.field)
        return row

    def refresh(self) -> None:
        """Show the node as it is, beside what is being typed."""
        if self._wanted() != self._columns:
            self._build_ui()
            return
        node, document = self._node, self._session.document
        before = self._shown_for
        self._shown_for = (document, node.id if node is not None else None)
        locked = document.locked if document is not None else ""
        if self._shown_for != before or locked:
            report_left(self._session, before, self._typed)
        self._name = node.name if node is not None else ""
        is_same = self._shown_for == before and not locked
        for row in self._rows:
            field, column = row.field, row.column
            field.setReadOnly(bool(locked))
            field.setToolTip(locked or words_about(column))
            show = field.follow if is_same else field.show_value
            if node is None or document is None:
                show("")
            else:
                show(value_of(document.tree, node, column))
                field.setPlaceholderText(unsaid(document.tree, node, column))
            field.setEnabled(node is not None and takes(node, column))
        self.setVisible(node is not None and bool(self._columns))
        wrong = self._wrong
        if wrong is None or wrong not in [row.field for row in self._rows] or not is_being_typed(wrong):
            self._wrong = None
            self._fault.say("", "muted")

    @property
    def _typed(self) -> list[TypedEntry]:
        return typed_into([row.field for row in self._rows], self._name)

    @Slot(object)
    def _report_typed(self, found: list[TypedEntry]) -> None:
        found += self._typed

    def _on_entered(self, row: _Row) -> None:
        node, document = self._node, self._session.document
        if (document, node.id if node is not None else None) != self._shown_for:
            row.field.setModified(True)  # It is of what was shown: `refresh` comes, and keeps or drops it.
            return
        if node is None or document is None:
            return
        self._wrong = None
        try:
            edits = edits_for(document.tree, node, row.column, row.field.text())
            if edits:
                document.edit(f"Set {_named(row.column)}", edits)
        except ValueError as error:
            self._grid.addWidget(self._fault, 2 * self._rows.index(row) + 2, 0, 1, 3)
            self._fault.say(name_fault(_named(row.column), str(error)), "danger")
            self._wrong = row.field
            row.field.refuse()
            bring_into_sight(self._fault)
        else:
            self.refresh()


@dataclass(eq=False, slots=True)
class _Row:
    """The widgets of a column."""

    column: Column
    caption: QLabel
    field: EntryField
    unit: QLabel

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        return self.caption, self.field, self.unit


def report_left(
    session: ConsoleSession, of: tuple[Document | None, int | None], typed: Sequence[TypedEntry]
) -> None:
    """Report what was half typed for a node of a document and is not shown any more; its text is kept there.

    Call it before the fields show something else.
    """
    document, node = of

    def report() -> None:
        if document is not None and document is session.document:
            session.not_entered.emit(lost_words(typed, is_removed=node not in document.tree))

    if typed:
        QTimer.singleShot(0, session, report)  # It is in the tree until the edit is done.


def _named(column: Column) -> str:
    """Return a column's title, with the QOS that has it."""
    _, qos = limit_of(column) or (None, "")
    return f"QOS {qos} {column.title}" if qos else column.title
