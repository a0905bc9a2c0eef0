"""The columns of a workload as compiled loops take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable


class Columns(NamedTuple):
    """Columns of a job table, and when each job starts, -1 before it does; int64 [jobs]."""

    submit_s: Ints
    runtime_s: Ints
    nodes: Ints
    start_s: Ints


def columns_of(jobs: JobTable) -> Columns:
    """Return columns that numba knows one type of: contiguous and writable, whatever the table's own are."""
    submit_s, runtime_s, nodes = (
        np.require(column, dtype=np.int64, requirements=["C", "W"])
        for column in (jobs.submit_s, jobs.runtime_s, jobs.nodes)
    )
    return Columns(submit_s, runtime_s, nodes, np.full(len(jobs), -1, dtype=np.int64))
