"""Batch as a part of the machine: NQS queues, jobs, and actions on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.jobs.account import JobAccount, account_of
from fsconsole.machine.jobs.action_handlers import ActionHandlers
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.job_messages import job_of
from fsconsole.machine.jobs.nqs import Nqs, Queue
from fsconsole.machine.jobs.stopping import Stopping
from fsconsole.machine.jobs.urm import Ranked
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.machine.parts import Done
from fsconsole.shares.scenario.actions import SubmitJob
from fsconsole.shares.scenario.job_spec import UrmSpec
from fsconsole.shares.scenario.spec import SettingError


class Batch:
    """Queues and jobs of a machine."""

    name = "batch"

    def __init__(self, machine: Machine) -> None:
        """Start with queues without jobs."""
        self._machine, self._nqs = machine, Nqs(machine)
        self._life = self._nqs.life
        self._stopping = Stopping(machine, self._life)
        # They are compared by identity at each stop, to detect changes of settings or the tree.
        self._urm: UrmSpec = machine.spec.urm
        self._flat: object = machine.flat
        self._doing = ActionHandlers(machine, self._nqs, self._stopping)
        self.handlers: Mapping[type[Any], Callable[[Any], Done]] = self._doing.handlers

    # -- what there is ------------------------------------------------------------------------------------

    @property
    def jobs(self) -> dict[int, Job]:
        """All waiting and running jobs, and the last ended ones, by request."""
        return self._nqs.jobs

    @property
    def queues(self) -> dict[str, Queue]:
        """NQS queues by name."""
        return self._nqs.queues

    @property
    def finished(self) -> deque[Job]:
        """Last jobs that have ended, newest last."""
        return self._nqs.finished

    def running(self) -> list[Job]:
        """Return jobs that have been started and have not ended, checkpointed ones too, by request."""
        return sorted(self._life.active.values(), key=lambda job: job.request)

    def waiting(self, queue: str) -> list[Job]:
        """Return jobs of a queue that wait, held ones too, in its order."""
        return [self.jobs[request] for request in self.queues[queue].order]

    def ja(self, request: int) -> JobAccount:
        """Return the account of a job, live or the last one.

        Raises:
            LookupError: the request is unknown.
        """
        return account_of(self._machine, job_of(self.jobs, request))

    def ranked(self) -> list[Ranked]:
        """Return the jobs waiting in started queues, ranked by URM, best first."""
        return self._nqs.ranked()

    def why_waits(self, job: Job) -> str:
        """Return the reason why a waiting job stays in its queue."""
        return self._nqs.why_waits(job)

    # -- as a part of the machine -------------------------------------------------------------------------

    def start(self) -> None:
        """Submit the scenario's jobs in order.

        Raises:
            SettingError: no queue accepts a job.
        """
        for spec in self._machine.scenario.jobs:
            try:
                self._doing.submit(SubmitJob(spec))
            except (Refused, LookupError) as reason:
                msg = f"the job {spec.name}: {reason.args[0]}"
                raise SettingError(msg) from None

    def next_tick(self) -> int | None:
        """Return the next tick at which a job continues by time, a transfer ends, or jobs may start."""
        machine, life = self._machine, self._life
        if life.ready or machine.flat is not self._flat or machine.spec.urm is not self._urm:
            return machine.tick
        wakes = [job.wake_tick for job in life.active.values() if job.state == "running"]
        ticks = [
            tick for tick in (*wakes, self._stopping.next_tick(), self._nqs.pass_tick) if tick is not None
        ]
        return min(ticks, default=None)

    def act(self) -> None:
        """Continue jobs, end transfers, start jobs."""
        machine, nqs = self._machine, self._nqs
        self._life.step()
        self._doing.take_ended()
        self._stopping.step()
        if machine.flat is not self._flat:
            self._flat = machine.flat
            nqs.hold_without_node()
        if machine.spec.urm != self._urm:
            nqs.look_soon()
        self._urm = machine.spec.urm
        if nqs.pass_tick is not None and nqs.pass_tick <= machine.tick:
            nqs.start_jobs()
        self._doing.refresh()

    def started(self, pids: tuple[int, ...]) -> None:
        """Ignore new processes: jobs know their own."""

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Record tasks, by row [ended], that have used up their phase; return those that wait, [kept]."""
        return self._life.arrive(rows)

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Remove processes that are gone, by pid [dropped]; a job that loses one ends."""
        self._life.lose(pids)

    def to_json(self) -> dict[str, Any]:
        """Return queues and jobs as plain data for checkpoints."""
        nqs = self._nqs
        return {
            "next_request": nqs.next_request,
            "jobs": [job.to_json() for job in self.jobs.values()],
            "finished": [job.request for job in self.finished],
            "active": list(self._life.active),
            "ready": self._life.ready,
            "queues": {name: [q.started, q.order, q.by_hand] for name, q in self.queues.items()},
            "stopping": self._stopping.to_json(),
            "pass_tick": nqs.pass_tick,
            "urm": list(astuple(self._urm)),
        }

    def from_json(self, data: dict[str, Any]) -> None:
        """Restore the state that `to_json` returned."""
        nqs = self._nqs
        nqs.next_request, nqs.pass_tick = data["next_request"], data["pass_tick"]
        nqs.jobs = {job.request: job for job in map(Job.from_json, data["jobs"])}
        nqs.finished = deque(self.jobs[request] for request in data["finished"])
        for name, queue in self.queues.items():
            queue.started, order, queue.by_hand = data["queues"][name]
            queue.order = list(order)
        self._life.take_up([self.jobs[request] for request in data["active"]], data["ready"])
        self._stopping.from_json(data["stopping"])
        # The next stop reads the tree once more, which is harmless.
        self._urm, self._flat = UrmSpec(*data["urm"]), None
