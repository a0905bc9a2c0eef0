"""One user's usage and fairshare over time where d times the mean usage is held at target hours.

Source: Yalim, section 3, equations 8 and 9 and F = 2^(-u/u*); no other user has to be known for it. Beside a
capture, `forecast.py` takes everybody in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Floats
from fsconsole.slurm.damping import controlled_fairshare
from fsconsole.slurm.decay import WEEK_S, Spell, continuous_path
from fsconsole.slurm.padding import HOUR_S

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
    """Usage and fairshare from now until a time; rates of jobs in cores.

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
        msg = f"{usage_h:g} h of usage until {until_s:g} s: usage is at least 0, and the end after now"
        raise ValueError(msg)
    ends = [time for job in jobs for time in (job.start_s, job.end_s) if time <= until_s]
    times = np.unique(np.concatenate([np.linspace(0.0, until_s, points), ends]))
    usage = continuous_path(usage_h * HOUR_S, jobs, half_life_s, times) / HOUR_S
    return Controlled(times, usage, controlled_fairshare(usage, target_h))
