"""The job that runs: how far it is, how well it uses the machine, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout

from fsconsole.app.nights.times import mw
from fsconsole.console.arming import READ_ONLY
from fsconsole.console.operate.job_card import Figure, JobCard, enable
from fsconsole.console.operate.nights.controller import KILLED, NightController
from fsconsole.console.operate.nights.efficiency_view import EfficiencyBar, EfficiencyHistory
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.neardedicated.view import JobCard as JobView
from fsconsole.neardedicated.view import NightView
from fsconsole.text import durations, numbers
from fsconsole.text.words import count_label


class JobPanel(JobCard):
    """The card. Signals: kill_wanted(); extend_wanted(seconds)."""

    kill_wanted = Signal()
    extend_wanted = Signal(float)

    def __init__(self, controller: NightController) -> None:
        super().__init__("Current job", "Kill job…", "Extend job…")
        self._controller = controller
        self._elapsed, self._estimate, self._watchdog = (
            Figure(words, self.card, big=True) for words in ("Elapsed", "Estimate", "Watchdog in")
        )
        self._cpu, self._memory, self._sds = (
            Figure(words, self.card) for words in ("CPU used", "Memory", "SDS")
        )
        self._swaps, self._sds_wait, self._mflops = (
            Figure(words, self.card) for words in ("Swaps", "Waited for SDS", "Mflop/s")
        )
        self._share = QLabel(self.card)
        self._share.setFont(tabular_font("section", semibold=True))
        self._share_caption = MutedLabel("CPU efficiency", self.card)
        self.bar = EfficiencyBar(self.card)
        self.history = EfficiencyHistory(self.card)
        self._share_caption.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.history.setMaximumHeight(120)
        self._build_ui()
        self.kill.clicked.connect(self.kill_wanted)
        self.extend.clicked.connect(lambda: self.extend_wanted.emit(self.by.seconds))
        controller.changed.connect(self._refresh)
        controller.arming.changed.connect(self._refresh)
        theme().changed.connect(self._refresh)

    def set_low(self, *, low: bool) -> None:
        """The history goes first where there is little room."""
        self.history.setMinimumHeight(26 if low else 40)
        self.history.setMaximumHeight(30 if low else 120)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        layout = QVBoxLayout(self.card)
        layout.setContentsMargins(12, 8, 12, 0)
        layout.setSpacing(0)
        self.add_head(layout)
        layout.addSpacing(7)
        layout.addStretch(1)
        layout.addLayout(_row(self._elapsed, self._estimate, self._watchdog))
        layout.addSpacing(7)
        layout.addStretch(1)
        share = QHBoxLayout()
        share.addWidget(self._share_caption, 1)
        share.addWidget(self._share)
        layout.addLayout(share)
        layout.addWidget(self.bar)
        layout.addWidget(self.history, 6)
        layout.addSpacing(5)
        layout.addStretch(1)
        layout.addLayout(_row(self._cpu, self._memory, self._sds))
        layout.addSpacing(4)
        layout.addStretch(1)
        layout.addLayout(_row(self._swaps, self._sds_wait, self._mflops))
        layout.addStretch(1)
        layout.addSpacing(5)
        layout.addWidget(self.foot(0))

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        job = night.job if night is not None else None
        self.card.setVisible(job is not None)
        is_over = job is not None and job.is_over
        why_not = KILLED if is_over else "" if self._controller.is_armed else READ_ONLY
        for widget in (self.kill, self.by, self.extend):
            enable(widget, why_not)
        if job is not None and night is not None and self.isVisible():
            self._show(job, night)

    def _show(self, job: JobView, night: NightView) -> None:
        self.title.say(job.person, job.name)
        is_well = job.state == "Running" and not job.waiting_for
        self.chip.show_state(job.state, "ok" if is_well else "warn", "run" if is_well else "warning")
        cpus = count_label(job.tasks, "CPU")
        about = f"Request {job.request}, queue {job.queue}, {cpus}, l-node {job.node}"
        self.say_about(f"{about}. Waits for {job.waiting_for}" if job.waiting_for else about)
        left_s = max(job.watchdog_s - night.time_s, 0.0)
        self._elapsed.say(durations.duration(job.elapsed_s))
        self._estimate.say(durations.duration(job.estimate_s))
        if job.is_over:
            self._watchdog.say(numbers.UNKNOWN)
        else:
            self._watchdog.say(durations.duration(left_s), token="danger" if left_s < 900 else "text")
        self._show_efficiency(job, night)
        self._show_use(job, night)

    def _show_efficiency(self, job: JobView, night: NightView) -> None:
        is_whole = not (job.history and job.history[-1].partly_setup)
        self.bar.show_values(job.efficiency, night.required_efficiency, is_whole=is_whole)
        self._share.setText("preparing" if job.efficiency is None else numbers.percent(job.efficiency))
        caption = "CPU efficiency, last interval" + ("" if is_whole else ", partly setup")
        if job.below_since_s is not None:
            caption += f", below {numbers.percent(night.required_efficiency, 0)} since "
            caption += self._controller.times.short(job.below_since_s)
        self._share_caption.setText(caption)
        mean = numbers.percent(job.mean_efficiency)
        self._share.setToolTip(f"{mean} since its preparation ended")
        self.history.show_values(job.history, night.required_efficiency, self._controller.times, job.setup_s)

    def _show_use(self, job: JobView, night: NightView) -> None:
        self._cpu.say(durations.duration(job.cpu_s), f"of {durations.duration(job.requested_cpu_s)}")
        self._memory.say(mw(job.memory_mw), f"of {numbers.fixed(night.memory_mw, 1)}")
        self._sds.say(mw(job.sds_mw), f"of {numbers.fixed(night.sds_mw, 1)}")
        self._swaps.say(str(job.swaps), f"{numbers.fixed(job.swap_s)} s")
        self._sds_wait.say(f"{numbers.fixed(job.sds_wait_s)} s")
        self._mflops.say(numbers.thousands(job.mflops))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()


def _row(*figures: Figure) -> QGridLayout:
    row = QGridLayout()
    row.setSpacing(8)
    for column, figure in enumerate(figures):
        row.addWidget(figure, 0, column)
        row.setColumnStretch(column, 1)
        row.setColumnMinimumWidth(column, 60)
    return row
