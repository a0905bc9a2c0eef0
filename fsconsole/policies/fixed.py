"""`fixed`: FIXEDPRI of the near-dedicated paper, increment 1/share: more shares give more CPU."""

# ruff: noqa: ANN001, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

import numpy as np

from fsconsole.policies.accounting import begin
from fsconsole.policies.compiled import compiled
from fsconsole.policies.diagram import Diagram, Wire, short_diagram
from fsconsole.policies.explanation import (
    Contribution,
    Factor,
    Level,
    Side,
    groups_inside,
    leaves,
    parting,
    place_of_parting,
)
from fsconsole.policies.policy import OF_SHARE, Policy, most_factor, scale_factor
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec


@compiled
def _set_increments(par, state):  # type: ignore[no-untyped-def]
    """Increment = 1 / share at any usage; the largest increment without shares, and none exceeds it."""
    for leaf in par.present:
        share = state.entitled[leaf]
        wanted = min(SCALE / share, par.largest_increment) if share > 0.0 else par.largest_increment
        state.kusage[leaf] = wanted / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = wanted
        state.increment[leaf] = np.int64(np.rint(max(wanted, 1.0)))


def _fixed(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    _set_increments(par, state)


class Fixed(Policy):
    """Priorities from shares without usage."""

    flag = "FIXEDPRI"

    def priority_period_s(self, _spec: PolicySpec, _second_s: float) -> float | None:
        """Return None: no usage changes an increment."""
        return None

    def queue_ranks(self, _usage: Floats, share: Floats) -> Floats:
        """Return 1 / share, [rows]; usage does not count."""
        return 1 / share

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Return 1 / share as the factors of a leaf's increment."""
        share = self.share_factor(situation, row, "Brady et al.")
        if share.value <= 0.0:
            return [share, most_factor(situation)]
        per_share = Factor("per_share", "1 / share", 1.0 / share.value, "", "Brady et al., FIXEDPRI", True)
        return [share, per_share, scale_factor()]

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return a diagram of share, increment, priority and CPUs."""
        words = ("1 / share", "the same at all times", "Brady et al., FIXEDPRI")
        share = Wire("", "increment", "share s", float(situation.state.entitled[row]), "fraction")
        return short_diagram(situation, row, about, words, (share,))

    def contributions(
        self, situation: Situation, levels: tuple[Level, ...], first: Side, other: Side
    ) -> list[Contribution]:
        """Return the parts of shares where the ways part and inside."""
        if min(first.factor("share"), other.factor("share")) <= 0.0:
            return super().contributions(situation, levels, first, other)
        (mine, its), (leaf, other_leaf) = parting(levels), leaves(levels)
        at, inside = its.share / mine.share, f"shares inside {groups_inside(levels)}"
        return [
            Contribution("shares", f"the shares of {mine.name} and {its.name}", at),
            Contribution("inside", inside, other_leaf.share / leaf.share / at),
        ]

    def standing(self, levels: tuple[Level, ...]) -> str:
        """Return the shares where the ways part."""
        mine, its = parting(levels)
        shares = f"{mine.name} has {mine.shares} of {mine.of_counted} shares and {its.name} {its.shares}"
        return f"{place_of_parting(levels)}: {shares}."


FIXED = Fixed("fixed", "Fixed priorities", "Brady et al., FIXEDPRI", _fixed, OF_SHARE)
