"""The dialog that duplicates a group with other names for all that is below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.duplicates import copy_names, duplicate_as
from fsconsole.console.document import Document
from fsconsole.console.kit.forms import CountField, FormDialog, TextField
from fsconsole.console.widgets.boxes import INHERIT, hbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.shares.edits import Insert
from fsconsole.text.words import count_words, listed

_MOST_COPIES = 1000
_NAMED = 6


class DuplicateDialog(FormDialog):
    """Makes copies of a node as one change of the document."""

    def __init__(
        self,
        document: Document,
        node: int,
        select: Callable[[Sequence[int]], object],
        parent: QWidget | None = None,
    ) -> None:
        """`select` gets the ids of the copies."""
        found = document.tree.node(node)
        super().__init__(f"Duplicate {found.name}", parent)
        self._document, self._node, self._select = document, node, select
        self.count = CountField("Number of copies", 1, _MOST_COPIES, 1)
        self.name = TextField("Name of the copies", f"{found.name} #")
        self.old_text = TextField("Text to replace in the names below", placeholder="Keep the names below")
        self.new_text = TextField("Replacement text", placeholder="# becomes the number of the copy")
        self.about = MutedLabel("", self, wraps=True)
        self.about.setMinimumSize(480, 48)
        self.lay_out(
            "Duplicate",
            ("&Copies", hbox(self.count, 1)),
            ("&Name", self.name),
            ("In names &below, replace", hbox((self.old_text, 1), (self.new_text, 1), spacing=INHERIT)),
            below=(self.about,),
            margins=(16, 14, 16, 12),
        )
        for field in (self.count, self.name, self.old_text, self.new_text):
            field.changed.connect(self._refresh)
        self._refresh()

    def _inserts(self) -> list[Insert]:
        tree = self._document.tree
        names = copy_names(tree, self._node, self.name.read().strip(), self.count.read())
        return duplicate_as(tree, self._node, names, self.old_text.read(), self.new_text.read())

    @Slot()
    def _refresh(self) -> None:
        """Show the new names, or what is wrong with them."""
        self.clear_problem()
        try:
            inserts = self._inserts()
        except ValueError as error:
            self.about.setText("")
            self.show_problem(str(error))
            self.buttons.verb.setEnabled(False)
            return
        tops = [insert.nodes[0].name for insert in inserts]
        below = [node.name for node in inserts[0].nodes[1:]]
        words = f"New: {listed(tops, _NAMED)}."
        if below:
            words += f" Each with {count_words(len(below), 'node')}: {listed(below, _NAMED)}."
        self.about.setText(words)
        self.buttons.verb.setEnabled(True)

    def accept(self) -> None:
        """Make the copies and close."""
        try:
            inserts = self._inserts()
            self._document.edit("Duplicate", inserts)
        except ValueError as error:
            self.show_problem(str(error))
            return
        self._select([insert.nodes[0].id for insert in inserts])
        super().accept()
