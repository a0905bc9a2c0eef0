"""A cluster in memory: what was captured of a real one, and what a test makes of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Fairshare, Floats
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.cluster_tree import ClusterTree, share_tree
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import NodeChange
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_partition import Partition, read_scontrol_partition
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.sshare import read_sshare
from fsconsole.targets.slurm.base import RUNNING, JobProgress, Progress, Step
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.reports import ActionReport, ApplyReport, ChangeReport, PriorityReport
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.tools import Answer, Run, tool_of
from tests.slurm.captured import captured, captured_nodes

T = TypeVar("T")
NOW_S = 1_795_167_642  # when the jobs of captures/plain were read
_BUSY = {"n1": 8, "n2": 7, "n3": 0, "n4": 8}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the target was asked to do to jobs."""

    change: JobChange
    who: str
    why: str
    dry_run: bool


@dataclass
class PlayTarget:
    """Does nothing to any cluster: keeps what it is asked, and answers as it is told.

    Attributes:
        answer: makes the reports of an action; all is done where a test says nothing else.
        answer_change: makes that of one change of the tree.
        defaults: default account by user.
        holds: whether actions wait until `let_go`; refreshed: parts that were asked for, in order.
        answer_priority: says what a job's priority is made of; that of the capture where a test says nothing.
        asked, applied, notes, priorities: what was asked for, the newest last.
    """

    now: ClusterState
    place: Location = field(default_factory=lambda: Location(("ssh", "login1"), "lab through login1"))
    answer: Callable[[JobChange], tuple[ActionReport, ...]] = field(default_factory=lambda: done_reports)
    answer_change: Callable[[Change], ChangeReport] = field(default_factory=lambda: done_report)
    answer_priority: Callable[[str], PriorityReport] = field(default_factory=lambda: captured_priority)
    holds: bool = False
    defaults: dict[str, str] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    applied: list[tuple[ChangeSet, str, str, bool]] = field(default_factory=list)
    refreshed: list[tuple[PartName, ...]] = field(default_factory=list)
    staged: ShareTree | None = None
    notes: list[tuple[str, str, str, str, str, str]] = field(default_factory=list)
    priorities: list[str] = field(default_factory=list)
    is_closed: bool = False
    stopped: list[str] = field(default_factory=list)
    progress: JobProgress | None = None
    undone: list[str] = field(default_factory=list)
    asked_of_nodes: list[tuple[NodeChange, str, str]] = field(default_factory=list)
    node_result: Result = Result.DONE
    run: Run = field(default_factory=lambda: no_answer)
    _held: list[tuple[Future[tuple[ActionReport, ...]], JobChange]] = field(default_factory=list)

    def state(self) -> ClusterState:
        return self.now

    def publish(self, **changed: Any) -> ClusterState:
        """Let it stand otherwise from now on; sessions see it when they look."""
        self.now = replace(self.now, serial=self.now.serial + 1, **changed)
        return self.now

    def publish_parts(self, **parts: Part) -> ClusterState:
        """Let some parts be read otherwise; the link stays what it is."""
        named = {PartName(name): part for name, part in parts.items()}
        return self.publish(parts={**self.now.parts, **named})

    def refresh(self, *parts: PartName) -> None:
        self.refreshed.append(parts)

    def stage(self, wanted: ShareTree) -> None:
        self.staged = wanted

    def apply(
        self,
        changes: ChangeSet,
        who: str,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: Progress | None = None,
        step: Step | None = None,
        undoes: str = "",
    ) -> Future[ApplyReport]:
        self.undone.append(undoes)
        self.applied.append((changes, who, why, dry_run))
        rows = []
        for change in changes.changes:
            if step is not None and not dry_run:
                step(change, RUNNING)
            row = ChangeReport(change, Result.DRY_RUN) if dry_run else self.answer_change(change)
            rows.append(row)
            if progress is not None:
                progress(row)
        asked: Future[ApplyReport] = Future()
        asked.set_result(ApplyReport(tuple(rows), ChangeSet()))
        return asked

    def default_accounts(self, users: Collection[str]) -> Future[Mapping[str, str]]:
        asked: Future[Mapping[str, str]] = Future()
        asked.set_result({user: account for user, account in self.defaults.items() if user in users})
        return asked

    def act(
        self,
        change: JobChange,
        who: str,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: JobProgress | None = None,
        undoes: str = "",
    ) -> Future[tuple[ActionReport, ...]]:
        self.undone.append(undoes)
        self.asked.append(Asked(change, who, why, dry_run))
        self.progress = progress
        asked: Future[tuple[ActionReport, ...]] = Future()
        if self.holds and not dry_run:
            self._held.append((asked, change))
        else:
            asked.set_result(dry_reports(change) if dry_run else self.answer(change))
        return asked

    def act_on_nodes(
        self, change: NodeChange, who: str, why: str = "", *, dry_run: bool = False, undoes: str = ""
    ) -> Future[tuple[ActionReport, ...]]:
        self.undone.append(undoes)
        self.asked_of_nodes.append((change, who, why))
        asked: Future[tuple[ActionReport, ...]] = Future()
        asked.set_result(tuple(ActionReport(node, self.node_result, "", ()) for node in change.nodes))
        return asked

    def ask(self, question: Callable[[Run], T]) -> Future[T]:
        """Answer at once, with what `run` makes of commands."""
        asked: Future[T] = Future()
        try:
            asked.set_result(question(self.run))
        except Exception as error:  # noqa: BLE001 (a future takes any)
            asked.set_exception(error)
        return asked

    def let_go(self) -> None:
        """Answer what was held back."""
        held, self._held = self._held, []
        for asked, change in held:
            asked.set_result(self.answer(change))

    def stop_applying(self) -> None:
        self.stopped.append("apply")

    def stop_acting(self) -> None:
        self.stopped.append("act")

    def priority_of(self, job: str) -> Future[PriorityReport]:
        self.priorities.append(job)
        asked: Future[PriorityReport] = Future()
        asked.set_result(self.answer_priority(job))
        return asked

    def note(self, action: str, on: str, before: str, after: str, who: str, why: str = "") -> None:
        self.notes.append((action, on, before, after, who, why))
        row = AuditRow(NOW_S, who, action, on, before, after, Result.DONE, "", why)
        self.publish(audit=(*self.now.audit, row))

    def close(self, *, wait: bool = False) -> None:
        self.is_closed = True


def no_answer(command: Sequence[str], *, limit_s: float = 60.0) -> Answer:
    """What a tool that is not there says."""
    return Answer(tuple(command), 127, problem=f"{tool_of(command)} not found here")


def done_reports(change: JobChange) -> tuple[ActionReport, ...]:
    """All was done."""
    command = ("scontrol", change.verb.value)
    return tuple(ActionReport(job, Result.DONE, "", (*command, job), "RUNNING", "") for job in change.jobs)


def captured_priority(job: str) -> PriorityReport:
    """What sprio said of it when the cluster was captured."""
    rows = tuple(row for row in read_sprio(captured("plain/sprio-l.txt")).items if str(row.job_id) == job)
    return PriorityReport(job, rows, "" if rows else "Slurm has no such pending job.", NOW_S)


def done_report(change: Change) -> ChangeReport:
    """It was done."""
    return ChangeReport(change, Result.DONE)


def dry_reports(change: JobChange) -> tuple[ActionReport, ...]:
    """Nothing was done."""
    command = ("scontrol", change.verb.value)
    return tuple(ActionReport(job, Result.DRY_RUN, "", (*command, job)) for job in change.jobs)


def cluster_state() -> ClusterState:
    """The lab's cluster as it was captured: 23 associations, four jobs, three partitions, four nodes."""
    tree = cluster_tree()
    return ClusterState(
        serial=1,
        name="lab",
        link=Link.ANSWERS,
        parts=parts_read(),
        settings=read_scontrol_config(captured("plain/scontrol-show-config.txt")),
        tree=tree,
        standing=standing(tree, captured("running.psv")),
        jobs=read_squeue(captured("plain/squeue.json")).items,
        partitions=partitions(),
        nodes=nodes(),
    )


def night_state() -> ClusterState:
    """The same with a dedicated job that keeps a batch job suspended, a held one, a reservation, a log."""
    state = cluster_state()
    return replace(state, jobs=(*state.jobs, *night_jobs()), reservations=(reservation(),), audit=audit())


def cluster_tree() -> ClusterTree:
    """Its associations; the node of a row is the row."""
    columns = ("id", "parentid", "lft", "rgt", "cluster", "account", "user", "partition", "fairshare")
    names = (*columns, "parentname", "defaultqos", "qos")
    stored = read_assoc(captured("plain/assoc-ids.psv"), "lab", names)
    tree = stored.tree
    rows = range(len(tree))
    keys = {row: (tree.account[row], tree.user[row], stored.partition[row]) for row in rows}
    return ClusterTree(stored, share_tree(stored), tuple(rows), keys)


def standing(tree: ClusterTree, sshare: str) -> AssociationStatus:
    """What a capture of sshare says, in the rows of a tree; computed is what was printed."""
    read = read_sshare(sshare)
    place = {key: row for row, key in enumerate(zip(read.tree.account, read.tree.user, strict=True))}
    rows = [place.get((account, user), -1) for account, user, _ in tree.keys.values()]

    def picked(column: Floats) -> Floats:
        return np.array([column[row] if row >= 0 else np.nan for row in rows])

    printed = Fairshare(
        picked(read.printed.norm_shares),
        picked(read.printed.effective_usage),
        picked(read.printed.fairshare),
        picked(read.printed.level_fs),
    )
    return AssociationStatus(picked(read.raw_usage), picked(read.tree.usage), printed, printed, {})


def partitions() -> tuple[Partition, ...]:
    """`batch`, `dedicated`, `scavenge`."""
    return read_scontrol_partition(captured("plain/scontrol-show-partition.txt")).items


def nodes() -> tuple[ClusterNode, ...]:
    """n1 to n4, with how many CPUs are busy."""
    read = captured_nodes("plain/sinfo.txt")
    return tuple(replace(node, busy_cpus=_BUSY[node.name]) for node in read)


def parts_read(at_s: float = NOW_S) -> dict[PartName, Part]:
    """All parts read well a moment ago."""
    return {name: Part(at_s, 0.02, next_s=at_s + 5) for name in PartName}


def parts_failed(problem: str, at_s: float = NOW_S) -> dict[PartName, Part]:
    """No part can be read any more."""
    return {name: Part(at_s, 9.0, problem, next_s=at_s + 20) for name in PartName}


def job(job_id: int, user: str, partition: str, *states: str, **more: Any) -> Job:
    """A job; what is not said is that of a small job in hep."""
    fields: dict[str, Any] = {
        "name": "hep", "account": "hep", "qos": "normal", "node_count": 1, "cpus": 4, "billing": 4.0,
        "time_limit_s": 3600.0, "submit_s": NOW_S - 900, "priority": 20000, "may_requeue": True,
    }  # fmt: skip
    if states[0] in ("RUNNING", "SUSPENDED"):
        fields |= {"start_s": NOW_S - 600, "end_s": NOW_S + 3000, "nodes": "n3"}
    return Job(job_id=job_id, user=user, partition=partition, states=states, **(fields | more))


def night_jobs() -> tuple[Job, ...]:
    """A dedicated job that has displaced another one, and jobs in states of all kinds.

    A job that Slurm itself suspended keeps its priority; one that an operator suspended has 0.
    """
    return (
        job(30, "fs_kim", "dedicated", "RUNNING", name="forecast", account="ops", cpus=8, billing=16.0,
            nodes="n3", time_limit_s=5400.0, start_s=NOW_S - 60, end_s=NOW_S + 5340, priority=120000),
        job(31, "fs_ben", "batch", "SUSPENDED", name="reco", cpus=8, ran_before_s=540, suspend_s=NOW_S - 60),
        job(32, "fs_anna", "batch", "PENDING", name="toys", reason="JobHeldAdmin", priority=0, nodes=""),
        job(33, "fs_anna", "batch", "PENDING", name="scan", reason="Priority", cpus=16, node_count=2,
            array_job_id=33, array_tasks="4-9%2"),
        job(34, "fs_kim", "dedicated", "PENDING", name="analysis", account="ops", reason="Resources", cpus=32,
            node_count=4),
        job(36, "fs_cora", "batch", "SUSPENDED", name="slow", ran_before_s=300, suspend_s=NOW_S - 300,
            priority=0, nodes="n2"),
        job(35, "fs_cora", "batch", "COMPLETED", name="fits", start_s=NOW_S - 800, end_s=NOW_S - 200),
    )  # fmt: skip


def reservation() -> Reservation:
    """Tonight on n4, for one user."""
    return Reservation(
        name="ded",
        start_s=NOW_S - 1800,
        end_s=NOW_S + 7200,
        nodes="n4",
        node_count=1,
        users=("fs_kim",),
        flags=frozenset({"IGNORE_JOBS", "SPEC_NODES"}),
        state="ACTIVE",
    )


def audit() -> tuple[AuditRow, ...]:
    """Two actions, one of them refused."""
    return (
        AuditRow(NOW_S - 300, "hale", "arm", "lab", "read-only", "armed", Result.DONE, "", ""),
        AuditRow(
            NOW_S - 240, "hale", "extend", "job 7", "0:30:00", "", Result.REFUSED,
            "scontrol update JobId=7 TimeLimit=+5: Access/permission denied for job 7", "asked by phone",
        ),
    )  # fmt: skip


def many_jobs(count: int) -> tuple[Job, ...]:
    """So many jobs of the lab's users, a third of them running."""
    users = tuple(key[:2] for key in cluster_tree().keys.values() if key[1])
    states = ("RUNNING", "PENDING", "PENDING")
    made = []
    for number in range(count):
        account, user = users[number * 7 % len(users)]
        state = states[number % 3]
        made.append(
            job(1000 + number, user, ("batch", "scavenge")[number % 5 == 0], state, account=account,
                name=f"run{number % 97}", cpus=1 + number * 13 % 64, priority=10_000 + number * 31 % 9973,
                reason="" if state == "RUNNING" else "Priority", submit_s=NOW_S - number)
        )  # fmt: skip
    return tuple(made)
