"""The dampening factor that makes fairshare halve every so many hours, and what hours a fairshare implies.

Source: Yalim, sections 2.1.3 and 2.2, equation 7. That Slurm has the factor as a whole number of 16 bits is
the paper's finding for 19.05; what a whole factor then halves at follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Floats

MOST_WHOLE = 2**16 - 1
# Fairshare is printed with six decimals: the paper takes everything below 2^-20 for the zero that people see.
PRINTED_ZERO = 2.0**-20


@dataclass(frozen=True, slots=True)
class DampingChoice:
    """A dampening factor for target hours.

    Attributes:
        exact: d = u*/mean usage, equation 7.
        whole: the nearest that Slurm takes, 1 to 65535.
        halves_at_h: core-hours at which fairshare is one half with the whole factor.
    """

    exact: float
    whole: int
    halves_at_h: float


def damping_for(target_h: float, mean_usage_h: float) -> DampingChoice:
    """The dampening factor for target hours at a mean usage; ValueError unless both are above 0."""
    if not (target_h > 0 and mean_usage_h > 0):
        msg = f"{target_h:g} target hours and a mean usage of {mean_usage_h:g} h: both must be above 0"
        raise ValueError(msg)
    exact = target_h / mean_usage_h
    whole = min(max(round(exact), 1), MOST_WHOLE)
    return DampingChoice(exact, whole, whole * mean_usage_h)


def controlled_fairshare(usage_h: Floats, target_h: float) -> Floats:
    """F = 2^(-u/u*) where d times the mean usage is held at u*, float64 as `usage_h`; equation after 9."""
    if not target_h > 0:
        msg = f"the target is {target_h:g} h, it must be above 0"
        raise ValueError(msg)
    return np.exp2(-np.asarray(usage_h, dtype=np.float64) / target_h)


def implied_target_h(fairshare: Floats, usage_h: Floats) -> Floats:
    """u* = -u/log2 F: the hours that halve fairshare, by what a user has; NaN where F is not within 0 to 1.

    The paper leaves the sign out (its u/log2 F is below 0).
    """
    found = np.full(len(fairshare), np.nan)
    known = (fairshare > 0) & (fairshare < 1)
    found[known] = -usage_h[known] / np.log2(fairshare[known])
    return found
