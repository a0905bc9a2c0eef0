"""Renaming of references to a leaf in settings, people and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename
from fsconsole.shares.scenario.actions import SetSetting
from fsconsole.shares.scenario.event_kinds import Refers, references
from fsconsole.shares.scenario.names import DEFER_TO, Names
from fsconsole.shares.scenario.spec import Event, Scenario
from fsconsole.shares.tree import Node


@dataclass(frozen=True, slots=True)
class Held:
    """Ids of leaves by their names in a scenario.

    `leaves` are called as settings do, by name or path; `users` as people are, by the leaf's own name.
    """

    leaves: dict[str, int]
    users: dict[str, int]


def can_rename(edits: Iterable[Edit]) -> bool:
    """Return True if leaves may have to be called otherwise after these edits."""
    return any(isinstance(edit, Rename | Move | Insert | Remove) for edit in edits)


def held_names(scenario: Scenario) -> Held:
    """Return the nodes that settings, people and events call by name, as they are before an edit."""
    leaves, users = set(_leaves(scenario)), set(_users(scenario)) - {""}
    if not leaves and not users:
        return Held({}, {})
    names = Names(scenario.tree, scenario.people)
    own = {name for name in users if not names.is_person(name)}
    return Held(_found(names.find_leaf, leaves), _found(names.find_leaf, own))


def following(scenario: Scenario, held: Held) -> dict[str, Any]:
    """Return fields of the scenario with the present names of what was `held`; empty where all keep their
    names.

    Who was removed is called as before, and so is a user whose new name others have too.
    """
    if not held.leaves and not held.users:
        return {}
    tree, names = scenario.tree, Names(scenario.tree)
    leaves = {
        name: names.shortest(node)
        for name, node in held.leaves.items()
        if node in tree and _found(names.find_leaf, [name]) != {name: node}
    }
    users = {
        name: new
        for name, node in held.users.items()
        if node in tree and (new := tree.node(node).name) != name and len(names.nodes_named(new)) == 1
    }
    return _renamed(scenario, leaves, users) if leaves or users else {}


def _leaves(scenario: Scenario) -> Iterator[str]:
    if scenario.machine.defer_interactive_to:
        yield scenario.machine.defer_interactive_to
    for event in scenario.events:
        match event.action:
            case SetSetting(key, value) if key == DEFER_TO and value:
                yield value


def _users(scenario: Scenario) -> Iterator[str]:
    for person in scenario.people:
        yield person.name
    for job in scenario.jobs:
        yield from _users_of(job)
    for event in scenario.events:
        yield from _users_of(event.action)


def _users_of(action: Any) -> Iterator[str]:
    """Yield the users that an action or a job names."""
    for _, to, value in references(action):
        if to is Refers.USER:
            yield value
        elif to is Refers.JOB:
            yield from _users_of(value)


def _found(find: Callable[[str], Node], references: Iterable[str]) -> dict[str, int]:
    found = {}
    for reference in references:
        try:
            found[reference] = find(reference).id
        except LookupError:
            continue
    return found


def _renamed(scenario: Scenario, leaves: dict[str, str], users: dict[str, str]) -> dict[str, Any]:
    deferred, people = scenario.machine.defer_interactive_to, scenario.people
    return {
        "machine": replace(scenario.machine, defer_interactive_to=leaves.get(deferred, deferred)),
        "people": tuple(replace(person, name=users.get(person.name, person.name)) for person in people),
        "jobs": tuple(_renamed_item(job, leaves, users) for job in scenario.jobs),
        "events": tuple(Event(one.at_s, _renamed_item(one.action, leaves, users)) for one in scenario.events),
    }


def _renamed_item(action: Any, leaves: dict[str, str], users: dict[str, str]) -> Any:
    """Return an action or a job with the new names."""
    if isinstance(action, SetSetting) and action.key == DEFER_TO:
        return replace(action, value=leaves.get(action.value, action.value))
    new: dict[str, Any] = {}
    for name, to, value in references(action):
        if to is Refers.USER:
            new[name] = users.get(value, value)
        elif to is Refers.JOB:
            new[name] = _renamed_item(value, leaves, users)
    return replace(action, **new) if new else action
