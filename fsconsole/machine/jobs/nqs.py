"""NQS: queues and their limits, waiting jobs, their starts, and their accounts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.lifecycle import Life
from fsconsole.machine.jobs.urm import Ranked, Waiting, ranking, requests_in_order, share_ranks
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec, QueueSpec
from fsconsole.shares.scenario.memory_spec import MemorySpec
from fsconsole.shares.scenario.names import Names
from fsconsole.text.durations import in_words


@dataclass(eq=False, slots=True)
class Queue:
    """A queue and its waiting jobs.

    Attributes:
        started: whether its jobs are started automatically.
        order: requests of waiting jobs, held ones too, the first one first.
        by_hand: whether jobs were moved by hand: then the queue's jobs keep this order and URM decides only
            the queue's turns, until the queue is empty.
    """

    spec: QueueSpec
    started: bool
    order: list[int] = field(default_factory=list)
    by_hand: bool = False

    def take_out(self, request: int) -> int:
        """Remove a request; return its place, counted from 1."""
        place = self.order.index(request) + 1
        self.order.remove(request)
        self.by_hand &= bool(self.order)
        return place

    def has_room(self, job: Job, running: Iterable[Job]) -> bool:
        """Return True if the limits allow another job of this person to run."""
        own = [other for other in running if other.spec.queue == self.spec.name]
        if len(own) >= self.spec.run_limit:
            return False
        most = self.spec.user_limit
        return most is None or sum(other.spec.person == job.spec.person for other in own) < most


def too_much(job: JobSpec, queue: QueueSpec, memory: MemorySpec) -> str:
    """Return the reason why a job can never run in a queue, and the limit; empty if it can."""
    cpu, size, sds = job.requested_cpu_s, job.memory_mw, job.sds_mw
    limits = (
        ("CPU time", cpu, queue.most_cpu_s, in_words),
        ("memory", size, queue.most_memory_mw, _mw),
        ("SDS", sds, queue.most_sds_mw, _mw),
    )
    for what, asked, most, words in limits:
        if most is not None and asked > most:
            return f"queue {queue.name} accepts jobs of up to {words(most)} of {what}, not {words(asked)}"
    there = (("memory", max(size, job.setup_mw), memory.size_mw), ("SDS", sds, memory.sds_mw))
    for what, asked, most in there:
        if most and asked > most:
            return f"the machine has {_mw(most)} of {what}, but the job needs {_mw(asked)}"
    return ""


def _mw(size: float) -> str:
    return f"{size:g} MW"


KEPT = 1000  # Older ended jobs are dropped, to limit memory.


class Nqs:
    """Queues and jobs of one machine, and the passes that start jobs.

    Attributes:
        jobs: all waiting and running jobs, and the last ended ones, by request.
        queues: by name. finished: jobs that have ended, newest last.
        life: the started jobs.
        pass_tick: tick of the next start pass; None without one.
    """

    def __init__(self, machine: Machine) -> None:
        """Start with queues without jobs."""
        self._machine = machine
        self.queues = {spec.name: Queue(spec, spec.started) for spec in machine.scenario.queues}
        self.jobs: dict[int, Job] = {}
        self.finished: deque[Job] = deque()
        self.next_request = FIRST_REQUEST
        self.life = Life(machine)
        self.pass_tick: int | None = None

    def ranked(self) -> list[Ranked]:
        """Return the jobs waiting in started queues, ranked by URM, best first."""
        ranked = ranking(self._machine.spec.urm, self._waiting())
        by_request = {item.request: item for item in ranked}
        return [by_request[request] for request in self._by_hand([item.request for item in ranked])]

    def _waiting(self) -> list[Waiting]:
        """Return the data for ranking the jobs that may start."""
        machine, ranks = self._machine, share_ranks(self._machine).tolist()
        tick, hz = machine.tick, machine.spec.hz
        rank_of: dict[tuple[str, str], float] = {}
        rows: list[Waiting] = []
        for queue in self.queues.values():
            name, priority = queue.spec.name, queue.spec.priority
            for job in self._of_queue(queue):
                spec, who = job.spec, (name, job.spec.person)
                if who not in rank_of:
                    rank_of[who] = ranks[machine.flat.row_of.get(self._node_of(job, queue), 0)]
                age_s = (tick - job.submitted_tick) / hz
                rows.append(Waiting(job.request, age_s, rank_of[who], priority, spec.memory_mw))
        return rows

    def _of_queue(self, queue: Queue) -> list[Job]:
        """Return the jobs of a queue that may start, in its order."""
        jobs = (self.jobs[request] for request in (queue.order if queue.started else ()))
        return [job for job in jobs if job.state == "waiting"]

    def _by_hand(self, ranked: list[int]) -> list[int]:
        """Return requests with those of hand-sorted queues exchanged into the queue's own order."""
        if not any(queue.by_hand for queue in self.queues.values()):
            return ranked
        there = set(ranked)
        hand = {
            name: iter([request for request in queue.order if request in there])
            for name, queue in self.queues.items()
            if queue.by_hand
        }
        owner = {request: self.jobs[request].spec.queue for request in ranked}
        return [next(hand[owner[request]]) if owner[request] in hand else request for request in ranked]

    def _in_turn(self) -> list[int]:
        """Return requests as `ranked` orders them, without those in full queues.

        If only the age counts, this is the order of submission: then thousands of jobs need no terms.
        """
        urm = self._machine.spec.urm
        queues = {name: queue for name, queue in self.queues.items() if queue.order and self._is_open(queue)}
        if not queues or (urm.run_limit and len(self.life.active) >= urm.run_limit):
            return []
        if urm.usage_wt or urm.service_wt or urm.size_wt:
            requests = self._by_hand(requests_in_order(urm, self._waiting()))
            return [request for request in requests if self.jobs[request].spec.queue in queues]
        jobs = [job for queue in queues.values() for job in self._of_queue(queue)]
        return self._by_hand(
            [request for _, request in sorted((job.submitted_tick, job.request) for job in jobs)]
        )

    def _is_open(self, queue: Queue) -> bool:
        """Return True if a queue starts jobs and is below its run limit."""
        running = self.life.active.values()
        return (
            queue.started and sum(job.spec.queue == queue.spec.name for job in running) < queue.spec.run_limit
        )

    def look_soon(self) -> None:
        """Request a start pass as soon as possible."""
        self.pass_tick = self._machine.tick

    def start_jobs(self) -> None:
        """Start all jobs that the limits allow, best first; jobs that do not fit are passed over.

        Afterwards no job waits that could start, so that another pass is needed only after a change, except
        for jobs without room on the machine at the moment.
        """
        machine, self.pass_tick = self._machine, None
        full: set[str] = set()
        for request in self._in_turn():
            job = self.jobs[request]
            if job.spec.queue in full or not self._may_start(job):
                continue
            try:
                self.start(job)
            except (Refused, LookupError):
                if not self._hold_if_lost(job):
                    self.pass_tick = machine.tick + max(1, machine.spec.ticks(machine.spec.urm.pass_s))
            else:
                if not self._is_open(self.queues[job.spec.queue]):
                    full.add(job.spec.queue)

    def _may_start(self, job: Job) -> bool:
        return not self._limit(job)

    def _limit(self, job: Job) -> str:
        """Return the limit that prevents a job's start; empty if none does."""
        urm, running = self._machine.spec.urm, self.life.active.values()
        queue = self.queues[job.spec.queue]
        if not queue.has_room(job, running):
            return f"{'its user' if self._is_open(queue) else 'its queue'} runs as many jobs as allowed"
        if urm.run_limit and len(running) >= urm.run_limit:
            return f"urm.run_limit {urm.run_limit} is reached"
        asked = sum(other.spec.memory_mw for other in running) if urm.memory_mw else 0.0
        if urm.memory_mw and asked + job.spec.memory_mw > urm.memory_mw:
            return f"urm.memory_mw leaves only {urm.memory_mw - asked:g} MW"
        return ""

    def why_waits(self, job: Job) -> str:
        """Return the reason why a job stays in its queue."""
        if job.state == "held":
            return f"held: {job.why_held}" if job.why_held else "held"
        if not self.queues[job.spec.queue].started:
            return "its queue is stopped"
        return self._limit(job) or "starts at the next pass"

    def start(self, job: Job) -> None:
        """Start a job regardless of limits.

        Raises:
            Refused: it cannot be started.
            LookupError: a node or person is unknown.
        """
        queue = self.queues[job.spec.queue]
        self.life.start(job, self.charged(queue, job.spec.person))
        queue.take_out(job.request)

    def charged(self, queue: Queue, person: str) -> int:
        """Return the id of the leaf that is charged for a job.

        Raises:
            Refused: the leaf cannot be charged.
            LookupError: the person or leaf is unknown.
        """
        machine, node = self._machine, queue.spec.node
        if node is None and not person:
            msg = f"queue {queue.spec.name} charges its jobs to their submitters. Name a user"
            raise Refused(msg)
        if node is None and person in machine.people.workers:
            return machine.people.account_of(person)
        if node is None:
            return Names(machine.tree).find_worker(person, or_root=False).id
        if node not in machine.tree or machine.tree.node(node).is_group:
            msg = f"queue {queue.spec.name} charges a user who was removed from the share tree"
            raise Refused(msg)
        return node

    def _node_of(self, job: Job, queue: Queue) -> int:
        try:
            return self.charged(queue, job.spec.person)
        except (Refused, LookupError):
            return 0

    def _hold_if_lost(self, job: Job) -> bool:
        """Hold a job if no leaf can be charged for it; return whether that is so."""
        try:
            self.charged(self.queues[job.spec.queue], job.spec.person)
        except (Refused, LookupError) as reason:
            job.state, job.why_held = "held", str(reason.args[0])
            return True
        return False

    def hold_without_node(self) -> None:
        """Hold all jobs whose leaf is gone after a change of the tree."""
        for job in self.in_queues():
            if job.state == "waiting":
                self._hold_if_lost(job)

    def in_queues(self) -> list[Job]:
        """Return all waiting jobs, held ones too, queue by queue."""
        return [self.jobs[request] for queue in self.queues.values() for request in queue.order]

    def finish(self, job: Job) -> None:
        """Record a job that has ended, and forget the oldest ones."""
        self.finished.append(job)
        if len(self.finished) > KEPT:
            del self.jobs[self.finished.popleft().request]
        self.look_soon()
