"""Among waiting jobs that may start, the one with the largest slowdown."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from fsconsole.batch.engine.tournament import NOBODY, Tournament, foremost_among, is_before, places_used
from fsconsole.batch.engine.waiting_tree import BITS, LAST, WaitingTree, first_job, first_node
from fsconsole.policies.compiled import compiled


@compiled
def foremost_fitting(
    known: Tournament, tree: WaitingTree, free: int, slack_s: int, extra: int, now: int
) -> int:
    """The place of the job to start next, -1 if none may.

    It has no more than `free` nodes, at least 1, and ends within `slack_s` or has no more than `extra`. The
    tree says below which nodes such jobs may be, the tournament whether any there goes before the best one
    found.
    """
    extra = min(extra, free)
    best, level, at = NOBODY, 0, 0
    while at << (BITS * level) < places_used(known):
        if level == 0:
            at = first_job(tree, at, free, slack_s, extra)
            if at >= 0 and (best < 0 or is_before(known, at, best, now)):
                best = at
        else:
            at = first_node(tree, level, at, free, slack_s, extra)
            if at >= 0 and (best < 0 or _may_be_before(known, at, level, best, now)):
                at <<= BITS
                level -= 1
                continue
        at = at + 1 if at >= 0 else ~at
        while at & LAST == 0 and level < len(tree.first) - 2:
            at >>= BITS
            level += 1
    return best


@compiled
def _may_be_before(known: Tournament, at: int, level: int, best: int, now: int) -> bool:
    """Whether anybody who waits below a node goes before the best."""
    winner = foremost_among(known, at << (BITS * level), BITS * level)
    return winner >= 0 and is_before(known, winner, best, now)
