"""Roll back of what is on record of a cluster: the dialogs that ask for it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from shlex import join

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.cluster.records import Record, history_of
from fsconsole.app.cluster.roll_back import WayBack, present_of, way_back
from fsconsole.console.cluster.roll_back import ChangesRollBack
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController, Reports
from fsconsole.console.operate.jobs.node_dialog import failures
from fsconsole.console.operate.jobs.results import failure_words
from fsconsole.slurm import job_change, node_change
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.node_change import NodeChange
from fsconsole.targets.slurm.reports import NodeReport
from fsconsole.text import moments


class RollBacks(QObject):
    """Opens the dialog that rolls a record back."""

    def __init__(self, controller: JobController, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller, self._parent = controller, parent
        self._of_changes = ChangesRollBack(controller.session, parent)

    def open(self, way: WayBack) -> None:
        """Ask whether a record is to be rolled back."""
        if way.job is not None or way.node is not None:
            RollBackDialog(self._controller, way.record, self._parent.window()).open()
        else:
            self._of_changes.open(way)


class RollBackDialog(AskDialog):
    """Confirms the roll back of an action on a job or a node, which is followed until then."""

    def __init__(self, controller: JobController, record: Record, parent: QWidget) -> None:
        """Create the dialog.

        Raises:
            RuntimeError: no cluster is open.
        """
        if controller.arming is None:
            raise RuntimeError("no cluster is open")
        super().__init__(controller.arming, "Roll back", QPushButton("&Roll back"), "undo", parent)
        self.controller, self.record = controller, record
        self._cluster = controller.cluster
        self._tasks = Tasks(self)
        when = moments.moment(record.row.tick, controller.now_s)
        question = f"Roll back {record.row.action} {record.on} of {when} on {controller.name}?"
        self.heading.setText(question)
        self._below = "The cluster still has what was set, so nothing that others did is lost."
        self.below.setText(self._below)
        self._now, self._to = self.row("Now"), self.row("Back to")
        self._command = self.row("Command")
        self.arm = QPushButton("&Arm", self)
        self.arm.setToolTip("Allow actions on the cluster. This action still needs confirmation")
        self.arm.setAutoDefault(False)
        self.buttons.addButton(self.arm, self.buttons.ButtonRole.ActionRole)
        self.arm.clicked.connect(controller.arming.arm)
        controller.changed.connect(self.refresh)
        self.lay_out(cancels=True)

    def follow(self) -> str:
        """Show the way back as it is now; return why there is none, or nothing."""
        if self.controller.cluster is not self._cluster or self.controller.state is None:
            return "Another cluster is open now. Nothing was done."
        self.arm.setVisible(bool(self.controller.read_only) and self.arming.can_arm())
        way = self._way()
        if way.job is not None:
            self._show_job(way.job)
        elif way.node is not None:
            self._show_node(way.node)
        else:
            return f"It cannot be rolled back: {way.why_not}."
        return f"{hindrance}." if (hindrance := self.controller.hindrance()) else ""

    def ask(self) -> bool:
        """Send the change to the cluster; return whether it was sent."""
        if self.follow() or self._cluster is None:
            return False
        way, why = self._way(), self.reason.text().strip()
        if way.job is not None:
            if not self.controller.act(way.job, why, self._on_jobs, undoes=self.record.id):
                return False
        elif way.node is not None:
            asked = self._cluster.act_on_nodes(way.node, why, undoes=self.record.id)
            if asked is None:
                return False
            self._tasks.watch(asked, partial(self._on_nodes, way.node), self._on_error)
        self.below.setText(f"Waiting for {self.controller.name} to respond")
        return True

    # -- inside ---------------------------------------------------------------------------------------------

    def _way(self) -> WayBack:
        state = self.controller.state
        assert state is not None  # noqa: S101 (`follow` has checked)
        now = replace(present_of(state, self.controller.now_s), tree=None)
        history = history_of(state.audit)
        return way_back(history, history.record(self.record.id) or self.record, now)

    def _show_job(self, change: JobChange) -> None:
        state = self.controller.state
        jobs = JobIndex(state.jobs).find(change.jobs[0]) if state is not None else ()
        words = dict.fromkeys(job_change.status_words(change, job) for job in jobs)
        limit_s = jobs[0].time_limit_s if jobs else None
        self._show(", ".join(words), job_change.command(change, change.jobs, limit_s))

    def _show_node(self, change: NodeChange) -> None:
        state = self.controller.state
        nodes = state.nodes if state is not None else ()
        words = next((node_change.status_words(node) for node in nodes if node.name == change.nodes[0]), "")
        self._show(words, node_change.command(change, change.nodes))

    def _show(self, now: str, command: tuple[str, ...]) -> None:
        self._now.setText(now)
        self._to.setText(self.record.before)
        self._command.setText(join(command))

    def _on_jobs(self, reports: Reports) -> None:
        self._end(failure_words(reports))

    def _on_nodes(self, change: NodeChange, reports: tuple[NodeReport, ...]) -> None:
        self.controller.nodes_acted.emit(change.verb, reports)
        self._end(failures(reports))

    def _on_error(self, error: Exception) -> None:
        self._end(str(error) or "The cluster was closed.")

    def _end(self, problem: str) -> None:
        if self.is_there:
            self.below.setText(self._below)
        self.on_answer(problem)
