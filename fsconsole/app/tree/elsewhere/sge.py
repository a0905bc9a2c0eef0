"""Grid Engine's share tree policy: targets from shares and decayed usage, jobs by tickets.

In each group a node with jobs has the short-term target s^2/u by the sum of its siblings' (s shares, u
decayed usage with everything below it). Where the target in the whole tree is more than compensation_factor
times the long-term one, s by the shares of siblings with jobs, it is cut back by the factor that it is over.
The k-th job of a node, running ones first, stands at target/k, level by level: that gives slots to siblings
in the ratio of their targets, and what has no more jobs drops out.

Sources: share_tree(5), sched_conf(5); Son of Grid Engine, source/libs/sched/sgeee.c, functions
sge_calc_node_targets and sge_sort_job_nodes; sge_support.c, sge_calc_node_usage. Ours: the machine is
divisible, so that slots are exactly in the ratio of the targets. Projects are groups like others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fsconsole.app.tree.elsewhere.decaying import OURS, mean_parts
from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule
from fsconsole.shares.flat import Bools, FlatTree, Floats
from fsconsole.shares.saturation import split
from fsconsole.text.numbers import percent

COMPENSATION_FACTOR = 5.0  # Source: the default in sched_conf(5).
MIN_USAGE = 1.0  # Grid Engine calls it SGE_MIN_USAGE, in CPU seconds.
# One step of the machine has this many CPU seconds, far above the smallest usage.
_STEP_USAGE = 1e9


@dataclass(frozen=True, eq=False, slots=True)
class Targets:
    """Parts among siblings per row, and of the whole tree.

    Attributes:
        short: short-term target among siblings; 0 for nodes without jobs.
        short_overall, long_overall: short-term and long-term target in the whole tree.
    """

    short: Floats
    short_overall: Floats
    long_overall: Floats


def targets(
    flat: FlatTree, usage: Floats, has_jobs: Bools, compensation: float = COMPENSATION_FACTOR
) -> Targets:
    """Compute the targets of all nodes, [rows] each.

    Args:
        flat: the tree.
        usage: decayed usage per row, groups with everything below them, in s of a CPU.
        has_jobs: rows that have jobs, groups by what is below them.
        compensation: compensation_factor; 0 for none.
    """
    short, short_all, long_all = (np.ones(len(flat)) for _ in range(3))
    for level in flat.levels[1:]:
        parent = flat.parent[level]
        shares = np.where(has_jobs[level], flat.shares[level], 0.0)
        long_all[level] = long_all[parent] * _of_siblings(shares, parent, len(flat))
        weight = np.zeros(len(level))
        used = np.maximum(usage[level], MIN_USAGE * long_all[level])
        np.divide(shares**2, used, out=weight, where=(shares > 0) & (used > 0))
        part = _of_siblings(weight, parent, len(flat))
        if compensation:
            most = compensation * long_all[level]
            over = np.ones(len(level))
            np.divide(short_all[parent] * part, most, out=over, where=most > 0)
            part = _of_siblings(weight / np.maximum(over, 1.0), parent, len(flat))
        short[level] = part
        short_all[level] = short_all[parent] * part
    return Targets(short, short_all, long_all)


def _of_siblings(values: Floats, parent: np.ndarray, count: int) -> Floats:
    total = np.bincount(parent, weights=values, minlength=count)[parent]
    found: Floats = np.divide(values, total, out=np.zeros(len(values)), where=total > 0)
    return found


def divide(asked: Asked) -> Division:
    """Run the policy until usage settles."""
    flat, has_jobs = asked.flat, asked.wanted > 0
    for level in flat.levels[1:]:
        has_jobs[level] &= has_jobs[flat.parent[level]]

    def step(usage: Floats, _number: int) -> Floats:
        short = targets(flat, usage * _STEP_USAGE, has_jobs).short
        return split(replace(flat, shares=short), asked.wanted).what_if

    parts, usage = mean_parts(flat, step)
    found = targets(flat, usage * _STEP_USAGE, has_jobs)
    why = {}
    for row in range(1, len(flat)):
        if not has_jobs[row]:
            why[row] = "no jobs"
        else:
            why[row] = (
                f"target {percent(float(found.short_overall[row]))} now, "
                f"{percent(float(found.long_overall[row]))} long-term"
            )
    return Division(parts, why)


RULE = Rule(
    "sge",
    "SGE share tree",
    divide,
    "Grid Engine, share_tree(5) and sched_conf(5); Son of Grid Engine, sgeee.c",
    f"{OURS} Share tree tickets are the only priority, compensation_factor 5. No job of a node "
    "without shares runs while others wait.",
)
