"""The session of a shell, through which commands look names up and act on the machine."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from fsconsole.machine.machine import Machine
from fsconsole.machine.people import Worker
from fsconsole.machine.shell.reply import Refused
from fsconsole.machine.shell.text import seconds
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.tree import ROOT_ID, Node
from fsconsole.text.nearest import did_you_mean


@dataclass(frozen=True, slots=True)
class User:
    """A user: the leaf that is charged, and the person's name if it differs from the leaf's."""

    node: int
    person: str = ""


class Session:
    """A session of a shell on a machine.

    Attributes:
        machine: the machine of the commands.
        who: name of the operator.
        signs: name of the operator in journal and audit log.
        read_file: returns the text of a file by name; None if the shell must not read files.
        user: user chosen by `sl`; None for the operator.
        given: the lines below the command's own.
        why: the reason given with the command, for journal and audit log.
    """

    def __init__(
        self, machine: Machine, who: str = "operator", read_file: Callable[[str], str] | None = None
    ) -> None:
        """Start a session; an operator with a name in the machine's share tree is that user."""
        self.machine = machine
        self.who = self.signs = who
        self.read_file = read_file
        self.given: str | None = None
        self.why = ""
        self.user = self.own_user()

    def own_user(self) -> User | None:
        """Return the user with the operator's name; None without one."""
        try:
            return self.find_user(self.who)
        except (LookupError, Refused):
            return None

    def find(self, reference: str) -> Node:
        """Return a node by `/path` from below the root, a path with the root, or a name that occurs once.

        Raises:
            LookupError: there is no such node, or several.
        """
        tree = self.machine.tree
        if not reference.startswith("/"):
            return Names(tree).find(reference)
        node: Node | None = tree.root
        for name in reference[1:].split("/") if reference != "/" else ():
            node = None if node is None or not node.is_group else tree.child_named(node.id, name)
        if node is None:
            msg = f"no node {reference} in the tree"
            raise LookupError(msg)
        return node

    def find_leaf(self, reference: str) -> Node:
        """Return a user or account.

        Raises:
            LookupError: there is no such node, or several.
            Refused: the node is a group.
        """
        node = self.find(reference)
        if node.is_group:
            msg = f"{self.name(node.id)} is a group. Name a user below it"
            raise Refused(msg)
        return node

    def find_user(self, reference: str) -> User:
        """Return a person with the account in use, or a leaf's own user.

        Raises:
            LookupError: there is no such user, or the account is removed.
            Refused: the name is a group's.
        """
        people = self.persons()
        if reference in people:
            current = people[reference].current
            if current not in self.machine.tree:
                msg = f"the account on which {reference} works was removed"
                raise LookupError(msg)
            return User(current, reference)
        try:
            return User(self.find_leaf(reference).id)
        except LookupError as error:
            near = did_you_mean(reference, people)
            if near and "Did you mean" not in str(error):
                msg = f"{error.args[0]}{near}"
                raise LookupError(msg) from None
            raise

    def self_user(self) -> User:
        """Return the shell's own user.

        Raises:
            Refused: it has none, or its user is removed.
        """
        if self.user is None:
            msg = (
                f"this shell belongs to {self.who}, who has no l-node. Name a user, or become one "
                "with sl USER"
            )
            raise Refused(msg)
        if self.user.person:
            return User(self.machine.people.account_of(self.user.person), self.user.person)
        if self.user.node not in self.machine.tree:
            msg = "the shell's user was removed from the share tree. Choose another with sl USER"
            raise Refused(msg)
        return self.user

    def persons(self) -> dict[str, Worker]:
        """Return people with a name of their own, besides that of their leaf."""
        machine = self.machine
        return {
            name: worker
            for name, worker in machine.people.workers.items()
            if [self.name(leaf) for leaf in worker.accounts] != [name]
        }

    def name(self, node_id: int) -> str:
        """Return the name of a node; the root is marked as exempt."""
        if node_id == ROOT_ID:
            return f"{self.machine.tree.root.name}, exempt"
        return self.machine.tree.node(node_id).name if node_id in self.machine.tree else "(removed)"

    def user_name(self, user: User) -> str:
        """Return the name of a user."""
        return user.person or self.name(user.node)

    def other_user(self) -> str:
        """Return the name of the user chosen by `sl`; empty for the shell's first user."""
        user = self.user
        return "" if user is None or user == self.own_user() else self.user_name(user)

    def on(self, machine: Machine) -> Session:
        """Return the session on another machine, such as a copy for a trial."""
        other = copy(self)
        other.machine = machine
        return other

    def act(self, action: Action) -> Outcome:
        """Do an action, journalled with operator and reason.

        Raises:
            Refused: the machine refuses the action.
        """
        outcome = self.machine.act(action, self.signs, self.why)
        if not outcome.done:
            raise Refused(outcome.text)
        return outcome

    def until_delta_s(self) -> float:
        """Return the simulated seconds to the next delta."""
        machine = self.machine
        period = machine.spec.period_ticks(machine.policy_spec.delta_s)
        return (period - machine.tick % period) / machine.spec.hz

    def until_delta(self) -> str:
        """Return the time to the next delta in words, to a tenth of a second."""
        return seconds(max(0.1, round(self.until_delta_s(), 1)))

    def in_force(self) -> str:
        """Return a phrase on when a change takes effect."""
        if self.machine.tick == 0:
            return "in force now"
        return f"in force at the next delta, in {self.until_delta()}"
