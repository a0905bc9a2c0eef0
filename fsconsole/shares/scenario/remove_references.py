"""Removal of references in a scenario to nodes that an edit has removed from its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import CURRENT_ACCOUNT, Action, ChangeTree, SetSetting, SubmitJob
from fsconsole.shares.scenario.event_kinds import EVENTS, Refers, references
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec
from fsconsole.shares.scenario.names import DEFER_TO, Names, Person, account_in_use
from fsconsole.shares.scenario.spec import DemandReport, Event, Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree


def pruned(scenario: Scenario) -> Scenario:
    """Return the scenario without references to nodes that are not in its tree.

    A group has no work and is nobody's account: what stood for a user that became one goes too. So does
    a person without accounts, with that person's work, and a queue without its node, with its jobs. Requests
    that events name keep their jobs, not their numbers.
    """
    tree = scenario.tree
    people = tuple(_people(tree, scenario.people))
    names = Names(tree, people)
    reference = scenario.machine.defer_interactive_to
    is_deferred = not reference or _is_known(names.find_leaf, reference)
    queues = tuple(queue for queue in scenario.queues if queue.node is None or _can_work(tree, queue.node))
    left = _Left(scenario, names, {queue.name for queue in queues})
    return replace(
        scenario,
        machine=scenario.machine if is_deferred else replace(scenario.machine, defer_interactive_to=""),
        people=people,
        queues=queues,
        near_dedicated=scenario.near_dedicated if left.has_windows else None,
        jobs=tuple(filter(left.has_all_of, scenario.jobs)),
        events=tuple(left.events(scenario.events)),
        logins=tuple(node for node in scenario.logins if _can_work(tree, node)),
        workloads=tuple(filter(left.has_all_of, scenario.workloads)),
        reports=tuple(_reports(tree, scenario.reports)),
        plot=replace(scenario.plot, nodes=tuple(node for node in scenario.plot.nodes if node in tree)),
    )


class _Left:
    """Objects that remain for actions to refer to."""

    def __init__(self, scenario: Scenario, names: Names, queues: set[str]) -> None:
        self._names = names
        self._tree = scenario.tree
        self._is_there: dict[Refers, Callable[[Any], bool]] = {
            Refers.WORKER: partial(_can_work, scenario.tree),
            Refers.WORKER_OR_ROOT: partial(_can_work, scenario.tree),
            Refers.USER: partial(_is_known, names.find_user_name),
            Refers.QUEUE: queues.__contains__,
            Refers.JOB: self.has_all_of,
            Refers.REQUEST: lambda request: self._numbers.get(request) != 0,
        }
        near = scenario.near_dedicated
        self.has_windows = near is not None and near.queue in queues
        self._numbers = self._new_numbers(scenario)

    def has_all_of(self, action: Any) -> bool:
        """Return True if everything exists that an action or a job refers to."""
        return all(
            self._has_account(action) if to is Refers.ACCOUNT else self._is_there[to](value)
            for _, to, value in references(action)
        )

    def events(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events of the timeline that are left."""
        for event in events:
            action = self._action(event.action)
            if action is not None:
                yield Event(event.at_s, action)

    def _action(self, action: Action) -> Action | None:
        """Return the action without references to missing objects; None if nothing is left of it."""
        if EVENTS[type(action)].needs_windows and not self.has_windows:
            return None
        match action:
            case ChangeTree():
                return _change(self._tree, action)
            case SetSetting(key, value) if key == DEFER_TO and value:
                return action if _is_known(self._names.find_leaf, value) else None
        return self._with_present(action) if self.has_all_of(action) else None

    def _with_present(self, action: Any) -> Action:
        """Use the numbers that requests have now, and a person's last account for the current one."""
        present: dict[str, Any] = {}
        for name, to, value in references(action):
            if to is Refers.REQUEST:
                present[name] = self._numbers.get(value, value)
            elif to is Refers.ACCOUNT and value == CURRENT_ACCOUNT:
                present[name] = account_in_use(self._names.people[action.person])
        found: Action = replace(action, **present) if present else action
        return found

    def _has_account(self, action: Any) -> bool:
        """Return True if the leaf exists, and the person has this account."""
        if not action.person:
            return _can_work(self._tree, action.node)
        person = self._names.people.get(action.person)
        return person is not None and action.node in (CURRENT_ACCOUNT, *person.accounts)

    def _new_numbers(self, scenario: Scenario) -> dict[int, int]:
        """Return new request numbers by old ones; 0 where the job has gone."""
        new = count(FIRST_REQUEST)
        jobs = enumerate(_submitted(scenario), FIRST_REQUEST)
        return {old: next(new) if self.has_all_of(job) else 0 for old, job in jobs}


def _submitted(scenario: Scenario) -> Iterator[JobSpec]:
    """Yield all jobs in the order in which they get their numbers."""
    yield from scenario.jobs
    for event in sorted(scenario.events, key=lambda event: event.at_s):
        if isinstance(event.action, SubmitJob):
            yield event.action.job


def _people(tree: ShareTree, people: Iterable[Person]) -> Iterator[Person]:
    for person in people:
        accounts = tuple(node for node in person.accounts if node != ROOT_ID and _can_work(tree, node))
        if accounts:
            yield replace(person, accounts=accounts)


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


def _change(tree: ShareTree, action: ChangeTree) -> ChangeTree | None:
    edits = tuple(
        SetShares(tuple(pair for pair in edit.shares if pair[0] in tree))
        if isinstance(edit, SetShares)
        else edit
        for edit in action.edits
    )
    edits = tuple(edit for edit in edits if not isinstance(edit, SetShares) or edit.shares)
    return replace(action, edits=edits) if edits else None
