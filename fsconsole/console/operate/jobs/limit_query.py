"""Which limit holds the selected job, with its number and whose it is; looked up in a thread."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from fsconsole.app.slurm_why.facts import facts_of_state
from fsconsole.app.slurm_why.limit import held_by_limit
from fsconsole.console.cluster.why_ticket import tres_of_jobs
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limit_reasons import limit_of_reason
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.state import ClusterState


class LimitQuery(QObject):
    """Follows a given job.

    Attributes:
        words: the limit, such as `GrpJobs 1 of account teaching is reached`; empty while none is known.

    Signals: changed() with other words.
    """

    changed = Signal()

    def __init__(self, controller: JobController, parent: QObject) -> None:
        super().__init__(parent)
        self.words = ""
        self._controller = controller
        self._tasks = Tasks(self)
        self._asked: tuple[object, ...] = ()

    def look_at(self, job: Job | None) -> None:
        """Look up the limit that a job's reason names, once for a reason; None looks up nothing."""
        state = self._controller.state
        is_held = job is not None and job.is_pending and limit_of_reason(job.reason) is not None
        asked = (self._controller.cluster, job.label, job.reason) if job is not None and is_held else ()
        if asked == self._asked or (asked and state is None):
            return
        self._asked, self.words = asked, ""
        self._tasks.cancel()
        cluster = self._controller.cluster
        if job is not None and state is not None and cluster is not None and asked:
            self._tasks.run(partial(_limit_words, state, job, cluster.target), self._take, lambda _: None)

    def _take(self, words: str) -> None:
        self.words = words
        self.changed.emit()


def _limit_words(state: ClusterState, job: Job, target: ClusterTarget) -> str:
    """Describe the limit that holds the job; empty for none. It walks all associations."""
    found = held_by_limit(facts_of_state(state, tres=partial(tres_of_jobs, target)), job)
    if found is None:
        return ""
    _, _, words = found.sentences[0].partition(": ")  # The job is named above.
    return words.rpartition(" (")[0]  # The reason is in brackets.
