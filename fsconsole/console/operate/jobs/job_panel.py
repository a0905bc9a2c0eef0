"""The selected job: all that is known of it, and what may be done to it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.jobs.arrays import whole_array
from fsconsole.app.jobs.dependencies import awaited_jobs
from fsconsole.app.jobs.selection import JobSelection
from fsconsole.app.jobs.words import icon_of, state_words
from fsconsole.console.kit.facts import FactList
from fsconsole.console.operate.job_card import Figure, JobCard, enable
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.jobs.job_facts import (
    array_facts,
    array_title,
    facts_of,
    figures_of,
    several_facts,
    why_waits,
)
from fsconsole.console.operate.jobs.limit_query import LimitQuery
from fsconsole.console.operate.jobs.priority_view import PriorityQuery, PriorityView
from fsconsole.console.operate.jobs.verbs import VERBS, obstacle_now
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, Gap, hbox, vbox
from fsconsole.console.widgets.chips import ChipState
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.slurm.job_change import JobVerb
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.text.words import count_words

_LEAST_MIN = -10_080
_MOST_MIN = 10_080
_CHIPS: dict[Sort, ChipState] = {Sort.RUNNING: "ok", Sort.SUSPENDED: "warn"}
_LONGEST_NAME = "Goes before"
_PAIRS = ((JobVerb.SUSPEND, JobVerb.RESUME), (JobVerb.HOLD, JobVerb.RELEASE), (JobVerb.REQUEUE,))


class JobPanel(JobCard):
    """Signals: wanted(JobVerb, seconds) when a button is pressed; the seconds are for EXTEND.

    awaited_wanted() when the job that this one waits for is to be selected.
    """

    wanted = Signal(object, float)
    awaited_wanted = Signal()

    def __init__(self, controller: JobController) -> None:
        super().__init__("Job", "Kill…", "Extend…", _LEAST_MIN, _MOST_MIN)
        self._controller = controller
        self._figures = tuple(Figure(words, self.card, big=True) for words in ("Elapsed", "Limit", "Left"))
        self._rows = QWidget()
        self.why, self.facts = (
            FactList(self._rows, longest=_LONGEST_NAME, takes_focus=False) for _ in range(2)
        )
        self.awaited = QPushButton("Go to awaited job", self._rows)
        self.awaited.clicked.connect(self.awaited_wanted)
        self.priority = PriorityView(self._rows)
        self._asking = PriorityQuery(controller, self)
        self._limit = LimitQuery(controller, self)
        self.others = tuple(QPushButton(self) for _ in _PAIRS)
        self._verbs: dict[QPushButton, JobVerb] = {}
        self._build_ui()
        self.kill.clicked.connect(lambda: self.wanted.emit(JobVerb.KILL, 0.0))
        self.extend.clicked.connect(lambda: self.wanted.emit(JobVerb.EXTEND, self.by.seconds))
        self.by.edited.connect(self._refresh)
        for button in self.others:
            button.clicked.connect(self._on_verb_pressed)
        for signal in (controller.changed, controller.chosen, controller.armed, theme().changed):
            signal.connect(self._refresh)
        self._asking.changed.connect(self._show_priority)
        self._limit.changed.connect(self._refresh)

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        awaited = (self.awaited, 0, Qt.AlignmentFlag.AlignLeft)
        vbox(self.why, awaited, self.priority, self.facts, STRETCH, on=self._rows, spacing=3)
        figures = hbox(*((figure, 1) for figure in self._figures), spacing=INHERIT)
        parts = (*self.head(), Gap(6), figures, Gap(6), (scrolling(self._rows), 1))
        card = vbox(*parts, margins=(12, 8, 12, 4), spacing=2)
        vbox((card, 1), self.foot(12, self.others), on=self.card)

    @Slot()
    def _on_verb_pressed(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton) and button in self._verbs:
            self.wanted.emit(self._verbs[button], 0.0)

    @Slot()
    def _refresh(self) -> None:
        jobs = self._controller.jobs
        self.card.setVisible(bool(jobs))
        self._offer(jobs)
        self._rows.setEnabled(self._controller.is_fresh)  # Outdated values are muted.
        if self.isVisible():
            one = jobs[0] if len(jobs) == 1 else None
            self._asking.look_at(one)
            self._limit.look_at(one)
            selection = self._controller.selection
            if selection is not None:
                self._show_one(jobs[0]) if len(jobs) == 1 else self._show_several(jobs, selection)

    def _offer(self, jobs: tuple[Job, ...]) -> None:
        """Show the buttons of allowed actions; disabled ones show the reason. Read-only, all only ask."""
        hindrance = self._controller.hindrance() or ("" if jobs else "Select a job")
        read_only = self._controller.read_only
        for button, pair in zip(self.others, _PAIRS, strict=True):
            verb = self._of_pair(pair)
            title = VERBS[verb].title
            button.setText(f"{title}…" if VERBS[verb].always_asks or read_only else title)
            if self._verbs.get(button) is not verb:
                self._verbs[button] = verb
                put_icon(button, VERBS[verb].icon)
            enable(button, hindrance or obstacle_now(self._controller, verb), read_only)
        enable(self.kill, hindrance or obstacle_now(self._controller, JobVerb.KILL), read_only)
        why_not = hindrance or obstacle_now(self._controller, JobVerb.EXTEND)
        enable(self.by, why_not, read_only)
        enable(self.extend, why_not or self.by.problem, read_only)

    def _of_pair(self, pair: tuple[JobVerb, ...]) -> JobVerb:
        """Return the verb to offer: to resume a suspended job, though Slurm can suspend it once more."""
        selection = self._controller.selection
        is_suspended = selection is not None and selection.first.sort is Sort.SUSPENDED
        order = pair[::-1] if is_suspended and JobVerb.RESUME in pair else pair
        return next((one for one in order if not obstacle_now(self._controller, one)), order[0])

    def _show_one(self, job: Job) -> None:
        columns = self._controller.columns
        if columns is None:
            return
        self.title.say(job.user, job.name)
        self._chip_of(job)
        self.show_about(f"Job {job.label}, {job.partition}, account {job.account}, QOS {job.qos or 'none'}")
        for figure, (words, token) in zip(self._figures, figures_of(job, columns), strict=True):
            figure.show()
            figure.say(words, token=token if self._controller.is_fresh else "muted")
        self.why.show_facts(why_waits(job, self._controller, self._limit.words))
        self.facts.show_facts(facts_of(job, self._controller))
        awaited = awaited_jobs(job.dependency) if job.is_pending else ()
        self.awaited.setVisible(bool(awaited))
        self.awaited.setText(f"Go to {awaited[0]}" if awaited else "")
        self._show_priority()

    @Slot()
    def _show_priority(self) -> None:
        """Show the priority of a single pending job."""
        jobs, state = self._controller.jobs, self._controller.state
        if len(jobs) != 1 or not jobs[0].is_pending:
            self.priority.hide()
            return
        settings = state.settings if state is not None else None
        weights = settings.weights if settings is not None else {}
        self.priority.show_report(self._asking.report, weights, jobs[0].priority)

    def _show_several(self, jobs: tuple[Job, ...], selection: JobSelection) -> None:
        array = whole_array(jobs, selection.columns)
        self.chip.hide()
        if array is None:
            self.title.say(count_words(selection.count, "job"))
            self.show_about("Actions apply to all of them.")
        else:
            self.title.say(array.job.user, array.job.name)
            self.show_about(f"{array_title(array)}. Actions apply to all of them.")
        for figure in self._figures:
            figure.hide()
        self.awaited.hide()
        self.why.show_facts([])
        self.facts.show_facts(
            several_facts(selection) if array is None else array_facts(array, jobs, self._controller)
        )
        self._show_priority()

    def _chip_of(self, job: Job) -> None:
        self.chip.show()
        sort, icon = job.sort, icon_of(job)
        is_fault = sort is Sort.FINISHED and icon[1] == "danger"
        state: ChipState = "danger" if is_fault else _CHIPS.get(sort, "neutral")
        self.chip.show_state(state_words(job), state, icon[0])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
