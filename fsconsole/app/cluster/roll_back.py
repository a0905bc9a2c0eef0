"""The way back from a record of a cluster: whether there is one, and by which commands."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fsconsole.app.cluster.association_ways import AssociationWays, association_ways, changed_since
from fsconsole.app.cluster.records import History, Record, Step, single
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.job_change import JobChange, JobVerb, Seen, jobs_status, only_insisted, seen, why_not
from fsconsole.slurm.job_labels import JobIndex, read_label
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import DOWN, DRAINED, NodeChange, NodeVerb
from fsconsole.slurm.node_change import status_words as node_words
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.values import length_s
from fsconsole.targets.slurm.audit_rows import SEND
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.text import moments
from fsconsole.text.words import count_words, first_of

_MIXED = "the log mixes its changes with those of another apply at the same time"
_MOST_NAMED = 3
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
    jobs = state.jobs if state.was_read(PartName.JOBS) else None
    nodes = state.nodes if state.was_read(PartName.NODES) else None
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
        if self.record.is_mixed:
            return _MIXED
        if self.is_possible or not self.left:
            return ""
        if len({why for _, why in self.left}) == 1:
            return self.left[0][1]
        return ", ".join(first_of([f"{step.row.on} ({why})" for step, why in self.left], _MOST_NAMED))

    @property
    def words(self) -> str:
        """Whether the record can be rolled back, for a column; empty for actions that change no cluster."""
        if not (self.record.steps or self.record.is_mixed):
            return ""
        if not self.is_possible:
            return f"no: {self.why_not}"
        if not self.left:
            return "yes"
        left = first_of([f"{step.row.on} ({why})" for step, why in self.left], 1)
        return f"{self.count} of {count_words(len(self.record.steps), 'change')}; left out: {', '.join(left)}"


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
    def _tree(self) -> AssociationWays | None:
        return association_ways(self._now.tree, self._now.name) if self._now.tree is not None else None

    def back(self, record: Record) -> WayBack:
        """Return the way back from one record; see `way_back`."""
        if record.is_mixed:
            return WayBack(record)
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
        if later is not None and later.id not in undone and later.record != step.record:
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
        words = jobs_status(done, jobs)
        if step.verb is JobVerb.EXTEND:
            is_ours = words == row.after
        else:
            jobs = tuple(job for job in jobs if _may_change(step, job)) or jobs
            is_ours = all(_is_so(done, job) for job in jobs)
        if not is_ours:
            return changed_since(words)
        was = words if step.verb is JobVerb.EXTEND else ""
        back = JobChange(_REVERSE[step.verb], (row.on,), by_s, was=was)
        for job in jobs:
            if reason := why_not(back, job) or only_insisted(back, job, self._now.now_s):
                return _inside(reason)
        return back


def _may_change(step: Step, job: Job) -> bool:
    """Return True if an action on an array can have changed this of its records: to hold and to release
    change pending tasks alone, to suspend and to resume those that had begun.
    """
    if job.is_finished:
        return False
    if step.verb in (JobVerb.HOLD, JobVerb.RELEASE):
        return job.is_pending
    return not job.is_pending and (job.start_s is None or job.start_s <= step.row.tick)


def _is_so(done: JobChange, job: Job) -> bool:
    """Return True if a record is as a change left it. A task in a row with others may be: before it is
    changed, it is read by itself.
    """
    names_tasks = job.is_mixed and read_label(done.jobs[0]).tasks is not None
    return names_tasks or seen(done, job, job) is Seen.DONE


def ways_by_id(history: History, now: Present) -> dict[str, WayBack]:
    """Return the way back from each record that changed the cluster, and from each change of an apply."""
    ways = Ways(history, now)
    found: dict[str, WayBack] = {}
    for record in history.records:
        if record.is_apply:
            found |= {step.id: ways.back(single(step)) for step in record.steps}
        if record.steps or record.is_mixed:
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
            return changed_since(node_words(node))
        was_up = state not in DOWN
        back = NodeChange(NodeVerb.RESUME, (row.on,), was={row.on: node_words(node)})
        return back if was_up else f"it was {state} before"
    if state not in DRAINED:
        return f"it was {state} before"
    if is_drained or node.state == "down":
        return changed_since(node_words(node))
    return NodeChange(NodeVerb.DRAIN, (row.on,), reason[1:-1] or row.why)


def _coordinator(step: Step) -> str:
    return step.row.on.removesuffix(f" in {step.row.after}")


def _limit_s(words: str) -> float | None:
    """Return one time limit in words as seconds; None if there are none or several."""
    try:
        found = length_s(words)
    except DamagedError:
        return None
    return found if found is not None and math.isfinite(found) else None


def _since(step: Step, later: Step) -> str:
    """Describe who set a property after a step."""
    who, when = later.row.who, moments.whole(later.row.tick)
    if later.row.undoes in (step.id, step.record):
        return f"already rolled back by {who}, {when}"
    return f"changed since by {who}, {when}"


def _inside(sentence: str) -> str:
    """Return a sentence of another module as a reason within a line."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")
