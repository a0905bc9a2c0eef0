"""KAI's division: first the quotas that queues deserve, then the rest by weight, round by round.

In each group a queue gets what it deserves, up to its request. What is left goes to queues that want more,
highest priority first, by overQuotaWeight in whole units, in rounds as long as one has asked for less than
its part. What rounding down has left goes a unit at a time to the largest remainders. What a queue gets is
divided among the queues below it in the same way. All by request and limit of the GPU.

Source: KAI-Scheduler, docs/fairness; pkg/scheduler/plugins/proportion/resource_division/
resource_division.go (setResourceShare) and proportion.go (setFairShareForQueues), without usage over time
(kValue 0). Ours: of two queues with equal remainders, created at the same time, the first in the tree comes
first. Where queues deserve more than there is, KAI's fair shares exceed the machine: they are scaled to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule, leaves_summed
from fsconsole.text.numbers import percent

_UNLIMITED = -1.0
_DEFAULT_PRIORITY = 100
# A sum that should be 0 has a rounding error up to this, in units.
_NOTHING = 1e-9


@dataclass(slots=True)
class Queue:
    """One queue of a division, all amounts in units.

    Attributes:
        request: what it asks for.
        deserved, limit: quota and limit; -1 for all there is.
        weight: overQuotaWeight.
        priority: the highest is served first with what is over quota.
        fair_share: what it gets.
    """

    request: float
    deserved: float = 0.0
    weight: float = 1.0
    limit: float = _UNLIMITED
    priority: int = _DEFAULT_PRIORITY
    fair_share: float = 0.0

    @property
    def requestable(self) -> float:
        """Amount that it requests within its limit."""
        return self.request if self.limit == _UNLIMITED else min(self.limit, self.request)

    @property
    def missing(self) -> float:
        """Amount that it requests beyond its own."""
        return max(self.requestable - self.fair_share, 0.0)


def divide_among(total: float, queues: Sequence[Queue]) -> float:
    """Set the fair shares of siblings; return the rest of the total."""
    left = total
    for queue in queues:
        deserved = total if queue.deserved == _UNLIMITED else queue.deserved
        queue.fair_share = min(deserved, queue.requestable)
        left -= queue.fair_share
    if left <= 0:
        return 0.0
    priorities = sorted({queue.priority for queue in queues}, reverse=True)
    remainders: list[dict[int, float]] = []
    by_priority = [[queue for queue in queues if queue.priority == one] for one in priorities]
    for same in by_priority:
        left, found = _by_weight(left, same)
        remainders.append(found)
    for same, found in zip(by_priority, remainders, strict=True):
        for at in sorted(found, key=lambda at: (-found[at], at)):
            if left <= 0:
                return 0.0
            given = min(1.0, left)
            same[at].fair_share += given
            left -= given
    return left


def _by_weight(left: float, queues: Sequence[Queue]) -> tuple[float, dict[int, float]]:
    """Give by weight in rounds; return the rest, and the amount that rounding down kept from each queue."""
    remainders: dict[int, float] = {}
    again = True
    while again and left > _NOTHING:
        again = False
        in_round = left
        asking = [(at, queue) for at, queue in enumerate(queues) if queue.missing > 0]
        weights = sum(queue.weight for _, queue in asking)
        if weights == 0:
            break
        for at, queue in asking:
            part = in_round * queue.weight / weights
            if part == 0:
                continue
            wanted = queue.missing
            if wanted <= part:
                given = wanted
                remainders.pop(at, None)
            else:
                given = float(math.floor(part + _NOTHING))
                if part - given > _NOTHING:
                    remainders[at] = part - given
            queue.fair_share += given
            left -= given
            again = again or (given > 0 and wanted < part)
    return max(left, 0.0), remainders


def _number(text: str, default: float) -> float:
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) and number >= 0 else _UNLIMITED
    return default


def _unset_limit(asked: Asked, row: int) -> float:
    """Return the limit of a queue that sets none: 0 for KAI itself; other dialects have no limits."""
    return 0.0 if asked.foreign(row, "kai.manifest") else _UNLIMITED


def divide(asked: Asked) -> Division:
    """Divide GPUs, or units of a machine without any, among the queues of the tree."""
    flat, children = asked.flat, asked.children()
    total, notes = _size(asked, children)
    queues = [
        Queue(
            request=0.0,
            deserved=_number(asked.foreign(row, "kai.quota gpu"), 0.0),
            weight=float(flat.shares[row]),
            limit=_number(asked.foreign(row, "kai.limit gpu"), _unset_limit(asked, row)),
            priority=int(_number(asked.foreign(row, "kai.priority"), _DEFAULT_PRIORITY)),
        )
        for row in range(len(flat))
    ]
    _ask(asked, queues, total)
    queues[0].fair_share = total
    for row, below in enumerate(children):
        if below:
            divide_among(queues[row].fair_share, [queues[child] for child in below])
    given = np.array([queue.fair_share for queue in queues])
    parts = leaves_summed(flat, given / total)
    if parts[0] > 1 + _NOTHING:
        notes.append(
            f"The queues' deserved shares are {percent(float(parts[0]))} of the machine, scaled to 100 "
            "% (ours)."
        )
        parts /= parts[0]
    why = {row: _why(queues[row], total, float(asked.wanted[row])) for row in range(1, len(flat))}
    return Division(parts, why, tuple(notes))


def _ask(asked: Asked, queues: list[Queue], total: float) -> None:
    """Set the requests: leaves as their demands, groups the sum of those below them, as KAI adds it up."""
    above = asked.flat.parent.tolist()
    for row in range(len(queues) - 1, 0, -1):
        most = round(float(asked.wanted[row]) * total, 6)
        queues[row].request = most if asked.flat.is_leaf[row] else min(queues[row].request, most)
        queues[above[row]].request += queues[row].request


def _size(asked: Asked, children: Sequence[Sequence[int]]) -> tuple[float, list[str]]:
    if asked.size is not None:
        return float(asked.size), [f"The machine has {asked.size} GPUs, as given."]
    deserved = [0.0] * len(children)
    for row in range(len(children) - 1, -1, -1):
        quota = _number(asked.foreign(row, "kai.quota gpu"), 0.0) if row else 0.0
        deserved[row] = quota if quota > 0 else sum(deserved[child] for child in children[row])
    if deserved[0] > 0:
        own = all(_number(asked.foreign(row, "kai.quota gpu"), 0.0) > 0 for row in children[0])
        whose = "the top queues' quotas" if own else "the topmost quotas above 0 of all branches"
        return deserved[0], [f"The machine has {deserved[0]:g} GPUs, the sum of {whose} (ours)."]
    note = f"No queue has a GPU quota, so all is over quota, in {asked.units} whole units (ours)."
    return float(asked.units), [note]


def _why(queue: Queue, total: float, wanted: float) -> str:
    if wanted == 0:
        return "no request"
    deserved = min(total if queue.deserved == _UNLIMITED else queue.deserved, queue.requestable)
    over = max(queue.fair_share - deserved, 0.0)
    text = f"deserved {percent(deserved / total)}, over quota {percent(over / total)}"
    if queue.limit != _UNLIMITED and queue.fair_share >= queue.limit - _NOTHING:
        return f"{text}, at its limit"
    return text


RULE = Rule(
    "kai",
    "KAI",
    divide,
    "KAI-Scheduler, docs/fairness; resource_division.go",
    "GPU only, usage over time off (kValue 0). Equal remainders go to the first queue in the tree.",
)
