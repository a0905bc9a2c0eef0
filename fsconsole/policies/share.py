"""`share`, the hierarchical Share scheduler, and `flat`, the same with groups ignored.

Sources: Junglas 1991 section 3; Everitt, Jones, Knesel equation 2 (usage / share^2, mended); the constants,
LIMSHARE and group adjustment are those of the original Share kernel; the integral variant is ours.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import math

import numpy as np

from fsconsole.policies.accounting import LARGEST_RATE
from fsconsole.policies.compiled import compiled

SMALLEST_WEIGHT = 1e-6
_LARGEST_FACTOR = 1e300


@compiled
def set_kusage(par, state):  # type: ignore[no-untyped-def]
    """Kusage = usage / share^2 within its limits; the upper limit for those without shares."""
    for row in range(len(state.kusage)):
        square = state.entitled[row] ** 2
        kusage = state.usage[row] / square if square > 0.0 else par.max_kusage
        state.kusage[row] = min(max(kusage, par.min_kusage), par.max_kusage)
    if par.limshare:
        limit_shares(par, state)
    for row in range(len(state.kusage)):
        state.rank[row] = state.kusage[row]


@compiled
def limit_shares(par, state):  # type: ignore[no-untyped-def]
    """LIMSHARE: nobody's effective share exceeds `maxushare` times the allocated one.

    kusage = (1 / (maxushare * share) - 1) / sum of the others' 1/kusage puts the effective share there.
    """
    total = 0.0
    for leaf in par.present:
        total += 1.0 / state.kusage[leaf]
    for leaf in par.present:
        most = par.maxushare * state.entitled[leaf]
        others = total - 1.0 / state.kusage[leaf]
        if 0.0 < most < 1.0 and others > 0.0 and 1.0 / state.kusage[leaf] > most * total:
            state.kusage[leaf] = min((1.0 / most - 1.0) / others, par.max_kusage)


@compiled
def set_increments(par, state):  # type: ignore[no-untyped-def]
    """Increment = kusage * rate, times the weights of the integral group adjustment."""
    for leaf in par.present:
        wanted = state.kusage[leaf] * state.rate[leaf]
        if par.adjgroups == 2:
            wanted *= state.weight[leaf]
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))


@compiled(allocates=True)
def count_work(par, runnable):  # type: ignore[no-untyped-def]
    """Runnable processes at or below each row."""
    work = runnable.copy()
    for row in range(len(work) - 1, 0, -1):
        work[par.parent[row]] += work[row]
    return work


@compiled(allocates=True)
def fractions(par, charged, entitled, busy):  # type: ignore[no-untyped-def]
    """(Actual, entitled) fraction of each row among its busy siblings."""
    n = len(charged)
    charged_sum, entitled_sum = np.zeros(n), np.zeros(n)
    for row in range(1, n):
        if busy[row]:
            charged_sum[par.parent[row]] += charged[row]
            entitled_sum[par.parent[row]] += entitled[row]
    actual, due = np.zeros(n), np.zeros(n)
    for row in range(1, n):
        above = par.parent[row]
        if busy[row] and charged_sum[above] > 0.0 and entitled_sum[above] > 0.0:
            actual[row] = charged[row] / charged_sum[above]
            due[row] = entitled[row] / entitled_sum[above]
    return actual, due


@compiled(allocates=True)
def adjust_groups(par, state):  # type: ignore[no-untyped-def]
    """ADJGROUPS as Share does it: from the root down, raise the rate below groups that got too much.

    f = mingshare * (charge fraction among siblings in the last delta) / (entitled fraction); where f > 1 the
    rates of all leaves below are multiplied by it.
    """
    work = count_work(par, state.runnable)
    # Ours: only siblings with work count. With idle ones in the sum, as the literal rule has it, every busy
    # group is above its part, all factors exceed 1 and the rates grow without bound.
    actual, due = fractions(par, state.charged, state.entitled, (state.charged > 0.0) | (work > 0))
    factor = np.ones(len(actual))
    for row in range(1, len(factor)):
        factor[row] = factor[par.parent[row]]
        if not par.is_leaf[row] and due[row] > 0.0:
            factor[row] *= max(1.0, par.mingshare * actual[row] / due[row])
        # In deep trees the product of all factors may be infinite, and 0 times that is no number.
        state.rate[row] = min(state.rate[row] * min(factor[row], _LARGEST_FACTOR), LARGEST_RATE)


@compiled(allocates=True)
def integrate_groups(par, state):  # type: ignore[no-untyped-def]
    """The integral variant (ours): w *= sqrt(actual / entitled), largest sibling 1; leaves get the product.

    Groups without runnable work start at 1 again when they have some.
    """
    work = count_work(par, state.runnable)
    n = len(work)
    actual, due = fractions(par, state.charged, state.entitled, work > 0)
    largest = np.zeros(n)
    own = np.ones(n)
    for row in range(1, n):
        if par.is_leaf[row]:
            continue
        above = par.parent[row]
        own[row] = state.weight[row] / state.weight[above] if work[row] > 0 else 1.0
        if due[row] > 0.0:
            own[row] = max(own[row] * math.sqrt(actual[row] / due[row]), SMALLEST_WEIGHT)
        if work[row] > 0:
            largest[above] = max(largest[above], own[row])
    state.weight[0] = 1.0
    for row in range(1, n):
        above = par.parent[row]
        scaled = own[row] / largest[above] if largest[above] > 0.0 and work[row] > 0 else own[row]
        product = state.weight[above] * (1.0 if par.is_leaf[row] else scaled)
        state.weight[row] = min(max(product, SMALLEST_WEIGHT), 1.0)
