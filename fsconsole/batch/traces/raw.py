"""The unprocessed jobs of a trace; every format is read into this form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fsconsole.batch.job_table import Bools, Ints, Labels
from fsconsole.batch.traces.report import Finding

LARGEST = 10**10  # Times, counts and numbers of a trace stay below this; as seconds, it is three centuries.
MOST_NODE_SECONDS = 2**62  # Sums over all jobs stay within 64 bits.


@dataclass(frozen=True, eq=False, slots=True)
class RawJobs:
    """The jobs of a trace, int64 [jobs] each, in the order of its lines.

    Attributes:
        line: line of the file, from 1.
        job_id: number of the job.
        submit_s: seconds of the trace; below 0 if unknown.
        wait_s: wait of the job on the real machine; below 0 if unknown.
        runtime_s: its runtime.
        allocated: processors or nodes that it got; 0 or less if unknown.
        requested: processors or nodes requested; 0 or less if unknown.
        owner: number of the user; below 0 if unknown.
        partition, qos: as in `JobTable`.
        left_out: which jobs have a property that a schedule does not know, bool [jobs], by its name.
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
    left_out: Mapping[str, Bools] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.line)

    @property
    def nodes(self) -> Ints:
        """Nodes of each job: allocated, or requested if that is unknown, [jobs]."""
        return np.where(self.allocated > 0, self.allocated, self.requested)


@dataclass(frozen=True, eq=False, slots=True)
class RawTrace:
    """A trace as read from a file.

    Attributes:
        jobs: the jobs of all lines that could be read.
        unit: unit that counts as a node, `processor` or `node`.
        found: number of lines with jobs.
        dropped: lines that could not be read.
        repaired: lines that could be read after a repair.
        notes: remarks on the trace as a whole.
        user_names: names of user numbers; other users have their number as name.
        unix_start_s: second 0 of the trace in seconds since 1970; None if unknown.
        cluster_nodes: number of nodes of the machine by the file; None if unknown.
        time_zone: zone of the machine; empty if unknown.
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
