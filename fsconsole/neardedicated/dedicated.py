"""Dedicated time in the old way: all other jobs are checkpointed, and restarted afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fsconsole.machine.jobs.job import Job
from fsconsole.neardedicated.state import Session
from fsconsole.recording.audit import CONTROL
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    KillJob,
    RestartJob,
    ResumeProcess,
    SetQueue,
    SuspendProcess,
)

if TYPE_CHECKING:
    from fsconsole.neardedicated.controller import NearDedicated

_WHY, _HOW = "dedicated time", "killed for dedicated time"
_MOVING = ("checkpointing", "restarting")


class Dedicated:
    """Stopping of other work for dedicated time, and its return.

    Jobs are checkpointed; those that cannot be are killed and lose their work. Batch processes outside jobs
    are suspended [ours]: the paper has only jobs.
    """

    def __init__(self, controller: NearDedicated) -> None:
        """Attach to a controller, which keeps the session."""
        self._controller = controller

    def begin(self) -> None:
        """Stop queues, checkpoint or kill their jobs, suspend other batch processes."""
        control = self._controller
        session = control.state.session = Session()
        for name, queue in control.batch.queues.items():
            if name != control.spec.queue and queue.started and control.do(SetQueue(name, False), _WHY).done:
                session.queues.append(name)
        for job in control.batch.running():
            self._stop(job, session)
        for pid in self._loose_processes():
            if control.do(SuspendProcess(pid), _WHY).done:
                session.pids.append(pid)

    def _stop(self, job: Job, session: Session) -> None:
        """Stop a job; leave one that others have stopped, and wait for one that they are restarting."""
        control = self._controller
        if job.state in _MOVING:
            session.others.append(job.request)
            return
        if job.state != "running":
            return
        if job.spec.can_checkpoint:
            if control.do(CheckpointJob(job.request), _WHY).done:
                session.jobs.append(job.request)
            return
        used_s = control.batch.ja(job.request).cpu_s
        why = f"{_WHY}, because it cannot be checkpointed"
        if control.machine.do_as(CONTROL, KillJob(job.request), why, _HOW).done:
            session.killed += 1
            session.lost_cpu_s += used_s

    def _loose_processes(self) -> list[int]:
        """Return processes outside jobs that are charged to the nodes of other queues."""
        control = self._controller
        machine, batch = control.machine, control.batch
        nodes = {queue.spec.node for name, queue in batch.queues.items() if name != control.spec.queue}
        rows = [
            machine.flat.row_of[node] for node in nodes if node is not None and node in machine.flat.row_of
        ]
        taken = [pid for job in batch.jobs.values() for pid in job.pids]
        loose = np.isin(machine.processes.owner, rows) & ~np.isin(machine.processes.image, taken)
        return [int(pid) for pid in machine.processes.pid[loose]]

    def stop_others(self) -> None:
        """Stop jobs that others have restarted."""
        session = self._controller.state.session
        if session is None:
            return
        for request in self._back_again(session):
            session.others.remove(request)
            self._stop(self._controller.batch.jobs[request], session)

    def has_turned(self) -> bool:
        """Return True if all jobs are checkpointed, or others have restarted one that must stop."""
        session = self._controller.state.session
        return session is not None and (bool(self._back_again(session)) or self.is_ready())

    def _back_again(self, session: Session) -> list[int]:
        return [request for request in session.others if self._is(request, ("running",))]

    def is_ready(self) -> bool:
        """Return True if all jobs are checkpointed or have ended."""
        session = self._controller.state.session
        if session is None or self._back_again(session):
            return session is None
        moving = any(self._is(request, _MOVING) for request in session.others)
        return not moving and not self._are("checkpointing")

    def bring_back(self) -> None:
        """Restart jobs, resume processes, start queues."""
        control = self._controller
        session = control.state.session
        if session is None or session.is_over:
            return
        session.is_over = True
        for request in session.jobs:
            if self._is(request, ("checkpointed", "checkpointing")):
                control.do(RestartJob(request), _WHY)
        alive = set(control.machine.processes.pid.tolist())
        for pid in session.pids:
            if pid in alive:
                control.do(ResumeProcess(pid), _WHY)
        for name in session.queues:
            control.do(SetQueue(name, True), _WHY)

    def is_back(self) -> bool:
        """Return True if all jobs have been restarted."""
        return not self._are("restarting")

    def _are(self, state: str) -> bool:
        session = self._controller.state.session
        return session is not None and any(self._is(request, (state,)) for request in session.jobs)

    def _is(self, request: int, states: tuple[str, ...]) -> bool:
        job = self._controller.batch.jobs.get(request)
        return job is not None and job.state in states
