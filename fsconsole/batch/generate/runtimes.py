"""Runtimes with given node-hours for each user, and with a given total."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fsconsole.batch.job_table import Floats, Ints

_FAR = 80.0
_HALVINGS = 45
_TILTS = 26
_MOST_TILT = 12.0


@dataclass(frozen=True, eq=False, slots=True)
class Boxes:
    """Jobs with limits for their runtimes.

    Attributes:
        user, nodes: owner and size of each job, int64 [jobs].
        least_s, most_s: limits of its runtime, float64 [jobs].
        place: random place between the limits, a logit of the logarithm's way from least to most, float64
            [jobs].
        user_node_s: wanted node-seconds of each user's jobs, float64 [users].
    """

    user: Ints
    nodes: Ints
    least_s: Floats
    most_s: Floats
    place: Floats
    user_node_s: Floats

    def user_sums(self, runtime_s: Floats) -> Floats:
        """Return node-seconds of each user, float64 [users].

        Args:
            runtime_s: runtime of each job in s, float64 [jobs].
        """
        sums: Floats = np.bincount(self.user, self.nodes * runtime_s, len(self.user_node_s)).astype(
            np.float64
        )
        return sums


def fitted(boxes: Boxes, tilt: float = 0.0) -> Floats:
    """Return runtimes in s, [jobs], that give each user the wanted node-seconds, within the limits.

    All jobs of a user move within their limits by the same step of the logit; `tilt` above 0 makes a user's
    small jobs longer and the large ones shorter beforehand.
    """
    place = boxes.place - tilt * _own_size(boxes)
    low, high = np.full(len(boxes.user_node_s), -_FAR), np.full(len(boxes.user_node_s), _FAR)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        over = boxes.user_sums(_at(boxes, place + middle[boxes.user])) > boxes.user_node_s
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return _at(boxes, place + ((low + high) / 2)[boxes.user])


def fitted_to(boxes: Boxes, total_s: float) -> Floats:
    """Return runtimes in s, [jobs], with a given total as well, as near as the tilt allows."""
    low, high = -_MOST_TILT, _MOST_TILT
    for _ in range(_TILTS):
        tilt = (low + high) / 2
        low, high = (low, tilt) if fitted(boxes, tilt).sum() > total_s else (tilt, high)
    return fitted(boxes, (low + high) / 2)


def _own_size(boxes: Boxes) -> Floats:
    """Return the size of each job relative to its owner's mean, by logarithms."""
    size = np.log2(boxes.nodes)
    count = np.maximum(np.bincount(boxes.user, minlength=len(boxes.user_node_s)), 1)
    mean = np.bincount(boxes.user, size, len(boxes.user_node_s)) / count
    own: Floats = size - mean[boxes.user]
    return own


def _at(boxes: Boxes, place: Floats) -> Floats:
    way = 1 / (1 + np.exp(-np.clip(place, -_FAR, _FAR)))
    runtime_s: Floats = boxes.least_s * (boxes.most_s / boxes.least_s) ** way
    return runtime_s


_MARGIN = 1.05  # Sums within the limits keep this margin, so that rounding cannot miss the target.
_MOST = 3000
_TRIED = 4


@dataclass(slots=True)
class _Reach:
    """Possible sums of users' jobs: least and most of each job [jobs] and of each user [users]."""

    user: Ints
    wanted: Floats
    least: Floats
    most: Floats
    user_least: Floats
    user_most: Floats

    def lacking(self, users: Ints, least: Floats, most: Floats) -> Floats:
        """Return the factor, as a logarithm, by which users with such sums would miss the target, [users]."""
        wanted = np.maximum(self.wanted[users], 1e-9)
        over = np.log(np.maximum(least, 1e-9) * _MARGIN / wanted)
        under = np.log(wanted * _MARGIN / np.maximum(most, 1e-9))
        missed: Floats = np.maximum(over, 0) + np.maximum(under, 0)
        return missed

    def is_lacking(self, user: int) -> bool:
        """Return True if a user's jobs cannot reach the wanted sum."""
        one = np.array([user])
        return bool(self.lacking(one, self.user_least[one], self.user_most[one])[0] > 0)

    def gains(self, row: int) -> Floats:
        """Return the reduction of the miss if a job changed places with each other one, float64 [jobs]."""
        mine, theirs = np.full(len(self.user), self.user[row]), self.user
        less, more = self.least - self.least[row], self.most - self.most[row]
        before = self.lacking(mine, self.user_least[mine], self.user_most[mine])
        before = before + self.lacking(theirs, self.user_least[theirs], self.user_most[theirs])
        after = self.lacking(mine, self.user_least[mine] + less, self.user_most[mine] + more)
        after = after + self.lacking(theirs, self.user_least[theirs] - less, self.user_most[theirs] - more)
        gained: Floats = np.where(theirs == mine, 0.0, before - after)
        return gained

    def swap(self, row: int, other: int) -> None:
        """Exchange the places of two jobs."""
        for values, sums in ((self.least, self.user_least), (self.most, self.user_most)):
            change = values[other] - values[row]
            sums[self.user[row]] += change
            sums[self.user[other]] -= change
            values[[row, other]] = values[[other, row]]


def exchanged(boxes: Boxes) -> Boxes:
    """Exchange jobs that prevent their owners from reaching the wanted node-seconds."""
    least, most = boxes.nodes * boxes.least_s, boxes.nodes * boxes.most_s
    sums = boxes.user_sums(boxes.least_s), boxes.user_sums(boxes.most_s)
    reach = _Reach(boxes.user, boxes.user_node_s, least.copy(), most.copy(), *sums)
    body = np.arange(len(least))
    owning = np.flatnonzero(np.bincount(boxes.user, minlength=len(boxes.user_node_s)))
    stuck: set[int] = set()
    for _ in range(_MOST):
        lacking = reach.lacking(owning, reach.user_least[owning], reach.user_most[owning])
        in_need = [user for user in owning[np.argsort(-lacking)].tolist() if user not in stuck]
        worst = in_need[0] if in_need else -1
        if worst < 0 or not reach.is_lacking(worst):
            break
        pair = _best_swap(reach, worst)
        if pair is None:
            stuck.add(worst)
            continue
        reach.swap(*pair)
        body[list(pair)] = body[list(pair[::-1])]
    return replace(
        boxes,
        nodes=boxes.nodes[body],
        least_s=boxes.least_s[body],
        most_s=boxes.most_s[body],
        place=boxes.place[body],
    )


def _best_swap(reach: _Reach, user: int) -> tuple[int, int] | None:
    """Return the best exchange of a user's most obstructive jobs; None if none helps."""
    own = np.flatnonzero(reach.user == user)
    is_over = reach.user_least[user] * _MARGIN > reach.wanted[user]
    order = own[np.argsort(-reach.least[own] if is_over else reach.most[own], kind="stable")]
    for row in order[:_TRIED].tolist():
        gains = reach.gains(row)
        other = int(np.argmax(gains))
        if gains[other] > 1e-9:
            return row, other
    return None
