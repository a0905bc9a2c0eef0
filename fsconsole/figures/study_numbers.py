"""The results of a study for figures and tables: means over seeds, policies in families. No Qt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from fsconsole.batch.policy import BatchPolicy
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID, CurveStyle


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean with least and largest over seeds, or with the ends of its 95 % interval; NaN without values."""

    mean: float
    low: float
    high: float
    seeds: int = 1
    is_interval: bool = False

    @property
    def is_known(self) -> bool:
        """True if the mean is known."""
        return self.mean == self.mean


NOTHING = Spread(float("nan"), float("nan"), float("nan"), 0)

# Families of by-user policies get these colours in turn; orange is RelShare's where it comes first.
_FAMILIES = (("c4", "c5", "c6"), ("c10", "c11", "c12"), ("c7", "c9", "c9"), ("c1", "c3", "c3"))
_BY_ORDER = {"fcfs": CurveStyle("c2", DASHED), "lxf": CurveStyle("c8", DOTTED)}
_LATER = (CurveStyle("g1"), CurveStyle("g2", DASHED), CurveStyle("g3", DOTTED))


@dataclass(frozen=True)
class StudyNumbers:
    """The finished runs of a study.

    Attributes:
        workloads: names, in the study's order.
        policies: policies by label, in the study's order.
        summary: a row per finished run: `workload`, `policy` (the label), `seed` and the measures.
        intervals: values with 95 % intervals, by workload, policy and measure; an empty workload is all.
        interval_units: units that intervals were drawn from, such as `12 blocks of 4 weeks`, by workload.
    """

    workloads: tuple[str, ...]
    policies: Mapping[str, BatchPolicy]
    summary: pl.DataFrame
    intervals: Mapping[tuple[str, str, str], Spread] = field(default_factory=dict)
    interval_units: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def styles(self) -> dict[str, CurveStyle]:
        """Colour and dash of each policy by label; they do not depend on the progress of the study."""
        return policy_styles(self.policies)

    def series(self, label: str) -> int:
        """Return the number of a policy for its look in print; the same in all figures of the study."""
        return list(self.policies).index(label)

    @cached_property
    def _spreads(self) -> dict[tuple[str, str], dict[str, Spread]]:
        """Spreads by workload and policy, all measures at once, since single queries are slow."""
        if self.summary.is_empty():
            return {}
        numeric = [name for name in self.summary.columns if name not in ("workload", "policy", "seed")]
        known = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in numeric]
        parts = self.summary.group_by("workload", "policy").agg(
            *(column.mean().name.suffix(":mean") for column in known),
            *(column.min().name.suffix(":low") for column in known),
            *(column.max().name.suffix(":high") for column in known),
            *(column.count().name.suffix(":seeds") for column in known),
        )
        return {
            (row["workload"], row["policy"]): {name: _spread(row, name) for name in numeric}
            for row in parts.iter_rows(named=True)
        }

    def has(self, workload: str, policy: str) -> bool:
        """Return True if the study has a finished run of the policy on the workload."""
        return (workload, policy) in self._spreads

    def spread(self, workload: str, policy: str, measure: str) -> Spread:
        """Return a measure of a policy on a workload, with its interval if known."""
        found = self.intervals.get((workload, policy, measure))
        return found if found is not None else self._spreads.get((workload, policy), {}).get(measure, NOTHING)

    def families(self) -> dict[str, list[str]]:
        """Return the labels of by-user policies that differ only in their window, by their common name."""
        return families(self.policies)

    def others(self) -> list[str]:
        """Return labels of the policies that do not go by users."""
        return [label for label, policy in self.policies.items() if not policy.is_by_user]


def _spread(row: Mapping[str, Any], name: str) -> Spread:
    if not row[f"{name}:seeds"]:
        return NOTHING
    return Spread(row[f"{name}:mean"], row[f"{name}:low"], row[f"{name}:high"], row[f"{name}:seeds"])


def families(policies: Mapping[str, BatchPolicy]) -> dict[str, list[str]]:
    """Return the labels, sorted by window, of by-user policies that differ only in it, by common name."""
    found: dict[str, list[str]] = {}
    for label, policy in policies.items():
        if policy.is_by_user:
            found.setdefault(policy.family, []).append(label)
    return {name: sorted(labels, key=lambda one: policies[one].window_s) for name, labels in found.items()}


def short_name(label: str) -> str:
    """Return a policy's label without `backfill`: `FCFS` for `FCFS-backfill`."""
    return label.removesuffix("-backfill").removesuffix(" backfill")


_BRIEF = {"upper": "upper ", "lower": "lower ", "weighted": "weighted "}


def brief_name(policy: BatchPolicy) -> str:
    """Return a policy's name for the head of a narrow column: `FCFS`, `1d`, `1d−` without expected usage."""
    if not policy.is_by_user:
        return short_name(policy.label)
    begun, *rest = policy.label.split(", ")
    window = begun.partition("(")[2].removesuffix(")")
    less = "−" if "no expected usage" in rest else ""
    more = " ".join(part for part in rest if part != "no expected usage")
    return f"{_BRIEF.get(policy.order, '')}{window}{less} {more}".strip()


def short_workloads(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of workloads without their common first words, such as the trace of all months.

    Months beside a model lose their trace and the model its settings, where that is unambiguous.
    """
    words = [name.split(" ") for name in names]
    common = 0
    while len(names) > 1 and all(len(one) > common + 1 and one[common] == words[0][common] for one in words):
        common += 1
    if common:
        return tuple(" ".join(one[common:]) for one in words)
    short = [
        one[-1] if _MONTH.fullmatch(one[-1]) else name.partition(",")[0]
        for one, name in zip(words, names, strict=True)
    ]
    return tuple(one if short.count(one) == 1 else name for one, name in zip(short, names, strict=True))


_MONTH = re.compile(r"\d{4}-\d{2}")


def policy_styles(policies: Mapping[str, BatchPolicy]) -> dict[str, CurveStyle]:
    """Return colour and dash of each policy by label; windows of one family get steps of one colour."""
    styles: dict[str, CurveStyle] = {}
    others = [label for label, policy in policies.items() if not policy.is_by_user]
    later = 0
    for label in others:
        style = _BY_ORDER.get(policies[label].order)
        if style is None or style in styles.values():
            style, later = _LATER[later % len(_LATER)], later + 1
        styles[label] = style
    for number, labels in enumerate(families(policies).values()):
        styles |= _family_styles(labels, _FAMILIES[number % len(_FAMILIES)])
    return {label: styles[label] for label in policies}


def _family_styles(labels: Sequence[str], colours: tuple[str, str, str]) -> dict[str, CurveStyle]:
    """Return steps from the shortest window to the longest; two with one colour differ in their dash."""
    if len(labels) == 1:
        return {labels[0]: CurveStyle(colours[1])}
    steps = [-(-2 * place // (len(labels) - 1)) for place in range(len(labels))]
    styles = {}
    for place, label in enumerate(labels):
        again = steps[place + 1 :].count(steps[place])
        styles[label] = CurveStyle(colours[steps[place]], (SOLID, DASHED, DOTTED)[min(again, 2)])
    return styles
