"""Findings as SARIF 2.1.0, which code hosts and editors show.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0, sections 3.13 to 3.52.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsconsole import __version__
from fsconsole.app.doctor.catalogue import Grade
from fsconsole.app.doctor.rule import Finding, Rule

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Grade.BROKEN: "error", Grade.CONTRADICTION: "warning", Grade.UNUSUAL: "note"}


def as_sarif(name: str, found: Sequence[Finding], rules: Sequence[Rule], *, is_file: bool) -> dict[str, Any]:
    """Return one SARIF run with its rules and results; `name` is that of the file or the cluster."""
    place = {rule.id: at for at, rule in enumerate(rules)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "fsconsole doctor",
                        "version": __version__,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "results": [_result(one, name, place, is_file=is_file) for one in found],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title}. Source: {rule.source}."},
        "defaultConfiguration": {"level": _LEVELS[rule.grade]},
        "properties": {"grade": str(rule.grade)},
    }


def _result(finding: Finding, name: str, place: dict[str, int], *, is_file: bool) -> dict[str, Any]:
    rule, hit = finding.rule, finding.hit
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": hit.where or name}]}
    if is_file:
        location["physicalLocation"] = {"artifactLocation": {"uri": name}}
        if finding.line:
            location["physicalLocation"]["region"] = {"startLine": finding.line}
    return {
        "ruleId": rule.id,
        "ruleIndex": place[rule.id],
        "level": _LEVELS[rule.grade],
        "message": {"text": f"{rule.title}. {hit.evidence} Fix: {hit.fix} Effect: {hit.effect}"},
        "locations": [location],
    }
