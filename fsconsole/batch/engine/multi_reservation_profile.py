"""Free nodes from now on as steps: running jobs release nodes, and reservations take them."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.running import COUNT, FREE, Running, earliest
from fsconsole.batch.engine.waiting_tree import ENDLESS
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled


class Profile(NamedTuple):
    """Steps in time; the first begins now, and the last has no end.

    Attributes:
        at_s: start of each step, ascending; the first `mark[0]` are valid.
        free: free nodes from each step on.
        mark: number of steps, [1].
    """

    at_s: Ints
    free: Ints
    mark: Ints


def profile_for(running: int, reservations: int) -> Profile:
    """Return an empty profile with room for running jobs, as many starts in a pass, and reservations."""
    at_s, free = np.zeros((2, 2 * (running + reservations) + 4), dtype=np.int64)
    return Profile(at_s, free, np.zeros(1, dtype=np.int64))


@compiled
def draw(profile: Profile, running: Running, now: int) -> None:
    """Set the profile to the nodes that are free if no further job starts."""
    profile.at_s[0], profile.free[0] = now, running.mark[FREE]
    last = 0
    for at in range(running.mark[COUNT] - 1, -1, -1):
        free = profile.free[last] + running.nodes[at]
        if running.end_s[at] > profile.at_s[last]:
            last += 1
            profile.at_s[last] = running.end_s[at]
        profile.free[last] = free
    profile.mark[0] = last + 1


@compiled
def draw_first(
    profile: Profile, running: Running, now: int, nodes: int, runtime_s: int, is_only: bool
) -> int:
    """Set the profile beside the first reservation, of a job that does not fit now; return its start."""
    start, extra = earliest(running, nodes)
    if is_only:
        _draw_two(profile, now, running.mark[FREE], start, extra)
    else:
        draw(profile, running, now)
        take(profile, start, start + runtime_s, nodes)
    return start


@compiled
def _draw_two(profile: Profile, now: int, free: int, start: int, extra: int) -> None:
    """Set the profile to the free nodes now, and beside the only reservation from its start on.

    Before that start and after the reservation at least as many nodes are free, so two steps show what fits
    now.
    """
    profile.at_s[0], profile.free[0] = now, free
    profile.at_s[1], profile.free[1] = start, extra
    profile.mark[0] = 2


@compiled
def take_before(profile: Profile, end: int, nodes: int) -> None:
    """Take nodes from now until `end` without adding a step.

    Between two steps at least as many nodes are free as at the first of them, so the same jobs fit now.
    """
    for at in range(profile.mark[0]):
        if profile.at_s[at] < end:
            profile.free[at] -= nodes


@compiled
def take_now(profile: Profile, now: int, nodes: int, runtime_s: int, is_only: bool) -> None:
    """Take nodes from now on for a runtime; `is_only` marks a profile with a single reservation."""
    if is_only:
        take_before(profile, now + runtime_s, nodes)
    else:
        take(profile, now, now + runtime_s, nodes)


@compiled
def take(profile: Profile, begin: int, end: int, nodes: int) -> None:
    """Take nodes from `begin` until `end`."""
    first = _step_at(profile, begin)
    for at in range(first, _step_at(profile, end)):
        profile.free[at] -= nodes


@compiled
def _step_at(profile: Profile, moment: int) -> int:
    """Return the step that begins at a moment not before now; add the step if it is missing."""
    steps = profile.mark[0]
    at = steps
    while profile.at_s[at - 1] > moment:
        at -= 1
    if profile.at_s[at - 1] == moment:
        return at - 1
    for later in range(steps, at, -1):
        profile.at_s[later], profile.free[later] = profile.at_s[later - 1], profile.free[later - 1]
    profile.at_s[at], profile.free[at] = moment, profile.free[at - 1]
    profile.mark[0] = steps + 1
    return at


@compiled
def earliest_fit(profile: Profile, nodes: int, runtime_s: int) -> int:
    """Return the first moment from which enough nodes are free for a runtime."""
    since = -1
    for at in range(profile.mark[0]):
        if since >= 0 and profile.at_s[at] >= profile.at_s[since] + runtime_s:
            break
        if profile.free[at] < nodes:
            since = -1
        elif since < 0:
            since = at
    return profile.at_s[since]


@compiled
def fits_now(profile: Profile, nodes: int, runtime_s: int) -> bool:
    """Return True if enough nodes are free from now on for a runtime."""
    end = profile.at_s[0] + runtime_s
    for at in range(profile.mark[0]):
        if profile.at_s[at] >= end:
            return True
        if profile.free[at] < nodes:
            return False
    return True


@compiled
def make_stairs(profile: Profile, stairs: Ints) -> int:
    """Write the seconds from now at which fewer nodes are free, and how many; return the number of steps.

    A job fits from now on exactly if it fits below these stairs. Nodes that are free again later do not help
    it.
    """
    stairs[0, 0], stairs[1, 0] = 0, profile.free[0]
    steps = 1
    for at in range(1, profile.mark[0]):
        if profile.free[at] < stairs[1, steps - 1]:
            stairs[0, steps], stairs[1, steps] = profile.at_s[at] - profile.at_s[0], profile.free[at]
            steps += 1
    return steps


@compiled
def first_drop(profile: Profile) -> tuple[int, int]:
    """Return in how many seconds fewer nodes are free, and how many; `ENDLESS - 1` if that never happens."""
    for at in range(1, profile.mark[0]):
        if profile.free[at] < profile.free[0]:
            return profile.at_s[at] - profile.at_s[0], profile.free[at]
    return ENDLESS - 1, profile.free[0]
