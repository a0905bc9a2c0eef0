"""Usage and fairshare factors of Slurm's multifactor priority, updated by compiled loops.

They equal those of `reference_factors.py`. Usage is in whole grains, so that the order of additions does not
change it. Nodes of running jobs are summed by user; jobs that run through a whole period are added as one.
Fairshare factors are computed when a priority is needed, at most once after each calculation.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.factors import Factors
from fsconsole.batch.job_table import Floats, Ints
from fsconsole.policies.compiled import compiled

# `Usage.mark` has these entries: second of the last calculation, and whether the fairshare factors belong to
# it.
LAST_S, IS_KNOWN = range(2)
_KEPT, AGE, MAX_AGE_S, FAIRSHARE, _DAMPING, _FAIR_TREE = range(6)


class Usage(NamedTuple):
    """Usage and fairshare factors of users; float64 [users] unless an attribute gives another shape.

    Attributes:
        usage: grains at the last calculation.
        since: grains added since then by jobs that have ended.
        to_come: grains that jobs started since then will add at the next calculation.
        rate: nodes of jobs that were running at the last calculation.
        fresh: nodes of jobs that started since then.
        level_fs: normalised shares over usage.
        fairshare: fairshare factors.
        norm_shares: shares as fractions of their sum.
        order: users by descending `level_fs`, int64 [users].
        slice_usage: usage of a slice as in `Factors`.
        setting: fraction of usage that a calculation keeps, points for age, age with all points, points for
            fairshare, damping, whether Fair Tree applies, [6].
        mark: scalars; see the constants above.
    """

    usage: Floats
    since: Floats
    to_come: Floats
    rate: Floats
    fresh: Floats
    level_fs: Floats
    fairshare: Floats
    norm_shares: Floats
    order: Ints
    slice_usage: Floats
    setting: Floats
    mark: Ints


def usage_of(factors: Factors) -> Usage:
    """Return the accounts of users without usage."""
    users = len(factors.norm_shares)
    setting = (
        factors.kept, factors.age, factors.max_age_s, factors.fairshare, factors.damping, factors.fair_tree
    )  # fmt: skip
    parts = [
        *np.zeros((7, users)),
        np.require(factors.norm_shares, requirements=["C", "W"]),
        np.arange(users),
        factors.slice_usage,
        np.array(setting, dtype=np.float64),
        np.zeros(2, dtype=np.int64),
    ]
    return Usage._make(parts)


@compiled
def calculate(known: Usage, now: int) -> bool:
    """Calculate usage for all periods up to now; return whether there was one."""
    period_s = len(known.slice_usage) - 1
    kept, whole, last_s = known.setting[_KEPT], known.slice_usage[period_s], known.mark[LAST_S]
    if last_s + period_s > now:
        return False
    usage, since, to_come = known.usage, known.since, known.to_come
    rate, fresh = known.rate, known.fresh
    for user in range(len(usage)):
        used = np.floor((usage[user] + since[user]) * kept + 0.5)
        usage[user] = used + rate[user] * whole + to_come[user]
        rate[user] += fresh[user]
        since[user] = to_come[user] = fresh[user] = 0.0
    for _ in range((now - last_s) // period_s - 1):
        for user in range(len(usage)):
            usage[user] = np.floor(usage[user] * kept + 0.5) + rate[user] * whole
    known.mark[LAST_S] = now - (now - last_s) % period_s
    known.mark[IS_KNOWN] = 0
    return True


@compiled
def use_from(known: Usage, user: int, nodes: int, now: int) -> None:
    """Count the usage of a user's job from its start on."""
    next_s = known.mark[LAST_S] + len(known.slice_usage) - 1
    known.to_come[user] += nodes * known.slice_usage[next_s - now]
    known.fresh[user] += nodes


@compiled
def use_until(known: Usage, user: int, nodes: int, begun: int, now: int) -> None:
    """Stop counting the usage of a user's job at its end."""
    last_s = known.mark[LAST_S]
    if begun < last_s:
        known.rate[user] -= nodes
        known.since[user] += nodes * known.slice_usage[now - last_s]
        return
    next_s = last_s + len(known.slice_usage) - 1
    known.to_come[user] -= nodes * known.slice_usage[next_s - begun]
    known.fresh[user] -= nodes
    known.since[user] += nodes * known.slice_usage[now - begun]


@compiled
def find_fairshares(known: Usage) -> None:
    """Compute the fairshare factors of the last calculation unless they are known."""
    if known.mark[IS_KNOWN]:
        return
    known.mark[IS_KNOWN] = 1
    total = 0.0
    for user in range(len(known.usage)):
        total += known.usage[user]
    damping, is_tree = known.setting[_DAMPING], known.setting[_FAIR_TREE] > 0.0
    for user in range(len(known.usage)):
        used = known.usage[user] / total if total > 0.0 else 0.0
        share = known.norm_shares[user]
        if is_tree:
            known.level_fs[user] = share / used if used > 0.0 else np.inf
        else:
            known.fairshare[user] = np.exp2(-(used / share) / damping)
    if is_tree:
        _rank(known)


@compiled
def _rank(known: Usage) -> None:
    """Set each factor to the rank from the end over the number of users; ties share the better rank."""
    order, level_fs, users = known.order, known.level_fs, len(known.order)
    for at in range(1, users):  # Insertion sort is fast, because the order has hardly changed.
        user = order[at]
        place = at
        while place > 0 and level_fs[order[place - 1]] < level_fs[user]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = user
    before = 0
    for at in range(users):
        if level_fs[order[at]] < level_fs[order[before]]:
            before = at
        known.fairshare[order[at]] = (users - before) / users
