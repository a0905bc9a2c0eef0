"""Waiting jobs of which the one with the largest slowdown is known at all times: a kinetic tournament.

The slowdown of a job, (wait + T)/T, rises in a straight line, the shorter the job the steeper. Jobs have
places at the leaves of a binary tree; each node keeps the winner of the two below it, and until when all
winners below it are certain to stay the same. As time goes on, only nodes are looked at where that is over.
Slowdowns are compared as fractions, in whole numbers, so that equal ones are equal; then the job that came
first wins.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.waiting_tree import ENDLESS
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

NOBODY = -1
_LEVEL, _USED, _SPARE, _WAITING = range(4)
_LEAST_LEVEL = 4


class Tournament(NamedTuple):
    """Waiting jobs by places, which are used again.

    Node 1 is on top of all places, nodes 2n and 2n + 1 are below node n, the places are the last nodes.

    Attributes:
        winner: the place that wins at each node, -1 where nobody waits; [2 * places].
        until_s: the first second at which somebody else may win somewhere below, [2 * places].
        row: which job waits at each place, [places].
        since_s: when its slowdown would have been 0: submit time less runtime, [places].
        divisor_s: what its slowdown is divided by: its runtime, or the bound; [places].
        spare: places that were given back, [places].
        state: the level above the places of the node that is on top of all that were used; how many were
            used, how many of those are spare, how many jobs wait; [4].
    """

    winner: Ints
    until_s: Ints
    row: Ints
    since_s: Ints
    divisor_s: Ints
    spare: Ints
    state: Ints


def tournament(jobs: int) -> Tournament:
    """A tournament that has room for so many jobs; nobody waits."""
    places = max(jobs, 1 << _LEAST_LEVEL)
    nodes = 2 << (places - 1).bit_length()
    winner, until_s = (np.empty(nodes, dtype=np.int64) for _ in range(2))
    row, since_s, divisor_s, spare = (np.empty(places, dtype=np.int64) for _ in range(4))
    state = np.array([0, 0, 0, 0], dtype=np.int64)
    winner[nodes // 2] = NOBODY
    until_s[nodes // 2] = ENDLESS
    return Tournament(winner, until_s, row, since_s, divisor_s, spare, state)


@compiled
def waiting(known: Tournament) -> int:
    """How many jobs wait."""
    return known.state[_WAITING]


@compiled
def places_used(known: Tournament) -> int:
    """Behind which place nobody waits."""
    return known.state[_USED]


@compiled
def foremost(known: Tournament) -> int:
    """The place that wins, -1 where nobody waits; as it was at the last `advance`, insertion or removal."""
    return known.winner[_top(known)]


@compiled
def foremost_among(known: Tournament, place: int, level: int) -> int:
    """The place that wins among the 2**level that begin at a multiple of that; -1 where nobody waits."""
    return known.winner[(len(known.winner) // 2 + place) >> level]


@compiled
def is_before(known: Tournament, one: int, other: int, now: int) -> bool:
    """Whether the job at one place goes before that at another."""
    ones = (now - known.since_s[one]) * known.divisor_s[other]
    others = (now - known.since_s[other]) * known.divisor_s[one]
    return ones > others or (ones == others and known.row[one] < known.row[other])


@compiled
def enter(known: Tournament, row: int, since_s: int, divisor_s: int, now: int) -> int:
    """A job waits: its place."""
    place = _new_place(known, now)
    known.row[place], known.since_s[place], known.divisor_s[place] = row, since_s, divisor_s
    _set_leaf(known, place, place, now)
    known.state[_WAITING] += 1
    return place


@compiled
def leave(known: Tournament, place: int, now: int) -> None:
    """The job at a place waits no longer."""
    _set_leaf(known, place, NOBODY, now)
    state = known.state
    known.spare[state[_SPARE]] = place
    state[_SPARE] += 1
    state[_WAITING] -= 1
    if state[_WAITING] == 0:
        state[_SPARE] = state[_USED] = state[_LEVEL] = 0


@compiled
def advance(known: Tournament, now: int) -> None:
    """Make all winners those of now."""
    top = node = _top(known)
    while known.until_s[top] <= now:
        if known.until_s[2 * node] <= now:
            node = 2 * node
        elif known.until_s[2 * node + 1] <= now:
            node = 2 * node + 1
        else:
            _play(known, node, now)
            node = max(node >> 1, top)


@compiled
def _top(known: Tournament) -> int:
    return len(known.winner) // 2 >> known.state[_LEVEL]


@compiled
def _new_place(known: Tournament, now: int) -> int:
    state = known.state
    if state[_SPARE] > 0:
        state[_SPARE] -= 1
        return known.spare[state[_SPARE]]
    if state[_USED] == 1 << state[_LEVEL]:
        _grow(known, now)
    state[_USED] += 1
    return state[_USED] - 1


@compiled
def _grow(known: Tournament, now: int) -> None:
    """As many places again, which nobody has."""
    begin = _top(known) + 1
    end = begin + 1
    while begin < len(known.winner):
        known.winner[begin:end] = NOBODY
        known.until_s[begin:end] = ENDLESS
        begin, end = 2 * begin, 2 * end
    known.state[_LEVEL] += 1
    _play(known, _top(known), now)


@compiled
def _set_leaf(known: Tournament, place: int, winner: int, now: int) -> None:
    """Play again up to the top, or to where nothing is new."""
    node, top = len(known.winner) // 2 + place, _top(known)
    known.winner[node] = winner
    known.until_s[node] = ENDLESS
    while node > top:
        node >>= 1
        if not _play(known, node, now):
            return


@compiled
def _play(known: Tournament, node: int, now: int) -> bool:
    """Who wins at a node, and until when that holds: whether either is new."""
    one, other = known.winner[2 * node], known.winner[2 * node + 1]
    until_s = min(known.until_s[2 * node], known.until_s[2 * node + 1])
    if one < 0 or other < 0:
        one = max(one, other)
    else:
        if is_before(known, other, one, now):
            one, other = other, one
        until_s = min(until_s, _overtaken(known, one, other))
    is_new = known.winner[node] != one or known.until_s[node] != until_s
    known.winner[node], known.until_s[node] = one, until_s
    return is_new


@compiled
def _overtaken(known: Tournament, one: int, other: int) -> int:
    """From which second on the other job goes before one that goes before it now."""
    steeper = known.divisor_s[one] - known.divisor_s[other]
    if steeper <= 0:
        return ENDLESS
    behind = known.since_s[other] * known.divisor_s[one] - known.since_s[one] * known.divisor_s[other]
    ties = known.row[other] < known.row[one]
    return (behind + steeper - (1 if ties else 0)) // steeper
