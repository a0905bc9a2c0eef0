"""Shells on small machines for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import Shell
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.spec import Device, Scenario
from fsconsole.shares.tree import ShareTree
from tests.machine.worlds import Nested, example, scenario_of

TREE: Nested = {"A": (2, {"a1": 3, "a2": 1}), "B": (1, {"b1": 1})}


def shell_on(*loops: object, people: Mapping[str, tuple[str, ...]] | None = None, at_s: float = 0) -> Shell:
    """A shell on a machine of two groups; people by name with their accounts."""
    scenario = scenario_of(TREE, loops=loops or ("a1", "b1"))
    persons = [
        Person(name, tuple(scenario.tree.find(account).id for account in accounts))
        for name, accounts in (people or {}).items()
    ]
    machine = Machine(replace(scenario, people=tuple(persons), devices=(Device("disk"),)))
    machine.advance_to(at_s)
    return Shell(machine)


def series(number: int, at_s: float, settings: Mapping[str, Any] | None = None) -> Shell:
    """A shell on the machine of one of Junglas' series at a time."""
    machine = example(f"convex-series-{number}", settings)
    machine.advance_to(at_s)
    return Shell(machine)


def empty() -> Shell:
    """A shell on a machine whose tree is a root alone."""
    return Shell(Machine(Scenario(ShareTree())))


def done(shell: Shell, line: str) -> str:
    """The answer to a line that must be carried out."""
    reply = shell.run(line)
    assert reply.status == 0, reply.text
    return reply.text


def refused(shell: Shell, line: str, status: int = 1) -> str:
    """The answer to a line that must not be."""
    before = len(shell.session.machine.journal)
    reply = shell.run(line)
    assert reply.status == status, reply.text
    assert len(shell.session.machine.journal) == before
    return reply.text


def next_delta(shell: Shell) -> None:
    """Run up to and over the next delta."""
    machine = shell.session.machine
    machine.advance(machine.tick + machine.spec.ticks(machine.policy_spec.delta_s))


def raw(shell: Shell, line: str) -> dict[str, dict[str, float]]:
    """The values that a command prints with --raw, by the last part of the path."""
    header, *rows = (row.split("\t") for row in done(shell, f"{line} --raw").split("\n"))
    return {
        row[0].rpartition("/")[2]: dict(zip(header[1:], map(float, row[1:]), strict=True)) for row in rows
    }
