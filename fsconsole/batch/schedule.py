"""The schedule of a workload under a policy: starts of jobs, and their reservations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy


@dataclass(frozen=True, eq=False, slots=True)
class ReservationLog:
    """The reservations over time, a row for each change of a holder or a planned start after a pass.

    Attributes:
        at_s: time of the pass, rising, int64 [rows]. Rows of one second belong to its last pass.
        rank: 0 for the first reservation, 1 for the second and so on. If every waiting job holds one, each
            has the lowest rank that was free at its arrival.
        job: row of the job that holds it from then on; -1 if none does.
        start_s: planned start of that job; -1 without a job.
    """

    at_s: Ints
    rank: Ints
    job: Ints
    start_s: Ints

    @staticmethod
    def empty() -> ReservationLog:
        """Return a log without events."""
        nothing = np.zeros(0, dtype=np.int64)
        return ReservationLog(nothing, nothing, nothing, nothing)


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """The starts of a workload's jobs on a cluster under a policy.

    Attributes:
        jobs: the workload.
        cluster_nodes: number of nodes of the machine.
        policy: the batch policy; None for a schedule from elsewhere (imported, or the trace's own).
        shares: shares of each user, float64 [users]; only their ratios count.
        start_s: start of each job, int64 [jobs].
        reservations: log of reservations; None if it was not requested.
        simulation_s: time of the simulation, without compiling and reading; 0 if not measured.
        source: its name if it has no policy.
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
        """Label of the policy, or name of the source."""
        return self.policy.label if self.policy is not None else self.source

    @property
    def end_s(self) -> Ints:
        """End of each job, int64 [jobs]."""
        return self.start_s + self.jobs.runtime_s

    @property
    def wait_s(self) -> Ints:
        """Wait of each job, int64 [jobs]."""
        return self.start_s - self.jobs.submit_s
