"""The selected node in full: name, shares, kind, note, and what a user starts with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QWidget

from fsconsole.app.tree.share_entry import shares_edits, shares_words, tried_shares
from fsconsole.console.cluster.association_panel import AssociationPanel
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import TITLES, Column, title_of
from fsconsole.console.design.dialect_form import DialectForm, report_left
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.document import Document
from fsconsole.console.kit.consent import TypedEntry
from fsconsole.console.kit.forms import EntryField, FaultLabel, is_being_typed, typed_into
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.scrolling import bring_into_sight
from fsconsole.shares.edits import Edit, Rename, SetField
from fsconsole.shares.parent_shares import how_counted
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError
from fsconsole.targets.base import MACHINE
from fsconsole.text import numbers
from fsconsole.text.durations import in_words, typed_seconds
from fsconsole.text.words import count_words


@dataclass(frozen=True, slots=True)
class _Entry:
    """A text field of a node: its display, and the edits for another text.

    Both get whether users may have the shares of their account.
    """

    label: str
    verb: str
    shown: Callable[[Node, bool], str]
    edits: Callable[[ShareTree, Node, str, bool], list[Edit]]
    unit: str = ""
    tip: str = ""
    of_users: bool = False


def _field(name: str, parse: Callable[[str], Any]) -> Callable[[ShareTree, Node, str, bool], list[Edit]]:
    return lambda _tree, node, text, _: [SetField(node.id, name, parse(text))]


def _amount(text: str) -> float:
    plain = numbers.ungrouped(text).replace(" ", "")
    try:
        value = float(plain)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        msg = f"'{text}' is not an amount. Write a number of 0 or more."
        raise TreeError(msg)
    return value


def _past(text: str) -> float | None:
    if not text.strip():
        return None
    return -abs(typed_seconds(text))


_SHARES = "Shares"
_ENTRIES = (
    _Entry("Name", "Rename", lambda node, _: node.name,
           lambda _tree, node, text, _: [Rename(node.id, text)]),
    _Entry(_SHARES, "Set shares", lambda node, parents: shares_words(node, takes_parents=parents),
           lambda tree, node, text, parents: shares_edits(text, tree, node, takes_parents=parents),
           tip="Weight among siblings in whole shares: 30, 30 % of the group or of cluster, or ="),
    _Entry("Note", "Set note", lambda node, _: node.note, _field("note", str)),
    _Entry("Usage at start", "Set usage", lambda node, _: f"{node.usage:g}", _field("usage", _amount),
           "cost units", "Decayed usage at time 0. One tick of CPU costs 1000 units", of_users=True),
    _Entry("Charge at start", "Set charge", lambda node, _: f"{node.charge:g}", _field("charge", _amount),
           "CPU seconds", "Total charge at time 0. It never decays", of_users=True),
    _Entry("Last use", "Set last use",
           lambda node, _: in_words(-node.last_use_s) if node.last_use_s is not None else "",
           _field("last_use_s", _past), "before time 0",
           "Time between the last use and time 0, such as 2 h. Empty: never used",
           of_users=True),
)  # fmt: skip
_KINDS = tuple(Kind)
_SYSTEM_TIP = "Percentages can exclude system groups"
_WIDEST_TOTAL = f"of {numbers.thousands(100_000)}"


class NodePanel(QWidget):
    """Shows the primary selected node; fields become edits on Enter or when they are left.

    What is typed stays whatever others do to the tree, until it is entered, Esc takes it back, or another
    node is selected.
    """

    def __init__(self, session: ConsoleSession, preview: SharePreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preview = preview
        self._is_trying = False
        self._editors: dict[str, EntryField] = {}
        self._shown_for: tuple[Document | None, int | None] = (None, None)
        self._name = ""
        self._wrong: QWidget | None = None
        self._captions: dict[str, QLabel] = {}
        self._of_users: list[QWidget] = []
        self._form = QWidget(self)
        self.association = AssociationPanel(session, self)
        self.dialect = DialectForm(session, self)
        vbox(self._form, self.association, self.dialect, STRETCH, on=self, spacing=INHERIT)
        self._grid = QGridLayout(self._form)
        self._grid.setContentsMargins(12, 10, 12, 10)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self._fill()
        for signal in (
            session.document_changed, session.selection_changed, session.edited, session.past_moved
        ):  # fmt: skip
            signal.connect(self.refresh)
        preview.changed.connect(self._show_figures)
        session.typed_wanted.connect(self._report_typed)
        self.refresh()

    def editor(self, label: str) -> EntryField:
        """Return the field of that label."""
        return self._editors[label]

    @property
    def node(self) -> Node | None:
        """Node that is selected first; None for none."""
        document, chosen = self._session.document, self._session.selection
        return document.tree.node(chosen[0]) if document is not None and chosen else None

    @property
    def fault(self) -> str:
        """What is wrong with what was typed."""
        return self._fault.text()

    # -- making -------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        by_label = {entry.label: entry for entry in _ENTRIES}
        self._add_entry(by_label["Name"])
        self._group = self._add_text("Parent")
        self._add_entry(by_label["Shares"])
        self._total = MutedLabel("", self)
        self._grid.addWidget(self._total, self._grid.rowCount() - 1, 2)
        self._part = self._add_text(TITLES[Column.PART_OF_GROUP])
        self._machine = self._add_text(TITLES[Column.PART_OF_MACHINE], strong=True)
        self.kind = QComboBox(self)
        self.kind.addItems([str(kind) for kind in _KINDS])
        self.kind.setAccessibleName("Kind")
        self.kind.activated.connect(self._set_kind)
        self._add_row("Kind", self.kind)
        self.system = QCheckBox("System group", self)
        self.system.setToolTip(_SYSTEM_TIP)
        self.system.clicked.connect(self._set_system)
        self._of_machine = self._add_row("Flags", self.system)
        for label in ("Note", "Usage at start", "Charge at start", "Last use"):
            self._add_entry(by_label[label])
        self._below = self._add_text("Below it")
        # Its text needs the width of two columns.
        self._grid.addWidget(self._below, self._grid.rowCount() - 1, 1, 1, 2)
        self._fault = FaultLabel(self)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        # Texts to the right of the fields come and go, but the width of the fields is constant.
        widest = max([_WIDEST_TOTAL, *(entry.unit for entry in _ENTRIES)], key=len)
        self._grid.setColumnMinimumWidth(2, self._total.fontMetrics().horizontalAdvance(widest))

    def _add_row(self, label: str, widget: QWidget, unit: str = "") -> list[QWidget]:
        row = self._grid.rowCount() + 1  # The row above is for the fault of the field before.
        caption = MutedLabel(label, self)
        caption.setBuddy(widget)
        self._grid.addWidget(caption, row, 0)
        self._grid.addWidget(widget, row, 1)
        made = [caption, widget]
        if unit:
            made.append(MutedLabel(unit, self))
            self._grid.addWidget(made[-1], row, 2)
        return made

    def _add_text(self, label: str, *, strong: bool = False) -> QLabel:
        made = PlainLabel("", self, font=tabular_font(semibold=strong))
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        caption, *_ = self._add_row(label, made)
        self._captions[label] = cast("QLabel", caption)
        return made

    def _add_entry(self, entry: _Entry) -> None:
        editor = EntryField(entry.label, self)
        editor.setToolTip(entry.tip)
        editor.entered.connect(partial(self._on_entered, entry))
        if entry.label == _SHARES:
            editor.textEdited.connect(self._try_shares)
            editor.textChanged.connect(self._end_trial)
        self._editors[entry.label] = editor
        widgets = self._add_row(entry.label, editor, entry.unit)
        if entry.of_users:
            self._of_users += widgets

    # -- showing ------------------------------------------------------------------------------------------

    @Slot(object)
    def _report_typed(self, found: list[TypedEntry]) -> None:
        found += typed_into(self._editors.values(), self._name)

    def refresh(self) -> None:
        """Show the node as it is, beside what is being typed."""
        node, document = self.node, self._session.document
        before = self._shown_for
        self._shown_for = (document, node.id if node is not None else None)
        if self._shown_for != before or (document is not None and document.locked):
            report_left(self._session, before, typed_into(self._editors.values(), self._name))
        self._name = node.name if node is not None else ""
        is_same = self._shown_for == before and document is not None and not document.locked
        for entry in _ENTRIES:
            editor = self._editors[entry.label]
            show = editor.follow if is_same else editor.show_value
            show(entry.shown(node, self._takes_parents) if node is not None else "")
        if self._wrong is None or not is_being_typed(self._wrong):
            self._fault.say("")
        self._form.setVisible(node is not None)
        self._show_flags(node)
        self._show_figures()

    def _show_flags(self, node: Node | None) -> None:
        is_root = node is None or node.parent is None
        document = self._session.document
        locked = "" if document is None else document.locked
        for entry in _ENTRIES:
            editor = self._editors[entry.label]
            editor.setReadOnly(bool(locked))
            editor.setToolTip(locked or entry.tip)
        self.kind.setToolTip(locked)
        self.system.setToolTip(locked or _SYSTEM_TIP)
        of_cluster = self._session.offer(CLUSTER) is not None
        self.kind.setItemText(_KINDS.index(Kind.GROUP), "account" if of_cluster else str(Kind.GROUP))
        self.kind.setCurrentIndex(_KINDS.index(node.kind) if node is not None else -1)
        self.kind.setEnabled(node is not None and not is_root and not node.children and not locked)
        self.system.setChecked(node is not None and node.system)
        self.system.setEnabled(node is not None and node.is_group and not is_root and not locked)
        self._editors[_SHARES].setEnabled(not is_root)
        for column in (Column.PART_OF_GROUP, Column.PART_OF_MACHINE):
            self._captions[TITLES[column]].setText(title_of(column, of_cluster=of_cluster))
        is_machine = self._session.shows(MACHINE)
        for widget in self._of_users:
            widget.setVisible(node is not None and not node.is_group and is_machine)
        for widget in self._of_machine:
            widget.setVisible(is_machine)

    def _show_figures(self) -> None:
        node, document = self.node, self._session.document
        figures = self._preview.shown
        if node is None or document is None or node.id not in figures.flat.row_of:
            for label in (self._group, self._total, self._part, self._machine, self._below):
                label.clear()
            return
        tree = document.tree
        self._follow_tried_shares(node)
        self._group.setText(tree.node(node.parent).name if node.parent is not None else numbers.UNKNOWN)
        total = sum(self._preview.shares(sibling.id) for sibling in tree.siblings(node.id))
        self._total.setText(f"of {numbers.thousands(total)}" if node.parent is not None else "")
        group_digits, digits = numbers.PERCENT_OF_GROUP_DIGITS, numbers.PERCENT_OF_MACHINE_DIGITS
        counted = how_counted(tree, node.id)
        ours = " (ours)" if counted else ""
        shares = count_words(self._preview.shares(node.id), "share")
        tried = f" by {shares}" if self._preview.tries(node.id) else ""
        self._part.setText(f"{numbers.percent(figures.part_of_group(node.id), group_digits)}{ours}{tried}")
        self._machine.setText(f"{numbers.percent(figures.machine_share(node.id), digits)}{ours}")
        for label in (self._part, self._machine):
            label.setToolTip(counted)
        row = figures.flat.row_of[node.id]
        users = int(figures.flat.is_leaf[row : int(figures.flat.end[row])].sum())
        self._below.setText(_below_words(node, users))

    def _follow_tried_shares(self, node: Node) -> None:
        """Show shares that are tried elsewhere, except while this field is edited."""
        words = shares_words(node, takes_parents=self._takes_parents)
        editor = self._editors[_SHARES]
        is_tried = self._preview.tries(node.id) and not is_being_typed(editor)
        editor.follow(str(self._preview.shares(node.id)) if is_tried else words)

    @property
    def _takes_parents(self) -> bool:
        document = self._session.document
        return document is not None and document.takes_parents_shares

    # -- editing ------------------------------------------------------------------------------------------

    @Slot(str)
    def _try_shares(self, text: str) -> None:
        """Show the effect of shares while they are typed."""
        node, document = self.node, self._session.document
        if node is None or document is None:
            return
        try:
            edits = shares_edits(text, document.tree, node, takes_parents=self._takes_parents)
        except ValueError:
            edits = []
        self._is_trying = True
        self._preview.show(tried_shares(node, edits))

    @Slot()
    def _end_trial(self) -> None:
        """Show the shares of the document again once nothing is being typed."""
        if self._is_trying and not is_being_typed(self._editors[_SHARES]):
            self._is_trying = False
            self._preview.clear()

    def _on_entered(self, entry: _Entry) -> None:
        editor, node, document = self._editors[entry.label], self.node, self._session.document
        if (document, node.id if node is not None else None) != self._shown_for:
            editor.setModified(True)  # It is of what was shown: `refresh` comes, and keeps or drops it.
        elif node is not None and document is not None:
            edits = partial(entry.edits, document.tree, node, editor.text(), self._takes_parents)
            self._try(document, entry.verb, edits, editor)
        if entry.label == _SHARES and self._is_trying:
            self._is_trying = False
            self._preview.clear()

    def _try(self, document: Document, verb: str, edits: Callable[[], list[Edit]], field: QWidget) -> None:
        """Edit, or show below the field what is wrong."""
        self._wrong = None
        try:
            document.edit(verb, edits())
        except ValueError as error:
            at = self._grid.getItemPosition(self._grid.indexOf(field))
            row = cast("tuple[int, int, int, int]", at)[0]
            self._grid.addWidget(self._fault, row + 1, 0, 1, 3)
            self._fault.say(str(error))
            self._wrong = field
            if isinstance(field, EntryField):
                field.refuse()
            bring_into_sight(self._fault)
        else:
            self.refresh()

    def _set_kind(self) -> None:
        node, document = self.node, self._session.document
        kind = _KINDS[self.kind.currentIndex()]
        if node is not None and document is not None and node.kind is not kind:
            self._try(document, "Set kind", lambda: [SetField(node.id, "kind", kind)], self.kind)

    def _set_system(self) -> None:
        node, document = self.node, self._session.document
        if node is not None and document is not None:
            wanted = self.system.isChecked()
            self._try(
                document, "Set system group", lambda: [SetField(node.id, "system", wanted)], self.system
            )


def _below_words(node: Node, users: int) -> str:
    if not node.is_group:
        return "nothing, because it holds work"
    children = count_words(len(node.children), "child", "children")
    leaves = count_words(users, "leaf", "leaves")
    return f"{children}, {leaves} in all"
