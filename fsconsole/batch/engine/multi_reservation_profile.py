"""How many nodes are free from now on, as steps: what runs gives nodes back, what is reserved takes them."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.running import COUNT, FREE, Running, earliest
from fsconsole.batch.engine.waiting_tree import ENDLESS
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled


class Profile(NamedTuple):
    """Steps in time; the first one is now, the last one lasts.

    Attributes:
        at_s: when each step begins, rising; the first `mark[0]` hold good.
        free: how many nodes are free from then on.
        mark: how many steps there are, [1].
    """

    at_s: Ints
    free: Ints
    mark: Ints


def profile_for(running: int, reservations: int) -> Profile:
    """Room for so many running jobs, as many that start in a pass, and reservations."""
    at_s, free = np.zeros((2, 2 * (running + reservations) + 4), dtype=np.int64)
    return Profile(at_s, free, np.zeros(1, dtype=np.int64))


@compiled
def draw(profile: Profile, running: Running, now: int) -> None:
    """Draw what is free if nothing starts any more."""
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
    """Draw what is free beside the first reservation, for a job that does not fit now; return its start."""
    start, extra = earliest(running, nodes)
    if is_only:
        _draw_two(profile, now, running.mark[FREE], start, extra)
    else:
        draw(profile, running, now)
        take(profile, start, start + runtime_s, nodes)
    return start


@compiled
def _draw_two(profile: Profile, now: int, free: int, start: int, extra: int) -> None:
    """Draw what is free now and, beside the only reservation, from its start on.

    Before the start, and behind it, no fewer are free than that: this is enough to see what fits now.
    """
    profile.at_s[0], profile.free[0] = now, free
    profile.at_s[1], profile.free[1] = start, extra
    profile.mark[0] = 2


@compiled
def take_before(profile: Profile, end: int, nodes: int) -> None:
    """Nodes are not free from now until a moment; no step is added for it.

    Between two steps as many are free as at the first of them, or more, so that what fits now is the same.
    """
    for at in range(profile.mark[0]):
        if profile.at_s[at] < end:
            profile.free[at] -= nodes


@compiled
def take_now(profile: Profile, now: int, nodes: int, runtime_s: int, is_only: bool) -> None:
    """Nodes are not free from now on for as long as a job runs; whether there is but one reservation."""
    if is_only:
        take_before(profile, now + runtime_s, nodes)
    else:
        take(profile, now, now + runtime_s, nodes)


@compiled
def take(profile: Profile, begin: int, end: int, nodes: int) -> None:
    """Nodes are not free from a moment until another one."""
    first = _step_at(profile, begin)
    for at in range(first, _step_at(profile, end)):
        profile.free[at] -= nodes


@compiled
def _step_at(profile: Profile, moment: int) -> int:
    """Return the step that begins at a moment not before now; there is one afterwards."""
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
    """Return the first moment from which so many nodes are free for so long."""
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
    """Return whether so many nodes are free from now on for so long."""
    end = profile.at_s[0] + runtime_s
    for at in range(profile.mark[0]):
        if profile.at_s[at] >= end:
            return True
        if profile.free[at] < nodes:
            return False
    return True


@compiled
def make_stairs(profile: Profile, stairs: Ints) -> int:
    """Seconds from now at which fewer nodes are free than before, and how many; return how many steps.

    A job fits from now on exactly where it fits below these: nodes that are free again later do not help it.
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
    """In how many seconds fewer nodes are free than now, and how many; endlessly far away if never."""
    for at in range(1, profile.mark[0]):
        if profile.free[at] < profile.free[0]:
            return profile.at_s[at] - profile.at_s[0], profile.free[at]
    return ENDLESS - 1, profile.free[0]
