"""The way back of changes of associations and QOS: by the words of the log, and by the stored tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from fsconsole.app.cluster.records import Step
from fsconsole.recording.audit import AuditRow
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import ROOT_ID
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb, entries_of, entry_words, matches
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.held import Held, held_of
from fsconsole.slurm.names import in_words
from fsconsole.slurm.rollback import rollback_of
from fsconsole.text.numbers import ungrouped

_REMOVED = "it does not exist any more"
_WITHOUT_DEFAULT = "there was no default account before, and Slurm does not take one away"
_COORDINATOR = "it goes when the user goes, or by hand: sacctmgr delete coordinator"
_OF_QOS = "QOS "
_WITH_PARTITIONS = ("partition=",)
_NO_DEFAULT = "none"
_SHARES = re.compile(r"(parent|[0-9]+ shares?)")
_PLACE = re.compile(r"in (?P<parent>.+?)(?:, (?P<shares>parent|[0-9]+ shares?))?")
_PARTITION = re.compile(r"(?P<rest>.+) \(partition (?P<partition>[^()]+)\)")


class AssociationWays:
    """Ways back by one reading of the tree."""

    def __init__(self, tree: ClusterTree, cluster: str) -> None:
        self._tree, self._cluster = tree, tree.stored.cluster or cluster
        self._entries = entries_of(tree)
        self._keys: dict[str, Key] = {in_words(key): key for key in self._entries}
        self._node_of = {key: node for node, key in tree.keys.items()}
        self._parted = {key[:2] for key in self._entries if key[1] and key[2]}
        self._accounts_of = Counter(key[1] for key in self._entries if key[1])

    def undone(self, step: Step, defaults: Mapping[str, str] | None) -> tuple[Change, Entry | None] | str:
        """Return the change that a step was, with the stored entry, if that is the step's; or why not."""
        row, verb = step.row, step.verb
        assert isinstance(verb, Verb)  # noqa: S101 (the caller has checked)
        if not self._tree.is_complete:
            return "slurmdbd does not respond"
        if verb is Verb.COORDINATE:
            return _COORDINATOR
        if verb is Verb.DEFAULT:
            return self._default(row, defaults)
        if row.on.startswith(_OF_QOS) and self._tree.qos is None:
            return "QOS have not been read"
        key = self._keys.get(row.on) or (self._removed_key(step) if verb is Verb.REMOVE else None)
        if key is None:
            return _REMOVED if verb is not Verb.REMOVE else "its name cannot be read from the log"
        limit = None
        if verb is Verb.LIMIT:
            of_qos = not any(key[:2])
            limit = limits.limit_named(step.field, of_qos=of_qos)
            if limit is None:
                return f"{step.field} is not a limit that can be set here"
            if not of_qos and self._tree.stored.own is None:
                return "limits have not been read"
        try:
            was, will = (self._entry(verb, words, key, limit) for words in (row.before, row.after))
            held_of(row.held)
        except ValueError:
            return "its values cannot be read from the log"
        command = _WITH_PARTITIONS if key[:2] in self._parted else ()
        node = self._node_of.get(key, ROOT_ID)
        one = Change(
            verb, node, row.on, row.before, row.after, command, (), key, was, will,
            limit=limit.name if limit is not None else "", held=row.held,
        )  # fmt: skip
        now = self._entries.get(key)
        if not matches(one, now, will):
            shown = entry_words(verb, now, limit)
            return changed_since(shown) if shown else _REMOVED
        if verb is Verb.ADD and not key[1] and self._tree.stored.lost:
            return "some associations cannot be read, and may be in it"
        return one, now

    def _default(
        self, row: AuditRow, defaults: Mapping[str, str] | None
    ) -> tuple[Change, Entry | None] | str:
        """Return the change that set a default account, with the present one, or why it stays."""
        key = ("", row.on, "")
        if defaults is None:
            return "default accounts have not been read"
        if row.on not in defaults:
            return _REMOVED
        if row.before in ("", _NO_DEFAULT):
            return _WITHOUT_DEFAULT
        was, will, now = (Entry(account, 0) for account in (row.before, row.after, defaults[row.on]))
        if now != will:
            return changed_since(entry_words(Verb.DEFAULT, now))
        node = next((self._node_of[one] for one in self._entries if one[1] == row.on), ROOT_ID)
        return Change(Verb.DEFAULT, node, row.on, row.before, row.after, (), (), key, was, will), now

    def held(self, undone: Sequence[tuple[Step, Change, Entry | None]]) -> list[tuple[Step, str]]:
        """Return steps that cannot be rolled back because of others, and why.

        These are accounts with members that stay, associations with limits that others set, and those whose
        account is missing.
        """
        away = {one.key for _, one, _ in undone if one.verb in (Verb.ADD, Verb.MOVE)}
        again = {one.key for _, one, _ in undone if one.verb is Verb.REMOVE}
        cleared = {(one.key, one.limit) for _, one, _ in undone if one.verb is Verb.LIMIT}
        found = []
        members = {key[:2] for key in (*self._entries, *again)} - {key[:2] for key in away}
        for step, one, now in undone:
            if one.verb is Verb.DEFAULT:
                if one.was is not None and (one.was.parent, one.key[1]) not in members:
                    found.append((step, f"{one.on} is not in {one.was.parent} any more"))
                continue
            above = (one.was.parent, "", "") if one.was is not None else ("", "", "")
            if one.verb is Verb.ADD and now is not None:
                inside = self._members(one.key[0], away) if not one.key[1] else []
                given = held_of(one.held) or Held()
                others = [
                    name for name, value in now.limits.items()
                    if (one.key, name) not in cleared and given.limits.get(name) != value
                ]  # fmt: skip
                if inside:
                    found.append((step, f"{in_words(inside[0])} is in it now"))
                elif others and self._tree.stored.own is not None:
                    found.append((step, f"it has limits that were set since: {', '.join(others)}"))
            elif one.verb in (Verb.REMOVE, Verb.MOVE) and above not in self._entries and above not in again:
                found.append((step, f"account {above[0]} does not exist any more"))
        return found

    def _members(self, account: str, away: Collection[Key]) -> list[Key]:
        """Return associations in an account, except for some."""
        entries = self._entries.items()
        return [key for key, entry in entries if any(key[:2]) and entry.parent == account and key not in away]

    def rollback(
        self, applied: Sequence[tuple[Change, Entry | None]], defaults: Mapping[str, str] | None
    ) -> ChangeSet:
        """Return the way back from changes, the last one first.

        Records of earlier versions do not have default accounts: that of a user who is back in one account is
        this one.
        """
        before: dict[str, str] = {}
        for one, _ in applied:
            held = held_of(one.held)
            if one.verb is Verb.DEFAULT and one.was is not None:
                before.setdefault(one.key[1], one.was.parent)
            elif held is not None and held.default is not None:
                before.setdefault(one.key[1], held.default)
        removed = [one.key for one, _ in applied if one.verb is Verb.REMOVE and one.key[1]]
        count = Counter(user for _, user, _ in removed)
        alone = {
            user: account for account, user, _ in removed
            if count[user] == 1 and not self._accounts_of[user]
        }  # fmt: skip
        if defaults is None:
            return rollback_of(self._cluster, applied, alone, {})
        return rollback_of(self._cluster, applied, alone | before, defaults)

    def _entry(self, verb: Verb, words: str, key: Key, limit: limits.Limit | None) -> Entry | None:
        """Return the entry that words of the log stand for; those of `entry_words`.

        Raises:
            ValueError: these are other words.
        """
        now = self._entries.get(key) or Entry(key[0] if key[1] else "", 0)
        if verb is Verb.LIMIT and limit is not None:
            label, _, value = words.partition(" ")
            kept = "" if label == "no" else limits.typed(limit, value)
            return replace(now, limits={**now.limits, limit.name: kept})
        if not words:
            return None
        words = ungrouped(words)
        if verb is Verb.SET and _SHARES.fullmatch(words):
            return replace(now, shares=_shares(words))
        found = _PLACE.fullmatch(words)
        if found is None or (verb is not Verb.MOVE and not found["shares"]):
            raise ValueError(words)
        shares = now.shares if verb is Verb.MOVE else _shares(found["shares"])
        return Entry(found["parent"], shares)

    def _removed_key(self, step: Step) -> Key | None:
        """Return the key of an association that is not there, from its words in the log."""
        row = step.row
        parent = row.before.removeprefix("in ").rpartition(", ")[0]
        if "delete account" in row.text or not row.on.partition(" in ")[1]:
            return row.on, "", ""
        found = _PARTITION.fullmatch(row.on)
        named = found["rest"] if found else row.on
        if not (parent and named.endswith(f" in {parent}")):
            return None
        return parent, named.removesuffix(f" in {parent}"), found["partition"] if found else ""


@lru_cache(maxsize=1)
def association_ways(tree: ClusterTree, cluster: str) -> AssociationWays:
    """Return those of a tree; the last ones are kept."""
    return AssociationWays(tree, cluster)


def changed_since(words: str) -> str:
    """Return the reason why the present value stays."""
    return f"since changed to {words}"


def _shares(words: str) -> int:
    return PARENT_SHARES if words == "parent" else int(words.partition(" ")[0])
