"""Usage and entitlement of users over any spans of time (Vasupongayya, section III-C)."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.months import Period, whole_period
from fsconsole.batch.schedule import Schedule


def used_and_entitled(schedule: Schedule, edges_s: Ints) -> tuple[Ints, Floats]:
    """Return node-seconds used and entitled, of each user in each bin of time.

    Usage is that of running jobs, clipped to the bin. Entitlement is the integral of the entitled nodes (rule
    7 of the batch rules, `reference_usage.py`): every user with waiting or running jobs has a fraction of the
    machine by shares, but no more than those jobs request. Both count all jobs of the schedule, measured or
    not, and neither depends on a fair-share window.

    Exact in whole seconds; entitlement differs from real numbers only by rounding.

    Args:
        schedule: a schedule of any origin.
        edges_s: starts of the bins and end of the last one, rising, int64 [bins + 1].

    Returns:
        used, int64 [users, bins], and entitled, float64 [users, bins].

    Raises:
        ValueError: for fewer than two edges, or edges that do not rise.
    """
    from fsconsole.batch.measures.water_level import clip, integrate

    edges = np.array(edges_s, dtype=np.int64)
    if len(edges) < 2 or (np.diff(edges) <= 0).any():
        msg = "bins of time need at least two edges in ascending order"
        raise ValueError(msg)
    jobs = schedule.jobs
    user, nodes, end_s = (np.array(column) for column in (jobs.user, jobs.nodes, schedule.end_s))
    used = np.zeros((len(edges) - 1, len(jobs.users)), dtype=np.int64)
    clip(np.array(schedule.start_s), end_s, nodes, user, edges, used)
    entitled = np.zeros(used.shape)
    asked_s = np.minimum(jobs.submit_s, schedule.start_s)  # Imported schedules may start jobs too early.
    at_s = np.concatenate([asked_s, end_s])
    order = np.argsort(at_s, kind="stable")
    who = np.concatenate([user, user])[order]
    change = np.concatenate([nodes, -nodes])[order]
    integrate(at_s[order], who, change, edges, schedule.cluster_nodes, np.array(schedule.shares), entitled)
    return np.ascontiguousarray(used.T), np.ascontiguousarray(entitled.T)


def edges_of(schedule: Schedule, period: Period | None) -> Ints:
    """Return the two edges of a period, by default of the whole schedule, seconds, int64 [2]."""
    period = whole_period(schedule) if period is None else period
    return np.array([period.start_s, period.end_s], dtype=np.int64)
