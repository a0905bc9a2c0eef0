"""Records of a cluster, and which of them can be rolled back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal

from fsconsole.app.cluster.records import History, history_of
from fsconsole.app.cluster.roll_back import WayBack, present_of, users_of, ways_by_id
from fsconsole.console.cluster.apply_run import DefaultAccounts
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController, is_same
from fsconsole.targets.slurm.state import ClusterState

_WAYS = "ways back"


class RecordWays(QObject):
    """Ways back from the records, computed in a thread. Signals: changed() with other ones."""

    changed = Signal()

    def __init__(self, controller: JobController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._tasks = Tasks(self)
        self._of: tuple[object, ...] = ()
        self._users: tuple[object, frozenset[str]] = (None, frozenset())
        self._accounts: tuple[object, DefaultAccounts | None] = (None, None)
        self._ways: Mapping[str, WayBack] = {}
        self._read: tuple[object, History] = ((), History(()))

    def look(self, *, is_seen: bool = True) -> None:
        """Compute them for the newest state, unless they are known.

        Where they are not seen, those of a state with the same log and tree are good enough.
        """
        state = self._controller.state
        if state is None or not state.audit:
            self._of, self._ways = (), {}
            return
        defaults = self._defaults_now(state)
        parts = (state.audit, state.tree, defaults, state.jobs, state.nodes)
        few = len(parts) if is_seen else 3
        if is_same(parts[:few], self._of[:few]) or self._tasks.is_busy(_WAYS):
            return
        compute = partial(ways_by_id, self.history, present_of(state, self._controller.now_s, defaults))
        self._tasks.run(compute, partial(self._take, parts), latest=_WAYS)

    @property
    def history(self) -> History:
        """All records of the log."""
        if self._read[0] is not (rows := self._controller.audit):
            self._read = rows, history_of(rows)
        return self._read[1]

    def way(self, identity: str) -> WayBack | None:
        """Return the way back from a record or a change of an apply; None if nothing was changed, or while it
        is not known.
        """
        return self._ways.get(identity)

    def newest(self) -> WayBack | None:
        """Return the way back from the newest record that has one."""
        ways = (self._ways.get(record.id) for record in reversed(self.history.records))
        return next((way for way in ways if way is not None and way.is_possible), None)

    def _defaults_now(self, state: ClusterState) -> Mapping[str, str] | None:
        """Return default accounts that ways back depend on; None while they are not known."""
        cluster = self._controller.cluster
        if cluster is None:
            return None
        if self._users[0] is not state.audit:
            self._users = state.audit, users_of(state.audit)
        if self._accounts[0] is not cluster:
            self._accounts = cluster, DefaultAccounts(cluster, self.look, self)
        accounts, users = self._accounts[1], self._users[1]
        return accounts.of(users, state.tree) if accounts is not None and users else None

    def _take(self, parts: tuple[object, ...], ways: Mapping[str, WayBack]) -> None:
        self._of, is_other = parts, ways != self._ways
        self._ways = ways
        if is_other:
            self.changed.emit()
        self.look(is_seen=False)
