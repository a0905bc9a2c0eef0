"""The actions on the selected nodes, in whichever view has the focus."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication

from fsconsole.app.tree import rearrange
from fsconsole.app.tree.tsv import PasteError, inserts_of, inserts_of_nodes, to_tsv
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit, Move, copies, node_to_json, tree_from_json
from fsconsole.shares.input_files import parsed_json
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree, TreeError
from fsconsole.text.words import capitalised, count_words

_SUBTREE_MIME = "application/x-fsconsole-subtree"


class TreeEditor(QObject):
    """Turns commands into edits of the open document.

    Signals: refused(title, text) for what could not be done; made(int) with the id of a new node that wants a
    name.
    """

    refused = Signal(str, str)
    made = Signal(object)

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session

    @property
    def has_document(self) -> bool:
        """Whether a document is open."""
        return self._session.document is not None

    @property
    def has_nodes(self) -> bool:
        """Whether nodes are selected that can be moved or removed: all but the root."""
        document, chosen = self._session.document, self._session.selection
        return document is not None and any(node in document.tree and node != ROOT_ID for node in chosen)

    def add_user(self) -> None:
        """Add a user in the selected group or after the selected user."""
        self._add(Kind.USER)

    def add_group(self) -> None:
        """Add a group in the same place."""
        self._add(Kind.GROUP)

    def _add(self, kind: Kind) -> None:
        document = self._session.document
        if document is None:
            return
        beside = self._session.selection[0] if self._session.selection else document.tree.root.id
        insert = rearrange.add(document.tree, beside, kind)
        document.edit(f"Add {insert.nodes[0].kind}", [insert])
        self._session.select(insert.touched())
        self.made.emit(insert.nodes[0].id)

    def remove(self) -> None:
        """Take the selected nodes out; what follows them is selected then."""
        document = self._session.document
        if document is None or not self.has_nodes:
            return
        tree = document.tree
        chosen = rearrange.tops(tree, self._session.selection)
        left = [node for node in tree.siblings(chosen[0]) if node.id not in chosen]
        row = min(tree.row(chosen[0]), len(left) - 1)
        after = left[row].id if left else tree.node(chosen[0]).parent
        document.edit("Remove", rearrange.remove(tree, chosen))
        self._session.select(() if after is None else (after,))

    def duplicate(self) -> None:
        """Insert copies of the selected nodes after them."""
        document = self._session.document
        if document is not None:
            self._insert(document, "Duplicate", rearrange.duplicate(document.tree, self._session.selection))

    def move_up(self) -> None:
        """Move the selected nodes one place up among their siblings."""
        self._move(lambda tree, nodes: rearrange.step(tree, nodes, -1))

    def move_down(self) -> None:
        """Move the selected nodes one place down."""
        self._move(lambda tree, nodes: rearrange.step(tree, nodes, 1))

    def move_out(self) -> None:
        """Move the selected nodes out of their group, to the place after it."""
        self._move(rearrange.step_out)

    def move_in(self) -> None:
        """Move the nodes into the group above."""
        self._move(rearrange.step_in)

    def _move(self, moves_of: Callable[[ShareTree, Sequence[int]], list[Move]]) -> None:
        document = self._session.document
        if document is None:
            return
        try:
            document.edit("Move", moves_of(document.tree, self._session.selection))
        except TreeError as error:
            self._session.message.emit(_sentence(str(error)))

    def copy(self) -> None:
        """Copy the selected nodes with all below them, for a spreadsheet and for pasting here."""
        document = self._session.document
        if document is None or not self.has_nodes:
            return
        chosen = rearrange.tops(document.tree, self._session.selection)
        data = QMimeData()
        data.setText(to_tsv(document.tree, chosen))
        held = {"tops": chosen, "tree": _held(document.tree, chosen), "next_id": document.tree.next_id}
        data.setData(_SUBTREE_MIME, json.dumps(held).encode())
        QGuiApplication.clipboard().setMimeData(data)
        self._session.message.emit(f"Copied {count_words(len(chosen), 'node')}")

    def cut(self) -> None:
        """Copy the selected nodes, then remove them."""
        self.copy()
        self.remove()

    def paste(self) -> None:
        """Paste nodes or rows of a spreadsheet into the selected group, as one change."""
        document = self._session.document
        if document is None:
            return
        beside = self._session.selection[0] if self._session.selection else document.tree.root.id
        place = rearrange.place_beside(document.tree, beside)
        # Qt may return None, contrary to its types, if the clipboard's owner has just ended.
        data: QMimeData | None = QGuiApplication.clipboard().mimeData()
        inserts: Sequence[Edit]
        try:
            if data is None:
                return
            if data.hasFormat(_SUBTREE_MIME):
                inserts = _from_held(bytes(data.data(_SUBTREE_MIME).data()), document.tree, place)
            else:
                inserts = inserts_of(data.text(), document.tree, place)
        except PasteError as error:
            self.refused.emit("Cannot paste these rows", str(error))
            return
        self._insert(document, "Paste", inserts)

    def _insert(self, document: Document, verb: str, inserts: Sequence[Edit]) -> None:
        if not inserts:
            return
        try:
            document.edit(verb, inserts)
        except TreeError as error:
            self.refused.emit(f"{verb} failed", _sentence(str(error)))
            return
        self._session.select(insert.touched()[0] for insert in inserts)


def _held(tree: ShareTree, nodes: Sequence[int]) -> list[dict[str, object]]:
    """Return nodes with all below them under a bare root, as plain data."""
    root = node_to_json(tree.root) | {"children": list(nodes)}
    below = [node_to_json(node) for top in nodes for node in tree.walk(top)]
    return [root, *(item | {"parent": root["id"]} if item["id"] in nodes else item for item in below)]


def _from_held(raw: bytes, tree: ShareTree, place: rearrange.Place) -> list[Edit]:
    held = parsed_json(raw)
    source = tree_from_json(held["tree"], held["next_id"])
    subtrees = [copies(tree, source, node) for node in held["tops"]]
    return list(inserts_of_nodes(subtrees, tree, place))


def _sentence(text: str) -> str:
    return capitalised(text)
