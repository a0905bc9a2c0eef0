"""What the priority of the selected job is made of: asked of the cluster, and shown."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError

from PySide6.QtCore import QObject, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.connections import once
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.style.fonts import tabular_font, ui_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.share_bar import BAR_HEIGHT, paint_bar
from fsconsole.slurm.job_priority import Factor, factors_of, weighted
from fsconsole.slurm.jobs import Job
from fsconsole.targets.slurm.reports import PriorityReport
from fsconsole.text import moments, numbers

_HEADS = ("Factor", "Value", "Weight", "Points", "")
_BAR = QSize(48, BAR_HEIGHT)
_NUMBERS = (1, 2, 3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TIP = "Factor times weight gives points. A factor is 1 at most."

OFTEN_S = 10.0  # slurmctld, which schedules the jobs of the site, answers sprio.
_SETTLE_MS = 300  # A user who steps through the table quickly causes no queries.


class PriorityQuery(QObject):
    """Follows the priority of a given job.

    Attributes:
        report: the cluster's last report on the job; None before an answer.

    Signals: changed() with a new report, or none.
    """

    changed = Signal()

    def __init__(self, controller: JobController, parent: QObject) -> None:
        super().__init__(parent)
        self.report: PriorityReport | None = None
        self._controller = controller
        self._job = ""
        self._cluster: ClusterSession | None = None
        self._tasks = Tasks(self)
        self._asked_s: float | None = None
        self._settle = once(self, _SETTLE_MS, self._ask)

    @property
    def is_asking(self) -> bool:
        """Whether an answer is on its way."""
        return self._settle.isActive() or self._tasks.is_busy()

    def look_at(self, job: Job | None) -> None:
        """Query the components of a job's priority soon, and repeatedly; None stops queries."""
        label = job.label if job is not None and job.is_pending else ""
        if (label, self._controller.cluster) != (self._job, self._cluster):
            self._leave()
            self._job, self._cluster = label, self._controller.cluster
            if label:
                self._settle.start()
        elif label and not self.is_asking and self._is_old():
            self._ask()

    # -- inside ---------------------------------------------------------------------------------------------

    def _is_old(self) -> bool:
        return self._asked_s is None or time.monotonic() - self._asked_s >= OFTEN_S

    def _leave(self) -> None:
        self._settle.stop()
        self._tasks.cancel()
        self._asked_s = None
        if self.report is not None:
            self.report = None
            self.changed.emit()

    @Slot()
    def _ask(self) -> None:
        cluster = self._cluster
        if cluster is None or cluster is not self._controller.cluster or not self._controller.is_fresh:
            return
        self._asked_s = time.monotonic()
        self._tasks.watch(cluster.target.priority_of(self._job), self._take, self._on_failed)

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, CancelledError):
            self._take(PriorityReport(self._job, reason=f"{error}."))

    def _take(self, report: PriorityReport) -> None:
        self.report = report
        self.changed.emit()


class PriorityView(QWidget):
    """The components of a job's priority; hidden without any.

    Attributes:
        remark: text under the rows: why there are none, other partitions, time of the query.
    """

    accessible_role = Role.Grouping

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Parts of its priority")
        self.heading = PlainLabel("", self, font=ui_font("base", semibold=True))
        self.rows = QWidget(self)
        self.rows.setToolTip(_TIP)
        self._grid = QGridLayout(self.rows)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(4, 1)
        for column, words in enumerate(_HEADS):
            label = MutedLabel(words, self.rows)
            label.setAlignment(_RIGHT if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label, 0, column)
        self._labels: list[tuple[QLabel, ...]] = []
        self._bars: list[FactorBar] = []
        self.remark = MutedLabel("", self, wraps=True)
        vbox(self.heading, self.rows, self.remark, on=self, margins=(0, 6, 0, 6), spacing=4)
        self.hide()

    def show_report(
        self, report: PriorityReport | None, weights: Mapping[str, int], priority: float | None = None
    ) -> None:
        """Show the cluster's report; before an answer, the factors that will appear.

        So the layout stays when it answers. `priority` is the one known already.
        """
        row = report.rows[0] if report is not None and report.rows else None
        factors = factors_of(row, weights) if row is not None else weighted(weights) if report is None else ()
        total = row.priority if row is not None else priority
        self.heading.setText(f"Priority {numbers.thousands(total)}" if total is not None else "Priority")
        self.rows.setVisible(bool(factors))
        self._fill(factors, is_known=row is not None)
        self.remark.setText(_remark(report) if report is not None else "Asking the cluster…")
        self.show()

    # -- inside ---------------------------------------------------------------------------------------------

    def _fill(self, factors: Sequence[Factor], *, is_known: bool) -> None:
        """Fill rows in place, so that a new reading does not flicker."""
        while len(self._labels) < len(factors):
            self._add_row()
        most = max((abs(factor.points) for factor in factors), default=0.0)
        for place, (labels, bar) in enumerate(zip(self._labels, self._bars, strict=True)):
            is_there = place < len(factors)
            for widget in (*labels, bar):
                widget.setVisible(is_there)
            if is_there:
                for label, words in zip(labels, _cells(factors[place], is_known=is_known), strict=True):
                    label.setText(words)
                bar.show_part(factors[place].points / most if most else 0.0)

    def _add_row(self) -> None:
        row = len(self._labels) + 1
        labels = tuple(PlainLabel("", self.rows) for _ in range(4))
        for column, label in enumerate(labels):
            label.setFont(tabular_font())
            label.setAlignment(_RIGHT if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label, row, column)
        bar = FactorBar(self.rows)
        self._grid.addWidget(bar, row, 4, Qt.AlignmentFlag.AlignVCenter)
        self._labels.append(labels)
        self._bars.append(bar)


class FactorBar(QWidget):
    """How much a factor adds, beside the largest; what takes points off is in the colour of warnings."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._part = 0.0
        self.setMinimumSize(_BAR)
        theme().changed.connect(self.update)

    @property
    def part(self) -> float:
        """What is drawn, from -1 to 1."""
        return self._part

    def show_part(self, part: float) -> None:
        """Show a part from -1 to 1."""
        self._part = part
        self.update()

    def sizeHint(self) -> QSize:
        return _BAR

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            track = QRect(0, (self.height() - _BAR.height()) // 2, self.width(), _BAR.height())
            paint_bar(painter, track, abs(self._part), "warn" if self._part < 0 else "g1", None)


def _cells(factor: Factor, *, is_known: bool) -> tuple[str, str, str, str]:
    value = "" if factor.value is None else numbers.fixed(factor.value, 4)
    weight = "" if factor.weight is None else numbers.thousands(factor.weight)
    return factor.title, value, weight, numbers.thousands(factor.points) if is_known else ""


def _remark(report: PriorityReport) -> str:
    if report.reason:
        return report.reason
    others = {row.partition: row.priority for row in report.rows[1:] if row.partition}
    others.pop(report.rows[0].partition, None)
    priorities = [f"{numbers.thousands(priority)} in {partition}" for partition, priority in others.items()]
    also = f"In {report.rows[0].partition}; {', '.join(priorities)}. " if priorities else ""
    return f"{also}As of {moments.clock(report.as_of_s)}."
