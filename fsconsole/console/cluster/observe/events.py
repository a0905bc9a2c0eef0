"""What was changed since the cluster was connected, as marks over the plots. No Qt."""

from __future__ import annotations

from fsconsole.recording.audit import AuditRow

_MOST = 200
_SILENT = frozenset(("arm", "disarm"))


def events_of(rows: tuple[AuditRow, ...], base_s: float, since_s: float) -> tuple[tuple[float, str], ...]:
    """(time, words) of what was done from here, the oldest first; times count from `base_s`.

    What was refused changed nothing, and who is armed changes nothing in the cluster.
    """
    done = [row for row in rows if row.done and row.action not in _SILENT and row.tick - base_s >= since_s]
    return tuple((row.tick - base_s, f"{row.action} {row.on}".strip()) for row in done[-_MOST:])
