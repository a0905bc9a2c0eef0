"""Workloads out, in the Standard Workload Format."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable
from fsconsole.shares.files import write_atomic

_UNKNOWN = -1
_REST = 6 * f" {_UNKNOWN}"
_DONE = 1  # the status of a job that ran to its end


def write_swf(jobs: JobTable, path: Path, *, wait_s: Ints | None = None, notes: Sequence[str] = ()) -> None:
    """Write a trace that `read_trace` reads back equal, whole or not at all; gzipped where the name ends so.

    Args:
        jobs: the workload.
        path: the file, which is replaced.
        wait_s: how long each job waited, [jobs]; unknown by default.
        notes: what else the header says, a line each.

    Raises:
        OSError: the file cannot be written.
    """
    data = swf_text(jobs, wait_s=wait_s, notes=notes).encode()
    write_atomic(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def swf_text(jobs: JobTable, *, wait_s: Ints | None = None, notes: Sequence[str] = ()) -> str:
    """The text of the same.

    Users of the format are numbers. Where all names of users are such numbers they stand as they are, else
    users are numbered from 1, and lines `; UserName: NUMBER NAME` say who is who; other programs skip these.
    """
    numbers, named = _user_numbers(jobs.users)
    header = "".join(f"; {line}\n" for line in [*_labels(jobs), *notes, *named])
    waits = np.full(len(jobs), _UNKNOWN) if wait_s is None else np.maximum(wait_s, _UNKNOWN)
    owner = [numbers[user] for user in jobs.user.tolist()]
    columns = (column.tolist() for column in (jobs.job_id, jobs.submit_s, waits, jobs.runtime_s, jobs.nodes))
    rows = zip(*columns, owner, strict=True)
    lines = (
        f"{job} {submit} {wait} {runtime} {nodes} -1 -1 {nodes} {runtime} -1 {_DONE} {user}{_REST}\n"
        for job, submit, wait, runtime, nodes, user in rows
    )
    return header + "".join(lines)


def _labels(jobs: JobTable) -> list[str]:
    """Lines of the header by the standard's names."""
    labels: list[tuple[str, object]] = [
        ("Version", "2.2"),
        ("Computer", " ".join(jobs.name.split()) or "unknown"),
        ("MaxJobs", len(jobs)),
        ("MaxRecords", len(jobs)),
    ]
    if jobs.unix_start_s is not None:
        labels.append(("UnixStartTime", jobs.unix_start_s))
    if jobs.time_zone:
        labels.append(("TimeZoneString", jobs.time_zone))
    if jobs.cluster_nodes is not None:
        labels += [("MaxNodes", jobs.cluster_nodes), ("MaxProcs", jobs.cluster_nodes)]
    return [f"{label}: {value}" for label, value in labels]


def _user_numbers(users: tuple[str, ...]) -> tuple[list[int], list[str]]:
    """A number for each user, and the lines of the header that say whose it is."""
    if all(name.isascii() and name.isdecimal() and str(int(name)) == name for name in users):
        return [int(name) for name in users], []
    numbers = list(range(1, len(users) + 1))
    return numbers, [f"UserName: {number} {name}" for number, name in zip(numbers, users, strict=True)]
