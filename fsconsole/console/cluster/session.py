"""What all views share of a cluster: its newest state, and whether one may act on it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.cluster.tree_diff import OwnChanges
from fsconsole.console.arming import ARMING, Arming
from fsconsole.console.connections import every
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.preferences import Preferences
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.node_change import NodeChange
from fsconsole.targets.base import Capability
from fsconsole.targets.slurm.base import ClusterTarget, JobProgress
from fsconsole.targets.slurm.location import captured_folder
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.source import ClusterSource
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.targets.slurm.summary import ClusterSummary

LOOK_MS = 250
T = TypeVar("T")


class ClusterArming(Arming):
    """Permission of the console to act on the cluster."""

    def __init__(self, target: ClusterTarget, preferences: Preferences, parent: QObject) -> None:
        super().__init__(preferences, parent)
        self._target = target

    def can_arm(self) -> bool:
        """Return True if actions are possible; not on a capture."""
        return captured_folder(self._target.place.prefix) is None

    def note(self, action: str, before: str, after: str, why: str) -> None:
        """Write an action into the cluster's audit log."""
        self._target.note(action, self._target.state().name, before, after, self.choices.who, why)


class ClusterSession(QObject):
    """Follows a cluster four times a second; views depend on it, never on each other.

    Attributes:
        target: the cluster.
        source: source of the views' data.
        arming: whether actions are allowed; read-only at first.
        state: the newest reported state.
        tasks: requested actions.
        is_applying: whether a change set is being applied now.
        own: changes that this console applied.

    Signals: changed(ClusterState) with a new state; shown() after views show other values, or what they show
    is held, or no longer; renewed() after the newest state was computed; acted(tuple of ActionReport) with
    the results of an action; applied() after a change set of which anything was done; closing() before the
    target is ended.
    """

    changed = Signal(object)
    shown = Signal()
    renewed = Signal()
    applied = Signal()
    acted = Signal(object)
    news = Signal()
    closing = Signal()

    def __init__(
        self,
        target: ClusterTarget,
        preferences: Preferences,
        parent: QObject | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        super().__init__(parent)
        self.target = target
        self.source = ClusterSource(target, now)
        self.arming = ClusterArming(target, preferences, self)
        self.state: ClusterState = target.state()
        self.is_applying = False
        self.own = OwnChanges()
        self._offers: dict[Capability[Any], Any] = {CLUSTER: self, ARMING: self.arming}
        self._followed: tuple[ClusterSummary | None, ClusterSummary | None, bool] = (None, None, False)
        self.tasks = Tasks(self)
        self.arming.changed.connect(self._on_armed)
        self._timer = every(self, LOOK_MS, self.look)
        self._timer.start()

    def offer(self, capability: Capability[T]) -> T | None:
        """Return the cluster itself, arming, and what was added."""
        return self._offers.get(capability)

    def add_offer(self, capability: Capability[T], offer: T) -> None:
        """Offer something more, or something else than before, that belongs to the cluster."""
        self._offers[capability] = offer

    @Slot()
    def follow(self) -> None:
        """Report the new data of the source."""
        state = self.target.state()
        if state.serial != self.state.serial:
            self.state = state
            self.changed.emit(state)
        source, previous = self.source, self._followed
        self._followed = (source.newest, source.shown, source.is_held)
        if previous[0] is not source.newest:
            self.renewed.emit()
        if previous[1:] != self._followed[1:]:
            self.shown.emit()

    @property
    def captured_s(self) -> float | None:
        """When it was captured, seconds since 1970; None for a cluster that answers now."""
        return self.state.captured_s

    def now_s(self) -> float:
        """Return the cluster's time in seconds since 1970; a capture's time does not change."""
        return self.source.now()

    @property
    def name(self) -> str:
        """What the cluster is called."""
        return self.state.name

    @Slot()
    def look(self) -> None:
        """Report a new state."""
        before = self._followed, self.state
        self.source.look()
        self.follow()
        if (self._followed, self.state) != before:
            self.news.emit()

    @Slot()
    def _on_armed(self) -> None:
        """Send nothing more once the console is read-only; what was sent is read back."""
        if not self.arming.is_armed:
            self.target.stop_applying()
            self.target.stop_acting()

    def act(
        self,
        change: JobChange,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: JobProgress | None = None,
        undoes: str = "",
    ) -> Future[tuple[ActionReport, ...]] | None:
        """Start an action on jobs; `acted` and the future report the results, `progress` what was sent.

        `progress` is called in the target's thread; `undoes` is the identity of the record that it rolls
        back. None, without any action, while the console is read-only and this is not a dry run.
        """
        self.arming.look()
        if not (dry_run or self.arming.is_armed):
            return None
        who = self.arming.choices.who
        asked = self.target.act(change, who, why, dry_run=dry_run, progress=progress, undoes=undoes)
        self.tasks.watch(asked, self.acted.emit, lambda _: None)  # The caller handles its failure.
        return asked

    def act_on_nodes(
        self, change: NodeChange, why: str = "", *, dry_run: bool = False, undoes: str = ""
    ) -> Future[tuple[ActionReport, ...]] | None:
        """Start an action on nodes of the cluster; the future has the results.

        None, without any action, while the console is read-only and this is not a dry run.
        """
        self.arming.look()
        if not (dry_run or self.arming.is_armed):
            return None
        who = self.arming.choices.who
        return self.target.act_on_nodes(change, who, why, dry_run=dry_run, undoes=undoes)

    def close(self, *, wait: bool = False) -> None:
        """End the target; what is being done to it is read back and logged, and `wait` waits for that."""
        self._timer.stop()
        self.source.close()
        self.closing.emit()
        self.arming.disarm("left")
        self.target.close(wait=wait)


CLUSTER: Capability[ClusterSession] = Capability("a cluster with jobs and associations")
