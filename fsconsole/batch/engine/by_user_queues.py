"""Waiting jobs owner by owner, each owner's in one order for good, searched for those that may start.

The order is that of arrival, or by a key of each job. The newest jobs, up to a few, are looked through one by
one; only what waits longer than until so many others have come is put into the trees, which takes more time
than most jobs wait for.
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

# Of `Queues.mark`: how many owners have waiting jobs, how many jobs wait, how many of them are fresh, how
# often owners with candidates were listed, whether each owner's jobs go by a key, whether an owner has come
# into the line since that was last set back, and whether several of those listed were first alike.
USERS, JOBS, FRESH, LISTS, BY_KEY, JOINED, TIED = range(7)
_FEW = 32


class Queues(NamedTuple):
    """Who waits. A place is where a job stands among all jobs by owner, then in the owner's order.

    Attributes:
        user: whose each job is, [jobs].
        place: where each stands, [jobs].
        row: which job stands there, [places].
        head: place of the first waiting job of each owner who has any, [owners].
        waiting: how many jobs of each owner wait, [owners].
        line: all owners, the first `mark[USERS]` of them those with waiting jobs, in no order.
        spot: where each owner stands there, and their root among the roots.
        candidate: place of the next job of an owner that may be backfilled.
        listed: owners who have one, in no order.
        last_list: when an owner was last listed, counted by `mark[LISTS]`.
        slot: where each job stands in `fresh`, -1 for nowhere, [jobs].
        fresh: rows of the jobs that are not in a tree, the first `mark[FRESH]`.
        fresh_nodes: nodes of these jobs, endlessly many where none stands, [groups, 16].
        fresh_runtime_s: likewise.
        mark: the rest.
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
    """Return queues in which nothing waits, and the tree over what waits.

    Args:
        user: owner of each job, [jobs].
        users: how many owners there are.
        cluster_nodes: nodes of the machine.
        key: what each owner's jobs go by, small ones first, then by arrival, [jobs]; by arrival alone if
            None.
    """
    short = user.astype(np.uint16) if users <= 1 << 16 else user  # numpy sorts short ones by radix
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
    """Add a waiting job, behind all others of its owner but for those whose keys are larger."""
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
    """Let an owner change places in the line with the one who stands there."""
    was, other = queues.spot[owner], queues.line[spot]
    if was != spot:
        change_roots(tree, owner, other, has_any)
        queues.line[was], queues.line[spot] = other, owner
        queues.spot[other], queues.spot[owner] = was, spot


@compiled
def _settle(queues: Queues, tree: WaitingTree, jobs: Columns) -> None:
    """All fresh jobs go into the trees."""
    for slot in range(len(queues.fresh)):
        row = queues.fresh[slot]
        insert(tree, queues.user[row], queues.place[row], jobs.nodes[row], jobs.runtime_s[row])
        queues.slot[row] = -1
        _set_fresh(queues, slot, -1, ENDLESS, ENDLESS)
    queues.mark[FRESH] = 0


@compiled
def leave(queues: Queues, tree: WaitingTree, jobs: Columns, row: int) -> None:
    """Remove a job that waits no longer; its start is written down before."""
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
        if queues.place[row] == queues.head[user]:  # jobs that are still to come may stand in between
            most = len(tree.size) - 1
            queues.candidate[user] = queues.place[row]
            next_candidate(queues, tree, user, most, 0, most)
            queues.head[user] = queues.candidate[user]
    else:
        while jobs.start_s[queues.row[queues.head[user]]] >= 0:
            queues.head[user] += 1


@compiled
def _has_settled(queues: Queues) -> bool:
    """Return whether any job is in a tree."""
    return bool(queues.mark[JOBS] > queues.mark[FRESH])


@compiled
def list_owners(queues: Queues, tree: WaitingTree, free: int, slack_s: int, extra: int) -> int:
    """List whose jobs may be backfilled: how many. Whose job in a tree may is looked for only when it is
    their turn: see `is_looked_for`.
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
    """Return which of sixteen fresh jobs may start, a bit each."""
    group = begin >> BITS
    return which_may_start(queues.fresh_nodes[group], queues.fresh_runtime_s[group], free, slack_s, extra)


@compiled
def keep_listed(queues: Queues, tree: WaitingTree, listed: int, free: int, slack_s: int, extra: int) -> int:
    """Drop listed owners of whose jobs none may be backfilled any more: how many are left."""
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
    """Count an owner whose job from a place on may be backfilled; return how many are listed then."""
    if queues.last_list[user] == queues.mark[LISTS]:
        queues.candidate[user] = min(queues.candidate[user], place)
        return listed
    queues.last_list[user] = queues.mark[LISTS]
    queues.candidate[user] = place
    queues.listed[listed] = user
    return listed + 1


@compiled
def is_looked_for(queues: Queues, user: int) -> bool:
    """Return whether a listed owner's candidate is still to be looked for: it stands before the first job."""
    return bool(queues.candidate[user] < queues.head[user])


@compiled
def next_candidate(queues: Queues, tree: WaitingTree, user: int, free: int, slack_s: int, extra: int) -> bool:
    """Go on to an owner's next job behind the candidate that may be backfilled: whether there is one."""
    after, best = queues.candidate[user], ENDLESS
    if _has_settled(queues) and may_have(tree, user, free, slack_s, min(extra, free)):
        place = following(tree, user, after + 1, free, slack_s, extra)
        if place >= 0:
            best = place
            if not queues.mark[BY_KEY]:  # all in the trees came before the fresh ones
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
    """Return whether any waiting job has no more than so many nodes."""
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
