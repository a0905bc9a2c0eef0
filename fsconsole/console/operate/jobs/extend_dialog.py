"""Gives jobs of a cluster more time, or less: by a length, or up to a moment."""

from __future__ import annotations

import math

from PySide6.QtCore import QDateTime, Slot
from PySide6.QtWidgets import QDateTimeEdit, QHBoxLayout, QWidget

from fsconsole.console.operate.jobs import moments
from fsconsole.console.operate.jobs.desk import ClusterDesk
from fsconsole.console.operate.jobs.job_dialog import JobDialog
from fsconsole.console.operate.length_spin import LengthSpin
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.job_change import JobVerb, new_limit_s
from fsconsole.slurm.jobs import Job

_MOST_MIN = 100 * 24 * 60


class ExtendJobs(JobDialog):
    """What it comes to is said while the length is chosen; Enter extends, for it can be taken back."""

    def __init__(
        self, desk: ClusterDesk, jobs: tuple[Job, ...], parent: QWidget, by_s: float = 1800.0
    ) -> None:
        self.by = LengthSpin(round(by_s / 60), None, least=-_MOST_MIN, most=_MOST_MIN)
        self.until = QDateTimeEdit()
        super().__init__(desk, JobVerb.EXTEND, jobs, parent)
        self.by.setAccessibleName("Extend by, hours and minutes")
        self.by.setMinimumWidth(84)
        self.until.setAccessibleName("New end at the latest")
        self.until.setDisplayFormat("d MMM yyyy HH:mm")
        self.until.setCalendarPopup(True)
        self._has_end = len(jobs) == 1 and jobs[0].end_s is not None and not jobs[0].is_pending
        self.form.addRow(MutedLabel("By", self), self._fields())
        self.limit = self.row("New limit")
        self.until.setVisible(self._has_end)
        self._take_length()
        self.by.valueChanged.connect(self._take_length)
        self.by.valueChanged.connect(self.refresh)
        self.until.dateTimeChanged.connect(self._take_end)
        self.put_together()
        self.setTabOrder(self.by, self.until)
        self.setTabOrder(self.until, self.reason)

    @property
    def by_s(self) -> float:
        """The length chosen."""
        return self.by.seconds

    def say_jobs(self, jobs: tuple[Job, ...], able: tuple[Job, ...]) -> None:
        """The limit that would come of it, too."""
        super().say_jobs(jobs, able)
        self.limit.setText(self._limit_words(able or jobs))

    def _limit_words(self, jobs: tuple[Job, ...]) -> str:
        if len(jobs) > 1:
            return f"each {'longer' if self.by_s >= 0 else 'shorter'} by {moments.length(abs(self.by_s))}"
        job, now_s = jobs[0], self.desk.now_s
        after_s = new_limit_s(self._change_of(jobs), job)
        words = f"{moments.length(job.time_limit_s)} becomes {moments.length(after_s)}"
        if job.is_pending or job.end_s is None or after_s is None or math.isinf(after_s):
            return words
        return (
            f"{words}; ends by {moments.moment(job.end_s + self.by_s, now_s)} instead of "
            + moments.moment(job.end_s, now_s)
        )

    def _fields(self) -> QWidget:
        row = QWidget(self)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.by)
        if self._has_end:
            line.addWidget(MutedLabel("new end", row))
            line.addWidget(self.until)
        else:
            self.until.setParent(row)
        line.addStretch(1)
        return row

    @Slot()
    def _take_length(self) -> None:
        """The moment follows the length."""
        end_s = self.jobs[0].end_s
        if end_s is None or not self._has_end:
            return
        self.until.blockSignals(True)
        self.until.setDateTime(QDateTime.fromSecsSinceEpoch(round(end_s + self.by.seconds)))
        self.until.blockSignals(False)

    @Slot()
    def _take_end(self) -> None:
        """The length follows the moment, in whole minutes."""
        end_s = self.jobs[0].end_s
        if end_s is not None:
            self.by.blockSignals(True)
            self.by.setValue(round((self.until.dateTime().toSecsSinceEpoch() - end_s) / 60))
            self.by.blockSignals(False)
            self.refresh()
