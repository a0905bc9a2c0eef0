"""How the unified resource manager (URM) ranks the jobs that wait.

Weights for usage, age, queue priority and size are those that NAVOCEANO names (Everitt, Jones, Knesel); how
each term is made a number between 0 and 1 is our reconstruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.policies.registry import policy_named
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.job_spec import UrmSpec

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

_SMALLEST_SHARE = 1e-9


@dataclass(frozen=True, slots=True)
class Waiting:
    """What ranking looks at of a job that waits.

    Attributes:
        age_s: time in the queue.
        share_rank: whom the policy favours has the smallest (`share_ranks`).
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
    """The jobs, the highest score first, then the older one, then the lower request number.

    age: time in the queue / the oldest job's. usage: smallest share rank of all who wait / that of the job,
    as the memory scheduler makes share priorities relative (Brady et al. 3.1.3). service: the queue's
    priority / the highest. size: 1 - memory / the largest.
    """
    if not jobs:
        return []
    oldest, highest = max(job.age_s for job in jobs), max(job.priority for job in jobs)
    largest, best = max(job.memory_mw for job in jobs), min(job.share_rank for job in jobs)
    found = []
    for job in jobs:
        age = urm.age_wt * _part(job.age_s, oldest)
        usage = urm.usage_wt * _part(best, job.share_rank)
        service = urm.service_wt * _part(job.priority, highest)
        size = urm.size_wt * (1 - _part(job.memory_mw, largest, nothing=0.0))
        score = age + usage + service + size
        found.append((Ranked(job.request, score, age, usage, service, size), job.age_s))
    found.sort(key=lambda pair: (-pair[0].score, -pair[1], pair[0].request))
    return [ranked for ranked, _ in found]


def _part(value: float, whole: float, nothing: float = 1.0) -> float:
    return min(1.0, max(0.0, value / whole)) if whole > 0 else nothing


def share_ranks(machine: Machine) -> Floats:
    """Whom the policy would favour if all had work: a rank for each row of the tree, small first.

    Low usage relative to the entitlement goes first (Everitt, Jones, Knesel 3.3): usage / machine share,
    which is level once all have used what they are entitled to. usage / share^2, which the Share policy
    adds to priorities, would be level where usages are as the squares of shares. 1 / machine share under
    policies that look at no usage.
    """
    share = np.maximum(machine.flat.machine_share(), _SMALLEST_SHARE)
    return policy_named(machine.policy_spec.name).queue_ranks(machine.state.usage, share)
