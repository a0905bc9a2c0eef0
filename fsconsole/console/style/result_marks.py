"""Icons and colours of results, the same in every table and strip."""

from __future__ import annotations

from fsconsole.recording.audit import Result

RESULT_MARKS = {
    Result.DONE: ("ok", "ok"),
    Result.DESPITE: ("ok", "warn"),
    Result.REFUSED: ("kill", "danger"),
    Result.DIFFERENT: ("warning", "warn"),
    Result.NOT_SENT: ("pause", "muted"),
    Result.UNKNOWN: ("warning", "warn"),
    Result.DRY_RUN: ("file", "muted"),
}
"""Icon and colour token of each result."""
