"""When the jobs of a generated month arrive (ours; the paper says nothing of it).

Users work in sessions: they submit a few jobs after each other, most of them by day and from Monday to
Friday, and not all of them all month. Who needs much comes for longer and more often.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.policy import DAY_S, HOUR_S

# How busy each hour of a day is beside the others, from midnight; a maximum in the afternoon.
DAY_RHYTHM = (
    0.35, 0.3, 0.25, 0.2, 0.2, 0.2, 0.3, 0.5, 0.9, 1.4, 1.7, 1.7,
    1.6, 1.7, 1.8, 1.8, 1.7, 1.5, 1.2, 1.0, 0.9, 0.8, 0.6, 0.4,
)  # fmt: skip
WEEK_RHYTHM = (1.15, 1.2, 1.2, 1.2, 1.1, 0.55, 0.6)  # Monday first
_SESSION_JOBS = 6.0
_GAP_S = 900.0
_SESSION_NH = 300.0
_SHORTEST_STAY = 0.35  # of the month
_ALL_MONTH_NH = 8000.0
_MONDAY = 4 * DAY_S  # 1970 began on a Thursday


def rhythm(start_unix_s: int, length_s: int) -> Floats:
    """The part of arrivals in each hour of a period that begins at midnight, float64 [hours]."""
    hours = np.arange(-(-length_s // HOUR_S))
    since_monday = start_unix_s - _MONDAY + hours * HOUR_S
    weight = np.array(DAY_RHYTHM)[hours % 24] * np.array(WEEK_RHYTHM)[since_monday // DAY_S % 7]
    parts: Floats = weight / weight.sum()
    return parts


def arrivals(owner: Ints, node_hours: Floats, start_unix_s: int, length_s: int, rng: Generator) -> Ints:
    """Seconds of a month at which jobs of these owners and node-hours arrive, int64 [jobs]."""
    by_then = np.cumsum(rhythm(start_unix_s, length_s))
    submit_s = np.empty(len(owner), dtype=np.int64)
    for user in np.unique(owner).tolist():
        rows = np.flatnonzero(owner == user)
        submit_s[rows] = _of_user(len(rows), float(node_hours[rows].sum()), by_then, length_s, rng)
    return submit_s


def _of_user(jobs: int, node_hours: float, by_then: Floats, length_s: int, rng: Generator) -> Ints:
    stay = rng.uniform(max(_SHORTEST_STAY, min(node_hours / _ALL_MONTH_NH, 1.0)), 1.0)
    first = rng.uniform(0, 1 - stay)
    sessions = 1 + int(rng.poisson(max(jobs / _SESSION_JOBS, node_hours / _SESSION_NH)))
    hour = np.searchsorted(by_then, rng.uniform(first, first + stay, sessions))
    begin_s = (np.minimum(hour, len(by_then) - 1) + rng.random(sessions)) * HOUR_S
    session = np.sort(rng.integers(0, sessions, jobs))
    gap_s = rng.exponential(_GAP_S, jobs)
    opening = np.append(True, session[1:] != session[:-1])
    total = np.cumsum(np.where(opening, 0.0, gap_s))
    since = total - np.maximum.accumulate(np.where(opening, total, 0.0))
    submit: Ints = np.floor(begin_s[session] + since).astype(np.int64)
    # A session at the end of the month goes on before its beginning: the month's jobs are the month's.
    past = submit >= length_s
    submit[past] = np.maximum(2 * length_s - 2 - submit[past], 0)
    return submit
