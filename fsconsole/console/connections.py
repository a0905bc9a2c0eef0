"""Connections that end with the object that listens, also where its slot is inherited; and timers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import SIGNAL, SLOT, QObject, QTimer


def tie(sender: QObject, signal: str, receiver: QObject, slot: str) -> None:
    """Connect a signal without arguments to a slot without arguments; Qt warns where there is none of a name.

    `signal.connect(receiver.slot)` ends with the receiver only where the receiver's own class declares the
    slot. PySide 6.10 takes an inherited one for a plain Python function, and calls it as long as Python knows
    the receiver, which may be long after Qt has deleted it. So what lives shorter than the sender is tied.
    """
    QObject.connect(sender, SIGNAL(f"{signal}()"), receiver, SLOT(f"{slot}()"))


def once(parent: QObject, wait_ms: int, then: Callable[[], object]) -> QTimer:
    """Return a timer that calls a function once after each start."""
    made = every(parent, wait_ms, then)
    made.setSingleShot(True)
    return made


def every(parent: QObject, wait_ms: int, then: Callable[[], object]) -> QTimer:
    """Return a timer that calls a function again and again while it runs."""
    made = QTimer(parent)
    made.setInterval(wait_ms)
    made.timeout.connect(then)
    return made
