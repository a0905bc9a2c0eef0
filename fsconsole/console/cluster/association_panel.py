"""The selected association in full, below its node: how it stands, what it may use, what lags."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.cluster.association_facts import facts_of
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.facts import FactList
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import InkLabel


class AssociationPanel(QWidget):
    """Hidden while no cluster is open."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cluster: ClusterSession | None = None
        self.facts = FactList(self, gap=8, spacing=4)
        self._lag = InkLabel(self)
        vbox(self.facts, self._lag, on=self, margins=(12, 0, 12, 10), spacing=4)
        session.document_changed.connect(self._watch)
        session.selection_changed.connect(self.refresh)
        self._watch()

    @Slot()
    def refresh(self) -> None:
        """Show the association as it was read last."""
        cluster, chosen = self._session.offer(CLUSTER), self._session.selection
        digest = cluster.source.newest if cluster is not None else None
        self.setVisible(cluster is not None and bool(chosen))
        if not chosen or cluster is None:
            return
        row = digest.index.row_of.get(chosen[0]) if digest is not None and digest.index is not None else None
        is_there = digest is not None and row is not None
        known = facts_of(digest.state, row) if digest is not None and row is not None else []
        self.facts.show_facts(known)
        standing = digest.state.standing if digest is not None else None
        lag = standing.lagging.get(chosen[0], "") if standing is not None else ""
        self._lag.say(lag if is_there else f"Not in {cluster.name} yet.", "warn" if is_there else "muted")

    @Slot()
    def _watch(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not None and cluster is not self._cluster:
            cluster.renewed.connect(self.refresh)
        self._cluster = cluster
        self.refresh()
