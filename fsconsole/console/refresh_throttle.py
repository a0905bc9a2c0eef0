"""How often tables follow a machine that runs."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer

_TABLE_MS = 250


class RefreshThrottle:
    """Four times a second while time passes, at once while it does not."""

    def __init__(self) -> None:
        self._shown_at = QElapsedTimer()

    def is_due(self, *, is_running: bool) -> bool:
        """Return True if a table shows the latest values now."""
        return not is_running or not self._shown_at.isValid() or self._shown_at.elapsed() >= _TABLE_MS

    def keep(self) -> None:
        """Note that the table shows the newest values now."""
        self._shown_at.start()
