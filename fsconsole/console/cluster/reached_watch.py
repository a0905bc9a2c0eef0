"""Follows a cluster after an apply, until fairshare can be held against what was predicted of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.cluster.preview import ChangeSetPreview
from fsconsole.app.cluster.reached import Expectation, Reached, expectation_of, headline, reached, summary
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.kit.tasks import Tasks
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.slurm.apply_rows import COMPARE
from fsconsole.targets.slurm.reports import ApplyReport
from fsconsole.targets.slurm.state import ClusterState, PartName

_COMPARE = "comparison"
_WAITING = "Fairshare is compared with the prediction when sshare is read again."


@dataclass(frozen=True, slots=True)
class _Before:
    """What stood before an apply, and what was predicted of it."""

    state: ClusterState
    wanted: ShareTree
    preview: ChangeSetPreview
    applied_s: float


class ReachedWatch(QObject):
    """Comparison of a cluster's newest apply with its prediction.

    Attributes:
        result: comparison with the last prediction; None before an apply and a later reading of sshare.
        sentence, headline: the result in sentences, and in a few words; empty before an apply.

    Signals: changed() with each of them; settled(str) with a short sentence, once it is final.
    """

    changed = Signal()
    settled = Signal(str)

    def __init__(self, cluster: ClusterSession, parent: QObject) -> None:
        super().__init__(parent)
        self._cluster, self._tasks = cluster, Tasks(self)
        self._before: _Before | None = None
        self._expected: Expectation | None = None
        self._seen_s = 0.0
        self.result: Reached | None = None
        self.sentence = self.headline = ""
        cluster.changed.connect(self._on_changed)

    def expect(self, preview: ChangeSetPreview, wanted: ShareTree) -> None:
        """Remember what is predicted, just before it is applied."""
        state = self._cluster.state
        is_known = bool(preview.gains) and state.tree is not None and state.standing is not None
        self._before = _Before(state, wanted.copy(), preview, time.time()) if is_known else None

    def applied(self, report: ApplyReport) -> None:
        """Begin to follow, if anything was done of what was predicted."""
        before, self._before = self._before, None
        undone = sum(not row.result.is_done for row in report.rows)
        if undone == len(report.rows):
            return
        self.drop()
        if before is not None:
            self.sentence = _WAITING
            self.changed.emit()
            self._tasks.run(partial(_expectation, before, undone), self._take_expected)

    def drop(self) -> None:
        """Forget what was predicted, since the cluster was changed to something else."""
        self._tasks.cancel()
        self._expected, self.result = None, None
        self.sentence = self.headline = ""
        self.changed.emit()

    # -- inside ---------------------------------------------------------------------------------------------

    def _take_expected(self, expected: Expectation | None) -> None:
        self._expected = expected
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        """Hold newer readings against what is expected."""
        expected, state = self._expected, self._cluster.state
        part = state.parts.get(PartName.USAGE)
        as_of_s = part.as_of_s if part is not None else None
        if expected is None or as_of_s is None or as_of_s in (self._seen_s, expected.usage_s):
            return
        if self._tasks.is_busy(_COMPARE) or state.tree is None or state.standing is None:
            return
        if as_of_s <= expected.applied_s:
            return
        self._seen_s = as_of_s
        self._tasks.run(partial(_compared, expected, state, as_of_s), self._take, latest=_COMPARE)

    def _take(self, found: tuple[Reached, str]) -> None:
        self.result, self.sentence = found
        self.headline = headline(self.result)
        is_settled = self.result.is_calculated or self.result.is_late
        if is_settled:
            self._expected = None
            cluster = self._cluster
            who = cluster.arming.choices.who
            cluster.target.note(COMPARE, cluster.name, "predicted", self.sentence, who)
        self.changed.emit()
        if is_settled:
            self.settled.emit(f"Fairshare after the apply: {self.headline}")


def _expectation(before: _Before, undone: int) -> Expectation | None:
    """Compute what is expected; for a thread."""
    state, preview = before.state, before.preview
    if state.tree is None or state.standing is None:
        return None
    usage_s = preview.usage_s if preview.usage_s is not None else before.applied_s
    return expectation_of(
        state.tree, state.standing, before.wanted, list(preview.gains.values()),
        usage_s=usage_s, applied_s=before.applied_s, undone=undone,
    )  # fmt: skip


def _compared(expected: Expectation, state: ClusterState, as_of_s: float) -> tuple[Reached, str]:
    """Compare expected with reached values in a thread; tree and status of the state are known."""
    if state.tree is None or state.standing is None:
        raise ValueError("no data read from the cluster")
    settings = state.settings
    period_s = settings.calc_period_s if settings is not None else 0.0
    by_rank = settings is not None and settings.is_fair_tree
    found = reached(expected, state.tree, state.standing, state.jobs, as_of_s, period_s, by_rank=by_rank)
    return found, summary(found, expected, period_s)
