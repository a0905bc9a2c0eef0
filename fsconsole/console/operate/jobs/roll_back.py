"""Roll back of what is on record of a cluster: the dialogs that ask for it."""

from __future__ import annotations

from dataclasses import replace
from shlex import join

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.cluster.records import Record, history_of
from fsconsole.app.cluster.roll_back import WayBack, present_of, way_back
from fsconsole.console.cluster.roll_back import ChangesRollBack
from fsconsole.console.operate.jobs.action_dialog import ClusterActionDialog
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.slurm import job_change, node_change
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.node_change import NodeChange
from fsconsole.text import moments

_BELOW = "The cluster still has what was set, so nothing that others did is lost."


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


class RollBackDialog(ClusterActionDialog):
    """Confirms the roll back of an action on a job or a node, which is followed until then."""

    def __init__(self, controller: JobController, record: Record, parent: QWidget) -> None:
        super().__init__(controller, "Roll back", QPushButton("&Roll back"), "undo", _BELOW, parent)
        self.record = record
        when = moments.moment(record.row.tick, controller.now_s)
        question = f"Roll back “{record.action} {record.on}” of {when} on {controller.name}?"
        self.heading.setText(question)
        self._now, self._to = self.row("Now"), self.row("Back to")
        self._command = self.row("Command")
        self.lay_out(cancels=True)

    def follow_cluster(self) -> str:
        """Show the way back as it is now; return why there is none, or nothing."""
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
        if self.follow():
            return False
        way = self._way()
        if way.job is not None:
            return self.act(way.job, self.record.id)
        return way.node is not None and self.act_on_nodes(way.node, self.record.id)

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
        limit_s = jobs[0].time_limit_s if jobs else None
        self._show(job_change.jobs_status(change, jobs), job_change.command(change, change.jobs, limit_s))

    def _show_node(self, change: NodeChange) -> None:
        state = self.controller.state
        nodes = state.nodes if state is not None else ()
        words = next((node_change.status_words(node) for node in nodes if node.name == change.nodes[0]), "")
        self._show(words, node_change.command(change, change.nodes))

    def _show(self, now: str, command: tuple[str, ...]) -> None:
        self._now.setText(now)
        self._to.setText(self.record.before)
        self._command.setText(join(command))
