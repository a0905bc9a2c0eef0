"""What a trace says of its jobs, before anything is made of it: every format comes to this."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fsconsole.batch.job_table import Ints, Labels
from fsconsole.batch.traces.report import Finding

LARGEST = 10**10  # no time, count or number of a trace is larger: in seconds that is three centuries
MOST_NODE_SECONDS = 2**62  # of all jobs together, so that sums stay within 64 bits


@dataclass(frozen=True, eq=False, slots=True)
class RawJobs:
    """What a trace says of its jobs, int64 [jobs] each, in the order of its lines.

    Attributes:
        line: line of the file, from 1.
        job_id: number of the job.
        submit_s: seconds of the trace; below 0 where unknown.
        wait_s: how long the job waited on the real machine; below 0 where unknown.
        runtime_s: how long it ran.
        allocated: processors or nodes that it got; 0 or less where unknown.
        requested: those that it asked for; 0 or less where unknown.
        owner: a number for each user; below 0 where unknown.
        partition, qos: as in `JobTable`.
    """

    line: Ints
    job_id: Ints
    submit_s: Ints
    wait_s: Ints
    runtime_s: Ints
    allocated: Ints
    requested: Ints
    owner: Ints
    partition: Labels | None = None
    qos: Labels | None = None

    def __len__(self) -> int:
        return len(self.line)

    @property
    def nodes(self) -> Ints:
        """Nodes allocated to each job, or where that is unknown requested, [jobs]."""
        return np.where(self.allocated > 0, self.allocated, self.requested)


@dataclass(frozen=True, eq=False, slots=True)
class RawTrace:
    """A trace as it stands in a file.

    Attributes:
        jobs: the jobs of all lines that could be read.
        unit: what is counted as nodes, `processor` or `node`.
        found: how many lines stand for jobs.
        dropped: lines that could not be read.
        repaired: lines that could be read after something was put right.
        notes: what is worth knowing of the trace as a whole.
        user_names: names of user numbers; others are called by their number.
        unix_start_s: second 0 of the trace in seconds since 1970; None where unknown.
        cluster_nodes: how many nodes the machine is said to have; None where that is not said.
        time_zone: where the machine stands; empty where unknown.
    """

    jobs: RawJobs
    unit: str
    found: int
    dropped: list[Finding]
    repaired: list[Finding]
    notes: list[str]
    user_names: dict[int, str] = field(default_factory=dict)
    unix_start_s: int | None = None
    cluster_nodes: int | None = None
    time_zone: str = ""
