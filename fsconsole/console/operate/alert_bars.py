"""Alerts of Operate as notices, of a simulated night and of a cluster alike."""

from __future__ import annotations

from html import escape
from time import monotonic
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.widgets.late_input import READ_S
from fsconsole.console.widgets.strip import Importance, Notice
from fsconsole.neardedicated.view import Alert


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

    Signals: bar_made(AlertBar).
    """

    bar_made = Signal(object)

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
        """Note that an alert was seen."""
        self._source.acknowledge(key)

    @property
    def first_read(self) -> str:
        """Key of the first alert that was in sight long enough to be read; empty without one."""
        before_s = monotonic() - READ_S
        seen = (one.key for one in self.alerts if self._in_sight_since.get(one.key, before_s + 1) <= before_s)
        return next(seen, "")

    def acknowledge_first(self) -> bool:
        """Note that the first alert was seen, and return True; not one that nobody can have read yet."""
        if key := self.first_read:
            self._source.acknowledge(key)
        return bool(key)

    def note_in_sight(self, key: str) -> None:
        """Note that an alert can be read from now on, unless that is known."""
        self._in_sight_since.setdefault(key, monotonic())

    @Slot()
    def _refresh(self) -> None:
        open_ones = [
            one for one in self._source.alerts if not (one.acknowledged_by or one.key in self._left_out)
        ]
        alerts = tuple(sorted(open_ones, key=_order))
        if alerts == self.alerts:
            return
        self.alerts = alerts
        keys = {alert.key for alert in alerts}
        self._in_sight_since = {key: since for key, since in self._in_sight_since.items() if key in keys}
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
        super().__init__("warnbg", "warning", "warn", Importance.ALERT, parent)
        self._alerts = alerts
        self._order: tuple[float, ...] = ()
        self.key = ""
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


def _order(alert: Alert) -> tuple[float, ...]:
    return (alert.level != "danger", alert.since_s)
