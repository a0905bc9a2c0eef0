"""The inputs of Slurm's multifactor priority that do not change while jobs of a trace run."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Floats, JobTable, Labels
from fsconsole.batch.multifactor import Multifactor, Priorities
from fsconsole.policies.multifactor import (
    SLURMS_LN_2,
    added_usage,
    kept_after,
    size_by_time_factor,
    size_factor,
)

_EXACT = 1 << 52  # Whole numbers up to here, and their halves, are exact as floats.
_UNDECAYED_S = 1 << 34  # No trace is as long, so without decay all usage counts.


class Factors(NamedTuple):
    """The inputs of priorities, independent of the schedule.

    Attributes:
        fixed: points for size, partition and QOS, float64 [jobs].
        norm_shares: shares of users as parts of their sum, float64 [users].
        slice_usage: usage that a slice of so many seconds adds for each node, in whole grains, float64
            [calc_period_s + 1].
        kept: factor of usage at each calculation.
        age, max_age_s, fairshare, damping, fair_tree, period_s: settings.
    """

    fixed: Floats
    norm_shares: Floats
    slice_usage: Floats
    kept: float
    age: float
    max_age_s: float
    fairshare: float
    damping: float
    fair_tree: bool
    period_s: int


def factors_of(jobs: JobTable, cluster_nodes: int, settings: Multifactor, shares: Floats) -> Factors:
    """Compute the constant inputs; `shares` are [users].

    A trace's nodes count as CPUs and as nodes of the cluster. Usage is counted in whole grains, so that equal
    users are equal for any order of events; the grains of a node-second depend only on the machine and the
    half-life.
    """
    period_s, half_life_s = settings.calc_period_s, settings.half_life_s
    lasting_s = half_life_s / SLURMS_LN_2 if half_life_s else _UNDECAYED_S
    grains = 2.0 ** math.floor(math.log2(_EXACT / (cluster_nodes * (lasting_s + 4 * period_s))))
    slices = [
        float(round(grains * (added_usage(length, half_life_s) if half_life_s else length)))
        for length in range(period_s + 1)
    ]
    return Factors(
        _fixed(jobs, cluster_nodes, settings),
        shares / shares.sum() if len(shares) else shares,
        np.array(slices),
        kept_after(period_s, half_life_s) if half_life_s else 1.0,
        float(settings.age),
        float(settings.max_age_s),
        float(settings.fairshare),
        settings.damping,
        settings.fair_tree,
        period_s,
    )


def _fixed(jobs: JobTable, cluster_nodes: int, settings: Multifactor) -> Floats:
    """Return the points of a job from its submission to its start, float64 [jobs]."""
    nodes = jobs.nodes.astype(np.float64)
    if settings.relative_to_time:
        minutes = np.ceil(jobs.runtime_s / 60)
        size = size_by_time_factor(nodes, minutes, cluster_nodes, favor_small=settings.favor_small)
    else:
        cluster = (cluster_nodes, cluster_nodes)
        size = size_factor(nodes, nodes, cluster, favor_small=settings.favor_small)
    partition = _normalised(jobs.partition, settings.partitions, 1, len(jobs))
    qos = _normalised(jobs.qos, settings.qos_priorities, 0, len(jobs))
    found: Floats = settings.job_size * size + settings.partition * partition + settings.qos * qos
    return found


def _normalised(labels: Labels | None, priorities: Priorities, usual: int, jobs: int) -> Floats:
    """Return the priority of each job's label divided by the highest one, float64 [jobs]."""
    known = dict(priorities)
    names = ("",) if labels is None else labels.names
    most = max([usual, *known.values()])
    of_name = np.array([known.get(name, usual) / most if most else 0.0 for name in names])
    return np.full(jobs, of_name[0]) if labels is None else of_name[labels.number]
