"""The strip of alerts above Operate, of a simulated night and of a cluster alike."""

from __future__ import annotations

from html import escape
from typing import Protocol

from PySide6.QtCore import SignalInstance, Slot
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from fsconsole.console.widgets.strip import Strip
from fsconsole.neardedicated.view import Alert
from fsconsole.text.words import more_label

_MOST_ALERTS = 3


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


class AlertsBar(QWidget):
    """Alerts that are not acknowledged yet, the worst first."""

    def __init__(
        self, source: AlertSource, parent: QWidget | None = None, left_out: frozenset[str] = frozenset()
    ) -> None:
        """`left_out` has keys of alerts that another strip shows."""
        super().__init__(parent)
        self._left_out = left_out
        self._source = source
        self._shown: tuple[Alert, ...] = ()
        self._most = _MOST_ALERTS
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        source.changed.connect(self._refresh)
        self.hide()
        self._refresh()

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """All alerts, including those without room."""
        return self._shown

    def acknowledge(self, key: str = "") -> None:
        """Note that an alert was seen; the first one where none is named."""
        wanted = key or (self._shown[0].key if self._shown else "")
        if wanted:
            self._source.acknowledge(wanted)

    def set_low(self, *, low: bool) -> None:
        """Show the worst one alone where there is little room."""
        self._most = 1 if low else _MOST_ALERTS
        self._shown = ()
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        open_ones = [
            one for one in self._source.alerts if not (one.acknowledged_by or one.key in self._left_out)
        ]
        alerts = tuple(sorted(open_ones, key=lambda one: (one.level != "danger", one.since_s)))
        if alerts == self._shown:
            return
        had_focus = self.focusWidget() is not None and self.isAncestorOf(self.focusWidget())
        self._shown = alerts
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for number, alert in enumerate(alerts[: self._most]):
            strip = self._strip(alert, len(alerts) - self._most if number == self._most - 1 else 0)
            self._rows.addWidget(strip)
            if had_focus and number == 0:
                strip.seen.setFocus()
        self.setVisible(bool(alerts))

    def _strip(self, alert: Alert, more: int) -> _AlertStrip:
        strip = _AlertStrip(alert, self._source.since(alert), more, self)
        strip.seen.clicked.connect(lambda: self.acknowledge(alert.key))
        return strip


class _AlertStrip(Strip):
    """One alert with its button."""

    def __init__(self, alert: Alert, since: str, more: int, parent: QWidget) -> None:
        ink = "danger" if alert.level == "danger" else "warn"
        super().__init__(f"{ink}bg", "warning", ink, parent)
        facts = [f"<b>{escape(alert.text)}</b>", f"since {since}", *more_label(more)]
        self.words.setText(" &nbsp; ".join(facts))
        self.words.setToolTip(alert.text)
        self.setAccessibleName(f"Alert: {alert.text}")
        self.seen = QPushButton("Acknowledge", self)
        self.seen.setAccessibleName(f"Acknowledge: {alert.text}")
        self.line.addWidget(self.seen)
