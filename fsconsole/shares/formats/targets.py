"""Targets of flat formats: only leaves, each with its part of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fsconsole.shares.formats.base import Loss
from fsconsole.shares.formats.weights import plain
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.words import listed


def parts_of_whole(tree: ShareTree) -> Iterator[tuple[Node, Fraction]]:
    """Yield each leaf with its part of the whole, as the shares above it give it."""
    parts = {tree.root.id: Fraction(1)}
    for group in tree.walk():
        children = tree.children(group.id)
        total = sum(child.shares for child in children) or 1
        for child in children:
            parts[child.id] = (parts[group.id] * Fraction(child.shares, total)).limit_denominator(10**15)
            if not child.children:
                yield child, parts[child.id]


def flat_targets(tree: ShareTree, kinds: dict[Kind, str]) -> dict[tuple[str, str], str]:
    """Return percentages of the whole by (word for the kind, name); those of one name are added up."""
    found: dict[tuple[str, str], Fraction] = {}
    for node, part in parts_of_whole(tree):
        key = (kinds[node.kind], node.name)
        found[key] = found.get(key, Fraction(0)) + 100 * part
    words = list(dict.fromkeys(word for word, _ in found))
    return {key: plain(found[key]) for key in sorted(found, key=lambda key: words.index(key[0]))}


def is_flat(tree: ShareTree, words: dict[str, Kind]) -> bool:
    """Return True if the tree has the form that readers of flat formats give it: a group a word, leaves
    below.
    """
    return all(
        group.is_group
        and group.name in words
        and all(not leaf.children and leaf.kind is words[group.name] for leaf in tree.children(group.id))
        for group in tree.children(tree.root.id)
    )


def kinds_as_groups(tree: ShareTree, words: dict[str, Kind], title: str) -> Iterator[Problem]:
    """Report that several kinds of targets appear here as groups."""
    kinds = [node.name for node in tree.children(tree.root.id) if node.name in words]
    if len(kinds) > 1 and is_flat(tree, words):
        text = f"targets of {listed(kinds)} apply at the same time in {title}"
        yield Problem(f"{text}: their shares of 1 are fsconsole's own", Severity.NOTE, path="tree")


def flattened(tree: ShareTree, words: dict[str, Kind]) -> list[Loss]:
    """Return the losses from making a tree flat."""
    if is_flat(tree, words):
        return []
    groups = [node for node in tree.walk() if node.parent is not None and node.children]
    names: dict[tuple[Kind, str], list[Node]] = {}
    for node, _ in parts_of_whole(tree):
        names.setdefault((node.kind, node.name), []).append(node)
    twins = [node for nodes in names.values() for node in nodes[1:]]
    losses = [
        Loss(
            "group",
            tuple((node.id, "") for node in groups),
            note="left out: the leaves have its whole share",
        )
    ]
    losses.append(
        Loss("leaf", tuple((node.id, "") for node in twins), note="added to the one with the same name")
    )
    return [loss for loss in losses if loss.places]


def check_per_cent(text: str) -> str:
    """Return the fault of a percentage; empty for a valid one."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    return "" if 0 <= value <= 100 else f"{text[:40]!r} is not a target. Write a percentage from 0 to 100."
