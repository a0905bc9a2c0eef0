"""Figures of a cluster's forecast: usage and fairshare of a user and of those compared with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

import numpy as np

from fsconsole.app.forecast.entry import DAY_S, HOUR_S, NO_HALF_LIFE, WEEK_S, length_text, plain
from fsconsole.app.forecast.one_figures import F_AXIS, job_events
from fsconsole.app.forecast.question import Answer, Question
from fsconsole.app.forecast.sentences import FAIR_TREE, assumptions, short_name
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import DASHED, DOTTED
from fsconsole.slurm.forecast import Forecast
from fsconsole.slurm.solver import Quantity
from fsconsole.text.numbers import fixed

# The user comes first, then the rivals: one colour family each, then the same colours dashed.
STYLES = (
    ("c2", ()),
    ("c5", ()),
    ("c8", ()),
    ("c11", ()),
    *((colour, DASHED) for colour in ("c3", "c6", "c9", "c12")),
)


class Shown(StrEnum):
    """Quantity in the second figure."""

    FAIRSHARE = "Fairshare F"
    LEVEL_FS = "Level fairshare"
    PRIORITY = "Priority"


_AXES = {
    Shown.FAIRSHARE: F_AXIS,
    Shown.LEVEL_FS: Axis("level fairshare"),
    Shown.PRIORITY: Axis("priority", "points"),
}
_F_DIGITS = 3
_TITLE = "time from now"


def figures_of(found: Answer, shown: Shown = Shown.FAIRSHARE) -> tuple[FigureSpec, ...]:
    """Return figures of usage, and of fairshare or its substitute; none without a selected node.

    With changes, dashed curves in the same axes show the forecast without them, from the same time.
    """
    if found.forecast is None:
        return ()
    if shown not in offered(found):
        shown = Shown.FAIRSHARE
    return _usage(found, found.forecast), _fairshare(found, found.forecast, shown)


def offered(found: Answer) -> tuple[Shown, ...]:
    """Return the quantities that can be shown beside usage."""
    more = [Shown.LEVEL_FS] if found.question.cluster.is_fair_tree else []
    more += [Shown.PRIORITY] if found.question.mix is not None else []
    return (Shown.FAIRSHARE, *more)


def time_axis(until_s: float) -> Axis:
    """Return hours, days or weeks, as a person would take them."""
    if until_s < 2 * DAY_S:
        return Axis(_TITLE, "hours", 1 / HOUR_S, "s")
    return (
        Axis(_TITLE, "days", 1 / DAY_S, "s")
        if until_s < 3 * WEEK_S
        else Axis(_TITLE, "weeks", 1 / WEEK_S, "s")
    )


def _usage(found: Answer, curves: Forecast) -> FigureSpec:
    cluster = found.question.cluster
    shown = [*_curves(found.question, curves, curves.usage_s)]
    if found.unchanged is not None and not np.array_equal(_usage_on(found.unchanged, curves), curves.usage_s):
        shown += _dashed(found, found.unchanged, found.unchanged.usage_s)
    return FigureSpec(
        "forecast-cluster-usage",
        "Forecast of usage",
        Axis("usage", cluster.usage_unit, 1 / HOUR_S, f"{cluster.usage_unit[:-1]}s"),
        tuple(shown),
        time_axis(found.until_s),
        _caption(found.question),
        "usage",
        events=job_events(found.question.jobs, found.until_s, cluster.rate_unit),
        provenance=_provenance(found.question),
    )


def _fairshare(found: Answer, curves: Forecast, quantity: Shown) -> FigureSpec:
    asked = found.question
    is_fairshare = quantity is Shown.FAIRSHARE
    labels = _words_at_ends(found, curves) if is_fairshare else ()
    first, *others = _curves(asked, curves, _values(asked, curves, quantity), labels)
    if is_fairshare and asked.row is not None and not asked.cluster.tree.user[asked.row]:
        first = replace(first, band=(curves.lowest[0], curves.highest[0]))
    shown = [first, *others]
    if found.unchanged is not None:
        shown += _dashed(found, found.unchanged, _values(asked, found.unchanged, quantity))
    wished = asked.wished if asked.wished is not None or asked.goal is None else asked.goal.value
    is_of_goal = asked.goal is not None and asked.goal.quantity is Quantity.LEVEL_FS
    if wished is not None and is_fairshare and not is_of_goal:
        ends = curves.times_s[[0, -1]]
        shown.append(Curve(f"F {plain(wished)}", ends, np.full(2, wished), "g1", DASHED, shape="level"))
    by = () if asked.goal is None else (EventMark(asked.goal.time_s, f"F {plain(asked.goal.value)} wished"),)
    name = {Shown.FAIRSHARE: "fairshare", Shown.LEVEL_FS: "level-fairshare", Shown.PRIORITY: "priority"}[
        quantity
    ]
    return FigureSpec(
        f"forecast-cluster-{name}",
        f"Forecast of {quantity.value.removesuffix(' F').lower()}",
        _AXES[quantity],
        tuple(shown),
        time_axis(found.until_s),
        _caption(asked),
        name.replace("-", " "),
        events=by,
        provenance=_provenance(asked),
    )


def _values(asked: Question, curves: Forecast, quantity: Shown) -> Floats:
    """Return values of a quantity over time, float64 [rows, k]."""
    if quantity is Shown.LEVEL_FS:
        return np.where(np.isinf(curves.level_fs), np.nan, curves.level_fs)
    if quantity is Shown.PRIORITY and asked.mix is not None:
        return np.array([asked.mix.priority(curves.times_s, row) for row in curves.fairshare])
    return curves.fairshare


def _usage_on(other: Forecast, curves: Forecast) -> Floats:
    """Return usage of a forecast if it has the same times; otherwise nothing."""
    return other.usage_s if np.array_equal(other.times_s, curves.times_s) else np.empty(0)


def _dashed(found: Answer, old: Forecast, values: Floats) -> Iterator[Curve]:
    """Yield the same nodes without the changes, dashed."""
    for curve in _curves(found.question, old, values):
        name, path = (f"{one}, unchanged" for one in (curve.name, curve.path))
        yield replace(curve, name=name, path=path, dash=DOTTED if curve.dash else DASHED)


def _curves(
    asked: Question, curves: Forecast, values: Floats, labels: tuple[str, ...] = ()
) -> Iterator[Curve]:
    """Yield a curve for each node, the first with labels."""
    for place, row in enumerate(curves.rows):
        colour, dash = STYLES[place % len(STYLES)]
        texts = labels if place == 0 else ()
        name, path = short_name(asked.cluster, row), asked.cluster.names[row]
        yield Curve(
            name, curves.times_s, values[place], colour, dash, path=path, marks=any(texts), labels=texts
        )


def _words_at_ends(found: Answer, curves: Forecast) -> tuple[str, ...]:
    """Describe the user's fairshare at the calculation after each of their jobs ends."""
    ends = [job.end_s for job in found.question.jobs if job.end_s <= curves.times_s[-1]]
    places = {int(np.searchsorted(curves.times_s, end)) for end in ends}
    count = len(curves.times_s)
    if not places:
        return ()
    return tuple(fixed(curves.fairshare[0, at], _F_DIGITS) if at in places else "" for at in range(count))


def _caption(asked: Question) -> str:
    unit = asked.cluster.rate_unit
    rate = "keep their usage" if asked.others_rate is None else f"use {plain(asked.others_rate)} {unit}"
    others = f"others {rate}"
    return f"{asked.cluster.name}: {others}; half-life {length_text(asked.decay.half_life_s)}."


def _provenance(asked: Question) -> Provenance:
    settings = {
        "half_life_s": NO_HALF_LIFE if math.isinf(asked.decay.half_life_s) else asked.decay.half_life_s,
        "period_s": asked.decay.period_s,
        "damping": asked.damping,
        "others": "keep their usage" if asked.others_rate is None else asked.others_rate,
        "own": str(asked.own),
        "jobs": "; ".join(f"{job.cores:g},{job.start_s:g},{job.end_s:g}" for job in asked.jobs),
    }
    names, changes = asked.cluster.names, asked.changes
    settings |= {f"shares of {names[one.row]}": one.shares for one in changes.shares}
    settings |= {f"work of {names[one.row]}": one.rate for one in changes.rates}
    settings |= {f"usage of {names[row]}": 0 for row in changes.resets}
    named = {"new half_life_s": changes.half_life_s, "new damping": changes.damping}
    settings |= {name: value for name, value in named.items() if value is not None}
    remarks = [*assumptions(asked)]
    if asked.cluster.is_fair_tree:
        remarks.append(FAIR_TREE)
    return Provenance(asked.cluster.name, settings=settings, origin="sshare", remarks=tuple(remarks))
