"""`feedback`: the fully hierarchical scheme of Everitt, Jones and Knesel, section 2.2.2, mended.

A redistribution node gives every child a part that leads back to the fair line (equations 9 and 10; the
paper's v and n are one number, nu); a share node corrects what its group really gets (figures 2-4 to 2-6);
a terminator turns the base share into an increment. Ours: the floor under max(u/s), the least base share, and
nprocs/base in place of nprocs/base^2, which gives 10.7/26.7/62.7 for 1:2:4.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import numpy as np

from fsconsole.policies.compiled import compiled
from fsconsole.policies.share import count_work
from fsconsole.policies.state import SCALE


@compiled(allocates=True)
def redistribute(par, state):  # type: ignore[no-untyped-def]
    """target_i = s_i * nu * max_j(u_j / s_j) - u_i over siblings, their sum made 1; 0 without shares."""
    n = len(state.target)
    shares_sum, farthest, sums = np.zeros(n), np.zeros(n), np.zeros(n)
    for row in range(1, n):
        shares_sum[par.parent[row]] += par.shares[row]
    for row in range(1, n):
        above = par.parent[row]
        # Ours: a group uses no more than its part of the machine, and neither must the floor exceed that.
        room = state.entitled[above] if state.entitled[above] > 0.0 else 1.0
        farthest[above] = max(farthest[above], par.least_reach[row] * room)
        if par.shares[row] > 0.0:
            part = par.shares[row] / shares_sum[above]
            farthest[above] = max(farthest[above], state.node_usage[row] / part)
    for row in range(1, n):
        above = par.parent[row]
        state.target[row] = 0.0
        if par.shares[row] > 0.0:
            part = par.shares[row] / shares_sum[above]
            state.target[row] = part * par.nu * farthest[above] - state.node_usage[row]
            sums[above] += state.target[row]
    for row in range(1, n):
        if sums[par.parent[row]] > 0.0:
            state.target[row] /= sums[par.parent[row]]


@compiled(allocates=True)
def share_nodes(par, state):  # type: ignore[no-untyped-def]
    """From the root down: actual = base(parent) * target / (targets with work), then base by the error."""
    n = len(state.target)
    work = count_work(par, state.runnable)
    sums = np.zeros(n)
    for row in range(1, n):
        if work[row] > 0:
            sums[par.parent[row]] += state.target[row]
    state.actual[0] = state.base[0] = 1.0
    for row in range(1, n):
        above = par.parent[row]
        whole = sums[above] if work[row] > 0 else sums[above] + state.target[row]
        state.actual[row] = state.base[above] * state.target[row] / whole if whole > 0.0 else 0.0
        base = state.actual[row]
        if par.depth[row] > 1:
            base -= par.k_mu[row] * (state.filtered[row] - state.actual[row])
        state.base[row] = max(par.base_min, base)
        state.kusage[row] = 1.0 / state.base[row]
        state.rank[row] = state.kusage[row]


@compiled
def filter_charges(par, state):  # type: ignore[no-untyped-def]
    """Low-pass filter: filtered += K_c * (fraction of the machine charged in the last delta - filtered)."""
    for row in range(len(state.filtered)):
        fraction = state.charged[row] / par.capacity if par.capacity > 0.0 else 0.0
        state.filtered[row] += par.k_c * (fraction - state.filtered[row])


@compiled
def set_increments(par, state):  # type: ignore[no-untyped-def]
    """The terminators: increment = nprocs / base, nprocs the filtered rate; most without shares."""
    for leaf in par.present:
        wanted = SCALE * state.rate[leaf] / state.base[leaf]
        if par.shares[leaf] <= 0.0:
            wanted = par.largest_increment
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))


@compiled(allocates=True)
def update(par, state, is_start, is_delta, delta):  # type: ignore[no-untyped-def]
    """Filter the charges of a delta; redistribute when it is time, or all is new; then the share nodes."""
    if is_delta:
        filter_charges(par, state)
    if is_start or delta % par.redistribute_every == 0:
        redistribute(par, state)
    share_nodes(par, state)
