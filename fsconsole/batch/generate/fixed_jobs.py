"""Jobs of a month that are known before others are drawn: of planted users, medians, and largest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.generate.bodies import Bodies
from fsconsole.batch.generate.medians import Medians
from fsconsole.batch.generate.people import People
from fsconsole.batch.generate.table_one import PrintedMonth
from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.policy import HOUR_S

# Medians printed as 0.00 h and 0.0 node-hours, as what they are taken for: below half of the last digit.
_MEDIAN_S, _MEDIAN_NODE_S = 10.0, 150.0
_EVEN = 16  # largest jobs have a multiple of so many nodes, where that and the limit give their size


@dataclass(frozen=True, eq=False, slots=True)
class Given:
    """Known jobs, and what they leave to the others.

    Attributes:
        owner, nodes, runtime_s: of each known job, int64 [jobs].
        medians: of all jobs of the month.
        counts: known jobs of each user, int64 [users]; node_hours: what they come to, float64 [users].
        longer, larger: how many of the other jobs shall be above the median runtime and node-hours.
    """

    owner: Ints
    nodes: Ints
    runtime_s: Ints
    medians: Medians
    counts: Ints
    node_hours: Floats
    longer: int
    larger: int


def given_jobs(month: PrintedMonth, people: People, planted: Sequence[Bodies]) -> Given:
    """All jobs of planted users, and for one or two others those at the medians and the maxima."""
    medians = medians_of(month)
    owner = np.repeat(np.arange(len(planted)), [len(bodies.nodes) for bodies in planted])
    others = slice(len(planted), None)
    heaviest = len(planted) + int(np.argmax(people.node_hours[others]))
    busiest = len(planted) + int(np.argmax(people.jobs[others]))
    middles = 2 - month.jobs % 2
    largest = _largest(month)
    rows = [(heaviest, *largest), (heaviest, 1, month.limit_s)]
    rows += [(busiest, 1, round(medians.runtime_s)), (busiest, 1, round(medians.node_s))] * middles
    pinned = np.array(rows, dtype=np.int64)
    nodes = np.concatenate([*(bodies.nodes for bodies in planted), pinned[:, 1]]).astype(np.int64)
    runtime_s = np.concatenate([*(bodies.runtime_s for bodies in planted), pinned[:, 2]]).astype(np.int64)
    owner = np.concatenate([owner, pinned[:, 0]]).astype(np.int64)
    users = len(people.jobs)
    half = (month.jobs - middles) // 2
    return Given(
        owner, nodes, runtime_s, medians,
        np.bincount(owner, minlength=users),
        np.bincount(owner, nodes * runtime_s / HOUR_S, users).astype(np.float64),
        half - int((runtime_s > medians.runtime_s).sum()),
        half - int((nodes * runtime_s > medians.node_s).sum()),
    )  # fmt: skip


def medians_of(month: PrintedMonth) -> Medians:
    """Medians to aim at, of those printed."""
    runtime_s, node_s = month.runtime_h.median * HOUR_S, month.size_nh.median * HOUR_S
    return Medians(float(round(runtime_s)) or _MEDIAN_S, float(round(node_s)) or _MEDIAN_NODE_S)


def _largest(month: PrintedMonth) -> tuple[int, int]:
    """Nodes and runtime of the job of the most node-hours: as long as may be, and then as few nodes."""
    node_s = month.size_nh.largest * HOUR_S
    least = int(np.ceil(node_s / month.limit_s))
    nodes = least if least * month.limit_s == round(node_s) else -(-least // _EVEN) * _EVEN
    return nodes, int(node_s // nodes)
