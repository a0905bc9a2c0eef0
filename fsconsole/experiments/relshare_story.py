"""Users who suffer under RelShare(1d), found by rules, and some of them by day (Vasupongayya, V-B)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from fsconsole.batch.insight.user_types import UserType, find_user_types
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.measures.change_tables import suffering_tables
from fsconsole.batch.measures.days import day_edges, user_days
from fsconsole.batch.policy import BatchPolicy
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import DAILY, FCFS, LXF, MonthRuns
from fsconsole.experiments.relshare_words import columns_text, in_most, is_so, wrapped
from fsconsole.figures.of_days import days_between, figure_2, figure_3, only_between
from fsconsole.figures.spec import FigureSpec

_USERS = Origin.words("section V-B, Table II")
_MOST_LISTED = 3  # The text lists this many users of each type.
_FARE = (("dev_nh", 0), ("max_wait_h", 1), ("avg_wait_h", 1))
_SHOWN = (DAILY, FCFS, LXF)  # The order is that of the paper's Figures 2 and 3.


@dataclass(frozen=True, slots=True)
class Suffering:
    """A user of a type, and the index of the month in which it was found."""

    place: int
    month: str
    user: UserType

    @property
    def growth_h(self) -> float:
        """Growth of the longest wait."""
        return self.user.max_wait_h - self.user.base_max_wait_h


@dataclass(frozen=True, eq=False, slots=True)
class Story:
    """The suffering users and the days of some."""

    users: tuple[Suffering, ...]
    claims: tuple[Claim, ...]
    figures: tuple[FigureSpec, ...]
    table: str
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Days:
    """A user day by day under the policies of _SHOWN, from the first to the last relevant day."""

    user: str
    month: str
    frames: tuple[pl.DataFrame, ...]
    jobs: JobTable

    def mean(self, policy: BatchPolicy, column: str) -> float:
        """Return the mean of a column over the user's days."""
        return float(self._own(policy)[column].to_numpy().mean())

    def count(self, policy: BatchPolicy, is_so: pl.Expr) -> list[bool]:
        """Return True if a condition holds, day by day."""
        return [bool(value) for value in self._own(policy).select(is_so).to_series().to_list()]

    def _own(self, policy: BatchPolicy) -> pl.DataFrame:
        return self.frames[_SHOWN.index(policy)].filter(pl.col("user") == self.user)


def find_suffering(found: MonthRuns, steps: Steps) -> list[Suffering]:
    """Return users of both types in each month, RelShare(1d) with its reservation log against FCFS.

    FCFS is FCFS-backfill.
    """
    every = []
    for place, (base, run) in enumerate(found.pairs(FCFS, DAILY)):
        steps.at(place / len(found.months))
        users = find_user_types(
            base.schedule,
            run.schedule,
            run.month.measured,
            run.month.period,
            base_measured=base.month.measured,
        )
        every += [Suffering(place, run.month.period.name, user) for user in users]
    steps.at(1.0)
    return every


def write_story(found: MonthRuns, steps: Steps) -> Story:
    """Return the users of types S1 and S2, and the days of those who suffer most."""
    every = find_suffering(found, steps)
    ones = {kind: [one for one in every if one.user.kind == kind] for kind in ("S1", "S2")}
    shown = {kind: most for kind, users in ones.items() if (most := _most(users)) is not None}
    days = {kind: days_of(found, one) for kind, one in shown.items()}
    claims = (
        is_so(
            "A user of type S1 is found: their own easy jobs cost a difficult job its reservation",
            measured="S1" in shown,
            origin=_USERS,
        ),
        is_so(
            "A user of type S2 is found: a heavy demand on several days",
            measured="S2" in shown,
            origin=_USERS,
        ),
        *_s1_claims(found, ones["S1"], days.get("S1")),
        *_s2_claims(days.get("S2")),
    )
    figures = [
        *(days_figures(figure_2, days["S1"], "abc", "type S1, jobs") if "S1" in days else ()),
        *(days_figures(figure_3, days["S1"], "abc", "type S1, node-hours") if "S1" in days else ()),
        *(days_figures(figure_3, days["S2"], "def", "type S2, node-hours") if "S2" in days else ()),
    ]
    return Story(tuple(every), claims, tuple(figures), _table(found, every), _text(ones["S1"], ones["S2"]))


def _most(users: Sequence[Suffering]) -> Suffering | None:
    """Return the user whose longest wait has grown most; for S1 preferably one with lost reservations."""
    affected = [one for one in users if one.user.losses] or users
    return max(affected, key=lambda one: one.growth_h, default=None)


def days_of(found: MonthRuns, one: Suffering) -> Days:
    """Return the days of a suffering user, from the first to the last relevant one."""
    runs = [found.of(policy)[one.place] for policy in _SHOWN]
    user = one.user.user
    frames = [user_days(run.schedule, day_edges(run.schedule, run.month.period)) for run in runs]
    ends = [between for frame in frames if (between := days_between(frame, user)) is not None]
    between = (min(first for first, _ in ends), max(last for _, last in ends))
    return Days(
        user, one.month, tuple(only_between(frame, between) for frame in frames), runs[0].schedule.jobs
    )


def _s1_claims(found: MonthRuns, users: Sequence[Suffering], days: Days | None) -> tuple[Claim, ...]:
    if days is None:
        return ()
    waiting = {policy: days.mean(policy, "waiting") for policy in _SHOWN}
    devs = [tuple(_dev_nh(found, policy, one) for policy in (FCFS, LXF)) for one in users]
    return (
        is_so(
            f"S1 user {days.user} ({days.month}, Fig. 2): more jobs wait at the beginning of days "
            "under RelShare(1d) than under FCFS and LXF",
            measured=waiting[DAILY] > max(waiting[FCFS], waiting[LXF]),
            origin=Origin.words("section V-B, Fig. 2"),
        ),
        is_so(
            f"S1 user {days.user} (Fig. 3): uses less than entitled under RelShare(1d)",
            measured=days.mean(DAILY, "usage_nh") < days.mean(DAILY, "entitled_nh"),
            origin=Origin.words("section V-B, Fig. 3"),
        ),
        in_most(
            "S1 users who are less under-shared under LXF than under FCFS",
            [lxf > fcfs for fcfs, lxf in devs],
            "users",
            origin=Origin.words("section V-B, Table II"),
        ),
    )


def _dev_nh(found: MonthRuns, policy: BatchPolicy, one: Suffering) -> float:
    users = found.of(policy)[one.place].users
    return float(users.filter(pl.col("user") == one.user.user)["dev_nh"][0])


def _s2_claims(days: Days | None) -> tuple[Claim, ...]:
    if days is None:
        return ()
    asked = days.count(DAILY, pl.col("demand_nh") > 0)
    enough = days.count(DAILY, pl.col("usage_nh") >= pl.col("entitled_nh"))
    return (
        in_most(
            f"S2 user {days.user} ({days.month}, Fig. 3): days with demand on which usage reaches the "
            "entitled share under RelShare(1d)",
            [used for used, is_asked in zip(enough, asked, strict=True) if is_asked],
            "days",
            origin=Origin.words("section V-B, Fig. 3"),
        ),
    )


_Figure = Callable[[pl.DataFrame, str, str, str, int | None, str], FigureSpec]


def days_figures(make: _Figure, days: Days, letters: str, what: str) -> list[FigureSpec]:
    """Return a figure by day for each policy, lettered."""
    caption = f"User #{days.user} in {days.month}, {what} by day."
    return [
        replace(
            make(frame, days.user, policy.label, letter, days.jobs.unix_start_s, days.jobs.time_zone),
            caption=caption,
        )
        for frame, policy, letter in zip(days.frames, _SHOWN, letters, strict=True)
    ]


def _table(found: MonthRuns, every: Sequence[Suffering]) -> str:
    """Return Table II(a) without slowdowns, to fit into 80 columns."""
    types = {(one.month, one.user.user): one.user.kind for one in every}
    table, _ = suffering_tables(found.policy_runs(), FCFS.label, DAILY.label, types=dict(types))
    shown = (FCFS, LXF, DAILY)
    rows = [
        (
            f"#{row['user']} {row['month']}",
            *(
                f"{row[f'{policy.label} {column}']:.{digits}f}"
                for policy in shown
                for column, digits in _FARE
            ),
            row["type"] or "",
        )
        for row in table.frame.to_dicts()
    ]
    headers = ("User, month", *(3 * ("dev", "MaxW", "AvgW")), "type")
    groups = (("", 1), ("FCFS", 3), ("LXF", 3), ("RelShare(1d)", 3), ("", 1))
    title = "Table II(a): users whose maximum wait grows most; dev in node-hours, waits in h"
    return columns_text(title, headers, rows, groups)


def _text(s1: Sequence[Suffering], s2: Sequence[Suffering]) -> str:
    lines = ["Section V: users who suffer under RelShare(1d), found by rule (reconstructed)"]
    for kind, users in (("S1", s1), ("S2", s2)):
        lines.append(f"Type {kind}: {len(users)} in all months")
        most = sorted(users, key=lambda one: -one.growth_h)[:_MOST_LISTED]
        lines += [wrapped(f"{one.month}: {one.user.reason}", "  ") for one in most]
    return "\n".join(lines)
