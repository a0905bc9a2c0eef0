"""Delivery of alerts: each once until its cause is over, on every channel, in a separate thread.

Failed deliveries are kept and tried again. A failure is reported once, until a delivery succeeds. Alerts that
arrive while a channel is busy share one message, so that a storm of alerts is few messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Condition, Thread

from fsconsole.app.alerts.channels import DeliveryError, Message, line_of
from fsconsole.neardedicated.view import Alert
from fsconsole.text.numbers import on_terminal

AGAIN_S = 300.0  # An alternating alert is not delivered more often.
RETRY_S, MOST_RETRY_S = 60.0, 900.0
MOST_KEPT = 200

Deliver = Callable[[Message], None]
Report = Callable[[str, str], None]
Facts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Raised:
    """An alert on its way: the target's name and plain data."""

    target: str
    facts: Facts


class ChannelWorker:
    """Delivers on one channel, one message after the other.

    Attributes:
        problem: why the last one was not delivered, in a sentence; empty where it was.
    """

    def __init__(self, name: str, deliver: Deliver, report: Report, retry_s: float = RETRY_S) -> None:
        """Prepare a channel and its thread.

        The thread calls `report` with the channel's name and a sentence, or None once the channel works
        again.
        """
        self.problem = ""
        self._name, self._deliver, self._report, self._retry_s = name, deliver, report, retry_s
        self._waiting: list[Raised] = []
        self._lost = 0
        self._wake = Condition()
        self._is_closed = False
        self._failures = 0
        self._next_at = 0.0
        self._thread: Thread | None = None

    @property
    def waiting(self) -> int:
        """Alerts that are not delivered yet."""
        with self._wake:
            return len(self._waiting)

    def add(self, raised: Raised) -> None:
        """Add an alert to those that are delivered next."""
        with self._wake:
            if self._is_closed:
                return
            self._waiting.append(raised)
            if len(self._waiting) > MOST_KEPT:
                self._waiting.pop(0)
                self._lost += 1
            if self._thread is None:
                self._thread = Thread(target=self._work, name=f"alerts: {self._name}", daemon=True)
                self._thread.start()
            self._wake.notify()

    def close(self) -> None:
        """Deliver nothing more; a delivery that is going on ends after its time."""
        with self._wake:
            self._is_closed = True
            self._wake.notify()

    def _work(self) -> None:
        while (found := self._next_batch()) is not None:
            batch, lost = found
            message = _message(batch, lost)
            try:
                self._deliver(message)
            except DeliveryError as error:
                self._failed(batch, str(error), is_final=error.is_final)
            except Exception as error:  # noqa: BLE001 (a fault of ours must not end the channel)
                self._failed(
                    batch, f"The {self._name} for alerts failed: {line_of(str(error))}.", is_final=False
                )
            else:
                self._went_well(batch, lost)

    def _next_batch(self) -> tuple[list[Raised], int] | None:
        """Return pending alerts of the first target and the number of omitted ones; None after the close."""
        with self._wake:
            while not self._is_closed:
                left_s = self._next_at - time.monotonic()
                if self._waiting and left_s <= 0:
                    target = self._waiting[0].target
                    return [one for one in self._waiting if one.target == target], self._lost
                self._wake.wait(left_s if self._waiting else None)
        return None

    def _went_well(self, batch: list[Raised], lost: int) -> None:
        with self._wake:
            self._waiting = [one for one in self._waiting if one not in batch]
            self._failures, self._next_at = 0, 0.0
            self._lost -= lost
        if self.problem:
            self.problem = ""
            self._report(self._name, "")

    def _failed(self, batch: list[Raised], why: str, *, is_final: bool) -> None:
        with self._wake:
            if is_final:
                self._waiting = [one for one in self._waiting if one not in batch]
            self._next_at = time.monotonic() + min(self._retry_s * 2.0**self._failures, MOST_RETRY_S)
            self._failures = min(self._failures + 1, 10)
            is_new = not self.problem
            self.problem = why
        if is_new:
            self._report(self._name, why)


class AlertDispatcher:
    """Sends new alerts to channels; used by one thread."""

    def __init__(self, report: Report, *, again_s: float = AGAIN_S, retry_s: float = RETRY_S) -> None:
        """Prepare the channels; `report` is that of `ChannelWorker`."""
        self._report, self._again_s, self._retry_s = report, again_s, retry_s
        self._channels: dict[str, tuple[object, ChannelWorker]] = {}
        self._lasting: set[tuple[str, str]] = set()
        self._sent: dict[tuple[str, str], float] = {}

    @property
    def waiting(self) -> int:
        """Alerts that some channel has not delivered yet."""
        return sum(worker.waiting for _, worker in self._channels.values())

    def set_channel(self, name: str, setting: object, deliver: Deliver | None) -> None:
        """Begin or end delivery on a channel by its setting; the same setting changes nothing."""
        known = self._channels.get(name)
        if known is not None and (deliver is None or known[0] != setting):
            known[1].close()
            del self._channels[name]
            if known[1].problem:
                self._report(name, "")
        if deliver is not None and name not in self._channels:
            self._channels[name] = (setting, ChannelWorker(name, deliver, self._report, self._retry_s))

    def update(self, target: str, alerts: Iterable[Alert], since: Callable[[float], str]) -> list[Alert]:
        """Deliver those that are new and not acknowledged; returns them. `since` writes a time."""
        now = time.monotonic()
        fresh, lasting = [], set()
        for alert in alerts:
            key = (target, alert.key)
            lasting.add(key)
            if key in self._lasting or alert.acknowledged_by:
                continue
            if now - self._sent.get(key, -self._again_s) < self._again_s:
                lasting.discard(key)  # It is delivered later if it persists.
                continue
            self._sent[key] = now
            fresh.append(alert)
            self._add(target, alert, since)
        self._lasting = {key for key in self._lasting if key[0] != target} | lasting
        self._sent = {key: at for key, at in self._sent.items() if now - at < self._again_s or key in lasting}
        return fresh

    def forget(self, target: str) -> None:
        """Forget a target that is left, and its alerts."""
        self._lasting = {key for key in self._lasting if key[0] != target}

    def close(self) -> None:
        """Close all channels; waiting alerts are not delivered."""
        for _, worker in self._channels.values():
            worker.close()

    def _add(self, target: str, alert: Alert, since: Callable[[float], str]) -> None:
        facts = {
            "key": alert.key,
            "level": alert.level,
            "text": on_terminal(alert.text),  # Programs and mail get plain text.
            "since": since(alert.since_s),
        }
        for _, worker in self._channels.values():
            worker.add(Raised(target, facts))


def _message(batch: list[Raised], lost: int) -> Message:
    facts = [one.facts for one in batch]
    if lost:
        text = f"{lost} older alerts were dropped: the channel did not deliver for a long time"
        facts.append({"key": "left out", "level": "warn", "text": text, "since": "before"})
    return Message(batch[0].target, tuple(facts))
