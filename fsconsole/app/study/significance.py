"""Significance of differences between policies: intervals, paired tests, undecided differences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fsconsole.app.study.rows import MEASURED
from fsconsole.app.study.units import Measured, Units, has_enough_weeks, units_of_runs, units_of_summary
from fsconsole.batch.job_table import Floats
from fsconsole.batch.significance.bootstrap import (
    FEWEST,
    SAMPLES,
    draw_counts,
    expanded_interval,
    ratio_interval,
    ratio_of_sums,
    widening,
)
from fsconsole.batch.significance.draws import FEWEST_DRAWS, draws_interval, draws_p, max_t
from fsconsole.batch.significance.paired import ALPHA, effect_size, min_p, paired_p, sign_flips
from fsconsole.figures.study_numbers import Spread
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.figures.study_numbers import StudyNumbers


class UnknownPolicyError(ValueError):
    """Error: a study lacks a policy, or has it only for some of its units."""


_WINDOW = re.compile(r"\([^)]*\)")
BETTER = {column.name: column.better for column in MEASURED}
Pair = tuple[str, str]  # A pair is a policy and a measure.


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval; both ends are NaN without an interval."""

    low: float = float("nan")
    high: float = float("nan")

    @property
    def is_known(self) -> bool:
        """True if the interval is known."""
        return self.low == self.low


@dataclass(frozen=True, slots=True)
class Contrast:
    """A policy against the reference, over the same units.

    Attributes:
        difference: its value over all units less that of the reference.
        interval: of the difference.
        p_value: paired, by flipping signs; NaN where no unit differs or there are too few.
        p_adjusted: the same for all policies together (min-P).
        effect: mean difference over its standard deviation, Hedges' g; NaN without spread.
        lower, higher: units in which its value is lower and higher.
    """

    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float
    effect: float
    lower: int
    higher: int

    @property
    def is_decided(self) -> bool:
        """True if chance is ruled out at the level of 5 %, all policies considered."""
        return self.p_adjusted <= ALPHA

    @property
    def differs(self) -> bool:
        """True if the policies differ in a unit or in their value."""
        return self.lower + self.higher > 0 or self.difference != 0


@dataclass(frozen=True)
class Significance:
    """Intervals and tests of a study's policies.

    Attributes:
        units: what the results were drawn from; None where there is but one run too short to be cut.
        reference: label of the policy that the others are compared with.
        intervals: of the values shown, by policy and measure.
        contrasts: against the reference, by policy and measure.
        tied: by measure, the policies that are not decided against the best one (all pairs, min-P).
        reason: why there are no intervals; empty where there are.
    """

    units: Units | None = None
    reference: str = ""
    intervals: Mapping[Pair, Interval] = field(default_factory=dict)
    contrasts: Mapping[Pair, Contrast] = field(default_factory=dict)
    tied: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reason: str = ""

    def interval(self, policy: str, measure: str) -> Interval:
        """Return the interval of a value; its ends are NaN if it is unknown."""
        return self.intervals.get((policy, measure), Interval())

    @cached_property
    def words(self) -> str:
        """Sentence on the data from which intervals and marks are computed."""
        if self.units is None or self.reason:
            return self.reason
        if self.units.is_resampled:
            words = (
                f"95 % intervals over {self.units.words} (users drawn with replacement, shifted by weeks); "
                "paired bootstrap tests, corrected for all policies (max-T)"
            )
        else:
            words = (
                f"95 % intervals over {self.units.words}, bootstrap of {thousands(SAMPLES)} samples; "
                "paired tests by sign flips, corrected for all policies (min-P)"
            )
        untested = [one.title for one in MEASURED if one.better and one.name in self.units.untested]
        words += f"; not tested: {', '.join(untested)}" if untested else ""
        missing = "; ".join(self.units.incomplete)  # Labels contain commas.
        return words + (f"; not compared, since cells are missing: {missing}" if missing else "")


NOTHING_KNOWN = Significance()


def values_shown(summary: pl.DataFrame, units: Units) -> dict[str, dict[str, float | None]]:
    """Return the values of each policy that have intervals; None for a value without one.

    They are values over all units, but of a single run its own.
    """
    found = {}
    for place, policy in enumerate(units.policies):
        own = summary.filter(summary["policy"] == policy).to_dicts()
        means = {name: float(one.shown[place]) for name, one in units.measures.items()}
        shown = {name: own[0][name] for name in means} if len(own) == 1 else means
        found[policy] = {name: None if value != value else value for name, value in shown.items()}
    return found


def with_intervals(numbers: StudyNumbers, known: Mapping[str, Significance]) -> StudyNumbers:
    """Return the numbers of a study with their 95 % intervals, for its figures.

    Args:
        numbers: of the study.
        known: what is known by workload; of all together under the empty name.
    """
    found: dict[tuple[str, str, str], Spread] = {}
    words: dict[str, str] = {}
    for workload, one in known.items():
        if one.units is None:
            continue
        own = numbers.summary.filter(pl.col("workload") == workload) if workload else numbers.summary
        for policy, values in values_shown(own, one.units).items():
            for measure, value in values.items():
                interval = one.interval(policy, measure)
                if value is not None and interval.is_known:
                    ends = (interval.low, interval.high)
                    found[workload, policy, measure] = Spread(value, *ends, is_interval=True)
                    words[workload] = one.units.words
    return replace(numbers, intervals=found, interval_units=words)


def policy_meant(labels: Sequence[str], text: str) -> str:
    """Return the label that a person means: in any case, and without its window where it is the only one.

    UnknownPolicyError where the text is none of them, or several.
    """
    folded = text.strip().casefold()
    exact = [label for label in labels if label.casefold() == folded]  # Study files use lower case.
    found = exact or [label for label in labels if _WINDOW.sub("", label).casefold() == folded]
    if len(found) == 1:
        return found[0]
    if found:
        msg = f"{text!r} has several windows in this study. Write one of: {'; '.join(found)}"
    else:
        msg = f"no policy {text!r} for all of the study. Choose from: {'; '.join(labels)}"
    raise UnknownPolicyError(msg)


def plain_differences(summary: pl.DataFrame, known: Significance) -> dict[Pair, float]:
    """Describe differences of policies from the reference, where units are too few for intervals.

    Means over workloads of means over seeds, of policies that have as many runs as the reference.
    """
    names = [column.name for column in MEASURED if column.name in summary.columns]
    runs = summary.group_by("policy", maintain_order=True).len()
    by_workload = summary.group_by("policy", "workload", maintain_order=True).agg(pl.col(names).mean())
    means = (
        by_workload.group_by("policy", maintain_order=True).agg(pl.col(names).mean()).join(runs, on="policy")
    )
    rows = {row["policy"]: row for row in means.to_dicts()}
    base = rows.get(known.reference)
    if base is None:
        return {}
    return {
        (policy, name): row[name] - base[name]
        for policy, row in rows.items()
        for name in names
        if policy != known.reference and row["len"] == base["len"] and None not in (row[name], base[name])
    }


def default_reference(policies: Sequence[str]) -> str:
    """Return the policy that others are compared with: FCFS, else the first one."""
    return next((label for label in policies if label.startswith("FCFS")), next(iter(policies), ""))


def significance_of(
    summary: pl.DataFrame, folder: StudyFolder | None, *, workload: str = "", against: str = ""
) -> Significance:
    """Compare the policies of a study, on all its workloads or one; reads schedules where weeks are units.

    Args:
        summary: a row for each finished run, as `StudyFolder.summary` has it.
        folder: where the schedules are; without it one run a policy has no units.
        workload: one workload; all of them if empty.
        against: label of the reference in any case; FCFS-backfill if empty, else the first policy.

    Raises:
        UnknownPolicyError: there is no such policy.
        StudyError: a schedule cannot be read.
    """
    own = summary.filter(pl.col("workload") == workload) if workload else summary
    is_resampled = folder is not None and folder.is_resampled
    units = units_of_summary(own, is_resampled=is_resampled)
    if units is None and folder is not None and not is_resampled:
        units = _units_of_weeks(own, folder)
    known = units.policies if units is not None else tuple(own["policy"].unique(maintain_order=True))
    reference = policy_meant(known, against) if against else default_reference(known)
    if units is None:
        return Significance(reference=reference, reason=_no_units(own))
    return compare(units, reference)


_NONE: tuple[Floats, Floats] = (np.zeros((0, 0)), np.zeros((0, 0)))
_ONE_RUN = "No intervals: there is one cell per policy, too short to divide into weeks"


def _no_units(summary: pl.DataFrame) -> str:
    if summary.is_empty():
        return ""
    is_one = summary.select("workload", "seed").n_unique() == 1
    return _ONE_RUN if is_one else "No intervals: each policy lacks cells that another one has"


def _units_of_weeks(summary: pl.DataFrame, folder: StudyFolder) -> Units | None:
    """Return the weeks of the one run that each policy has; None where runs are not of the same jobs."""
    if summary.select("workload", "seed").n_unique() > 1:
        return None
    rows = set(summary.select("workload", "policy", "seed").iter_rows())
    cells = [cell for cell in folder.finished() if (cell.workload, cell.policy.label, cell.seed) in rows]
    if not cells or (cells[0].period is not None and not has_enough_weeks(cells[0].period)):
        return None
    return units_of_runs({cell.policy.label: folder.month_run(cell) for cell in cells})


def significance_of_run(
    folder: StudyFolder, workload: str, seed: int | None, against: str = ""
) -> Significance:
    """Compare policies on one run of a study, over blocks of its weeks; StudyError where one cannot be read.

    The reference is `against`, or the default one where the run has no such policy.
    """
    summary = folder.summary()
    own = (pl.col("workload") == workload) & pl.col("seed").eq_missing(pl.lit(seed, pl.UInt64))
    units = _units_of_weeks(summary.filter(own), folder)
    if units is None:
        return Significance(reason=_ONE_RUN)
    return compare(units, against if against in units.policies else default_reference(units.policies))


def compare(units: Units, reference: str, better: Mapping[str, str] = BETTER) -> Significance:
    """Compute intervals of all values, and contrasts with a policy.

    Args:
        units: results by unit.
        reference: label of the policy that others are compared with.
        better: `low` or `high` by measure; ties are looked for in these.
    """
    fewest = FEWEST_DRAWS if units.is_resampled else FEWEST
    if units.count < fewest:
        reason = f"No intervals: {units.words}, but at least {fewest} are needed"
        return Significance(units, reference, reason=reason)
    # Bootstrap draws are not a sample that can be resampled or flipped.
    counts, flips = _NONE if units.is_resampled else (draw_counts(units.count), sign_flips(units.count))
    intervals: dict[Pair, Interval] = {}
    contrasts: dict[Pair, Contrast] = {}
    tied: dict[str, frozenset[str]] = {}
    base = units.policies.index(reference)
    for name, measured in units.measures.items():
        found = _intervals(measured.values, measured, units, counts, measured.drawn)
        intervals |= {
            (label, name): Interval(max(one.low, 0.0), one.high)  # No measure is negative. NaN is kept.
            for label, one in zip(units.policies, found, strict=True)
        }
        others = [row for row in range(len(units.policies)) if row != base]
        contrasts |= _contrasts(name, measured, units, base, others, counts, flips)
        if better.get(name):
            tied[name] = _tied(measured, units, better[name] == "high", flips)
    return Significance(units, reference, intervals, contrasts, tied)


def _intervals(
    values: Floats, measured: Measured, units: Units, counts: Floats, drawn: Floats | None
) -> list[Interval]:
    """Compute intervals of values or of differences, [rows, units]."""
    if not measured.has_interval:
        return [Interval()] * len(values)
    if units.is_resampled:
        low, high = draws_interval(values)
    elif drawn is not None:
        low, high = expanded_interval(drawn, units.count)
    else:
        ratio = ratio_of_sums(values, measured.weights)
        low, high = ratio_interval(values, measured.weights, counts)
        factor = _factor(values, measured, units)
        low, high = ratio - (ratio - low) * factor, ratio + (high - ratio) * factor
    return [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]


def _factor(values: Floats, measured: Measured, units: Units) -> Floats:
    """Return the factor by which blocks of weeks understate a standard error, [rows]; 1 for other units."""
    if measured.weekly is None or measured.weekly_weights is None:
        return np.ones(len(values))
    ratio = ratio_of_sums(measured.weekly, measured.weekly_weights)
    return widening(measured.weekly - ratio[:, None] * measured.weekly_weights, units.weeks_of_block)


def _contrasts(
    name: str, measured: Measured, units: Units, base: int, others: list[int], counts: Floats, flips: Floats
) -> dict[Pair, Contrast]:
    made = _differences(measured, [(row, base) for row in others])
    factor = _factor(made.values, made, units)
    if units.is_resampled:
        single, adjusted = draws_p(made.values), max_t(made.values)
    else:
        single, adjusted = paired_p(made.values, flips, factor), min_p(made.values, flips, factor)
    found = _intervals(made.values, made, units, counts, made.drawn)
    own = made.values / np.where(made.weights > 0, made.weights, np.nan)
    return {
        (units.policies[row], name): Contrast(
            float(made.shown[place]),
            found[place],
            float(single[place]),
            float(adjusted[place]),
            effect_size(own[place][np.isfinite(own[place])]),
            int((made.values[place] < 0).sum()),
            int((made.values[place] > 0).sum()),
        )
        for place, row in enumerate(others)
    }


def _differences(measured: Measured, pairs: Sequence[tuple[int, int]]) -> Measured:
    """Return a measure as differences of rows."""
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))

    def less(table: Floats | None) -> Floats | None:
        return None if table is None else table[first] - table[second]

    return Measured(
        measured.values[first] - measured.values[second],
        measured.weights,
        less(measured.weekly),
        measured.weekly_weights,
        less(measured.whole),
        less(measured.drawn),
        measured.has_interval,
    )


def _tied(measured: Measured, units: Units, is_high: bool, flips: Floats) -> frozenset[str]:
    """Return the policies that are not decided against the best one; which that is was seen from the data."""
    pairs = list(combinations(range(len(units.policies)), 2))
    if not pairs:
        return frozenset()
    made = _differences(measured, pairs)
    if units.is_resampled:
        p_values = max_t(made.values)
    else:
        p_values = min_p(made.values, flips, _factor(made.values, made, units))
    best = int(np.argmax(measured.shown) if is_high else np.argmin(measured.shown))
    undecided = {
        row
        for pair, p_value in zip(pairs, p_values.tolist(), strict=True)
        for row in pair
        if best in pair and row != best and not p_value <= ALPHA
    }
    return frozenset(units.policies[row] for row in undecided)
