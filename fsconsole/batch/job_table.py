"""The jobs of a workload as columns, in the order of arrival."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.policy import HOUR_S

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

JOB_COLUMNS = ("job_id", "submit_s", "runtime_s", "nodes", "user")
JOB_LABELS = ("partition", "qos")


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """The names of a property of jobs in a trace, such as their partition.

    Attributes:
        number: index into `names`, int64 [jobs].
        names: distinct names; empty if the trace does not say.
    """

    number: Ints
    names: tuple[str, ...]

    def rows(self, chosen: Bools | Ints | slice) -> Labels:
        """Return the labels of the chosen rows: bool [jobs], row numbers [chosen], or a slice."""
        return Labels(self.number[chosen], self.names)


def labels_of(names: Sequence[str]) -> Labels | None:
    """Return labels from a name for each job; None if all are the same."""
    found, number = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    return Labels(number.astype(np.int64), tuple(found.tolist())) if len(found) > 1 else None


@dataclass(frozen=True, eq=False, slots=True)
class JobTable:
    """Rigid jobs, one row each, sorted by submit time and then by their place in the trace.

    Attributes:
        job_id: number of each job in the trace, int64 [jobs]; distinct.
        submit_s: arrival of each job, whole seconds of the trace, int64 [jobs], rising.
        runtime_s: runtime of each job, whole seconds above 0; scheduling uses it exactly.
        nodes: number of nodes of each job, not shared with others, int64 above 0.
        user: owner of each job, an index into `users`.
        users: names of the users.
        name: name of the workload.
        unix_start_s: second 0 of the trace in seconds since 1970 (UTC); None if unknown.
        cluster_nodes: number of nodes of the machine by the trace's header; None if unknown.
        time_zone: zone of the machine, such as `Europe/Stockholm`; calendar days and months are of that zone,
            or of UTC if it is empty.
        partition: partition of each job; None if all are in one.
        qos: QOS of each job, in the Standard Workload Format its queue; None likewise.
    """

    job_id: Ints
    submit_s: Ints
    runtime_s: Ints
    nodes: Ints
    user: Ints
    users: tuple[str, ...]
    name: str = ""
    unix_start_s: int | None = None
    cluster_nodes: int | None = None
    time_zone: str = ""
    partition: Labels | None = None
    qos: Labels | None = None

    def __len__(self) -> int:
        return len(self.job_id)

    @property
    def node_seconds(self) -> Ints:
        """Node-seconds of each job, int64 [jobs]."""
        return self.nodes * self.runtime_s

    def rows(self, chosen: Bools | Ints | slice) -> JobTable:
        """Return the table of chosen rows, bool [jobs], numbers [chosen] or a slice, with all users."""
        columns = {name: getattr(self, name)[chosen] for name in JOB_COLUMNS}
        labels = {name: kept.rows(chosen) for name in JOB_LABELS if (kept := getattr(self, name)) is not None}
        return replace(self, **columns, **labels)


def first_jobs(jobs: JobTable, count: int) -> JobTable:
    """Return the first jobs to arrive, with only their users."""
    first = jobs.rows(slice(0, count))
    numbers, user = np.unique(first.user, return_inverse=True)
    return replace(first, user=user, users=tuple(jobs.users[number] for number in numbers.tolist()))


def job_table(
    job_id: Ints,
    submit_s: Ints,
    runtime_s: Ints,
    nodes: Ints,
    user: Ints,
    users: tuple[str, ...],
    *,
    name: str = "",
    unix_start_s: int | None = None,
    cluster_nodes: int | None = None,
    time_zone: str = "",
    partition: Labels | None = None,
    qos: Labels | None = None,
) -> JobTable:
    """Make a table of columns [jobs] in any order.

    Jobs are sorted by submit time, equal ones in the given order.

    Raises:
        ValueError: columns differ in length, a time is negative, runtime or nodes are below 1, or a user's
            number is not an index into `users`.
    """
    columns = [
        np.ascontiguousarray(column, dtype=np.int64) for column in (job_id, submit_s, runtime_s, nodes, user)
    ]
    if len({len(column) for column in columns}) != 1:
        msg = "columns of a job table differ in length"
        raise ValueError(msg)
    order = np.argsort(columns[1], kind="stable")
    ids, submits, runtimes, sizes, owners = (column[order] for column in columns)
    if len(order) and (submits[0] < 0 or runtimes.min() < 1 or sizes.min() < 1):
        msg = "each job needs a submit time of at least 0, and a runtime and a number of nodes of at least 1"
        raise ValueError(msg)
    if len(order) and not 0 <= owners.min() <= owners.max() < len(users):
        msg = f"jobs belong to users {owners.min()} to {owners.max()}, expected 0 to {len(users) - 1}"
        raise ValueError(msg)
    labels = (None if kept is None else kept.rows(order) for kept in (partition, qos))
    return JobTable(
        ids, submits, runtimes, sizes, owners, users, name, unix_start_s, cluster_nodes, time_zone, *labels
    )


@dataclass(frozen=True, eq=False, slots=True)
class JobShapes:
    """The shapes of jobs: nodes int64 and runtime_s int64, both [jobs] and above 0."""

    nodes: Ints
    runtime_s: Ints

    @property
    def node_hours(self) -> Floats:
        """Node-hours of each job, float64 [jobs]."""
        hours: Floats = self.nodes * self.runtime_s / HOUR_S
        return hours
