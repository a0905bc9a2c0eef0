"""Jobs that have ended: a table by span of time and terms, read from the cluster's database while seen."""

from __future__ import annotations

import math
from concurrent.futures import CancelledError
from functools import partial
from time import sleep

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from fsconsole.app.jobs.filter import FilterError, Term, read_filter
from fsconsole.app.jobs.finished import (
    SPANS_S,
    ArrangedJobs,
    Arranger,
    efficiency,
    end_words,
    sum_words,
)
from fsconsole.app.jobs.words import icon_of, state_words
from fsconsole.console.connections import once
from fsconsole.console.garbage import collector
from fsconsole.console.kit.tables import ArrangedModel, Column, Table
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.slurm.parsers.sacct import FinishedJob
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.targets.slurm.finished_jobs import FinishedJobs, read_finished
from fsconsole.targets.slurm.location import captured_folder
from fsconsole.targets.slurm.tools import Run
from fsconsole.text import durations, moments, numbers

_PLACEHOLDER = "Find finished jobs: words, user:anna state:failed elapsed>2h"
_OF_CAPTURE = "A capture folder has no finished jobs."
_FIRST_SPAN = "day"
_READ, _ARRANGE = "read", "arrange"
_TYPING_MS = 60  # Delay after a key, since each search starts a thread.
_SLICE, _LET_OTHERS_S = 1000, 1e-3
_MANY = 20_000  # Jobs from which a garbage collection takes long.


class FinishedPanel(QWidget):
    """The table below a row of what finds jobs.

    Attributes:
        kept: what was read last; None while nothing was.

    Signals: changed() with other jobs, or others shown.
    """

    changed = Signal()

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kept: FinishedJobs | None = None
        self._arranger: Arranger | None = None
        self._gone: list[list[object]] = []
        self.summary = ""
        self._controller = controller
        self._cluster = controller.cluster
        self._terms: tuple[Term, ...] = ()
        self._tasks = Tasks(self)
        self._when_shown = once(self, 0, self._read_once)
        self.box = SearchBox(_PLACEHOLDER, self, 120)
        self.span = QComboBox(self)
        self.span.setAccessibleName("Time span in which the jobs ended")
        self.span.setToolTip("Time span in which the jobs ended")
        for words in SPANS_S:
            self.span.addItem(f"Last {words}", words)
        self.span.setCurrentIndex([*SPANS_S].index(_FIRST_SPAN))
        self.again = QPushButton("Read again", self)
        self.remark = InkLabel(self, "muted")
        self.remark.setContentsMargins(12, 0, 12, 4)
        self._model = model = ArrangedModel(_columns(controller), key=lambda one: one.job.job_id)
        self.table = Table(
            model, "Finished jobs", self, controller.session.preferences, "cluster/finished", sorts=True
        )
        self.empty = EmptyNotice(self.table)
        self._build_ui()
        self.box.textChanged.connect(self._on_typed)
        model.order_wanted.connect(self._arrange)
        self.box.escaped.connect(self.table.setFocus)
        self.span.currentIndexChanged.connect(self.read)
        self.again.clicked.connect(self.read)
        controller.changed.connect(self._on_state_changed)

    @property
    def span_words(self) -> str:
        """The span that is chosen, such as day."""
        return str(self.span.currentData())

    @Slot()
    def read(self) -> None:
        """Query the cluster's database; a repeated request is made only once."""
        cluster = self._controller.cluster
        state = self._controller.state
        if cluster is None or state is None or self.visibleRegion().isEmpty():
            return
        if captured_folder(cluster.target.place.prefix) is not None:
            self._fail(_OF_CAPTURE)
            return
        self.again.setEnabled(False)
        if self.kept is None:
            self.empty.say("Reading finished jobs…")
        span_s, now_s, settings = SPANS_S[self.span_words], cluster.now_s(), state.settings
        asked = cluster.target.ask(partial(_read, span_s=span_s, now_s=now_s, settings=settings))
        self._tasks.watch(asked, self._take, self._on_failed, latest=_READ)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        top = hbox((self.box, 1), self.span, self.again, margins=(8, 6, 8, 6), spacing=8)
        vbox(top, self.remark, (self.table, 1), on=self)

    @Slot()
    def _read_once(self) -> None:
        if self.kept is None and not self._tasks.is_busy(_READ):
            self.read()

    def _take(self, read: tuple[FinishedJobs, Arranger]) -> None:
        self.again.setEnabled(True)
        self._let_go()
        self.kept, self._arranger = read
        if len(self.kept.jobs) >= _MANY and (garbage := collector()) is not None:
            garbage.leave_out()
        self._arrange()

    def _let_go(self) -> None:
        """Have the jobs that were read before freed once they are out of sight."""
        if self.kept is not None and self._arranger is not None:
            self._gone += [list(self.kept.jobs), list(self._model.given), *self._arranger.columns.parts()]

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, CancelledError):
            self._fail(f"{str(error).rstrip('.')}.")

    def _fail(self, sentence: str) -> None:
        """Keep the earlier data in the table, and show why they are old."""
        self.again.setEnabled(True)
        if self.kept is None:
            self.remark.say("")
            self.empty.say(sentence)
        else:
            self.remark.say(sentence, "danger")

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        try:
            self._terms = read_filter(text)
        except FilterError as error:
            set_look(self.box, "error")
            self.remark.say(str(error), "danger")
            return
        set_look(self.box, "")
        self._arrange_soon(_TYPING_MS)

    @Slot()
    def _arrange(self) -> None:
        self._arrange_soon(0)

    def _arrange_soon(self, after_ms: int) -> None:
        """Have the jobs found and ordered in a thread; what is shown stays until then."""
        if self._arranger is not None:
            by, is_down = self._model.order or (None, False)
            call = partial(self._arranger.arranged, self._terms, by, is_down=is_down)
            self._tasks.run(call, self._show, latest=_ARRANGE, after_ms=after_ms)

    def _show(self, arranged: ArrangedJobs) -> None:
        kept = self.kept
        if kept is None:
            return
        self._model.set_arranged(arranged.jobs, arranged.ids)
        self._free_soon()
        self.summary = sum_words(arranged.sum, self.span_words)
        self.remark.say(" ".join((self.summary, *kept.notes)), "muted")
        if arranged.jobs:
            self.empty.hide()
        elif kept.jobs:
            self.empty.say("No job matches.", "Show all jobs", self.box.clear)
        else:
            self.empty.say(f"No job ended in the last {self.span_words}.")
        self.changed.emit()

    def _free_soon(self) -> None:
        if self._gone:
            gone, self._gone = self._gone, []
            self._tasks.run(partial(_free, gone), lambda _: None)

    @Slot()
    def _on_state_changed(self) -> None:
        """Discard the data of a former cluster."""
        if self._controller.cluster is not self._cluster:
            self._let_go()
            self._cluster, self.kept, self.summary = self._controller.cluster, None, ""
            self._tasks.cancel()
            self._arranger = None
            self._model.set_arranged((), [])
            self._free_soon()
            if (garbage := collector()) is not None:
                garbage.look_at_all()
            self.remark.say("")
        state = self._controller.state
        is_known = state is not None and state.settings is not None
        if self.kept is None and is_known and not self._tasks.is_busy(_READ) and self.empty.isHidden():
            self.read()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._when_shown.start()  # Deferred: Qt briefly shows docks behind other tabs too.


def _free(gone: list[list[object]]) -> None:
    """Free 100,000 jobs a slice at a time: what is freed in one go holds up all threads, the window's too."""
    while gone:
        while gone[-1]:
            del gone[-1][-_SLICE:]
            sleep(_LET_OTHERS_S)
        gone.pop()


def _read(
    run: Run, span_s: float, now_s: float, settings: SlurmConfig | None
) -> tuple[FinishedJobs, Arranger]:
    """Read finished jobs and prepare a search for immediate typing; for a thread."""
    kept = read_finished(run, span_s, now_s, settings)
    return kept, Arranger.of(kept.jobs, kept.until_s)


def _columns(controller: JobController) -> tuple[Column[FinishedJob], ...]:
    def at(time_s: int | None) -> str:
        return moments.moment(time_s, controller.now_s)

    return (
        Column("Job", lambda one: one.job.label, order=lambda one: one.job.job_id, width=76),
        Column("State", lambda one: state_words(one.job), icon=lambda one: icon_of(one.job), width=116),
        Column("User", lambda one: one.job.user, width=84),
        Column("Account", lambda one: one.job.account, width=92),
        Column(
            "Ended", lambda one: at(one.job.end_s), order=lambda one: one.job.end_s or 0, width=100,
        ),
        Column(
            "Elapsed", lambda one: durations.duration(one.job.elapsed_s), is_number=True,
            order=lambda one: one.job.elapsed_s or 0, width=84,
        ),
        Column("CPUs", lambda one: numbers.thousands(one.job.cpus), is_number=True,
               order=lambda one: one.job.cpus, width=60),
        Column(
            "CPU used", lambda one: numbers.percent(_known(efficiency(one)), 0), is_number=True,
            about="CPU time used divided by CPU time allocated",
            order=lambda one: _known(efficiency(one), -1.0),
            width=84,
        ),
        Column("State or exit code at the end", end_words, width=200),
        Column("Name", lambda one: one.job.name, is_name=True, width=120),
        Column("Limit", lambda one: durations.slurm_limit(one.job.time_limit_s), is_number=True,
               order=lambda one: one.job.time_limit_s or 0, width=84),
        Column("Partition", lambda one: one.job.partition, width=84),
        Column("QOS", lambda one: one.job.qos, width=72),
        Column("Nodes", lambda one: one.job.nodes, width=100),
        Column("Started", lambda one: at(one.job.start_s), order=lambda one: one.job.start_s or 0, width=100),
    )  # fmt: skip


def _known(value: float, unknown: float | None = None) -> float | None:
    return unknown if math.isnan(value) else value
