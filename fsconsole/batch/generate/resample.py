"""Resampled traces: users of a trace drawn with replacement, each shifted by whole weeks."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable, job_table
from fsconsole.batch.policy import DAY_S

WEEK_S = 7 * DAY_S
_LONG_WEEKS = 12  # We chose this limit: users who are active for longer are drawn separately.


def resample_users(jobs: JobTable, seed: int) -> tuple[JobTable, Ints]:
    """Return a trace with as many users, and the user of `jobs` from whom each was drawn, int64 [users].

    Users are independent of each other, their own jobs are not: so whole users are drawn. All jobs of one are
    shifted by the same number of weeks, so that weekdays and times of day stay; jobs after the last week wrap
    to the first one. Users who are active for more than 12 weeks and the others are drawn separately, as many
    of each as the trace has. The load follows from the drawn users.

    Source: Zakay and Feitelson, Workload resampling for performance evaluation of parallel job schedulers,
    ICPE 2013 and Concurrency and Computation 26(12), 2014. Deviation: temporary users are shifted around the
    trace too, so that its first weeks are not sparse; changes of clocks within the trace are ignored.

    Args:
        jobs: the trace.
        seed: seed of the draw; the same one gives the same trace.
    """
    if not len(jobs):
        return jobs, np.arange(len(jobs.users), dtype=np.int64)
    rng = np.random.default_rng([seed, len(jobs)])
    first_s = int(jobs.submit_s[0])
    since_s = jobs.submit_s - first_s
    weeks = int(since_s[-1]) // WEEK_S + 1
    order = np.argsort(jobs.user, kind="stable")
    edges = np.searchsorted(jobs.user[order], np.arange(len(jobs.users) + 1))
    drawn = np.concatenate([rng.choice(group, len(group)) for group in _groups(since_s, order, edges)])
    drawn.sort()
    shift_s = rng.integers(0, weeks, len(drawn)) * WEEK_S
    rows = np.concatenate([order[edges[user] : edges[user + 1]] for user in drawn.tolist()])
    owner = np.repeat(np.arange(len(drawn)), np.diff(edges)[drawn])
    submit_s = first_s + (since_s[rows] + shift_s[owner]) % (weeks * WEEK_S)
    made = job_table(
        np.arange(1, len(rows) + 1),
        submit_s,
        jobs.runtime_s[rows],
        jobs.nodes[rows],
        owner,
        _names(jobs.users, drawn.tolist()),
        name=jobs.name,
        unix_start_s=jobs.unix_start_s,
        cluster_nodes=jobs.cluster_nodes,
        time_zone=jobs.time_zone,
        partition=None if jobs.partition is None else jobs.partition.rows(rows),
        qos=None if jobs.qos is None else jobs.qos.rows(rows),
    )
    return made, drawn


def _groups(since_s: Ints, order: Ints, edges: Ints) -> list[Ints]:
    """Return users with jobs in groups, active for longer than 12 weeks or not, without empty groups."""
    users = np.flatnonzero(np.diff(edges))
    first, last = since_s[order[edges[users]]], since_s[order[edges[users + 1] - 1]]
    is_long = last - first > _LONG_WEEKS * WEEK_S
    return [group for group in (users[is_long], users[~is_long]) if len(group)]


def _names(users: tuple[str, ...], drawn: list[int]) -> tuple[str, ...]:
    """Return distinct names: `12` for a user's first draw, then `12.2`."""
    taken = set(users)
    counts: dict[int, int] = {}
    names = []
    for user in drawn:
        counts[user] = number = counts.get(user, 0) + 1
        name = users[user] if number == 1 else f"{users[user]}.{number}"
        while number > 1 and name in taken:
            name += "'"
        taken.add(name)
        names.append(name)
    return tuple(names)
