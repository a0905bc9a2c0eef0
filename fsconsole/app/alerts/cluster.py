"""Alerts of a Slurm cluster, from one reading to the next.

What lasts (no answer, a time limit ahead, many pending jobs) is an alert while it lasts. What happens once
(a job ended or lost its place) is one until an operator acknowledges it, or the job runs again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fsconsole.neardedicated.alerts import DANGER, WARN
from fsconsole.neardedicated.view import Alert
from fsconsole.slurm.job_labels import counts_of
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.preemption import preemptions
from fsconsole.targets.slurm.link_trouble import CONTROLLER, link_trouble
from fsconsole.targets.slurm.link_words import newest_s
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.summary import is_at_work
from fsconsole.text import moments, numbers
from fsconsole.text.durations import length_words

BEFORE_S = 900.0  # The alert comes this many seconds before a time limit ends a job.
MOST_PENDING = 10_000
_MOST_EVENTS = 100


class ClusterAlerts:
    """Follows the states of one cluster; one thread asks.

    Attributes:
        most_pending: jobs that may be pending before it is an alert.
        alerts: those that last, acknowledged ones too.
    """

    def __init__(self, most_pending: int = MOST_PENDING) -> None:
        self.most_pending = most_pending
        self.alerts: tuple[Alert, ...] = ()
        self._events: dict[str, Alert] = {}
        self._acknowledged: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._jobs: tuple[Job, ...] = ()
        self._running: dict[int, Job] = {}

    def take(self, state: ClusterState, now_s: float) -> tuple[Alert, ...]:
        """Compute the alerts of a state; `now_s` since 1970."""
        jobs = state.parts.get(PartName.JOBS, Part())
        if state.jobs is not self._jobs and jobs.as_of_s is not None and not jobs.problem:
            self._follow_jobs(state, now_s)
        lasting = [*self._no_answer(state, now_s), *self._limits(now_s), *self._pending(state, now_s)]
        found = {alert.key: alert for alert in (*lasting, *self._events.values())}
        self._began = {key: self._began.get(key, now_s) for key in found}
        self._acknowledged = {key: who for key, who in self._acknowledged.items() if key in found}
        self.alerts = tuple(
            replace(alert, acknowledged_by=self._acknowledged.get(key, "")) for key, alert in found.items()
        )
        return self.alerts

    def acknowledge(self, key: str, who: str) -> None:
        """Note that an alert was seen; one of something that happened once is over with that."""
        if self._events.pop(key, None) is not None:
            self.alerts = tuple(alert for alert in self.alerts if alert.key != key)
            return
        self._acknowledged[key] = who
        self.alerts = tuple(
            replace(alert, acknowledged_by=who) if alert.key == key else alert for alert in self.alerts
        )

    # -- inside -------------------------------------------------------------------------------------------

    def _follow_jobs(self, state: ClusterState, now_s: float) -> None:
        self._jobs = state.jobs
        now = {job.job_id: job for job in state.jobs}
        for number, before in self._running.items():
            event = _event_of(before, now.get(number), now_s)
            if event is not None:
                self._events.pop(event.key, None)
                self._events[event.key] = event
        self._running = {job.job_id: job for job in _near_jobs(state) if is_at_work(job)}
        for number in self._running:  # The job runs again.
            self._events.pop(f"displaced:{number}", None)
        while len(self._events) > _MOST_EVENTS:
            self._events.pop(next(iter(self._events)))

    def _no_answer(self, state: ClusterState, now_s: float) -> Iterable[Alert]:
        trouble = link_trouble(state, moments.clock)
        is_gone = state.link is Link.NO_ANSWER
        if trouble is not None and (is_gone or CONTROLLER in trouble.short):
            since_s = self._began.get("controller", (newest_s(state) if is_gone else None) or now_s)
            text = f"{state.name} does not respond" if is_gone else f"{state.name}: {trouble.short}"
            yield Alert("controller", DANGER, text, since_s)

    def _limits(self, now_s: float) -> Iterable[Alert]:
        for job in self._running.values():
            if job.end_s is not None and 0 <= job.end_s - now_s <= BEFORE_S:
                at = moments.clock(job.end_s)
                text = (
                    f"job {_name(job)} reaches its time limit at {at}, in {length_words(job.end_s - now_s)}"
                )
                yield Alert(
                    f"watchdog:{job.job_id}", WARN, text, max(job.start_s or 0.0, job.end_s - BEFORE_S)
                )

    def _pending(self, state: ClusterState, now_s: float) -> Iterable[Alert]:
        count = counts_of(state.jobs)[Sort.WAITING]
        if count > self.most_pending:
            most = numbers.thousands(self.most_pending)
            text = f"{numbers.thousands(count)} jobs are pending, more than {most}"
            yield Alert("pending", WARN, text, self._began.get("pending", now_s))


def _near_jobs(state: ClusterState) -> list[Job]:
    """Return jobs of the near-dedicated class: in partitions that no other one preempts, or in a
    reservation.
    """
    rules = preemptions(state.settings, state.partitions)
    names = {rule.by for rule in rules} - {rule.of for rule in rules}
    reservations = {one.name for one in state.reservations}
    return [job for job in state.jobs if job.partition in names or job.reservation in reservations]


def _event_of(before: Job, now: Job | None, now_s: float) -> Alert | None:
    """Return the event at the end of a job that ran; None while it runs."""
    number, name = before.job_id, _name(before)
    if now is None:
        return Alert(f"ended:{number}", WARN, f"job {name} left the queue", now_s)
    if is_at_work(now):
        return None
    if now.is_pending:
        return Alert(f"displaced:{number}", DANGER, f"job {name} was requeued and is pending", now_s)
    if now.state in ("SUSPENDED", "PREEMPTED"):
        return Alert(f"displaced:{number}", DANGER, f"job {name} was {now.state.lower()}", now_s)
    level = WARN if now.state == "COMPLETED" else DANGER
    return Alert(f"ended:{number}", level, f"job {name} ended: {now.state.lower().replace('_', ' ')}", now_s)


def _name(job: Job) -> str:
    return f"{job.label} of {job.user}"
