"""Roll back of records that changed associations or QOS: shown as commands at once, as the click asks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from fsconsole.app.cluster.preview import ChangeSetPreview, preview_of
from fsconsole.app.cluster.records import history_of
from fsconsole.app.cluster.roll_back import Present, WayBack, present_of, users_of, way_back
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.audit import AuditRow
from fsconsole.text import moments


class ChangesRollBack(QObject):
    """Opens the dialog of a roll back over a window."""

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._parent = session, parent
        self._tasks = Tasks(self)

    def open_unfinished(self) -> None:
        """Ask whether the apply without an end in the log is to be rolled back."""
        if (cluster := self._session.offer(CLUSTER)) is not None:
            asked = cluster.target.default_accounts(users_of(cluster.state.audit))
            take = partial(self._take_unfinished, cluster)
            self._tasks.watch(asked, take, lambda _error: take(None))

    def _take_unfinished(self, cluster: ClusterSession, defaults: Mapping[str, str] | None) -> None:
        now = present_of(cluster.state, cluster.now_s(), defaults)
        self._take(cluster, _unfinished(cluster.state.audit, now))

    def open(self, way: WayBack) -> None:
        """Ask whether a record is to be rolled back; say why not if it cannot be."""
        if (cluster := self._session.offer(CLUSTER)) is not None:
            self._take(cluster, way)

    def _take(self, cluster: ClusterSession, way: WayBack | None) -> None:
        if way is None or not way.is_possible:
            why = way.why_not if way is not None else ""
            words = f"There is nothing to roll back: {why}." if why else "There is nothing to roll back."
            self._session.message.emit(words)
            return
        self._show(cluster, way, preview_of(cluster.state, way.changes))

    def _show(self, cluster: ClusterSession, way: WayBack, preview: ChangeSetPreview) -> None:
        from fsconsole.console.cluster.apply_dialog import ApplyDialog, ChangesBack

        staging = self._session.offer(STAGING)
        if staging is None:
            return
        left = tuple(f"{step.row.on}: {why}." for step, why in way.left)
        when = moments.moment(way.record.row.tick, cluster.now_s())
        back = ChangesBack(preview, way.record.id, when, left)
        ApplyDialog(cluster, staging, self._parent.window(), back=back).open()


def _unfinished(rows: tuple[AuditRow, ...], now: Present) -> WayBack | None:
    history = history_of(rows)
    return way_back(history, history.unfinished, now) if history.unfinished is not None else None
