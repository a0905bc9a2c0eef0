"""The beginning of a workload."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.batch.job_table import JobTable


def first_jobs(jobs: JobTable, count: int) -> JobTable:
    """The first jobs to arrive, and none but their users."""
    first = jobs.rows(slice(0, count))
    numbers, user = np.unique(first.user, return_inverse=True)
    return replace(first, user=user, users=tuple(jobs.users[number] for number in numbers.tolist()))
