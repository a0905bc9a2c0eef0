"""What was done to the cluster from here, and what came of it."""

from __future__ import annotations

import time

from PySide6.QtCore import Slot

from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.records import AUDIT_FORMS, AuditTable, Record, Records, table_text
from fsconsole.text import moments

_COMMAND = "Command and answer"
_TIME_PX = 104


class JobRecords(Records):
    """The audit log of a cluster."""

    def __init__(self, controller: JobController) -> None:
        self._controller = controller
        self.audit = AuditTable(at_words, controller.session.preferences, "cluster/audit", _TIME_PX)
        super().__init__(
            [Record("Audit log", "audit log", self._stem, AUDIT_FORMS, self.audit, self._follow, self._text)]
        )
        controller.changed.connect(self.follow)

    def _stem(self) -> str:
        return f"audit-{self._controller.name or 'cluster'}".replace("/", "-")

    def _text(self, form: int) -> str:
        """The log as a file has it: whole times, and the commands too."""
        rows: list[tuple[str, ...]] = [(*self.audit.log.titles, _COMMAND)]
        for row in self._controller.audit:
            _, *cells = self.audit.log.cells(row)
            rows.append((moments.whole(row.tick), *cells, " ".join(row.text.split())))
        return table_text(rows, as_csv=form > 0)

    @Slot()
    def _follow(self) -> None:
        nothing = (
            f"Nothing has been done to {self._controller.name} from here yet."
            if self._controller.state
            else ""
        )
        self.audit.show_rows(self._controller.audit, nothing)


def at_words(tick: int) -> str:
    """`14:31:20` today, `20 Nov 14:31` before."""
    now_s = time.time()
    is_today = moments.local(tick).date() == moments.local(now_s).date()
    return moments.clock(tick) if is_today else moments.moment(tick, now_s)
