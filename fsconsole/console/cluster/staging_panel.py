"""Base of panels that show what is staged for whatever cluster is open."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.cluster.change_set_worker import STAGING, ChangeSetWorker
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession


class StagingPanel(QWidget):
    """Calls `follow` after changes of staged edits or of the cluster, but only while it is visible."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        """Prepare the base; subclasses call `watch` after their own construction."""
        super().__init__(parent)
        self.session = session
        self._watched: ChangeSetWorker | None = None

    def watch(self) -> None:
        """Begin to follow the session."""
        self.session.document_changed.connect(self._watch)
        self._watch()

    @property
    def cluster(self) -> ClusterSession | None:
        """Cluster that is open; None for none."""
        return self.session.offer(CLUSTER)

    @property
    def staging(self) -> ChangeSetWorker | None:
        """What is staged for it."""
        return self.session.offer(STAGING)

    def follow(self) -> None:
        """Show the present state."""

    def select_nodes(self, nodes: Iterable[int]) -> None:
        """Select nodes everywhere, as far as they are in the tree."""
        document = self.session.document
        if document is not None:
            self.session.select(node for node in nodes if node in document.tree)

    @Slot()
    def _watch(self) -> None:
        """Watch the document's signals, and those of the one before no longer."""
        staging = self.staging
        if staging is not None and staging is not self._watched:
            staging.changed.connect(self._on_changed)
        self._watched = staging
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible():
            self.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()
