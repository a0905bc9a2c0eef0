"""The handlers of actions on jobs and queues; each returns an answer in words or raises Refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fsconsole.machine.jobs.job import KILLED, Job
from fsconsole.machine.jobs.job_messages import ended_text, job_of, not_waiting
from fsconsole.machine.jobs.lifecycle import work_of
from fsconsole.machine.jobs.nqs import Nqs, Queue, too_much
from fsconsole.machine.jobs.stopping import Stopping
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.machine.parts import Done
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    HoldJob,
    KillJob,
    MoveJob,
    ReleaseJob,
    Restart,
    RestartJob,
    RunJob,
    SetQueue,
    SubmitJob,
)
from fsconsole.text.durations import length_words
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import listed

KILLED_BY_OPERATOR = "killed by operator"
DELETED = "removed from the queue"
_MOST_NAMED = 5


class ActionHandlers:
    """The handlers of actions on one machine's jobs and queues."""

    def __init__(self, machine: Machine, nqs: Nqs, stopping: Stopping) -> None:
        """Take the queues and jobs to act on."""
        self._machine, self._nqs, self._stopping = machine, nqs, stopping
        self._life = nqs.life
        self.handlers: dict[type[Any], Callable[[Any], Done]] = {
            SubmitJob: self.submit,
            KillJob: self._kill,
            HoldJob: self._hold,
            ReleaseJob: self._release,
            MoveJob: self._move,
            RunJob: self._run,
            SetQueue: self._set_queue,
            CheckpointJob: self._checkpoint,
            RestartJob: self._restart,
            Restart: self._restart_machine,
        }

    def refresh(self) -> None:
        """Update the machine after processes started or ended."""
        if self._life.changed:
            self._life.changed = False
            self._machine.refresh()

    def take_ended(self) -> None:
        """Record the jobs that have ended."""
        for job in self._life.ended:
            self._stopping.forget(job.request)
            self._nqs.finish(job)
        self._life.ended.clear()

    def _job(self, request: int) -> Job:
        """Return a job that has not ended.

        Raises:
            Refused: it has ended; the message says when and how.
            LookupError: the request is unknown.
        """
        job = job_of(self._nqs.jobs, request)
        if job.state == "ended":
            raise Refused(ended_text(self._machine, job))
        return job

    def _in_queue(self, request: int) -> tuple[Job, Queue]:
        """Return a waiting job and its queue; Refused if it does not wait."""
        job = self._job(request)
        if not job.waits:
            raise not_waiting(self._machine, job)
        return job, self._nqs.queues[job.spec.queue]

    def _queue(self, name: str) -> Queue:
        queues = self._nqs.queues
        if name not in queues:
            msg = f"no queue {name!r}{nearest_or_all(name, queues)}"
            raise Refused(msg)
        return queues[name]

    def submit(self, action: SubmitJob) -> Done:
        """Append a job to its queue.

        Raises:
            Refused: it has a wrong value, an unknown device, or is too large for the queue.
        """
        spec, nqs, machine = action.job, self._nqs, self._machine
        wrong = [f"{key} {message}" for key, message in spec.problems()]
        if wrong:
            raise Refused("; ".join(wrong))
        queue = self._queue(spec.queue)
        message = too_much(spec, queue.spec, machine.spec.memory)
        if message:
            raise Refused(message)
        nqs.charged(queue, spec.person)
        machine.operations.device_of(work_of(spec))
        job = Job(nqs.next_request, spec, machine.tick)
        nqs.next_request += 1
        nqs.jobs[job.request] = job
        queue.order.append(job.request)
        nqs.look_soon()
        place = f"place {len(queue.order)}"
        return Done(f"{job.request} {job.label} is in queue {spec.queue}, {place}", job.label, after=place)

    def _kill(self, action: KillJob) -> Done:
        job, nqs = self._job(action.request), self._nqs
        pids: tuple[int, ...] = ()
        if job.waits:
            place = nqs.queues[job.spec.queue].take_out(job.request)
            job.state, job.how, job.ended_tick = "ended", DELETED, self._machine.tick
            nqs.finish(job)
            done, before = f"removed from queue {job.spec.queue}", f"place {place}"
        else:
            before = f"{job.state} for {self._since(job.started_tick)}"
            pids = self._life.end(job, self._machine.operations.how or KILLED_BY_OPERATOR, KILLED)
            self.take_ended()
            self.refresh()
            done = "killed"
        held = self._hold_others(job) if action.hold_others else []
        more = f"; held: {listed(held, _MOST_NAMED)}" if held else ""
        return Done(f"{job.request} {job.label} {done}{more}", job.label, before, f"{done}{more}", pids)

    def _since(self, tick: int | None) -> str:
        return length_words((self._machine.tick - (tick or 0)) / self._machine.spec.hz)

    def _hold_others(self, job: Job) -> list[str]:
        """Hold the other waiting jobs of the same person in the same queue."""
        others = [
            other
            for other in self._nqs.in_queues()
            if other.state == "waiting"
            and (other.spec.person, other.spec.queue) == (job.spec.person, job.spec.queue)
        ]
        for other in others:
            other.state = "held"
        return [f"{other.request} {other.spec.name}" for other in others]

    def _hold(self, action: HoldJob) -> Done:
        job, _ = self._in_queue(action.request)
        if job.state == "held":
            msg = f"{job.request} {job.label} is already held"
            raise Refused(msg)
        job.state, job.why_held = "held", ""
        return Done(f"{job.request} {job.label} is held", job.label, "waiting", "held")

    def _release(self, action: ReleaseJob) -> Done:
        job, queue = self._in_queue(action.request)
        if job.state != "held":
            msg = f"{job.request} {job.label} is not held"
            raise Refused(msg)
        self._nqs.charged(queue, job.spec.person)
        job.state, job.why_held = "waiting", ""
        self._nqs.look_soon()
        return Done(f"{job.request} {job.label} is released", job.label, "held", "waiting")

    def _move(self, action: MoveJob) -> Done:
        job, queue = self._in_queue(action.request)
        count = len(queue.order)
        if not 1 <= action.place <= count:
            msg = f"place {action.place} is out of range. Use 1 to {count}"
            raise Refused(msg)
        before = queue.order.index(job.request) + 1
        queue.order.remove(job.request)
        queue.order.insert(action.place - 1, job.request)
        queue.by_hand = True
        self._nqs.look_soon()
        text = f"{job.request} {job.label} is at place {action.place} of queue {queue.spec.name}"
        return Done(text, job.label, f"place {before}", f"place {action.place}")

    def _run(self, action: RunJob) -> Done:
        job, queue = self._in_queue(action.request)
        if job.state == "held":
            msg = f"{job.request} {job.label} is held. Release it first"
            raise Refused(msg)
        if not queue.has_room(job, self._life.active.values()):
            msg = f"queue {queue.spec.name} is full: it runs at most {queue.spec.run_limit} jobs at a time"
            raise Refused(msg)
        before = f"place {queue.order.index(job.request) + 1}"
        self._nqs.start(job)
        self.refresh()
        return Done(f"{job.request} {job.label} has started", job.label, before, "running", tuple(job.pids))

    def _set_queue(self, action: SetQueue) -> Done:
        queue = self._queue(action.queue)
        words = {True: "started", False: "stopped"}
        if queue.started == action.started:
            msg = f"queue {action.queue} is already {words[action.started]}"
            raise Refused(msg)
        queue.started = action.started
        self._nqs.look_soon()
        text = f"queue {action.queue} is now {words[action.started]}"
        return Done(text, f"queue {action.queue}", words[not action.started], words[action.started])

    def _started(self, request: int, state: str, wanted: str) -> Job:
        """Return a job in a state that only started jobs have; Refused otherwise."""
        job = self._job(request)
        if job.state != state:
            msg = f"{job.request} {job.label} is {job.state}: {wanted}"
            raise Refused(msg)
        return job

    def _checkpoint(self, action: CheckpointJob) -> Done:
        job = self._started(action.request, "running", "only a running job can be checkpointed")
        if not job.spec.can_checkpoint:
            msg = f"{job.request} {job.label} cannot be checkpointed. Kill it instead"
            raise Refused(msg)
        cost_s = self._stopping.checkpoint(job)
        text = f"{job.request} {job.label} is being checkpointed. It takes at least {length_words(cost_s)}"
        return Done(text, job.label, "running", job.state)

    def _restart(self, action: RestartJob) -> Done:
        job = self._started(action.request, "checkpointed", "only a checkpointed job can be restarted")
        cost_s = self._stopping.restart(job)
        text = f"{job.request} {job.label} is being restarted. It takes at least {length_words(cost_s)}"
        return Done(text, job.label, "checkpointed", job.state)

    def _restart_machine(self, action: Restart) -> Done:
        """Return started jobs to their queues, where NQS reruns them from their beginning."""
        jobs = self._life.forget_all()
        self._stopping.forget_all()
        for job in reversed(jobs):
            self._nqs.jobs[job.request] = job.again()
            self._nqs.queues[job.spec.queue].order.insert(0, job.request)
        text, pids = self._machine.operations.restart(action)
        self._nqs.look_soon()
        names = ", ".join(f"{job.request} {job.label}".strip() for job in jobs)
        return Done(f"{text}; back in their queues: {names}" if jobs else text, pids=pids)
