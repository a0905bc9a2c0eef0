"""Default accounts of users who are removed somewhere, asked of a cluster once for each set of users."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from PySide6.QtCore import QObject

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.kit.tasks import Tasks


class DefaultsAsked(QObject):
    """Asks in the background, and calls back in the window's thread once there is an answer."""

    def __init__(self, cluster: ClusterSession, answered: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._cluster, self._answered, self._tasks = cluster, answered, Tasks(self)
        self._users: frozenset[str] = frozenset()
        self._known: Mapping[str, str] = {}

    def of(self, users: Collection[str]) -> Mapping[str, str]:
        """What is known of these users; they are asked for if they are others than before."""
        wanted = frozenset(users) - {""}
        if wanted != self._users:
            self._users, self._known = wanted, {}
            self._tasks.cancel()
            if wanted and self._cluster.arming.can_arm():
                asked = self._cluster.target.default_accounts(wanted)
                self._tasks.watch(asked, self._take, lambda _: None)  # without an answer nothing is known
        return self._known

    def _take(self, known: Mapping[str, str]) -> None:
        self._known = known
        if known:
            self._answered()
