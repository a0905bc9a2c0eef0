"""Jobs of a month that are known before others are drawn: of planted users, medians, and largest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.generate.people import People
from fsconsole.batch.generate.table_one import PrintedMonth
from fsconsole.batch.job_table import Bools, Floats, Ints, JobShapes
from fsconsole.batch.policy import HOUR_S


@dataclass(frozen=True, slots=True)
class Medians:
    """Median runtime in seconds, and median of nodes x runtime in node-seconds."""

    runtime_s: float
    node_s: float


def longer_and_larger(
    medians: Medians, nodes: Ints, score: Floats, longer: int, larger: int
) -> tuple[Bools, Bools]:
    """Return masks of the jobs above the median runtime and above the median node-time, bool [jobs] each.

    A job of few nodes that runs shorter than the median cannot exceed the median node-hours, and one of many
    nodes that runs longer must: if scores imply that anyway, node-hours follow the runtime, and jobs with the
    nearest scores make up the number.

    Args:
        medians: medians of both.
        nodes: nodes of each job, [jobs].
        score: logarithm of each job's own runtime, [jobs].
        longer: number of jobs above the median runtime.
        larger: number of jobs above the median node-time.
    """
    is_longer = _highest(score, longer)
    size = score + np.log(nodes)
    is_larger = _highest(size, larger)
    is_large = nodes * medians.runtime_s >= medians.node_s
    must, cannot = is_longer & is_large, ~is_longer & ~is_large
    is_larger = (is_larger | must) & ~cannot
    excess = int(is_larger.sum()) - larger
    if excess > 0:
        _flip(is_larger, np.flatnonzero(is_larger & ~must), size, excess)
    elif excess < 0:
        _flip(is_larger, np.flatnonzero(~is_larger & ~cannot), -size, -excess)
    return is_longer, is_larger


def _highest(score: Floats, count: int) -> Bools:
    chosen = np.zeros(len(score), dtype=np.bool_)
    chosen[np.argsort(-score, kind="stable")[:count]] = True
    return chosen


def _flip(mask: Bools, among: Ints, order: Floats, count: int) -> None:
    """Invert the first `count` entries by the order, in place."""
    chosen = among[np.argsort(order[among], kind="stable")[:count]]
    mask[chosen] = ~mask[chosen]


# The paper prints some medians as 0.00 h and 0.0 node-hours. These values are below half of the last digit.
_MEDIAN_S, _MEDIAN_NODE_S = 10.0, 150.0
_EVEN = 16  # The largest jobs have a multiple of this many nodes if that and the limit give their size.


@dataclass(frozen=True, eq=False, slots=True)
class FixedJobs:
    """Known jobs, and the remaining figures for the others.

    Attributes:
        owner, nodes, runtime_s: of each known job, int64 [jobs].
        medians: of all jobs of the month.
        counts: known jobs of each user, int64 [users]; node_hours: their sum, float64 [users].
        longer, larger: number of other jobs above the median runtime and node-hours.
    """

    owner: Ints
    nodes: Ints
    runtime_s: Ints
    medians: Medians
    counts: Ints
    node_hours: Floats
    longer: int
    larger: int


def fix_jobs(month: PrintedMonth, people: People, planted: Sequence[JobShapes]) -> FixedJobs:
    """Return all jobs of planted users, and for one or two others the jobs of the medians and maxima."""
    medians = medians_of(month)
    owner = np.repeat(np.arange(len(planted)), [len(bodies.nodes) for bodies in planted])
    others = slice(len(planted), None)
    heaviest = len(planted) + int(np.argmax(people.node_hours[others]))
    busiest = len(planted) + int(np.argmax(people.jobs[others]))
    middles = 2 - month.jobs % 2
    largest = _largest(month)
    rows = [(heaviest, *largest), (heaviest, 1, month.limit_s)]
    rows += [(busiest, 1, round(medians.runtime_s)), (busiest, 1, round(medians.node_s))] * middles
    pinned = np.array(rows, dtype=np.int64)
    nodes = np.concatenate([*(bodies.nodes for bodies in planted), pinned[:, 1]]).astype(np.int64)
    runtime_s = np.concatenate([*(bodies.runtime_s for bodies in planted), pinned[:, 2]]).astype(np.int64)
    owner = np.concatenate([owner, pinned[:, 0]]).astype(np.int64)
    users = len(people.jobs)
    half = (month.jobs - middles) // 2
    return FixedJobs(
        owner, nodes, runtime_s, medians,
        np.bincount(owner, minlength=users),
        np.bincount(owner, nodes * runtime_s / HOUR_S, users).astype(np.float64),
        half - int((runtime_s > medians.runtime_s).sum()),
        half - int((nodes * runtime_s > medians.node_s).sum()),
    )  # fmt: skip


def medians_of(month: PrintedMonth) -> Medians:
    """Return the target medians for the printed ones."""
    runtime_s, node_s = month.runtime_h.median * HOUR_S, month.size_nh.median * HOUR_S
    return Medians(float(round(runtime_s)) or _MEDIAN_S, float(round(node_s)) or _MEDIAN_NODE_S)


def _largest(month: PrintedMonth) -> tuple[int, int]:
    """Return nodes and runtime of the job with most node-hours: as long as possible, then fewest nodes."""
    node_s = month.size_nh.largest * HOUR_S
    least = int(np.ceil(node_s / month.limit_s))
    nodes = least if least * month.limit_s == round(node_s) else -(-least // _EVEN) * _EVEN
    return nodes, int(node_s // nodes)
