"""How often tables follow a machine that runs."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer

from fsconsole.targets.snapshot import Snapshot

_TABLE_MS = 250


class RefreshThrottle:
    """Four times a second while the machine runs, at once while it does not."""

    def __init__(self) -> None:
        self._shown_at = QElapsedTimer()

    def is_due(self, snapshot: Snapshot | None) -> bool:
        """Whether a table shows the values of this snapshot."""
        is_live = snapshot is not None and snapshot.running
        return not is_live or not self._shown_at.isValid() or self._shown_at.elapsed() >= _TABLE_MS

    def keep(self) -> None:
        """The table shows the newest values now."""
        self._shown_at.start()
