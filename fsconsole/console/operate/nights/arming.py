"""Whether the console may act on the simulated machine."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Slot

from fsconsole.console.arming import Arming
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.audit import AuditRow


class MachineArming(Arming):
    """That of the session's machine: read-only again with every other one.

    Attributes:
        rows: what it has noted for the audit log, each with its place among the rows of its tick.
    """

    def __init__(
        self,
        session: ConsoleSession,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(session.preferences, session, now, steady)
        self._session = session
        self.rows: list[tuple[float, AuditRow]] = []
        session.target_changed.connect(self._heed_target)
        session.document_changed.connect(self._heed_target)

    def can_arm(self) -> bool:
        """Once the machine stands."""
        return self._session.snapshot is not None

    def note(self, action: str, before: str, after: str, why: str) -> None:
        """Keep a row of it."""
        snapshot, document = self._session.snapshot, self._session.document
        tick = snapshot.tick if snapshot is not None else 0
        machine = document.scenario.machine.name if document is not None else ""
        row = AuditRow(tick, self.choices.who, action, machine, before, after, True, "", why)
        earlier = snapshot.audit if snapshot is not None else ()
        self.rows.append((sum(one.tick == tick for one in earlier) - 0.5, row))

    @Slot()
    def _heed_target(self) -> None:
        """Another machine, and nothing that was said of the one before."""
        self.disarm("another target")
        self.rows.clear()
