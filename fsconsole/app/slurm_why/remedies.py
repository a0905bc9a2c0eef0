"""Time without jobs and raw shares that bring something about: the forecast is asked for both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.status import Standing
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.forecast import Curves, Forecast, lasting_from_s
from fsconsole.slurm.outlook import Outlook
from fsconsole.slurm.solver import least_number
from fsconsole.slurm.usage_reset import next_reset

MOST_SHARES = 1_000_000
OLDER = "The order follows older usage. It changes with the next recalculation."
_DIGITS = 1_000_000  # sshare prints six decimals.

Holds = Callable[[Forecast], NDArray[np.bool_]]
"""Says of a forecast at which of its calculations something holds, bool [k]."""


def start_of(facts: Facts, standing: Standing) -> Outlook:
    """Return the start of a forecast from recorded usage, NaN in hidden rows, by the cluster's settings."""
    settings = facts.settings
    return Outlook(
        replace(standing.measured.tree, usage=standing.recorded),
        decay=decay_of(facts) or SlurmDecay(),
        damping=1.0 if settings is None else float(settings.dampening),
        by_rank=standing.measured.is_fair_tree,
    )


def decay_of(facts: Facts) -> SlurmDecay | None:
    """Return the decay of usage; None where there is none, or the settings were not read."""
    settings = facts.settings
    return None if settings is None else SlurmDecay.of(settings.half_life_s, settings.calc_period_s)


def start_on_level(facts: Facts, share: float, used: float) -> Outlook:
    """Return the start for one on a level of which only its own part is known: row 1, and the others as
    row 2.
    """
    shares = round(share * _DIGITS)
    tree = Associations(
        ("root",) * 3, ("", "own", "others"), np.array([-1, 0, 0]), np.array([0, shares, _DIGITS - shares]),
        np.array([1.0, used, 1 - used]),
    )  # fmt: skip
    return Outlook(tree, decay=decay_of(facts) or SlurmDecay())


def rest_s(facts: Facts, start: Outlook, idle: int, rows: Sequence[int], holds: Holds) -> float | None:
    """Return the first calculation from which on something holds for good while a row runs nothing and the
    others' usage stays, s from now.

    Infinite if it never does; None if usage does not decay, nothing is known of that, or a reset of all usage
    comes first.

    Args:
        facts: with the settings.
        start: start of the forecast.
        idle: the row that runs nothing, with all below it.
        rows: rows of the forecast that `holds` looks at.
        holds: what is to come.
    """
    decay = decay_of(facts)
    if decay is None or math.isinf(decay.half_life_s):
        return None
    reset = next_reset(facts.settings, facts.now_s)
    until_s = math.inf if reset is None else max(reset.left_s, decay.period_s)
    time_s = lasting_from_s(Curves(replace(start, quiet=frozenset({idle})), rows), holds, until_s)
    return None if reset is not None and time_s > until_s else time_s


def least_shares(start: Outlook, row: int, rows: Sequence[int], holds: Holds) -> int | None:
    """Return the least raw shares of a row with which something holds at the next calculation; None if more
    than `MOST_SHARES` are needed. More shares must not undo it.
    """
    curves, now = Curves(start, rows), np.zeros(1)

    def would(shares: int) -> bool:
        return bool(holds(curves.with_shares(row, shares).at(now))[0])

    return least_number(would, max(int(start.tree.shares[row]), 1), MOST_SHARES)
