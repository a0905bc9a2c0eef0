"""Ranking of waiting jobs by the unified resource manager (URM).

Weights for usage, age, queue priority and size are those of NAVOCEANO (Everitt, Jones, Knesel); scaling each
term to 0 .. 1 is our reconstruction, and so is the size term of URM's preferred job size (section 1.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fsconsole.policies.registry import policy_named
from fsconsole.shares.flat import Floats, Ints
from fsconsole.shares.scenario.job_spec import UrmSpec

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

_SMALLEST_SHARE = 1e-9


class Waiting(NamedTuple):
    """The data of a waiting job for its ranking.

    Attributes:
        age_s: time in the queue.
        share_rank: rank in the policy's favour, small first (`share_ranks`).
        priority: the queue's.
    """

    request: int
    age_s: float
    share_rank: float
    priority: float
    memory_mw: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A job's score and its terms, weights included: score = age + usage + service + size."""

    request: int
    score: float
    age: float
    usage: float
    service: float
    size: float


def ranking(urm: UrmSpec, jobs: Sequence[Waiting]) -> list[Ranked]:
    """Return the jobs in their order, with their terms."""
    request, order, terms = _ranked(urm, jobs)
    columns = (column[order].tolist() for column in (request, sum(terms[1:], terms[0]), *terms))
    return [Ranked(*row) for row in zip(*columns, strict=True)]


def requests_in_order(urm: UrmSpec, jobs: Sequence[Waiting]) -> list[int]:
    """Return the requests of jobs in their order."""
    request, order, _ = _ranked(urm, jobs)
    requests: list[int] = request[order].tolist()
    return requests


def _ranked(urm: UrmSpec, jobs: Sequence[Waiting]) -> tuple[Ints, Ints, list[Floats]]:
    """Return requests, their order and their terms.

    The highest score is first, then the oldest job, then the lowest request. age: time in the queue / the
    oldest job's. usage: smallest share rank of all waiting jobs / that of the job, as the memory scheduler
    makes share priorities relative (Brady et al. 3.1.3). service: the queue's priority / the highest. size:
    see `_size_term`.
    """
    request = np.fromiter((job.request for job in jobs), np.int64, len(jobs))
    numbers = np.array([job[1:] for job in jobs], dtype=np.float64).reshape(-1, 4)
    age_s, share_rank, priority, memory_mw = numbers.T
    best = share_rank.min(initial=np.inf)
    usage = np.divide(best, share_rank, out=np.ones(len(jobs)), where=share_rank > 0)
    terms = [
        urm.age_wt * _parts(age_s),
        urm.usage_wt * np.clip(usage, 0.0, 1.0),
        urm.service_wt * _parts(priority),
        urm.size_wt * _size_term(urm, memory_mw),
    ]
    order = np.lexsort((request, -age_s, -sum(terms[1:], terms[0])))
    return request, order, terms


def _size_term(urm: UrmSpec, memory_mw: Floats) -> Floats:
    """Return the size term of each job, 0 .. 1, float64 [jobs]: 1 if its memory suits URM best.

    Without a preferred size: 1 - memory / the largest. With one: 1 inside, memory / the lower limit below it,
    the upper limit / memory above it. So a job of twice the upper limit has half the term, in inverse
    proportion to its memory.

    Source: Everitt, Jones and Knesel, section 1.5, which has the inverse proportion and a preferred size, but
    neither its limits nor a formula.
    """
    if not urm.prefers_a_size:
        return 1 - _parts(memory_mw, nothing=0.0)
    low, high = urm.preferred_from_mw, urm.preferred_to_mw or np.inf
    term = np.ones(len(memory_mw))
    np.divide(memory_mw, low, out=term, where=memory_mw < low)
    np.divide(high, memory_mw, out=term, where=memory_mw > high)
    return term


def _parts(values: Floats, nothing: float = 1.0) -> Floats:
    """Return values divided by the largest one, float64 [jobs]; `nothing` if that is not above 0."""
    most = values.max(initial=0.0)
    return np.clip(values / most, 0.0, 1.0) if most > 0 else np.full(len(values), nothing)


def share_ranks(machine: Machine) -> Floats:
    """Return the policy's order of preference if all had work, a rank for each row, [rows], small first.

    Low usage relative to the entitlement goes first: usage / machine share, which is equal once all have used
    their entitlement. usage / share^2, which the Share policy adds to priorities, would be equal where usages
    are as the squares of shares. Policies without usage give 1 / machine share.

    Source: Everitt, Jones and Knesel, section 3.3.
    """
    share = np.maximum(machine.flat.machine_share(), _SMALLEST_SHARE)
    return policy_named(machine.policy_spec.name).queue_ranks(machine.state.usage, share)
