"""The alerts of the cluster that is open, from one state to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.alerts.cluster import ClusterAlerts
from fsconsole.console.alerts.preferences import AlertPreferences
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.neardedicated.view import Alert
from fsconsole.text import moments


class ClusterWatch(QObject):
    """Follows whichever cluster the session has. Signals: changed() with other alerts, or another cluster."""

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._choices = AlertPreferences(session.preferences)
        self._cluster: ClusterSession | None = None
        self._alerts = ClusterAlerts()
        session.document_changed.connect(self._on_document_changed)
        self._on_document_changed()

    @property
    def name(self) -> str:
        """What the cluster is called; empty where none is open."""
        return "" if self._cluster is None else self._cluster.name

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Alerts that last, acknowledged ones too."""
        return () if self._cluster is None else self._alerts.alerts

    def since(self, alert: Alert) -> str:
        """Return the start of an alert as a clock time."""
        now_s = alert.since_s if self._cluster is None else self._cluster.now_s()
        return moments.moment(alert.since_s, now_s)

    def acknowledge(self, key: str) -> None:
        """Note that an alert was seen, here and in the cluster's audit log."""
        cluster = self._cluster
        if cluster is None:
            return
        who = cluster.arming.choices.who
        text = next((alert.text for alert in self._alerts.alerts if alert.key == key), key)
        self._alerts.acknowledge(key, who)
        cluster.target.note("acknowledge", text, "new", "seen", who)
        self.changed.emit()

    @Slot()
    def _on_document_changed(self) -> None:
        before, self._cluster = self._cluster, self._session.offer(CLUSTER)
        if self._cluster is before:
            return
        self._alerts = ClusterAlerts(self._choices.most_pending)
        if self._cluster is not None:
            self._cluster.changed.connect(self._on_changed)
            self._on_changed()
        self.changed.emit()

    @Slot()
    def _on_changed(self) -> None:
        cluster = self._cluster
        if cluster is None or cluster.captured_s is not None:  # A capture folder shows the past.
            return
        self._alerts.most_pending = self._choices.most_pending
        before = self._alerts.alerts
        if self._alerts.take(cluster.state, cluster.now_s()) != before:
            self.changed.emit()


def cluster_watch(session: ConsoleSession) -> ClusterWatch:
    """Return the one of a session, which is made when it is first asked for."""
    return session.findChild(ClusterWatch) or ClusterWatch(session, session)
