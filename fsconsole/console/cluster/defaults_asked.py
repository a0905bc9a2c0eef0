"""Default accounts of users who are removed somewhere, asked of a cluster once for each set of users."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QObject
from shiboken6 import isValid

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.courier import courier


class DefaultsAsked(QObject):
    """Asks in the background, and calls back in the window's thread once there is an answer."""

    def __init__(self, cluster: ClusterSession, answered: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._cluster, self._answered, self._courier = cluster, answered, courier()
        self._users: frozenset[str] = frozenset()
        self._known: Mapping[str, str] = {}

    def of(self, users: Collection[str]) -> Mapping[str, str]:
        """What is known of these users; they are asked for if they are others than before."""
        wanted = frozenset(users) - {""}
        if wanted != self._users:
            self._users, self._known = wanted, {}
            if wanted and self._cluster.arming.can_arm():
                asked = self._cluster.target.default_accounts(wanted)
                asked.add_done_callback(partial(self._courier.call, self._take, wanted))
        return self._known

    def _take(self, users: frozenset[str], asked: Future[Mapping[str, str]]) -> None:
        if not isValid(self) or users != self._users or asked.cancelled() or asked.exception() is not None:
            return
        self._known = asked.result(timeout=0)
        if self._known:
            self._answered()
