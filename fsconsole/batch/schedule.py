"""What a policy made of a workload: when each job started, and which jobs held reservations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy


@dataclass(frozen=True, eq=False, slots=True)
class ReservationLog:
    """Which jobs held reservations, a row whenever that or a planned start changes after a pass.

    Attributes:
        at_s: when, rising, int64 [rows]. Rows of one second belong to the last pass of that second.
        rank: 0 for the first reservation, 1 for the second and so on. Where every job that waits holds one,
            each has the least rank that was free when it came.
        job: row of the job table that holds it from then on; -1 when nobody does any more.
        start_s: when that job is planned to start; -1 without a job.
    """

    at_s: Ints
    rank: Ints
    job: Ints
    start_s: Ints

    @staticmethod
    def empty() -> ReservationLog:
        """Return a log in which nothing happened."""
        nothing = np.zeros(0, dtype=np.int64)
        return ReservationLog(nothing, nothing, nothing, nothing)


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """When each job of a workload starts on a cluster under a policy.

    Attributes:
        jobs: the workload.
        cluster_nodes: how many nodes there are.
        policy: who went first; None where the schedule comes from elsewhere (imported, or the trace's own).
        shares: shares of each user, float64 [users]; only their ratios count.
        start_s: when each job starts, int64 [jobs].
        reservations: who held reservations; None where that was not asked for.
        simulation_s: how long working it out took, without compiling and reading; 0 where not measured.
        source: what it is called where there is no policy.
    """

    jobs: JobTable
    cluster_nodes: int
    policy: BatchPolicy | None
    shares: Floats
    start_s: Ints
    reservations: ReservationLog | None = None
    simulation_s: float = 0.0
    source: str = ""

    @property
    def label(self) -> str:
        """The policy's label, or where the schedule comes from."""
        return self.policy.label if self.policy is not None else self.source

    @property
    def end_s(self) -> Ints:
        """When each job ends, int64 [jobs]."""
        return self.start_s + self.jobs.runtime_s

    @property
    def wait_s(self) -> Ints:
        """How long each waited, int64 [jobs]."""
        return self.start_s - self.jobs.submit_s
