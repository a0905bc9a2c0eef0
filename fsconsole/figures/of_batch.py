"""Figures of a batch study: measures over windows or months (Figs. 1 and 4), deviation by user. No Qt.

After Vasupongayya, "Impact of Fair Share and its Configurations on Parallel Job Scheduling Algorithms". The
paper shows ten months of one machine; here the workloads of the study take their place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
import polars as pl

from fsconsole.batch.measures.summary import CONSIDERABLE_NH
from fsconsole.batch.policy import DAY_S, span
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats, Provenance
from fsconsole.figures.study_numbers import (
    Spread,
    StudyNumbers,
    brief_name,
    short_name,
    short_workloads,
)
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.text.numbers import fixed, signed
from fsconsole.text.words import listed


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of the summary with its name in figures; `digits` is the number of decimals of its values."""

    name: str
    title: str
    unit: str = ""
    digits: int = 1

    @property
    def axis(self) -> Axis:
        """The measure as an axis from 0."""
        return Axis(self.title.lower(), self.unit, 1.0, self.unit)


SLOWDOWN = Measure("avg_bounded_slowdown", "Average bounded slowdown")
AVERAGE_WAIT = Measure("avg_wait_h", "Average wait", "h")
LONGEST_WAIT = Measure("max_wait_h", "Maximum wait", "h", 0)
P99_WAIT = Measure("p99_wait_h", "99th-percentile wait", "h")
MEASURES = (SLOWDOWN, AVERAGE_WAIT, LONGEST_WAIT, P99_WAIT)

MOST_USERS = 40
_CUT_FROM = 1.8  # A bar longer than this many times the next one is cut and labelled with its value.
_CUT_ROOM = 1.2
_ROOM = 1.06
_FEW = 3


def over_windows(numbers: StudyNumbers, workload: str, measure: Measure, name: str = "") -> FigureSpec:
    """Return a measure over the fair-share window; policies without windows are levels for comparison.

    Without by-user policies it is a bar for each policy.
    """
    families = numbers.families()
    if not families:
        return _bars_of_policies(numbers, workload, measure, name)
    several = {family: labels for family, labels in families.items() if len(labels) > 1}
    chosen = several or families
    windows = sorted({numbers.policies[label].window_s for labels in chosen.values() for label in labels})
    curves = [
        _window_curve(numbers, workload, measure, family, labels, windows)
        for family, labels in chosen.items()
    ]
    curves += [
        _level(numbers, workload, measure, label, len(windows))
        for label in numbers.others()
        if numbers.has(workload, label)
    ]
    return FigureSpec(
        name or f"{measure.name}-over-windows",
        f"{measure.title} over the fair-share window",
        measure.axis,
        tuple(curves),
        Axis("fair-share window", kinds=tuple(map(span, windows))),
        ". ".join(filter(None, (workload, _spread_note(numbers, curves, (workload,), measure)))),
        measure.name,
    )


def over_workloads(
    numbers: StudyNumbers,
    measure: Measure,
    policies: Sequence[str],
    name: str = "",
    title: str = "",
    *,
    are_brief: bool = False,
) -> FigureSpec:
    """Return a measure over the workloads (months), a line for each policy; bars for a single workload.

    `policies` are labels; with `are_brief` they are shortened.
    """
    places = np.arange(len(numbers.workloads), dtype=np.float64)
    shape = "line" if len(places) > 1 else "bar"
    curves = []
    for label in policies:
        style = numbers.styles[label]
        spreads = [numbers.spread(workload, label, measure.name) for workload in numbers.workloads]
        called = brief_name(numbers.policies[label]) if are_brief else label
        curves.append(
            replace(
                _curve(called, places, spreads, style, numbers.series(label)),
                shape=shape,  # type: ignore[arg-type]
                marks=shape == "line",
            )
        )
    return FigureSpec(
        name or f"{measure.name}-over-workloads",
        title or measure.title,
        measure.axis,
        tuple(curves),
        Axis("workload", kinds=short_workloads(numbers.workloads)),
        _spread_note(numbers, curves, numbers.workloads, measure),
        measure.name,
    )


def means_over_workloads(numbers: StudyNumbers) -> tuple[FigureSpec, ...]:
    """Return a bar for each policy and measure: the mean over all workloads with its 95 % interval.

    None without such intervals, or for one workload, which has figures of its own.
    """
    if len(numbers.workloads) == 1 or "" not in numbers.interval_units:
        return ()
    alone = replace(numbers, workloads=("",))
    return tuple(
        replace(
            over_workloads(alone, measure, list(numbers.policies), f"mean-{measure.name}"),
            title=f"{measure.title}, mean over {numbers.interval_units['']}",
            x_axis=Axis("workload", kinds=("mean over all",)),
        )
        for measure in MEASURES
        if any(alone.spread("", label, measure.name).is_known for label in numbers.policies)
    )


def figure_1(numbers: StudyNumbers, *, are_brief: bool = False) -> tuple[FigureSpec, ...]:
    """Return Fig. 1 (a) to (d): policies with a window of a day beside those without windows.

    With `are_brief` the names are shortened.
    """
    labels = [
        label
        for label, policy in numbers.policies.items()
        if not policy.is_by_user or policy.window_s == DAY_S
    ] or list(numbers.policies)
    parts = (SLOWDOWN, AVERAGE_WAIT, LONGEST_WAIT, P99_WAIT)
    return tuple(
        over_workloads(
            numbers,
            measure,
            labels,
            f"fig-1{letter}-{measure.name}",
            f"Fig. 1({letter}): {measure.title}",
            are_brief=are_brief,
        )
        for letter, measure in zip("abcd", parts, strict=True)
    )


def figure_4(numbers: StudyNumbers, *, are_brief: bool = False) -> tuple[FigureSpec, ...]:
    """Return Fig. 4 (a) to (d): slowdown and maximum wait, windows up to a day, then from a day on.

    A study with one workload is shown over the windows instead: a line of one month would be a point.
    """
    found = {name: labels for name, labels in numbers.families().items() if len(labels) > 1}
    if not found:
        return ()
    if len(numbers.workloads) == 1:
        return _figure_4_of_one(numbers)
    labels = next(iter(found.values()))
    short = [label for label in labels if numbers.policies[label].window_s <= DAY_S]
    long = [label for label in labels if numbers.policies[label].window_s >= DAY_S]
    parts = [(measure, chosen) for measure in (SLOWDOWN, LONGEST_WAIT) for chosen in (short, long)]
    return tuple(
        over_workloads(
            numbers,
            measure,
            chosen,
            f"fig-4{letter}-{measure.name}",
            f"Fig. 4({letter}): {measure.title}",
            are_brief=are_brief,
        )
        for letter, (measure, chosen) in zip("abcd", parts, strict=True)
        if chosen
    )


def _figure_4_of_one(numbers: StudyNumbers) -> tuple[FigureSpec, ...]:
    made = []
    for letter, measure in (("a", SLOWDOWN), ("c", LONGEST_WAIT)):
        spec = over_windows(numbers, numbers.workloads[0], measure, f"fig-4{letter}-{measure.name}")
        made.append(replace(spec, title=f"Fig. 4({letter}): {measure.title}"))
    return tuple(made)


def with_origin(spec: FigureSpec, study: str, settings: Mapping[str, str]) -> FigureSpec:
    """Return the figure with its study as provenance, for the files beside it."""
    return replace(
        spec, provenance=Provenance(scenario=study, origin="study", settings=settings, remarks=(_RULES,))
    )


_RULES = "fsconsole's own rules settle what the paper leaves open."


@dataclass(frozen=True, slots=True)
class Deviation:
    """The figure of deviations, its users from the left, and the numbers from which they were chosen."""

    spec: FigureSpec
    users: tuple[str, ...]
    beyond: int
    of: int

    @property
    def words(self) -> str:
        """Rule and number of the users shown, such as `10 of 25 users, |dev| > 50 node-h`."""
        whom = self.of if len(self.users) == self.beyond else self.beyond
        return f"{len(self.users)} of {whom} users, |dev| > {CONSIDERABLE_NH:.0f} node-h"


@dataclass(frozen=True, slots=True)
class UsersOf:
    """The users of a policy's run, a row each with `user` and `dev_nh`, and the policy's style."""

    label: str
    style: CurveStyle
    users: pl.DataFrame


def deviation_by_user(
    chosen: UsersOf, base: UsersOf | None = None, most: int = MOST_USERS, lit: str = ""
) -> Deviation:
    """Return used minus entitled node-hours by user under a policy, with those of `base` as dashes.

    At most `most` users with the largest deviations are shown, none within 50 node-hours except the user
    `lit`, whose bar is highlighted and labelled.
    """
    beyond = chosen.users.filter(pl.col("dev_nh").abs() > CONSIDERABLE_NH)
    shown = beyond.sort(pl.col("dev_nh").abs(), "user", descending=[True, False]).head(most)
    is_lit = pl.col("user").cast(pl.String) == lit
    if lit and shown.filter(is_lit).is_empty():
        shown = pl.concat([shown, chosen.users.filter(is_lit)])
    shown = shown.sort("dev_nh", "user", descending=[True, False])
    users = tuple(str(user) for user in shown["user"].to_list())
    values = shown["dev_nh"].to_numpy().astype(np.float64)
    places = np.arange(len(users), dtype=np.float64)
    others = _deviations(base, users)
    limits = _cut_limits(values / 1000, others / 1000)
    words = _bar_words(users, values / 1000, limits, lit)
    at = users.index(lit) if lit in users else None
    curves = [Curve(chosen.label, places, values, chosen.style.colour_token, labels=words, lit=at)]
    if base is not None:
        curves.append(Curve(base.label, places, others, base.style.colour_token, shape="tick"))
    spec = FigureSpec(
        "deviation-by-user",
        "Deviation by user: used minus entitled",
        Axis("deviation", "1000 node-hours", 1e-3, "node-hours", limits),
        tuple(curves),
        Axis("user", kinds=tuple(f"#{user}" for user in users)),
        chosen.label,
        "dev_nh",
    )
    return Deviation(spec, users, beyond.height, chosen.users.height)


def _deviations(of: UsersOf | None, users: Sequence[str]) -> Floats:
    """Return deviations of users in node-hours, NaN for absent users."""
    if of is None:
        return np.full(len(users), np.nan)
    there = dict(zip(of.users["user"].cast(pl.String), of.users["dev_nh"], strict=True))
    return np.array([there.get(user, np.nan) for user in users], dtype=np.float64)


def _cut_limits(values: Floats, beside: Floats) -> tuple[float, float] | None:
    """Return an axis that cuts the one bar that is far longer than all others; None without such a bar.

    Values drawn `beside` the bars are not cut.
    """
    if len(values) < _FEW:
        return None
    at = int(np.argmax(np.abs(values)))
    others = np.append(np.delete(values, at), beside[~np.isnan(beside)])
    if abs(values[at]) <= _CUT_FROM * np.max(np.abs(others)):
        return None
    low, high = (_ROOM * float(edge) for edge in (others.min(initial=0.0), others.max(initial=0.0)))
    return (low * _CUT_ROOM, high) if values[at] < 0 else (low, high * _CUT_ROOM)


def _bar_words(
    users: Sequence[str], values: Floats, limits: tuple[float, float] | None, lit: str
) -> tuple[str, ...]:
    """Return labels for the bars that are cut and for that of the user `lit`."""
    low, high = limits if limits is not None else (-inf, inf)
    words = tuple(
        f"#{user}: {signed(value, 1)}" if user == lit or not low <= value <= high else ""
        for user, value in zip(users, values.tolist(), strict=True)
    )
    return words if any(words) else ()


def _window_curve(
    numbers: StudyNumbers,
    workload: str,
    measure: Measure,
    family: str,
    labels: Sequence[str],
    windows: list[int],
) -> Curve:
    by_window = {numbers.policies[label].window_s: label for label in labels}
    spreads = [numbers.spread(workload, by_window.get(window, ""), measure.name) for window in windows]
    middle = labels[(len(labels) - 1) // 2]
    style = CurveStyle(numbers.styles[middle].colour_token)
    places = np.arange(len(windows), dtype=np.float64)
    curve = _curve(family, places, spreads, style, numbers.series(middle))
    words = tuple(fixed(one.mean, measure.digits) if one.is_known else "" for one in spreads)
    return replace(curve, shape="line", marks=True, labels=words)


def _level(numbers: StudyNumbers, workload: str, measure: Measure, label: str, count: int) -> Curve:
    style, value = numbers.styles[label], numbers.spread(workload, label, measure.name)
    name = f"{short_name(label)} {fixed(value.mean, measure.digits)}"
    level = _curve(name, np.arange(count, dtype=np.float64), [value] * count, style, numbers.series(label))
    return replace(level, shape="level")


def _bars_of_policies(numbers: StudyNumbers, workload: str, measure: Measure, name: str) -> FigureSpec:
    labels = [label for label in numbers.policies if numbers.has(workload, label)]
    values = [numbers.spread(workload, label, measure.name) for label in labels]
    curve = _curve(measure.title, np.arange(len(labels), dtype=np.float64), values, CurveStyle("c2"))
    words = tuple(fixed(one.mean, measure.digits) for one in values)
    return FigureSpec(
        name or f"{measure.name}-by-policy",
        measure.title,
        measure.axis,
        (replace(curve, labels=words),),
        Axis("policy", kinds=tuple(short_name(label) for label in labels)),
        ". ".join(filter(None, (workload, _spread_note(numbers, [curve], (workload,), measure)))),
        measure.name,
    )


def _spread_note(
    numbers: StudyNumbers, curves: Sequence[Curve], workloads: Sequence[str], measure: Measure
) -> str:
    """Return a sentence on the meaning of error bars and bands; empty without any."""
    if not any(curve.band for curve in curves):
        return ""
    own = (name for name, _, known in numbers.intervals if name in workloads and known == measure.name)
    units = list(dict.fromkeys(numbers.interval_units[name] for name in own))
    return f"95 % intervals over {listed(units)}." if units else _SEEDS


_SEEDS = "Means over seeds, with bands from smallest to largest."


def _curve(
    name: str, places: Floats, spreads: Sequence[Spread], style: CurveStyle, series: int | None = None
) -> Curve:
    """Return a curve of means, with a band of their intervals, or of least to largest over several seeds."""
    mean, low, high = (
        np.array([getattr(one, part) for one in spreads], dtype=np.float64)
        for part in ("mean", "low", "high")
    )
    band = (low, high) if any(one.seeds > 1 or one.is_interval for one in spreads) else ()
    return Curve(name, places, mean, style.colour_token, style.dash, band=band, series=series)
