"""All values of the selected association, below its node: usage, limits and age of the data."""

from __future__ import annotations

import math

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.cluster.limit_facts import limit_facts, weight_facts
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.facts import FactList
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Fairshare
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text import numbers

_Facts = list[tuple[str, str]]

_AGREES = 1.5e-6  # Two roundings: sshare rounds to six digits, from values that are rounded too.


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
        known = _facts_of(digest.state, row) if digest is not None and row is not None else []
        self.facts.show_facts(known)
        standing = digest.state.standing if digest is not None else None
        lag = standing.lagging.get(chosen[0], "") if standing is not None else ""
        self._lag.say(lag if is_there else f"Not on {cluster.name} yet.", "warn" if is_there else "muted")

    @Slot()
    def _watch(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not None and cluster is not self._cluster:
            cluster.renewed.connect(self.refresh)
        self._cluster = cluster
        self.refresh()


def _facts_of(state: ClusterState, row: int) -> _Facts:
    """Return captions and values of a row of the cluster's tree, without missing ones."""
    facts: _Facts = []
    if state.standing is not None:
        facts += _status_facts(state.standing, row)
    if state.tree is not None:
        facts += limit_facts(state.tree.stored, row, state.qos)
        facts += [] if row else weight_facts(state.settings, state.partitions)
    return facts


def _status_facts(standing: AssociationStatus, row: int) -> _Facts:
    printed, ours = standing.printed, standing.computed
    raw = float(standing.raw_usage[row])
    usage = numbers.percent(float(standing.norm_usage[row]), 3)
    facts = [
        ("FairShare", _both(printed, ours, "fairshare", row, 6)),
        ("LevelFS", _both(printed, ours, "level_fs", row, 4)),
        ("NormShares", _both(printed, ours, "norm_shares", row, 6)),
        ("EffectvUsage", _both(printed, ours, "effective_usage", row, 6)),
        ("Usage", f"{usage}, raw {numbers.thousands(raw)} billing-seconds" if not math.isnan(raw) else ""),
    ]
    return [(what, text) for what, text in facts if text]


def _both(printed: Fairshare, ours: Fairshare, name: str, row: int, digits: int) -> str:
    """Return the value of sshare, with ours beside it if that differs."""
    value, other = float(getattr(printed, name)[row]), float(getattr(ours, name)[row])
    if math.isnan(value):
        return ""
    text = numbers.fixed(value, digits)
    same = math.isnan(other) or abs(value - other) <= max(_AGREES, abs(value) * 10.0**-digits)
    return text if same else f"{text} from sshare, {numbers.fixed(other, digits)} computed by the console"
