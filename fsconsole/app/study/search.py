"""Results of a search in words: points of the front with held-out months, and ties among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from fsconsole.app.study.significance import Significance, compare
from fsconsole.app.study.units import Measured, Units
from fsconsole.batch.job_table import Floats
from fsconsole.batch.search.folder import HELD_OUT, SearchFolder, values_in
from fsconsole.batch.search.spec import JOB_MEANS, MONTH_MEANS, Goal, SearchSpec
from fsconsole.text.durations import in_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed, plural

BASELINE = 0  # The baseline has this number among the points.
_NAMES = {
    "set:policy": "policy",
    "set:half_life": "half-life",
    "set:multifactor.max_age": "max age",
    "set:lxf_bound": "LXF bound",
    "set:expected_usage": "expected usage",
    "set:carry_reservation": "carried reservation",
    "set:boundary_passes": "passes at boundaries",
}
_TIMES = ("set:window", "set:half_life", "set:lxf_bound", "set:multifactor.max_age")


@dataclass(frozen=True, slots=True)
class Point:
    """A setting of the front, or the baseline.

    Attributes:
        number: of the setting; 0 for the baseline.
        policy: label of its policy with parameters.
        settings: values of the axes by name; without those that mean nothing under the policy.
        chosen: value of each goal on the months that settings were chosen on.
        held_out: on the held-out months; None without such months.
        meets: whether all bounds are met on the months of the choice.
        holds: whether they are met on the held-out months; None without such months.
    """

    number: int
    policy: str
    settings: Mapping[str, str | bool | int | float]
    chosen: tuple[float, ...]
    held_out: tuple[float | None, ...] | None
    meets: bool
    holds: bool | None

    @property
    def label(self) -> str:
        """The name in tables."""
        return "baseline" if self.number == BASELINE else f"#{self.number}"


@dataclass(frozen=True, eq=False, slots=True)
class SearchResult:
    """State and points of a search.

    Attributes:
        spec: what was wanted.
        tried, meeting: settings so far, and how many of them meet all bounds.
        on_front: settings on the front; `points` are so many of them that are far from each other.
        points: the baseline, then the points by number; empty before the end.
        values: of the goals, of every setting on the months of the choice, [settings, goals].
        known: intervals and ties over the months of the choice; policies are numbers as text.
        train, test: names of months.
        is_of_other_version: whether another version of fsconsole computed it.
    """

    spec: SearchSpec
    tried: int
    meeting: int
    on_front: int
    points: tuple[Point, ...]
    values: Floats
    known: Significance
    train: tuple[str, ...]
    test: tuple[str, ...]
    report: tuple[str, ...] = field(default=())
    is_of_other_version: bool = False

    @property
    def is_done(self) -> bool:
        """True if the points exist."""
        return bool(self.points)

    def is_best(self, point: Point, place: int) -> bool:
        """Return True if no point of the front has a better value of a goal."""
        if point.number == BASELINE:
            return False
        values = [other.chosen[place] for other in self.points if other.number != BASELINE]
        best = max(values) if self.spec.goals[place].is_high_better else min(values)
        return point.chosen[place] == best

    def is_tied(self, point: Point, place: int) -> bool:
        """Return True if a point is not decided against the best one of a goal."""
        return str(point.number) in self.known.tied.get(self.spec.goals[place].key, ())

    def mark(self, point: Point, place: int) -> str:
        """Return `*` for the best of a goal, `~` for a tie with it."""
        return "*" if self.is_best(point, place) else "~" if self.is_tied(point, place) else ""


def search_result(folder: SearchFolder) -> SearchResult:
    """Read a search's folder.

    Raises:
        StudyError: it is damaged.
    """
    spec, settings, table = folder.spec, folder.settings(), folder.points()
    points = () if table is None else tuple(_point(spec, row) for row in table.to_dicts())
    return SearchResult(
        spec,
        len(settings),
        int(settings["meets_bounds"].sum()),
        int(settings["on_front"].sum()),
        points,
        values_in(spec, (), settings)[:, :, 0],
        Significance() if table is None else significance_of_points(folder, table),
        tuple(folder.train.names),
        tuple(folder.test.names),
        folder.report,
        folder.is_of_other_version,
    )


def significance_of_points(folder: SearchFolder, table: pl.DataFrame) -> Significance:
    """Compute intervals and ties of points over the training months; held-out months are left out.

    All pairs of points are compared, since which one is the best was seen from the same months.
    """
    spec, months = folder.spec, folder.train.names
    labels = tuple(str(number) for number in table["number"].to_list())
    values = values_in(spec, months, table)
    front = [row for row, label in enumerate(labels) if label != str(BASELINE)]
    if not front:
        return Significance(reason="All simulations of settings failed")

    def measured(rows: list[int]) -> dict[str, Measured]:
        return {
            goal.key: _measured(goal, values[rows, place], folder.weights[place])
            for place, goal in enumerate(spec.goals)
        }

    better = {goal.key: "high" if goal.is_high_better else "low" for goal in spec.goals}
    against_base = compare(
        Units("month", len(months), labels, measured([*range(len(labels))])), labels[0], {}
    )
    names = tuple(labels[row] for row in front)
    among = compare(Units("month", len(months), names, measured(front)), names[0], better)
    return Significance(
        against_base.units,
        against_base.reference,
        against_base.intervals,
        against_base.contrasts,
        among.tied,
        against_base.reason,
    )


def _measured(goal: Goal, values: Floats, weights: Floats) -> Measured:
    """Return a goal over all and by month, [points, 1 + months]; months without anything to measure count
    nothing.
    """
    whole, monthly = values[:, 0], values[:, 1:]
    known = np.isfinite(monthly).all(axis=0)
    kept = np.where(known, weights, 0.0)
    is_mean = goal.measure in (*JOB_MEANS, *MONTH_MEANS)
    return Measured(np.where(known, monthly, 0.0) * kept, kept, whole=whole, has_interval=is_mean)


def _point(spec: SearchSpec, row: Mapping[str, Any]) -> Point:
    prefix = f"{HELD_OUT}:"
    has_test = f"{prefix}meets_bounds" in row
    return Point(
        row["number"],
        row["policy"],
        {
            name.removeprefix("set:"): value
            for name, value in row.items()
            if name.startswith("set:") and value is not None
        },
        tuple(row[goal.key] for goal in spec.goals),
        tuple(row[f"{prefix}{goal.key}"] for goal in spec.goals) if has_test else None,
        row["meets_bounds"],
        row[f"{prefix}meets_bounds"] if has_test else None,
    )


def axis_title(name: str) -> str:
    """Return an axis as a column's header: `half-life`, `shares of project`."""
    if name.startswith("shares."):
        return f"shares of {name.removeprefix('shares.')}"
    if name.startswith(("weights.", "multifactor.")) and not name.endswith("max_age"):
        return f"weight of {name.partition('.')[2].replace('_', ' ')}"
    return _NAMES.get(f"set:{name}", name.replace("_", " "))


def axis_words(name: str, value: str | bool | int | float | None) -> str:
    """Return a value of an axis as tables show it; empty where it means nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if f"set:{name}" in _TIMES and isinstance(value, int | float):
        return in_words(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def findings(result: SearchResult) -> list[str]:
    """Return the findings, in sentences."""
    spec = result.spec
    bounds = [f"{goal.label} {goal.bound_words}" for goal in spec.goals if goal.bound_words]
    lines = [f"{count_words(result.tried, 'setting')} tried on {count_words(len(result.train), 'month')}."]
    if result.is_of_other_version:
        lines.append("They are results of another version of fsconsole; this one may give others.")
    if bounds:
        wanted = "; ".join(bounds)
        lines.append(
            f"{thousands(result.meeting)} of them {plural(result.meeting, 'meets', 'meet')} all "
            f"bounds ({wanted})."
            if result.meeting
            else f"None of them meets all bounds ({wanted})."
        )
    if not result.is_done:
        return [*lines, "The search is not finished. Run it again to continue."]
    if result.tried < spec.budget:
        lines.append(
            f"No more distinct settings were found. The budget of {thousands(spec.budget)} is not used up."
        )
    shown = len(result.points) - 1
    more = "" if shown == result.on_front else f", of which {shown} distant ones are listed"
    lines.append(f"The front has {count_words(result.on_front, 'setting')}{more}.")
    if bounds and result.test:
        meeting = [point for point in result.points if point.meets and point.number != BASELINE]
        held = sum(bool(point.holds) for point in meeting)
        if meeting:
            listed_words = plural(
                len(meeting),
                "1 listed point meets the bounds",
                f"{len(meeting)} listed points meet the bounds",
            )
            months = ", ".join(result.test)
            held_words = plural(
                held, f"1 also meets them on the held-out months ({months})",
                f"{held} also meet them on the held-out months ({months})",
            )  # fmt: skip
            lines.append(f"{listed_words}; {held_words}.")
    if result.known.reason:
        return [*lines, f"{result.known.reason}."]
    ties = [
        f"{sum(result.is_tied(point, place) for point in result.points)} in {goal.label}"
        for place, goal in enumerate(spec.goals)
    ]
    ended = f"{thousands(len(result.train))} months do not decide the difference."
    return [*lines, f"Of {count_words(shown, 'point')}, these tie with the best one: {listed(ties)}. {ended}"]


def result_facts(result: SearchResult) -> dict[str, Any]:
    """Return a search's result as plain values, for JSON."""
    spec, known = result.spec, result.known
    goals = [
        {
            "key": goal.key,
            "name": goal.label,
            "unit": goal.unit,
            "aim": goal.aim,
            "at_most": goal.at_most,
            "at_least": goal.at_least,
        }
        for goal in spec.goals
    ]

    def of_goals(values: tuple[float | None, ...] | None) -> dict[str, float | None] | None:
        return (
            None if values is None else {goal.key: one for goal, one in zip(spec.goals, values, strict=True)}
        )

    def row(point: Point) -> dict[str, Any]:
        label = str(point.number)
        intervals = {goal.key: known.interval(label, goal.key) for goal in spec.goals}
        contrasts = {goal.key: known.contrasts.get((label, goal.key)) for goal in spec.goals}
        return {
            "number": point.number,
            "policy": point.policy,
            "settings": dict(point.settings),
            "chosen": of_goals(point.chosen),
            "held_out": of_goals(point.held_out),
            "meets_bounds": point.meets,
            "held_out_meets_bounds": point.holds,
            "best_of": [goal.key for place, goal in enumerate(spec.goals) if result.is_best(point, place)],
            "tied_in": [goal.key for place, goal in enumerate(spec.goals) if result.is_tied(point, place)],
            "interval": {
                key: [one.low, one.high] if one.is_known else None for key, one in intervals.items()
            },
            "p_value": {
                key: None if one is None or one.p_adjusted != one.p_adjusted else one.p_adjusted
                for key, one in contrasts.items()
            },
        }

    return {
        "name": spec.name,
        "tried": result.tried,
        "budget": spec.budget,
        "meeting": result.meeting,
        "on_front": result.on_front,
        "is_done": result.is_done,
        "chosen_on": list(result.train),
        "held_out": list(result.test),
        "goals": goals,
        "findings": findings(result),
        "points": [row(point) for point in result.points],
    }
