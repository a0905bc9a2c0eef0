"""What is staged for a cluster: computed in a thread a moment after each edit."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.cluster.preview import ChangeSetPreview, compute_preview
from fsconsole.app.cluster.saved_edits import edits_of
from fsconsole.app.cluster.tree_diff import differing, differing_after, reverting, reverting_all
from fsconsole.console.cluster.auto_save import EditsAutoSave
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.reached_watch import ReachedWatch
from fsconsole.console.cluster.remote_changes import RemoteChanges
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.connections import once
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import Capability
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text.words import count_words

_AFTER_MS = 120


class ChangeSetWorker(QObject):
    """Calculation of the change set of one cluster and its document.

    Attributes:
        staged: the change set and its predicted fairshares; of the newest edit or of a slightly earlier one
            (`is_working`).
        nodes: nodes that differ from the cluster, as of the newest edit.
        problem: why there is no change set, or empty.
        remote: changes of the cluster by others.
        saved: staged edits as stored on the disk.
        reached: comparison of the last apply with its prediction.

    Signals: changed() with each of them.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, cluster: ClusterSession, document: ClusterDocument) -> None:
        super().__init__(cluster)
        self._cluster, self._document = cluster, document
        self.remote = RemoteChanges(session, cluster, document, self)
        self.saved = EditsAutoSave(cluster.name, self, cluster.state.place)
        self.saved.failed.connect(session.preferences.report)
        self.reached = ReachedWatch(cluster, self)
        self.staged = ChangeSetPreview()
        self.nodes: tuple[int, ...] = ()
        self.problem = ""
        self._tasks = Tasks(self)
        self._timer = once(self, _AFTER_MS, self._work)
        self._of = (cluster.state.tree, cluster.state.standing)
        document.edited.connect(self._on_edits)
        cluster.changed.connect(self._on_state)
        cluster.closing.connect(self.close)
        session.ending.connect(self._on_ending)
        self.reached.changed.connect(self.changed)
        self.reached.settled.connect(session.message)

    def expect(self) -> None:
        """Remember what is predicted of the document as it is: it is about to be applied."""
        self.reached.expect(self.staged, self._document.tree)

    @property
    def base(self) -> ShareTree | None:
        """The cluster's tree; None while it is not known."""
        return self.remote.base.shares if self.remote.base is not None else None

    @property
    def is_working(self) -> bool:
        """Whether the change set is of an earlier edit."""
        return self._tasks.is_busy() or self._timer.isActive()

    @property
    def count(self) -> int:
        """How many changes are staged: commands where they are known, else nodes."""
        known = len(self.staged.changes.changes) + len(self.staged.changes.refusals)
        return known if known and not self.is_working else len(self.nodes)

    def revert(self, nodes: list[int]) -> None:
        """Make nodes what they are in the cluster, as one change of the document."""
        base = self.base
        if base is None:
            return
        for node in nodes:
            self._document.edit("Revert to the cluster", reverting(base, self._document.tree, node))

    def revert_all(self) -> None:
        """Make the whole document what the cluster is."""
        if self.base is not None:
            self._document.edit("Revert to the cluster", reverting_all(self.base, self._document.tree))

    def restore(self) -> str:
        """Stage the edits again that an earlier console has left; return the result in words."""
        kept, base = self.saved.take(), self.remote.base
        if kept is None or base is None:
            return ""
        edits, lost = edits_of(kept, base, self._document.tree)
        self._document.edit("Restore staged edits", edits)
        staged = count_words(len(edits), "change is staged again.", "changes are staged again.")
        if not lost:
            return staged
        gone = count_words(lost, "change no longer applies", "changes no longer apply")
        return f"{staged} {gone} to the cluster."

    @Slot()
    def close(self) -> None:
        """Leave the document: compute and keep nothing more."""
        self._timer.stop()
        self._tasks.cancel()
        self.saved.close()

    # -- inside ---------------------------------------------------------------------------------------------

    @Slot()
    def _on_ending(self) -> None:
        """Leave what is staged to the next start, with the edits of the last moment."""
        base = self.remote.base
        if self._timer.isActive() and not self.nodes:
            self.saved.forget()
        elif self._timer.isActive() and base is not None:
            self.saved.keep(base, self._document.tree.copy())
        self._timer.stop()
        self.saved.leave()

    @Slot(object)
    def _on_edits(self, edits: tuple[Edit, ...]) -> None:
        self._count(edits)
        self._timer.start()

    @Slot(object)
    def _on_state(self, state: ClusterState) -> None:
        self.remote.follow(state)
        (tree, standing), self._of = self._of, (state.tree, state.standing)
        if state.tree is not tree:
            self._count()
        if state.tree is not tree or (self.nodes and state.standing is not standing):
            self._timer.start()

    def _count(self, edits: tuple[Edit, ...] | None = None) -> None:
        """Count the differences; quickly where only some edits were made since."""
        base, before, tree = self.base, self.nodes, self._document.tree
        if base is None:
            self.nodes = ()
        elif edits is None:
            self.nodes = differing(base, tree)
        else:
            self.nodes = differing_after(base, tree, before, edits)
        self._document.differs = bool(self.nodes)
        self.remote.settle(self.nodes)
        if self.nodes != before or not self.nodes:
            self.changed.emit()

    @Slot()
    def _work(self) -> None:
        if self._tasks.is_busy():
            self._timer.start()
            return
        wanted = self._document.tree.copy()
        self._cluster.target.stage(wanted)
        base = self.remote.base
        if base is None or not self.nodes:
            self.saved.forget()
            self._show(ChangeSetPreview())
            return
        self.saved.keep(base, wanted)
        self._tasks.run(partial(compute_preview, self._cluster.state, wanted), self._show, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        self._show(ChangeSetPreview(), f"The change set cannot be computed: {error}")

    def _show(self, staged: ChangeSetPreview, problem: str = "") -> None:
        self.staged, self.problem = staged, problem
        self.changed.emit()


STAGING: Capability[ChangeSetWorker] = Capability("applied changes that were staged first")
