"""The share error over time: the missed fraction of users' shares, day by day. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsconsole.batch.policy import DAY_S
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats
from fsconsole.figures.study_numbers import StudyNumbers, brief_name


@dataclass(frozen=True, eq=False, slots=True)
class ErrorOverTime:
    """Share errors of a run: start of each bin, s from the start of the period, and the fraction missed.

    `bin_s` is the length of a bin. Float64 [bins] each; NaN without entitlement.
    """

    begins_s: Floats
    part: Floats
    bin_s: int


def share_error_figure(
    numbers: StudyNumbers, workload: str, errors: Mapping[str, ErrorOverTime], *, are_brief: bool = False
) -> FigureSpec:
    """Return a line for each policy, by its label, with the bins of the first."""
    bin_s = next(iter(errors.values())).bin_s
    curves = []
    for label, found in errors.items():
        style = numbers.styles[label]
        name = brief_name(numbers.policies[label]) if are_brief else label
        curves.append(
            Curve(
                name, found.begins_s, found.part, style.colour_token, style.dash, shape="line",
                series=numbers.series(label),
            )
        )  # fmt: skip
    by = "day" if bin_s == DAY_S else "week"
    return FigureSpec(
        "share-error",
        f"Share error by {by}: entitled node-hours not used",
        Axis("share error", "%", 100.0),
        tuple(curves),
        Axis("time from the beginning", "days", 1 / DAY_S, "s"),
        workload,
        "share_error",
    )
