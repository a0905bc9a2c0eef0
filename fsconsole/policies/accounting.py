"""Steps common to all policies: filter the number of processes, add costs to usage and charge.

Sources: Junglas 1991 section 3 (t1 and t2); the rate filter is that of the original Share kernel.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from fsconsole.policies.compiled import compiled
from fsconsole.policies.state import ROOT_INCREMENT

# The work of a step is a sum of these. START computes everything from the present usages, after users who are
# present or settings have changed. SECOND follows the decay of priorities. DELTA adds the costs to usage and
# charge. All of them end by setting `increment` and `rank`.
START, SECOND, DELTA = 1, 2, 4

# Group adjustment multiplies a rate every delta; without an end a group that holds a millionth of the
# shares would leave the range of numbers. The filter brings a rate back from here within minutes.
LARGEST_RATE = 1e9


@compiled
def filter_rates(par, state):  # type: ignore[no-untyped-def]
    """Rate = max(d, d * rate) + (1 - d) * runnable processes, d the filter's decay."""
    decay = par.rate_decay
    for leaf in par.present:
        state.rate[leaf] = max(decay, decay * state.rate[leaf]) + (1.0 - decay) * state.runnable[leaf]


@compiled
def take_costs(par, state):  # type: ignore[no-untyped-def]
    """Add the cost of the last delta to usage and charge; `charged` of a group is the sum of its members."""
    for row in range(len(state.cost)):
        state.cost[row] += state.clicks[row] * par.click_cost
        state.charged[row] = state.cost[row]
    for row in range(len(state.cost) - 1, 0, -1):  # Children follow their parents in the rows.
        state.charged[par.parent[row]] += state.charged[row]
    for row in range(len(state.cost)):
        state.usage[row] = par.usage_decay * state.usage[row] + state.cost[row]
        state.node_usage[row] = par.level_decay[row] * state.node_usage[row] + state.charged[row]
        state.charge[row] += state.cost[row]
        state.cost[row] = 0.0


@compiled
def begin(par, state, what):  # type: ignore[no-untyped-def]
    """Do the steps common to all policies; return whether a policy with memory has something to compute."""
    if what & SECOND:
        filter_rates(par, state)
    if what & DELTA:
        take_costs(par, state)
    if what & START:
        for leaf in par.present:
            state.rate[leaf] = max(state.rate[leaf], par.rate_decay)
    state.increment[0] = ROOT_INCREMENT
    return what & (START | DELTA) != 0
