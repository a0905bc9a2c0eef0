"""The selected association in full, below its node: how it stands, what it may use, what lags."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from fsconsole.app.cluster.association_facts import Facts, facts_of
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.labels import FactLabel, InkLabel, MutedLabel


class AssociationPanel(QWidget):
    """Hidden while no cluster is open."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cluster: ClusterSession | None = None
        self._rows: list[tuple[MutedLabel, QLabel]] = []
        self._lag = InkLabel(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 0, 12, 10)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        session.document_changed.connect(self._watch)
        session.selection_changed.connect(self.refresh)
        self._watch()

    @property
    def shown(self) -> Facts:
        """Captions and values."""
        return [(what.text(), said.text()) for what, said in self._rows if not what.isHidden()]

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
        facts = facts_of(digest.state, row) if digest is not None and row is not None else []
        self._show(facts)
        standing = digest.state.standing if digest is not None else None
        lag = standing.lagging.get(chosen[0], "") if standing is not None else ""
        self._lag.say(lag if is_there else f"Not in {cluster.name} yet.", "warn" if is_there else "muted")

    def _show(self, facts: Facts) -> None:
        while len(self._rows) < len(facts):
            self._rows.append(self._row(len(self._rows)))
        for number, labels in enumerate(self._rows):
            what, said = facts[number] if number < len(facts) else ("", "")
            for label, text in zip(labels, (what, said), strict=True):
                label.setText(text)
                label.setVisible(number < len(facts))
        self._grid.addWidget(self._lag, len(self._rows), 0, 1, 2)

    def _row(self, number: int) -> tuple[MutedLabel, QLabel]:
        what, said = MutedLabel("", self), FactLabel(self)
        self._grid.addWidget(what, number, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(said, number, 1)
        return what, said

    @Slot()
    def _watch(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not None and cluster is not self._cluster:
            cluster.renewed.connect(self.refresh)
        self._cluster = cluster
        self.refresh()
