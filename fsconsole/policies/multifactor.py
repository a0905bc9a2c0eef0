"""Slurm's multifactor priority: the decay of usage, and the factors of a job, each from 0 to 1.

Source: priority_multifactor of Slurm 22.05, its documentation, and what sprio and sshare of it print.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SLURMS_LN_2 = 0.693  # Slurm writes three digits.


def kept_each_second(half_life_s: float) -> float:
    """Return the factor of usage per second: 1 - 0.693/half-life, not 2^(-1/half-life)."""
    return 1.0 - SLURMS_LN_2 / half_life_s


def kept_after(seconds: float, half_life_s: float) -> float:
    """Return the factor of usage after `seconds`; a calculation decays its whole slice at once."""
    return math.exp(seconds * math.log(kept_each_second(half_life_s)))


def added_usage(seconds: float, half_life_s: float) -> float:
    """Return the usage that a slice of a job adds for each of its CPUs: its decayed seconds."""
    return seconds * kept_after(seconds, half_life_s)


def fairshare_factor(effective_usage: Floats, norm_shares: Floats, damping: float) -> Floats:
    """Return the classic factor F = 2^(-(UE/S)/d), float64 [rows]; 0 where S is 0.

    Args:
        effective_usage: UE, as a part of the cluster, 0 to 1, float64 [rows].
        norm_shares: S, as a part of the cluster, 0 to 1, float64 [rows].
        damping: d, FairShareDampeningFactor.
    """
    has_shares = norm_shares > 0
    ratio = np.divide(effective_usage, norm_shares, out=np.zeros(len(norm_shares)), where=has_shares)
    return np.where(has_shares, np.exp2(-ratio / damping), 0.0)


def age_factor(age_s: float, max_age_s: float) -> float:
    """Return the time in the queue divided by PriorityMaxAge, at most 1."""
    return min(age_s / max_age_s, 1.0)


def size_factor(nodes: Floats, cpus: Floats, cluster: tuple[int, int], *, favor_small: bool) -> Floats:
    """Return the mean of the fractions of nodes and CPUs of jobs, or 1 minus them with PriorityFavorSmall.

    Args:
        nodes: least number of nodes of each job, [jobs].
        cpus: least number of CPUs of each job, [jobs].
        cluster: nodes and CPUs of the cluster.
        favor_small: whether small jobs are favoured.
    """
    part: Floats = (nodes / cluster[0] + cpus / cluster[1]) / 2
    return np.clip(1.0 - part if favor_small else part, 0.0, 1.0)


def size_by_time_factor(cpus: Floats, minutes: Floats, cluster_cpus: int, *, favor_small: bool) -> Floats:
    """Return CPUs by minutes of the time limit, as a part of the cluster's CPUs, 0 to 1, [jobs].

    With `favor_small`, 1 minus that. Source: Slurm's SMALL_RELATIVE_TO_TIME.

    Args:
        cpus: CPUs of each job, [jobs].
        minutes: time limit of each job in minutes, [jobs].
        cluster_cpus: CPUs of the cluster.
        favor_small: whether small jobs are favoured.
    """
    part: Floats = cpus / minutes / cluster_cpus
    return np.clip(1.0 - part if favor_small else part, 0.0, 1.0)
