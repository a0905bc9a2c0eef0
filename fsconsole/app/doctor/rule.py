"""Rules, their findings, and the severity of these. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fsconsole.app.doctor.catalogue import CATALOGUE, Grade
from fsconsole.app.doctor.site import Site
from fsconsole.targets.slurm.state import PartName

_ROWS = {row[0]: row for row in CATALOGUE}


@dataclass(frozen=True, slots=True)
class Hit:
    """Finding of a rule at one place.

    Attributes:
        where: path of a node, a setting, or a job; empty for the whole site.
        evidence: values that prove the finding.
        fix: what to do, with a command if there is one.
        effect: effect of the fix on users, computed if possible.
    """

    where: str
    evidence: str
    fix: str
    effect: str


Check = Callable[[Site], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: stable name, such as `half-life-short`.
        grade: severity.
        title: the problem, in a few words.
        source: documentation of the problem.
        check: finds the problem in a site; finds nothing if the site has too little data.
        whole: parts of which it needs every line: what it says is about all of them.
    """

    id: str
    grade: Grade
    title: str
    source: str
    check: Check
    whole: frozenset[PartName]


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule and one place of its problem; `line` of its file, 0 without a file."""

    rule: Rule
    hit: Hit
    line: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        rule, hit = self.rule, self.hit
        return {
            "rule": rule.id,
            "grade": str(rule.grade),
            "title": rule.title,
            "where": hit.where,
            "line": self.line,
            "evidence": hit.evidence,
            "source": rule.source,
            "fix": hit.fix,
            "effect": hit.effect,
        }


def rule(id_: str, *whole: PartName) -> Callable[[Check], Rule]:
    """Make a rule of the catalogue of the function below it."""
    return lambda check: Rule(*_ROWS[id_], check, frozenset(whole))
