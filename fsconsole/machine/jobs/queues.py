"""NQS queues: what waits in which order, what each takes, and how many of its jobs may run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fsconsole.machine.jobs.job import Job
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.text.durations import in_words


@dataclass(eq=False, slots=True)
class Queue:
    """A queue and what waits in it.

    Attributes:
        started: whether its jobs are started by themselves.
        order: requests that wait, held ones too, the first one first.
        by_hand: somebody has moved a job: the queue's jobs go in this order, URM says only when it is the
            queue's turn. Until the queue is empty.
    """

    spec: QueueSpec
    started: bool
    order: list[int] = field(default_factory=list)
    by_hand: bool = False

    def take_out(self, request: int) -> int:
        """Take a request out; the place that it had, counted from 1."""
        place = self.order.index(request) + 1
        self.order.remove(request)
        self.by_hand &= bool(self.order)
        return place

    def has_room(self, job: Job, running: Iterable[Job]) -> bool:
        """Whether its limits let another job of this person run."""
        own = [other for other in running if other.spec.queue == self.spec.name]
        if len(own) >= self.spec.run_limit:
            return False
        most = self.spec.user_limit
        return most is None or sum(other.spec.person == job.spec.person for other in own) < most


def too_much(job: JobSpec, queue: QueueSpec, memory: MemorySpec) -> str:
    """Why a job can never run in a queue, and what is possible; empty if it can."""
    cpu, size, sds = job.requested_cpu_s, job.memory_mw, job.sds_mw
    limits = (
        ("CPU time", cpu, queue.most_cpu_s, in_words),
        ("memory", size, queue.most_memory_mw, _mw),
        ("SDS", sds, queue.most_sds_mw, _mw),
    )
    for what, asked, most, words in limits:
        if most is not None and asked > most:
            return f"queue {queue.name} takes jobs of up to {words(most)} of {what}, not {words(asked)}"
    there = (("memory", max(size, job.setup_mw), memory.size_mw), ("SDS", sds, memory.sds_mw))
    for what, asked, most in there:
        if most and asked > most:
            return f"the machine has {_mw(most)} of {what}, the job needs {_mw(asked)}"
    return ""


def _mw(size: float) -> str:
    return f"{size:g} MW"
