"""Columns of a workload, in the form that compiled loops accept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable


class Columns(NamedTuple):
    """Columns of a job table, and the start of each job, -1 before it starts; int64 [jobs]."""

    submit_s: Ints
    runtime_s: Ints
    nodes: Ints
    start_s: Ints


def columns_of(jobs: JobTable) -> Columns:
    """Return contiguous, writable columns, [jobs] each, so that numba compiles the loops for only one
    type.
    """
    submit_s, runtime_s, nodes = (
        np.require(column, dtype=np.int64, requirements=["C", "W"])
        for column in (jobs.submit_s, jobs.runtime_s, jobs.nodes)
    )
    return Columns(submit_s, runtime_s, nodes, np.full(len(jobs), -1, dtype=np.int64))
