"""Kill the running job: what it is, what is lost, what happens then."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from fsconsole.console.operate.danger_button import DangerButton
from fsconsole.console.operate.dialog import ActionDialog
from fsconsole.console.operate.nights.desk import Desk
from fsconsole.figures.style import numbers
from fsconsole.neardedicated.view import JobCard, NightView
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.job_actions import KillJob


class KillDialog(ActionDialog):
    """The focus is in the reason and Enter cancels; it is killed by a click, Tab and Space, or Alt+K."""

    def __init__(self, desk: Desk, job: JobCard, parent: QWidget | None = None) -> None:
        super().__init__(desk, "Kill job", DangerButton("&Kill job", filled=True), "kill", parent)
        self._job = job
        self.heading.setText(f"Kill {job.name} of {job.person} on {desk.machine}?")
        self.below.setText("This cannot be undone.")
        self.row("Job").setText(f"{job.name}, request {job.request}")
        self.row("User").setText(job.person)
        self._elapsed = self.row("Elapsed")
        self._efficiency = self.row("Efficiency")
        self.lost = self.row("Lost", "danger")
        self.then = self.row("Then")
        self.hold_others = QCheckBox(f"Hold other jobs of {job.person} in this window", self)
        self.lay_out(self.hold_others, cancels=True)

    def action(self) -> Action | None:
        """Kill this very job, whatever runs by now."""
        return KillJob(self._job.request, self.hold_others.isChecked())

    def follow(self) -> str:
        """The job as it is now; when and how it ended where it has."""
        night = self.desk.night
        if night is None:
            return "The machine tells of no near-dedicated night any more."
        if night.job is None or night.job.request != self._job.request:
            return ended_sentence(night, self._job, self.desk)
        if night.job.is_over:
            return f"{night.job.name} was killed. It ends when the clock runs."
        job = self._job = night.job
        elapsed = numbers.duration(job.elapsed_s)
        self._elapsed.setText(f"{elapsed} of an estimated {numbers.duration(job.estimate_s)}")
        self._efficiency.setText(_efficiency(job, night.required_efficiency))
        cpu = numbers.duration(job.cpu_s)
        self.lost.setText(f"{elapsed} of wall time and {cpu} of CPU time. The job has no checkpoint.")
        self.then.setText(night.kill_effect)
        return ""


def ended_sentence(night: NightView, job: JobCard, desk: Desk) -> str:
    """When and how a job ended that ran a moment ago."""
    rows = night.night.jobs if night.night is not None else ()
    found = next((row for row in rows if row.request == job.request), None)
    if found is None:
        return f"{job.name} does not run any more. Nothing was changed."
    at = desk.times.clock(found.start_s + found.wall_s)
    how = "" if found.how == "ended" else f", {found.how}"
    return f"{job.name} ended at {at}{how}. Nothing was changed."


def _efficiency(job: JobCard, required: float) -> str:
    if job.efficiency is None:
        return "none yet, the job prepares"
    way = "above" if job.efficiency >= required else "below"
    return f"{numbers.percent(job.efficiency)}, {way} the required {numbers.percent(required, 0)}"
