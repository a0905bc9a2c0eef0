"""Waiting jobs of each owner in a fixed order, searched for jobs that may start.

An owner's jobs are ordered by arrival, or by a key of each job. The newest jobs are searched one by one. They
enter the trees only when `_FEW` of them wait, because inserting is slow and most jobs start before that.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.sixteen import BITS, BRANCHES, LAST, at_most, first_bit
from fsconsole.batch.engine.waiting_tree import (
    ENDLESS,
    WaitingTree,
    change_roots,
    following,
    insert,
    may_have,
    remove,
    waiting_tree,
    which_may_have,
    which_may_start,
)
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

# `Queues.mark` has these entries: number of owners with waiting jobs, of waiting jobs, of fresh ones among
# them, and of listings; whether each owner's jobs are ordered by a key; whether an owner has joined the line
# since this was last reset; and whether several listed owners were tied for first.
USERS, JOBS, FRESH, LISTS, BY_KEY, JOINED, TIED = range(7)
_FEW = 32


class Queues(NamedTuple):
    """Waiting jobs by place: a job's position among all jobs by owner, then in the owner's order.

    Attributes:
        user: owner of each job, [jobs].
        place: place of each job, [jobs].
        row: row of the job at each place, -1 for none, [places].
        head: place of each owner's first waiting job, if any, [owners].
        waiting: number of each owner's waiting jobs, [owners].
        line: all owners, unsorted; the first `mark[USERS]` have waiting jobs.
        spot: position of each owner in `line`, and of their root among the roots.
        candidate: place of each owner's next job that may be backfilled.
        listed: owners with candidates, unsorted.
        last_list: number of the listing in which each owner was last listed, counted by `mark[LISTS]`.
        slot: position of each job in `fresh`, -1 for none, [jobs].
        fresh: rows of the jobs outside the trees, the first `mark[FRESH]` entries.
        fresh_nodes: nodes of these jobs, `ENDLESS` at empty slots, [groups, 16].
        fresh_runtime_s: runtimes of these jobs, `ENDLESS` at empty slots, [groups, 16].
        mark: scalars; see the constants above.
    """

    user: Ints
    place: Ints
    row: Ints
    head: Ints
    waiting: Ints
    line: Ints
    spot: Ints
    candidate: Ints
    listed: Ints
    last_list: Ints
    slot: Ints
    fresh: Ints
    fresh_nodes: Ints
    fresh_runtime_s: Ints
    mark: Ints


def queues_of(
    user: Ints, users: int, cluster_nodes: int, key: Ints | None = None
) -> tuple[Queues, WaitingTree]:
    """Return empty queues, and the empty trees of the waiting jobs.

    Args:
        user: owner of each job, [jobs].
        users: number of owners.
        cluster_nodes: nodes of the machine.
        key: sort key of each owner's jobs, ascending, with ties by arrival, [jobs]; None sorts by arrival.
    """
    short = user.astype(np.uint16) if users <= 1 << 16 else user  # NumPy sorts short integers by radix.
    in_order = np.argsort(short, kind="stable") if key is None else np.lexsort((key, user))
    many = np.bincount(user, minlength=users)
    tree = waiting_tree(many, cluster_nodes)
    before = np.cumsum(many) - many
    row = np.full(tree.nodes.size, -1, dtype=np.int64)
    place = np.empty(len(user), dtype=np.int64)
    owner = np.require(user, dtype=np.int64, requirements=["C", "W"])
    behind = np.arange(len(user)) + np.repeat(tree.first[:, 0] - before, many)
    row[behind] = in_order
    place[in_order] = behind
    head, waiting, candidate, listed, last_list = np.zeros((5, users), dtype=np.int64)
    line = spot = np.arange(users)
    columns = head, waiting, line, spot.copy(), candidate, listed, last_list
    slot, fresh, mark = np.full_like(place, -1), np.zeros(_FEW, dtype=np.int64), np.zeros(7, dtype=np.int64)
    mark[BY_KEY] = key is not None
    sizes = np.full((2, -(-_FEW // BRANCHES), BRANCHES), ENDLESS)
    return Queues._make([owner, place, row, *columns, slot, fresh, *sizes, mark]), tree


@compiled
def join(queues: Queues, tree: WaitingTree, jobs: Columns, row: int) -> None:
    """Add a waiting job after its owner's other jobs, except for jobs with larger keys."""
    user, mark = queues.user[row], queues.mark
    if queues.waiting[user] == 0:
        queues.head[user] = queues.place[row]
        _stand_at(queues, tree, user, mark[USERS], has_any=False)
        mark[USERS] += 1
        mark[JOINED] = 1
    else:
        queues.head[user] = min(queues.head[user], queues.place[row])
    queues.waiting[user] += 1
    mark[JOBS] += 1
    if mark[FRESH] == len(queues.fresh):
        _settle(queues, tree, jobs)
    slot = mark[FRESH]
    queues.slot[row] = slot
    _set_fresh(queues, slot, row, jobs.nodes[row], jobs.runtime_s[row])
    mark[FRESH] += 1


@compiled
def _set_fresh(queues: Queues, slot: int, row: int, nodes: int, runtime_s: int) -> None:
    queues.fresh[slot] = row
    queues.fresh_nodes[slot >> BITS, slot & LAST] = nodes
    queues.fresh_runtime_s[slot >> BITS, slot & LAST] = runtime_s


@compiled
def _stand_at(queues: Queues, tree: WaitingTree, owner: int, spot: int, has_any: bool) -> None:
    """Swap an owner in the line with the owner at position `spot`."""
    was, other = queues.spot[owner], queues.line[spot]
    if was != spot:
        change_roots(tree, owner, other, has_any)
        queues.line[was], queues.line[spot] = other, owner
        queues.spot[other], queues.spot[owner] = was, spot


@compiled
def _settle(queues: Queues, tree: WaitingTree, jobs: Columns) -> None:
    """Move all fresh jobs into the trees."""
    for slot in range(len(queues.fresh)):
        row = queues.fresh[slot]
        insert(tree, queues.user[row], queues.place[row], jobs.nodes[row], jobs.runtime_s[row])
        queues.slot[row] = -1
        _set_fresh(queues, slot, -1, ENDLESS, ENDLESS)
    queues.mark[FRESH] = 0


@compiled
def leave(queues: Queues, tree: WaitingTree, jobs: Columns, row: int) -> None:
    """Remove a job that no longer waits. Set its `start_s` first."""
    user, slot, mark = queues.user[row], queues.slot[row], queues.mark
    if slot >= 0:
        mark[FRESH] -= 1
        last = queues.fresh[mark[FRESH]]
        _set_fresh(queues, slot, last, jobs.nodes[last], jobs.runtime_s[last])
        _set_fresh(queues, mark[FRESH], -1, ENDLESS, ENDLESS)
        queues.slot[last], queues.slot[row] = slot, -1
    else:
        remove(tree, user, queues.place[row])
    queues.waiting[user] -= 1
    mark[JOBS] -= 1
    if queues.waiting[user] == 0:
        mark[USERS] -= 1
        _stand_at(queues, tree, user, mark[USERS], has_any=_has_settled(queues))
    elif mark[BY_KEY]:
        if queues.place[row] == queues.head[user]:  # Places of later arrivals may lie in between.
            most = len(tree.size) - 1
            queues.candidate[user] = queues.place[row]
            next_candidate(queues, tree, user, most, 0, most)
            queues.head[user] = queues.candidate[user]
    else:
        while jobs.start_s[queues.row[queues.head[user]]] >= 0:
            queues.head[user] += 1


@compiled
def _has_settled(queues: Queues) -> bool:
    """Return True if any job is in a tree."""
    return bool(queues.mark[JOBS] > queues.mark[FRESH])


@compiled
def list_owners(queues: Queues, tree: WaitingTree, free: int, slack_s: int, extra: int) -> int:
    """List owners with jobs that may be backfilled; return how many.

    Candidates in the trees are searched only when it is their owner's turn: see `is_looked_for`.
    """
    listed, mark, few = 0, queues.mark, min(extra, free)
    mark[LISTS] += 1
    if _has_settled(queues):
        line, head, lists = queues.line, queues.head, mark[LISTS]
        candidate, last_list, owners = queues.candidate, queues.last_list, queues.listed
        for begin in range(0, mark[USERS], BRANCHES):
            found = which_may_have(tree, begin >> BITS, free, slack_s, few)
            while found:
                user = line[begin + first_bit(found)]
                candidate[user], last_list[user], owners[listed] = head[user] - 1, lists, user
                listed += 1
                found &= found - 1
    for begin in range(0, mark[FRESH], BRANCHES):
        found = _which_fresh(queues, begin, free, slack_s, few)
        while found:
            row = queues.fresh[begin + first_bit(found)]
            listed = _list(queues, queues.user[row], queues.place[row], listed)
            found &= found - 1
    return listed


@compiled
def _which_fresh(queues: Queues, begin: int, free: int, slack_s: int, extra: int) -> int:
    """Return a bit mask of the jobs among sixteen fresh ones that may start."""
    group = begin >> BITS
    return which_may_start(queues.fresh_nodes[group], queues.fresh_runtime_s[group], free, slack_s, extra)


@compiled
def keep_listed(queues: Queues, tree: WaitingTree, listed: int, free: int, slack_s: int, extra: int) -> int:
    """Drop listed owners whose jobs can no longer be backfilled; return how many remain."""
    mark, few = queues.mark, min(extra, free)
    mark[LISTS] += 1
    for begin in range(0, mark[FRESH], BRANCHES):
        found = _which_fresh(queues, begin, free, slack_s, few)
        while found:
            row = queues.fresh[begin + first_bit(found)]
            queues.last_list[queues.user[row]] = mark[LISTS]
            found &= found - 1
    kept = 0
    for at in range(listed):
        user = queues.listed[at]
        queues.listed[kept] = user
        if queues.last_list[user] == mark[LISTS] or may_have(tree, user, free, slack_s, few):
            kept += 1
    return kept


@compiled
def _list(queues: Queues, user: int, place: int, listed: int) -> int:
    """List an owner with a candidate at `place`; return how many owners are listed."""
    if queues.last_list[user] == queues.mark[LISTS]:
        queues.candidate[user] = min(queues.candidate[user], place)
        return listed
    queues.last_list[user] = queues.mark[LISTS]
    queues.candidate[user] = place
    queues.listed[listed] = user
    return listed + 1


@compiled
def is_looked_for(queues: Queues, user: int) -> bool:
    """Return True if a listed owner's candidate must still be searched: its place is before the first job."""
    return bool(queues.candidate[user] < queues.head[user])


@compiled
def next_candidate(queues: Queues, tree: WaitingTree, user: int, free: int, slack_s: int, extra: int) -> bool:
    """Move an owner's candidate to the next job that may be backfilled; return True if there is one."""
    after, best = queues.candidate[user], ENDLESS
    if _has_settled(queues) and may_have(tree, user, free, slack_s, min(extra, free)):
        place = following(tree, user, after + 1, free, slack_s, extra)
        if place >= 0:
            best = place
            if not queues.mark[BY_KEY]:  # All jobs in the trees arrived before.
                queues.candidate[user] = place
                return True
    for begin in range(0, queues.mark[FRESH], BRANCHES):
        found = _which_fresh(queues, begin, free, slack_s, min(extra, free))
        while found:
            row = queues.fresh[begin + first_bit(found)]
            place = queues.place[row]
            if queues.user[row] == user and after < place < best:
                best = place
            found &= found - 1
    if best < ENDLESS:
        queues.candidate[user] = best
    return bool(best < ENDLESS)


@compiled
def may_any_fit(queues: Queues, tree: WaitingTree, free: int) -> bool:
    """Return True if any waiting job needs at most `free` nodes."""
    if free == 0:
        return False
    for begin in range(0, queues.mark[FRESH], BRANCHES):
        if at_most(queues.fresh_nodes[begin >> BITS], free):
            return True
    if _has_settled(queues):
        for begin in range(0, queues.mark[USERS], BRANCHES):
            if at_most(tree.least_nodes[begin >> BITS], free):
                return True
    return False
