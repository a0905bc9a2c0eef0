"""Confirmation before nodes are drained or resumed: the nodes, their jobs, and the command."""

from __future__ import annotations

from shlex import join

from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.jobs.nodes import NodeView, node_views, nodes_by_status
from fsconsole.console.operate.jobs.action_dialog import ClusterActionDialog
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.jobs.verbs import NODE_VERBS
from fsconsole.slurm.host_list import folded
from fsconsole.slurm.node_change import (
    NodeChange,
    NodeVerb,
    command,
    fault_of_reason,
    status_words,
    why_not,
)
from fsconsole.text.words import count_words, first_of, listed, plural

_ANY = "a reason"
_MOST_LINES = 5
_MOST_REASONS = 12


class NodeDialog(ClusterActionDialog):
    """Nodes are followed by their names; those that it cannot be done to are listed with why."""

    def __init__(
        self, controller: JobController, verb: NodeVerb, names: tuple[str, ...], parent: QWidget
    ) -> None:
        words = NODE_VERBS[verb]
        button = QPushButton(plural(len(names), words.one, words.many))
        super().__init__(controller, button.text().replace("&", ""), button, "slurm", words.below, parent)
        self.node_verb, self._names = verb, names
        self.nodes, self.jobs = self.row("Nodes"), self.row("Jobs there")
        self.left_out, self.command = self.row("Left out"), self.row("Command")
        nodes = f"node {names[0]}" if len(names) == 1 else count_words(len(names), "node")
        self.heading.setText(words.question.format(nodes=nodes, cluster=controller.name))
        self.reason.textChanged.connect(self.refresh)
        self.lay_out(cancels=False)

    @property
    def change(self) -> NodeChange:
        """Requested change, of the nodes to which it applies."""
        able = tuple(view.node.name for view in self._views() if not self._why_not(view))
        return NodeChange(self.node_verb, able, self.reason.text().strip(), self._was(able))

    def follow_cluster(self) -> str:
        """Show the nodes as they are now; return why nothing can be done, or nothing."""
        views = self._views()
        others = [(view, why) for view in views if (why := self._why_not(view))]
        lines = nodes_by_status(view.node for view in views)
        self.nodes.setText("\n".join(first_of(lines, _MOST_REASONS)))
        jobs = {job.job_id: f"{job.label} of {job.user}" for view in views for job in view.jobs}
        self.jobs.setText(listed([*jobs.values()], _MOST_LINES) if jobs else "none shown here")
        lines = first_of([f"{view.node.name}: {why}" for view, why in others], _MOST_LINES)
        self.left_out.setText("\n".join(lines))
        self.form.setRowVisible(self.left_out, bool(others) and len(others) < len(views))
        able = self.change.nodes
        self.dwell.show_for(self.change.was)
        self.command.setText(join(command(self.change, (folded(able),))) if able else "")
        if not able:
            return others[0][1] if others else "The cluster does not have this node any more."
        return fault_of_reason(self.reason.text()) if self.node_verb is NodeVerb.DRAIN else ""

    def ask(self) -> bool:
        """Send the change to the cluster; return whether it was sent."""
        return not self.follow() and self.act_on_nodes(self.change)

    # -- inside ---------------------------------------------------------------------------------------------

    def _views(self) -> tuple[NodeView, ...]:
        state = self.controller.state
        nodes = [node for node in (state.nodes if state is not None else ()) if node.name in self._names]
        return node_views(nodes, state.jobs if state is not None else ())

    def _was(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the states that a resume ends, with their reasons; a drain does not depend on them."""
        if self.node_verb is NodeVerb.DRAIN:
            return {}
        return {view.node.name: status_words(view.node) for view in self._views() if view.node.name in names}

    def _why_not(self, view: NodeView) -> str:
        """Return the obstacle to changing a node, as if a reason were given: a missing one is reported
        separately.
        """
        return why_not(NodeChange(self.node_verb, (), _ANY), view.node)
