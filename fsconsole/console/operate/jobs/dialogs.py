"""Confirmations of actions on jobs: the jobs, important facts, and the command."""

from __future__ import annotations

import math
from shlex import join

from PySide6.QtCore import QDateTime, QSignalBlocker, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDateTimeEdit,
    QDialogButtonBox,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from fsconsole.app.jobs.arrays import jobs_name, whole_array
from fsconsole.app.jobs.words import name_of, state_words
from fsconsole.console.connections import tie
from fsconsole.console.kit.consent import ConsentBox
from fsconsole.console.operate.controls import LengthSpin
from fsconsole.console.operate.jobs.action_dialog import ClusterActionDialog
from fsconsole.console.operate.jobs.controller import JobController, Reports
from fsconsole.console.operate.jobs.job_facts import job_lines
from fsconsole.console.operate.jobs.results import progress_words
from fsconsole.console.operate.jobs.verbs import (
    STOP_TIP,
    VERBS,
    change_of,
    dangers_now,
    none_words,
    split_jobs,
)
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.widgets.boxes import STRETCH, hbox
from fsconsole.console.widgets.danger_buttons import DangerButton
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.job_change import JobChange, JobVerb, new_limit_s
from fsconsole.slurm.job_labels import job_count, task_count
from fsconsole.slurm.job_warnings import JobWarning, insisting
from fsconsole.slurm.jobs import Job
from fsconsole.text import moments, numbers
from fsconsole.text.durations import day_duration, length_words
from fsconsole.text.words import capitalised, count_words, first_of, listed, more_label

_MOST_MIN = 100 * 24 * 60

_GONE = "The cluster does not have this job any more."
_MOST_LINES = 6


def verb_button(verb: JobVerb) -> QPushButton:
    """Return the button that does it: `Kill job`; in danger's colours where nothing brings back what is
    lost.
    """
    words = VERBS[verb]
    return DangerButton(words.one, filled=True, icon=words.icon) if words.is_grave else QPushButton(words.one)


class JobDialog(ClusterActionDialog):
    """It shows all important facts on one job, or a list of several, with reasons for those left out.

    If the loss is irreversible, Enter cancels. `insist` appears if the user has to confirm once more.
    """

    def __init__(
        self, controller: JobController, verb: JobVerb, jobs: tuple[Job, ...], parent: QWidget
    ) -> None:
        """Create the dialog; `jobs` are followed by their numbers.

        Raises:
            RuntimeError: no cluster is open.
        """
        self._words = words = VERBS[verb]
        is_one = len(jobs) == 1
        title = self._words.act.format(jobs=jobs[0].label if is_one else count_words(job_count(jobs), "job"))
        super().__init__(controller, title, verb_button(verb), words.icon, words.below, parent)
        self.job_verb = verb
        self._first = jobs
        self._shown_for: tuple[object, ...] = ()
        self._dangers: tuple[JobWarning, ...] = ()
        self._sent: JobChange | None = None
        self._make_rows(jobs)
        self.insist = ConsentBox(self._words.insist, self)
        self.commands = QPlainTextEdit(self)
        self.commands.setReadOnly(True)
        self.commands.setFont(fixed_font())
        self.commands.setAccessibleName("Commands to run")
        self.commands.setTabChangesFocus(True)
        self.commands.hide()
        self.show_button = QPushButton("Show the command", self, autoDefault=False)
        self.show_button.setToolTip("The command is not run")
        self.buttons.addButton(self.show_button, QDialogButtonBox.ButtonRole.HelpRole)
        self.show_button.clicked.connect(self.show_commands)
        self.stop_button = QPushButton("&Stop", self, autoDefault=False)
        self.stop_button.setToolTip(STOP_TIP)
        self.buttons.addButton(self.stop_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.stop_button.hide()
        self.stop_button.clicked.connect(controller.stop)
        self.insist.toggled.connect(self.refresh)
        tie(controller, "progressed", self, "show_progress")

    @property
    def by_s(self) -> float:
        """How much longer; for EXTEND."""
        return 0.0

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Present state of the jobs; the last known state of those that the cluster no longer has."""
        return tuple(self.controller.job(job.job_id) or job for job in self._first)

    @property
    def change(self) -> JobChange:
        """What would be asked of the cluster: of the jobs that it can be done to."""
        able, _ = self._split()
        return self._change_of(able)

    def put_together(self) -> None:
        """Complete the layout; subclasses call it after adding their rows."""
        self.lay_out(self.insist, self.commands, cancels=self._words.is_grave)

    # -- what is shown --------------------------------------------------------------------------------------

    def follow_cluster(self) -> str:
        """Show the jobs as they are now, or as sent; return why it cannot be done to any of them."""
        if self._is_waiting:
            return ""
        jobs, wanted = self.jobs, self._change_of(self.jobs)
        able, others = self._split()
        self._show_heading(able or jobs)
        self.show_jobs(jobs, able)
        self._show_left_out(others, is_one=len(jobs) == 1)
        self._show_dangers(wanted)
        if hindrance := self.controller.hindrance():
            return f"{hindrance}."
        if not able:
            return self._nothing(others)
        if self.controller.read_only:
            return self.controller.read_only
        if any(danger.must_insist for danger in self._dangers) and not self.insist.isChecked():
            return self.insist_words
        return ""

    @property
    def insist_words(self) -> str:
        """Text of the additional confirmation."""
        return f"Tick “{self.insist.text()}” to continue."

    def show_jobs(self, jobs: tuple[Job, ...], able: tuple[Job, ...]) -> None:
        """Show the jobs in the rows of the form."""
        if len(jobs) == 1:
            job, now_s = jobs[0], self.controller.now_s
            self._job.setText(f"{job.label}, {job.name}")
            self._user.setText(f"{job.user}, account {job.account}")
            limit = day_duration(job.time_limit_s)
            ran = day_duration(job.ran_s(now_s))
            has_run = not job.is_pending
            self._elapsed.setText(f"ran {ran} of {limit}" if has_run else f"not started, limit {limit}")
            state, size = state_words(job), count_words(job.cpus, "CPU")
            facts = [f"{state} on {job.nodes}" if job.nodes else state, size, f"partition {job.partition}"]
            self._state.setText(", ".join(facts))
            return
        self._job.setText(job_lines(able or jobs))
        users = sorted({job.user for job in able or jobs})
        self._user.setText(listed(users, 5))
        hours = sum(job.ran_s(self.controller.now_s) * job.cpus for job in able) / 3600
        self._elapsed.setText(f"{numbers.fixed(hours, 1)} CPU hours in total")
        asked = sum(job.cpus * task_count(job) for job in able)
        self._state.setText(f"{numbers.thousands(asked)} CPUs together")

    def _show_heading(self, jobs: tuple[Job, ...]) -> None:
        columns = self.controller.columns
        words = self._words
        question = words.question.format(jobs=jobs_name(jobs, columns), cluster=self.controller.name)
        self.heading.setText(question)
        if len(jobs) == 1:
            self.verb.setText(words.one)
        elif whole_array(jobs, columns) is not None:
            self.verb.setText(words.array)
        else:
            self.verb.setText(words.many.format(count=numbers.thousands(job_count(jobs))))

    def _make_rows(self, jobs: tuple[Job, ...]) -> None:
        is_one = len(jobs) == 1
        self._job = self.row("Job" if is_one else "Jobs")
        self._user = self.row("User" if is_one else "Users")
        self._state = self.row("State" if is_one else "Size")
        self._elapsed = self.row("Elapsed" if is_one else "Ran")
        self.left_out = self.row("Left out")
        self.known = self.row("Consequences", "danger" if self._words.is_grave else "warn")

    def _show_left_out(self, others: tuple[tuple[Job, str], ...], *, is_one: bool) -> None:
        self.form.setRowVisible(self.left_out, bool(others) and not is_one)
        lines = [f"{name_of(job)}: {why}" for job, why in others[:_MOST_LINES]]
        lines += more_label(job_count(job for job, _ in others[_MOST_LINES:]))
        self.left_out.setText("\n".join(lines))

    def _show_dangers(self, wanted: JobChange) -> None:
        state = self.controller.state
        if state is None:
            return
        of = (state.serial, self.controller.now_s, wanted.by_s)
        if of == self._shown_for:
            return
        self._shown_for = of
        self._dangers = dangers_now(self.controller, wanted)
        lines = first_of(self._dangers, _MOST_LINES, lambda danger: danger.text)
        self.form.setRowVisible(self.known, bool(lines))
        self.known.setText("\n".join(lines))
        must_insist = any(danger.must_insist for danger in self._dangers)
        asked = (wanted.by_s, *(danger.identity for danger in self._dangers))
        self.insist.show_for(asked if must_insist else ())

    def _split(self) -> tuple[tuple[Job, ...], tuple[tuple[Job, str], ...]]:
        """Split the jobs into those that it can be done to, and the others with why not."""
        known, gone = list[Job](), list[tuple[Job, str]]()
        for first in self._first:
            job = self.controller.job(first.job_id)
            if job is not None:
                known.append(job)
            else:
                gone.append((first, _GONE))
        able, others = split_jobs(self._change_of(tuple(known)), tuple(known))
        return able, (*others, *gone)

    def _nothing(self, others: tuple[tuple[Job, str], ...]) -> str:
        if len(others) == 1:
            return f"{others[0][0].label}: {others[0][1]} No action is possible."
        first, why = others[0]
        return f"{none_words(self.job_verb, job_count(job for job, _ in others))} Job {name_of(first)}: {why}"

    # -- what is done ---------------------------------------------------------------------------------------

    def ask(self) -> bool:
        """Send the action to the cluster; return whether it was sent."""
        change = self.change
        if self.follow() or not self.act(change):
            return False
        self._sent = change
        return True

    @Slot()
    def show_progress(self) -> None:
        """Show how many jobs were sent, while there are others."""
        doing = self.controller.pending
        if doing is not None and doing.change is self._sent:
            self.below.setText(capitalised(progress_words(doing, self.controller.name)))
            self.stop_button.setVisible(doing.can_stop)

    @Slot()
    def show_commands(self) -> None:
        """Show what would be run, and run nothing."""
        self.controller.show_commands(self.change, self._show_reports)

    def _end(self, problem: str) -> None:
        if self.is_there:
            self.stop_button.hide()
        super()._end(problem)

    def _show_reports(self, reports: Reports) -> None:
        if not self.is_there:
            return
        lines = dict.fromkeys(join(report.command) for report in reports if report.command)
        refused = [
            f"# {report.on}: {report.text}" for report in reports if not report.command and report.text
        ]
        self.commands.setPlainText("\n".join([*lines, *refused]) or "# no command to run")
        shown = min(len(lines) + len(refused), 5) or 1
        self.commands.setFixedHeight(shown * self.commands.fontMetrics().lineSpacing() + 14)
        self.commands.show()
        self.adjustSize()

    def _change_of(self, jobs: tuple[Job, ...]) -> JobChange:
        change = change_of(self.job_verb, jobs, self.by_s, columns=self.controller.columns)
        return insisting(change, self._dangers) if self.insist.isChecked() else change

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.adjustSize()


class PlainJobDialog(JobDialog):
    """Kill, suspend, resume, hold, release, requeue."""

    def __init__(
        self, controller: JobController, verb: JobVerb, jobs: tuple[Job, ...], parent: QWidget
    ) -> None:
        super().__init__(controller, verb, jobs, parent)
        self.put_together()


class ExtendJobs(JobDialog):
    """The result is shown while the length is chosen; Enter extends, since that is reversible."""

    def __init__(
        self, controller: JobController, jobs: tuple[Job, ...], parent: QWidget, by_s: float = 1800.0
    ) -> None:
        self.by = LengthSpin(round(by_s / 60), None, least=-_MOST_MIN, most=_MOST_MIN)
        self.until = QDateTimeEdit()
        self._commands_by_s = by_s
        self._wanted_end_s: int | None = None  # While the moment was chosen last, not the length.
        self._end_s: int | None = None
        super().__init__(controller, JobVerb.EXTEND, jobs, parent)
        self.by.setMinimumWidth(84)
        self.until.setAccessibleName("New latest end")
        self.until.setDisplayFormat("d MMM yyyy HH:mm")
        self.until.setCalendarPopup(True)
        self._has_end = len(jobs) == 1 and jobs[0].end_s is not None and not jobs[0].is_pending
        self.form.addRow(MutedLabel("By", self), self._fields())
        self.limit = self.row("New limit")
        self.until.setVisible(self._has_end)
        self._follow_limits()
        self.by.edited.connect(self._on_length_changed)
        self.by.edited.connect(self.refresh)
        self.until.dateTimeChanged.connect(self._on_end_changed)
        self.put_together()
        self.setTabOrder(self.by, self.until)
        self.setTabOrder(self.until, self.reason)

    @Slot()
    def show_commands(self) -> None:
        self._commands_by_s = self.by_s
        super().show_commands()

    @property
    def by_s(self) -> float:
        """Length that time limits grow by, s."""
        return self.by.seconds

    def follow_cluster(self) -> str:
        """Show the effect of the length; without one, what is wrong with it."""
        self._follow_limits()
        hindrance = super().follow_cluster()
        self.show_button.setEnabled(not self.by.problem)
        if self.by.problem or self.by_s != self._commands_by_s:
            self.commands.hide()  # They are those of another length.
        return self.by.problem or hindrance

    def show_jobs(self, jobs: tuple[Job, ...], able: tuple[Job, ...]) -> None:
        """Show the resulting limit too."""
        super().show_jobs(jobs, able)
        self.limit.setText(numbers.UNKNOWN if self.by.problem else self._limit_words(able or jobs))

    def _limit_words(self, jobs: tuple[Job, ...]) -> str:
        if len(jobs) > 1:
            length = length_words(abs(self.by_s))
            return f"each longer by {length}" if self.by_s >= 0 else f"each shorter by {length}"
        job, now_s = jobs[0], self.controller.now_s
        after_s = new_limit_s(self._change_of(jobs), job)
        words = f"{day_duration(job.time_limit_s)} becomes {day_duration(after_s)}"
        if job.is_pending or job.end_s is None or after_s is None or math.isinf(after_s):
            return words
        before, after = (moments.moment(end_s, now_s) for end_s in (job.end_s, job.end_s + self.by_s))
        return f"{words}; ends by {after} instead of {before}"

    def _fields(self) -> QWidget:
        row = QWidget(self)
        self.until.setParent(row)
        end = (MutedLabel("new end", row), self.until) if self._has_end else ()
        hbox(self.by, *end, STRETCH, on=row, spacing=8)
        return row

    @Slot()
    def _on_length_changed(self) -> None:
        """Set the moment by the length."""
        self._wanted_end_s = None
        self._set_moment()

    @Slot()
    def _on_end_changed(self) -> None:
        """Set the length by the moment."""
        self._wanted_end_s = self.until.dateTime().toSecsSinceEpoch()
        self._set_length()
        self.refresh()

    def _set_moment(self) -> None:
        if self._end_s is not None:
            with QSignalBlocker(self.until):
                self.until.setDateTime(QDateTime.fromSecsSinceEpoch(round(self._end_s + self.by_s)))

    def _set_length(self) -> None:
        """Set the length that leads to the moment, in whole minutes."""
        if self._end_s is not None and self._wanted_end_s is not None:
            with QSignalBlocker(self.by):
                self.by.setValue(round((self._wanted_end_s - self._end_s) / 60))

    def _follow_limits(self) -> None:
        """Compute length or moment again after others changed a limit: what was chosen last stays."""
        end_s = self.jobs[0].end_s if self._has_end else None
        is_other_end = end_s != self._end_s
        if is_other_end and end_s is not None:
            self._end_s = end_s
            with QSignalBlocker(self.until):
                edges = (QDateTime.fromSecsSinceEpoch(end_s + 60 * edge) for edge in (-_MOST_MIN, _MOST_MIN))
                self.until.setDateTimeRange(*edges)
            self._set_moment() if self._wanted_end_s is None else self._set_length()
        limits = tuple((job.job_id, job.time_limit_s) for job in self.jobs)
        # The end of a suspended job moves with each poll, which changes nothing of an answer in a length.
        self.dwell.show_for(limits)
        if is_other_end and self._wanted_end_s is not None:
            self.dwell.restart()
