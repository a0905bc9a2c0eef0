"""A policy search: goals, space of settings, and months."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fsconsole.batch.policy import HOUR_S, BatchPolicy
from fsconsole.batch.study.spec import Months, Span, StudySpec, TraceWorkload

Aim = Literal["minimise", "maximise", "bound"]
Method = Literal["evolve", "sample"]
Measure = Literal[
    "share", "wait_growth", "avg_wait_h", "p95_wait_h", "p99_wait_h", "max_wait_h",
    "avg_bounded_slowdown", "gini_wait", "utilisation",
]  # fmt: skip

# Texts show these units of the measures.
UNITS: dict[str, str] = {
    "share": "points",
    "wait_growth": "",
    "avg_wait_h": "h",
    "p95_wait_h": "h",
    "p99_wait_h": "h",
    "max_wait_h": "h",
    "avg_bounded_slowdown": "",
    "gini_wait": "",
    "utilisation": "%",
}
MEASURE_NAMES: dict[str, str] = {
    "share": "share miss",
    "wait_growth": "wait growth",
    "avg_wait_h": "average wait",
    "p95_wait_h": "p95 wait",
    "p99_wait_h": "p99 wait",
    "max_wait_h": "longest wait",
    "avg_bounded_slowdown": "bounded slowdown",
    "gini_wait": "Gini of waits",
    "utilisation": "utilisation",
}
OF_MACHINE = ("utilisation",)  # These measures concern the whole machine, so they cannot have a group.
# These are means over jobs. All others are a value over all months, or a mean of months.
JOB_MEANS = ("avg_wait_h", "avg_bounded_slowdown")
MONTH_MEANS = ("gini_wait", "utilisation")


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure with a bound, or to be made small or large.

    Attributes:
        measure: one of `Measure`.
        of: a group or user; empty for all jobs.
        target: for `share`, the wanted fraction of usage, 0 .. 1.
        days: for `share`, number of days over which the fraction is taken.
        at_most, at_least: bound, in the measure's unit; None without one.
        aim: direction of improvement; `bound` for a goal that is only met or not, without an axis of the
            front.
        fewest_jobs: for `wait_growth`, users with fewer jobs in the months are left out.
        floor_s: for `wait_growth`, shorter waits count as this long.
        name: name in tables; derived if empty.
    """

    measure: Measure
    of: str = ""
    target: float = 0.0
    days: int = 7
    at_most: float | None = None
    at_least: float | None = None
    aim: Aim = "minimise"
    fewest_jobs: int = 20
    floor_s: int = HOUR_S
    name: str = ""

    @property
    def key(self) -> str:
        """Column name in files."""
        return f"{self.measure}_of_{self.of}" if self.of else self.measure

    @property
    def label(self) -> str:
        """Name of the goal in tables."""
        name = MEASURE_NAMES[self.measure]
        return self.name or (f"{name} of {self.of}" if self.of else name)

    @property
    def unit(self) -> str:
        """Unit of its values; empty for a ratio."""
        return UNITS[self.measure]

    @property
    def is_high_better(self) -> bool:
        """True if larger values are better."""
        return self.aim == "maximise" or (self.aim == "bound" and self.at_most is None)

    @property
    def bound_words(self) -> str:
        """Bound in words, such as `at most 3 points`; empty without one."""
        unit = f" {self.unit}" if self.unit else ""
        words = [
            f"{word} {value:g}{unit}"
            for word, value in (("at least", self.at_least), ("at most", self.at_most))
            if value is not None
        ]
        return ", ".join(words)

    def excess(self, value: float) -> float:
        """Return the miss of the bound relative to it; 0 within the bound."""
        found = 0.0
        if self.at_most is not None:
            found = max(found, (value - self.at_most) / (abs(self.at_most) or 1.0))
        if self.at_least is not None:
            found = max(found, (self.at_least - value) / (abs(self.at_least) or 1.0))
        return found


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter with one of several values."""

    name: str
    values: tuple[str | bool | int | float, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A parameter between two numbers.

    Attributes:
        is_log: whether each doubling is equally likely, not each step.
        is_whole: whether values are whole numbers (seconds of times, shares, reservations).
    """

    name: str
    low: float
    high: float
    is_log: bool = False
    is_whole: bool = False


Axis = Choice | Range
FCFS = BatchPolicy("fcfs")


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """A policy search.

    Attributes:
        name: name of the search.
        trace: a trace that comes with the program, by name, or a file; below `folder` if relative.
        goals: goals of the search.
        axes: parameters that vary; at least one.
        train: months for choosing settings.
        test: held-out months; None for all others.
        procs: nodes of the machine; None for the number in the trace's header.
        groups: users of each group by its name; None for the users outside all others.
        shares: file of a share tree instead of groups.
        baseline: policy that `wait_growth` and tests compare with.
        budget: number of settings to try.
        population: number of settings of a generation.
        points: largest number of points of the front that are tested on held-out months.
        about: purpose, in words.
        folder: base of relative file names.
    """

    name: str
    trace: str
    goals: tuple[Goal, ...]
    axes: tuple[Axis, ...]
    train: Months
    test: Months | None = None
    procs: int | None = None
    groups: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    shares: Path | None = None
    baseline: BatchPolicy = FCFS
    budget: int = 1000
    population: int = 200
    seed: int = 1
    method: Method = "evolve"
    points: int = 40
    about: str = ""
    folder: Path = field(default_factory=Path)

    @property
    def front_goals(self) -> tuple[int, ...]:
        """Indices of the goals that are axes of the front."""
        return tuple(place for place, goal in enumerate(self.goals) if goal.aim != "bound")

    def study(
        self, policies: tuple[BatchPolicy, ...], months: Months, shares: Path | None = None, name: str = ""
    ) -> StudySpec:
        """Return a study of policies on months of the trace; `shares` replaces the file of the search."""
        workload = TraceWorkload(self.trace, self.procs, months)
        return StudySpec(
            name or self.name, (workload,), policies, shares=shares or self.shares, folder=self.folder
        )


def named_months(periods: Mapping[str, tuple[int, int]]) -> Months:
    """Return months of a plan in a study's form: start, end and name."""
    return tuple(Span(f"{start}", f"{end}", name) for name, (start, end) in periods.items())
