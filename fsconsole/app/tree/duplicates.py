"""Copies of a group with other names, for it and for all that is below it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from fsconsole.app.tree.rearrange import free_name
from fsconsole.shares.edits import Insert, copies
from fsconsole.shares.tree import ShareTree, TreeError, check_spelling

NUMBER = "#"


def copy_names(tree: ShareTree, node_id: int, pattern: str, count: int) -> dict[int, str]:
    """Return names of copies by their numbers, for which `#` stands: 1, 2, 3, without those whose name is
    taken.

    A pattern without `#` is the name of all; those after the first one get a number.
    """
    parent = tree.node(node_id).parent or 0
    if NUMBER not in pattern:
        names: list[str] = []
        for _ in range(count):
            names.append(free_name(tree, parent, pattern, names))
        return dict(enumerate(names, 1))
    made: dict[int, str] = {}
    for number in itertools.count(1):
        name = pattern.replace(NUMBER, str(number))
        if len(made) == count:
            break
        if tree.child_named(parent, name) is None:
            made[number] = name
    return made


def duplicate_as(
    tree: ShareTree, node_id: int, names: Mapping[int, str], find: str = "", replace_by: str = ""
) -> list[Insert]:
    """Return copies of a node with all below it, after it, one for each name; `names` are those of numbers.

    In the names below it, `find` is replaced by `replace_by`, in which `#` stands for the number of the copy.

    Raises:
        TreeError: a name cannot be one, or two nodes of a group would have the same.
    """
    parent = tree.node(node_id).parent
    if parent is None:
        msg = "the root cannot be duplicated"
        raise TreeError(msg)
    made = []
    for at, (number, name) in enumerate(names.items()):
        check_spelling(name)
        subtree = copies(tree, tree, node_id, name)
        taken: dict[int | None, set[str]] = {}
        for node in subtree[1:]:
            if find:
                node.name = node.name.replace(find, replace_by.replace(NUMBER, str(number)))
            check_spelling(node.name)
            of_group = taken.setdefault(node.parent, set())
            if node.name in of_group:
                msg = f"two nodes of a group would have the name {node.name}"
                raise TreeError(msg)
            of_group.add(node.name)
        made.append(Insert(parent, tree.row(node_id) + 1 + at, subtree))
    return made
