"""A user day by day: jobs (Fig. 2), and demand, usage and entitled share (Fig. 3). No Qt.

After Vasupongayya, section V-B. The paper draws three users of July 2003 under three policies.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from fsconsole.batch.clock import local_times
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats

_HALF_DAY_S = 43200
_COUNTS = (
    ("waiting", "waiting from before", "g2"),
    ("new", "submitted", "c2"),
    ("started", "started", "c5"),
)
_HOURS = (
    ("demand_nh", "demand", "c2", ()),
    ("usage_nh", "usage", "c5", ()),
    ("entitled_nh", "entitled share", "c8", (5.0, 2.0)),
    ("mean_demand_nh", "mean demand of all users", "g2", (2.0, 2.0)),
)


def figure_2(
    days: pl.DataFrame, user: str, policy: str, letter: str, unix_start_s: int | None, time_zone: str = ""
) -> FigureSpec:
    """Return Fig. 2: a user's jobs by day under a policy, as bars.

    Args:
        days: table of `user_days`, all users.
        user: the user shown.
        policy: name of the policy.
        letter: letter of the figure's part.
        unix_start_s: second 0 of the trace since 1970, for dates; None for days counted from 1.
        time_zone: time zone of the machine; UTC if empty.
    """
    own = _of(days, user)
    places = np.arange(own.height, dtype=np.float64)
    curves = tuple(Curve(name, places, _column(own, column), colour) for column, name, colour in _COUNTS)
    return FigureSpec(
        f"fig-2{letter}-jobs-by-day",
        f"Fig. 2({letter}): {policy}",
        Axis("jobs"),
        curves,
        _day_axis(own, unix_start_s, time_zone),
        f"User #{user}, jobs by day.",
        "jobs",
    )


def figure_3(
    days: pl.DataFrame, user: str, policy: str, letter: str, unix_start_s: int | None, time_zone: str = ""
) -> FigureSpec:
    """Return Fig. 3: a user's demand, usage and entitlement by day."""
    own = _of(days, user)
    places = np.arange(own.height, dtype=np.float64)
    curves = tuple(
        Curve(name, places, _column(own, column), colour, dash, shape="line")
        for column, name, colour, dash in _HOURS
    )
    return FigureSpec(
        f"fig-3{letter}-node-hours-by-day",
        f"Fig. 3({letter}): {policy}",
        Axis("node-hours", "", 1.0, "node-hours"),
        curves,
        _day_axis(own, unix_start_s, time_zone),
        f"User #{user}, node-hours by day.",
        "node_hours",
    )


def days_between(days: pl.DataFrame, user: str) -> tuple[int, int] | None:
    """Return the first and the last day with demand or usage of a user; None without any."""
    asks = (pl.col("demand_nh") > 0) | (pl.col("usage_nh") > 0) | (pl.col("new") > 0)
    found = days.filter((pl.col("user") == user) & asks)["day"]
    return (int(found[0]), int(found[-1])) if len(found) else None


def only_between(days: pl.DataFrame, between: tuple[int, int]) -> pl.DataFrame:
    """Return the days between two days, both included."""
    return days.filter(pl.col("day").is_between(*between))


def _of(days: pl.DataFrame, user: str) -> pl.DataFrame:
    return days.filter(pl.col("user") == user).sort("day")


def _column(own: pl.DataFrame, name: str) -> Floats:
    return own[name].to_numpy().astype(np.float64)


def _day_axis(own: pl.DataFrame, unix_start_s: int | None, time_zone: str) -> Axis:
    if unix_start_s is None:
        return Axis("day", kinds=tuple(str(day + 1) for day in own["day"].to_list()))
    # The middle decides: without a period, days begin at any hour and are 24 hours long despite summer time.
    middle_s = own["start_s"] + unix_start_s + _HALF_DAY_S
    return Axis("day", kinds=tuple(local_times(middle_s, time_zone).dt.strftime("%-d %b").to_list()))
