"""Alerts of Operate as notices, of a simulated night and of a cluster alike."""

from __future__ import annotations

from html import escape
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QPushButton, QWidget

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
        source.changed.connect(self._refresh)
        self._refresh()

    def acknowledge(self, key: str = "") -> None:
        """Note that an alert was seen; the first one where none is named."""
        wanted = key or (self.alerts[0].key if self.alerts else "")
        if wanted:
            self._source.acknowledge(wanted)

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


def _order(alert: Alert) -> tuple[float, ...]:
    return (alert.level != "danger", alert.since_s)
