"""Asks the cluster what the priority of the selected job is made of: one job, and not often."""

from __future__ import annotations

import time
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.operate.jobs.desk import ClusterDesk
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.place import captured_folder
from fsconsole.targets.slurm.reports import PriorityReport

OFTEN_S = 10.0  # sprio is answered by the daemon that schedules the site's jobs
_SETTLE_MS = 300  # whoever goes through the table job by job asks for none of them
_LOOK_MS = 100
_OF_CAPTURE = "A capture does not tell what priorities are made of."


class PriorityAsking(QObject):
    """Follows what it is told to look at.

    Attributes:
        report: what the cluster said last of the job looked at; None while it has said nothing.

    Signals: told() with a new report, or none.
    """

    told = Signal()

    def __init__(self, desk: ClusterDesk, parent: QObject) -> None:
        super().__init__(parent)
        self.report: PriorityReport | None = None
        self._desk = desk
        self._job = ""
        self._cluster: ClusterSession | None = None
        self._asked: Future[PriorityReport] | None = None
        self._asked_s: float | None = None
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self._ask)
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._heed)

    @property
    def is_asking(self) -> bool:
        """Whether an answer is on its way."""
        return self._settle.isActive() or self._asked is not None

    def look_at(self, job: Job | None) -> None:
        """Ask soon what its priority is made of, and again now and then; None asks for nothing."""
        label = job.label if job is not None and job.is_pending else ""
        if (label, self._desk.cluster) != (self._job, self._cluster):
            self._leave()
            self._job, self._cluster = label, self._desk.cluster
            if label:
                self._settle.start()
        elif label and not self.is_asking and self._is_old():
            self._ask()

    # -- inside ---------------------------------------------------------------------------------------------

    def _is_old(self) -> bool:
        return self._asked_s is None or time.monotonic() - self._asked_s >= OFTEN_S

    def _leave(self) -> None:
        self._settle.stop()
        self._look.stop()
        self._asked = self._asked_s = None
        if self.report is not None:
            self.report = None
            self.told.emit()

    @Slot()
    def _ask(self) -> None:
        cluster = self._cluster
        if cluster is None or cluster is not self._desk.cluster or not self._desk.is_fresh:
            return
        self._asked_s = time.monotonic()
        if captured_folder(cluster.target.place.prefix) is not None:
            self._take(PriorityReport(self._job, reason=_OF_CAPTURE))
            return
        self._asked = cluster.target.priority_of(self._job)
        self._look.start()
        self._heed()

    @Slot()
    def _heed(self) -> None:
        asked = self._asked
        if asked is None or not asked.done():
            return
        self._look.stop()
        self._asked = None
        if asked.cancelled():
            return
        error = asked.exception()
        self._take(asked.result() if error is None else PriorityReport(self._job, reason=f"{error}."))

    def _take(self, report: PriorityReport) -> None:
        self.report = report
        self.told.emit()
