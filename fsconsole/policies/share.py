"""`share`, the hierarchical Share scheduler, and `flat`, the same with groups ignored.

Sources: Junglas 1991 section 3 (the three time scales) and section 4 (hierarchical shares); the constants,
the rate filter and group adjustment are those of the original Share kernel (FORMULAS: [Share]).
"""

from __future__ import annotations

import numpy as np

from fsconsole.policies.state import ROOT_INCREMENT, PolicyInput, PolicyState
from fsconsole.shares.flat import Bools, Floats

LARGEST_INCREMENT = 1e16
# Group adjustment multiplies a rate every delta; without an end a group that holds a millionth of the
# shares would leave the range of numbers. The filter brings a rate back from here within minutes.
LARGEST_RATE = 1e9


class Share:
    """Usage feedback on allocated shares: kusage = usage / share^2, increment = kusage * rate."""

    name = "share"
    title = "Share, hierarchical"

    def start(self, given: PolicyInput, state: PolicyState) -> None:
        """Work out the columns from the usages there are; new leaves get the least rate there is."""
        np.maximum(state.rate, self._rate_decay(given), out=state.rate)
        self._set_kusage(given, state)
        self._set_increment(given, state)

    def on_second(self, given: PolicyInput, state: PolicyState) -> None:
        """Filter the rates: rate = max(d, d*rate) + (1 - d) * runnable processes, d the filter's decay."""
        decay = self._rate_decay(given)
        state.rate[:] = np.maximum(decay, decay * state.rate) + (1 - decay) * state.runnable
        self._set_increment(given, state)

    def on_delta(self, given: PolicyInput, state: PolicyState) -> None:
        """Take in the cost: usage = k1 * usage + cost; then new shares, kusage and group adjustment."""
        decay = 0.5 ** (given.spec.delta_s / given.spec.half_life_s)
        state.usage[:] = decay * state.usage + state.cost
        state.charge += state.cost
        self._set_kusage(given, state)
        if given.spec.adjgroups == "share":
            self._adjust_groups(given, state)
        state.cost[:] = 0.0
        self._set_increment(given, state)

    def entitled(self, given: PolicyInput, leaf_active: Bools) -> Floats:
        """The share that stands in the equations: over active siblings, or over all with `count_inactive`."""
        if given.count_inactive:
            return given.flat.machine_share()
        return given.flat.allocated_share(given.flat.active(leaf_active))

    def _rate_decay(self, given: PolicyInput) -> float:
        return float(0.5 ** (given.second_s / given.spec.rate_half_life_s))

    def _set_kusage(self, given: PolicyInput, state: PolicyState) -> None:
        spec = given.spec
        state.entitled[:] = self.entitled(given, state.leaf_active(given.flat))
        square = state.entitled**2
        kusage = np.full(len(given.flat), spec.max_kusage)
        np.divide(state.usage, square, out=kusage, where=square > 0)
        state.kusage[:] = np.clip(kusage, spec.min_kusage, spec.max_kusage)
        state.rank[:] = state.kusage

    def _set_increment(self, given: PolicyInput, state: PolicyState) -> None:
        wanted = np.clip(np.rint(state.kusage * state.rate), 1.0, LARGEST_INCREMENT)
        state.increment[:] = wanted.astype(np.int64)
        state.increment[0] = ROOT_INCREMENT

    def _adjust_groups(self, given: PolicyInput, state: PolicyState) -> None:
        """ADJGROUPS as Share does it: from the root down, raise the rate below groups that got too much.

        f = mingshare * (charge fraction among siblings in the last delta) / (entitled fraction among active
        siblings); where f > 1 the rates of all leaves below are multiplied by it.
        """
        flat = given.flat
        charged = flat.group_sum(state.cost)
        # Ours: only siblings with work count. With idle ones in the sum, as the literal rule has it, every
        # busy group is above its part, all factors exceed 1 and the rates grow without bound.
        busy = (charged > 0) | (flat.group_sum(state.runnable.astype(np.float64)) > 0)
        actual = _fraction_of_siblings(given, charged)
        entitled = _fraction_of_siblings(given, np.where(busy, state.entitled, 0.0))
        factor = np.ones(len(flat))
        np.divide(given.spec.mingshare * actual, entitled, out=factor, where=(entitled > 0) & ~flat.is_leaf)
        factor = np.maximum(factor, 1.0)
        factor[0] = 1.0
        state.rate[:] = np.minimum(state.rate * flat.product_down(factor), LARGEST_RATE)


class Flat(Share):
    """Leaf shares over all active leaves; groups are ignored (UNICOS 2.2.1.1, the flat scheduler)."""

    name = "flat"
    title = "Share, flat"

    def entitled(self, given: PolicyInput, leaf_active: Bools) -> Floats:
        """Leaf shares over active leaves, or over all leaves with `count_inactive`."""
        return given.flat.flat_share(given.flat.is_leaf if given.count_inactive else leaf_active)


def _fraction_of_siblings(given: PolicyInput, values: Floats) -> Floats:
    parent = given.flat.parent[1:]
    sums = np.bincount(parent, weights=values[1:], minlength=len(values))[parent]
    fraction = np.zeros(len(values))
    np.divide(values[1:], sums, out=fraction[1:], where=sums > 0)
    return fraction
