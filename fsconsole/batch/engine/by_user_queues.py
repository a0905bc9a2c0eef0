"""Waiting jobs user by user, each user's in the order of arrival, searched for those that may start.

The newest of them, up to a few, are looked through one by one; only what waits longer than until so many
others have come is put into the tree, which takes more time than most jobs wait for.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.waiting_tree import ENDLESS, WaitingTree, following, insert, remove
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

# Of `Queues.mark`: how many users have waiting jobs, how many jobs wait, how many of them are fresh, and how
# often users with candidates were listed.
USERS, JOBS, FRESH, LISTS = range(4)
_FEW = 32


class Queues(NamedTuple):
    """Who waits. A place is where a job stands among all jobs by user, then by arrival.

    Attributes:
        user: whose each job is, [jobs].
        place: where each stands, [jobs].
        row: which job stands there, [jobs].
        first: where each user's jobs begin, and where the last one's end, [users + 1].
        head: place of the first waiting job of each user who has any, [users].
        waiting: how many jobs of each user wait, [users].
        line: users with waiting jobs, the first `mark[USERS]`, in no order.
        spot: where such a user stands there.
        candidate: place of the next job of a user that may be backfilled.
        listed: users who have one, in no order.
        last_list: when a user was last listed, counted by `mark[LISTS]`.
        slot: where each job stands in `fresh`, -1 for nowhere, [jobs].
        fresh: rows of the jobs that are not in the tree, the first `mark[FRESH]`.
        mark: the rest.
    """

    user: Ints
    place: Ints
    row: Ints
    first: Ints
    head: Ints
    waiting: Ints
    line: Ints
    spot: Ints
    candidate: Ints
    listed: Ints
    last_list: Ints
    slot: Ints
    fresh: Ints
    mark: Ints


def queues_of(user: Ints, users: int) -> Queues:
    """Queues in which nobody waits."""
    short = user.astype(np.uint16) if users <= 1 << 16 else user  # numpy sorts short ones by radix
    row = np.argsort(short, kind="stable")
    place = np.empty_like(row)
    place[row] = np.arange(len(row))
    first = np.zeros(users + 1, dtype=np.int64)
    np.cumsum(np.bincount(user, minlength=users), out=first[1:])
    columns = np.zeros((7, users), dtype=np.int64)
    owner = np.require(user, dtype=np.int64, requirements=["C", "W"])
    slot, fresh, mark = np.full_like(row, -1), np.zeros(_FEW, dtype=np.int64), np.zeros(4, dtype=np.int64)
    return Queues._make([owner, place, row, first, *columns, slot, fresh, mark])


@compiled
def join(queues: Queues, tree: WaitingTree, jobs: Columns, row: int) -> None:
    """A job waits, behind all others of its owner."""
    user, mark = queues.user[row], queues.mark
    if queues.waiting[user] == 0:
        queues.head[user] = queues.place[row]
        queues.line[mark[USERS]] = user
        queues.spot[user] = mark[USERS]
        mark[USERS] += 1
    queues.waiting[user] += 1
    mark[JOBS] += 1
    if mark[FRESH] == len(queues.fresh):
        _settle(queues, tree, jobs)
    queues.fresh[mark[FRESH]] = row
    queues.slot[row] = mark[FRESH]
    mark[FRESH] += 1


@compiled
def _settle(queues: Queues, tree: WaitingTree, jobs: Columns) -> None:
    """All fresh jobs go into the tree."""
    for row in queues.fresh:
        insert(tree, queues.place[row], jobs.nodes[row], jobs.runtime_s[row])
        queues.slot[row] = -1
    queues.mark[FRESH] = 0


@compiled
def leave(queues: Queues, tree: WaitingTree, jobs: Columns, row: int) -> None:
    """A job waits no longer; when it starts is written down before."""
    user, slot, mark = queues.user[row], queues.slot[row], queues.mark
    if slot >= 0:
        mark[FRESH] -= 1
        last = queues.fresh[mark[FRESH]]
        queues.fresh[slot], queues.slot[last], queues.slot[row] = last, slot, -1
    else:
        remove(tree, queues.place[row])
    queues.waiting[user] -= 1
    mark[JOBS] -= 1
    if queues.waiting[user] == 0:
        mark[USERS] -= 1
        other = queues.line[mark[USERS]]
        queues.line[queues.spot[user]] = other
        queues.spot[other] = queues.spot[user]
        return
    while jobs.start_s[queues.row[queues.head[user]]] >= 0:
        queues.head[user] += 1


@compiled
def _may_start(jobs: Columns, row: int, free: int, slack_s: int, extra: int) -> bool:
    nodes = jobs.nodes[row]
    return bool(nodes <= free and (nodes <= extra or jobs.runtime_s[row] <= slack_s))


@compiled
def _has_settled(queues: Queues) -> bool:
    """Whether any job is in the tree."""
    return bool(queues.mark[JOBS] > queues.mark[FRESH])


@compiled
def list_owners(queues: Queues, tree: WaitingTree, jobs: Columns, free: int, slack_s: int, extra: int) -> int:
    """List whose jobs may be backfilled, and the first one of each: how many."""
    listed = 0
    queues.mark[LISTS] += 1
    is_one = queues.mark[USERS] == 1
    first = queues.head[queues.line[0]] if is_one else 0
    place = following(tree, first, free, slack_s, extra) if _has_settled(queues) else -1
    while place >= 0:
        user = queues.user[queues.row[place]]
        listed = _list(queues, user, place, listed)
        if is_one:
            return listed
        place = following(tree, queues.first[user + 1], free, slack_s, extra)
    for at in range(queues.mark[FRESH]):
        row = queues.fresh[at]
        if _may_start(jobs, row, free, slack_s, extra):
            listed = _list(queues, queues.user[row], queues.place[row], listed)
    return listed


@compiled
def _list(queues: Queues, user: int, place: int, listed: int) -> int:
    """A user has a job at a place that may be backfilled; how many are listed then."""
    if queues.last_list[user] == queues.mark[LISTS]:
        queues.candidate[user] = min(queues.candidate[user], place)
        return listed
    queues.last_list[user] = queues.mark[LISTS]
    queues.candidate[user] = place
    queues.listed[listed] = user
    return listed + 1


@compiled
def next_candidate(
    queues: Queues, tree: WaitingTree, jobs: Columns, user: int, free: int, slack_s: int, extra: int
) -> bool:
    """Go on to the next job of a user, behind the candidate, that may be backfilled: whether there is one."""
    after, end = queues.candidate[user], queues.first[user + 1]
    best = end
    if _has_settled(queues):
        place = following(tree, after + 1, free, slack_s, extra)
        if 0 <= place < end:  # all in the tree came before the fresh ones
            queues.candidate[user] = place
            return True
    for at in range(queues.mark[FRESH]):
        row = queues.fresh[at]
        if queues.user[row] == user and _may_start(jobs, row, free, slack_s, extra):
            place = queues.place[row]
            best = place if after < place < best else best
    queues.candidate[user] = best
    return bool(best < end)


@compiled
def least_waiting_nodes(queues: Queues, tree: WaitingTree, jobs: Columns) -> int:
    """How many nodes the smallest waiting job needs; endlessly many where none waits."""
    least = ENDLESS
    if _has_settled(queues):
        for at in range(tree.first[len(tree.first) - 2], tree.first[len(tree.first) - 1]):
            least = min(least, tree.least_nodes[at])
    for at in range(queues.mark[FRESH]):
        least = min(least, jobs.nodes[queues.fresh[at]])
    return least
