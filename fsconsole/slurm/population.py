"""A cluster's users by their usage, and their fairshare under models of control.

Source: Yalim, section 2.2 and Figure 2: one share and one account a user, so that F = 2^(-u/(d mean u)).
Its population is not public. `bounded_pareto` and `between_knots` are ours: the first is any Pareto-like
population, the second one that goes through numbers that are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsconsole.slurm.associations import Floats
from fsconsole.slurm.damping import PRINTED_ZERO, controlled_fairshare, damping_for
from fsconsole.slurm.padding import HOUR_S
from fsconsole.slurm.parsers.sshare import Sshare

Model = Literal["model 0", "model 1", "model 2"]
MODELS: tuple[Model, ...] = ("model 0", "model 1", "model 2")
_HALVINGS = 100
_STEEPEST = 20.0


@dataclass(frozen=True, eq=False, slots=True)
class Population:
    """Users by usage in core-hours, descending, float64 [N]; some have none. ValueError if all are 0."""

    usage_h: Floats

    def __post_init__(self) -> None:
        if not (len(self.usage_h) and self.usage_h.min() >= 0 and 0 < self.usage_h.max() < np.inf):
            msg = "a population needs finite usages of 0 or more, and one above 0"
            raise ValueError(msg)

    @property
    def mean_h(self) -> float:
        """Mean usage of all users, core-hours."""
        return float(self.usage_h.mean())

    @property
    def active(self) -> int:
        """Number of users with usage: the paper's M."""
        return int((self.usage_h > 0).sum())

    def part_of_first(self, fraction: float) -> float:
        """Return the part of all usage that the first users have, these given as a fraction of the active
        ones.
        """
        first = round(fraction * self.active)
        return float(self.usage_h[:first].sum() / self.usage_h.sum())


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of users whose fairshare shows as zero, and whose is at most one half."""

    zero: int
    half_or_less: int


def counts_of(fairshare: Floats) -> Counts:
    """Return the two counts of Figure 2 for fairshare [users]; zero is what lies below 2^-20, where its axis
    ends.
    """
    return Counts(int((fairshare < PRINTED_ZERO).sum()), int((fairshare <= 0.5).sum()))


def model_damping(population: Population, model: Model, target_h: float) -> float:
    """Return the dampening factor of a model: 1; N/M; u*/mean usage (the exact one)."""
    if model == "model 0":
        return 1.0
    if model == "model 1":
        return len(population.usage_h) / population.active
    return damping_for(target_h, population.mean_h).exact


def model_fairshare(population: Population, model: Model, target_h: float) -> Floats:
    """Compute fairshare of all users under a model, float64 [N]."""
    return controlled_fairshare(
        population.usage_h, model_damping(population, model, target_h) * population.mean_h
    )


def padded_fairshare(population: Population, padding_h: float) -> Floats:
    """Compute fairshare beside an artificial user of that usage, float64 [N]: the paper's system."""
    mean_h = (float(population.usage_h.sum()) + padding_h) / (len(population.usage_h) + 1)
    return controlled_fairshare(population.usage_h, mean_h)


def population_of(read: Sshare) -> Population:
    """Return the users of a capture by RawUsage; a user in two accounts counts twice, as in Slurm.

    The models assume equal shares, as in the paper; ValueError without any usage, or if one's is blank.
    """
    users = read.tree.is_user
    usage = read.raw_usage[users] / HOUR_S
    if np.isnan(usage).any():
        msg = "RawUsage is blank for some users, so their usage is unknown"
        raise ValueError(msg)
    return Population(np.sort(usage)[::-1])


def bounded_pareto(users: int, active: int, top_h: float, mean_h: float, seed: int) -> Population:
    """Return a Pareto-like population, drawn with a seed.

    Args:
        users: all users N.
        active: those with any usage M, at least 2; the first has `top_h`.
        top_h: usage of the first, core-hours.
        mean_h: mean usage over all N, core-hours; the index of the law is found so that it comes out.
        seed: of the places of users under the law.

    Raises:
        ValueError: no index gives that mean.
    """
    if not 2 <= active <= users:
        msg = f"{active} active users of {users}: at least 2 must be active, and at most all"
        raise ValueError(msg)
    places = np.sort(np.random.default_rng(seed).random(active - 1))
    least, total = 1.0, mean_h * users
    low, high = 1 / _STEEPEST, _STEEPEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _drawn(places, least, top_h, middle).sum() < total else (middle, high)
    drawn = _drawn(places, least, top_h, low)
    if abs(drawn.sum() - total) > total / 1000:
        msg = f"no Pareto-like law between {least:g} and {top_h:g} h has a mean of {mean_h:g} h"
        raise ValueError(msg)
    return Population(np.concatenate([drawn, np.zeros(users - active)]))


def _drawn(places: Floats, least: float, most: float, index: float) -> Floats:
    """Return the first user's usage and those of a bounded Pareto law at places 0 .. 1 of its tail,
    falling.
    """
    tail = (least / most) ** index
    return np.concatenate([[most], least * (tail + places * (1 - tail)) ** (-1 / index)])


def between_knots(users: int, knots: Sequence[tuple[int, float]]) -> Population:
    """Return users by rank through known ones, a power law in rank between each two.

    Args:
        users: all users N; those after the last knot have no usage.
        knots: (rank from 1, core-hours), ranks rising and hours falling; ValueError otherwise.
    """
    ranks, hours = (np.array(column, dtype=np.float64) for column in zip(*knots, strict=True))
    if ranks[0] != 1 or (np.diff(ranks) <= 0).any() or (np.diff(hours) > 0).any() or hours[-1] <= 0:
        msg = "knots must begin at rank 1, with rising ranks and falling hours above 0"
        raise ValueError(msg)
    active = np.arange(1, int(ranks[-1]) + 1, dtype=np.float64)
    usage = np.exp(np.interp(np.log(active), np.log(ranks), np.log(hours)))
    return Population(np.concatenate([usage, np.zeros(users - len(usage))]))
