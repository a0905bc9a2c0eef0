"""Other names for the nodes of a tree, for a scheduler that cannot have those that they have."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.shares.edits import Rename, apply_all
from fsconsole.shares.tree import ShareTree

SMALL_LETTERS = ("A-Z", "a-z")


def renamed(tree: ShareTree, pairs: Sequence[tuple[str, str]]) -> ShareTree:
    """Return the tree with other names, but for the root's.

    Raises:
        TreeError: a name is impossible.

    The first of a pair is a whole name, or signs alone, such as `-`, which are replaced in all names.
    The pair `SMALL_LETTERS` writes all names in small letters.
    """
    found = tree.copy()
    for node in tree.walk():
        if node.parent is None:
            continue
        name = node.name
        for old, new in pairs:
            if (old, new) == SMALL_LETTERS:
                name = name.lower()
                continue
            is_of_signs = not any(char.isalnum() for char in old)
            name = name.replace(old, new) if is_of_signs else new if name == old else name
        if name != node.name:
            apply_all(found, [Rename(node.id, name)])
    return found
