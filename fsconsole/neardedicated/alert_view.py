"""Alerts and the note with who has seen or written them, which the audit log knows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.alerts import about
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.view import Alert
from fsconsole.recording.audit import AuditRow

SOMEBODY = "scenario"  # the timeline writes nothing into the log


def alerts_seen(control: NearDedicated) -> tuple[Alert, ...]:
    """All alerts that last, worst and oldest first."""
    seen = control.state.acknowledged
    alerts = [
        replace(one, acknowledged_by=_who(control.machine, seen[one.key], "acknowledge", about(one.key)))
        if one.key in seen
        else one
        for one in control.alerts()
    ]
    return tuple(sorted(alerts, key=lambda one: (one.level != "danger", one.since_s)))


def note_by(control: NearDedicated) -> str:
    """Who wrote the note; empty where there is none."""
    tick = control.state.note_tick
    return "" if tick is None else _who(control.machine, tick, "write note", "note")


def _who(machine: Machine, tick: int, action: str, on: str) -> str:
    """Who did that at that tick, by the log."""
    log = machine.audit
    first = bisect_left(log, tick, key=_tick)
    found = SOMEBODY
    for at in range(first, len(log)):
        row = log[at]
        if row.tick != tick:
            break
        if row.done and (row.action, row.on) == (action, on):
            found = row.who or found
    return found


def _tick(row: AuditRow) -> int:
    return row.tick
