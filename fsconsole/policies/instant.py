"""Policies without memory: what a tick costs depends on shares and processes of the moment alone.

`process-fair`: the decaying-priority scheduler without shares (Everitt, Jones, Knesel 2.1.1, steps a to d).
`fixed`: FIXEDPRI of the near-dedicated paper, increment 1/shares: many shares, much CPU.
`exponential`: equation 1 as printed; 1:3 shares give 38:62, so that it must be a misprint.
"""

# ruff: noqa: ANN001, ANN201 (numba infers the types of what it compiles)

from __future__ import annotations

import math

import numpy as np

from fsconsole.policies.compiled import compiled
from fsconsole.policies.state import LARGEST_EXPONENT, SCALE


@compiled
def process_fair(par, state):  # type: ignore[no-untyped-def]
    """The same increment for every process."""
    for leaf in par.present:
        state.kusage[leaf] = 1.0 / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = 0.0
        state.increment[leaf] = np.int64(SCALE)


@compiled
def fixed(par, state):  # type: ignore[no-untyped-def]
    """Increment = 1 / share, whatever was used; most without shares, and nobody is above that."""
    for leaf in par.present:
        share = state.entitled[leaf]
        wanted = min(SCALE / share, par.largest_increment) if share > 0.0 else par.largest_increment
        state.kusage[leaf] = wanted / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = wanted
        state.increment[leaf] = np.int64(np.rint(max(wanted, 1.0)))


@compiled
def exponential(par, state):  # type: ignore[no-untyped-def]
    """Increment = exp((1 - share) * processes in the run queue)."""
    for leaf in par.present:
        exponent = min((1.0 - state.entitled[leaf]) * state.runnable[leaf], LARGEST_EXPONENT)
        wanted = SCALE * math.exp(exponent)
        state.kusage[leaf] = wanted / max(state.runnable[leaf], 1e-3)
        state.rank[leaf] = wanted
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))
