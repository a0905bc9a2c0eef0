"""Base of the confirmations of actions on jobs and nodes of a cluster."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QDialogButtonBox, QPushButton, QWidget

from fsconsole.console.connections import tie
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController, Reports
from fsconsole.console.operate.jobs.results import failure_words
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.node_change import NodeChange

ANOTHER_CLUSTER = "Another cluster is open now. Nothing was done."


class ClusterActionDialog(AskDialog):
    """It follows its cluster, can arm the console, and waits for the results.

    Subclasses show the jobs or nodes in `follow_cluster`, and send the action in `ask` by `act` or
    `act_on_nodes`.
    """

    def __init__(
        self, controller: JobController, title: str, verb: QPushButton, icon: str, below: str, parent: QWidget
    ) -> None:
        """Create the dialog; `below` is the text below its heading.

        Raises:
            RuntimeError: no cluster is open.
        """
        if controller.arming is None:
            raise RuntimeError("no cluster is open")
        super().__init__(controller.arming, title, verb, icon, parent)
        self.controller = controller
        self._cluster = controller.cluster
        self._tasks = Tasks(self)
        self._below = below
        self.below.setText(below)
        self.arm_button = QPushButton("&Arm", self, autoDefault=False)
        self.arm_button.setToolTip("Allow actions on the cluster. This action still needs confirmation")
        self.arm_button.hide()
        self.buttons.addButton(self.arm_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.arm_button.clicked.connect(controller.arming.arm)
        tie(controller, "changed", self, "refresh")

    def follow_cluster(self) -> str:
        """Show the jobs or nodes as they are now; return why it cannot be done, or nothing."""
        return ""

    def follow(self) -> str:
        """Bring the words up to date; return why it cannot be done, or nothing."""
        if self.controller.cluster is not self._cluster or self.controller.state is None:
            return ANOTHER_CLUSTER
        self.arm_button.setVisible(bool(self.controller.read_only) and self.arming.can_arm())
        return self.follow_cluster()

    def act(self, change: JobChange, undoes: str = "") -> bool:
        """Send an action on jobs; return whether it was sent."""
        return self._wait(sent=self.controller.act(change, self.reason.text(), self._on_reports, undoes))

    def act_on_nodes(self, change: NodeChange, undoes: str = "") -> bool:
        """Send an action on nodes; return whether it was sent."""
        if self._cluster is None:
            return False
        asked = self._cluster.act_on_nodes(change, self.reason.text().strip(), undoes=undoes)
        if asked is not None:
            self._tasks.watch(asked, partial(self._on_nodes, change), self._on_error)
        return self._wait(sent=asked is not None)

    # -- inside ---------------------------------------------------------------------------------------------

    def _wait(self, *, sent: bool) -> bool:
        if sent:
            self.below.setText(f"Waiting for {self.controller.name} to respond")
            self.cancel.setText("Close")
            self.problem.hide()
        return sent

    def _on_nodes(self, change: NodeChange, reports: Reports) -> None:
        self.controller.nodes_acted.emit(change.verb, reports)
        self._on_reports(reports)

    def _on_reports(self, reports: Reports) -> None:
        self._end(failure_words(reports))

    def _on_error(self, error: Exception) -> None:
        self._end(str(error) or "The cluster was closed.")

    def _end(self, problem: str) -> None:
        if self.is_there:
            self.below.setText(self._below)
            self.cancel.setText("Cancel")
        self.on_answer(problem)
