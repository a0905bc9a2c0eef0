"""Checkpointing jobs and restarting them, one after another at the bandwidth of the file system."""

from __future__ import annotations

from typing import Any

from fsconsole.machine import blocking
from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.lifecycle import Life
from fsconsole.machine.jobs.memory_requests import (
    ask_sds,
    give_back_sds,
    image_of,
    is_in_memory,
    resize,
    rows_of,
)
from fsconsole.machine.machine import Machine
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW


class Stopping:
    """Transfers of checkpoints, one at a time; the size of each is known when it is requested.

    Attributes:
        end_tick: end of the present transfer; None without one.
        transfers: (request, clicks) of all requested ones, the present one first.
        without_sds: jobs that will request their SDS once they are in memory again.
    """

    def __init__(self, machine: Machine, life: Life) -> None:
        """Start without transfers."""
        self._machine, self._life = machine, life
        self.end_tick: int | None = None
        self.transfers: list[tuple[int, int]] = []
        self.without_sds: list[int] = []
        self._sizes: dict[int, tuple[int, int]] = {}

    def checkpoint(self, job: Job) -> float:
        """Stop a running job and write it out; return the time of its own transfer, in s."""
        machine, table = self._machine, self._machine.processes
        row = table.row_of(job.image)
        sds = int(table.sds_clicks[row])
        image = image_of(machine, job.image)
        if image is not None and machine.spec.memory.sds_mw and image.sds not in ("held", "writing"):
            sds = 0
        self._sizes[job.request] = int(table.clicks[row]), sds
        self._life.note_image(job)
        job.state, job.stopped_since = "checkpointing", machine.tick
        blocking.hold(machine, rows_of(machine, job.pids), blocking.CHECKPOINTED)
        return self._ask_for(job)

    def restart(self, job: Job) -> float:
        """Read a checkpointed job back; return the time of its own transfer, in s."""
        job.state = "restarting"
        return self._ask_for(job)

    def _ask_for(self, job: Job) -> float:
        self.transfers.append((job.request, sum(self._sizes[job.request])))
        if self.end_tick is None:
            self._begin()
        return self._seconds(self.transfers[-1][1])

    def _seconds(self, clicks: int) -> float:
        return clicks / CLICKS_PER_MW / self._machine.spec.memory.checkpoint_mw_per_s

    def _begin(self) -> None:
        self.end_tick = None
        if self.transfers:
            self.end_tick = self._machine.tick + max(
                1, self._machine.spec.ticks(self._seconds(self.transfers[0][1]))
            )

    def next_tick(self) -> int | None:
        """Return the tick of its next action; None without one."""
        return self._machine.tick if self._back_in_memory() else self.end_tick

    def _back_in_memory(self) -> list[Job]:
        jobs = [self._life.active[request] for request in self.without_sds]
        return [job for job in jobs if job.state == "running" and is_in_memory(self._machine, job.image)]

    def step(self) -> None:
        """End the transfer that is due and begin the next; request SDS for jobs that are in memory again."""
        self._end_transfer()
        for job in self._back_in_memory():
            self.without_sds.remove(job.request)
            ask_sds(self._machine, job.image, round(job.spec.sds_mw * CLICKS_PER_MW))

    def _end_transfer(self) -> None:
        if self.end_tick is None or self.end_tick > self._machine.tick:
            return
        job = self._life.active[self.transfers.pop(0)[0]]
        if job.state == "checkpointing":
            self._written(job)
        else:
            self._read(job)
        self._begin()

    def _written(self, job: Job) -> None:
        job.state = "checkpointed"
        if job.asked_sds:
            give_back_sds(self._machine, job.image)
        resize(self._machine, job.image, 0)
        self._life.changed = True

    def _read(self, job: Job) -> None:
        machine, (clicks, _) = self._machine, self._sizes.pop(job.request)
        stopped = machine.tick - (job.stopped_since or 0)
        self._life.note_image(job)
        job.stopped_ticks += stopped
        job.phase_tick += stopped
        if job.wake_tick is not None:
            job.wake_tick += stopped
        job.state, job.stopped_since = "running", None
        blocking.let_go(machine.processes, rows_of(machine, job.pids), blocking.CHECKPOINTED)
        resize(machine, job.image, clicks)
        if job.asked_sds and job.request not in self.without_sds:
            self.without_sds.append(job.request)
        self._life.changed = True

    def forget(self, request: int) -> None:
        """Forget a job that has ended; break off its transfer."""
        self._sizes.pop(request, None)
        self.without_sds = [other for other in self.without_sds if other != request]
        was_first = bool(self.transfers) and self.transfers[0][0] == request
        self.transfers = [transfer for transfer in self.transfers if transfer[0] != request]
        if was_first:
            self._begin()

    def forget_all(self) -> None:
        """Drop all transfers because the machine stops."""
        self.end_tick, self.transfers, self._sizes, self.without_sds = None, [], {}, []

    def to_json(self) -> dict[str, Any]:
        """Return the state as plain data."""
        sizes = [[request, *clicks] for request, clicks in self._sizes.items()]
        return {
            "end_tick": self.end_tick,
            "transfers": self.transfers,
            "sizes": sizes,
            "without_sds": self.without_sds,
        }

    def from_json(self, data: dict[str, Any]) -> None:
        """Restore the state that `to_json` returned."""
        self.end_tick, self.without_sds = data["end_tick"], list(data["without_sds"])
        self.transfers = [(request, clicks) for request, clicks in data["transfers"]]
        self._sizes = {request: (clicks, sds) for request, clicks, sds in data["sizes"]}
