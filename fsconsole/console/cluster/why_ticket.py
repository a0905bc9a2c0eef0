"""The explanation of a job's wait or a user's priority, as text to paste into a ticket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QSize, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QWidget

from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.answer import Answer
from fsconsole.app.slurm_why.associations import why_user, why_users
from fsconsole.app.slurm_why.facts import Facts, facts_of_state
from fsconsole.app.slurm_why.job import why_job
from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.job_priority import row_of_each
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.explain import read_tasks, read_tres
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text.visible_text import visible

_PRIORITY_S = 15.0
_TRES_S = 60.0
Ask = Callable[[Facts], Answer]


class WhyDialog(Dialog):
    """Shows an answer once it is computed; *Copy for ticket* puts it on the clipboard, without the note."""

    def __init__(self, call: Callable[[], Answer], note: str = "", parent: QWidget | None = None) -> None:
        """`call` is made in a thread."""
        super().__init__("Why", parent)
        self.text = QPlainTextEdit("Reading…", self)
        self.text.setReadOnly(True)
        self.text.setFont(fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("Answer")
        self.buttons = QDialogButtonBox(self)
        self.copy = self.buttons.addButton("Copy for ticket", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setEnabled(False)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        self.copy.clicked.connect(self._on_copy)
        self.buttons.rejected.connect(self.reject)
        self.note = MutedLabel(note, self)
        self.note.setVisible(bool(note))
        vbox((self.text, 1), self.note, self.buttons, on=self, margins=(12, 12, 12, 12))
        self.resize(self.sizeHint())
        self._tasks = Tasks(self)
        self._tasks.run(call, self._on_answer, self._on_error)

    def sizeHint(self) -> QSize:
        return QSize(860, 460)

    def _on_answer(self, answer: Answer) -> None:
        self.text.setPlainText(visible(answer.as_text()))
        self.copy.setEnabled(True)
        self.copy.setFocus()

    def _on_error(self, error: Exception) -> None:
        self.text.setPlainText(visible(describe_error(error)))

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText("Copied")


class WhyTicket(QObject):
    """Answers for what is selected on the cluster that is open."""

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window

    def actions(self) -> list[Action]:
        """Return actions that explain the selected associations."""
        return [
            Action(
                "cluster.why", "Wh&y, for a ticket…", self.ask_selected, menu="Target", group="reading",
                tip="Explain the fairshare of one user or account, or of two users, as text for a ticket",
                enabled=lambda: self._question() is not None,
                why_not=lambda: "Select a user, an account or two users first",
                words="explain fairshare ticket copy why", needs=CLUSTER,
            )
        ]  # fmt: skip

    def ask_selected(self) -> None:
        """Explain the associations that are selected."""
        question = self._question()
        if question is not None:
            self._show(question)

    def ask_job(self, label: str) -> None:
        """Explain why a job waits."""
        self._show(partial(_of_job, label))

    def _question(self) -> Ask | None:
        """Return the question for the selection; None unless it is a user, an account or two users."""
        cluster = self._session.offer(CLUSTER)
        tree = None if cluster is None else cluster.state.tree
        chosen = self._session.selection
        if tree is None or not 1 <= len(chosen) <= 2 or not all(node in tree.keys for node in chosen):
            return None
        keys = [tree.keys[node] for node in chosen]
        names = [f"{user}@{account}{f'/{part}' if part else ''}" for account, user, part in keys if user]
        if len(names) != len(keys):
            return partial(_of_account, keys[0][0]) if len(keys) == 1 else None
        return partial(_of_users, names)

    def _show(self, question: Ask) -> None:
        cluster, document = self._session.offer(CLUSTER), self._session.document
        if cluster is not None:
            call = partial(_answer, question, cluster.state, cluster.target)
            WhyDialog(call, "" if document is None else document.staged_note, self._window).open()


def _answer(question: Ask, state: ClusterState, target: ClusterTarget) -> Answer:
    facts = facts_of_state(state, lambda jobs: _priorities(target, jobs), partial(tres_of_jobs, target))
    return question(replace(facts, tasks=partial(_tasks, target)))


def tres_of_jobs(target: ClusterTarget) -> Mapping[int, str]:
    """Return the resources of each job; empty without an answer in time."""
    try:
        return target.ask(read_tres).result(_TRES_S)
    except (CancelledError, FutureTimeoutError):
        return {}


def _tasks(target: ClusterTarget, job: Job) -> Sequence[Job]:
    """Return the pending tasks of an array one by one; empty without an answer in time."""
    try:
        return target.ask(partial(read_tasks, job=job)).result(_TRES_S)
    except (CancelledError, FutureTimeoutError):
        return ()


def _of_users(names: Sequence[str], facts: Facts) -> Answer:
    return why_user(facts, names[0]) if len(names) == 1 else why_users(facts, names[0], names[1])


def _of_account(name: str, facts: Facts) -> Answer:
    return why_account(facts, name)


def _of_job(label: str, facts: Facts) -> Answer:
    return why_job(facts, label)


def _priorities(target: ClusterTarget, jobs: Sequence[Job]) -> Mapping[int, JobPriority]:
    """Return sprio's values of jobs; those without an answer in time are missing."""
    found: list[JobPriority] = []
    for job in jobs:
        try:
            found += target.priority_of(job.label).result(_PRIORITY_S).rows
        except (CancelledError, FutureTimeoutError):
            continue
    return row_of_each(found, jobs)
