"""Start the near-dedicated window by hand, and stop it."""

from __future__ import annotations

from PySide6.QtCore import QTime
from PySide6.QtWidgets import QButtonGroup, QPushButton, QRadioButton, QTimeEdit, QVBoxLayout, QWidget

from fsconsole.console.operate.danger_button import DangerButton
from fsconsole.console.operate.dialog import ActionDialog
from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.operate.nights.replan import with_window
from fsconsole.console.operate.nights.words import counted, length
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.figures.style import numbers
from fsconsole.neardedicated.view import JobCard, NightView
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.job_actions import CloseWindow, OpenWindow

_USUAL_S = 8 * 3600.0


class StartDialog(ActionDialog):
    """Open the window now, up to a time of the clock."""

    def __init__(self, desk: Desk, night: NightView, parent: QWidget | None = None) -> None:
        super().__init__(desk, "Start window", QPushButton("&Start window"), "start-window", parent)
        when = "again" if night.window.closing else "now"
        self.heading.setText(f"Start the near-dedicated window on {desk.machine} {when}?")
        self.below.setText("It can be stopped at any time.")
        planned_s = night.window.end_s
        end_s = planned_s if planned_s is not None and planned_s > night.time_s else None
        at = desk.times.at(end_s if end_s is not None else desk.times.snapped(night.time_s + _USUAL_S))
        self.until = QTimeEdit(QTime(at.hour, at.minute), self)
        self.until.setDisplayFormat("HH:mm")
        self.until.setAccessibleName("Until")
        self.until.setMaximumWidth(90)
        self.form.addRow(MutedLabel("Until", self), self.until)
        self.effect = self.row("Then")
        self.until.timeChanged.connect(self.refresh)
        self.lay_out(cancels=False)
        self.setTabOrder(self.until, self.reason)

    @property
    def end_s(self) -> float:
        """When the window would end."""
        night = self.desk.night
        chosen = self.until.time()
        return self.desk.times.next_at(chosen.hour(), chosen.minute(), night.time_s if night else 0.0)

    def action(self) -> Action | None:
        """Open it."""
        return OpenWindow(self.end_s)

    def follow(self) -> str:
        """How long it would be, and what would run."""
        night = self.desk.night
        if night is None:
            return "The machine tells of no near-dedicated night any more."
        if night.window.is_open and not night.window.closing:
            return "The window is open already."
        plan = with_window(night, night.time_s, self.end_s).plan_by_pace
        what = f"{plan[0].label} starts first" if plan else "no job of the queue fits"
        more = f", {counted(len(plan), 'job')} in all" if len(plan) > 1 else ""
        self.effect.setText(f"{length(self.end_s - night.time_s)} long; {what}{more}.")
        return ""


class StopDialog(ActionDialog):
    """Close the window; what runs goes on to its end unless it is killed. Enter cancels."""

    def __init__(self, desk: Desk, night: NightView, parent: QWidget | None = None) -> None:
        super().__init__(
            desk, "Stop window", DangerButton("&Stop window", filled=True), "stop-window", parent
        )
        self._job = night.job
        self._changed = ""
        self.heading.setText(f"Stop the near-dedicated window on {desk.machine}?")
        self.below.setText("No more jobs are started. It can be started again.")
        self.effect = self.row("Then")
        self.goes_on = QRadioButton("Let it run to its end", self)
        self.kills = QRadioButton("Kill it now; its work is lost", self)
        self.goes_on.setChecked(True)
        self._choice = QButtonGroup(self)
        place = QWidget(self)
        box = QVBoxLayout(place)
        box.setContentsMargins(0, 0, 0, 0)
        for button in (self.goes_on, self.kills):
            self._choice.addButton(button)
            box.addWidget(button)
            button.toggled.connect(self.refresh)
        self._name = MutedLabel("", self)
        self._place = place
        self.form.addRow(self._name, place)
        self.lay_out(cancels=True)

    def action(self) -> Action | None:
        """Close it, and kill the job that was shown, no other one."""
        if self._job is None or not self.kills.isChecked():
            return CloseWindow()
        return CloseWindow(kill_running=True, request=self._job.request)

    def follow(self) -> str:
        """What becomes of the job and of the queue."""
        night = self.desk.night
        if night is None:
            return "The machine tells of no near-dedicated night any more."
        if not night.window.is_open:
            return "The window is closed already."
        if night.window.closing and not self.kills.isChecked() and night.job is not None:
            self._take(night.job)
            return "The window is being closed already; only its job can be killed."
        waiting = f"{counted(len(night.queue), 'job stays', 'jobs stay')} in the queue"
        job = night.job
        changed = self._take(job)
        if job is None:
            self.effect.setText(f"{changed}{waiting}.")
        elif self.kills.isChecked():
            wall, cpu = numbers.duration(job.elapsed_s), numbers.duration(job.cpu_s)
            lost = f"{wall} of wall time and {cpu} of CPU time are lost"
            self.effect.setText(f"{job.name} is killed: {lost}; {waiting}.")
        else:
            at = self.desk.times.short(job.watchdog_s)
            self.effect.setText(f"{changed}{job.name} goes on, at most until {at}; {waiting}.")
        return ""

    def _take(self, job: JobCard | None) -> str:
        """Show the job that runs; a kill that was chosen for another one is chosen no longer, and said."""
        before = self._job
        if before is not None and (job is None or job.request != before.request) and self.kills.isChecked():
            self._changed = f"{before.name} does not run any more and nothing is killed. "
            self.goes_on.blockSignals(True)
            self.goes_on.setChecked(True)
            self.goes_on.blockSignals(False)
        self._job = job
        self._name.setText(job.name if job is not None else "")
        self._name.setVisible(job is not None)
        self._place.setVisible(job is not None)
        return "" if self.kills.isChecked() else self._changed
