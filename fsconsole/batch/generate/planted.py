"""Users who suffer under fair-share scheduling, to be added to a generated month.

The paper's Table II(b) has the jobs of such users in July 2003. The users here are modelled on #8 and #24
(type S1: large jobs together with small ones) and #71 (type S2: high demand on some days), with as many jobs
as #8 and #71. The submit times are ours, and so are the runtimes of hours of S1's small jobs: so the user
suffers as in the paper with most seeds, but has about four times the 1,452 node-hours of #8. Whether users
suffer depends on the others; in a month with little load they may not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from fsconsole.batch.generate.table_one import CLUSTER_NODES, PrintedMonth
from fsconsole.batch.job_table import Floats, Ints, JobShapes
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.text.nearest import nearest_or_all

KINDS = ("S1", "S2")

_S1_LARGE, _S1_SMALL, _S1_SMALL_NODES = 14, 39, 16
# User #71 of the paper has 58 jobs of 32 to 100 nodes, with a median of 32 and a mean of 48.8.
_S2_NODES = (*34 * (32,), *6 * (48,), *10 * (64,), *8 * (100,))
_S2_JOBS, _S2_SESSIONS = len(_S2_NODES), 7
_S2_NH = 11693.0
_BELOW_LARGEST = 0.9  # The planted user must not become the month's heaviest one.


@dataclass(frozen=True, eq=False, slots=True)
class Planted:
    """A user with given jobs: `name`, their shapes, and their arrivals in the month, int64 [jobs]."""

    name: str
    bodies: JobShapes
    submit_s: Ints


def planted(month: PrintedMonth, kinds: tuple[str, ...], rng: Generator) -> tuple[Planted, ...]:
    """Return the users, named after their type; further ones of a type are S1-2 and so on.

    Raises:
        ValueError: a type is unknown.
    """
    made: list[Planted] = []
    for index, kind in enumerate(kinds):
        if kind not in KINDS:
            msg = f"unknown type of planted user {kind!r}{nearest_or_all(kind, KINDS)}"
            raise ValueError(msg)
        before = kinds[:index].count(kind)
        name = f"{kind}-{before + 1}" if before else kind
        make = _large_with_small if kind == "S1" else _heavy_on_some_days
        made.append(make(name, month, rng))
    return tuple(made)


def _large_with_small(name: str, month: PrintedMonth, rng: Generator) -> Planted:
    """Return a user with a large, short job every other day, and small ones of several hours in between."""
    large_h = np.minimum(rng.lognormal(np.log(0.2), 0.8, _S1_LARGE), 1.4)
    small_h = rng.uniform(6, 11, _S1_SMALL)
    nodes = np.repeat([CLUSTER_NODES, _S1_SMALL_NODES], [_S1_LARGE, _S1_SMALL])
    days = month.length_s // DAY_S
    submit_s = np.concatenate([_spread(_S1_LARGE, days, rng), _spread(_S1_SMALL, days, rng)])
    return _user(name, nodes, np.concatenate([large_h, small_h]), submit_s)


def _spread(jobs: int, days: int, rng: Generator) -> Ints:
    """Return seconds of the month, on days chosen as evenly as possible, without the last three."""
    times: Ints = np.arange(jobs) * (days - 3) // jobs * DAY_S + rng.integers(0, DAY_S, jobs)
    return times


def _heavy_on_some_days(name: str, month: PrintedMonth, rng: Generator) -> Planted:
    """Return a user with many node-hours at once, on several days."""
    nodes = rng.permutation(_S2_NODES)
    hours = np.clip(rng.lognormal(np.log(1.6), 1.0, _S2_JOBS), 0.05, 10)
    wanted = min(_S2_NH, _BELOW_LARGEST * month.user_nh.largest)
    most = np.minimum(10.0, _BELOW_LARGEST * month.size_nh.largest / nodes)
    for _ in range(50):
        hours = np.minimum(hours * wanted / float((nodes * hours).sum()), most)
    days = month.length_s // DAY_S
    session = np.sort(rng.choice(np.arange(1, days - 4), _S2_SESSIONS, replace=False))
    day = session[np.arange(_S2_JOBS) % _S2_SESSIONS]
    return _user(name, nodes, hours, day * DAY_S + 9 * HOUR_S + rng.integers(0, 3 * HOUR_S, _S2_JOBS))


def _user(name: str, nodes: Ints, hours: Floats, submit_s: Ints) -> Planted:
    runtime_s = np.maximum(np.rint(hours * HOUR_S), 1).astype(np.int64)
    return Planted(name, JobShapes(nodes.astype(np.int64), runtime_s), submit_s.astype(np.int64))
