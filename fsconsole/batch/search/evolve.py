"""The next generation of settings: a Latin hypercube at first, then children of the fittest (NSGA-II).

Genes are numbers from 0 to below 1, one for each axis. A generation depends only on the seed, its number and
its parents, so that a resumed search gives the same results. Source: Deb et al. 2002 (`pareto.py`); Deb and
Agrawal, Simulated Binary Crossover for Continuous Search Space, Complex Systems 9, 1995; McKay, Beckman and
Conover, Technometrics 21(2), 1979 (Latin hypercube).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints
from fsconsole.batch.search.pareto import crowding, ranks

_CROSSED = 0.9  # This fraction of children have two parents.
_NEAR_PARENTS = 10.0  # A larger distribution index of the crossover keeps children nearer to their parents.
_NEAR_OWN = 15.0  # A larger distribution index of the mutation keeps values nearer to the old ones.
_BELOW_ONE = np.nextafter(1.0, 0.0)
_TRIES = 40


def sample(count: int, size: int, rng: np.random.Generator) -> Floats:
    """Return a Latin hypercube: on each axis one gene in each of `count` equal parts, [count, size]."""
    strata = np.stack([rng.permutation(count) for _ in range(size)], axis=1)
    found: Floats = np.minimum((strata + rng.random((count, size))) / count, _BELOW_ONE)
    return found


def children(
    genes: Floats,
    values: Floats,
    excess: Floats,
    count: int,
    choices: Sequence[bool],
    rng: np.random.Generator,
) -> Floats:
    """Return new settings from parents, [count, axes].

    Args:
        genes: genes of the parents, [parents, axes].
        values: their values, small is better, [parents, goals].
        excess: their miss of bounds (`pareto.ranks`), [parents].
        count: number of children.
        choices: axes whose values have no meaningful order.
        rng: random number generator.
    """
    rank = ranks(values, excess)
    room = crowding(np.nan_to_num(values, nan=np.inf))
    mother, father = (_winners(rank, room, count, rng) for _ in range(2))
    made = genes[mother].copy()
    is_choice = np.array(choices, dtype=np.bool_)
    crossed = rng.random(count) < _CROSSED
    made = np.where(crossed[:, None], _crossed(genes[mother], genes[father], is_choice, rng), made)
    return _mutated(made, is_choice, rng)


def distinct(
    draw: Callable[[int], Floats], identity: Callable[[Floats], str], seen: set[str], count: int
) -> tuple[list[Floats], bool]:
    """Draw genes [axes] until `count` settings are new; the second value is False if there are fewer.

    The identities of the returned settings are added to `seen`.
    """
    found: list[Floats] = []
    for _ in range(_TRIES):
        for genes in draw(count):
            name = identity(genes)
            if name not in seen:
                seen.add(name)
                found.append(genes)
                if len(found) == count:
                    return found, True
    return found, False


def _winners(rank: Ints, room: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Return the better one of random pairs: of lower rank, or of equal rank with more room."""
    first, second = rng.integers(0, len(rank), size=(2, count))
    second_wins = (rank[second] < rank[first]) | (
        (rank[second] == rank[first]) & (room[second] > room[first])
    )
    found: Ints = np.where(second_wins, second, first)
    return found


def _crossed(mother: Floats, father: Floats, is_choice: Bools, rng: np.random.Generator) -> Floats:
    drawn = rng.random(mother.shape)
    power = 1 / (_NEAR_PARENTS + 1)
    spread = np.where(drawn <= 0.5, (2 * drawn) ** power, (1 / (2 * (1 - drawn))) ** power)
    child = 0.5 * ((1 + spread) * mother + (1 - spread) * father)
    child = np.where(rng.random(mother.shape) < 0.5, child, mother)
    either = np.where(rng.random(mother.shape) < 0.5, mother, father)
    found: Floats = np.clip(np.where(is_choice, either, child), 0.0, _BELOW_ONE)
    return found


def _mutated(genes: Floats, is_choice: Bools, rng: np.random.Generator) -> Floats:
    drawn = rng.random(genes.shape)
    power = 1 / (_NEAR_OWN + 1)
    step = np.where(drawn < 0.5, (2 * drawn) ** power - 1, 1 - (2 * (1 - drawn)) ** power)
    moved = np.where(is_choice, rng.random(genes.shape), genes + step)
    is_mutated = rng.random(genes.shape) < 1 / genes.shape[1]
    found: Floats = np.clip(np.where(is_mutated, moved, genes), 0.0, _BELOW_ONE)
    return found
