"""Artificial user whose usage pads the total, so that fairshare halves every fixed number of hours.

Source: Yalim, section 2.1, equations 4 to 6 and Table 1. Times of upkeep jobs, and the dips of the padding
between them, are computed here from the paper's rule; the paper shows them in a figure alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Floats
from fsconsole.slurm.decay import WEEK_S

HOUR_S = 3600.0


def padding_s(target_h: float, users: int) -> float:
    """Compute the artificial user's usage by equation 5, w = u*(N - 1), in core-seconds.

    Args:
        target_h: core-hours u* after which the first user's fairshare is to be one half.
        users: all users N, the artificial one among them.

    Raises:
        ValueError: no hours, or nobody beside the artificial user.
    """
    if not (target_h > 0 and users > 1):
        msg = f"{target_h:g} hours and {users} users: padding needs hours above 0 and at least 2 users"
        raise ValueError(msg)
    return target_h * HOUR_S * (users - 1)


def lost_s(usage_s: float, elapsed_s: float, half_life_s: float = WEEK_S) -> float:
    """Return usage that is forgotten without upkeep, by equation 6, in core-seconds."""
    return -usage_s * math.expm1(-math.log(2) * elapsed_s / half_life_s)


def until_lost_s(usage_s: float, lost: float) -> float:
    """Return the time until usage has lost that much, s; infinite where it never does."""
    return WEEK_S * -math.log2(1 - lost / usage_s) if lost < usage_s else math.inf


@dataclass(frozen=True, slots=True)
class UpkeepRule:
    """Rule for upkeep of the padding: checks at intervals, with a job where the loss reaches the threshold.

    Attributes:
        padding_s: usage that is wanted, core-seconds; it is all there at first.
        job_s: usage that a job adds, core-seconds.
        threshold_s: least loss against the padding at which a check runs a job, core-seconds.
        every_s: time between checks.
    """

    padding_s: float
    job_s: float
    threshold_s: float
    every_s: float = 4 * HOUR_S
    half_life_s: float = WEEK_S


@dataclass(frozen=True, eq=False, slots=True)
class Upkeep:
    """Result of upkeep jobs.

    Attributes:
        times_s: times of the checks, float64 [k].
        before_s: usage before each check, core-seconds, float64 [k].
        after_s: usage after each check, core-seconds, float64 [k]: larger if a job ran.
    """

    rule: UpkeepRule
    times_s: Floats
    before_s: Floats
    after_s: Floats

    @property
    def lowest_fraction(self) -> float:
        """Lowest level of the padding as a fraction of the target, which occurs just before a check."""
        return float(self.before_s.min() / self.rule.padding_s)


def upkeep(rule: UpkeepRule, length_s: float, outages: Sequence[tuple[float, float]] = ()) -> Upkeep:
    """Return checks and jobs over a time; ValueError where that has no check.

    Checks within `outages`, from a time to another in s, find the level and run nothing.
    """
    checks = math.floor(length_s / rule.every_s)
    if checks < 1:
        msg = f"no check within {length_s:g} s"
        raise ValueError(msg)
    kept, level, before, after = 2 ** (-rule.every_s / rule.half_life_s), rule.padding_s, [], []
    for check in range(1, checks + 1):
        level *= kept
        before.append(level)
        is_out = any(start <= check * rule.every_s < end for start, end in outages)
        level += rule.job_s if not is_out and rule.padding_s - level >= rule.threshold_s else 0.0
        after.append(level)
    times = rule.every_s * np.arange(1, checks + 1, dtype=np.float64)
    return Upkeep(rule, times, np.array(before), np.array(after))
