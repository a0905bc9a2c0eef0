"""`fsconsole tree show`: a tree and what its shares mean."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.values import input_file
from fsconsole.text.numbers import percent

if TYPE_CHECKING:
    from fsconsole.shares.tree import Node, ShareTree


@click.command("show")
@click.argument("file", type=input_file)
@click.option(
    "--json", "as_json", is_flag=True, help="Print a list of path, shares, part_of_parent, machine_share."
)
def command(file: Path, as_json: bool) -> None:
    """Draw the tree in FILE: shares, part of the group, part of the machine."""
    from fsconsole.cli.reading import tree_of
    from fsconsole.cli.tables import print_json
    from fsconsole.shares.flat import FlatTree

    tree = tree_of(file)
    flat = FlatTree.of(tree)
    nodes = list(tree.walk())
    parts, machine = flat.part_of_parent().tolist(), flat.machine_share().tolist()
    if as_json:
        paths = tree.paths()
        print_json(
            [
                {
                    "path": paths[node.id],
                    "shares": node.shares,
                    "part_of_parent": part,
                    "machine_share": whole,
                }
                for node, part, whole in zip(nodes, parts, machine, strict=True)
            ]
        )
        return
    lines = "\n".join(_drawn(tree, nodes, parts, machine))
    print(lines if _can_show(_LINES) else lines.translate(_IN_ASCII))


def _drawn(tree: ShareTree, nodes: list[Node], parts: list[float], machine: list[float]) -> list[str]:

    labels = _labels(tree, nodes)
    width = max(len("Node"), *(len(label) for label in labels))
    shares = max(len("Shares"), *(len(str(node.shares)) for node in nodes))
    lines = [f"{'Node':<{width}}  {'Shares':>{shares}}  {'Of group':>9}  {'Of machine':>10}"]
    for label, node, part, whole in zip(labels, nodes, parts, machine, strict=True):
        system = "  system" if node.system else ""
        fractions = f"{percent(part, 2):>9}  {percent(whole, 2):>10}"
        lines.append(f"{label:<{width}}  {node.shares:>{shares}}  {fractions}{system}")
    return lines


def _labels(tree: ShareTree, nodes: list[Node]) -> list[str]:
    """Names behind the lines that lead to them."""
    margins = {tree.root.id: ""}
    labels = []
    for node in nodes:
        margin = margins[node.id]
        labels.append(node.name if node.parent is None else f"{margin[:-3]}{_CORNER[margin[-3:]]}{node.name}")
        for child in node.children:
            margins[child] = margin + ("   " if child == node.children[-1] else "│  ")
    return labels


def _can_show(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


_LINES = "└─├│"
_IN_ASCII = str.maketrans(_LINES, "`-||")
_CORNER = {"   ": "└─ ", "│  ": "├─ "}
