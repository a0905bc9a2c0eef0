"""The steps of each policy, compiled apart, so that nobody waits for a policy that is not in use.

`START` works out everything from the usages there are, after who is there or a setting has changed. `SECOND`
comes after the priorities have decayed. `DELTA` takes the costs into usage and charge. All end with what a
tick costs each leaf now, and whom to favour elsewhere.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

from functools import cache

from numba import types

from fsconsole.policies import feedback, instant, share
from fsconsole.policies.accounting import filter_rates, take_costs
from fsconsole.policies.borrowed import borrowed_kind, call_at
from fsconsole.policies.compiled import address_of, compiled
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, PROCESS_FAIR, SHARE
from fsconsole.policies.state import ROOT_INCREMENT, PolicyState

START, SECOND, DELTA = 1, 2, 4


@compiled
def begin(par, state, what):  # type: ignore[no-untyped-def]
    """What all policies do first; whether that leaves a policy with memory something to work out."""
    if what & SECOND:
        filter_rates(par, state)
    if what & DELTA:
        take_costs(par, state)
    if what & START:
        for leaf in par.present:
            state.rate[leaf] = max(state.rate[leaf], par.rate_decay)
    state.increment[0] = ROOT_INCREMENT
    return what & (START | DELTA) != 0


def _share(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        share.set_kusage(par, state)
    share.set_increments(par, state)


def _share_adjusting(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        share.set_kusage(par, state)
    if what & DELTA:
        share.adjust_groups(par, state)
    share.set_increments(par, state)


def _share_integrating(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        share.set_kusage(par, state)
    if what & DELTA:
        share.integrate_groups(par, state)
    share.set_increments(par, state)


def _feedback(par, state, what, delta):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        feedback.update(par, state, what & START != 0, what & DELTA != 0, delta)
    feedback.set_increments(par, state)


def _fixed(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    instant.fixed(par, state)


def _process_fair(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    instant.process_fair(par, state)


def _exponential(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    instant.exponential(par, state)


# By policy and adjgroups.
_STEPS = {
    (SHARE, 0): _share,
    (SHARE, 1): _share_adjusting,
    (SHARE, 2): _share_integrating,
    (FEEDBACK, 0): _feedback,
    (FIXED, 0): _fixed,
    (PROCESS_FAIR, 0): _process_fair,
    (EXPONENTIAL, 0): _exponential,
}


@cache
def _address(policy: int, adjgroups: int) -> int:
    kinds = borrowed_kind(Parameters), borrowed_kind(PolicyState), types.int64, types.int64
    return address_of(_STEPS[policy, adjgroups], *kinds)


def step_of(par: Parameters) -> int:
    """The policy's step, for `step`; the first time it is compiled, or loaded."""
    return _address(par.policy, par.adjgroups)


@compiled
def step(address, par, state, what, delta):  # type: ignore[no-untyped-def]
    """Do what `what` says, a sum of START, SECOND and DELTA, as the policy at `address` does it.

    `par` and `state` are borrowed; `delta` counts deltas.
    """
    call_at(address, par, state, what, delta)
