"""The changes of tree, settings and books during a run, with the values before and after. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fsconsole.figures.spec import Change
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetBooks, SetSetting
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.text.words import count_words


def changes_of(
    scenario: Scenario,
    actions: Iterable[tuple[float, Action]],
    settings: Mapping[str, Any],
    since_s: float = 0.0,
) -> tuple[Change, ...]:
    """Describe the changes by the scenario's events and by `actions` (time, action), oldest first.

    Args:
        scenario: the scenario of the run, with the tree at time 0.
        actions: external actions.
        settings: settings in force at `since_s`.
        since_s: earlier changes are left out. They are part of `settings` already.
    """
    values, tree = dict(settings), scenario.tree.copy()
    planned = [(event.at_s, event.action) for event in scenario.events]
    found: list[Change] = []
    for time_s, action in sorted([*actions, *planned], key=lambda pair: pair[0]):
        is_listed = time_s >= since_s
        match action:
            case SetSetting(key, value):
                if is_listed and values.get(key) != value:
                    found.append(Change(time_s, key, values.get(key), value))
                    values[key] = value
            case ChangeTree(edits):
                changed = list(_of_edits(tree, time_s, edits))
                found += changed if is_listed else []
            case SetBooks(node, usage, charge) if is_listed and node in tree:
                books = (("usage", usage), ("charge", charge))
                path = tree.path(node)
                found += [
                    Change(time_s, f"{name} of {path}", None, to) for name, to in books if to is not None
                ]
    return tuple(found)


def _of_edits(tree: ShareTree, time_s: float, edits: Iterable[Edit]) -> Iterator[Change]:
    """Apply the edits and yield a description of each one that the tree accepts."""
    for edit in edits:
        try:
            rows = list(_rows(tree, edit))
            edit.apply(tree)
        except (TreeError, LookupError):
            continue  # The machine has refused this edit too.
        yield from (Change(time_s, *row) for row in rows if row[1] != row[2])


def _rows(tree: ShareTree, edit: Edit) -> Iterator[tuple[str, Any, Any]]:
    """Yield (what, before, after) of an edit that is not applied yet."""
    match edit:
        case SetShares():
            for node, shares in edit.shares:
                yield f"shares of {tree.path(node)}", tree.node(node).shares, shares
        case Rename():
            yield f"name of {tree.path(edit.node)}", tree.node(edit.node).name, edit.name
        case SetField():
            before = getattr(tree.node(edit.node), edit.field)
            yield f"{edit.field} of {tree.path(edit.node)}", before, edit.value
        case Move():
            yield f"place of {tree.path(edit.node)}", *_places(tree, edit)
        case Insert():
            top = edit.nodes[0]
            yield f"node {tree.path(edit.parent)}/{top.name}", None, count_words(top.shares, "share")
        case Remove():
            yield f"node {tree.path(edit.node)}", count_words(tree.node(edit.node).shares, "share"), None


def _places(tree: ShareTree, edit: Move) -> tuple[str, str]:
    """Return the group and the place among its members, before and after an edit."""
    group = tree.node(edit.node).parent
    before = "" if group is None else f"{tree.path(group)}, place {tree.row(edit.node) + 1}"
    return before, f"{tree.path(edit.parent)}, place {edit.row + 1}"
