"""What the compiled functions of the policies work on: numbers and arrays without names in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.policies.registry import ADJGROUPS, Policy
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.flat import Bools, Floats, Ints


class Parameters(NamedTuple):
    """A policy's settings, and the tree that it works on.

    Attributes:
        policy: number of the policy in `registry`, that of process-fair with NOSCHED.
        adjgroups: 0 off, 1 Share's, 2 the integral variant; 0 for policies that know no groups.
        rate_decay: of the filter that counts runnable processes, per second.
        usage_decay: of usage per delta (k1).
        level_decay, k_mu: decay of node_usage per delta, and error gain, per row.
        redistribute_every: deltas between two redistributions.
        least_reach: floor under max(u/s) of a row and its siblings, in cost units, where the group above has
            the whole machine (ours).
        parent, is_leaf, depth: the tree's columns.
        present: rows of leaves with an l-node.
    """

    policy: int
    adjgroups: int
    limshare: bool
    rate_decay: float
    usage_decay: float
    min_kusage: float
    max_kusage: float
    mingshare: float
    maxushare: float
    capacity: float
    click_cost: float
    largest_increment: float
    nu: float
    k_c: float
    base_min: float
    redistribute_every: int
    level_decay: Floats
    least_reach: Floats
    k_mu: Floats
    shares: Floats
    parent: Ints
    depth: Ints
    is_leaf: Bools
    present: Ints


def parameters_of(policy: Policy, given: PolicyInput, state: PolicyState) -> Parameters:
    """The numbers of a policy for a tree, and for who is there now."""
    spec, flat = given.spec, given.flat
    depth = _depth(given)
    half_lives = np.array(spec.level_half_lives_s or (spec.half_life_s,))
    half_life_s = half_lives[np.clip(depth - 1, 0, len(half_lives) - 1)]
    gains = np.array(spec.k_mu)
    redistribute_every = max(1, round(spec.redistribution_s / spec.delta_s))
    return Parameters(
        policy=policy.number,
        adjgroups=ADJGROUPS.index(spec.adjgroups) if policy.adjusts_groups else 0,
        limshare=spec.limshare,
        rate_decay=float(0.5 ** (given.second_s / spec.rate_half_life_s)),
        usage_decay=float(0.5 ** (spec.delta_s / spec.half_life_s)),
        min_kusage=spec.min_kusage,
        max_kusage=spec.max_kusage,
        mingshare=spec.mingshare,
        maxushare=spec.maxushare,
        capacity=given.capacity,
        click_cost=given.click_cost,
        largest_increment=given.largest_increment,
        nu=spec.nu,
        k_c=spec.k_c,
        base_min=spec.base_min,
        redistribute_every=redistribute_every,
        level_decay=0.5 ** (spec.delta_s / half_life_s),
        # Equation 10 has no scale of its own and hunts while usages are tiny: its gain is the period over
        # (nu - 1) * max(u/s). This keeps it below 1/1.5, as far as usages that have come to rest would.
        least_reach=given.capacity
        * np.minimum(1.5 * redistribute_every / (spec.nu - 1.0), half_life_s / (spec.delta_s * np.log(2.0))),
        # Children of the root have no share node, so the gains begin one level further down.
        k_mu=gains[np.clip(depth - 2, 0, len(gains) - 1)],
        shares=flat.shares,
        parent=flat.parent,
        depth=depth,
        is_leaf=flat.is_leaf,
        present=np.flatnonzero(flat.is_leaf & state.lnode),
    )


def _depth(given: PolicyInput) -> Ints:
    depth = np.zeros(len(given.flat), np.int64)
    for level, rows in enumerate(given.flat.levels):
        depth[rows] = level
    return depth
