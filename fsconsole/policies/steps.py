"""The two steps of a policy, and its start, compiled: which policy it is stands in the parameters."""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from fsconsole.policies import feedback, instant, share
from fsconsole.policies.accounting import filter_rates, take_costs
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, PROCESS_FAIR, SHARE
from fsconsole.policies.state import ROOT_INCREMENT


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


@entry
def start(par, state):  # type: ignore[no-untyped-def]
    """Work out everything from the usages there are, after who is there or a setting has changed."""
    for leaf in par.present:
        state.rate[leaf] = max(state.rate[leaf], par.rate_decay)
    if par.policy == SHARE:
        share.set_kusage(par, state)
    elif par.policy == FEEDBACK:
        feedback.start(par, state)
    set_increments(par, state)


@entry
def on_second(par, state):  # type: ignore[no-untyped-def]
    """Every second, after the processes' priorities have decayed."""
    filter_rates(par, state)
    set_increments(par, state)


@entry
def on_delta(par, state, delta):  # type: ignore[no-untyped-def]
    """Every delta: take the costs into usage and charge, and set everything anew. `delta` counts deltas."""
    take_costs(par, state)
    if par.policy == SHARE:
        share.on_delta(par, state)
    elif par.policy == FEEDBACK:
        feedback.on_delta(par, state, delta)
    set_increments(par, state)
