"""Entitled nodes from one event to the next, compiled.

At a moment there is a level: users who request more nodes per share than it are entitled to level x share,
all others to what they request (rule 7 of the batch rules; that capped users settle in rounds comes to the
same). Users are kept in the order of what they request per share, so that those above the level stand at the
end, and its height needs only them.
"""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.policies.compiled import compiled, entry


@entry
def integrate(
    at_s: Ints, user: Ints, change: Ints, edges_s: Ints, cluster_nodes: int, shares: Floats, entitled: Floats
) -> None:
    """Add the node-seconds that users are entitled to.

    Args:
        at_s: when requests change, rising, [events].
        user: whose, [events].
        change: by how many nodes, [events]; nobody's sum ever falls below 0.
        edges_s: where the bins of time begin, and where the last one ends, rising, [bins + 1].
        cluster_nodes: nodes of the machine.
        shares: shares of each user, above 0, [users].
        entitled: what is added to, [bins, users].
    """
    requested = np.zeros(len(shares), np.int64)
    line = np.zeros(len(shares), np.int64)  # users who request anything, by requested / shares
    place = np.full(len(shares), -1, np.int64)  # the place of each user in the line
    active, total, now, bin_ = 0, 0, edges_s[0], 0
    for event in range(len(at_s)):
        at = at_s[event]
        if at > now and bin_ < len(edges_s) - 1:
            first, level = _level(line, active, requested, shares, total, cluster_nodes)
            bin_ = _pass(now, at, edges_s, bin_, line, active, first, level, requested, shares, entitled)
            now = at
        who = user[event]
        requested[who] += change[event]
        total += change[event]
        if place[who] < 0:
            line[active], place[who] = who, active
            active += 1
        _settle(line, active, place, who, requested, shares)
        if requested[who] == 0:
            active -= 1
            place[who] = -1


@compiled
def _settle(line: Ints, active: int, place: Ints, who: int, requested: Ints, shares: Floats) -> None:
    """Move one user to where it belongs in line; to the end if nothing is requested any more."""
    spot = place[who]
    key = requested[who] / shares[who] if requested[who] > 0 else np.inf
    while spot > 0 and requested[line[spot - 1]] / shares[line[spot - 1]] > key:
        line[spot] = line[spot - 1]
        place[line[spot]] = spot
        spot -= 1
    while spot < active - 1 and requested[line[spot + 1]] / shares[line[spot + 1]] < key:
        line[spot] = line[spot + 1]
        place[line[spot]] = spot
        spot += 1
    line[spot], place[who] = who, spot


@compiled
def _level(
    line: Ints, active: int, requested: Ints, shares: Floats, total: int, cluster_nodes: int
) -> tuple[int, float]:
    """From which place in line on users are above the level, and its height in nodes a share."""
    first, level = active, 0.0
    above, their_shares = 0, 0.0
    if total <= cluster_nodes:
        return first, level
    for spot in range(active - 1, -1, -1):
        who = line[spot]
        above += requested[who]
        their_shares += shares[who]
        offered = (cluster_nodes - total + above) / their_shares
        if offered * shares[who] >= requested[who]:
            break
        first, level = spot, offered
    return first, level


@compiled
def _pass(
    now: int,
    until: int,
    edges_s: Ints,
    bin_: int,
    line: Ints,
    active: int,
    first: int,
    level: float,
    requested: Ints,
    shares: Floats,
    entitled: Floats,
) -> int:
    """Let time pass while nothing changes; returns the bin that it ends in."""
    while True:
        length = min(until, edges_s[bin_ + 1]) - max(now, edges_s[bin_])
        for spot in range(active):
            who = line[spot]
            nodes = float(requested[who]) if spot < first else level * shares[who]
            entitled[bin_, who] += nodes * length
        if until < edges_s[bin_ + 1]:
            return bin_
        bin_ += 1
        if bin_ == len(edges_s) - 1:
            return bin_


@entry
def clip(begin_s: Ints, end_s: Ints, nodes: Ints, user: Ints, edges_s: Ints, used: Ints) -> None:
    """Add the node-seconds of jobs to the bins of time that they lie in.

    Args:
        begin_s: when each begins, [jobs].
        end_s: when each ends, [jobs].
        nodes: how many nodes each has, [jobs].
        user: whose each is, [jobs].
        edges_s: where bins begin, and where the last one ends, [bins + 1].
        used: what is added to, [bins, users].
    """
    for row in range(len(begin_s)):
        bin_ = max(np.searchsorted(edges_s, begin_s[row], side="right") - 1, 0)
        while bin_ < len(edges_s) - 1 and edges_s[bin_] < end_s[row]:
            length = min(end_s[row], edges_s[bin_ + 1]) - max(begin_s[row], edges_s[bin_])
            used[bin_, user[row]] += nodes[row] * max(length, 0)
            bin_ += 1
