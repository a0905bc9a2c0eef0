"""Small trees and hypothesis strategies for them."""

from __future__ import annotations

from hypothesis import strategies as st

from fsconsole.shares.tree import Kind, ShareTree

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_letters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/")
names = st.text(_letters, min_size=1, max_size=8).filter(lambda name: bool(name.strip()))
shares = st.integers(0, 2**31 - 1)


def junglas_tree() -> ShareTree:
    """Return the example of Junglas section 4: groups 40 to 60, users 1 1 and 1 1 2."""
    tree = ShareTree("root", 1000)
    for group, weight, users in (("g1", 40, (1, 1)), ("g2", 60, (1, 1, 2))):
        parent = tree.add(0, group, weight, Kind.GROUP)
        for row, user in enumerate(users):
            tree.add(parent.id, f"u{group[1]}{row + 1}", user)
    return tree


@st.composite
def trees(draw: st.DrawFn, most: int = 12) -> ShareTree:
    """Draw a tree with all that a node can have; ids in depth-first order, as files give them."""
    tree = ShareTree(draw(names), draw(shares))
    groups = [0]
    for _ in range(draw(st.integers(0, most))):
        parent = draw(st.sampled_from(groups))
        name = draw(names)
        if tree.child_named(parent, name) is not None:
            continue
        kind = draw(st.sampled_from(list(Kind)))
        node = tree.add(parent, name, draw(shares), kind)
        node.system = draw(st.booleans())
        node.note = draw(texts)
        node.usage = draw(st.floats(0, 1e15))
        node.charge = draw(st.floats(0, 1e15))
        node.last_use_s = draw(st.none() | st.floats(-1e9, 0))
        node.foreign = draw(st.dictionaries(names, texts, max_size=2))
        if kind is Kind.GROUP:
            groups.append(node.id)
    return in_file_order(tree)


def in_file_order(tree: ShareTree) -> ShareTree:
    """Return the tree with ids in depth-first order."""
    nodes = list(tree.copy().walk())
    ids = {node.id: row for row, node in enumerate(nodes)}
    for node in nodes:
        node.id = ids[node.id]
        node.parent = None if node.parent is None else ids[node.parent]
        node.children = [ids[child] for child in node.children]
    return ShareTree.from_nodes(nodes, len(nodes))
