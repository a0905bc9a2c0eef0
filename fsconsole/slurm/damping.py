"""The dampening factor that makes fairshare halve every so many hours, and the hours behind a fairshare.

Source: Yalim, sections 2.1.3 and 2.2, equation 7. That Slurm has the factor as a whole number of 16 bits is
the paper's finding for 19.05; what a whole factor then halves at follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Floats
from fsconsole.slurm.decay import WEEK_S, Spell, continuous_path
from fsconsole.slurm.padding import HOUR_S

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
    """Return the dampening factor for target hours at a mean usage; ValueError unless both are above 0."""
    if not (target_h > 0 and mean_usage_h > 0):
        msg = f"{target_h:g} target hours and a mean usage of {mean_usage_h:g} h: both must be above 0"
        raise ValueError(msg)
    exact = target_h / mean_usage_h
    whole = min(max(round(exact), 1), MOST_WHOLE)
    return DampingChoice(exact, whole, whole * mean_usage_h)


def controlled_fairshare(usage_h: Floats, target_h: float) -> Floats:
    """Return F = 2^(-u/u*), [users], where d times the mean usage is held at u* = `target_h`.

    Source: the equation after equation 9.

    Raises:
        ValueError: the target is not above 0.
    """
    if not target_h > 0:
        msg = f"the target is {target_h:g} h. It must be above 0"
        raise ValueError(msg)
    return np.exp2(-np.asarray(usage_h, dtype=np.float64) / target_h)


def implied_target_h(fairshare: Floats, usage_h: Floats) -> Floats:
    """Return u* = -u/log2 F, hours that halve fairshare, [users]; NaN where F is not within 0 to 1.

    Deviation: the paper leaves the sign out (its u/log2 F is below 0).
    """
    found = np.full(len(fairshare), np.nan)
    known = (fairshare > 0) & (fairshare < 1)
    found[known] = -usage_h[known] / np.log2(fairshare[known])
    return found


POINTS = 400


@dataclass(frozen=True, eq=False, slots=True)
class Controlled:
    """Usage and fairshare over time.

    Attributes:
        times_s: s from now, float64 [k]; beginnings and ends of jobs are among them.
        usage_h: raw usage, core-hours, float64 [k].
        fairshare: F, float64 [k].
    """

    times_s: Floats
    usage_h: Floats
    fairshare: Floats


def controlled(
    usage_h: float,
    jobs: Sequence[Spell],
    target_h: float,
    until_s: float,
    half_life_s: float = WEEK_S,
    points: int = POINTS,
) -> Controlled:
    """Return usage and fairshare of one user from now until a time; rates of jobs in cores.

    d times the mean usage is held at target hours: Yalim, section 3, equations 8 and 9 and F = 2^(-u/u*). No
    other user has to be known for it; beside a capture, `forecast.py` takes everybody in.

    Args:
        usage_h: raw usage now, core-hours.
        jobs: what runs, and when.
        target_h: u* = d times the mean usage, core-hours.
        until_s: how far to look.
        half_life_s: of usage.
        points: about how many times.

    Raises:
        ValueError: usage below 0, or a target, end or half-life that is not above 0.
    """
    if not (0 <= usage_h < math.inf and 0 < until_s < math.inf):
        msg = f"{usage_h:g} h of usage until {until_s:g} s: usage must be 0 or more, and the end after now"
        raise ValueError(msg)
    ends = [time for job in jobs for time in (job.start_s, job.end_s) if time <= until_s]
    times = np.unique(np.concatenate([np.linspace(0.0, until_s, points), ends]))
    usage = continuous_path(usage_h * HOUR_S, jobs, half_life_s, times) / HOUR_S
    return Controlled(times, usage, controlled_fairshare(usage, target_h))
