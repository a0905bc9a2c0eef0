"""Compiled computation of entitled nodes from event to event.

At any time there is a level: users who request more nodes per share are entitled to level x share, all others
to their requests (rule 7 of the batch rules; settling capped users in rounds gives the same). Users are
sorted by requests per share, so that those above the level are at the end, and its height depends only on
them.
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
        at_s: time of each change of requests, rising, [events].
        user: its user, [events].
        change: its number of nodes, [events]; no user's sum falls below 0.
        edges_s: starts of the bins of time and end of the last one, rising, [bins + 1].
        cluster_nodes: nodes of the machine.
        shares: shares of each user, above 0, [users].
        entitled: increased in place, [bins, users].
    """
    requested = np.zeros(len(shares), np.int64)
    line = np.zeros(len(shares), np.int64)  # It holds users with requests, sorted by requested / shares.
    place = np.full(len(shares), -1, np.int64)  # It holds the place of each user in the line, -1 for none.
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
    """Move one user to its place in the line; to the end if it requests nothing any more."""
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
    """Return the first place in the line above the level, and the level's height in nodes a share."""
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
    """Let time pass without changes; return the bin at its end."""
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
    """Add the node-seconds of jobs to the bins of time in which they run.

    Args:
        begin_s: start of each job, [jobs].
        end_s: its end, [jobs].
        nodes: its number of nodes, [jobs].
        user: its owner, [jobs].
        edges_s: starts of the bins and end of the last one, [bins + 1].
        used: increased in place, [bins, users].
    """
    for row in range(len(begin_s)):
        bin_ = max(np.searchsorted(edges_s, begin_s[row], side="right") - 1, 0)
        while bin_ < len(edges_s) - 1 and edges_s[bin_] < end_s[row]:
            length = min(end_s[row], edges_s[bin_ + 1]) - max(begin_s[row], edges_s[bin_])
            used[bin_, user[row]] += nodes[row] * max(length, 0)
            bin_ += 1
