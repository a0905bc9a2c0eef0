"""Vasupongayya, sections III-C, IV and V-B to V-D: users who benefit, and the effect of spreading jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.measures.benefit import changes
from fsconsole.batch.measures.change_tables import benefiting_tables, is_mixed, suffering_tables
from fsconsole.batch.measures.users import user_table, with_jobs
from fsconsole.batch.months import simulate_month
from fsconsole.batch.policy import DAY_S
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import (
    DAILY,
    FCFS,
    LXF,
    NODES,
    MonthRuns,
    Workload,
    read_kth,
    run_months,
)
from fsconsole.experiments.relshare_story import Suffering, days_figures, days_of, find_suffering
from fsconsole.experiments.relshare_words import are_comparable, columns_text, in_most, in_nearly_all, is_so
from fsconsole.figures.of_days import figure_3

NAME = "relshare-users"
SMALL_NODES = NODES // 4  # The paper has 32 of 128 nodes.
FEW_JOBS = 8  # The paper's median user of July 2003 has this many jobs.
SHORT_H = 1 / 6
SPREAD_JOBS_A_DAY = 2.0
MANY_STARTS = 4
WORSE = 1.5
OVER_PRINTED = 13.2  # Table V has this % of users in 7/03 under RelShare.
LEAST_TIMES_MEAN = 20.0
COOL_DOWN_D = 7.0
NOTES = (
    Note(
        "paper",
        "The paper advises users with a mixture of jobs to spread them out, and shows four who did. "
        "It does not compare the same jobs spread and not spread.",
    ),
    Note(
        "ours",
        "Spread: the same jobs of one S1 user in their order, at equal intervals from the first "
        "submission to the end of the month. All other users submit as before. Each such user is "
        "simulated alone.",
    ),
    Note(
        "ours",
        f"Definitions: few jobs are at most {FEW_JOBS}. Very short is at most 10 minutes. Small is at "
        f"most a quarter of the machine ({SMALL_NODES} nodes, the paper's 32 of 128). A user spreads "
        f"jobs with at most {SPREAD_JOBS_A_DAY:g} jobs per day of submission. Users whose maximum wait "
        "does not change do not count.",
    ),
    Note(
        "paper",
        "The paper says that under 10 % of users are over-shared each month; its Table V has 13.2 % in 7/03.",
    ),
)


def measure_users(progress: Progress, cancelled: Asked) -> Result:
    """Measure claims on users, Fig. 3(g) to (i) and Tables II(b) and IV on the bundled trace."""
    steps = Steps(progress, cancelled)
    steps.at(0.0)
    trace = read_kth()
    months = trace.months()
    found = run_months(months, (FCFS, LXF, DAILY), steps.next(0.4), logged=DAILY)
    users = find_suffering(found, steps.next(0.3))
    s1 = [one for one in users if one.user.kind == "S1"]
    s2 = [one for one in users if one.user.kind == "S2"]
    claims = (
        *_claims_of_spreading(months, found, s1, steps.next(0.3)),
        *_claims_of_benefit(found),
        *_claims_of_days(found, s1, s2),
        *_claims_of_months(found),
    )
    origin = trace.provenance("its whole months")
    small = _small(found, s2)
    figures = (
        ()
        if small is None
        else days_figures(figure_3, days_of(found, small), "ghi", "small long jobs, node-hours")
    )
    return Result(
        NAME, claims, tuple(replace(spec, provenance=origin) for spec in figures), NOTES, _text(found)
    )


# -- spreading ---------------------------------------------------------------------------------------------


def spread(jobs: JobTable, user: str, start_s: int, end_s: int) -> JobTable:
    """Return a trace in which a user's jobs within an interval arrive at equal distances up to its end."""
    own = (jobs.user == jobs.users.index(user)) & (jobs.submit_s >= start_s) & (jobs.submit_s < end_s)
    submit_s = jobs.submit_s.copy()
    first = int(submit_s[own].min())
    submit_s[own] = first + np.arange(own.sum()) * ((end_s - first) // int(own.sum()))
    return job_table(
        jobs.job_id,
        submit_s,
        jobs.runtime_s,
        jobs.nodes,
        jobs.user,
        jobs.users,
        name=jobs.name,
        unix_start_s=jobs.unix_start_s,
        cluster_nodes=jobs.cluster_nodes,
        time_zone=jobs.time_zone,
    )


def _claims_of_spreading(
    months: Sequence[Workload], found: MonthRuns, s1: Sequence[Suffering], steps: Steps
) -> tuple[Claim, ...]:
    shorter, less_under, as_short = [], [], []
    for number, one in enumerate(s1):
        steps.at(number / max(len(s1), 1))
        month = months[one.place]
        jobs = spread(month.jobs, one.user.user, month.period.start_s, month.period.end_s)
        before = _row(found.of(DAILY)[one.place].users, one.user.user)
        run = simulate_month(jobs, month.period, month.nodes, DAILY)
        after = _row(user_table(run.schedule, run.measured, run.period), one.user.user)
        shorter.append(after["max_wait_h"] < before["max_wait_h"])
        less_under.append(after["dev_nh"] > before["dev_nh"])
        as_short.append(after["max_wait_h"] <= one.user.base_max_wait_h)
    steps.at(1.0)
    advice = Origin.words("section V-C", "Advice to users with a mixture of jobs.")
    return (
        in_most(
            "S1 users whose longest wait is shorter with their jobs spread out",
            shorter,
            "users",
            origin=advice,
        ),
        in_most("S1 users who are then less under-shared", less_under, "users", origin=advice),
        in_most(
            "S1 users whose maximum wait is then no longer than under FCFS without spreading",
            as_short,
            "users",
            origin=advice,
        ),
    )


def _row(users: pl.DataFrame, user: str) -> dict[str, float]:
    return users.filter(pl.col("user") == user).to_dicts()[0]


# -- who benefits ------------------------------------------------------------------------------------------


def _claims_of_benefit(found: MonthRuns) -> tuple[Claim, ...]:
    kinds = {
        "Users with few very short jobs whose maximum wait is shorter under RelShare(1d) than under FCFS": (
            (pl.col("jobs") <= FEW_JOBS) & (pl.col("runtime_max_h") <= SHORT_H)
        ),
        f"Users with only small jobs, of at most {SMALL_NODES} nodes, for whom it is shorter": (
            pl.col("nodes_max") <= SMALL_NODES
        ),
        "Users who spread difficult jobs among others, and for whom it is shorter": pl.col("mixed")
        & pl.col("spreads"),
    }
    better: dict[str, list[bool]] = {text: [] for text in kinds}
    for place, (base, run) in enumerate(found.pairs(FCFS, DAILY)):
        users = with_jobs(run.users).with_columns(month=pl.lit(place)).with_columns(mixed=is_mixed())
        users = users.join(_spreading(run.schedule.jobs, run.month.measured), on="user", how="left")
        moved = users.join(changes(base.users, run.users), on="user").filter(pl.col("change_s") != 0)
        for text, chosen in kinds.items():
            better[text] += [change < 0 for change in moved.filter(chosen)["change_s"].to_list()]
    return tuple(
        in_most(
            text, holds, "users", origin=Origin.words("section V-C", "The paper says which users benefit.")
        )
        for text, holds in better.items()
    )


def _spreading(jobs: JobTable, measured: np.ndarray) -> pl.DataFrame:
    """Return a table of users and whether they submit few jobs on each day of submission."""
    own = jobs.rows(measured)
    frame = pl.DataFrame({"number": own.user, "day": own.submit_s // DAY_S})
    each = frame.group_by("number").agg(pl.len().alias("count"), pl.col("day").n_unique().alias("days"))
    names = pl.Series([own.users[number] for number in each["number"].to_list()], dtype=pl.String)
    return each.select(user=names, spreads=pl.col("count") <= SPREAD_JOBS_A_DAY * pl.col("days"))


# -- users by day ------------------------------------------------------------------------------------------


def _small(found: MonthRuns, s2: Sequence[Suffering]) -> Suffering | None:
    """Return the S2 user with small jobs and the largest growth of waits, else that of smallest jobs."""

    def nodes(one: Suffering) -> float:
        return _row(found.of(DAILY)[one.place].users, one.user.user)["nodes_max"]

    small = [one for one in s2 if nodes(one) <= SMALL_NODES]
    return max(small, key=lambda one: one.growth_h) if small else min(s2, key=nodes, default=None)


def _claims_of_days(found: MonthRuns, s1: Sequence[Suffering], s2: Sequence[Suffering]) -> tuple[Claim, ...]:
    fewer = []
    for one in s1:
        days = days_of(found, one)
        many = {
            policy: sum(days.count(policy, pl.col("started") >= MANY_STARTS)) for policy in (FCFS, LXF, DAILY)
        }
        if many[FCFS] or many[LXF] or many[DAILY]:
            fewer.append(many[DAILY] < max(many[FCFS], many[LXF]))
    most = max((one.user.most_times_mean for one in s2), default=0.0)
    return (
        in_most(
            f"S1 users with fewer days of {MANY_STARTS} or more starts under RelShare(1d) than under a "
            "backfill policy",
            fewer,
            "users",
            origin=Origin.words("section V-B, Fig. 2", "User #8: 1 to 2 a day against 4 to 7."),
        ),
        is_so(
            f"An S2 user's demand reaches {LEAST_TIMES_MEAN:g} times the mean of all users on a day",
            measured=most >= LEAST_TIMES_MEAN,
            origin=Origin.words("section V-B, Fig. 3", "User #71: up to 20 to 30 times."),
        ),
    )


# -- months ------------------------------------------------------------------------------------------------


def _claims_of_months(found: MonthRuns) -> tuple[Claim, ...]:
    waits, slow, longest = (
        {policy: found.values(policy, measure) for policy in (FCFS, LXF, DAILY)}
        for measure in ("avg_wait_h", "avg_bounded_slowdown", "max_wait_h")
    )
    runs = {policy: found.of(policy) for policy in (FCFS, DAILY)}
    every = [run for each in runs.values() for run in each]
    under = [100 * float(np.mean(run.users["dev_nh"].to_numpy() < 0)) for run in every]
    over = [100 * run.summary.over_shared / run.summary.active_users for run in every]
    cool_d = [
        (int(run.schedule.start_s[run.month.measured].max()) - run.month.period.end_s) / DAY_S
        for run in runs[DAILY]
    ]
    good = Origin.words("section III-B", "The paper says usually.")
    return (
        in_most(
            "Maximum wait shorter under FCFS than under LXF",
            [fcfs < lxf for fcfs, lxf in zip(longest[FCFS], longest[LXF], strict=True)],
            origin=good,
        ),
        in_most(
            "Average wait and slowdown lower under LXF than under FCFS",
            [
                wait[1] < wait[0] and slowdown[1] < slowdown[0]
                for wait, slowdown in zip(
                    zip(waits[FCFS], waits[LXF], strict=True),
                    zip(slow[FCFS], slow[LXF], strict=True),
                    strict=True,
                )
            ],
            origin=good,
        ),
        in_most(
            f"Averages mislead: average wait comparable with FCFS, but maximum over {WORSE:g} times as long",
            [
                are_comparable(*average) and most[1] > WORSE * most[0]
                for average, most in zip(
                    zip(waits[FCFS], waits[DAILY], strict=True),
                    zip(longest[FCFS], longest[DAILY], strict=True),
                    strict=True,
                )
            ],
            origin=Origin.words("section IV"),
        ),
        in_nearly_all(
            "Most users are under-shared relative to the idealised share, FCFS and RelShare(1d)",
            [percent > 50 for percent in under],
            "months of both",
            origin=Origin.words("section V-D"),
        ),
        in_nearly_all(
            "Under 10 % of users are over-shared by over 50 node-hours, FCFS and RelShare(1d)",
            [percent < 10 for percent in over],
            "months of both",
            origin=Origin.words("section V-D"),
        ),
        Claim(
            "The paper's own Table V stays under 10 %",
            expected=False,
            measured=OVER_PRINTED < 10,
            origin=Origin.words("section V-D, Table V, 7/03"),
            kind="discrepancy",
        ),
        in_nearly_all(
            f"Cool-down of {COOL_DOWN_D:g} days or less: all jobs of the month have started by then",
            [days <= COOL_DOWN_D for days in cool_d],
            origin=Origin.words("section III", "The paper says a few days."),
        ),
    )


def _text(found: MonthRuns) -> str:
    runs = found.policy_runs()
    parts = []
    for make, name in ((suffering_tables, "II"), (benefiting_tables, "IV")):
        fare, sizes = make(runs, FCFS.label, DAILY.label)
        parts += [_fare_text(name, fare.frame), _sizes_text(name, sizes.frame)]
    return "\n\n".join([*parts, ""])


def _fare_text(name: str, frame: pl.DataFrame) -> str:
    columns = [
        (f"{policy.label} {column}", digits)
        for policy in (FCFS, LXF, DAILY)
        for column, digits in (("dev_nh", 0), ("max_wait_h", 1), ("avg_wait_h", 1))
    ]
    rows = [_line(row, columns) for row in frame.to_dicts()]
    groups = (("", 1), ("FCFS", 3), ("LXF", 3), ("RelShare(1d)", 3))
    title = f"Table {name}(a): dev in node-hours, waits in h"
    return columns_text(title, ("User, month", *(3 * ("dev", "MaxW", "AvgW"))), rows, groups)


def _sizes_text(name: str, frame: pl.DataFrame) -> str:
    columns = [("jobs", 0), ("node_hours", 0)]
    columns += [(f"nodes_{what}", 0) for what in ("min", "avg", "max")]
    columns += [(f"runtime_{what}_h", 1) for what in ("min", "avg", "max")]
    columns += [(f"size_{what}_nh", 1) for what in ("avg", "max")]
    rows = [_line(row, columns) for row in frame.to_dicts()]
    groups = (("", 3), ("N", 3), ("T, h", 3), ("N x T", 2))
    headers = ("User, month", "jobs", "NT", *(2 * ("min", "avg", "max")), "avg", "max")
    return columns_text(f"Table {name}(b): their jobs", headers, rows, groups)


def _line(row: dict[str, Any], columns: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    return f"#{row['user']} {row['month']}", *(f"{row[column]:.{digits}f}" for column, digits in columns)
