"""Interface of a cluster for the console: `target.py` implements it with the tools of Slurm."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from typing import Protocol, TypeVar

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.node_change import NodeChange
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.reports import (
    ActionReport,
    ApplyReport,
    ChangeReport,
    PriorityReport,
)
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.targets.slurm.tools import Run

T = TypeVar("T")
Progress = Callable[[ChangeReport], None]
RUNNING, SENT = "running", "sent"
Step = Callable[[Change, str], None]
"""Takes a change whose command is `RUNNING`, or `SENT` and not read back yet."""
JobProgress = Callable[[int, int], None]
"""Takes how many jobs were sent so far, and of how many."""


class ClusterTarget(Protocol):
    """A cluster that is shown and acted on; nothing here blocks, nothing here asks for confirmation.

    Attributes:
        place: how it is reached.
    """

    place: Location

    def state(self) -> ClusterState:
        """Return the newest state; there is always one."""
        ...

    def refresh(self, *parts: PartName) -> None:
        """Read parts soon, all without any; parts that the site restricts wait for their time."""
        ...

    def stage(self, wanted: ShareTree) -> None:
        """Set the edited tree, so that nodes added in the cluster by others match its nodes."""
        ...

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
        """Do all changes in order and read back; `step` and `progress` are called in the target's thread.

        `undoes` is the identity of the record that they roll back, here and in the other actions.
        """
        ...

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
        """Act on jobs and check the results; `progress` is called in the target's thread."""
        ...

    def act_on_nodes(
        self, change: NodeChange, who: str, why: str = "", *, dry_run: bool = False, undoes: str = ""
    ) -> Future[tuple[ActionReport, ...]]:
        """Act on nodes of the cluster and check the results."""
        ...

    def ask(self, question: Callable[[Run], T]) -> Future[T]:
        """Run a function that reads, in a thread, with the runner of the tools; its errors fail the
        future.
        """
        ...

    def default_accounts(self, users: Collection[str]) -> Future[Mapping[str, str]]:
        """Return the default accounts of some users, read now; the future fails where they cannot be."""
        ...

    def stop_applying(self) -> None:
        """Skip the changes that have not begun, of all change sets that are being applied or wait for
        that.
        """
        ...

    def stop_acting(self) -> None:
        """Skip the jobs and nodes that were not sent yet, of all actions that are on their way."""
        ...

    def priority_of(self, job: str) -> Future[PriorityReport]:
        """Return the parts of a pending job's priority, queried now; `job` as squeue shows it.

        What was asked for before and has not begun is cancelled: only the newest question counts.
        """
        ...

    def note(self, action: str, on: str, before: str, after: str, who: str, why: str = "") -> None:
        """Write an action of the console itself into the audit log, such as arming it."""
        ...

    def close(self, *, wait: bool = False) -> None:
        """End threads and child processes; `wait` for it at most some seconds."""
        ...
