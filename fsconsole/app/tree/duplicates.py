"""Copies of a group with other names, for it and for all that is below it."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.app.tree.rearrange import free_name
from fsconsole.shares.edits import Insert, copies
from fsconsole.shares.tree import ShareTree, TreeError, check_spelling

NUMBER = "#"


def copy_names(tree: ShareTree, node_id: int, pattern: str, count: int) -> list[str]:
    """Names of copies: `#` stands for the number of a copy, from 2 on; a taken name gets a number."""
    node = tree.node(node_id)
    parent = node.parent or 0
    made: list[str] = []
    for number in range(2, count + 2):
        made.append(free_name(tree, parent, pattern.replace(NUMBER, str(number)), made))
    return made


def duplicate_as(
    tree: ShareTree, node_id: int, names: Sequence[str], find: str = "", replace_by: str = ""
) -> list[Insert]:
    """Copies of a node with all below it, after it, one for each name.

    In the names below it, `find` is replaced by `replace_by`, in which `#` stands for the number of the copy.

    Raises:
        TreeError: a name cannot be one, or two nodes of a group would have the same.
    """
    parent = tree.node(node_id).parent
    if parent is None:
        msg = "the root cannot be duplicated"
        raise TreeError(msg)
    made = []
    for at, name in enumerate(names):
        check_spelling(name)
        subtree = copies(tree, tree, node_id, name)
        taken: dict[int | None, set[str]] = {}
        for node in subtree[1:]:
            node.name = (
                node.name.replace(find, replace_by.replace(NUMBER, str(at + 2))) if find else node.name
            )
            check_spelling(node.name)
            of_group = taken.setdefault(node.parent, set())
            if node.name in of_group:
                msg = f"two nodes of a group would be called {node.name}"
                raise TreeError(msg)
            of_group.add(node.name)
        made.append(Insert(parent, tree.row(node_id) + 1 + at, subtree))
    return made
