"""Rules, what they find, and how bad that is. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fsconsole.app.doctor.site import Site


class Grade(StrEnum):
    """How bad a finding is, the worst first."""

    BROKEN = "broken"
    CONTRADICTION = "contradicts itself"
    UNUSUAL = "unusual"


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule has found at one place.

    Attributes:
        where: a node by its path, a setting, a job; empty for the whole site.
        evidence: the values that show it.
        fix: what to do, with the command where there is one.
        effect: what the fix changes for whom; computed where it can be.
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
        id: a word that stays the same, such as `half-life-short`.
        grade: how bad it is where it is found.
        title: what is wrong, in a few words.
        source: where that is documented.
        check: finds it in a site; nothing where the site does not say enough.
    """

    id: str
    grade: Grade
    title: str
    source: str
    check: Check


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule and one place where it holds; `line` of the file that it is in, 0 where it is in none."""

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


def rule(id_: str, grade: Grade, title: str, source: str) -> Callable[[Check], Rule]:
    """Make a rule of the function below it."""
    return lambda check: Rule(id_, grade, title, source, check)
