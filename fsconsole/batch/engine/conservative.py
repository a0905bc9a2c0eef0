"""Conservative backfilling: each job is planned at its arrival and starts at the planned time.

With known runtimes a reservation never moves. Jobs end as predicted, and later jobs are planned around
earlier ones. So each job is planned once, at the first moment from which enough nodes are free for its
runtime.

Reserved nodes are not released early. A start that is impossible for one job stays impossible for later jobs
that are at least as large and long. The search begins where it ended for such a job (`known_starts.py`).

Free nodes are stored as steps in time, up to 64 to a block. A block stores its least and most free nodes, so
that a search can skip whole blocks. Nodes taken from a whole block are recorded once.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.conservative_log import log_of
from fsconsole.batch.engine.known_starts import learn, no_start_before, nothing_known
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry

_STEPS_OF_BLOCK = 64
_COUNT, _LEAST, _MOST, _LATER = range(4)
_BLOCKS, _USED, _SPARE = range(3)


class _Plan(NamedTuple):
    """Free nodes from now on; the last step has no end.

    Attributes:
        at_s: start of each step, ascending, [blocks, steps].
        free: free nodes from each step on, without the block's correction, [blocks, steps].
        about: number of steps, least and most free nodes, and the correction to add to `free`, [blocks, 4].
        order: blocks in order of time, the first `mark[_BLOCKS]` entries.
        spare: released blocks, the first `mark[_SPARE]` entries.
        mark: scalars; `mark[_USED]` counts the blocks that have ever been in use.
    """

    at_s: Ints
    free: Ints
    about: Ints
    order: Ints
    spare: Ints
    mark: Ints


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """Return the schedule of `conservative`, with `shares` [users]. The caller checks the arguments."""
    # Compile the loop or load it from the cache before time is measured.
    _run(columns_of(jobs.rows(slice(0))), _plan(0, cluster_nodes), nothing_known(1, 1))
    begun = perf_counter()
    columns = columns_of(jobs)
    known = nothing_known(cluster_nodes, int(jobs.runtime_s.max(initial=1)))
    _run(columns, _plan(len(jobs), cluster_nodes), known)
    took = perf_counter() - begun
    log = log_of(columns.submit_s, columns.start_s) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, columns.start_s, log, took)


def _plan(jobs: int, cluster_nodes: int) -> _Plan:
    """Return a plan in which all nodes are free, with room for two steps per job in half-empty blocks."""
    blocks = 4 * jobs // _STEPS_OF_BLOCK + 4
    at_s, free = np.zeros((2, blocks, _STEPS_OF_BLOCK), dtype=np.int64)
    about, order, spare = (
        np.zeros((blocks, 4), dtype=np.int64),
        np.zeros(blocks, dtype=np.int64),
        np.zeros(blocks, dtype=np.int64),
    )
    free[0, 0] = cluster_nodes
    about[0] = 1, cluster_nodes, cluster_nodes, 0
    return _Plan(at_s, free, about, order, spare, np.array([1, 1, 0], dtype=np.int64))


@entry(allocates=False)
def _run(jobs: Columns, plan: _Plan, known: Ints) -> None:
    for row in range(len(jobs.submit_s)):
        nodes, runtime = jobs.nodes[row], jobs.runtime_s[row]
        _forget(plan, jobs.submit_s[row])
        start = _earliest(plan, nodes, runtime, no_start_before(known, nodes, runtime))
        learn(known, nodes, runtime, start)
        jobs.start_s[row] = start
        _take(plan, start, start + runtime, nodes)


@compiled
def _forget(plan: _Plan, now: int) -> None:
    """Delete the steps that have passed; the first step then begins now."""
    mark, order = plan.mark, plan.order
    past = 0
    while past + 1 < mark[_BLOCKS] and plan.at_s[order[past + 1], 0] <= now:
        plan.spare[mark[_SPARE]] = order[past]
        mark[_SPARE] += 1
        past += 1
    if past > 0:
        mark[_BLOCKS] -= past
        for at in range(mark[_BLOCKS]):
            order[at] = order[at + past]
    block = order[0]
    count, gone = plan.about[block, _COUNT], 0
    while gone + 1 < count and plan.at_s[block, gone + 1] <= now:
        gone += 1
    if gone > 0:
        for at in range(count - gone):
            plan.at_s[block, at] = plan.at_s[block, at + gone]
            plan.free[block, at] = plan.free[block, at + gone]
        plan.about[block, _COUNT] = count - gone
        _sum_up(plan, block)
    plan.at_s[block, 0] = now


@compiled
def _sum_up(plan: _Plan, block: int) -> None:
    """Update the least and the most free nodes of a block."""
    least = most = plan.free[block, 0]
    for at in range(1, plan.about[block, _COUNT]):
        least, most = min(least, plan.free[block, at]), max(most, plan.free[block, at])
    later = plan.about[block, _LATER]
    plan.about[block, _LEAST], plan.about[block, _MOST] = least + later, most + later


@compiled
def _earliest(plan: _Plan, nodes: int, runtime_s: int, from_s: int) -> int:
    """Return the first moment from which enough nodes are free for a runtime; none exists before `from_s`."""
    since = -1
    for place in range(_place_of(plan, from_s), plan.mark[_BLOCKS]):
        block = plan.order[place]
        if since >= 0 and plan.at_s[block, 0] >= since + runtime_s:
            return since
        about = plan.about[block]
        if about[_MOST] < nodes:
            since = -1
        elif about[_LEAST] < nodes:
            since = _earliest_in(plan, block, nodes, runtime_s, since)
            if since < -1:
                return -since - 2
        elif since < 0:
            since = plan.at_s[block, 0]
    return since


@compiled
def _earliest_in(plan: _Plan, block: int, nodes: int, runtime_s: int, since: int) -> int:
    """Return since when enough nodes have been free at a block's end, -1 if they are not.

    If the runtime already fits within the block, return -2 minus that moment.
    """
    needed = nodes - plan.about[block, _LATER]
    for at in range(plan.about[block, _COUNT]):
        if since >= 0 and plan.at_s[block, at] >= since + runtime_s:
            return -since - 2
        if plan.free[block, at] < needed:
            since = -1
        elif since < 0:
            since = plan.at_s[block, at]
    return since


@compiled
def _take(plan: _Plan, begin: int, end: int, nodes: int) -> None:
    """Take nodes from `begin` until `end`."""
    _divide(plan, begin)
    _divide(plan, end)
    place = _place_of(plan, begin)
    while place < plan.mark[_BLOCKS] and plan.at_s[plan.order[place], 0] < end:
        block = plan.order[place]
        count = plan.about[block, _COUNT]
        if plan.at_s[block, 0] >= begin and plan.at_s[block, count - 1] < end:
            for column in (_LEAST, _MOST, _LATER):
                plan.about[block, column] -= nodes
        else:
            for at in range(count):
                if begin <= plan.at_s[block, at] < end:
                    plan.free[block, at] -= nodes
            _sum_up(plan, block)
        place += 1


@compiled
def _place_of(plan: _Plan, moment: int) -> int:
    """Return the position in `order` of the block that contains a moment not before now."""
    low, high = 0, plan.mark[_BLOCKS]
    while high - low > 1:
        middle = (low + high) >> 1
        if plan.at_s[plan.order[middle], 0] <= moment:
            low = middle
        else:
            high = middle
    return low


@compiled
def _divide(plan: _Plan, moment: int) -> None:
    """Ensure that a step begins at a moment not before now."""
    place = _place_of(plan, moment)
    block = plan.order[place]
    if plan.about[block, _COUNT] == _STEPS_OF_BLOCK:
        _split(plan, place)
        place = _place_of(plan, moment)
        block = plan.order[place]
    count = plan.about[block, _COUNT]
    at = count
    while plan.at_s[block, at - 1] > moment:
        at -= 1
    if plan.at_s[block, at - 1] == moment:
        return
    for later in range(count, at, -1):
        plan.at_s[block, later] = plan.at_s[block, later - 1]
        plan.free[block, later] = plan.free[block, later - 1]
    plan.at_s[block, at], plan.free[block, at] = moment, plan.free[block, at - 1]
    plan.about[block, _COUNT] = count + 1


@compiled
def _split(plan: _Plan, place: int) -> None:
    """Move the second half of a block's steps into a new block behind it."""
    mark, half = plan.mark, _STEPS_OF_BLOCK // 2
    old, new = plan.order[place], mark[_USED]
    if mark[_SPARE] > 0:
        mark[_SPARE] -= 1
        new = plan.spare[mark[_SPARE]]
    else:
        mark[_USED] += 1
    for later in range(mark[_BLOCKS], place + 1, -1):
        plan.order[later] = plan.order[later - 1]
    plan.order[place + 1] = new
    mark[_BLOCKS] += 1
    for at in range(half):
        plan.at_s[new, at], plan.free[new, at] = plan.at_s[old, half + at], plan.free[old, half + at]
    plan.about[old, _COUNT] = plan.about[new, _COUNT] = half
    plan.about[new, _LATER] = plan.about[old, _LATER]
    _sum_up(plan, old)
    _sum_up(plan, new)
