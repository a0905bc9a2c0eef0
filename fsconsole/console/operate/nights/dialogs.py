"""What asks an operator before something is done to a night."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTime, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QTimeEdit,
    QWidget,
)

from fsconsole.app.nights.replan import with_window
from fsconsole.app.nights.times import Times
from fsconsole.console.connections import tie
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.kit.forms import FormDialog
from fsconsole.console.operate.controls import LengthSpin
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.widgets.boxes import INHERIT, vbox
from fsconsole.console.widgets.danger_buttons import DangerButton
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.neardedicated.plan import extend_effect
from fsconsole.neardedicated.view import ExtendEffect, JobCard, NightView
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import Action, CloseWindow, ExtendJob, KillJob, OpenWindow
from fsconsole.targets.base import Playback
from fsconsole.text import durations, numbers
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words, listed

ANOTHER_MACHINE = "Another machine is open now. Nothing was done."
_LEAST_MIN = -1440
_USUAL_S = 8 * 3600.0


class ActionDialog(AskDialog):
    """Base of all dialogs of a simulated machine; subclasses give `action` and `follow_night`.

    The simulated clock is held while it is open: at its speed the job would have ended before one has read.
    """

    def __init__(
        self, controller: NightController, title: str, verb: QPushButton, icon: str, parent: QWidget | None
    ) -> None:
        """Take the arguments of `AskDialog`."""
        super().__init__(controller.arming, title, verb, icon, parent)
        self.controller = controller
        self._is_over = False
        self._held: Playback | None = None
        self.finished.connect(self._release_clock)
        for signal in ("target_changed", "document_changed"):
            tie(controller.session, signal, self, "_leave")
        tie(controller, "changed", self, "refresh")

    def action(self) -> Action | None:
        """Return the requested action; None while it is not possible."""
        return None

    def follow(self) -> str:
        """Bring the words up to date while there is a night."""
        night = self.controller.night
        if night is None:
            return "No near-dedicated window is active any more."
        return self.follow_night(night)

    def follow_night(self, night: NightView) -> str:
        """Bring the words about a night up to date; why it cannot be done, or nothing."""
        raise NotImplementedError

    def ask(self) -> bool:
        """Ask the machine for it."""
        action = self.action()
        if action is None or self._is_over:
            return False
        self.controller.act(action, self.reason.text(), self._on_outcome)
        return True

    @Slot()
    def refresh(self) -> None:
        """Refresh the dialog; disable it once another machine is open."""
        if self._is_over:
            self.verb.setEnabled(False)
            self.show_problem(ANOTHER_MACHINE)
            return
        super().refresh()

    @Slot()
    def _leave(self) -> None:
        """Note that the machine of the dialog is not there any more."""
        self._is_over = True
        self.refresh()

    def remark(self) -> str:
        night = self.controller.night
        return (
            f"The clock is held at {self.controller.times.clock(night.time_s)}."
            if self._held and night
            else ""
        )

    @Slot()
    def _release_clock(self) -> None:
        """Let time pass again, unless the user has done so or another machine is open."""
        held, self._held = self._held, None
        playback = self.controller.session.playback
        if held is not None and held is playback and not playback.is_running:
            self.controller.session.run()

    def showEvent(self, event: QShowEvent) -> None:
        playback = self.controller.session.playback
        if self._held is None and playback is not None and playback.is_running:
            self._held = playback
            self.controller.session.pause()
            self.refresh()
        super().showEvent(event)

    def _on_outcome(self, outcome: Outcome) -> None:
        self.on_answer("" if outcome.done else outcome.text)


class RunningJobDialog(ActionDialog):
    """Base of kill and extend: of the very job that ran when it was opened; subclasses give `follow_job`."""

    def __init__(
        self,
        controller: NightController,
        job: JobCard,
        question: str,
        verb: QPushButton,
        icon: str,
        parent: QWidget | None,
    ) -> None:
        """`question` has the slots job, user and machine."""
        super().__init__(controller, verb.text().replace("&", ""), verb, icon, parent)
        self.job = job
        self.heading.setText(question.format(job=job.name, user=job.person, machine=controller.machine))

    def follow_night(self, night: NightView) -> str:
        """Return the job as it is now; when and how it ended where it has."""
        if night.job is None or night.job.request != self.job.request:
            return ended_sentence(night, self.job, self.controller)
        if night.job.is_over:
            return f"{night.job.name} was killed. It ends when the clock runs."
        self.job = night.job
        return self.follow_job(night, night.job)

    def follow_job(self, night: NightView, job: JobCard) -> str:
        """Bring the words about the running job up to date; why it cannot be done, or nothing."""
        raise NotImplementedError


class KillDialog(RunningJobDialog):
    """The focus is in the reason and Enter cancels; it is killed by a click, Tab and Space, or Alt+K."""

    def __init__(self, controller: NightController, job: JobCard, parent: QWidget | None = None) -> None:
        button = DangerButton("&Kill job", filled=True)
        super().__init__(controller, job, "Kill {job} of {user} on {machine}?", button, "kill", parent)
        self.below.setText("This cannot be undone.")
        self.row("Job").setText(f"{job.name}, request {job.request}")
        self.row("User").setText(job.person)
        self._elapsed = self.row("Elapsed")
        self._efficiency = self.row("Efficiency")
        self.lost = self.row("Lost", "danger")
        self.then = self.row("Then")
        self.hold_others = QCheckBox(f"Hold the other jobs of {menu_words(job.person)} in this window", self)
        self.lay_out(self.hold_others, cancels=True)

    def action(self) -> Action | None:
        """Kill this very job, whatever runs by now."""
        return KillJob(self.job.request, self.hold_others.isChecked())

    def follow_job(self, night: NightView, job: JobCard) -> str:
        elapsed = durations.duration(job.elapsed_s)
        self._elapsed.setText(f"{elapsed} of an estimated {durations.duration(job.estimate_s)}")
        self._efficiency.setText(_efficiency(job, night.required_efficiency))
        cpu = durations.duration(job.cpu_s)
        self.lost.setText(f"{elapsed} of wall time and {cpu} of CPU time. The job has no checkpoint.")
        self.then.setText(night.kill_effect)
        return ""


def ended_sentence(night: NightView, job: JobCard, controller: NightController) -> str:
    """Return a sentence on when and how a job ended that ran just before."""
    rows = night.night.jobs if night.night is not None else ()
    found = next((row for row in rows if row.request == job.request), None)
    if found is None:
        return f"{job.name} has ended. Nothing was changed."
    at = controller.times.clock(found.start_s + found.wall_s)
    if found.how == "ended":
        return f"{job.name} ended at {at}. Nothing was changed."
    return f"{job.name} ended at {at}, {found.how}. Nothing was changed."


def _efficiency(job: JobCard, required: float) -> str:
    if job.efficiency is None:
        return "none yet: the job is in preparation"
    now, least = numbers.percent(job.efficiency), numbers.percent(required, 0)
    if job.efficiency >= required:
        return f"{now}, above the required {least}"
    return f"{now}, below the required {least}"


class ExtendDialog(RunningJobDialog):
    """Shows the effect while the length is chosen; Enter extends, which can be reverted."""

    def __init__(
        self, controller: NightController, job: JobCard, by_s: float, parent: QWidget | None = None
    ) -> None:
        button = QPushButton("&Extend job")
        super().__init__(controller, job, "Extend {job} of {user} on {machine}?", button, "extend", parent)
        self.below.setText("You can revert this until the watchdog's old time.")
        self.by = LengthSpin(round(by_s / 60), self, least=_LEAST_MIN)
        self.by.setMaximumWidth(90)
        self.form.addRow(MutedLabel("By", self), self.by)
        self._now = self.row("Watchdog now")
        self.effect = self.row("Then")
        self.by.edited.connect(self.refresh)
        self.lay_out(cancels=False)
        self.setTabOrder(self.by, self.reason)

    def action(self) -> Action | None:
        """Extend this very job."""
        return ExtendJob(self.job.request, self.by.seconds)

    def follow_job(self, night: NightView, job: JobCard) -> str:
        times = self.controller.times
        left = length_words(job.watchdog_s - night.time_s)
        needs = "" if not job.short_s else f"; the job needs until about {times.short(job.needs_until_s)}"
        self._now.setText(f"kills at {times.short(job.watchdog_s)}, in {left}{needs}")
        if self.by.problem:
            self.effect.setText(numbers.UNKNOWN)
            return self.by.problem
        effect = extend_effect(night, self.by.seconds)
        if effect is None:
            return ""
        self.effect.setText(effect_sentence(effect, times))
        if effect.problem:
            return f"Not possible: {effect.problem}."
        return "" if self.by.value() else "Choose a length other than 0 min."


def effect_sentence(effect: ExtendEffect, times: Times) -> str:
    """Return `The watchdog moves to 05:40. The window ends at 06:00. 2 queued jobs no longer fit: a and
    b.`
    """
    sentences = [f"The watchdog moves to {times.short(effect.watchdog_s)}."]
    if effect.needs_until_s is not None:
        sentences.append(
            f"That is not enough: the job needs until about {times.short(effect.needs_until_s)}."
        )
    if effect.window_end_s is None:
        sentences.append("The window has no planned end.")
    elif effect.past_end_s > 0:
        over = length_words(effect.past_end_s)
        sentences.append(f"That is {over} after the window's end at {times.short(effect.window_end_s)}.")
    else:
        sentences.append(f"The window ends at {times.short(effect.window_end_s)}.")
    lost = effect.no_longer_fit
    if lost:
        names = listed([row.name for row in lost])
        jobs = count_words(len(lost), "queued job no longer fits", "queued jobs no longer fit")
        sentences.append(f"{jobs}: {names}.")
    else:
        sentences.append("Every queued job that fits now still fits.")
    return " ".join(sentences)


class StartWindowDialog(ActionDialog):
    """Open the window now, up to a time of the clock."""

    def __init__(self, controller: NightController, night: NightView, parent: QWidget | None = None) -> None:
        super().__init__(controller, "Start window", QPushButton("&Start window"), "start-window", parent)
        self.heading.setText(
            f"Start the near-dedicated window on {controller.machine} again?"
            if night.window.closing
            else f"Start the near-dedicated window on {controller.machine} now?"
        )
        self.below.setText("You can stop it at any time.")
        planned_s = night.window.end_s
        end_s = planned_s if planned_s is not None and planned_s > night.time_s else None
        at = controller.times.at(
            end_s if end_s is not None else controller.times.snapped(night.time_s + _USUAL_S)
        )
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
        night = self.controller.night
        chosen = self.until.time()
        return self.controller.times.next_at(chosen.hour(), chosen.minute(), night.time_s if night else 0.0)

    def action(self) -> Action | None:
        """Return the action that opens the window until the end chosen."""
        return OpenWindow(self.end_s)

    def follow_night(self, night: NightView) -> str:
        """Return the length that the window would have, and the jobs that would run."""
        if night.window.is_open and not night.window.closing:
            return "The window is already open."
        plan = with_window(night, night.time_s, self.end_s).plan_by_pace
        sentences = [f"The window is {length_words(self.end_s - night.time_s)} long."]
        if not plan:
            sentences.append("No queued job fits.")
        elif len(plan) == 1:
            sentences.append(f"{plan[0].label} starts.")
        else:
            sentences.append(f"{plan[0].label} starts first of {numbers.thousands(len(plan))} jobs.")
        self.effect.setText(" ".join(sentences))
        return ""


class StopDialog(ActionDialog):
    """Closes the window; the running job continues to its end unless it is killed. Enter cancels."""

    def __init__(self, controller: NightController, night: NightView, parent: QWidget | None = None) -> None:
        super().__init__(
            controller, "Stop window", DangerButton("&Stop window", filled=True), "stop-window", parent
        )
        self._job = night.job
        self._changed = ""
        self.heading.setText(f"Stop the near-dedicated window on {controller.machine}?")
        self.below.setText("No more jobs are started. You can start it again.")
        self.effect = self.row("Then")
        self.goes_on = QRadioButton("Let it run to its end", self)
        self.kills = QRadioButton("Kill it now. Its work is lost", self)
        self.goes_on.setChecked(True)
        self._choice = QButtonGroup(self)
        place = QWidget(self)
        vbox(self.goes_on, self.kills, on=place, spacing=INHERIT)
        for button in (self.goes_on, self.kills):
            self._choice.addButton(button)
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

    def follow_night(self, night: NightView) -> str:
        """Return the consequences for the job and for the queue."""
        if not night.window.is_open:
            return "The window is already closed."
        if night.window.closing and not self.kills.isChecked() and night.job is not None:
            self._take(night.job)
            return "The window is already closing. Only its job can be killed."
        waiting = count_words(len(night.queue), "job stays in the queue.", "jobs stay in the queue.")
        job = night.job
        changed = self._take(job)
        if job is None:
            self.effect.setText(f"{changed}{waiting}")
        elif self.kills.isChecked():
            wall, cpu = durations.duration(job.elapsed_s), durations.duration(job.cpu_s)
            lost = f"{wall} of wall time and {cpu} of CPU time are lost."
            self.effect.setText(f"{job.name} is killed. {lost} {waiting}")
        else:
            at = self.controller.times.short(job.watchdog_s)
            self.effect.setText(f"{changed}{job.name} continues until {at} at the latest. {waiting}")
        return ""

    def _take(self, job: JobCard | None) -> str:
        """Show the job that runs; a kill chosen for another job is cleared, with a message."""
        before = self._job
        if before is not None and (job is None or job.request != before.request) and self.kills.isChecked():
            self._changed = f"{before.name} has ended, so no job is killed. "
            with QSignalBlocker(self.goes_on):
                self.goes_on.setChecked(True)
        self._job = job
        self._name.setText(job.name if job is not None else "")
        self._name.setVisible(job is not None)
        self._place.setVisible(job is not None)
        return "" if self.kills.isChecked() else self._changed


class ShiftNoteDialog(FormDialog):
    """It may be written at any time, armed or not; an empty one takes the last one away."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__("Shift note", parent)
        self._controller = controller
        note = controller.note
        self.text = QPlainTextEdit(note.text if note is not None else "", self)
        self.text.setAccessibleName("Note for the next operator")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumSize(420, 120)
        self.text.textChanged.connect(self.clear_problem)
        hint = (
            f"The next operator of {controller.machine} sees it when the console opens and when it is armed."
        )
        self.lay_out("Leave note", ("", MutedLabel(hint, self)), ("", self.text))
        self.text.setFocus()

    @Slot()
    def accept(self) -> None:
        problem = self._controller.leave_note(self.text.toPlainText())
        if problem:
            self.refuse(self.text, problem)
            return
        super().accept()
