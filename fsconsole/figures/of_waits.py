"""Figures of waits of jobs under several policies: percentiles and cumulative distribution. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats
from fsconsole.figures.study_numbers import StudyNumbers, brief_name
from fsconsole.text.numbers import fixed

PERCENTILES = (25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 100.0)
_EDGES = (
    ("0", 0), ("10 s", 10), ("1 min", 60), ("10 min", 600), ("1 h", HOUR_S), ("6 h", 6 * HOUR_S),
    ("1 d", DAY_S), ("3 d", 3 * DAY_S), ("7 d", 7 * DAY_S),
)  # fmt: skip


def wait_figures(
    numbers: StudyNumbers, workload: str, waits_s: Mapping[str, Floats], *, are_brief: bool = False
) -> tuple[FigureSpec, ...]:
    """Return percentiles of waits on a logarithmic axis, and their cumulative distribution.

    Args:
        numbers: numbers of the study, for names and colours.
        workload: workload of the jobs.
        waits_s: waits of the measured jobs by label of the policy, seconds, [jobs], at least one each.
        are_brief: whether names are shortened.
    """
    words = tuple("max" if part == 100 else f"{part:g}" for part in PERCENTILES)
    percentiles = FigureSpec(
        "wait-percentiles",
        "Waits by percentile of jobs",
        Axis("wait", "h", 1.0, "h", is_log=True),
        _curves(numbers, {label: percentiles_h(waits) for label, waits in waits_s.items()}, are_brief),
        Axis("percentile", kinds=words),
        workload,
        "wait_h",
    )
    parts = FigureSpec(
        "wait-distribution",
        "Jobs that wait at most this long",
        Axis("jobs", "%", 100.0),
        _curves(numbers, {label: parts_up_to(waits) for label, waits in waits_s.items()}, are_brief),
        Axis("wait", kinds=tuple(word for word, _ in _EDGES)),
        workload,
        "part",
    )
    return percentiles, parts


_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def user_waits(
    numbers: StudyNumbers,
    workload: str,
    waits_h: Mapping[str, Floats],
    lit: str = "",
    lit_h: Mapping[str, float] | None = None,
) -> FigureSpec:
    """Return average waits of users as a box for each policy: middle half, median, 5 to 95 %.

    Args:
        numbers: numbers of the study, for names.
        workload: workload of the users.
        waits_h: waits by label of the policy, hours, [users], at least one each.
        lit: highlighted user, shown as a labelled dash; empty for none.
        lit_h: average waits of this user by label of the policy, hours.
    """
    found = np.array([np.quantile(one, _QUANTILES, method="inverted_cdf") for one in waits_h.values()])
    low, first, middle, third, high = found.T
    places = np.arange(len(found), dtype=np.float64)
    curve = Curve("", places, middle, "c2", path="users", shape="box", band=(first, third))
    curves, caption = [replace(curve, whiskers=(low, high))], workload
    if lit_h:
        own = np.array([lit_h.get(label, np.nan) for label in waits_h], dtype=np.float64)
        words = tuple(fixed(value, 2) if value == value else "" for value in own.tolist())
        curves.append(Curve("", places, own, "c4", path=f"user {lit}", shape="tick", labels=words))
        caption = f"{workload}. The dash with a number is user #{lit}"
    names = tuple(brief_name(numbers.policies[label]) for label in waits_h)
    if any("−" in name for name in names):
        caption += "; − is without expected usage"
    return FigureSpec(
        "user-waits",
        "Average waits of users: median, middle half, 5 to 95 %",
        Axis("average wait", "h", 1.0, "h", is_log=True),
        tuple(curves),
        Axis("policy", kinds=names),
        caption,
        "avg_wait_h",
    )


def percentiles_h(waits_s: Floats) -> Floats:
    """Return PERCENTILES of waits in s, [jobs], by nearest rank, h [percentiles]."""
    found: Floats = np.quantile(waits_s, np.array(PERCENTILES) / 100, method="inverted_cdf") / HOUR_S
    return found


def parts_up_to(waits_s: Floats) -> Floats:
    """Return the fraction of jobs, waits in s [jobs], that wait at most to each edge of the axis, [edges]."""
    ordered = np.sort(waits_s)
    edges_s = [edge_s for _, edge_s in _EDGES]
    found: Floats = np.searchsorted(ordered, edges_s, side="right") / len(ordered)
    return found


def _curves(numbers: StudyNumbers, by_label: Mapping[str, Floats], are_brief: bool) -> tuple[Curve, ...]:
    made = []
    for label, values in by_label.items():
        style = numbers.styles[label]
        name = brief_name(numbers.policies[label]) if are_brief else label
        places = np.arange(len(values), dtype=np.float64)
        made.append(
            Curve(
                name, places, values, style.colour_token, style.dash, shape="line", marks=True,
                series=numbers.series(label),
            )
        )  # fmt: skip
    return tuple(made)
