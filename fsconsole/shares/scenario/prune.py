"""What a scenario says about nodes that an edit has taken out of its tree is left out again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    Action,
    ChangeTree,
    EndProcesses,
    Login,
    Logout,
    NewAccount,
    ReniceUser,
    SetBooks,
    SetSetting,
    StartProcess,
)
from fsconsole.shares.scenario.names import DEFER_TO, Names, account_in_use
from fsconsole.shares.scenario.prune_batch import pruned_batch
from fsconsole.shares.scenario.spec import DemandReport, Event, Person, Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree


def pruned(scenario: Scenario) -> Scenario:
    """The scenario without what it says of nodes that are not in its tree (any more).

    A group has no work and is nobody's account: what stood for a user that became one goes too. So does
    a person without accounts, with his work.
    """
    tree = scenario.tree
    people = tuple(_people(tree, scenario.people))
    names = Names(tree, people)
    reference = scenario.machine.defer_interactive_to
    is_deferred = not reference or _is_known(names.find_leaf, reference)
    batch = pruned_batch(
        scenario, lambda node: _can_work(tree, node), lambda name: _is_known(names.find_user_name, name)
    )
    return replace(
        scenario,
        **batch | {"events": tuple(_events(tree, names, batch["events"]))},
        machine=scenario.machine if is_deferred else replace(scenario.machine, defer_interactive_to=""),
        people=people,
        logins=tuple(node for node in scenario.logins if _can_work(tree, node)),
        workloads=tuple(load for load in scenario.workloads if _has_worker(tree, names, load)),
        reports=tuple(_reports(tree, scenario.reports)),
        plot=replace(scenario.plot, nodes=tuple(node for node in scenario.plot.nodes if node in tree)),
    )


def _people(tree: ShareTree, people: Iterable[Person]) -> Iterator[Person]:
    for person in people:
        accounts = tuple(node for node in person.accounts if node != ROOT_ID and _can_work(tree, node))
        if accounts:
            yield replace(person, accounts=accounts)


def _events(tree: ShareTree, names: Names, events: Iterable[Event]) -> Iterator[Event]:
    for event in events:
        action = _action(tree, names, event.action)
        if action is not None:
            yield Event(event.at_s, action)


def _reports(tree: ShareTree, reports: Iterable[DemandReport]) -> Iterator[DemandReport]:
    for report in reports:
        demands = tuple(demand for demand in report.demands if demand.node in tree)
        if demands:
            yield replace(report, demands=demands)


def _can_work(tree: ShareTree, node: int) -> bool:
    return node == ROOT_ID or (node in tree and not tree.node(node).is_group)


def _is_known(find: Callable[[str], object], reference: str) -> bool:
    try:
        find(reference)
    except LookupError:
        return False
    return True


def _has_worker(tree: ShareTree, names: Names, action: Login | Logout | StartProcess | NewAccount) -> bool:
    """Whether the leaf is there, and the person with this account."""
    if not action.person:
        return _can_work(tree, action.node)
    person = names.people.get(action.person)
    return person is not None and action.node in (CURRENT_ACCOUNT, *person.accounts)


def _action(tree: ShareTree, names: Names, action: Action) -> Action | None:
    """The action as far as its nodes are there; None where nothing is left of it."""
    match action:
        case ChangeTree():
            return _change(tree, action)
        case Login() | Logout() | StartProcess() | NewAccount():
            return _in_use(names, action) if _has_worker(tree, names, action) else None
        case EndProcesses(node) | SetBooks(node):
            return action if _can_work(tree, node) else None
        case ReniceUser(person):
            return action if _is_known(names.find_user_name, person) else None
        case SetSetting(key, value) if key == DEFER_TO and value:
            return action if _is_known(names.find_leaf, value) else None
    return action


def _change(tree: ShareTree, action: ChangeTree) -> ChangeTree | None:
    edits = tuple(
        SetShares(tuple(pair for pair in edit.shares if pair[0] in tree))
        if isinstance(edit, SetShares)
        else edit
        for edit in action.edits
    )
    edits = tuple(edit for edit in edits if not isinstance(edit, SetShares) or edit.shares)
    return replace(action, edits=edits) if edits else None


def _in_use(names: Names, action: Action) -> Action:
    """The action with a person's last account in place of the current one."""
    if isinstance(action, Login | Logout | StartProcess) and action.node == CURRENT_ACCOUNT:
        return replace(action, node=account_in_use(names.people[action.person]))
    return action
