"""Large trees, made the same way each time, for tests and benchmarks."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fsconsole.shares.tree import Kind, Node, ShareTree


def big_tree(nodes: int = 100_000, depth: int = 6, seed: int = 1) -> ShareTree:
    """Return a tree of that many nodes: groups down to `depth` - 1, most nodes users on the last level."""
    rng = random.Random(seed)
    made = [Node(0, "root", 1000, Kind.GROUP)]
    width = max(2, round((nodes / 8) ** (1 / (depth - 1))))
    groups = [made[0]]
    for level in range(1, depth):
        groups = [node for group in groups for node in _groups(made, group, width, level, rng, nodes)]
    row = 0
    while len(made) < nodes:
        _add(made, groups[row % len(groups)], f"u{len(made)}", Kind.USER, rng)
        row += 1
    return _in_order(made)


def _groups(
    made: list[Node], parent: Node, width: int, level: int, rng: random.Random, most: int
) -> Iterator[Node]:
    for row in range(width):
        if len(made) < most // 4:
            yield _add(made, parent, f"g{level}-{row}-{len(made)}", Kind.GROUP, rng)


def _add(made: list[Node], parent: Node, name: str, kind: Kind, rng: random.Random) -> Node:
    node = Node(len(made), name, rng.randrange(1, 1000), kind, parent=parent.id)
    parent.children.append(node.id)
    made.append(node)
    return node


def _in_order(made: list[Node]) -> ShareTree:
    """The same with ids in depth-first order, as a file that is read gives them."""
    tree = ShareTree.from_nodes(made, len(made))
    ids = {node.id: row for row, node in enumerate(tree.walk())}
    for node in made:
        node.id = ids[node.id]
        node.parent = None if node.parent is None else ids[node.parent]
        node.children = [ids[child] for child in node.children]
    return ShareTree.from_nodes(sorted(made, key=lambda node: node.id), len(made))
