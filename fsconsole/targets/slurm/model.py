"""Model built from readings of a cluster: a tree with lasting ids, standings of associations, news."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus, standing_of, stored_of
from fsconsole.slurm.cluster_tree import ClusterTree, Numbering, row_keys
from fsconsole.slurm.own_limits import with_own
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.sshare import Sshare
from fsconsole.slurm.remote_edits import News, news
from fsconsole.targets.external_changes import OutsideChange
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS, Found
from fsconsole.targets.slurm.state import PartName

SOMEBODY = "somebody"


@dataclass(frozen=True, slots=True)
class _Usage:
    """Output of sshare, and the time of the query."""

    records: Sshare
    began_s: float


class ClusterModel:
    """Takes readings in any order and from any thread, and returns which fields of the state are new."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbering = Numbering()
        self._staged: ShareTree | None = None
        self._settings: SlurmConfig | None = None
        self._tree: ClusterTree | None = None
        self._tree_s = 0.0  # It is the time when the tree was last found to have changed.
        self._usage: _Usage | None = None
        self._outside: tuple[OutsideChange, ...] = ()
        self._qos: tuple[Qos, ...] | None = None

    def stage(self, wanted: ShareTree) -> None:
        """Keep the edited copy of the tree; it must not change any more."""
        self._staged = wanted

    def take(self, part: PartName, found: Found, cluster: str) -> dict[str, Any]:
        """Add a reading; return the fields of the state that follow from it."""
        if found.value is None:
            return {}
        with self._lock:
            match part:
                case PartName.SETTINGS:
                    self._settings = found.value
                    return {"settings": found.value, **self._standing()}
                case PartName.TREE:
                    return self._take_tree(found.value, found.began_s, is_complete=True)
                case PartName.USAGE:
                    self._usage = _Usage(found.value, found.began_s)
                    return (
                        {} if self._tree is None else {**self._as_sshare_has_it(cluster), **self._standing()}
                    )
                case PartName.QOS:
                    return {"qos": found.value, **self._take_qos(found.value)}
            return {part.value: found.value}

    def without_database(self, cluster: str) -> dict[str, Any]:
        """Return the tree to use while sacctmgr does not respond: the last one read, or that of sshare."""
        with self._lock:
            return self._as_sshare_has_it(cluster) if self._tree is None else {}

    def _as_sshare_has_it(self, cluster: str) -> dict[str, Any]:
        """Return the tree that sshare shows, unless the stored one is known."""
        if self._usage is None or (self._tree is not None and self._tree.is_complete):
            return {}
        stored = stored_of(self._usage.records, cluster)
        return self._take_tree(stored, self._usage.began_s, is_complete=False)

    def _take_qos(self, qos: tuple[Qos, ...]) -> dict[str, Any]:
        """Return the tree again where it is known: limits of QOS are kept at its root."""
        self._qos = qos
        if self._tree is None or not self._tree.is_complete:
            return {}
        return self._take_tree(self._tree.stored, self._tree_s, is_complete=True)

    def _take_tree(self, stored: StoredAssociations, began_s: float, *, is_complete: bool) -> dict[str, Any]:
        staged, before = self._staged, self._tree
        if stored.own is None and before is not None and is_complete:
            stored = _with_last_own(stored, before)
        qos = self._qos if is_complete else None
        after = self._numbering.tree(stored, staged, is_complete=is_complete, qos=qos)
        self._tree, self._tree_s = after, began_s
        if before is not None:
            self._outside = (*self._outside, *_outside(news(before, after, staged)))
        return {"tree": after, "outside": self._outside, **self._standing()}

    def _standing(self) -> dict[str, AssociationStatus]:
        if self._tree is None or self._usage is None:
            return {}
        is_older = self._usage.began_s < self._tree_s
        return {"standing": standing_of(self._tree, self._usage.records, self._settings, is_older=is_older)}


def _with_last_own(stored: StoredAssociations, before: ClusterTree) -> StoredAssociations:
    """Return the own limits that were read last, where they cannot be read now."""
    if before.stored.own is None:
        return stored
    own = dict(zip(row_keys(before.stored), before.stored.own, strict=True))
    return with_own(stored, {key: limits for key, limits in own.items() if limits}, ASSOC_COLUMNS)


def _outside(found: News) -> list[OutsideChange]:
    """Return one change for all that fits the edited copy, and one for each part that does not fit."""
    fitting = [OutsideChange(SOMEBODY, found.line, found.edits)] if found.edits else []
    return [*fitting, *(OutsideChange(SOMEBODY, found.line, (edit,)) for edit in found.misfits)]
