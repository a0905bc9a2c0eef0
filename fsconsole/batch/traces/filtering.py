"""Selection of the jobs of a trace that can be simulated, by the same rules for every format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Bools, Ints
from fsconsole.batch.traces.raw import LARGEST, RawJobs
from fsconsole.batch.traces.report import Finding
from fsconsole.text.numbers import thousands
from fsconsole.text.words import plural


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """A rule and the jobs that break it.

    Attributes:
        broken: whether each job breaks it, bool [jobs].
        kind: the reason in general, as in `Finding`.
        reason: the reason for the job in a row.
    """

    broken: Bools
    kind: str
    reason: Callable[[int], str]


def applied(rules: Iterable[Rule], job_id: Ints, line: Ints) -> tuple[Bools, list[Finding]]:
    """Return a mask of the jobs that break a rule, bool [jobs], and a finding of the first one for
    each, by line.

    Args:
        rules: the rules, in order of importance.
        job_id: the trace's number of each job, [jobs].
        line: its line in the file, [jobs].
    """
    broken = np.zeros(len(job_id), dtype=np.bool_)
    found: list[Finding] = []
    for rule in rules:
        rows = np.flatnonzero(rule.broken & ~broken)
        broken[rows] = True
        found += [
            Finding(int(job_id[row]), int(line[row]), rule.kind, rule.reason(row)) for row in rows.tolist()
        ]
    return broken, by_line(found)


def by_line(*findings: list[Finding]) -> list[Finding]:
    """Return all findings in the order of their lines."""
    return sorted((one for some in findings for one in some), key=lambda finding: finding.line)


@dataclass(frozen=True, eq=False, slots=True)
class Filtered:
    """Rows that can be simulated, by submit time and then by line, and the findings on all rows."""

    rows: Ints
    dropped: list[Finding]
    repaired: list[Finding]


def filtered(raw: RawJobs, cluster_nodes: int | None, unit: str) -> Filtered:
    """Keep jobs with a submit time, a runtime above 0 and at most the machine's nodes; one of each number.

    Args:
        raw: the jobs of the trace.
        cluster_nodes: nodes of the machine; None if unknown, then no job is too large.
        unit: unit of the trace, `processor`, `CPU` or `node`.
    """
    broken, dropped = applied(_rules(raw, cluster_nodes, unit), raw.job_id, raw.line)
    again, repeated = applied([_repeated(raw, np.flatnonzero(~broken))], raw.job_id, raw.line)
    kept = np.flatnonzero(~(broken | again))
    order = kept[np.argsort(raw.submit_s[kept], kind="stable")]
    return Filtered(order, by_line(dropped, repeated), _repaired(raw, kept, unit))


def _rules(raw: RawJobs, cluster_nodes: int | None, unit: str) -> list[Rule]:
    most, units = LARGEST if cluster_nodes is None else cluster_nodes, plural(2, unit)
    nodes, submit, runtime = raw.nodes, raw.submit_s, raw.runtime_s
    return [
        Rule(
            submit < 0,
            "no submit time",
            lambda row: f"its submit time is {submit[row]} s. It must be 0 or more",
        ),
        Rule(
            runtime <= 0,
            "no runtime above 0",
            lambda row: f"its runtime is {runtime[row]} s, so it never ran. It must be above 0",
        ),
        Rule(
            nodes <= 0,
            f"no {units} allocated or requested",
            lambda row: f"it has {raw.allocated[row]} {units} and requests {raw.requested[row]}, not above 0",
        ),
        Rule(
            nodes > most,
            "larger than the machine",
            lambda row: f"it needs {thousands(nodes[row])} {units}, but the machine has {thousands(most)}",
        ),
    ]


def _repeated(raw: RawJobs, rows: Ints) -> Rule:
    """Return the rule that all but the first of each number among these rows break."""
    ids = raw.job_id[rows]
    _, first, which = np.unique(ids, return_index=True, return_inverse=True)
    original = np.arange(len(raw))
    original[rows] = rows[first[which]]
    return Rule(
        original != np.arange(len(raw)),
        "an earlier job has its number",
        lambda row: f"line {raw.line[original[row]]} already has a job with this number",
    )


def _repaired(raw: RawJobs, kept: Ints, unit: str) -> list[Finding]:
    """Return findings on repairs of kept rows: of the place in the file, or of the size."""
    submits, units = raw.submit_s[kept], plural(2, unit)
    asked = raw.requested[kept]
    latest = np.maximum.accumulate(submits) if len(submits) else submits
    rules = [
        Rule(
            submits < latest,
            "not in the order of submit times",
            lambda at: (
                f"it was submitted {latest[at] - submits[at]} s before a job above it. Jobs are sorted "
                "by submit time"
            ),
        ),
        Rule(
            raw.allocated[kept] <= 0,
            f"{units} allocated unknown",
            lambda at: f"its allocated {units} are unknown. The {asked[at]} requested ones are used",
        ),
    ]
    return by_line(*(applied([rule], raw.job_id[kept], raw.line[kept])[1] for rule in rules))
