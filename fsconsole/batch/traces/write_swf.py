"""Writing of workloads in the Standard Workload Format."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable, Labels
from fsconsole.shares.files import write_atomic

_UNKNOWN = -1
_BEFORE_LABELS = _AFTER_LABELS = 2 * f" {_UNKNOWN}"
_DONE = 1  # The standard's status of a job that ran to its end is 1.


def write_swf(jobs: JobTable, path: Path, *, wait_s: Ints | None = None, notes: Sequence[str] = ()) -> None:
    """Write a trace atomically so that `read_trace` reads it back equal; gzipped if the name ends so.

    Args:
        jobs: the workload.
        path: the file, which is replaced.
        wait_s: wait of each job, [jobs]; unknown by default.
        notes: further lines of the header.

    Raises:
        OSError: the file cannot be written.
    """
    data = swf_text(jobs, wait_s=wait_s, notes=notes).encode()
    write_atomic(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def swf_text(jobs: JobTable, *, wait_s: Ints | None = None, notes: Sequence[str] = ()) -> str:
    """Return a workload in the Standard Workload Format.

    Users of the format are numbers. If all names of users are such numbers they are kept, else users are
    numbered from 1, with lines `; UserName: NUMBER NAME`, which other programs skip. Likewise QOS, which are
    queues there, and partitions.

    Args:
        jobs: the workload.
        wait_s: wait of each job, s [jobs]; unknown by default.
        notes: further lines of the header.
    """
    numbers, named = _numbers("UserName", jobs.users)
    queue, queues = _label_numbers("QueueName", jobs.qos, len(jobs))
    partition, partitions = _label_numbers("PartitionName", jobs.partition, len(jobs))
    header = "".join(f"; {line}\n" for line in [*_labels(jobs), *notes, *named, *queues, *partitions])
    waits = np.full(len(jobs), _UNKNOWN) if wait_s is None else np.maximum(wait_s, _UNKNOWN)
    owner = [numbers[user] for user in jobs.user.tolist()]
    columns = (column.tolist() for column in (jobs.job_id, jobs.submit_s, waits, jobs.runtime_s, jobs.nodes))
    rows = zip(*columns, owner, queue, partition, strict=True)
    lines = (
        f"{job} {submit} {wait} {runtime} {nodes} -1 -1 {nodes} {runtime} -1 {_DONE} {user}"
        f"{_BEFORE_LABELS} {queue} {partition}{_AFTER_LABELS}\n"
        for job, submit, wait, runtime, nodes, user, queue, partition in rows
    )
    return header + "".join(lines)


def _labels(jobs: JobTable) -> list[str]:
    """Return lines of the header by the standard's names."""
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


def _label_numbers(label: str, labels: Labels | None, jobs: int) -> tuple[list[int], list[str]]:
    """Return a number for each job's label, and the lines of the header with their names."""
    if labels is None:
        return [_UNKNOWN] * jobs, []
    known = tuple(name for name in labels.names if name)
    numbers, named = _numbers(label, known)
    of_name = dict(zip(known, numbers, strict=True))
    of_place = [of_name.get(name, _UNKNOWN) for name in labels.names]
    return [of_place[place] for place in labels.number.tolist()], named


def _numbers(label: str, names: tuple[str, ...]) -> tuple[list[int], list[str]]:
    """Return a number for each name, and the lines of the header with the names."""
    if all(name.isascii() and name.isdecimal() and str(int(name)) == name for name in names):
        return [int(name) for name in names], []
    numbers = list(range(1, len(names) + 1))
    return numbers, [f"{label}: {number} {name}" for number, name in zip(numbers, names, strict=True)]
