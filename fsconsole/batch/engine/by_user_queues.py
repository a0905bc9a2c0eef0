"""Waiting jobs user by user, each user's in the order of arrival, searched for those that may start."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.waiting_tree import ENDLESS, WaitingTree, following, insert, remove
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

# Of `Queues.mark`: how many users have waiting jobs, and how many jobs wait.
USERS, JOBS = range(2)


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
    mark: Ints


def queues_of(user: Ints, users: int) -> Queues:
    """Queues in which nobody waits."""
    short = user.astype(np.uint16) if users <= 1 << 16 else user  # numpy sorts short ones by radix
    row = np.argsort(short, kind="stable")
    place = np.empty_like(row)
    place[row] = np.arange(len(row))
    first = np.zeros(users + 1, dtype=np.int64)
    np.cumsum(np.bincount(user, minlength=users), out=first[1:])
    columns = np.zeros((6, users), dtype=np.int64)
    owner = np.require(user, dtype=np.int64, requirements=["C", "W"])
    mark = np.zeros(2, dtype=np.int64)
    return Queues._make([owner, place, row, first, *columns, mark])


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
    insert(tree, queues.place[row], jobs.nodes[row], jobs.runtime_s[row])


@compiled
def leave(queues: Queues, tree: WaitingTree, row: int) -> None:
    """A job waits no longer."""
    user, place, mark = queues.user[row], queues.place[row], queues.mark
    remove(tree, place)
    queues.waiting[user] -= 1
    mark[JOBS] -= 1
    if queues.waiting[user] == 0:
        mark[USERS] -= 1
        other = queues.line[mark[USERS]]
        queues.line[queues.spot[user]] = other
        queues.spot[other] = queues.spot[user]
        return
    while tree.least_nodes[queues.head[user]] == ENDLESS:
        queues.head[user] += 1


@compiled
def list_owners(queues: Queues, tree: WaitingTree, free: int, slack_s: int, extra: int) -> int:
    """List whose jobs may be backfilled, and the first one of each: how many."""
    listed = 0
    place = following(tree, 0, free, slack_s, extra)
    while place >= 0:
        user = queues.user[queues.row[place]]
        queues.candidate[user] = place
        queues.listed[listed] = user
        listed += 1
        place = following(tree, queues.first[user + 1], free, slack_s, extra)
    return listed


@compiled
def least_waiting_nodes(tree: WaitingTree) -> int:
    """How many nodes the smallest waiting job needs; endlessly many where none waits."""
    least = ENDLESS
    for at in range(tree.first[len(tree.first) - 2], tree.first[len(tree.first) - 1]):
        least = min(least, tree.least_nodes[at])
    return least
