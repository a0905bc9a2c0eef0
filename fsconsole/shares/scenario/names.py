"""Nodes and people by their names in files: a path, a name that occurs once, or a person's name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from fsconsole.shares.scenario.actions import CURRENT_ACCOUNT, NORMAL_NICE
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree
from fsconsole.text.nearest import did_you_mean

_HINTS = 100  # The first of many unknown names are enough to report.

DEFER_TO = "machine.defer_interactive_to"  # This setting names a leaf.


@dataclass(frozen=True, slots=True)
class Person:
    """User of the machine, on one account at a time (Share by Account, UNICOS 1.3).

    Attributes:
        name: login name.
        accounts: ids of the leaves that may be charged for the person's work, the default one first.
        nice: base nice value of the person's processes.
    """

    name: str
    accounts: tuple[int, ...]
    nice: int = NORMAL_NICE


def account_in_use(person: Person) -> int:
    """Return the account that a person's work is charged to: the only one, or the one that is current
    then.
    """
    return person.accounts[0] if len(person.accounts) == 1 else CURRENT_ACCOUNT


class Names:
    """An index of a tree's names and of people, so that many references are resolved quickly.

    A leaf's own user, who has that leaf as the only account, is called by the leaf; other people have
    names of their own, which come before those of leaves. Accounts that an edit has removed from the tree
    count as not there.
    """

    def __init__(self, tree: ShareTree, people: Iterable[Person] = ()) -> None:
        self._tree = tree
        self._unknown = 0
        self.people = {person.name: person for person in people}
        self._persons = {name for name, person in self.people.items() if not self._is_own_user(person)}

    def _is_own_user(self, person: Person) -> bool:
        return (
            len(person.accounts) == 1
            and person.accounts[0] in self._tree
            and self._tree.node(person.accounts[0]).name == person.name
        )

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for node in self._tree.walk():
            found.setdefault(node.name, []).append(node.id)
        return found

    @cached_property
    def _by_path(self) -> dict[str, int]:
        """Ids by path below the root."""
        above = len(self._tree.root.name) + 1
        return {path[above:]: node_id for node_id, path in self._tree.paths().items()}

    def find(self, reference: str) -> Node:
        """Return the node; LookupError, whose text says what would be right, where there is none or
        several.
        """
        if not reference.strip():
            raise LookupError("a name is empty")
        first, _, rest = reference.strip("/").partition("/")
        below_root = reference.strip("/")
        node_id = self._by_path.get(rest) if first == self._tree.root.name else None
        node_id = self._by_path.get(below_root) if node_id is None else node_id
        if node_id is not None:
            return self._tree.node(node_id)
        named = self._by_name.get(reference, [])
        if len(named) == 1:
            return self._tree.node(named[0])
        if named:
            places = ", ".join(self.shortest(node_id) for node_id in named[:4])
            msg = f"{reference} is the name of {len(named)} nodes. Write one of {places}"
        else:
            msg = f"node {reference} not found in the tree{self._hint(reference)}"
        raise LookupError(msg)

    def _hint(self, reference: str) -> str:
        self._unknown += 1
        if self._unknown > _HINTS:
            return ""
        return did_you_mean(
            reference, self._by_path if "/" in reference else [*self._by_name, *self._persons]
        )

    def find_worker(self, reference: str, *, or_root: bool) -> Node:
        """Return the user or account (or the exempt root) that can have work; LookupError otherwise."""
        if reference in self._persons:
            msg = (
                f"{reference} is a person. Write one of the accounts, "
                f"{self._accounts_of(self.people[reference])}"
            )
            raise LookupError(msg)
        return self.find_leaf(reference, or_root=or_root)

    def find_leaf(self, reference: str, *, or_root: bool = False) -> Node:
        """Return a leaf, whatever persons are called, as settings name it; with `or_root` also the root.

        Raises:
            LookupError: there is no such node, several, or it is a group.
        """
        node = self.find(reference)
        if not node.is_group or (or_root and node.id == ROOT_ID):
            return node
        worker = next((below for below in self._tree.walk(node.id) if not below.is_group), None)
        if worker is None:
            msg = f"{reference} is a group without users. Add a user below it"
        else:
            msg = f"{reference} is a group. Write a user below it. Example: {self.shortest(worker.id)}"
        raise LookupError(msg)

    def find_who(self, reference: str, *, or_root: bool = False) -> tuple[int, str]:
        """Find (node, empty) of a leaf's own user, or (account in use, name) of a person.

        Raises LookupError where there is neither.
        """
        if reference in self._persons:
            return account_in_use(self.people[reference]), reference
        return self.find_worker(reference, or_root=or_root).id, ""

    def find_user_name(self, reference: str) -> str:
        """Return the name of a person or of a leaf's own user.

        Raises:
            LookupError: it could be several.
        """
        if reference in self._persons:
            return reference
        node = self.find_worker(reference, or_root=False)
        if node.name not in self.people and self._by_name[node.name] != [node.id]:
            msg = (
                f"{node.name} is the name of several nodes. List the user of this one in people under "
                "another name"
            )
            raise LookupError(msg)
        return node.name

    def find_account(self, name: str, reference: str) -> int:
        """Return the account of a person.

        Raises:
            LookupError: the person has no such account.
        """
        person = self.people.get(name)
        if person is None:
            hint = did_you_mean(name, self.people) if self.people else ". The list people is empty"
            msg = f"person {name} not found in people{hint}"
            raise LookupError(msg)
        node = self.find_worker(reference, or_root=False)
        if node.id not in person.accounts:
            msg = f"{reference} is not an account of {name}. Choose from {self._accounts_of(person)}"
            raise LookupError(msg)
        return node.id

    def _accounts_of(self, person: Person) -> str:
        there = [self.shortest(node_id) for node_id in person.accounts if node_id in self._tree]
        return ", ".join(there) or "none of which is in the tree"

    def is_person(self, name: str) -> bool:
        """Return True if a person has a name of their own, not only that of their leaf."""
        return name in self._persons

    def nodes_named(self, name: str) -> list[Node]:
        """Return all nodes of a name."""
        return [self._tree.node(node_id) for node_id in self._by_name.get(name, ())]

    def shortest(self, node_id: int) -> str:
        """Return the name where it occurs once and means nothing else, else the path from the root."""
        node = self._tree.node(node_id)
        taken = self._by_path.get(node.name, node_id)
        if node_id == ROOT_ID:
            return node.name
        if len(self._by_name[node.name]) == 1 and taken == node_id and node.name not in self._persons:
            return node.name
        return self._tree.path(node_id)


def name_clash(name: str, accounts: tuple[int, ...], named: list[Node]) -> str:
    """Return the reason why a person cannot have a name that nodes have; empty where they can."""
    if any(node.is_group for node in named):
        return f"{name} is the name of a group too. Choose another name for the person"
    if any(node.id not in accounts for node in named):
        return f"{name} is a user or account that is not among the person's. List it, or choose another name"
    return ""
