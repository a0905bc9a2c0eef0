"""Walking through a tree with the arrow keys, as a map shows it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from fsconsole.shares.tree import ShareTree


def walk(tree: ShareTree, selection: Sequence[int], key: Qt.Key) -> int | None:
    """The node that an arrow leads to: parent, first child, sibling; None for another key."""
    if key not in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right):
        return None
    if not selection:
        return tree.root.id
    node = tree.node(selection[0])
    if key == Qt.Key.Key_Up:
        return node.parent if node.parent is not None else node.id
    if key == Qt.Key.Key_Down:
        return node.children[0] if node.children else node.id
    siblings = tree.siblings(node.id)
    row = tree.row(node.id) + (1 if key == Qt.Key.Key_Right else -1)
    return siblings[min(max(row, 0), len(siblings) - 1)].id
