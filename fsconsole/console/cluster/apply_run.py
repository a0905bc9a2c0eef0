"""A change set being applied to the cluster, and the queries before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.kit.tasks import Tasks, main_thread_calls
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport


class ApplyRun(QObject):
    """A change set that is being applied, or only printed.

    Attributes:
        began_s: start, by `time.monotonic`.
        report: result; None while it runs.

    Signals: stepped(Change, str) when a change is being sent, and once it was; progressed(ChangeReport) with
    its result; ended() at the end, with `report` or `fault`.
    """

    stepped = Signal(object, str)
    progressed = Signal(object)
    ended = Signal()

    def __init__(
        self, cluster: ClusterSession, changes: ChangeSet, why: str, parent: QObject, undoes: str = ""
    ) -> None:
        super().__init__(parent)
        self._undoes = undoes
        self._cluster, self._changes, self._why = cluster, changes, why
        self.began_s = time.monotonic()
        self.report: ApplyReport | None = None
        self.fault = ""

    def start(self, *, dry_run: bool = False) -> None:
        """Start without further checks."""
        cluster = self._cluster
        cluster.is_applying = not dry_run
        if not dry_run:
            cluster.own.add(self._changes)
        who = cluster.arming.choices.who
        asked = cluster.target.apply(
            self._changes,
            who,
            self._why,
            dry_run=dry_run,
            progress=partial(main_thread_calls().call, self._on_progress),
            step=partial(main_thread_calls().call, self._on_step),
            undoes=self._undoes,
        )
        cluster.tasks.watch(asked, self._on_report, self._on_failed)

    def stop(self) -> None:
        """Leave what has not begun."""
        self._cluster.target.stop_applying()

    @property
    def runs_s(self) -> float:
        """For how long it has been running."""
        return time.monotonic() - self.began_s

    # -- while it runs, and afterwards; the dialog that this belongs to may have gone ----------------------

    def _on_step(self, change: Change, state: str) -> None:
        if isValid(self):
            self.stepped.emit(change, state)

    def _on_progress(self, report: ChangeReport) -> None:
        if isValid(self):
            self.progressed.emit(report)

    def _on_report(self, report: ApplyReport) -> None:
        self._cluster.is_applying = False
        if isValid(self):
            self.report = report
            if any(row.result.is_done for row in report.rows):
                self._cluster.applied.emit()
            self.ended.emit()

    def _on_failed(self, error: Exception) -> None:
        self._cluster.is_applying = False
        if isValid(self):
            self.fault = f"Apply failed: {error}. Refresh the cluster to see which changes were made."
            self.ended.emit()


class DefaultAccounts(QObject):
    """Default accounts of some users, queried from a cluster once for each set of users and reading.

    The query runs in the background, and calls back in the window's thread.
    """

    def __init__(self, cluster: ClusterSession, answered: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._cluster, self._answered, self._tasks = cluster, answered, Tasks(self)
        self._users: frozenset[str] = frozenset()
        self._tree: ClusterTree | None = None
        self._as_of_s: float | None = None
        self._known: Mapping[str, str] | None = None

    def of(
        self, users: Collection[str], tree: ClusterTree | None, as_of_s: float | None = None
    ) -> Mapping[str, str] | None:
        """Return the values of these users, None until they are known; query them if the users, the tree or
        the time of its reading are others than before.
        """
        wanted = frozenset(users) - {""}
        if wanted != self._users or tree is not self._tree or as_of_s != self._as_of_s:
            if wanted != self._users:
                self._known = None
            self._users, self._tree, self._as_of_s = wanted, tree, as_of_s
            self._tasks.cancel()
            if wanted and self._cluster.arming.can_arm():
                asked = self._cluster.target.default_accounts(wanted)
                # Without a response the result is unknown.
                self._tasks.watch(asked, self._take, lambda _: None)
        return self._known

    def _take(self, known: Mapping[str, str]) -> None:
        if known != self._known:
            self._known = known
            self._answered()
