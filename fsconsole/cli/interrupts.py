"""Signals that ask a command to end: Ctrl+C, SIGTERM and SIGHUP act alike in all commands."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

from fsconsole.operating_system import ENDING_SIGNALS

_Handler = Callable[[int, FrameType | None], None]


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt for the first SIGTERM or SIGHUP, so that a command leaves all in order.

    Later ones are dropped: a terminal that is closed sends SIGHUP twice, and would interrupt the clean-up.
    """
    received: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) == 1:
            raise KeyboardInterrupt

    others = tuple(number for number in ENDING_SIGNALS if number != signal.SIGINT)
    with _handled(others, end):
        yield


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """Collect the signals that ask for an end in a list, without raising.

    Exceptions could interrupt any place, including the handling of the previous signal.
    """
    received: list[int] = []
    with _handled(ENDING_SIGNALS, lambda number, _: received.append(number)):
        yield received


@contextmanager
def _handled(numbers: tuple[signal.Signals, ...], handler: _Handler) -> Iterator[None]:
    """Handle signals inside the block; those that are ignored, as under nohup, stay ignored."""
    before = {}
    is_able = current_thread() is main_thread()
    for number in numbers if is_able else ():
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
