"""Figures of one user's forecast: usage and fairshare over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsconsole.app.forecast.entry import plain
from fsconsole.app.forecast.jobs import Job
from fsconsole.app.forecast.one_user import PAPER_NOTE, OneOutlook, OneUser
from fsconsole.figures.spec import Axis, Curve, EventMark, FigureSpec, Provenance
from fsconsole.figures.style.curves import DASHED
from fsconsole.text.numbers import fixed

WEEKS = Axis("time from now", "weeks", 1 / (7 * 86400.0), "s")
F_AXIS = Axis("fairshare F", "", 1.0, "", (0.0, 1.0))
_MOST_ABOVE = 3.0  # A u* further above all usage would flatten the curves.
_F_DIGITS = 3


def figures_of(found: OneOutlook) -> tuple[FigureSpec, FigureSpec]:
    """Return the figures of usage and of fairshare."""
    return _usage(found), _fairshare(found)


def job_events(jobs: Sequence[Job], until_s: float, unit: str = "cores") -> tuple[EventMark, ...]:
    """Return the times at which jobs begin, for figures on paper."""
    return tuple(
        EventMark(job.start_s, f"{plain(job.cores)} {unit}") for job in jobs if job.start_s <= until_s
    )


def _usage(found: OneOutlook) -> FigureSpec:
    asked, path = found.asked, found.path
    curves = [Curve("usage", path.times_s, path.usage_h, "c2")]
    if asked.target_h <= _MOST_ABOVE * path.usage_h.max() or not path.usage_h.any():
        ends = path.times_s[[0, -1]]
        words = (f"u* {fixed(asked.target_h)} h: F halves", "")
        curves.append(
            Curve("u*", ends, np.full(2, asked.target_h), "g1", DASHED, shape="level", labels=words)
        )
    return FigureSpec(
        "forecast-usage",
        "Forecast of usage",
        Axis("usage", "core-h", 1.0, "core-h"),
        tuple(curves),
        WEEKS,
        f"One user, classic fairshare; half-life {plain(asked.half_life_d)} d.",
        "usage",
        events=job_events(asked.jobs, asked.until_s),
        provenance=_provenance(asked),
    )


def _fairshare(found: OneOutlook) -> FigureSpec:
    asked, path = found.asked, found.path
    texts = {time: fixed(found.fairshare_at(time), _F_DIGITS) for time in found.marks_s}
    labels = tuple(texts.get(time, "") for time in path.times_s.tolist())
    curves = [
        Curve(f"d = {plain(asked.damping)}", path.times_s, path.fairshare, "c5", marks=True, labels=labels)
    ]
    if found.compared is not None and asked.compared is not None:
        name = f"d = {plain(asked.compared)}"
        curves.append(Curve(name, path.times_s, found.compared.fairshare, "c6", DASHED))
    caption = f"Halves every {fixed(asked.target_h)} core-hours. "
    return FigureSpec(
        "forecast-fairshare",
        "Forecast of fairshare",
        F_AXIS,
        tuple(curves),
        WEEKS,
        caption + PAPER_NOTE if asked.is_papers else caption.strip(),
        "fairshare",
        provenance=_provenance(asked),
    )


def _provenance(asked: OneUser) -> Provenance:
    settings = {name: value for name, value in asked.to_json().items() if value is not None}
    origin = "Yalim, equations 8 and 9, F = 2^(-u/u*)"
    remarks = (PAPER_NOTE,) if asked.is_papers else ()
    return Provenance("One user, classic fairshare", settings=settings, origin=origin, remarks=remarks)
