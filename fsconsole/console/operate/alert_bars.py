"""Alerts of Operate as notices, of a simulated night and of a cluster alike."""

from __future__ import annotations

import re
from html import escape
from time import monotonic
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.widgets.late_input import READ_S
from fsconsole.console.widgets.strip import Importance, Notice
from fsconsole.neardedicated.view import Alert

UNREAD = "The alert has just arrived. Read it first."
_NUMBER = re.compile(r"\b[0-9][0-9.,:]*\b")


class AlertSource(Protocol):
    """Where alerts are from. Signals: changed()."""

    @property
    def changed(self) -> SignalInstance:
        """Emitted with other alerts."""
        ...

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """Alerts that last, acknowledged ones too."""
        ...

    def since(self, alert: Alert) -> str:
        """Return the start of an alert as a clock time."""
        ...

    def acknowledge(self, key: str) -> None:
        """Note that an alert was seen."""
        ...


class Alerts(QObject):
    """Alerts that are not acknowledged yet, the worst first; each has a notice, which it keeps.

    A notice is made once and used again for a later alert, so that a poll sets its texts alone.

    Signals: bar_made(AlertBar); unread() when one was to be acknowledged that nobody can have read yet.
    """

    bar_made = Signal(object)
    unread = Signal()

    def __init__(self, source: AlertSource, parent: QWidget, left_out: frozenset[str] = frozenset()) -> None:
        """`left_out` has keys of alerts that another notice shows."""
        super().__init__(parent)
        self._left_out = left_out
        self._source, self._parent = source, parent
        self.alerts: tuple[Alert, ...] = ()
        self.bars: list[AlertBar] = []
        self._in_sight_since: dict[str, float] = {}
        source.changed.connect(self._refresh)
        self._refresh()

    def acknowledge(self, key: str) -> None:
        """Note that an alert was seen; not one that nobody can have read yet."""
        if self._is_read(key):
            self._source.acknowledge(key)
        else:
            self.unread.emit()

    @property
    def first_read(self) -> str:
        """Key of the first alert that was in sight long enough to be read; empty without one."""
        return next((one.key for one in self.alerts if self._is_read(one.key)), "")

    def acknowledge_first(self) -> None:
        """Note that the first alert was seen that was in sight long enough to be read."""
        self.acknowledge(self.first_read)

    def _is_read(self, key: str) -> bool:
        since_s = self._in_sight_since.get(key)
        return since_s is not None and monotonic() - since_s >= READ_S

    def note_in_sight(self, key: str) -> None:
        """Note that an alert can be read from now on, unless that is known."""
        self._in_sight_since.setdefault(key, monotonic())

    def note_hidden(self, key: str) -> None:
        """Note that a notice is hidden: one that comes again under its key has to be read again."""
        if all(alert.key != key for alert in self.alerts):
            self._in_sight_since.pop(key, None)

    @Slot()
    def _refresh(self) -> None:
        open_ones = [
            one for one in self._source.alerts if not (one.acknowledged_by or one.key in self._left_out)
        ]
        alerts = tuple(sorted(open_ones, key=_order))
        if alerts == self.alerts:
            return
        stays = {_subject(one) for one in self.alerts} & {_subject(one) for one in alerts}
        self.alerts = alerts
        keys = {alert.key for alert in alerts}
        is_read = {key for key, *_ in stays} | {bar.key for bar in self.bars if bar.isVisible()} - keys
        self._in_sight_since = {key: since for key, since in self._in_sight_since.items() if key in is_read}
        for bar in self.bars:
            bar.set_wanted(wanted=bar.key in keys)
        for alert in alerts:
            self._bar_of(alert).show_alert(alert, self._source.since(alert))

    def _bar_of(self, alert: Alert) -> AlertBar:
        bar = next((one for one in self.bars if one.key == alert.key), None)
        if bar is None:  # One that is still in sight, under the pointer, does not become another alert.
            bar = next((one for one in self.bars if not (one.is_wanted or one.isVisible())), None)
        if bar is None:
            bar = AlertBar(self, self._parent)
            self.bars.append(bar)
            self.bar_made.emit(bar)
        return bar


class AlertBar(Notice):
    """One alert with its button."""

    def __init__(self, alerts: Alerts, parent: QWidget) -> None:
        self._alerts, self.key = alerts, ""  # First: the notice is hidden as it is made.
        super().__init__("warnbg", "warning", "warn", Importance.ALERT, parent)
        self._order: tuple[float, ...] = ()
        self.seen = QPushButton("Acknowledge", self)
        self.seen.clicked.connect(lambda: alerts.acknowledge(self.key))
        self.line.addWidget(self.seen)

    @property
    def order(self) -> tuple[float, ...]:
        return (*super().order, *self._order)

    def show_alert(self, alert: Alert, since: str) -> None:
        """Show an alert, or what has changed of it."""
        self.key, self._order = alert.key, _order(alert)
        self._ink = "danger" if alert.level == "danger" else "warn"
        self._ground = f"{self._ink}bg"
        self.words.setText(f"<b>{escape(alert.text)}</b> &nbsp; since {escape(since)}")
        self.words.setToolTip(alert.text)
        self.setAccessibleName(f"Alert: {alert.text}")
        self.seen.setAccessibleName(f"Acknowledge: {alert.text}")
        self.set_wanted(wanted=True)
        self.update()
        if self.isVisible():
            self._alerts.note_in_sight(self.key)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._alerts.note_in_sight(self.key)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._alerts.note_hidden(self.key)


def _subject(alert: Alert) -> tuple[str, str, str]:
    """Return key, level and words of an alert without numbers, which change as time goes by."""
    return alert.key, alert.level, _NUMBER.sub("", alert.text)


def _order(alert: Alert) -> tuple[float, ...]:
    return (alert.level != "danger", alert.since_s)
