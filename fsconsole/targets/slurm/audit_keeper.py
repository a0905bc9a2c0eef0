"""The audit log of a cluster: the actions from this program, over all sessions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from datetime import UTC, datetime
from typing import Any

from fsconsole.recording.audit import AuditRow
from fsconsole.recording.audit_log import AuditLog, lines_of
from fsconsole.targets.serial_executor import SerialExecutor
from fsconsole.targets.slurm.apply_rows import newest
from fsconsole.targets.slurm.kept_places import log_path

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXTS = ("who", "action", "on", "before", "after", "result", "text", "why")
_LATER_TEXTS = ("remote_user", "via", "undoes", "held", "act")
_LATER = {"checks": 0, **dict.fromkeys(_LATER_TEXTS, "")}
_WAIT_S = 2.0
_WRITE_S = 20.0

OnRows = Callable[[tuple[AuditRow, ...], str], None]


class AuditKeeper:
    """Keeps audit rows and writes them to the user's state folder in a separate thread.

    After a disk error, rows are written with the next successful write, and the problem is reported.
    """

    def __init__(self, on_rows: OnRows) -> None:
        """Set the callback for all rows and the problem, empty if there is none; any thread may call it."""
        self._on_rows = on_rows
        self._lock = threading.Lock()
        self._rows: tuple[AuditRow, ...] = ()
        self._unwritten: tuple[AuditRow, ...] = ()
        self._problem = ""
        self._log: AuditLog | None = None
        self._log_executor = SerialExecutor("audit log")

    def open(self, cluster: str, place: str = "") -> None:
        """Use the log of a cluster at a place from now on, and show its rows."""
        with self._lock:
            if self._log is not None:
                return
            self._log = AuditLog(log_path(cluster, place), 1, _EPOCH, private=True)
        self._log_executor.submit(self._read_earlier)
        self._log_executor.submit(self._write)

    def add(self, row: AuditRow) -> None:
        """Keep a row of the audit log."""
        with self._lock:
            self._rows = (*self._rows, row)
            self._unwritten = (*self._unwritten, row)
        self._report()
        self._log_executor.submit(self._write)

    def add_now(self, row: AuditRow) -> str:
        """Keep a row and wait until it is on the disk; return why it is not, or an empty text."""
        self.add(row)
        try:
            return self._log_executor.submit(self._why_unwritten).result(_WRITE_S)
        except (TimeoutError, CancelledError):
            return "the audit log could not be written in time"

    def close(self) -> None:
        """Write the remaining rows to the disk."""
        self._log_executor.close(_WAIT_S)

    def _read_earlier(self) -> None:
        try:
            lines = lines_of(self._log.path) if self._log is not None else []
        except OSError as error:
            self._problem = f"cannot read earlier actions: {error.strerror or error}"
            lines = []
        earlier = newest([row for row in map(row_of, lines) if row is not None])
        with self._lock:
            self._rows = (*earlier, *self._rows)
        self._report()

    def _write(self) -> None:
        with self._lock:
            rows, log = self._unwritten, self._log
        if log is None or not rows:
            return
        try:
            log.write(rows)
            problem = ""
        except OSError as error:
            problem = f"cannot write the audit log {log.path}: {error.strerror or error}"
        with self._lock:
            self._problem = problem
            if not problem:
                self._unwritten = self._unwritten[len(rows) :]
        self._report()

    def _why_unwritten(self) -> str:
        with self._lock:
            return self._problem or ("the name of the cluster is not known yet" if self._unwritten else "")

    def _report(self) -> None:
        with self._lock:
            rows, problem = self._rows, self._problem
            self._on_rows(rows, problem)


_LAST_S = 1 << 36  # Python writes no time beyond the year 9999, which is later.


def row_of(line: dict[str, Any]) -> AuditRow | None:
    """Return the row in a line of the log; None if the line is damaged."""
    texts, numbers = (*_TEXTS, *_LATER_TEXTS), ("tick", "checks")
    known = {**_LATER, **{name: line[name] for name in (*texts, *numbers) if name in line}}
    is_whole = all(isinstance(known.get(name), str) for name in texts)
    is_timed = all(isinstance(known.get(name), int) and 0 <= known[name] <= _LAST_S for name in numbers)
    if not (is_whole and is_timed):
        return None
    try:
        return AuditRow.from_json(known)
    except ValueError:
        return None
