"""What was done to the cluster from here, and what came of it."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from fsconsole.console.files.questions import Questions
from fsconsole.console.look.icons import put_icon
from fsconsole.console.operate.audit_model import TITLES
from fsconsole.console.operate.jobs import moments
from fsconsole.console.operate.jobs.desk import ClusterDesk
from fsconsole.console.operate.nights.records import AuditTable, lines_of
from fsconsole.console.operate.nights.words import counted
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.recording.audit import AuditRow
from fsconsole.shares.files import write_atomic

_COMMAND = "Command and answer"
_TIME_PX = 104


class Records(QWidget):
    """The audit log. Signals: said(words) for the status bar."""

    said = Signal(str)

    def __init__(self, desk: ClusterDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._dock: Dock | None = None
        self.audit = AuditTable(at_words, desk.session.preferences, "cluster/audit", self)
        self.audit.horizontalHeader().resizeSection(0, _TIME_PX)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.audit)
        self._notice = EmptyNotice(self.audit)
        self.export_button = QToolButton()
        self.export_button.setToolTip("Export the audit log as text or CSV")
        self.export_button.setAccessibleName("Export the audit log")
        put_icon(self.export_button, "export")
        desk.changed.connect(self._follow)

    def put_head(self, dock: Dock) -> None:
        """Put the button into the dock's header, and keep its remark true."""
        self._dock = dock
        dock.header.add_widget(self.export_button)
        self._follow()

    @property
    def rows(self) -> tuple[AuditRow, ...]:
        """All of it, oldest first."""
        state = self._desk.state
        return state.audit if state is not None else ()

    def text(self, *, as_csv: bool) -> str:
        """The log as a file has it: whole times, and the commands too."""
        rows: list[tuple[str, ...]] = [(*TITLES, _COMMAND)]
        for row in self.rows:
            _, *cells = self.audit.log.cells(row)
            rows.append((moments.whole(row.tick), *cells, " ".join(row.text.split())))
        return lines_of(rows, as_csv=as_csv)

    def export(self, questions: Questions) -> None:
        """Ask for a file and write it."""
        forms = ("Text (*.txt)", "Table (*.csv)")
        wanted = Path.home() / f"audit-{self._desk.name or 'cluster'}.txt".replace("/", "-")
        answer = questions.file_to_save("Export audit log", wanted, forms)
        if answer is None:
            return
        path, form = answer
        try:
            write_atomic(path, self.text(as_csv=form == 1 or path.suffix.lower() == ".csv"))
        except OSError as error:
            self.said.emit(f"{path.name} could not be written: {error.strerror or error}")
            return
        self.said.emit(f"{path.name} written")

    @Slot()
    def _follow(self) -> None:
        state = self._desk.state
        if self._dock is not None:
            trouble = state.audit_problem if state is not None else ""
            said = f"Not written to disk: {trouble}" if trouble else counted(len(self.rows), "action")
            self._dock.header.set_remark(said, at_end=True)
        if self.isVisible():
            self.audit.log.take(self.rows)
            if self.rows or state is None:
                self._notice.hide()
            else:
                self._notice.say(f"Nothing has been done to {self._desk.name} from here yet.")

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has come meanwhile."""
        super().showEvent(event)
        self._follow()


def at_words(tick: int) -> str:
    """`14:31:20` today, `20 Nov 14:31` before."""
    now_s = time.time()
    is_today = moments.local(tick).date() == moments.local(now_s).date()
    return moments.clock(tick) if is_today else moments.moment(tick, now_s)
