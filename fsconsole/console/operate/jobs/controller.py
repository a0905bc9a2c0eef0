"""What the views of Operate share on a real cluster: its state, the jobs selected, what is done to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from shiboken6 import isValid

from fsconsole.app.jobs.columns import JobColumns, RecentJobs, columns_of, nodes_by_key
from fsconsole.app.jobs.selection import JobSelection
from fsconsole.console.arming import READ_ONLY, Arming
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.tasks import Tasks, main_thread_calls
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.audit import AuditRow
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.near_dedicated import DedicatedView
from fsconsole.slurm.near_dedicated_of import dedicated_view
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.state import ClusterState, Link, PartName

CAPTURE = "This is a capture folder (read-only). You can view the commands but not run them."
NO_CLUSTER = "No cluster is open"
_NEAR = "near-dedicated"
Reports = tuple[ActionReport, ...]
Then = Callable[[Reports], None]


@dataclass(eq=False, slots=True)
class PendingAction:
    """An action that was asked for.

    Attributes:
        reports: None until the cluster has answered.
        began: when it was asked for, on a steady clock, s.
        sent, count: how many jobs were sent so far, and of how many; each pending task of an array is one.
            None, and the number of labels, until their states were read.
        is_dry: whether commands are only shown.
    """

    change: JobChange
    began: float
    reports: Reports | None = None
    then: Then | None = None
    is_dry: bool = False
    sent: int | None = None
    count: int = 0

    @property
    def can_stop(self) -> bool:
        """Whether some of several jobs were not sent yet."""
        return self.reports is None and self.count > 1 and (self.sent or 0) < self.count


class JobController(QObject):
    """Follows the session's cluster, and passes the operator's actions to it.

    Attributes:
        pending: the action that was requested last.

    Signals: changed() with another state, or none; chosen() with other jobs selected; acted(PendingAction)
    when an action is requested and when it is answered, progressed() between; nodes_acted(NodeVerb, tuple of
    ActionReport) after an action on nodes; armed(), ticked() as in `Arming`.
    """

    changed = Signal()
    chosen = Signal()
    acted = Signal(object)
    progressed = Signal()
    nodes_acted = Signal(object, object)
    near_changed = Signal()
    armed = Signal()
    ticked = Signal()

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self.session = session
        self._cluster: ClusterSession | None = None
        self._columns: JobColumns | None = None
        self._near: DedicatedView | None = None
        self._near_of: tuple[object, ...] = ()
        self._columns_of: tuple[object, ...] = ()
        self._tasks = Tasks(self)
        self._known: dict[int, Job] = {}
        self._recent = RecentJobs()
        self._tree: ClusterTree | None = None
        self._nodes: Mapping[Key, int] = {}
        self._chosen: tuple[int, ...] = ()
        self._jobs: tuple[Job, ...] | None = None
        self._selection: JobSelection | None = None
        self._made: dict[Hashable, str] = {}
        self.pending: PendingAction | None = None
        session.document_changed.connect(self._on_document_changed)
        self._on_document_changed()

    # -- what is so -----------------------------------------------------------------------------------------

    @property
    def state(self) -> ClusterState | None:
        """The newest state; None where no cluster is open."""
        return self._cluster.state if self._cluster is not None else None

    @property
    def cluster(self) -> ClusterSession | None:
        """The cluster that is open."""
        return self._cluster

    @property
    def arming(self) -> Arming | None:
        """That of the cluster."""
        return self._cluster.arming if self._cluster is not None else None

    @property
    def name(self) -> str:
        """What the cluster is called."""
        return self._cluster.name if self._cluster is not None else ""

    @property
    def is_armed(self) -> bool:
        """Whether actions go to the cluster."""
        return self._cluster is not None and self._cluster.arming.is_armed

    @property
    def audit(self) -> tuple[AuditRow, ...]:
        """All that was done, oldest first."""
        state = self.state
        return state.audit if state is not None else ()

    @property
    def answers(self) -> bool:
        """Whether the cluster answers at all."""
        state = self.state
        return state is not None and state.link not in (Link.NO_ANSWER, Link.CONNECTING)

    @property
    def is_fresh(self) -> bool:
        """Whether the data on jobs are current: the cluster answers, and its jobs could be read."""
        state = self.state
        part = state.parts.get(PartName.JOBS) if state is not None else None
        return self.answers and (part is None or not part.problem)

    @property
    def columns(self) -> JobColumns | None:
        """The jobs as columns, computed when they are first asked for."""
        state = self.state
        if state is None:
            return None
        if self._columns is None:
            jobs = tuple(self._known.values())
            self._columns = columns_of(replace(state, jobs=jobs), self._nodes_of(state.tree))
        return self._columns

    @property
    def near(self) -> DedicatedView | None:
        """The near-dedicated class as it was computed last; None while it was not asked for."""
        return self._near

    def look_near(self) -> None:
        """Compute the near-dedicated class from the newest state; `near_changed` follows."""
        state = self.state
        if state is None or self._tasks.is_busy(_NEAR) or is_same(_near_parts(state), self._near_of):
            return
        parts = (state.settings, state.partitions, state.nodes, state.jobs, state.reservations)
        call = partial(dedicated_view, *parts, self.now_s)
        self._tasks.run(call, partial(self._take_near, state), latest=_NEAR)

    @property
    def now_s(self) -> float:
        """When the jobs were read, seconds since 1970; now where they never were."""
        columns = self.columns
        return (columns.now_s if columns is not None else 0.0) or self._clock_s()

    def _clock_s(self) -> float:
        return self._cluster.now_s() if self._cluster is not None else time.time()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Selected jobs in their present state, the first one first."""
        if self._jobs is None:
            known = self._known
            self._jobs = tuple(known[number] for number in self._chosen if number in known)
        return self._jobs

    @property
    def selection(self) -> JobSelection | None:
        """The selected jobs with their sums; None where none is selected."""
        if self._selection is None and self._chosen and (columns := self.columns) is not None:
            places = columns.places_of(self._chosen)
            self._selection = JobSelection(columns, places) if len(places) else None
        return self._selection

    def once(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return the result of `make` for the selected jobs as they are now, made once for each key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _forget_made(self) -> None:
        self._jobs = self._selection = None
        self._made.clear()

    def job(self, job_id: int) -> Job | None:
        """Return a job by its number; None if the cluster no longer has it."""
        return self._known.get(job_id)

    def hindrance(self) -> str:
        """Return the reason why no job can be acted on now, armed or not; empty if one can."""
        state = self.state
        if state is None:
            return NO_CLUSTER
        if not self.answers:
            return f"{self.name} does not respond"
        if not self.is_fresh:
            problem = " ".join(state.parts[PartName.JOBS].problem.split())
            return f"{self.name} does not list its jobs: {problem.rstrip('.')}"
        return ""

    @property
    def read_only(self) -> str:
        """Reason why actions can be shown but not done; empty if they can be done."""
        if self.is_armed:
            return ""
        return READ_ONLY if self.arming is None or self.arming.can_arm() else CAPTURE

    # -- what is done ---------------------------------------------------------------------------------------

    def choose(self, jobs: Iterable[int]) -> None:
        """Select jobs by their numbers."""
        wanted = tuple(dict.fromkeys(jobs))
        if wanted != self._chosen:
            self._chosen = wanted
            self._forget_made()
            self.chosen.emit()

    def act(self, change: JobChange, why: str = "", then: Then | None = None, undoes: str = "") -> bool:
        """Start an armed operator's action; `then` gets the result. Return whether it was started."""
        if self._cluster is None:
            return False
        doing = PendingAction(change, time.monotonic(), then=then, count=len(change.jobs))
        progress = partial(main_thread_calls().call, partial(self._on_sent, doing))
        asked = self._cluster.act(change, why.strip(), progress=progress, undoes=undoes)
        if asked is None:
            self.session.message.emit(self.read_only)
            return False
        self._wait(doing, asked)
        return True

    @Slot()
    def stop(self) -> None:
        """Leave the jobs that were not sent yet."""
        if self._cluster is not None:
            self._cluster.target.stop_acting()

    def show_commands(self, change: JobChange, then: Then) -> None:
        """Report the commands of an action without running them."""
        asked = self._cluster.act(change, dry_run=True) if self._cluster is not None else None
        if asked is not None:
            self._wait(PendingAction(change, time.monotonic(), then=then, is_dry=True), asked)

    @Slot()
    def refresh(self) -> None:
        """Have all parts read again soon."""
        if self._cluster is not None:
            self._cluster.target.refresh()

    def read_again(self, *parts: PartName) -> None:
        """Have some parts read again soon."""
        if self._cluster is not None:
            self._cluster.target.refresh(*parts)

    def was_read(self, *parts: PartName) -> bool:
        """Return True if all these parts have been read at least once."""
        return self.state is not None and self.state.was_read(*parts)

    # -- inside ---------------------------------------------------------------------------------------------

    def _wait(self, doing: PendingAction, asked: Future[Reports]) -> None:
        self._tasks.watch(asked, partial(self._on_reports, doing), partial(self._on_error, doing))
        if not doing.is_dry:
            self.pending = doing
            self.acted.emit(doing)

    def _on_sent(self, doing: PendingAction, sent: int, count: int) -> None:
        if isValid(self) and doing.reports is None:
            doing.sent, doing.count = sent, count
            self.progressed.emit()

    def _on_error(self, doing: PendingAction, error: Exception) -> None:
        """Show that the target itself has failed, as the result of each job."""
        from fsconsole.recording.audit import Result

        is_left = isinstance(error, CancelledError)
        result = Result.NOT_SENT if is_left else Result.UNKNOWN
        reason = "The cluster was closed." if is_left else str(error)
        self._on_reports(doing, tuple(ActionReport(job, result, reason, ()) for job in doing.change.jobs))

    def _on_reports(self, doing: PendingAction, reports: Reports) -> None:
        doing.reports = reports
        if doing.then is not None:
            doing.then(reports)
        if not doing.is_dry:
            self.acted.emit(doing)

    @Slot()
    def _on_document_changed(self) -> None:
        """Follow another cluster, or none, and discard the data of the one before."""
        cluster = self.session.offer(CLUSTER)
        if cluster is self._cluster:
            return
        self._cluster = cluster
        self._tasks.cancel()
        self._recent = RecentJobs()
        self._leave_near()
        if cluster is not None:
            cluster.changed.connect(self._on_state_changed)
            cluster.arming.changed.connect(self.armed)
            cluster.arming.ticked.connect(self.ticked)
        self.choose(())
        self._on_state_changed()
        self.armed.emit()

    def _take_near(self, state: ClusterState, view: DedicatedView) -> None:
        self._near, self._near_of = view, _near_parts(state)
        self.near_changed.emit()

    def _nodes_of(self, tree: ClusterTree | None) -> Mapping[Key, int]:
        """Return the nodes of its associations; they stay while jobs are read again and again."""
        if tree is not self._tree:
            self._tree, self._nodes = tree, nodes_by_key(tree) if tree is not None else {}
        return self._nodes

    def _jobs_of(self, state: ClusterState) -> dict[int, Job]:
        jobs = self._recent.joined(state.jobs, _as_of_s(state) or self._clock_s())
        return {job.job_id: job for job in jobs}

    def _leave_near(self) -> None:
        self._tasks.cancel(_NEAR)
        self._near = None
        self._near_of = ()

    @Slot()
    def _on_state_changed(self) -> None:
        state = self.state
        parts = _columns_parts(state) if state is not None else ()
        if not is_same(parts, self._columns_of):  # Most states only report that a part is being read.
            self._columns_of, self._columns = parts, None
            self._known = self._jobs_of(state) if state is not None else {}
            self._forget_made()
        self.changed.emit()


def _columns_parts(state: ClusterState) -> tuple[object, ...]:
    """Return the parts of the state from which the columns of jobs are computed."""
    return (state.jobs, state.tree, state.standing, _as_of_s(state))


def _near_parts(state: ClusterState) -> tuple[object, ...]:
    """Return the parts of the state from which the near-dedicated class is computed."""
    parts = (state.settings, state.partitions, state.nodes, state.jobs, state.reservations)
    return (*parts, _as_of_s(state))


def _as_of_s(state: ClusterState) -> float | None:
    part = state.parts.get(PartName.JOBS)
    return part.as_of_s if part is not None else None


def is_same(these: tuple[object, ...], those: tuple[object, ...]) -> bool:
    """Return True if both have the very same parts; a time is compared by its value."""
    return len(these) == len(those) and all(
        one is other or (isinstance(one, float) and one == other)
        for one, other in zip(these, those, strict=True)
    )
