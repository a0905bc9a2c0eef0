"""A machine that runs to a tick, with the actions from outside on the way."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconsole.machine.machine import Machine
from fsconsole.recording.journal import JournalEntry

_AT_ONCE_S = 0.01  # Clock, progress bar, Ctrl+C and keyframes are checked after this much wall time.


@dataclass(frozen=True, slots=True)
class Refusal:
    """An action of the journal that the machine refused, and why."""

    entry: JournalEntry
    text: str


def advance(
    machine: Machine,
    end: int,
    journal: Sequence[JournalEntry] = (),
    *,
    between: Callable[[], None] = lambda: None,
    report: Callable[[float], None] = lambda _: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> list[Refusal]:
    """Run a machine to a tick, or to where it is stopped.

    Args:
        machine: what runs.
        end: the tick.
        journal: what is done on the way, oldest first; what comes after the end is left out.
        between: called between two stretches.
        report: called with the simulated time that has passed, in s.
        is_stopped: asked between two stretches.

    Returns:
        What the machine refused.
    """
    waiting = deque(journal)
    refused: list[Refusal] = []
    at_once = machine.spec.hz
    while machine.tick < end and not is_stopped():
        began = time.monotonic()
        _act(machine, waiting, refused)
        machine.advance(min([end, machine.tick + at_once, *(entry.tick for entry in list(waiting)[:1])]))
        between()
        took = time.monotonic() - began
        at_once = max(1, at_once * 2 if took < _AT_ONCE_S else at_once // 2)
        report(machine.now_s)
    if not is_stopped():
        _act(machine, waiting, refused)
    return refused


def _act(machine: Machine, waiting: deque[JournalEntry], refused: list[Refusal]) -> None:
    """Carry out the actions that are due."""
    while waiting and waiting[0].tick <= machine.tick:
        entry = waiting.popleft()
        outcome = machine.act(entry.action, entry.who, entry.why)
        if not outcome.done:
            refused.append(Refusal(entry, outcome.text))
