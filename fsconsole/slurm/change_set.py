"""Changes that give a cluster's associations the edited tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree
from fsconsole.slurm import limits, sacctmgr
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import Wanted, account_above, shares_of, wanted_of
from fsconsole.slurm.names import ROOT, in_words
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.relative_qos import limit_words
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

_WITHOUT_NOTE = ("fairshare", "shares", "partition", "defaultaccount", "description", "organization")


class Verb(StrEnum):
    """Kinds of changes to an association."""

    SET = "Set shares"
    ADD = "Add"
    MOVE = "Move"
    REMOVE = "Remove"
    DEFAULT = "Set default account"
    LIMIT = "Set limit"
    COORDINATE = "Add coordinator"


OF_USERS = (Verb.DEFAULT, Verb.COORDINATE)
"""Changes of a user rather than of an association: trees do not show them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Association in the database: the account above it, and its raw shares (or PARENT_SHARES).

    For a user's default account, `parent` is that account, empty for none, with 0 shares. `limits` are the
    association's own limits by name, see the module of that name, and `qos` and `defaultqos` where they were
    read. An entry of a QOS has limits alone. That of a coordinator has the account.
    """

    parent: str
    shares: int
    limits: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Change:
    """One command of sacctmgr.

    Attributes:
        verb: kind of the change.
        node: node of the share tree.
        on: association in words, such as `hep` or `fs_anna in hep`.
        before, after: value before and after in words; empty if the association does not exist.
        command: command as an argument list, without the prefix that reaches the cluster. It has `-i`, and
            names the cluster and the account of a user.
        notes: facts to know before the change, such as that usage does not move with a user.
        key: key of the association; ("", user, "") for the default account of a user.
        was, will: stored entry before and after; None if it does not exist.
        limit: name of a changed limit.
        obstacle: sentences on why Slurm is expected to refuse the change, or why it would do harm, with what
            to do. Such a change is not sent. Empty if no obstacle is foreseen.
        causes: identities of what makes the obstacle, such as `job 26`.
        insisted: causes that the operator insists on: the change is sent despite these, not despite others.
        held: what the association has besides, see the module of that name; empty where it is not known.
    """

    verb: str
    node: int
    on: str
    before: str
    after: str
    command: tuple[str, ...]
    notes: tuple[str, ...] = ()
    key: Key = ("", "", "")
    was: Entry | None = None
    will: Entry | None = None
    obstacle: str = ""
    limit: str = ""
    causes: frozenset[str] = frozenset()
    insisted: frozenset[str] = frozenset()
    held: str = field(default="", compare=False)

    @property
    def query(self) -> tuple[str, ...]:
        """Command that shows the stored value, for a person to check it."""
        words = (word.partition("=") for word in self.command)
        cluster = next((value for name, _, value in words if name == "cluster"), "")
        limit = limits.limit_or_fault(self.limit, of_qos=not any(self.key[:2])) if self.limit else None
        column = limit.column if limit is not None else ""
        if self.verb == Verb.COORDINATE:
            return sacctmgr.show_coordinator(self.key[1])
        return sacctmgr.show_entry(cluster, self.key, column, is_default=self.verb == Verb.DEFAULT)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edit of the tree that Slurm cannot represent: the node, the reason, and a valid alternative."""

    node: int
    on: str
    why: str


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Staged changes in the order in which they are applied."""

    changes: tuple[Change, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def can_be_applied(self) -> bool:
        """True if there are changes and none of them is impossible."""
        return bool(self.changes) and not self.refusals

    @property
    def blocked(self) -> tuple[Change, ...]:
        """Changes with an obstacle."""
        return tuple(one for one in self.changes if one.obstacle)


def change_set(tree: ClusterTree, wanted: ShareTree, tres: Collection[str] = ()) -> ChangeSet:
    """Return the changes from the stored tree of a cluster to an edited copy of it.

    Commands come in an order that works: accounts are added, parents first, then users; accounts are moved,
    those that others move into first; shares and limits are set; users are removed, then accounts, children
    first. The order of siblings, notes and whatever else Slurm does not store is not a change. `wanted` has
    the node ids of `tree.shares`; new nodes are matched by name with accounts and users that are gone, so
    that what was cut and pasted moves. `tres` are the TRES that the cluster counts, as far as they are known.
    """
    if not tree.is_complete:
        why = "slurmdbd does not respond. The stored associations are unknown, so nothing can be changed now"
        return ChangeSet((), (Refusal(ROOT_ID, tree.stored.cluster or ROOT, why),))
    return _Staging(tree, wanted, wanted_of(tree, wanted), tres).result()


def change(
    verb: Verb, node: int, key: Key, command: tuple[str, ...], was: Entry | None, will: Entry | None,
    notes: Iterable[str] = (),
) -> Change:  # fmt: skip
    """Return a change with its words."""
    before, after = (entry_words(verb, entry) for entry in (was, will))
    return Change(verb, node, in_words(key), before, after, command, tuple(notes), key, was, will)


def set_limit(
    cluster: str, node: int, key: Key, limit: limits.Limit, was: Entry, will: Entry, *, has_partitions: bool,
    qos: Qos | None = None,
) -> Change:  # fmt: skip
    """Set another limit on an association or a QOS, which is `qos` where it is known."""
    values = tuple(one.limits.get(limit.name, "") for one in (was, will))
    command = sacctmgr.set_limit(cluster, key, limits.set_word(limit, *values), has_partitions=has_partitions)
    before, after = (limits.words(limit, value) for value in values)
    notes = () if any(key[:2]) else ("a QOS is the same on all clusters of the database",)
    if qos is not None and (amounts := limit_words(qos, limit, values[1])):
        notes = (*notes, f"it is relative: {amounts}")
    return Change(
        Verb.LIMIT, node, in_words(key), before, after, command, notes, key, was, will, limit=limit.name
    )


def matches(change: Change, now: Entry | None, asked: Entry | None) -> bool:
    """Return True if a stored entry is another one, as far as a change sets it."""
    if now is None or asked is None:
        return now is None and asked is None
    if change.verb == Verb.SET:
        return now.shares == asked.shares
    if change.verb == Verb.LIMIT:
        return now.limits.get(change.limit, "") == asked.limits.get(change.limit, "")
    if change.verb == Verb.ADD and any(
        now.limits.get(name, "") != value for name, value in asked.limits.items()
    ):
        return False
    return now.parent == asked.parent if change.verb == Verb.MOVE else now == asked


def shares_words(shares: int) -> str:
    """Return raw shares as a person reads them."""
    if shares == PARENT_SHARES:
        return "parent"
    return count_words(shares, "share")


def entry_words(verb: Verb, entry: Entry | None, limit: limits.Limit | None = None) -> str:
    """Return a stored entry in words, as far as a verb changes it; empty if it does not exist."""
    if entry is None:
        return ""
    if verb in OF_USERS:
        return entry.parent or "none"
    if verb is Verb.LIMIT:
        return limits.words(limit, entry.limits.get(limit.name, "")) if limit is not None else ""
    if verb is Verb.SET:
        return shares_words(entry.shares)
    return f"in {entry.parent}" if verb is Verb.MOVE else f"in {entry.parent}, {shares_words(entry.shares)}"


def entries_of(tree: ClusterTree) -> dict[Key, Entry]:
    """Return the stored values of each association of a cluster."""
    node, keys = tree.shares.node, tree.keys
    found = {
        key: Entry(
            account_above(tree.shares, keys, number),
            shares_of(node(number)),
            limits.of_foreign(node(number).foreign),
        )
        for number, key in keys.items()
    }
    return found | {("", "", one.name): Entry("", 0, limits.of_qos(one)) for one in tree.qos or ()}


class _Staging:
    """Puts the changes together."""

    def __init__(self, tree: ClusterTree, wanted: ShareTree, found: Wanted, tres: Collection[str]) -> None:
        self._tree, self._wanted, self._found, self._tres = tree, wanted, found, tres
        self._cluster = tree.stored.cluster
        self._qos = {one.name: one for one in tree.qos or ()}
        self._refusals = [Refusal(*fault) for fault in found.faults]
        self._new = list(found.new())
        self._gone = list(found.gone())
        who = {key[1] for keys in (self._new, self._gone) for key in keys if key[1]}
        self._accounts_of = (
            Counter(key[1] for key in tree.keys.values() if key[1] in who) if who else Counter()
        )
        self._leaving = {key[1] for key in self._gone if key[1]}
        self._parted = {key[:2] for keys in (tree.keys.values(), self._new) for key in keys if key[2]}

    def result(self) -> ChangeSet:
        moves, sets = self._moved(), list(self._set())
        changes = (*self._added(), *moves, *sets, *self._limits(), *self._removed())
        return ChangeSet(changes, tuple(self._refusals))

    # -- adding ---------------------------------------------------------------------------------------------

    def _added(self) -> Iterator[Change]:
        for key in sorted(self._new, key=lambda key: bool(key[1])):
            node = self._wanted.node(self._found.node_of[key])
            will = Entry(self._above(node), shares_of(node))
            if self._is_number(node, key, will.shares):
                yield self._add(node, key, will)

    def _add(self, node: Node, key: Key, will: Entry) -> Change:
        if not key[1]:
            command = sacctmgr.add_account(self._cluster, key[0], will.parent, will.shares)
            return change(Verb.ADD, node.id, key, command, None, will, _limit_notes(node))
        # A user who leaves the only account has no default account, and jobs without an account fail.
        moves = self._accounts_of[key[1]] == 1 and key[1] in self._leaving
        command = sacctmgr.add_user(self._cluster, key, will.shares, is_default=moves)
        return change(Verb.ADD, node.id, key, command, None, will, self._user_notes(node, key))

    def _user_notes(self, node: Node, key: Key) -> Iterator[str]:
        yield from _limit_notes(node)
        if key[1] in self._leaving:
            yield f"{key[1]} starts here without usage. Past usage stays with the old account"
        elif key[1] not in self._accounts_of:
            yield f"{key[1]} is new. Slurm accepts any name, also one that the system does not have"
        if key[0] == ROOT:
            yield "a user directly in root competes with the top accounts"

    # -- what stays -----------------------------------------------------------------------------------------

    def _moved(self) -> list[Change]:
        """Return accounts with another parent; in the order of the wanted tree none is ever below itself."""
        order = []
        touched = set(self._found.touched)
        for key, node_id in self._found.node_of.items() if touched else ():
            if key in touched and not key[1] and node_id != ROOT_ID:
                was, will = self._was(key), self._will(key)
                if was.parent != will.parent:
                    order.append(self._move(node_id, key, was, Entry(will.parent, was.shares)))
        return order

    def _move(self, node_id: int, key: Key, was: Entry, will: Entry) -> Change:
        command = sacctmgr.move_account(self._cluster, key[0], will.parent)
        note = "everything in it is moved too, with its usage"
        return change(Verb.MOVE, node_id, key, command, was, will, (note,))

    def _set(self) -> Iterator[Change]:
        for key in self._found.touched:
            node = self._wanted.node(self._found.node_of[key])
            was, will = self._was(key), self._will(key)
            if was.shares == will.shares or not self._is_number(node, key, will.shares):
                continue
            if node.id == ROOT_ID:
                self._refuse(node, key, "the root has no siblings, so its shares have no effect. Set 1")
                continue
            several = self._has_partitions(key)
            command = sacctmgr.set_shares(self._cluster, key, will.shares, has_partitions=several)
            yield change(Verb.SET, node.id, key, command, Entry(will.parent, was.shares), will)

    @cached_property
    def _rows(self) -> Mapping[int, int]:
        return {node: row for row, node in enumerate(self._tree.nodes)}

    # -- limits ---------------------------------------------------------------------------------------------

    def _limits(self) -> Iterator[Change]:
        """Yield limits of QOS, then of associations that may differ, then of new ones."""
        root = self._tree.shares.root
        if self._wanted.root is not root:
            yield from self._limits_of_qos(root, self._wanted.root)
        for key in (*self._found.touched, *self._new):
            node = self._wanted.node(self._found.node_of[key])
            will = self._will(key)
            was = self._was(key) if key in self._found.stored_of else Entry(will.parent, will.shares)
            if self._tree.stored.own is not None:
                yield from self._set_limits(node.id, key, limits.ASSOCIATION, was, will)
            elif will.limits and list(self._set_limits(node.id, key, limits.ASSOCIATION, was, will)):
                self._refuse(node, key, "cannot set limits: its own limits were not read")

    def _limits_of_qos(self, root: Node, wanted: Node) -> Iterator[Change]:
        was, will = (limits.qos_of_foreign(node.foreign) for node in (root, wanted))
        for name in dict.fromkeys((*was, *will)):
            key = ("", "", name)
            stored, asked = Entry("", 0, was.get(name, {})), Entry("", 0, will.get(name, {}))
            if stored.limits == asked.limits:
                continue
            known = [one.name for one in self._tree.qos or ()]
            if name not in known:
                why = f"QOS {name} not found{nearest_or_all(name, known) if known else ''}"
                self._refuse(wanted, key, why)
                continue
            yield from self._set_limits(ROOT_ID, key, limits.QOS, stored, asked)

    def _set_limits(
        self, node_id: int, key: Key, known: Sequence[limits.Limit], was: Entry, will: Entry
    ) -> Iterator[Change]:
        kept = dict(will.limits)
        changed = [one for one in known if was.limits.get(one.name, "") != kept.get(one.name, "")]
        for limit in changed:
            try:
                kept[limit.name] = limits.typed(limit, kept.get(limit.name, ""), self._tres)
            except ValueError as error:
                self._refuse(self._wanted.node(node_id), key, f"{limit.label}: {error}")
                return
        asked = replace(will, limits=kept)
        for limit in changed:
            if was.limits.get(limit.name, "") != kept[limit.name]:
                of_qos = None if any(key[:2]) else self._qos.get(key[2])
                yield set_limit(
                    self._cluster, node_id, key, limit, was, asked,
                    has_partitions=self._has_partitions(key), qos=of_qos,
                )  # fmt: skip

    # -- removing -------------------------------------------------------------------------------------------

    def _removed(self) -> Iterator[Change]:
        """Yield users first, then accounts from the leaves up: the reverse of the tree's order."""
        users = [key for key in reversed(self._gone) if key[1]]
        accounts = [key for key in reversed(self._gone) if not key[1]]
        for key in (*users, *accounts):
            node_id = self._found.stored_of[key]
            if not key[1] and self._tree.stored.lost:
                why = (
                    "some associations of this cluster cannot be read, and may be in it, so it is not removed"
                )
                self._refuse(self._tree.shares.node(node_id), key, why)
                continue
            command = sacctmgr.remove(self._cluster, key, has_partitions=self._has_partitions(key))
            yield change(Verb.REMOVE, node_id, key, command, self._was(key), None, self._gone_notes(key))

    def _gone_notes(self, key: Key) -> Iterator[str]:
        yield "past usage stays with the accounts above"
        lost = self._own_limits(self._found.stored_of[key])
        if lost:
            yield f"its own limits are lost, of {', '.join(sorted(lost))}"
        if key[1] and self._accounts_of[key[1]] > 1:
            yield (
                f"if {key[0]} is the default account of {key[1]}, later jobs without an account "
                "fail. Set another one: sacctmgr modify user set defaultaccount="
            )

    def _own_limits(self, node_id: int) -> Collection[str]:
        """Return names of the limits of an association; where its own are not known, of those in force."""
        stored = self._tree.stored
        if stored.own is None:
            return stored.limits[self._rows[node_id]]
        return stored.own[self._rows[node_id]]

    # -- what is asked everywhere ---------------------------------------------------------------------------

    def _was(self, key: Key) -> Entry:
        tree, node_id = self._tree, self._found.stored_of[key]
        node = tree.shares.node(node_id)
        above = account_above(tree.shares, tree.keys, node_id)
        own = limits.of_foreign(node.foreign)
        if tree.stored.own is None and key in self._found.node_of:
            wanted = limits.of_foreign(self._wanted.node(self._found.node_of[key]).foreign)
            in_force = limits.of_row(tree.stored.limits[self._rows[node_id]]) if wanted else {}
            own = {name: value for name, value in in_force.items() if name in wanted}
        return Entry(above, shares_of(node), own)

    def _will(self, key: Key) -> Entry:
        node = self._wanted.node(self._found.node_of[key])
        return Entry(self._above(node), shares_of(node), limits.of_foreign(node.foreign))

    def _above(self, node: Node) -> str:
        return account_above(self._wanted, self._found.key_of, node.id)

    def _has_partitions(self, key: Key) -> bool:
        """Return True if a user has, or will have, associations for partitions in this account."""
        return bool(key[1]) and key[:2] in self._parted

    def _is_number(self, node: Node, key: Key, shares: int) -> bool:
        """Return True if Slurm stores these shares; it makes 1 of what is below 0, and wraps what is too
        large.
        """
        takes_parents = shares == PARENT_SHARES and node.shares != PARENT_SHARES
        if takes_parents or (0 <= shares < PARENT_SHARES and shares == int(shares)):
            return True
        self._refuse(node, key, f"shares must be a whole number from 0 to {PARENT_SHARES - 1}, not {shares}")
        return False

    def _refuse(self, node: Node, key: Key, why: str) -> None:
        self._refusals.append(Refusal(node.id, in_words(key), why))


def _limit_notes(node: Node) -> Iterator[str]:
    """Yield notes on values of a new association in a file that are not set, besides shares and limits."""
    named = [
        key
        for key in node.foreign
        if not key.startswith("slurm.")
        and key.lower() not in _WITHOUT_NOTE
        and limits.limit_named(key) is None
    ]
    if named:
        yield f"other properties of it are not set in Slurm: {', '.join(sorted(named)[:9])}"
