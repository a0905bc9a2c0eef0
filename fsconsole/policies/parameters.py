"""Parameters of the compiled functions of policies: numbers and arrays without names in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.policies.state import PolicyInput, PolicyState, Table
from fsconsole.shares.flat import Bools, Floats, Ints


class Parameters(NamedTuple):
    """The step and the numbers of a policy, and its tree.

    Attributes:
        step: address of the policy's compiled step.
        rate_decay: decay of the filter that counts runnable processes, per second.
        usage_decay: decay of usage per delta (k1).
        level_decay: decay of node_usage per delta, per row.
        parent, is_leaf, depth: the tree's columns.
        present: rows of leaves with an l-node.
        own, own_of_row: the policy's own numbers, see `Policy.numbers` and `Policy.row_numbers`.
    """

    step: int
    rate_decay: float
    usage_decay: float
    capacity: float
    click_cost: float
    largest_increment: float
    level_decay: Floats
    shares: Floats
    parent: Ints
    depth: Ints
    is_leaf: Bools
    present: Ints
    own: Floats
    own_of_row: Table


def parameters_with(
    step: int, own: Floats, own_of_row: Table, given: PolicyInput, state: PolicyState
) -> Parameters:
    """Return the parameters of a tree and its present users, with `own` [numbers] of the policy."""
    spec, flat = given.spec, given.flat
    return Parameters(
        step=step,
        rate_decay=float(0.5 ** (given.second_s / spec.rate_half_life_s)),
        usage_decay=float(0.5 ** (spec.delta_s / spec.half_life_s)),
        capacity=given.capacity,
        click_cost=given.click_cost,
        largest_increment=given.largest_increment,
        level_decay=0.5 ** (spec.delta_s / given.level_half_life_s),
        shares=flat.shares,
        parent=flat.parent,
        depth=given.depth,
        is_leaf=flat.is_leaf,
        present=np.flatnonzero(flat.is_leaf & state.lnode),
        own=own,
        own_of_row=own_of_row,
    )
