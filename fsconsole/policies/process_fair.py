"""`process-fair`: the decaying-priority scheduler without shares.

Source: Everitt, Jones, Knesel 2.1.1, steps a to d.
"""

# ruff: noqa: ANN001, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

import numpy as np

from fsconsole.policies.accounting import begin
from fsconsole.policies.compiled import compiled
from fsconsole.policies.diagram import EVERITT, Diagram, short_diagram
from fsconsole.policies.explanation import Factor, Level
from fsconsole.policies.policy import Policy
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec


@compiled
def _set_increments(par, state):  # type: ignore[no-untyped-def]
    """Set the same increment for every process."""
    for leaf in par.present:
        state.kusage[leaf] = 1.0 / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = 0.0
        state.increment[leaf] = np.int64(SCALE)


def _process_fair(par, state, what, _):  # type: ignore[no-untyped-def]
    begin(par, state, what)
    _set_increments(par, state)


class ProcessFair(Policy):
    """A policy that treats all processes alike; it is also in force with NOSCHED."""

    def priority_period_s(self, _spec: PolicySpec, _second_s: float) -> float | None:
        """Return None: no usage changes an increment."""
        return None

    def queue_ranks(self, _usage: Floats, share: Floats) -> Floats:
        """Return 1 for all, [rows]."""
        return np.ones(len(share))

    def factors(self, _situation: Situation, _row: int) -> list[Factor]:
        """Return a constant as the factor of a leaf's increment."""
        return [Factor("scale", "the same for every process", SCALE, "", f"{EVERITT} 2.1.1", True)]

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return a diagram of increment, priority and CPUs."""
        return short_diagram(situation, row, about, ("Constant", "the same for all", f"{EVERITT} 2.1.1"))

    def standing(self, _levels: tuple[Level, ...]) -> str:
        """Return an empty text: shares do not count where the ways part."""
        return "Shares have no effect now."


PROCESS_FAIR = ProcessFair(
    "process-fair", "Process-fair UNIX", "Everitt et al. 2.1.1, steps a to d", _process_fair
)
