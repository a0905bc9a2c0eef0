"""Let the running job go on for longer: until when, and which jobs will not fit then."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.operate.dialog import ActionDialog
from fsconsole.console.operate.length_spin import LengthSpin
from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.operate.nights.kill_dialog import ended_sentence
from fsconsole.console.operate.nights.words import Times, counted, length, listed
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.neardedicated.effects import extend_effect
from fsconsole.neardedicated.view import ExtendEffect, JobCard
from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.job_actions import ExtendJob

_LEAST_MIN = -1440


class ExtendDialog(ActionDialog):
    """What it would do is said while the length is chosen; Enter extends, for it can be taken back."""

    def __init__(self, desk: Desk, job: JobCard, by_s: float, parent: QWidget | None = None) -> None:
        super().__init__(desk, "Extend job", QPushButton("&Extend job"), "extend", parent)
        self._job = job
        self.heading.setText(f"Extend {job.name} of {job.person} on {desk.machine}?")
        self.below.setText("It can be taken back until the watchdog's old time.")
        self.by = LengthSpin(round(by_s / 60), self, least=_LEAST_MIN)
        self.by.setAccessibleName("Extend by, hours and minutes")
        self.by.setMaximumWidth(90)
        self.form.addRow(MutedLabel("By", self), self.by)
        self._now = self.row("Watchdog now")
        self.effect = self.row("Then")
        self.by.valueChanged.connect(self.refresh)
        self.lay_out(cancels=False)
        self.setTabOrder(self.by, self.reason)

    def action(self) -> Action | None:
        """Extend this very job."""
        return ExtendJob(self._job.request, self.by.seconds)

    def follow(self) -> str:
        """The effect as it would be now."""
        night = self.desk.night
        if night is None:
            return "The machine tells of no near-dedicated night any more."
        if night.job is None or night.job.request != self._job.request:
            return ended_sentence(night, self._job, self.desk)
        if night.job.is_over:
            return f"{night.job.name} was killed. It ends when the clock runs."
        job = self._job = night.job
        times = self.desk.times
        left = length(job.watchdog_s - night.time_s)
        self._now.setText(f"kills at {times.short(job.watchdog_s)}, in {left}")
        effect = extend_effect(night, self.by.seconds)
        if effect is None:
            return ""
        self.effect.setText(effect_sentence(effect, times))
        if effect.problem:
            return f"That cannot be: {effect.problem}."
        return "" if self.by.value() else "Choose a length other than 0:00."


def effect_sentence(effect: ExtendEffect, times: Times) -> str:
    """`The watchdog moves to 05:40. The window ends at 06:00. 2 queued jobs no longer fit: a and b.`"""
    said = [f"The watchdog moves to {times.short(effect.watchdog_s)}."]
    if effect.window_end_s is None:
        said.append("No end of the window is planned.")
    elif effect.past_end_s > 0:
        over = length(effect.past_end_s)
        said.append(f"That is {over} past the window's end at {times.short(effect.window_end_s)}.")
    else:
        said.append(f"The window ends at {times.short(effect.window_end_s)}.")
    lost = effect.no_longer_fit
    if lost:
        names = listed([row.name for row in lost])
        jobs = counted(len(lost), "queued job no longer fits", "queued jobs no longer fit")
        said.append(f"{jobs}: {names}.")
    else:
        said.append("Every queued job that fits now still fits.")
    return " ".join(said)
