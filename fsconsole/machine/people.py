"""The users of the machine: accounts, base nice values and sessions (Share by Account, UNICOS 1.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fsconsole.shares.scenario.actions import NORMAL_NICE
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.tree import ShareTree


@dataclass
class Worker:
    """A person: the accounts that may be charged, the one in use, and the base nice value."""

    accounts: list[int]
    current: int
    nice: int = NORMAL_NICE


class People:
    """Persons by name, and all sessions.

    Attributes:
        workers: persons with data beyond a leaf of their name.
        sessions: (person, leaf); the person is empty for the leaf's own user.
    """

    def __init__(self, people: Iterable[Person] = ()) -> None:
        """Start without sessions; all persons use their default account."""
        self.workers = {
            person.name: Worker(list(person.accounts), person.accounts[0], person.nice) for person in people
        }
        self.sessions: list[tuple[str, int]] = []

    def account_of(self, name: str) -> int:
        """Return the account in use of a person.

        Raises:
            LookupError: the person is unknown.
        """
        if name not in self.workers:
            msg = f"unknown person {name!r}"
            raise LookupError(msg)
        return self.workers[name].current

    def nice_of(self, name: str) -> int:
        """Return the base nice value of a person, or of a leaf's own user by the leaf's name."""
        worker = self.workers.get(name)
        return NORMAL_NICE if worker is None else worker.nice

    def set_nice(self, name: str, nice: int, leaf: int | None) -> None:
        """Set the base nice value of a person; `leaf` is the account of an unlisted one.

        Raises:
            LookupError: the person is not listed and there is no `leaf`.
        """
        if name in self.workers:
            self.workers[name].nice = nice
        elif leaf is not None:
            self.workers[name] = Worker([leaf], leaf, nice)
        else:
            msg = f"unknown person {name!r}"
            raise LookupError(msg)

    def switch(self, name: str, account: int) -> None:
        """Switch a person to another account; a session on the old one moves along."""
        worker = self.workers[name]
        if (name, worker.current) in self.sessions:
            self.sessions[self.sessions.index((name, worker.current))] = (name, account)
        worker.current = account

    def logged_in(self) -> set[int]:
        """Return the leaves with a session."""
        return {leaf for _, leaf in self.sessions}

    def forget(self, tree: ShareTree) -> None:
        """Remove accounts that are no longer in the tree, and persons without any."""
        there = {node.id for node in tree.walk() if not node.is_group}
        self.sessions = [(name, leaf) for name, leaf in self.sessions if leaf in there]
        for name, worker in list(self.workers.items()):
            worker.accounts = [leaf for leaf in worker.accounts if leaf in there]
            if not worker.accounts:
                del self.workers[name]
            elif worker.current not in worker.accounts:
                worker.current = worker.accounts[0]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for checkpoints."""
        return {
            "sessions": self.sessions,
            "workers": {name: [w.accounts, w.current, w.nice] for name, w in self.workers.items()},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> People:
        """Return the object that `to_json` wrote."""
        people = cls()
        people.sessions = [(str(name), int(leaf)) for name, leaf in data["sessions"]]
        people.workers = {name: Worker(*values) for name, values in data["workers"].items()}
        return people
