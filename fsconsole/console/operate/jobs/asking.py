"""Asks an operator what is needed before something is done to jobs; does at once what can be taken back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from fsconsole.console.operate.jobs.around import dangers_now
from fsconsole.console.operate.jobs.desk import ClusterDesk
from fsconsole.console.operate.jobs.verbs import asks, change_of, obstacle
from fsconsole.slurm.job_change import JobVerb, only_insisted


class Asking:
    """Opens the dialogs over a window; `usual_s` is the length beside the button."""

    def __init__(self, desk: ClusterDesk, parent: QWidget, usual_s: Callable[[], float]) -> None:
        self._desk, self._parent, self._usual_s = desk, parent, usual_s

    def ask(self, verb: JobVerb, by_s: float = 0.0) -> None:
        """Of the selected jobs: kill, extend and requeue always ask, all others where they are several.

        Or where the person has to insist, or would resume a job whose CPUs are others' by now, which is a
        matter for a dialog too. While the console is read-only all of them ask: what would be run can be
        looked at there.
        """
        jobs = self._desk.jobs
        if self._desk.hindrance() or obstacle(verb, jobs):
            return
        change = change_of(verb, jobs, by_s or self._usual_s())
        must_insist = any(only_insisted(change, job, self._desk.now_s) for job in jobs)
        must_know = must_insist or (verb is JobVerb.RESUME and bool(dangers_now(self._desk, change)))
        if len(jobs) == 1 and not asks(verb) and not must_know and not self._desk.read_only:
            self._desk.act(change_of(verb, jobs))
            return
        from fsconsole.console.operate.jobs.dialogs import ExtendJobs, PlainJobDialog

        window = self._parent.window()
        if verb is JobVerb.EXTEND:
            ExtendJobs(self._desk, jobs, window, by_s or self._usual_s()).open()
        else:
            PlainJobDialog(self._desk, verb, jobs, window).open()
