"""The near-dedicated queue as the controller sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.eligibility import Demonstration, held_because, shown_efficiency
from fsconsole.neardedicated.waiting import Waiting, estimate_s, expected_s
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec


class NdQueue:
    """A read-only view of the queue of a near-dedicated schedule."""

    def __init__(self, machine: Machine, batch: Batch, spec: NearDedicatedSpec) -> None:
        """Attach to a machine's batch part."""
        self._machine, self._batch, self._spec = machine, batch, spec

    def jobs(self) -> list[Job]:
        """Return the waiting jobs, held ones too, in queue order."""
        batch = self._batch
        queue = batch.queues.get(self._spec.queue)
        return [] if queue is None else [batch.jobs[request] for request in queue.order]

    def looks(self) -> list[list[Any]]:
        """Return requests and their states in order; a scan is needed only if they have changed."""
        return [[job.request, job.state] for job in self.jobs()]

    def is_busy(self) -> bool:
        """Return True if a job of the queue has been started, by anyone, and has not ended."""
        return any(job.spec.queue == self._spec.queue for job in self._batch.running())

    def waiting(
        self, refused: Mapping[int, str], shown: Sequence[Demonstration], *, with_ranks: bool = False
    ) -> list[Waiting]:
        """Return the jobs in queue order for a scan; `refused` has reasons of failed starts by request."""
        rows = [self._waiting(job, refused, shown) for job in self.jobs()]
        if not with_ranks:
            return rows
        ranks = {person: self._rank(person) for person in {row.person for row in rows}}
        return [replace(row, rank=ranks[row.person]) for row in rows]

    def person_of(self, job: Job) -> str:
        """Return the person who submitted a job; by default the name of the l-node."""
        node = self._batch.queues[job.spec.queue].spec.node if job.node is None else job.node
        if job.spec.person or node is None or node not in self._machine.tree:
            return job.spec.person
        return self._machine.tree.node(node).name

    def label(self, job: Job) -> str:
        """Return user and job, such as `sbert ccm-0219a`."""
        return f"{self.person_of(job)} {job.spec.name}"

    def estimate_s(self, job: Job) -> float:
        """Return the wall time estimate of a job."""
        return estimate_s(job.spec.requested_cpu_s, self._spec.estimate_factor, self._machine.spec.cpus)

    def shown(self, job: Job, by_ja: Sequence[Demonstration]) -> float | None:
        """Return the efficiency demonstrated for a job; None without one."""
        stated = job.spec.shown_efficiency
        return shown_efficiency(self.person_of(job), job.spec.name, stated, by_ja)

    def _waiting(self, job: Job, refused: Mapping[int, str], shown: Sequence[Demonstration]) -> Waiting:
        spec, person = job.spec, self.person_of(job)
        efficiency = shown_efficiency(person, spec.name, spec.shown_efficiency, shown)
        lacks = held_because(efficiency, self._spec.required_efficiency)
        held = (job.why_held or "held by an operator") if job.state == "held" else lacks
        estimate = self.estimate_s(job)
        expected = expected_s(spec, efficiency, self._machine.spec.cpus)
        return Waiting(
            job.request,
            person,
            spec.name,
            spec.requested_cpu_s,
            estimate,
            estimate if expected is None else expected,
            efficiency,
            spec.take_chances,
            held or refused.get(job.request, ""),
            memory_mw=spec.memory_mw,
            sds_mw=spec.sds_mw,
            eligible=job.state == "held" or not lacks,
        )

    def demonstrations(self, after: int) -> list[Demonstration]:
        """Return the demonstrations of jobs that ended by themselves, later than the request `after` did."""
        fresh = takewhile(lambda job: job.request != after, reversed(self._batch.finished))
        shown = [(job, self._batch.ja(job.request).efficiency) for job in fresh if job.how == "ended"]
        return [
            Demonstration(self.person_of(job), job.spec.name, efficiency)
            for job, efficiency in shown
            if efficiency is not None
        ]

    def _rank(self, person: str) -> float:
        """Return the share policy's rank of a job's owner; last for an unknown name."""
        machine = self._machine
        try:
            node = machine.people.account_of(person)
        except LookupError:
            try:
                node = Names(machine.tree).find_leaf(person).id
            except LookupError:
                return float("inf")
        row = machine.flat.row_of.get(node)
        return float("inf") if row is None else float(machine.state.rank[row])
