"""The share tree's values of associations while a cluster is open: usage, FairShare, LevelFS, age."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from fsconsole.app.cluster.preview import Gain
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.change_table import fairshare_words, gain_tip
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.shares.tree import Node
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import numbers

_Role = Qt.ItemDataRole
_ABOUT = "~"  # As in Observe. While jobs run, some values always lag, which does not justify a warning.
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ClusterCells(QObject):
    """Values by node; unknown where nothing was read of one, or no cluster is open.

    Signals: changed() when any of them may be another.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._cluster: ClusterSession | None = None
        session.document_changed.connect(self._watch)
        self._watch()

    @property
    def has_values(self) -> bool:
        """Whether a cluster is open, which has usage and FairShare."""
        return self._session.offer(CLUSTER) is not None

    @property
    def has_levels(self) -> bool:
        """Whether it has LevelFS, as far as that is known."""
        cluster = self._session.offer(CLUSTER)
        return cluster is not None and (cluster.state.settings is None or cluster.state.settings.is_fair_tree)

    def usage(self, node: Node, role: int) -> Any:
        """Return the fraction of the cluster's decayed usage."""
        found = self._row(node)
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if found is None:
            return numbers.UNKNOWN if role == _Role.DisplayRole else None
        standing, row = found
        value = 1.0 if node.parent is None else float(standing.norm_usage[row])
        if role in (_Role.DisplayRole, CopyRole):
            return numbers.percent(value, 2)
        if role == _Role.ForegroundRole:
            return self._ink()
        if role == _Role.ToolTipRole:
            raw = float(standing.raw_usage[row])
            raw_words = f"raw {numbers.thousands(raw)} billing-seconds"
            return f"{numbers.full(100 * value)}{numbers.PERCENT} of the cluster's usage; {raw_words}"
        return None

    def fairshare(self, node: Node, role: int) -> Any:
        """Return fairshare as sshare prints it, and after the next calculation with the changes."""
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        found, gain = self._row(node), self._gain(node)
        now = float(found[0].printed.fairshare[found[1]]) if found is not None else math.nan
        lag = found[0].lagging.get(node.id, "") if found is not None else ""
        if role in (_Role.DisplayRole, CopyRole):
            last = fairshare_words(gain.last if gain is not None else now)
            is_marked = lag and last != numbers.UNKNOWN and role == _Role.DisplayRole
            text = f"{_ABOUT if is_marked else ''}{last}"
            return f"{text} \N{RIGHTWARDS ARROW} {fairshare_words(gain.after)}" if gain is not None else text
        if role == _Role.ForegroundRole:
            return colour("accent") if gain is not None else self._ink()
        if role == _Role.ToolTipRole:
            about = f"{_ABOUT} is the value from sshare, which lags behind. {lag}" if lag else ""
            return "\n".join(filter(None, (about, gain_tip(gain) if gain is not None else ""))) or None
        return None

    def level_fs(self, node: Node, role: int) -> Any:
        """Return Fair Tree's value of a level; classic fairshare has none."""
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if role in (_Role.DisplayRole, CopyRole):
            found = self._row(node)
            return (
                numbers.UNKNOWN
                if found is None
                else numbers.fixed(float(found[0].printed.level_fs[found[1]]), 4)
            )
        return None

    def _row(self, node: Node) -> tuple[AssociationStatus, int] | None:
        """Return the data of sshare, and the node's row in it."""
        digest = self._cluster.source.newest if self._cluster is not None else None
        if digest is None or digest.index is None or digest.state.standing is None:
            return None
        row = digest.index.row_of.get(node.id)
        standing = digest.state.standing
        if row is None or row >= len(standing.norm_usage):
            return None
        return standing, row

    def _ink(self) -> Any:
        """Return muted ink while usage cannot be read."""
        part = self._cluster.state.parts.get(PartName.USAGE) if self._cluster is not None else None
        return colour("muted") if part is not None and part.problem else None

    def _gain(self, node: Node) -> Gain | None:
        staging = self._session.offer(STAGING)
        return staging.staged.gains.get(node.id) if staging is not None and staging.nodes else None

    @Slot()
    def _watch(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not None and cluster is not self._cluster:
            cluster.renewed.connect(self.changed)
        self._cluster = cluster
        if (staging := self._session.offer(STAGING)) is not None:
            staging.changed.connect(self.changed)
        self.changed.emit()
