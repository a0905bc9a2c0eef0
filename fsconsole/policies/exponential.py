"""`exponential`: equation 1 as printed; with it, 1:3 shares give 38:62, so it must be a misprint.

Source: Everitt, Jones, Knesel, equation 1.
"""

# ruff: noqa: ANN001, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

import math

import numpy as np

from fsconsole.policies.accounting import begin
from fsconsole.policies.compiled import compiled
from fsconsole.policies.diagram import EVERITT, Diagram, Wire, short_diagram
from fsconsole.policies.explanation import Factor
from fsconsole.policies.policy import OF_SHARE, Policy, scale_factor
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec

# Larger exponents give the same increment.
LARGEST_EXPONENT = 30.0


@compiled
def _set_increments(par, state):  # type: ignore[no-untyped-def]
    """Increment = exp((1 - share) * processes in the run queue)."""
    for leaf in par.present:
        exponent = min((1.0 - state.entitled[leaf]) * state.runnable[leaf], LARGEST_EXPONENT)
        wanted = SCALE * math.exp(exponent)
        state.kusage[leaf] = wanted / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = wanted
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))


def _exponential(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    _set_increments(par, state)


class Exponential(Policy):
    """Increments from present shares and numbers of processes."""

    caution = "equation 1 as printed, a misprint that does not give users their shares"

    def priority_period_s(self, _spec: PolicySpec, second_s: float) -> float | None:
        """Return the length of a second, in which increments follow the number of processes."""
        return second_s

    def queue_ranks(self, _usage: Floats, share: Floats) -> Floats:
        """Return 1 / share, [rows]; usage does not count."""
        return 1 / share

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Return the exponential of share and processes."""
        share, runnable = self.share_factor(situation, row), int(situation.state.runnable[row])
        value = math.exp(min((1.0 - share.value) * runnable, LARGEST_EXPONENT))
        label, note = "exp((1 - share) × processes)", f"{runnable} in the run queue"
        source = f"{EVERITT}, equation 1 as printed (a misprint)"
        return [share, Factor("exponential", label, value, note, source, True), scale_factor()]

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return a diagram of share and processes, increment, priority and CPUs."""
        words = ("exp((1 − s) n)", "as printed", f"{EVERITT}, eq. 1, a misprint")
        share, n = float(situation.state.entitled[row]), float(situation.state.runnable[row])
        inputs = (
            Wire("", "increment", "share s", share, "fraction"),
            Wire("", "increment", "processes n", n, "count"),
        )
        return short_diagram(situation, row, about, words, inputs)


EXPONENTIAL = Exponential(
    "exponential",
    "Equation 1 as printed (a misprint)",
    "Everitt et al., equation 1, which does not give entitlements",
    _exponential,
    OF_SHARE,
    ignores_groups=True,
)
