"""The step of a policy, compiled separately, so that unused policies are not compiled."""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numba import types

from fsconsole.policies.compiled import address_of, compiled
from fsconsole.policies.numba_tuples import borrowed_kind, call_at
from fsconsole.policies.parameters import Parameters, parameters_with
from fsconsole.policies.policy import Policy
from fsconsole.policies.state import PolicyInput, PolicyState


@cache
def _address(function: Callable[..., None]) -> int:
    kinds = borrowed_kind(Parameters), borrowed_kind(PolicyState), types.int64, types.int64
    return address_of(function, *kinds)


def parameters_of(policy: Policy, given: PolicyInput, state: PolicyState) -> Parameters:
    """Return a policy's parameters for a tree and its present users; compile the step at the first call."""
    step = _address(policy.step(given.spec))
    return parameters_with(step, policy.numbers(given), policy.row_numbers(given), given, state)


@compiled
def step(par, state, what, delta):  # type: ignore[no-untyped-def]
    """Run the step of the policy of `par`; `what` is a sum of START, SECOND and DELTA.

    `par` and `state` are borrowed; `delta` counts deltas.
    """
    call_at(par.step, par, state, what, delta)
