"""The jobs of a workload as columns, in the order in which they arrive."""

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
    """What a trace calls something about each job, such as its partition.

    Attributes:
        number: an index into `names`, int64 [jobs].
        names: unlike each other; empty text where the trace does not say.
    """

    number: Ints
    names: tuple[str, ...]

    def rows(self, chosen: Bools | Ints | slice) -> Labels:
        """Return the labels of the chosen rows: bool [jobs], row numbers [chosen], or a slice."""
        return Labels(self.number[chosen], self.names)


def labels_of(names: Sequence[str]) -> Labels | None:
    """Return labels from a name for each job; None where all have the same."""
    found, number = np.unique(np.array(names, dtype=np.str_), return_inverse=True)
    return Labels(number.astype(np.int64), tuple(found.tolist())) if len(found) > 1 else None


@dataclass(frozen=True, eq=False, slots=True)
class JobTable:
    """Rigid jobs, one row each, sorted by submit time and then by their place in the trace.

    Attributes:
        job_id: what the trace calls each job, int64 [jobs]; unlike each other.
        submit_s: when each arrives, whole seconds of the trace, int64 [jobs], rising.
        runtime_s: how long each runs, whole seconds above 0; scheduling knows it exactly.
        nodes: how many nodes each has to itself, int64 above 0.
        user: whose each is, an index into `users`.
        users: names of the users.
        name: what the workload is called.
        unix_start_s: second 0 of the trace in seconds since 1970 (UTC); None where the trace does not say.
        cluster_nodes: how many nodes the trace's header says the machine has; None where it does not.
        time_zone: where the machine stands, such as `Europe/Stockholm`; calendar days and months are of that
            zone, of UTC where it is empty.
        partition: the partition of each; None where all are in one.
        qos: the QOS of each, in the Standard Workload Format its queue; None likewise.
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
        """What each job uses, in node-seconds, int64 [jobs]."""
        return self.nodes * self.runtime_s

    def rows(self, chosen: Bools | Ints | slice) -> JobTable:
        """Return a table with the chosen rows alone: bool [jobs], row numbers [chosen], or a slice; users
        keep their numbers.
        """
        columns = {name: getattr(self, name)[chosen] for name in JOB_COLUMNS}
        labels = {name: kept.rows(chosen) for name in JOB_LABELS if (kept := getattr(self, name)) is not None}
        return replace(self, **columns, **labels)


def first_jobs(jobs: JobTable, count: int) -> JobTable:
    """Return the first jobs to arrive, and none but their users."""
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
    """Make a table of columns [jobs] in any order: sorted by submit time, equal ones in the order given.

    ValueError where columns differ in length, a time is negative, runtime or nodes are below 1, or a user's
    number is that of nobody in `users`.
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
    """What jobs are: nodes int64 and runtime_s int64, both [jobs] and above 0."""

    nodes: Ints
    runtime_s: Ints

    @property
    def node_hours(self) -> Floats:
        """Nodes by runtime, float64 [jobs]."""
        hours: Floats = self.nodes * self.runtime_s / HOUR_S
        return hours
