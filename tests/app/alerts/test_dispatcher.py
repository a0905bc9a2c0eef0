"""Each alert is delivered once until it is over; what fails is reported once and never lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from queue import Queue
from threading import Event

import pytest

from fsconsole.app.alerts.channels import DeliveryError, Message
from fsconsole.app.alerts.dispatcher import AGAIN_S, AlertDispatcher
from fsconsole.neardedicated.view import Alert
from fsconsole.text.numbers import percent
from tests.texts import says

PATIENCE_S = 10.0
GONE = Alert("controller", "danger", "lab does not respond", 5.0)
MANY = Alert("pending", "warn", "many jobs", 6.0)


class Channel:
    """Takes messages, fails while it has a problem, and waits at its gate."""

    def __init__(self) -> None:
        self.tried: Queue[Message] = Queue()
        self.problem = ""
        self.gate = Event()
        self.gate.set()

    def __call__(self, message: Message) -> None:
        self.tried.put(message)
        assert self.gate.wait(PATIENCE_S)
        if self.problem:
            raise DeliveryError(self.problem)

    def keys(self) -> list[str]:
        return [alert["key"] for alert in self.tried.get(timeout=PATIENCE_S).alerts]


def _dispatcher(
    channel: Callable[[Message], None], **more: float
) -> tuple[AlertDispatcher, Queue[tuple[str, str]]]:
    reports: Queue[tuple[str, str]] = Queue()
    made = AlertDispatcher(lambda name, words: reports.put((name, words)), **more)
    made.set_channel("webhook", "here", channel)
    return made, reports


def test_an_alert_is_delivered_once_until_it_is_over() -> None:
    channel = Channel()
    dispatcher, _ = _dispatcher(channel, again_s=0.0)
    assert dispatcher.update("lab", [GONE], str) == [GONE]
    assert channel.keys() == ["controller"]
    assert dispatcher.update("lab", [GONE], str) == []
    dispatcher.set_channel("webhook", "here", channel)
    assert dispatcher.update("lab", [GONE, MANY], str) == [MANY]
    assert channel.keys() == ["pending"]
    dispatcher.update("lab", [MANY], str)
    assert dispatcher.update("lab", [GONE, MANY], str) == [GONE]
    assert channel.keys() == ["controller"]
    assert channel.tried.empty()
    dispatcher.close()


def test_numbers_are_delivered_as_terminals_have_them() -> None:
    channel = Channel()
    dispatcher, _ = _dispatcher(channel)
    dispatcher.update("lab", [replace(MANY, text=f"ccm has run at {percent(0.7)}")], str)
    assert channel.tried.get(timeout=PATIENCE_S).text.split() == ["ccm", "has", "run", "at", "70.0", "%"]


def test_one_that_comes_and_goes_is_not_delivered_each_time() -> None:
    channel = Channel()
    dispatcher, _ = _dispatcher(channel)
    for _ in range(5):
        dispatcher.update("lab", [GONE], str)
        dispatcher.update("lab", [], str)
    assert channel.keys() == ["controller"]
    assert dispatcher.update("other", [GONE], str) == [GONE]
    dispatcher.close()


def test_one_that_comes_back_and_stays_is_delivered_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [1000.0]
    monkeypatch.setattr("fsconsole.app.alerts.dispatcher.time.monotonic", lambda: now_s[0])
    dispatcher = AlertDispatcher(lambda *_: None)
    assert dispatcher.update("lab", [GONE], str) == [GONE]
    now_s[0] += 20
    dispatcher.update("lab", [], str)
    assert dispatcher.update("lab", [GONE], str) == []
    now_s[0] += AGAIN_S - 30
    assert dispatcher.update("lab", [GONE], str) == []
    now_s[0] += 10
    assert dispatcher.update("lab", [GONE], str) == [GONE]
    now_s[0] += AGAIN_S
    assert dispatcher.update("lab", [GONE], str) == []


def test_an_acknowledged_one_is_not_delivered() -> None:
    dispatcher, _ = _dispatcher(Channel())
    assert dispatcher.update("lab", [replace(GONE, acknowledged_by="rosa")], str) == []
    dispatcher.close()


def test_a_failure_is_reported_once_and_tried_again() -> None:
    channel = Channel()
    channel.problem = "The webhook for alerts cannot reach there."
    dispatcher, reports = _dispatcher(channel, retry_s=0.01)
    dispatcher.update("lab", [GONE], str)
    assert channel.keys() == ["controller"]
    assert reports.get(timeout=PATIENCE_S) == ("webhook", channel.problem)
    dispatcher.update("lab", [GONE, MANY], str)
    for _ in range(2):
        channel.keys()
    assert dispatcher.waiting == 2
    channel.problem = ""
    assert reports.get(timeout=PATIENCE_S) == ("webhook", "")
    assert dispatcher.waiting == 0
    keys: list[str] = []
    while not channel.tried.empty():
        keys = channel.keys()
    assert keys == ["controller", "pending"]
    assert reports.empty()
    dispatcher.close()


def test_what_comes_meanwhile_goes_together() -> None:
    channel = Channel()
    channel.gate.clear()
    dispatcher, _ = _dispatcher(channel)
    dispatcher.update("lab", [GONE], str)
    assert channel.keys() == ["controller"]
    storm = [Alert(f"ended:{number}", "warn", "ended", 1.0) for number in range(50)]
    dispatcher.update("lab", [GONE, *storm], str)
    channel.gate.set()
    assert len(channel.keys()) == 50
    dispatcher.close()


def test_a_storm_that_cannot_be_delivered_is_cut_and_said() -> None:
    channel = Channel()
    channel.gate.clear()
    dispatcher, _ = _dispatcher(channel)
    dispatcher.update("lab", [GONE], str)
    channel.keys()
    storm = [Alert(f"ended:{number}", "warn", "ended", 1.0) for number in range(300)]
    dispatcher.update("lab", [GONE, *storm], str)
    channel.gate.set()
    last = channel.tried.get(timeout=PATIENCE_S).alerts
    assert len(last) == 201
    assert says(last[-1]["text"], "app.alerts.older-alerts-were-dropped-channel")
    dispatcher.close()
