"""The controller of near-dedicated scheduling as a part of a machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.machine import Machine
from fsconsole.machine.parts import Done
from fsconsole.neardedicated.alerts import Situation, alerts_of
from fsconsole.neardedicated.eligibility import best_of
from fsconsole.neardedicated.event_loop import NEVER, EventLoop
from fsconsole.neardedicated.handlers import Operators
from fsconsole.neardedicated.plain import to_plain
from fsconsole.neardedicated.plan import Planned, fits, next_planned
from fsconsole.neardedicated.preemption import Preemption
from fsconsole.neardedicated.queue import NdQueue
from fsconsole.neardedicated.state import State
from fsconsole.neardedicated.times import clock
from fsconsole.neardedicated.view import Alert
from fsconsole.neardedicated.waiting import Waiting
from fsconsole.recording.audit import CONTROL, AuditRow, Result
from fsconsole.recording.journal import Outcome
from fsconsole.shares.scenario.actions import Action


class NearDedicated:
    """The part of a machine that runs near-dedicated windows.

    Attributes:
        spec: section of the scenario. state: present state.
    """

    name = "near-dedicated"

    def __init__(self, machine: Machine) -> None:
        """Attach to a machine.

        Raises:
            ValueError: the machine's scenario has no near-dedicated section.
        """
        spec = machine.scenario.near_dedicated
        if spec is None:
            msg = "the scenario has no section near_dedicated"
            raise ValueError(msg)
        self.machine, self.spec = machine, spec
        self.state = State(spec.order)
        self.preemption = Preemption(self)
        self.loop = EventLoop(self)
        self.handlers: Mapping[type[Any], Callable[[Any], Done]] = Operators(self).handlers
        self._due = 0
        self._batch: Batch | None = None
        self._queue: NdQueue | None = None

    # -- what it stands beside ----------------------------------------------------------------------------

    @property
    def batch(self) -> Batch:
        """Batch part of the machine."""
        if self._batch is None:
            self._batch = next(part for part in self.machine.parts if isinstance(part, Batch))
        return self._batch

    @property
    def queue(self) -> NdQueue:
        """Queue of near-dedicated jobs."""
        if self._queue is None:
            self._queue = NdQueue(self.machine, self.batch, self.spec)
        return self._queue

    def job_of(self, request: int) -> Job | None:
        """Return a job by its request, running, waiting or ended; None for an unknown one."""
        return self.batch.jobs.get(request)

    def do(self, action: Action, why: str = "") -> Outcome:
        """Act on the machine."""
        return self.machine.do_as(CONTROL, action, why)

    def log(self, what: str, on: str, before: str, after: str, why: str = "") -> None:
        """Write an event that is not an action, such as the end of a job, into the audit log."""
        text = f"{on}: {before} to {after}"
        self.machine.audit.append(
            AuditRow(self.machine.tick, CONTROL, what, on, before, after, Result.DONE, text=text, why=why)
        )

    def clock(self, time_s: float) -> str:
        """Return a time of the machine as hh:mm, with the date if that is ambiguous now."""
        return clock(self.machine.spec.start, time_s, self.machine.now_s)

    def ticks(self, seconds: float) -> int:
        """Return the tick nearest to a time, at least 0."""
        return max(0, self.machine.spec.ticks(seconds))

    def waiting(self, *, with_ranks: bool = False) -> list[Waiting]:
        """Return the jobs of the queue in their order."""
        return self.queue.waiting(self.state.refused, self.state.shown, with_ranks=with_ranks)

    def shown(self, job: Job) -> float | None:
        """Return the best efficiency demonstrated for a job."""
        return self.queue.shown(job, self.state.shown)

    # -- a part of the machine ----------------------------------------------------------------------------

    def start(self) -> None:
        """Read the schedule and the queue at time 0."""
        self.act()

    def next_tick(self) -> int | None:
        """Return the tick of its next action: the present one after an event, or a scheduled one."""
        self._note_shown()
        if self.state.called or self.loop.is_called():
            return self.machine.tick
        return None if self._due >= NEVER else self._due

    def act(self) -> None:
        """Do the work that is due, and schedule the next action."""
        self.state.called = False
        self.loop.step()
        self._due = self.loop.next_due()

    def started(self, pids: tuple[int, ...]) -> None:
        """Ignore new processes, which other parts handle."""

    def ended(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return no rows, [0]: processes that have used up their CPU time end."""
        return rows[:0]

    def dropped(self, pids: NDArray[np.int64]) -> None:
        """Ignore processes that are gone, by pid [dropped]; other parts handle them."""

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain data."""
        data: dict[str, Any] = to_plain(self.state)
        return data

    def from_json(self, data: dict[str, Any]) -> None:
        """Restore the state that `to_json` returned."""
        self.state = State.from_json(data)
        self._batch = self._queue = None
        self._due = self.loop.next_due()

    def _note_shown(self) -> None:
        """Store the efficiencies that `ja` shows for jobs that have ended; called at every stop."""
        finished = self.batch.finished
        if finished and finished[-1].request != self.state.looked_at:
            self.state.shown = best_of([*self.state.shown, *self.queue.demonstrations(self.state.looked_at)])
            self.state.looked_at = finished[-1].request

    def call(self) -> None:
        """Request an action at the next tick."""
        self.state.called = True

    # -- what its parts ask -------------------------------------------------------------------------------

    def planned(self) -> Planned | None:
        """Return the next window while none is open."""
        state, now_s = self.state, self.machine.now_s
        if state.moved is not None and state.moved.end_s > now_s:
            return state.moved
        return next_planned(self.spec.windows, self.machine.spec.start, now_s, state.considered_s)

    def work_s(self) -> float:
        """Return the sum of the estimates of all jobs that fit the rest of the window, for dedicated time."""
        window, now_s = self.state.window, self.machine.now_s
        end_s = None if window is None else window.end_s
        jobs = [job for job in self.waiting() if not job.held]
        return sum(job.estimate_s for job in jobs if job.take_chances or fits(job, now_s, end_s))

    def alerts(self) -> list[Alert]:
        """Return the current alerts for an operator: events and persisting causes."""
        run = self.state.run
        job = None if run is None else self.job_of(run.request)
        if run is None or job is None or job.waits:
            return list(self.state.events)
        now_s = self.machine.now_s
        situation = Situation(
            now_s,
            run.request,
            run.label,
            run.started_tick / self.machine.spec.hz,
            run.efficiency,
            run.below_since_s,
            run.watchdog.deadline_s,
            self.preemption.sds_since_s(job),
            job.spec.sds_mw,
        )
        return self.state.events + alerts_of(situation, self.spec, self.machine.spec.start)
