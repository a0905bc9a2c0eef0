"""Figures of a cluster's forecast: usage and fairshare of a user and of those compared with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fsconsole.app.forecast.entry import DAY_S, HOUR_S, WEEK_S, length_text, plain
from fsconsole.app.forecast.one_figures import F_AXIS, job_events
from fsconsole.app.forecast.question import Answer, Question
from fsconsole.app.forecast.sentences import FAIR_TREE, short_name
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import DASHED
from fsconsole.slurm.forecast import Forecast
from fsconsole.text.numbers import fixed

# The user, then those compared with: a family each, then the same ones dashed.
STYLES = (
    ("c2", ()),
    ("c5", ()),
    ("c8", ()),
    ("c11", ()),
    *((colour, DASHED) for colour in ("c3", "c6", "c9", "c12")),
)
_F_DIGITS = 3
_TITLE = "time from now"


def figures_of(found: Answer) -> tuple[FigureSpec, ...]:
    """Usage and fairshare; nothing where no user is asked about."""
    if found.forecast is None:
        return ()
    return _usage(found, found.forecast), _fairshare(found, found.forecast)


def time_axis(until_s: float) -> Axis:
    """Hours, days or weeks, as a person would take them."""
    if until_s < 2 * DAY_S:
        return Axis(_TITLE, "hours", 1 / HOUR_S, "s")
    return (
        Axis(_TITLE, "days", 1 / DAY_S, "s")
        if until_s < 3 * WEEK_S
        else Axis(_TITLE, "weeks", 1 / WEEK_S, "s")
    )


def _usage(found: Answer, curves: Forecast) -> FigureSpec:
    return FigureSpec(
        "forecast-cluster-usage",
        "Forecast of usage",
        Axis("usage", "core-h", 1 / HOUR_S, "core-s"),
        tuple(_curves(found.question, curves, curves.usage_s)),
        time_axis(found.until_s),
        _caption(found.question),
        "usage",
        events=job_events(found.question.jobs, found.until_s),
        provenance=_provenance(found.question),
    )


def _fairshare(found: Answer, curves: Forecast) -> FigureSpec:
    first, *others = _curves(found.question, curves, curves.fairshare, _words_at_ends(found, curves))
    shown = [first, *others]
    if found.unchanged is not None:
        old = found.unchanged
        colour, _ = STYLES[0]
        name, path = (f"{one}, unchanged" for one in (first.name, first.path))
        shown.append(Curve(name, old.times_s, old.fairshare[0], colour, DASHED, path=path))
    wished = found.question.wished
    if wished is not None:
        ends = curves.times_s[[0, -1]]
        shown.append(Curve(f"F {plain(wished)}", ends, np.full(2, wished), "g1", DASHED, shape="level"))
    return FigureSpec(
        "forecast-cluster-fairshare",
        "Forecast of fairshare",
        F_AXIS,
        tuple(shown),
        time_axis(found.until_s),
        _caption(found.question),
        "fairshare",
        provenance=_provenance(found.question),
    )


def _curves(
    asked: Question, curves: Forecast, values: Floats, labels: tuple[str, ...] = ()
) -> Iterator[Curve]:
    """A curve for each user, the first with labels."""
    for place, row in enumerate(curves.rows):
        colour, dash = STYLES[place % len(STYLES)]
        said = labels if place == 0 else ()
        name, path = short_name(asked.cluster, row), asked.cluster.names[row]
        yield Curve(
            name, curves.times_s, values[place], colour, dash, path=path, marks=any(said), labels=said
        )


def _words_at_ends(found: Answer, curves: Forecast) -> tuple[str, ...]:
    """Fairshare of the user at the calculation after each of their jobs ends."""
    ends = [job.end_s for job in found.question.jobs if job.end_s <= curves.times_s[-1]]
    places = {int(np.searchsorted(curves.times_s, end)) for end in ends}
    count = len(curves.times_s)
    if not places:
        return ()
    return tuple(fixed(curves.fairshare[0, at], _F_DIGITS) if at in places else "" for at in range(count))


def _caption(asked: Question) -> str:
    others = "others as now" if asked.others_rate is None else f"others use {plain(asked.others_rate)} cores"
    return f"{asked.cluster.name}: {others}; half-life {length_text(asked.decay.half_life_s)}."


def _provenance(asked: Question) -> Provenance:
    settings = {
        "half_life_s": asked.decay.half_life_s,
        "period_s": asked.decay.period_s,
        "damping": asked.damping,
        "others": "as now" if asked.others_rate is None else asked.others_rate,
        "jobs": "; ".join(f"{job.cores:g},{job.start_s:g},{job.end_s:g}" for job in asked.jobs),
    }
    settings |= {f"shares of {asked.cluster.names[one.row]}": one.shares for one in asked.changes}
    remarks = ["What others use is an assumption."]
    if asked.cluster.is_fair_tree:
        remarks.append(FAIR_TREE)
    return Provenance(asked.cluster.name, settings=settings, origin="sshare", remarks=tuple(remarks))
