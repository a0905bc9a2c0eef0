"""Jobs of a month that have the printed averages, medians and maxima of nodes, runtime and node-hours.

The method is ours. Numbers of nodes are drawn to match their figures. Half of the jobs are assigned runtimes
above the median, and half node-hours above the median. That, the month's limit and its largest job leave an
interval for each runtime. Within these, runtimes are moved until every user has the drawn node-hours, and all
runtimes the printed average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.random import Generator

from fsconsole.batch.generate.fixed_jobs import FixedJobs, fix_jobs, longer_and_larger
from fsconsole.batch.generate.people import People
from fsconsole.batch.generate.runtimes import Boxes, exchanged, fitted, fitted_to
from fsconsole.batch.generate.spread import TargetDistribution, usual_sizes
from fsconsole.batch.generate.table_one import PrintedMonth
from fsconsole.batch.job_table import Floats, Ints, JobShapes
from fsconsole.batch.policy import HOUR_S

_POWER_OF_TWO = 0.8  # We chose this fraction of parallel jobs; the paper gives none.
_SHORTEST_S = 1.0
_KINSHIP = 0.7  # We chose this correlation between the jobs of one user; the paper gives none.
_CHANCE = 2.0  # We chose this random spread of runtimes, in units of e; the paper gives none.
# Large jobs may prefer users with many node-hours. A stronger preference shortens the total time.
_LEANINGS = (0.3, 0.45, 0.6, 0.15, 0.75, 0.0, -0.3, -0.6, -0.9)
_TILT = 4.0
_EASE = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class _Free:
    """The jobs to be made: owner, node-hours needed by the owner, and random numbers.

    Drawn once, so that attempts differ only in their parameters. All [jobs].
    """

    owner: Ints
    need_h: Floats
    size: Floats
    time: Floats
    place: Floats


def calibrated(
    month: PrintedMonth, people: People, planted: Sequence[JobShapes], rng: Generator
) -> tuple[Ints, JobShapes]:
    """Return the owner of each job, int64 [jobs], and its shape."""
    fixed = fix_jobs(month, people, planted)
    nodes = month.nodes
    aim = TargetDistribution(month.jobs, nodes.median, nodes.largest, month.jobs * nodes.avg, 1)
    sizes = usual_sizes(aim, rng, _POWER_OF_TWO, fixed.nodes.tolist())
    free = _free(people, fixed, rng)
    total_s = month.jobs * month.runtime_h.avg * HOUR_S - float(fixed.runtime_s.sum())
    boxes = _suiting((_boxes(month, people, fixed, free, sizes, leaning) for leaning in _LEANINGS), total_s)
    runtime_s = np.rint(fitted_to(boxes, total_s)).astype(np.int64)
    all_nodes = np.concatenate([fixed.nodes, boxes.nodes])
    bodies = JobShapes(all_nodes, np.concatenate([fixed.runtime_s, runtime_s]))
    return np.concatenate([fixed.owner, free.owner]), bodies


def _suiting(attempts: Iterator[Boxes], total_s: float) -> Boxes:
    """Return the first attempt that can easily reach the total of runtimes, else the nearest one."""
    nearest, least = next(attempts), math.inf
    for boxes in chain([nearest], attempts):
        sums = [float(fitted(boxes, tilt).sum()) for tilt in (-_TILT, _TILT)]
        distance = max(min(sums) - total_s, total_s - max(sums))
        if distance < -_EASE * total_s:
            return boxes
        if distance < least:
            nearest, least = boxes, distance
    return nearest


def _free(people: People, fixed: FixedJobs, rng: Generator) -> _Free:
    left = people.jobs - fixed.counts
    owner = np.repeat(np.arange(len(left)), left)
    need_h = (np.maximum(people.node_hours - fixed.node_hours, 0) / np.maximum(left, 1))[owner]
    size, time = (_kin(owner, len(left), rng) for _ in range(2))
    return _Free(owner, np.maximum(need_h, 1e-6), size, time, rng.logistic(size=len(owner)))


def _kin(owner: Ints, users: int, rng: Generator) -> Floats:
    """Return standard normal numbers for jobs, correlated among those of one user."""
    own, each = rng.standard_normal(users)[owner], rng.standard_normal(len(owner))
    alike: Floats = _KINSHIP * own + np.sqrt(1 - _KINSHIP**2) * each
    return alike


def _boxes(
    month: PrintedMonth, people: People, fixed: FixedJobs, free: _Free, sizes: Ints, leaning: float
) -> Boxes:
    """Return the free jobs with their nodes and the limits of their runtimes."""
    log_need = np.log(free.need_h)
    standing = (log_need - log_need.mean()) / log_need.std()
    score = leaning * standing + np.sqrt(1 - leaning**2) * free.size
    nodes = np.empty(len(sizes), dtype=np.int64)
    nodes[np.argsort(score, kind="stable")] = sizes
    medians = fixed.medians
    time_score = log_need - (1 - 2 * max(leaning, 0.0)) * np.log(nodes) + _CHANCE * free.time
    longer, larger = longer_and_larger(medians, nodes, time_score, fixed.longer, fixed.larger)
    size_s = medians.node_s / nodes
    most_s = np.minimum(month.limit_s, month.size_nh.largest * HOUR_S / nodes)
    least_s = np.maximum(np.where(longer, medians.runtime_s, _SHORTEST_S), np.where(larger, size_s, 0))
    most_s = np.minimum(most_s, np.where(longer, np.inf, medians.runtime_s))
    most_s = np.minimum(most_s, np.where(larger, np.inf, size_s))
    left = np.maximum(people.node_hours - fixed.node_hours, 0) * HOUR_S
    return exchanged(Boxes(free.owner, nodes, np.minimum(least_s, most_s), most_s, free.place, left))
