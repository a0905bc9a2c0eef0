"""The workload model of Lublin and Feitelson.

"The workload on parallel supercomputers: modeling the characteristics of rigid jobs", Journal of Parallel and
Distributed Computing 63(11), 2003, pp. 1105-1122. The parameters are the authors' for all kinds of jobs
together, fitted to traces of three machines. Logarithms of runtimes and of gaps between arrivals are natural
ones of seconds, those of sizes have base 2.

The model has no users; the owners of jobs are ours.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from fsconsole.batch.job_table import Floats, Ints, JobTable, job_table

# Sizes follow a two-stage uniform distribution, with fractions of serial jobs and of powers of two among all
# jobs.
SERIAL, POWER_OF_TWO = 0.244, 0.576
LEAST_LOG2, MIDDLE_BELOW_MOST, FIRST_STAGE = 0.8, 2.5, 0.86
# Runtimes follow two gamma distributions (shape, scale). The fraction of the first one falls with the size.
SHORT, LONG = (4.2, 0.94), (312.0, 0.03)
SHORT_PER_NODE, SHORT_AT_ALL = -0.0054, 0.78
MOST_LOG_RUNTIME = 12.0  # Longer ones (45 h) are drawn again.
# Arrivals follow the gap in the rush hours, stretched to all hours, and the number in each half hour of a
# day.
GAP, GAP_STRETCH = (10.2303, 0.4871), 1.0225
MOST_LOG_GAP = 13.0
DAY, DAY_BEGINS, HALF_HOURS = (8.1737, 3.9631), 11, 48
_HALF_HOUR_S = 1800
_STEPS = 64


def generate_lublin(jobs: int, nodes: int, seed: int, *, users: int = 50) -> JobTable:
    """Return jobs of the model for a machine, from midnight on; the same seed gives the same jobs.

    Args:
        jobs: number of jobs, at least 1.
        nodes: nodes of the machine, at least 1. The model is for powers of two; larger sizes are cut to other
            numbers.
        seed: at least 0.
        users: number of owners to draw for jobs, the k-th one with a weight of 1/k (ours).

    Raises:
        ValueError: a number is too small.
    """
    for what, value, least in (
        ("jobs", jobs, 1),
        ("nodes", nodes, 1),
        ("users", users, 1),
        ("seed", seed, 0),
    ):
        if value < least:
            msg = f"{what} is {value}. It must be at least {least}"
            raise ValueError(msg)
    rng = np.random.default_rng([seed, 2003])
    submit_s = _arrivals(jobs, rng)
    size = _sizes(jobs, nodes, rng)
    runtime_s = _runtimes(size, rng)
    weight = 1 / np.arange(1, users + 1)
    owner = rng.choice(users, jobs, p=weight / weight.sum())
    present, user = np.unique(owner, return_inverse=True)
    names = tuple(str(one + 1) for one in present.tolist())
    return job_table(
        np.arange(1, jobs + 1), submit_s, runtime_s, size, user, names,
        name=f"Lublin-Feitelson model, seed {seed}", cluster_nodes=nodes,
    )  # fmt: skip


def offered_load(jobs: JobTable) -> float:
    """Return node-seconds of jobs divided by those of the machine while they arrive.

    The time is from the first arrival to the last; 0 if it is empty.

    Raises:
        ValueError: the table does not have the machine's number of nodes.
    """
    if jobs.cluster_nodes is None:
        msg = "the number of nodes of the machine is unknown"
        raise ValueError(msg)
    span_s = int(jobs.submit_s.max(initial=0)) - int(jobs.submit_s.min(initial=0)) if len(jobs) else 0
    return float(jobs.node_seconds.sum()) / (jobs.cluster_nodes * span_s) if span_s > 0 else 0.0


def with_load(jobs: JobTable, load: float) -> JobTable:
    """Stretch all gaps between arrivals equally, so that the offered load is `load` (ours).

    Arrivals are rounded to whole seconds.

    Raises:
        ValueError: the load is not above 0.
    """
    if not load > 0:
        msg = f"load is {load}. It must be above 0"
        raise ValueError(msg)
    first = int(jobs.submit_s.min(initial=0))
    stretched = first + np.rint((jobs.submit_s - first) * (offered_load(jobs) / load)).astype(np.int64)
    return replace(jobs, submit_s=stretched)


def day_weights() -> Floats:
    """Return arrivals in each half hour of a day, relative to the mean, from midnight, float64 [48].

    The gamma distribution counts half hours from midnight; its part beyond the day is added to the beginning,
    up to the half hour at which the authors' day begins.
    """
    at = np.arange(DAY_BEGINS, DAY_BEGINS + HALF_HOURS)
    shape, scale = DAY
    inside = at[:, None] - 0.5 + (np.arange(_STEPS) + 0.5) / _STEPS
    # The constant factor and the width of a step do not matter.
    part = (inside ** (shape - 1) * np.exp(-inside / scale)).sum(axis=1)
    weights = np.empty(HALF_HOURS)
    weights[(at - 1) % HALF_HOURS] = part / part.mean()
    return weights


def _arrivals(jobs: int, rng: Generator) -> Ints:
    """Return arrivals in seconds from midnight; gaps pass faster in half hours with more arrivals."""
    shape, scale = GAP
    gaps = np.exp(_gamma_below(np.full(jobs, shape * GAP_STRETCH), np.full(jobs, scale), MOST_LOG_GAP, rng))
    paid = np.cumsum(gaps / _HALF_HOUR_S)
    by_then = np.concatenate([[0.0], np.cumsum(day_weights())])
    days, rest = np.divmod(paid, HALF_HOURS)
    half_hours = days * HALF_HOURS + np.interp(rest, by_then, np.arange(HALF_HOURS + 1))
    times: Ints = np.floor(half_hours * _HALF_HOUR_S).astype(np.int64)
    return times


def _sizes(jobs: int, nodes: int, rng: Generator) -> Ints:
    most = np.log2(nodes)
    least = min(LEAST_LOG2, most)
    middle = max(most - MIDDLE_BELOW_MOST, least)
    kind, stage = rng.random(jobs), rng.random(jobs) <= FIRST_STAGE
    log2 = rng.uniform(np.where(stage, least, middle), np.where(stage, middle, most))
    log2 = np.where(kind <= SERIAL + POWER_OF_TWO, np.rint(log2), log2)
    parallel = np.clip(np.rint(2**log2), 1, nodes)
    return np.where(kind <= SERIAL, 1, parallel).astype(np.int64)


def _runtimes(size: Ints, rng: Generator) -> Ints:
    short = rng.random(len(size)) <= np.clip(SHORT_PER_NODE * size + SHORT_AT_ALL, 0, 1)
    shape, scale = (np.where(short, first, second) for first, second in zip(SHORT, LONG, strict=True))
    return np.floor(np.exp(_gamma_below(shape, scale, MOST_LOG_RUNTIME, rng))).astype(np.int64)


def _gamma_below(shape: Floats, scale: Floats, most: float, rng: Generator) -> Floats:
    """Return numbers of gamma distributions; those above `most` are drawn again."""
    drawn = rng.gamma(shape, scale)
    while (over := drawn > most).any():
        drawn[over] = rng.gamma(shape[over], scale[over])
    return drawn
