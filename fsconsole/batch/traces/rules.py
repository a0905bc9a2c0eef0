"""What a job of a trace must be like, for all jobs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Bools, Ints
from fsconsole.batch.traces.report import Finding


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """A rule and the jobs that it is broken by.

    Attributes:
        broken: which jobs, bool [jobs].
        kind: the reason in general, as in `Finding`.
        reason: the reason for the job in a row.
    """

    broken: Bools
    kind: str
    reason: Callable[[int], str]


def applied(rules: Iterable[Rule], job_id: Ints, line: Ints) -> tuple[Bools, list[Finding]]:
    """Which jobs break a rule, and for each of these a finding of the first one; by line."""
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
    """All of them in the order of their lines."""
    return sorted((one for some in findings for one in some), key=lambda finding: finding.line)
