"""The steps of a policy, compiled: which policy it is stands in the parameters."""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from fsconsole.policies import feedback, instant, share
from fsconsole.policies.accounting import filter_rates, take_costs
from fsconsole.policies.compiled import compiled
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, PROCESS_FAIR, SHARE
from fsconsole.policies.state import ROOT_INCREMENT

START, SECOND, DELTA = 1, 2, 4


@compiled
def set_increments(par, state):  # type: ignore[no-untyped-def]
    """What a tick costs each leaf now, and whom to favour elsewhere."""
    state.increment[0] = ROOT_INCREMENT
    if par.policy == SHARE:
        share.set_increments(par, state)
    elif par.policy == FEEDBACK:
        feedback.set_increments(par, state)
    elif par.policy == FIXED:
        instant.fixed(par, state)
    elif par.policy == PROCESS_FAIR:
        instant.process_fair(par, state)
    elif par.policy == EXPONENTIAL:
        instant.exponential(par, state)


@compiled
def step(par, state, what, delta):  # type: ignore[no-untyped-def]
    """Do what `what` says, a sum of START, SECOND and DELTA; `delta` counts deltas. Compiled once for all.

    START works out everything from the usages there are, after who is there or a setting has changed. SECOND
    comes after the priorities have decayed. DELTA takes the costs into usage and charge.
    """
    is_start, is_delta = what & START != 0, what & DELTA != 0
    if what & SECOND:
        filter_rates(par, state)
    if is_delta:
        take_costs(par, state)
    if is_start:
        for leaf in par.present:
            state.rate[leaf] = max(state.rate[leaf], par.rate_decay)
    if is_start or is_delta:
        if par.policy == SHARE:
            share.update(par, state, is_delta)
        elif par.policy == FEEDBACK:
            feedback.update(par, state, is_start, is_delta, delta)
    set_increments(par, state)
