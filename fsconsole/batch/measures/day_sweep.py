"""What jobs ask of each span of time, and how many wait, come and start in it; compiled."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled, entry

# Columns of the counts: jobs waiting when the span begins, submitted in it, started in it.
WAITING, NEW, STARTED = 0, 1, 2


@entry
def count_days(
    submit_s: Ints,
    start_s: Ints,
    end_s: Ints,
    nodes: Ints,
    user: Ints,
    edges_s: Ints,
    demand: Ints,
    counts: Ints,
) -> None:
    """Add jobs to spans of time.

    Args:
        submit_s: when each job arrives, no later than its start, [jobs].
        start_s: when it starts, [jobs].
        end_s: when it ends, [jobs].
        nodes: how many nodes it has, [jobs].
        user: whose it is, [jobs].
        edges_s: where the spans begin, and where the last one ends, rising, [spans + 1].
        demand: node-seconds that could be used in the span, is added to, [spans, users].
        counts: jobs waiting, new and started, is added to, [spans, users, 3].
    """
    for row in range(len(submit_s)):
        who = user[row]
        span = max(np.searchsorted(edges_s, submit_s[row], side="right") - 1, 0)
        while span < len(edges_s) - 1 and edges_s[span] < end_s[row]:
            begin, until = edges_s[span], edges_s[span + 1]
            asked_s = _could_run(submit_s[row], start_s[row], end_s[row], begin, until)
            demand[span, who] += nodes[row] * asked_s
            if start_s[row] >= begin:
                counts[span, who, WAITING if submit_s[row] < begin else NEW] += 1
                counts[span, who, STARTED] += start_s[row] < until
            span += 1


@compiled
def _could_run(submit_s: int, start_s: int, end_s: int, begin: int, until: int) -> int:
    """How long a job could run in a span: on, where it runs as that begins; else from there or its submit."""
    if start_s < begin:
        return min(end_s, until) - begin
    return min(end_s - start_s, until - max(submit_s, begin))
