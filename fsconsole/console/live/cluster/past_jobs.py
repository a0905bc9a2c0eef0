"""What Observe shows of the diary of a cluster: its time above, its jobs as they were below."""

from __future__ import annotations

from PySide6.QtCore import QSize, QTimer, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.jobs.words import reason_words, state_words
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.live.machine.strip import TimeStrip
from fsconsole.console.live.side import LiveFrame, Side
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import row_px
from fsconsole.console.widgets.dock import Dock
from fsconsole.slurm.jobs import Job
from fsconsole.targets.base import PAST_JOBS
from fsconsole.text import moments, numbers
from fsconsole.text.durations import length_words

_NOTHING = "No jobs are recorded at this instant."


class PastJobs(Table[Job]):
    """Jobs at one time.

    Attributes:
        at_s: the time, seconds since 1970.
    """

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        self.at_s = 0.0
        columns: tuple[Column[Job], ...] = (
            Column("Job", lambda job: job.label, order=lambda job: job.job_id, width=90, is_number=True),
            Column("State", state_words, width=110),
            Column("User", lambda job: job.user, width=90, is_name=True),
            Column("Account", lambda job: job.account, width=100, is_name=True),
            Column("Name", lambda job: job.name, width=130, is_name=True),
            Column("Partition", lambda job: job.partition, width=90, is_name=True),
            Column("CPUs", lambda job: numbers.thousands(job.cpus), order=lambda job: job.cpus, width=60,
                   is_number=True),
            Column("Elapsed", self._elapsed, order=lambda job: job.ran_s(self.at_s), width=100,
                   is_number=True),
            Column("Nodes", lambda job: job.nodes, width=110, is_name=True),
            Column("Reason", reason_words, width=0),
        )  # fmt: skip
        model = RowModel(columns, key=lambda job: job.job_id)
        super().__init__(model, "Recorded jobs", parent, session.preferences, "observe/past_jobs",
                         sorts=True)  # fmt: skip

    def _elapsed(self, job: Job) -> str:
        ran_s = job.ran_s(self.at_s)
        return length_words(ran_s) if ran_s else ""

    def sizeHint(self) -> QSize:
        return QSize(840, row_px() * 6)


class DiarySide(Side):
    """A week of a cluster's diary."""

    needs = PAST_JOBS
    name = "diary"
    legend_px, legend_percent, below_px = (560, 440), 47, (240, 160)
    head: TimeStrip

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(session, workspace)
        self.head = TimeStrip(workspace.span, session.events, workspace)
        self.head.spans = session.notes.spans
        self.jobs = PastJobs(session)
        self.dock = Dock("observe.past_jobs", "Recorded jobs", self.jobs, workspace)
        self.docks = [self.dock]
        self._shown: tuple[object, ...] = ()
        self.head.head_moved.connect(session.past.go_or_leave)
        session.notes.changed.connect(self.head.refresh)
        workspace.span.changed.connect(self.head.refresh)
        session.past_moved.connect(self._on_past_moved)

    def begin(self) -> None:
        """Show the jobs of another diary."""
        self._shown = ()
        self.head.refresh()
        self._show_jobs()
        if self.is_present:
            QTimer.singleShot(0, self.dock, self.dock.raise_)

    def follow(self) -> None:
        """Show what was written since."""
        self.head.refresh()
        self._show_jobs()

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _on_past_moved(self) -> None:
        if self.is_present:
            self.head.show_head(self.session.past.time_s)
            self._show_jobs()

    def _show_jobs(self) -> None:
        known, target = self.session.offer(PAST_JOBS), self.session.target
        if known is None or target is None:
            return
        time_s = target.now_s if self.session.past.time_s is None else self.session.past.time_s
        if (target, time_s) == self._shown:
            return
        self._shown = (target, time_s)
        jobs = known.at(time_s)
        self.jobs.at_s = at_s = time_s + (target.clock.epoch_s or 0.0)
        self.jobs.rows.set_rows(jobs or (), is_stale=True)
        if jobs is None:
            self.dock.header.set_remark("")
            self.dock.body.show_empty(_NOTHING)
        else:
            self.dock.header.set_remark(f"{numbers.thousands(len(jobs))}, {moments.whole(at_s)}")
            self.dock.body.show_content()
