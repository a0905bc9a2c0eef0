"""The way back from a record of a cluster: whether there is one, and by which commands."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from fsconsole.app.cluster.records import History, Record, Step, single
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import ROOT_ID
from fsconsole.slurm import limits
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb, entries_of, entry_words, matches
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.held import Held, held_of
from fsconsole.slurm.job_change import JobChange, JobVerb, Seen, only_insisted, seen, status_words, why_not
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.names import in_words
from fsconsole.slurm.node_change import DRAINED, NodeChange, NodeVerb
from fsconsole.slurm.node_change import status_words as node_words
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.values import length_s
from fsconsole.slurm.rollback import rollback_of
from fsconsole.targets.slurm.audit_rows import SEND
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.text import moments
from fsconsole.text.numbers import ungrouped
from fsconsole.text.words import count_words

_REMOVED = "it does not exist any more"
_WITHOUT_DEFAULT = "there was no default account before, and Slurm does not take one away"
_COORDINATOR = "it goes when the user goes, or by hand: sacctmgr delete coordinator"
_OF_QOS = "QOS "
_WITH_PARTITIONS = ("partition=",)
_NO_DEFAULT = "none"
_SHARES = re.compile(r"(parent|[0-9]+ shares?)")
_PLACE = re.compile(r"in (?P<parent>.+?)(?:, (?P<shares>parent|[0-9]+ shares?))?")
_PARTITION = re.compile(r"(?P<rest>.+) \(partition (?P<partition>[^()]+)\)")
_OTHER_JOB_S = 60  # A job that was submitted so much later than the action has the number of an older one.
_REVERSE = {
    JobVerb.HOLD: JobVerb.RELEASE, JobVerb.RELEASE: JobVerb.HOLD,
    JobVerb.SUSPEND: JobVerb.RESUME, JobVerb.RESUME: JobVerb.SUSPEND, JobVerb.EXTEND: JobVerb.EXTEND,
}  # fmt: skip
_LOST = {
    JobVerb.KILL: "a killed job is lost",
    JobVerb.REQUEUE: "the results of a requeued job are lost",
}


@dataclass(frozen=True, slots=True)
class Present:
    """A cluster as it was read last.

    Attributes:
        name: name of the cluster.
        tree, jobs, nodes: what was read; None where it was not.
        now_s: time of the cluster, seconds since 1970.
        defaults: default accounts of `users_of` the log, empty for none, without users that do not exist.
            None where they were not read.
    """

    name: str
    tree: ClusterTree | None = None
    jobs: tuple[Job, ...] | None = None
    nodes: tuple[ClusterNode, ...] | None = None
    now_s: float | None = None
    defaults: Mapping[str, str] | None = None


def present_of(state: ClusterState, now_s: float, defaults: Mapping[str, str] | None = None) -> Present:
    """Return the newest state of a cluster for the ways back."""

    def was_read(part: PartName) -> bool:
        return part in state.parts and state.parts[part].as_of_s is not None

    jobs = state.jobs if was_read(PartName.JOBS) else None
    nodes = state.nodes if was_read(PartName.NODES) else None
    return Present(state.name, state.tree, jobs, nodes, now_s, defaults)


def users_of(rows: Iterable[AuditRow]) -> frozenset[str]:
    """Return the users whose default account the ways back depend on."""
    verbs = {Verb.DEFAULT.lower(), Verb.ADD.lower(), Verb.REMOVE.lower()}
    found = {row.on.partition(" in ")[0] for row in rows if row.action.removeprefix(SEND) in verbs}
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class WayBack:
    """Commands that bring back what was before a record.

    Attributes:
        record: the record.
        changes: changes of associations and QOS, the last one first.
        job, node: change of a job, or of a node; None for others.
        left: steps that are left out, and why.
        count: number of steps that are rolled back.
    """

    record: Record
    changes: ChangeSet = field(default_factory=ChangeSet)
    job: JobChange | None = None
    node: NodeChange | None = None
    left: tuple[tuple[Step, str], ...] = ()
    count: int = 0

    @property
    def is_possible(self) -> bool:
        """True if anything can be rolled back."""
        return self.count > 0

    @property
    def why_not(self) -> str:
        """Reason why nothing can be rolled back; empty if something can be, or if nothing was changed."""
        return "" if self.is_possible or not self.left else self.left[0][1]

    @property
    def words(self) -> str:
        """Whether the record can be rolled back, for a column; empty for actions that change no cluster."""
        if not self.record.steps:
            return ""
        if not self.is_possible:
            return f"no: {self.why_not}"
        if not self.left:
            return "yes"
        step, why = self.left[0]
        return f"{self.count} of {count_words(len(self.record.steps), 'change')}: {step.row.on}: {why}"


def way_back(history: History, record: Record, now: Present) -> WayBack:
    """Return the way back from a record, by what the cluster has now.

    Only what still has the value of the record is rolled back: the value of somebody else is never replaced.
    """
    return Ways(history, now).back(record)


class Ways:
    """The ways back from many records, by one reading of the cluster."""

    def __init__(self, history: History, now: Present) -> None:
        self._history, self._now = history, now
        self._jobs = JobIndex(now.jobs) if now.jobs is not None else None
        self._nodes = {node.name: node for node in now.nodes} if now.nodes is not None else None

    @cached_property
    def _tree(self) -> _Associations | None:
        return _associations(self._now.tree, self._now.name) if self._now.tree is not None else None

    def back(self, record: Record) -> WayBack:
        """Return the way back from one record; see `way_back`."""
        left: list[tuple[Step, str]] = []
        undone: list[tuple[Step, Change, Entry | None]] = []
        ids: set[str] = set()
        job: JobChange | None = None
        node: NodeChange | None = None
        for step in reversed(record.steps):
            found = self._of_step(step, ids)
            if isinstance(found, str):
                left.append((step, found))
            elif isinstance(found, JobChange):
                job = found
            elif isinstance(found, NodeChange):
                node = found
            else:
                undone.append((step, *found))
                ids.add(step.id)
        changes = ChangeSet()
        if undone and self._tree is not None:
            while held := self._tree.held(undone):
                left += held
                names = {step.id for step, _ in held}
                undone = [one for one in undone if one[0].id not in names]
            applied = [(change, now) for _, change, now in reversed(undone)]
            changes = self._tree.rollback(applied, self._now.defaults)
            order = {step.id: place for place, step in enumerate(record.steps)}
            left.sort(key=lambda one: -order[one[0].id])
        count = len(undone) + (job is not None) + (node is not None)
        # Who coordinates accounts since a roll back loses them again with the association that came back.
        leaving = {one.key[1] for _, one, _ in undone if one.verb is Verb.ADD}
        with_user = [
            one for one in left if one[0].verb is Verb.COORDINATE and _coordinator(one[0]) in leaving
        ]
        count += len(with_user)
        left = [one for one in left if one not in with_user]
        return WayBack(record, changes, job, node, tuple(left[::-1]), count)

    def _of_step(
        self, step: Step, undone: Collection[str]
    ) -> tuple[Change, Entry | None] | JobChange | NodeChange | str:
        """Return the change that rolls a step back, as if `undone` were rolled back; or why there is none."""
        if step.verb in _LOST and step.row.result.is_done:
            return _LOST[step.verb]  # type: ignore[index]
        if not (step.row.result.is_done or step.row.result is Result.UNKNOWN):
            return (
                "it was not made as requested" if step.row.result is Result.DIFFERENT else "it was not made"
            )
        later = self._history.overwritten_by(step)
        if later is not None and later.id not in undone:
            return _since(step, later)
        if isinstance(step.verb, JobVerb):
            return "jobs have not been read" if self._jobs is None else self._of_job(step, self._jobs)
        if isinstance(step.verb, NodeVerb):
            return "nodes have not been read" if self._nodes is None else _of_node(step, self._nodes)
        if self._tree is None:
            return "associations have not been read"
        return self._tree.undone(step, self._now.defaults)

    def _of_job(self, step: Step, known: JobIndex) -> JobChange | str:
        row = step.row
        assert isinstance(step.verb, JobVerb)  # noqa: S101 (the caller has checked)
        if step.verb in _LOST:
            return _LOST[step.verb]
        jobs = known.find(row.on)
        if not jobs or all(job.is_finished for job in jobs):
            return "the job has ended"
        if any(job.submit_s is not None and job.submit_s > row.tick + _OTHER_JOB_S for job in jobs):
            return "another job has this number now"
        by_s = 0.0
        if step.verb is JobVerb.EXTEND:
            before_s, after_s = _limit_s(row.before), _limit_s(row.after)
            if before_s is None or after_s is None:
                return "its earlier time limit is not in the log"
            by_s = before_s - after_s
        done = JobChange(step.verb, (row.on,))
        words = ", ".join(dict.fromkeys(status_words(done, job) for job in jobs))
        if step.verb is JobVerb.EXTEND:
            is_ours = words == row.after
        else:
            is_ours = all(seen(done, job, job) is Seen.DONE for job in jobs)
        if not is_ours:
            return _changed(words)
        back = JobChange(_REVERSE[step.verb], (row.on,), by_s)
        for job in jobs:
            if reason := why_not(back, job) or only_insisted(back, job, self._now.now_s):
                return _inside(reason)
        return back


def ways_by_id(history: History, now: Present) -> dict[str, WayBack]:
    """Return the way back from each record that changed the cluster, and from each change of an apply."""
    ways = Ways(history, now)
    found: dict[str, WayBack] = {}
    for record in history.records:
        if record.is_apply:
            found |= {step.id: ways.back(single(step)) for step in record.steps}
        if record.steps:
            found[record.id] = ways.back(record)
    return found


def _of_node(step: Step, nodes: Mapping[str, ClusterNode]) -> NodeChange | str:
    row, node = step.row, nodes.get(step.row.on)
    if node is None:
        return "the cluster does not have this node any more"
    state, _, reason = row.before.partition(" ")
    if not state:
        return "its earlier state is not in the log"
    is_drained = node.state in DRAINED
    if step.verb is NodeVerb.DRAIN:
        is_ours = node.reason == row.why.strip() or row.after.endswith(f"({node.reason})")
        if not (is_drained and is_ours):
            return _changed(node_words(node))
        was_up = state not in ("down", "fail", "failing", "error")
        return NodeChange(NodeVerb.RESUME, (row.on,)) if was_up else f"it was {state} before"
    if state not in DRAINED:
        return f"it was {state} before"
    if is_drained or node.state == "down":
        return _changed(node_words(node))
    return NodeChange(NodeVerb.DRAIN, (row.on,), reason[1:-1] or row.why)


class _Associations:
    """Changes of associations and QOS by the words of the log, and by the stored tree."""

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
            return _changed(shown) if shown else _REMOVED
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
            return _changed(entry_words(Verb.DEFAULT, now))
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
def _associations(tree: ClusterTree, cluster: str) -> _Associations:
    return _Associations(tree, cluster)


def _coordinator(step: Step) -> str:
    return step.row.on.removesuffix(f" in {step.row.after}")


def _shares(words: str) -> int:
    return PARENT_SHARES if words == "parent" else int(words.partition(" ")[0])


def _limit_s(words: str) -> float | None:
    """Return one time limit in words as seconds; None if there are none or several."""
    try:
        found = length_s(words)
    except DamagedError:
        return None
    return found if found is not None and math.isfinite(found) else None


def _changed(words: str) -> str:
    return f"changed since: it is {words} now"


def _since(step: Step, later: Step) -> str:
    """Describe who set a property after a step."""
    who, when = later.row.who, moments.whole(later.row.tick)
    if later.row.undoes in (step.id, step.record):
        return f"rolled back by {who}, {when}"
    return f"changed since by {who}, {when}"


def _inside(sentence: str) -> str:
    """Return a sentence of another module as a reason within a line."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")
