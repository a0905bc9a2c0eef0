"""Delivers alerts of whatever is open, simulated or real, by the ways that the operator has chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.alerts.conditions import chosen
from fsconsole.app.alerts.dispatcher import AlertDispatcher
from fsconsole.app.nights.times import Times
from fsconsole.console.alerts.cluster_watch import cluster_watch
from fsconsole.console.alerts.desktop import DesktopNotifications
from fsconsole.console.alerts.preferences import AlertPreferences
from fsconsole.console.kit.tasks import main_thread_calls
from fsconsole.console.session import ConsoleSession
from fsconsole.neardedicated.view import Alert, NightView


class AlertCentre(QObject):
    """Raises alerts as long as the window exists, in each workspace.

    Attributes:
        watch: the alerts of a cluster.
        choices: conditions and channels.
        problems: why a channel does not deliver, by its name.

    Signals: troubled() when a channel fails for the first time, or delivers again.
    """

    troubled = Signal()

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self.choices = AlertPreferences(session.preferences)
        self.problems: dict[str, str] = {}
        self.watch = cluster_watch(session)
        self._desktop = DesktopNotifications(window)
        self._has_shown_desktop = False
        self._night: NightView | None = None
        calls = main_thread_calls()
        # A thread must not refer to a Qt object that may be deleted. The mailbox checks whether it still
        # exists.
        self._mailbox = _Mailbox(self)
        mailbox = self._mailbox
        self.dispatcher = AlertDispatcher(lambda name, words: calls.call(mailbox.take, name, words))
        session.frame.connect(self._look_at_machine)
        session.target_changed.connect(self._on_target_changed)
        self.watch.changed.connect(self._look_at_cluster)
        self.destroyed.connect(partial(_end, self.dispatcher, self._mailbox))

    def update(self, target: str, alerts: Iterable[Alert], since: Callable[[float], str]) -> None:
        """Deliver what is new of a target's alerts."""
        for name, (setting, deliver) in self.choices.ways().items():
            self.dispatcher.set_channel(name, setting, deliver)
        wanted = chosen(alerts, self.choices.conditions)
        for alert in self.dispatcher.update(target, wanted, since):
            if self.choices.notifies:
                self._notify(target, alert)

    def on_report(self, name: str, words: str) -> None:
        """Show why a channel fails; without words, that it delivers again."""
        if words:
            self.problems[name] = words
            self._session.message.emit(words)
        else:
            self.problems.pop(name, None)
        self.troubled.emit()

    # -- inside -------------------------------------------------------------------------------------------

    def _notify(self, target: str, alert: Alert) -> None:
        problem = self._desktop.show(target, alert.text, is_danger=alert.level == "danger")
        if problem and not self._has_shown_desktop:
            self._session.message.emit(problem)
        self._has_shown_desktop = bool(problem)

    @Slot()
    def _look_at_machine(self) -> None:
        snapshot, document = self._session.newest, self._session.document
        night = None if snapshot is None or self._session.is_recorded else snapshot.night
        if night is None or document is None or night is self._night:
            return
        is_same = self._night is not None and night.alerts == self._night.alerts
        self._night = night
        if not is_same:
            machine = document.scenario.machine
            self.update(machine.name, night.alerts, Times(machine.start).short)

    @Slot()
    def _look_at_cluster(self) -> None:
        watch = self.watch
        if watch.name:
            now = {alert.since_s: watch.since(alert) for alert in watch.alerts}
            self.update(watch.name, watch.alerts, now.__getitem__)

    @Slot()
    def _on_target_changed(self) -> None:
        document = self._session.document
        self._night = None
        if document is not None:
            self.dispatcher.forget(document.scenario.machine.name)


class _Mailbox:
    """Passes reports of threads to the alert centre as long as it exists; used in the window's thread."""

    def __init__(self, centre: AlertCentre) -> None:
        self.centre: AlertCentre | None = centre

    def take(self, name: str, words: str) -> None:
        """Pass a report on to the alert centre."""
        if self.centre is not None:
            self.centre.on_report(name, words)


def _end(dispatcher: AlertDispatcher, mailbox: _Mailbox) -> None:
    mailbox.centre = None
    dispatcher.close()
