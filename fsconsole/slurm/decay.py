"""Decay of usage: as slurmctld does it, period by period, and as Yalim models it, continuously.

Sources: slurmctld 22.05 as measured (its log of one calculation, to six digits); Yalim, "Toward dynamically
controlling Slurm's classic fairshare algorithm", equations 6, 8 and 9, where the rate is ln 2 by half-life
(the paper calls lambda itself the half-life).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fsconsole.policies.multifactor import added_usage, kept_after, kept_each_second
from fsconsole.slurm.associations import Floats

WEEK_S = 7 * 86400.0
MINUTE_S = 60.0
MONTH_S = 30 * 86400.0


@dataclass(frozen=True, slots=True)
class Spell:
    """Usage at a constant rate.

    Attributes:
        rate: usage per second in billing units, by default the CPUs of an allocation.
        start_s: start, from now.
        end_s: end, from now; infinite for usage without end.
    """

    rate: float
    start_s: float = 0.0
    end_s: float = math.inf

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate >= 0):
            msg = f"a rate is {self.rate:g}. It must be 0 or more"
            raise ValueError(msg)
        if not 0 <= self.start_s < self.end_s:
            msg = (
                f"use from {self.start_s:g} s to {self.end_s:g} s: it must start now or later, and "
                "before its end"
            )
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class SlurmDecay:
    """PriorityDecayHalfLife and PriorityCalcPeriod, in s; Slurm has both in whole minutes.

    The half-life is infinite where usage does not decay. ValueError below a minute. A second decays usage by
    1 - 0.693/half-life, not by 2^(-1/half-life).
    """

    half_life_s: float = WEEK_S
    period_s: float = 300.0

    def __post_init__(self) -> None:
        for name, value in (("half-life", self.half_life_s), ("calculation period", self.period_s)):
            if value < MINUTE_S or math.isnan(value) or (math.isinf(value) and name != "half-life"):
                msg = f"the {name} is {value:g} s. It must be at least a minute"
                raise ValueError(msg)

    @classmethod
    def of(cls, half_life_s: float, period_s: float) -> SlurmDecay | None:
        """Return the decay of a cluster's settings; None where a time is unknown, or below a minute."""
        try:
            return cls(half_life_s, period_s)
        except ValueError:
            return None

    @property
    def scale_s(self) -> float:
        """Time in which usage changes much: the half-life, or a month without decay."""
        return self.half_life_s if math.isfinite(self.half_life_s) else MONTH_S

    @property
    def factor(self) -> float:
        """Fraction of usage that remains after a second."""
        return kept_each_second(self.half_life_s)

    def left(self, seconds: float) -> float:
        """Return the remaining fraction of usage after a stretch of time; a calculation decays its
        whole slice at once.
        """
        return kept_after(seconds, self.half_life_s)

    def added(self, rate: float, seconds: float) -> float:
        """Return the usage that a slice of a job adds: its seconds decayed over their whole number."""
        return rate * added_usage(seconds, self.half_life_s)

    def steady_rate(self, usage: float) -> float:
        """Return the rate that keeps usage constant, in units a second."""
        left = self.left(self.period_s)
        return usage * (1 - left) / (self.period_s * left)

    def decayed(self, usage: float, calculations: Floats) -> Floats:
        """Return the rest of present usage at calculations, float64 [k]."""
        return usage * np.exp(calculations * self._log_of_period())

    def of_spell(self, spell: Spell, calculations: Floats) -> Floats:
        """Return usage that a spell leaves, at calculations given by number, float64 [k].

        The first slice counts from the beginning of the spell; what is left over at its end is added at once
        and decays with all other usage at the calculation that follows.
        """
        first = math.ceil(spell.start_s / self.period_s)
        whole = spell.end_s / self.period_s
        last = math.floor(whole) if math.isfinite(whole) else math.inf
        if first > last:
            rest = self.added(spell.rate, spell.end_s - spell.start_s)
            return self._since(rest, calculations, last)
        head = self.added(spell.rate, first * self.period_s - spell.start_s)
        found = self._since(head, calculations, first - 1, first)
        found = found + self._whole_slices(spell.rate, calculations, first, last)
        if math.isfinite(last):
            tail = self.added(spell.rate, spell.end_s - last * self.period_s)
            found = found + self._since(tail, calculations, last)
        return found

    def _since(
        self, usage: float, calculations: Floats, after: float, whole_at: float | None = None
    ) -> Floats:
        """Return usage that counts after a calculation, and is whole at that one or at another,
        float64 [k].
        """
        passed = calculations - (after if whole_at is None else whole_at)
        return np.where(calculations > after, self.decayed(usage, np.maximum(passed, 0.0)), 0.0)

    def _whole_slices(self, rate: float, calculations: Floats, first: float, last: float) -> Floats:
        """Return the usage that whole slices between two calculations have added, a geometric sum."""
        log = self._log_of_period()
        until = np.minimum(calculations, last)
        slices = np.maximum(until - first, 0.0)
        sums = np.expm1(slices * log) / math.expm1(log) if log else slices
        grown = self.added(rate, self.period_s) * sums
        return np.where(slices > 0, self.decayed(1.0, calculations - until) * grown, 0.0)

    def _log_of_period(self) -> float:
        return self.period_s * math.log(self.factor)


def decay_rate(half_life: float) -> float:
    """Return the paper's lambda by unit of time of the half-life, ln 2 by half-life; ValueError unless above
    0.
    """
    if not half_life > 0:
        msg = f"the half-life is {half_life:g}. It must be above 0"
        raise ValueError(msg)
    return math.log(2) / half_life


def continuous_usage(usage: float, rate: float, half_life: float, elapsed: Floats) -> Floats:
    """Compute usage after times under a constant rate, equation 9, float64 [k].

    All arguments have one unit of time.
    """
    decay = decay_rate(half_life)
    return rate / decay + (usage - rate / decay) * np.exp(-decay * elapsed)


def continuous_path(usage: float, spells: Iterable[Spell], half_life_s: float, times_s: Floats) -> Floats:
    """Compute usage at times from now over spells that may overlap, equations 8 and 9, float64 [k]."""
    found = continuous_usage(usage, 0.0, half_life_s, times_s)
    for spell in spells:
        during = np.clip(times_s, spell.start_s, spell.end_s) - spell.start_s
        since = np.maximum(times_s - spell.end_s, 0.0)
        grown = continuous_usage(0.0, spell.rate, half_life_s, during)
        found = found + grown * np.exp(-decay_rate(half_life_s) * since)
    return found
