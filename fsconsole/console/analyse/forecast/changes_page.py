"""Changes that are tried together: typed one by one, listed, taken from Design and staged there."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QPushButton, QWidget

from fsconsole.app.forecast.change_list import ChangeRow, Kind, change_rows, read_change
from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.question import Answer, UserEffect, user_effects
from fsconsole.app.forecast.sentences import effect_words
from fsconsole.console.analyse.forecast.names import NameField
from fsconsole.console.kit.forms import ChoiceField, FaultLabel, FieldLine, TypedField
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.sizes import row_px
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.sacctmgr import shares_value
from fsconsole.slurm.staged_changes import Changes
from fsconsole.text.numbers import fixed, full, signed

_DIGITS = 3
_ROWS = 4
_KINDS = (
    (Kind.SHARES, "Shares of"),
    (Kind.WORK, "Work of"),
    (Kind.RESET, "Set usage to 0 for"),
    (Kind.HALF_LIFE, "Half-life"),
    (Kind.DAMPING, "Dampening factor"),
)
_UNITS = {Kind.SHARES: "shares", Kind.WORK: "cores", Kind.HALF_LIFE: "days", Kind.DAMPING: "d"}


def _number(
    title: str, about: str, value: Callable[[UserEffect], float], *, sign: bool = False
) -> Column[UserEffect]:
    """Return a column of numbers; tooltip and clipboard have all digits."""
    text = signed if sign else fixed
    return Column(
        title, lambda row: text(value(row), _DIGITS), about,
        full=lambda row: full(value(row)), width=62, is_number=True,
    )  # fmt: skip


COLUMNS: tuple[Column[UserEffect], ...] = (
    Column("User", lambda row: row.name, "Account and user"),
    _number("Before", "Fairshare at the next calculation, unchanged", lambda row: row.before),
    _number("After", "Fairshare at the next calculation, changed", lambda row: row.after),
    _number("Change", "Fairshare after minus fairshare before", lambda row: row.change, sign=True),
)
LISTED: tuple[Column[ChangeRow], ...] = (
    Column("Change", lambda row: row.what, "Property that changes from now on", is_name=True),
    Column("Now", lambda row: row.now, "Value now", width=76, is_number=True),
    Column("Becomes", lambda row: row.value, "Value after the change", width=112, is_number=True),
)


class ChangesPage(QWidget):
    """A line that is typed counts at once; Add lists it, so that another can be typed.

    Signals: changed() when other changes are asked about; take_wanted() of edits staged in Design;
    stage_wanted() there.
    """

    changed = Signal()
    take_wanted = Signal()
    stage_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = ChoiceField("Property to change", _KINDS, self)
        self.name = NameField("User or account to change", "Account or user", self)
        self.value = TypedField("New value", self._parse, 72, placeholder="shares")
        self.now = MutedLabel("", self, "caption")
        self.add, self.remove = QPushButton("Add", self), QPushButton("Remove", self)
        self.take, self.stage = QPushButton("Take from Design", self), QPushButton("Stage in Design", self)
        self.fault = FaultLabel(self)
        self.words = MutedLabel("", self, "caption", wraps=True)
        self.listed: RowModel[ChangeRow] = RowModel(LISTED, self, key=lambda row: row.what)
        self.list = Table(self.listed, "Changes to try", self)
        self.model: RowModel[UserEffect] = RowModel(COLUMNS, self, key=lambda row: row.name)
        self.view = Table(self.model, "Fairshare before and after", self)
        self._cluster: Cluster | None = None
        self._kept = Changes()
        self._can_stage = False
        self._set_up_views()
        self._build_ui()
        self._connect_signals()
        self._show()

    @property
    def is_right(self) -> bool:
        """Whether what is typed is a change, or nothing yet."""
        return self.value.is_right and (self.name.is_right or not self._kind.is_of_node)

    @property
    def changes(self) -> Changes:
        """All that are listed, and the one that is typed."""
        typed = self._typed()
        return self._kept if typed is None else self._kept.also(typed)

    def offer(self, cluster: Cluster, *, is_other: bool) -> None:
        """Offer nodes to choose from; changes of another cluster are dropped."""
        self._cluster = cluster
        if is_other:
            self._kept = Changes()
        self.name.offer(cluster.associations, cluster.row)
        self._show()

    def also(self, changes: Changes) -> None:
        """List more changes; where they are about the same as one that is there, they take its place."""
        self._kept = self._kept.also(changes)
        self._clear_line()
        self._show()
        self.changed.emit()

    def show_places(self, *, can_stage: bool, why_not: str) -> None:
        """Show whether edits can move to and from Design; `why_not` is the reason if they cannot."""
        for button, tip in (
            (self.take, "List the new shares staged in Design"),
            (self.stage, "Stage the new shares in Design as one change. Undo reverts it"),
        ):
            button.setToolTip(tip if can_stage else why_not)
        self._can_stage = can_stage
        self.take.setEnabled(can_stage)
        self._show()

    def show_answer(self, found: Answer | None) -> None:
        """Show what follows from the changes."""
        self.words.setText(effect_words(found) if found is not None else "")
        self.words.setVisible(bool(self.words.text()))
        self.model.set_rows(user_effects(found) if found is not None else ())
        self.view.setEnabled(found is not None and found.effect is not None)

    # -- inside -------------------------------------------------------------------------------------------

    @property
    def _kind(self) -> Kind:
        return Kind(self.kind.read())

    def _parse(self, text: str) -> Changes | None:
        return read_change(self._kind, self.name.row, text)

    def _typed(self) -> Changes | None:
        return self.value.read() if self.is_right else None

    @Slot()
    def _on_kind(self) -> None:
        kind = self._kind
        self.name.setVisible(kind.is_of_node)
        self.value.setVisible(kind.has_value)
        self.value.setPlaceholderText(_UNITS.get(kind, ""))
        self.value.show_text("")
        self._on_typed()

    @Slot()
    def _on_typed(self) -> None:
        self._show()
        self.changed.emit()

    @Slot()
    def _on_add(self) -> None:
        typed = self._typed()
        if typed is not None:
            self.also(typed)
            (self.name if self._kind.is_of_node else self.value).setFocus()

    @Slot()
    def _on_remove(self) -> None:
        gone = {row.what for row in self.list.selected()}
        if not gone:
            return
        kept = Changes()
        for row in self._rows(self._kept):
            kept = kept if row.what in gone else kept.also(row.changes)
        self._kept = kept
        self._show()
        self.changed.emit()

    def _clear_line(self) -> None:
        with QSignalBlocker(self.name), QSignalBlocker(self.value):
            self.value.show_text("")
            self.name.clear()
        if self._cluster is not None:
            self.name.offer(self._cluster.associations, self._cluster.row)

    def _rows(self, changes: Changes) -> tuple[ChangeRow, ...]:
        return change_rows(None, self._cluster, changes) if self._cluster is not None else ()

    def _show(self) -> None:
        """Show the list, what is now, and what can be done."""
        self.listed.set_rows(self._rows(self._kept))
        count = self.listed.rowCount()
        self.list.setVisible(count > 0)
        self.list.setFixedHeight((min(count, _ROWS) + 1) * row_px() + 4)
        self.remove.setVisible(count > 0)
        self.add.setEnabled(self._typed() is not None)
        self.stage.setEnabled(self._can_stage and bool(self.changes.shares))
        cluster, row = self._cluster, self.name.row
        is_known = cluster is not None and row is not None and self._kind is Kind.SHARES
        shares = shares_value(int(cluster.tree.shares[row])) if is_known and cluster and row else ""
        self.now.setText(f"now {shares}" if shares else "")

    def _set_up_views(self) -> None:
        for view in (self.view, self.list):
            # Names of users in one account differ at the end.
            view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
            header = view.horizontalHeader()
            header.setStretchLastSection(False)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        shortcut = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.list)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self._on_remove)
        self.add.setToolTip("Remove this row to type it again (Enter)")
        self.remove.setToolTip("Remove the selected changes (Del)")

    def _connect_signals(self) -> None:
        self.kind.changed.connect(self._on_kind)
        for field in (self.name, self.value):
            field.changed.connect(self._on_typed)
        self.value.returnPressed.connect(self._on_add)
        self.add.clicked.connect(self._on_add)
        self.remove.clicked.connect(self._on_remove)
        self.take.clicked.connect(self.take_wanted)
        self.stage.clicked.connect(self.stage_wanted)

    def _build_ui(self) -> None:
        self.words.hide()
        buttons, design = QWidget(), QWidget()
        hbox(self.add, self.remove, STRETCH, on=buttons, spacing=8)
        hbox(self.take, self.stage, STRETCH, on=design, spacing=8)
        head = vbox(
            FieldLine(("Change", self.kind, "")),
            FieldLine(("", self.name, "")),
            FieldLine(("becomes", self.value, self.now)),
            buttons,
            margins=(12, 0, 12, 0),
            spacing=4,
        )
        foot = vbox(design, self.fault, self.words, margins=(12, 0, 12, 0), spacing=4)
        vbox(head, self.list, foot, (self.view, 1), on=self, margins=(0, 6, 0, 0), spacing=4)
