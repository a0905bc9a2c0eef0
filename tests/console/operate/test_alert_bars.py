"""Alerts keep their notices: a poll sets texts, makes nothing anew and leaves the keyboard where it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.notice_line import NoticeLine
from fsconsole.console.operate import alert_bars
from fsconsole.console.operate.alert_bars import Alerts
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.widgets.late_input import READ_S
from fsconsole.neardedicated.view import Alert


class Polled(QObject):
    """Alerts as a poll reads them."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.alerts: tuple[Alert, ...] = ()
        self.seen: list[str] = []

    def since(self, alert: Alert) -> str:
        return f"{alert.since_s:.0f}"

    def acknowledge(self, key: str) -> None:
        self.seen.append(key)
        self.publish(*(one for one in self.alerts if one.key != key))

    def publish(self, *alerts: Alert) -> None:
        self.alerts = alerts
        self.changed.emit()


@pytest.fixture
def polled() -> Polled:
    return Polled()


@pytest.fixture
def window(qtbot: QtBot, look: ConsoleStyle, polled: Polled) -> Iterator[QWidget]:
    made = QWidget()
    field, line = QLineEdit(made), NoticeLine(made)
    alerts = Alerts(polled, made)
    alerts.bar_made.connect(lambda bar: line.add((bar,)))
    layout = QVBoxLayout(made)
    for part in (line, field):
        layout.addWidget(part)
    made.resize(900, 200)
    with qtbot.waitActive(made):
        made.show()
    yield made
    made.close()


def alert(key: str, text: str, *, danger: bool = False) -> Alert:
    return Alert(key=key, level="danger" if danger else "warn", text=text, since_s=float(len(key)))


def texts(window: QWidget) -> list[str]:
    (alerts,) = window.findChildren(Alerts)
    return [bar.words.toolTip() for bar in alerts.bars if bar.isVisible()]


def test_a_poll_leaves_the_keyboard_where_it_is(window: QWidget, polled: Polled) -> None:
    polled.publish(alert("limit", "9 min"))
    (alerts,) = window.findChildren(Alerts)
    alerts.bars[0].seen.setFocus()  # as a click does
    field = window.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    for left in range(8, 0, -1):
        QTest.keyClick(field, Qt.Key.Key_1)
        polled.publish(alert("limit", f"{left} min"))
        assert texts(window) == [f"{left} min"]
        assert QApplication.focusWidget() is field
    assert (field.text(), field.isModified()) == ("1" * 8, True)
    assert len(alerts.bars) == 1


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of alerts in its only element, s."""
    clock_s = [100.0]
    monkeypatch.setattr(alert_bars, "monotonic", lambda: clock_s[0])
    return clock_s


def test_the_button_of_an_alert_never_becomes_that_of_another(
    window: QWidget, polled: Polled, now: list[float]
) -> None:
    polled.publish(alert("limit", "old"))
    now[0] += READ_S
    (alerts,) = window.findChildren(Alerts)
    alerts.bars[0].seen.setFocus()
    polled.publish(alert("node", "new", danger=True))
    assert texts(window) == ["old"]
    QTest.keyClick(alerts.bars[0].seen, Qt.Key.Key_Space)
    assert polled.seen == ["limit"]
    assert texts(window) == ["new"]
    polled.publish()
    polled.publish(alert("third", "third"))
    assert texts(window) == ["third"]
    assert len(alerts.bars) == 2


@pytest.mark.parametrize("how", ["click", "key", "command"])
@pytest.mark.parametrize(
    "later",
    [
        alert("job", "job 30 of ann was requeued"),
        alert("job", "job 30 of ann was suspended", danger=True),
        alert("node", "n3 is down"),
    ],
)
def test_an_alert_is_acknowledged_once_it_could_be_read(
    qtbot: QtBot, window: QWidget, polled: Polled, now: list[float], how: str, later: Alert
) -> None:
    """Also where its notice showed another one, or it has the key of another event."""
    (alerts,) = window.findChildren(Alerts)

    def answer() -> None:
        (bar,) = (bar for bar in alerts.bars if bar.isVisible())
        if how == "click":
            QTest.mouseClick(bar.seen, Qt.MouseButton.LeftButton)
        elif how == "key":
            bar.seen.setFocus()
            QTest.keyClick(bar.seen, Qt.Key.Key_Space)
        else:
            alerts.acknowledge_first()

    polled.publish(alert("job", "job 30 of ann was suspended"))
    now[0] += READ_S
    polled.publish(*([] if later.key == "node" else [later]))
    polled.publish(later)
    with qtbot.waitSignal(alerts.unread):
        answer()
    assert polled.seen == []
    now[0] += READ_S
    answer()
    assert polled.seen == [later.key]


def test_minutes_that_go_by_do_not_make_another_alert(
    window: QWidget, polled: Polled, now: list[float]
) -> None:
    (alerts,) = window.findChildren(Alerts)
    for left in (9, 8):
        polled.publish(alert("limit", f"job 7 on n3 ends at 12:30 in {left} min"))
        now[0] += READ_S / 2
    alerts.bars[0].seen.click()
    assert polled.seen == ["limit"]


def test_a_command_acknowledges_what_was_in_sight(window: QWidget, polled: Polled, now: list[float]) -> None:
    (alerts,) = window.findChildren(Alerts)
    polled.publish(alert("limit", "read"))
    alerts.acknowledge_first()
    assert polled.seen == []
    now[0] += READ_S
    polled.publish(alert("limit", "read"), alert("node", "worse, just arrived", danger=True))
    assert texts(window) == ["worse, just arrived"]
    alerts.acknowledge_first()
    assert polled.seen == ["limit"]
    alerts.acknowledge_first()
    assert polled.seen == ["limit"]
    now[0] += READ_S
    alerts.acknowledge_first()
    assert polled.seen == ["limit", "node"]
