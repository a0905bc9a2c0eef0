"""What settings, people and events call by a name stays the same leaf when that is renamed or moved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetShares
from fsconsole.shares.scenario.actions import ReniceUser, SetSetting
from fsconsole.shares.scenario.names import DEFER_TO
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.rename_references import can_rename, following, held_names
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind, Node

TEXT = """\
version: 1
tree:
  name: root
  children:
    - {name: g, children: [{name: p1}, {name: p2, kind: account}]}
    - {name: h, children: [{name: u}]}
people: [{name: hale, accounts: [p1, p2]}, {name: u, nice: 25}]
events:
  - {at: 5, renice: {user: u, nice: 22}}
  - {at: 6, renice: {user: p1, nice: 23}}
  - {at: 7, renice: {user: hale, nice: 24}}
  - {at: 8, set: {machine.defer_interactive_to: p1}}
machine: {defer_interactive_to: g/p1}
"""
G, P1, P2, H, U = 1, 2, 3, 4, 5


def edited(scenario: Scenario, *edits: Edit) -> Scenario:
    """The scenario after edits, with what follows them; what is written and read is the same again."""
    held = held_names(scenario)
    for edit in edits:
        edit.apply(scenario.tree)
    found = replace(scenario, **following(scenario, held))
    kept = parse_scenario(write_text(pruned(found)))
    assert names_in(kept) == names_in(pruned(found))
    return found


def names_in(scenario: Scenario) -> dict[str, Any]:
    """Return the names by which a scenario calls users."""
    return {
        "machine": scenario.machine.defer_interactive_to,
        "people": [person.name for person in scenario.people],
        "reniced": [e.action.person for e in scenario.events if isinstance(e.action, ReniceUser)],
        "set": [
            e.action.value
            for e in scenario.events
            if isinstance(e.action, SetSetting) and e.action.key == DEFER_TO
        ],
    }


@pytest.fixture
def scenario() -> Scenario:
    return parse_scenario(TEXT)


def test_a_renamed_leaf_takes_settings_and_events_along(scenario: Scenario) -> None:
    assert names_in(edited(scenario, Rename(P1, "q1"))) == {
        "machine": "q1",
        "people": ["hale", "u"],
        "reniced": ["u", "q1", "hale"],
        "set": ["q1"],
    }


def test_a_renamed_user_stays_who_he_is_in_people(scenario: Scenario) -> None:
    found = names_in(edited(scenario, Rename(U, "v")))
    assert found["people"] == ["hale", "v"]
    assert found["reniced"] == ["v", "p1", "hale"]


def test_a_moved_leaf_is_called_by_its_name_and_a_twin_by_its_path(scenario: Scenario) -> None:
    moved = edited(scenario, Move(P1, H, 0))
    assert (names_in(moved)["machine"], names_in(moved)["set"]) == ("p1", ["p1"])
    twin = Node(9, "p1", 1, Kind.USER, parent=G)
    found = names_in(edited(moved, Insert(G, 0, (twin,))))
    assert (found["machine"], found["set"]) == ("root/h/p1", ["root/h/p1"])


def test_nothing_is_touched_that_keeps_its_name(scenario: Scenario) -> None:
    held = held_names(scenario)
    Rename(P2, "p3").apply(scenario.tree)
    assert following(scenario, held) == {}
    Remove(P1).apply(scenario.tree)
    assert following(scenario, held) == {}
    assert not can_rename([SetShares.of(U, 3)])
    assert can_rename([SetShares.of(U, 3), Rename(U, "v")])
