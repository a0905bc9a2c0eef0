"""From what a trace says of its jobs to those that can be simulated; for every format by the same rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.batch.traces.raw import LARGEST, Bools, RawJobs
from fsconsole.batch.traces.report import Finding


@dataclass(frozen=True, eq=False, slots=True)
class Sifted:
    """Rows that can be simulated, by submit time and then by line, and what is to be said of all rows."""

    rows: Ints
    dropped: list[Finding]
    repaired: list[Finding]


@dataclass(frozen=True, eq=False, slots=True)
class _Rule:
    """Which rows it is broken by, the reason in general, and of one row."""

    broken: Bools
    kind: str
    reason: Callable[[int], str]

    def finding(self, raw: RawJobs, row: int) -> Finding:
        return Finding(int(raw.job_id[row]), int(raw.line[row]), self.kind, self.reason(row))


def sifted(raw: RawJobs, cluster_nodes: int | None, unit: str) -> Sifted:
    """Keep jobs with a submit time, a runtime above 0 and nodes that the machine has; one of each number.

    Args:
        raw: what the trace says.
        cluster_nodes: nodes of the machine; None where unknown, then no job is too large.
        unit: what the trace counts, `processor` or `node`.
    """
    is_open = np.ones(len(raw), dtype=np.bool_)
    dropped: list[tuple[int, Finding]] = []
    for rule in _rules(raw, cluster_nodes, unit):
        rows = np.flatnonzero(rule.broken & is_open)
        is_open[rows] = False
        dropped += [(row, rule.finding(raw, row)) for row in rows.tolist()]
    again = _repeated(raw, np.flatnonzero(is_open))
    rows = np.flatnonzero(again.broken)
    is_open[rows] = False
    dropped += [(row, again.finding(raw, row)) for row in rows.tolist()]
    kept = np.flatnonzero(is_open)
    order = kept[np.argsort(raw.submit_s[kept], kind="stable")]
    dropped.sort(key=lambda item: item[0])
    return Sifted(order, [finding for _, finding in dropped], _repaired(raw, kept, unit))


def _rules(raw: RawJobs, cluster_nodes: int | None, unit: str) -> list[_Rule]:
    most = LARGEST if cluster_nodes is None else cluster_nodes
    nodes, submit, runtime = raw.nodes, raw.submit_s, raw.runtime_s
    return [
        _Rule(
            submit < 0,
            "no submit time",
            lambda row: f"its submit time is {submit[row]} s, it must be 0 or more",
        ),
        _Rule(
            runtime <= 0,
            "no runtime above 0",
            lambda row: f"its runtime is {runtime[row]} s, it must be above 0: it never ran",
        ),
        _Rule(
            nodes <= 0,
            f"no {unit}s allocated or requested",
            lambda row: f"it has {raw.allocated[row]} {unit}s and asks for {raw.requested[row]}, not above 0",
        ),
        _Rule(
            nodes > most,
            "larger than the machine",
            lambda row: f"it needs {nodes[row]:,} {unit}s, the machine has {most:,}",
        ),
    ]


def _repeated(raw: RawJobs, rows: Ints) -> _Rule:
    """Among these rows, all but the first of each number."""
    ids = raw.job_id[rows]
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    original = np.arange(len(raw))
    original[rows] = rows[first[which]]
    return _Rule(
        original != np.arange(len(raw)),
        "its number is that of an earlier job",
        lambda row: f"line {raw.line[original[row]]} has a job of this number already",
    )


def _repaired(raw: RawJobs, kept: Ints, unit: str) -> list[Finding]:
    """What was put right about kept rows: their place in the file, or a size taken from elsewhere."""
    submits = raw.submit_s[kept]
    asked = raw.requested[kept]
    latest = np.maximum.accumulate(submits) if len(submits) else submits
    rules = [
        _Rule(
            submits < latest,
            "not in the order of submit times",
            lambda at: (
                f"it was submitted {latest[at] - submits[at]} s before a job above it; sorted by submit time"
            ),
        ),
        _Rule(
            raw.allocated[kept] <= 0,
            f"{unit}s allocated not known",
            lambda at: f"the {unit}s it got are not known; the {asked[at]} it asked for are taken",
        ),
    ]
    found = [(at, rule) for rule in rules for at in np.flatnonzero(rule.broken).tolist()]
    found.sort(key=lambda item: item[0])
    return [
        Finding(int(raw.job_id[kept[at]]), int(raw.line[kept[at]]), rule.kind, rule.reason(at))
        for at, rule in found
    ]
