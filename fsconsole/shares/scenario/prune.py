"""What a scenario says about nodes that an edit has taken out of its tree is left out again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import Action, ChangeTree
from fsconsole.shares.scenario.spec import Event, Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree


def pruned(scenario: Scenario) -> Scenario:
    """The scenario without logins, work, events and curves of nodes that are not in its tree (any more).

    A group has no work either: what stood for a user that became one goes too.
    """
    tree = scenario.tree
    return replace(
        scenario,
        logins=tuple(_workers(tree, scenario.logins)),
        workloads=tuple(load for load in scenario.workloads if _can_work(tree, load.node)),
        events=tuple(
            replace(event, action=action)
            for event in scenario.events
            if (action := _action(tree, event)) is not None
        ),
        plot=replace(scenario.plot, nodes=tuple(node for node in scenario.plot.nodes if node in tree)),
    )


def _workers(tree: ShareTree, nodes: Iterable[int]) -> Iterable[int]:
    return (node for node in nodes if _can_work(tree, node))


def _can_work(tree: ShareTree, node: int) -> bool:
    return node == ROOT_ID or (node in tree and not tree.node(node).is_group)


def _action(tree: ShareTree, event: Event) -> Action | None:
    """The action as far as its nodes are there; None where nothing is left of it."""
    action = event.action
    if isinstance(action, ChangeTree):
        edits = tuple(
            SetShares(tuple(pair for pair in edit.shares if pair[0] in tree))
            if isinstance(edit, SetShares)
            else edit
            for edit in action.edits
        )
        edits = tuple(edit for edit in edits if not isinstance(edit, SetShares) or edit.shares)
        return replace(action, edits=edits) if edits else None
    node = getattr(action, "node", ROOT_ID)
    return action if _can_work(tree, node) else None
