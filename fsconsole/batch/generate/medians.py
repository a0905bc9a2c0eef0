"""Which jobs are above the medians of runtime and of node-hours, so that both can be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Medians:
    """Median runtime in seconds, and median of nodes x runtime in node-seconds."""

    runtime_s: float
    node_s: float


def longer_and_larger(
    medians: Medians, nodes: Ints, score: Floats, longer: int, larger: int
) -> tuple[Bools, Bools]:
    """Which jobs run longer than the median and which come to more node-time, bool [jobs] each.

    Args:
        medians: of both.
        nodes: of each job, [jobs].
        score: a logarithm of the runtime that each would have by itself, [jobs].
        longer: how many shall run longer than the median.
        larger: how many shall come to more than the median node-time.

    A job of few nodes that runs shorter than the median cannot come to more than the median node-hours, and
    one of many nodes that runs longer must: where scores say so anyway, node-hours follow the runtime,
    and those with the nearest scores make up the number.
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
    """Turn over the first so many by the order; in place."""
    chosen = among[np.argsort(order[among], kind="stable")[:count]]
    mask[chosen] = ~mask[chosen]
