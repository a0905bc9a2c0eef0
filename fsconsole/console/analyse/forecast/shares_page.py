"""New shares of an association, and what they do to all users."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.question import Answer, UserEffect, user_effects
from fsconsole.app.forecast.sentences import effect_words
from fsconsole.console.analyse.forecast.names import NameField
from fsconsole.console.kit.forms import FieldLine, TypedField
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.fairshare import SharesChange
from fsconsole.text.numbers import fixed, full, signed

_DIGITS = 3


def _number(
    title: str, about: str, value: Callable[[UserEffect], float], *, sign: bool = False
) -> Column[UserEffect]:
    """All digits are in the tooltip and on the clipboard."""
    said = signed if sign else fixed
    return Column(
        title, lambda row: said(value(row), _DIGITS), about,
        full=lambda row: full(value(row)), width=62, is_number=True,
    )  # fmt: skip


COLUMNS: tuple[Column[UserEffect], ...] = (
    Column("User", lambda row: row.name, "Account and user"),
    _number("Before", "Fairshare at the next calculation, unchanged", lambda row: row.before),
    _number("After", "Fairshare at the next calculation, with the new shares", lambda row: row.after),
    _number("Change", "After less before", lambda row: row.change, sign=True),
)


class SharesPage(QWidget):
    """Signals: changed() when another change of shares is asked about."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = NameField("Association whose shares change", "Account or user", self)
        self.shares = TypedField("New shares", new_shares, 72, placeholder="shares")
        self.words = MutedLabel("", self, "caption")
        self.now = MutedLabel("", self, "caption")
        self.model: RowModel[UserEffect] = RowModel(COLUMNS, self, key=lambda row: row.name)
        self.view = Table(self.model, "Fairshare before and after", self)
        self._cluster: Cluster | None = None
        self._set_up_view()
        self._build_ui()
        self.name.changed.connect(self._on_name)
        self.shares.changed.connect(self.changed)

    @property
    def change(self) -> SharesChange | None:
        """The change asked about; None while there is none, or it is wrong."""
        row = self.name.row
        shares = self.shares.read() if self.shares.is_right else None
        return None if row is None or shares is None else SharesChange(row, shares)

    def offer(self, cluster: Cluster) -> None:
        """Associations to choose from."""
        self._cluster = cluster
        self.name.offer(cluster.associations, cluster.row)
        self._show_shares_now()

    def show_answer(self, found: Answer | None) -> None:
        """Show what follows from the change."""
        self.words.setText(effect_words(found) if found is not None else "")
        self.words.setVisible(bool(self.words.text()))
        self.model.set_rows(user_effects(found) if found is not None else ())
        self.view.setEnabled(found is not None and found.effect is not None)

    @Slot()
    def _on_name(self) -> None:
        self._show_shares_now()
        self.changed.emit()

    def _show_shares_now(self) -> None:
        row = self.name.row
        if self._cluster is None or row is None or row >= len(self._cluster.tree):
            self.now.setText("")
            return
        shares = int(self._cluster.tree.shares[row])
        self.now.setText(f"now {'parent' if shares == PARENT_SHARES else shares}")

    def _set_up_view(self) -> None:
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # users of an account end differently
        header = self.view.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _build_ui(self) -> None:
        self.words.setWordWrap(True)
        self.words.hide()
        head = vbox(
            FieldLine(("Shares of", self.name, "")),
            FieldLine(("become", self.shares, self.now)),
            self.words,
            margins=(12, 0, 12, 0),
            spacing=4,
        )
        vbox(head, (self.view, 1), on=self, margins=(0, 6, 0, 0), spacing=4)


def new_shares(text: str) -> int | None:
    """Raw shares, or `parent`, or nothing; ValueError says what would be right."""
    text = text.strip()
    if not text:
        return None
    if text == "parent":
        return PARENT_SHARES
    if text.isascii() and text.isdigit() and len(text) < 11 and int(text) < PARENT_SHARES:
        return int(text)
    msg = "Shares are a whole number from 0, or parent"
    raise ValueError(msg)
