"""Vasupongayya, section VI: the effect of the length of the fair-share window, on a real trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from fsconsole.batch.measures.benefit import changes
from fsconsole.batch.measures.policy_tables import window_deviation_table, window_table
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.table_form import Table
from fsconsole.batch.measures.tables import notable_users, worst_month
from fsconsole.batch.measures.users import with_jobs
from fsconsole.batch.policy import DAY_S, HOUR_S, BatchPolicy, span
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_kth import (
    DAILY,
    FCFS,
    LXF,
    WHOLE,
    MonthRuns,
    Run,
    Trace,
    by_month,
    read_kth,
    run_months,
    run_whole,
    study_numbers,
)
from fsconsole.experiments.relshare_story import Suffering, find_suffering
from fsconsole.experiments.relshare_words import (
    COMPARABLE,
    are_comparable,
    columns_text,
    in_most,
    in_nearly_all,
)
from fsconsole.figures.of_batch import AVERAGE_WAIT, LONGEST_WAIT, SLOWDOWN, figure_4, over_windows
from fsconsole.figures.spec import Expected, FigureSpec
from fsconsole.figures.study_numbers import StudyNumbers
from fsconsole.text.numbers import percent, thousands

NAME = "relshare-windows"
WINDOWS_S = (4 * HOUR_S, 12 * HOUR_S, DAY_S, 2 * DAY_S, 7 * DAY_S)
WINDOWS = tuple(replace(DAILY, window_s=window) for window in WINDOWS_S)
H4, H12, _, D2, D7 = WINDOWS
FALL = 0.8  # Section VI: a window of two days reduces the maximum wait of user #24 by this fraction.
HEAVIEST = 3  # We chose this part of each month's users, by requested node-hours.

# Another simulator gave these longest waits of the whole trace, in hours.
WHOLE_MAX_WAIT_H = (187.9, 190.2, 221.8, 228.3, 226.5)

NOTES = (
    Note(
        "paper",
        "Section VI describes windows by four users of July 2003. User #71 has other values there "
        "(Table VI, FCFS-backfill: 28.7 h, 145.6) than in Table II (29.1 h, 148.2).",
    ),
    Note(
        "ours",
        "Reconstructed, as the paper picks users by hand. Heavy users are the three of each month "
        "with the largest demand in node-hours. Light users have a demand below the month's median "
        "user. Only users whose maximum wait changes count. Users of Tables VI and VII: two whose "
        "maximum wait grew most from FCFS to RelShare(1d), and two for whom it shrank most, one of "
        "them with a mixture of jobs.",
    ),
    Note(
        "ours",
        f'"Not by much" is a factor of up to {COMPARABLE:.2f} between windows, the largest that the '
        'paper calls fairly comparable (Table V, 10/03). "Most" is more than half, and more than '
        "chance gives (exact one-sided sign test, p below 0.05). The test takes cases as independent, "
        "although a user can be in several months. Windows begin at multiples of their length from "
        "the trace's second 0. Usage is not carried over.",
    ),
)


def measure_windows(progress: Progress, cancelled: Asked) -> Result:
    """Measure claims, Figure 4 and Tables VI and VII on the bundled trace."""
    steps = Steps(progress, cancelled)
    steps.at(0.0)
    trace = read_kth()
    policies = (FCFS, LXF, *WINDOWS)
    wholes = run_whole(trace, policies, steps.next(0.2))
    summaries = {label: summarise(schedule) for label, schedule in wholes.items()}
    found = run_months(trace.months(), policies, steps.next(0.5), logged=DAILY)
    s1 = [one for one in find_suffering(found, steps.next(0.3)) if one.user.kind == "S1"]
    whole = Claim(
        "Whole trace, maximum wait by window",
        WHOLE_MAX_WAIT_H,
        tuple(summaries[policy.label].max_wait_h or 0.0 for policy in WINDOWS),
        0.05,
        "h",
        tuple(map(span, WINDOWS_S)),
        origin=Origin.ours("another simulator"),
    )
    numbers = study_numbers(found.policies, [(WHOLE, label, one) for label, one in summaries.items()])
    claims = (*_month_claims(found), *_user_claims(found, s1), whole, _claim_of_two_days(found))
    figures = (*_figures_4(found, trace), *_whole_figures(numbers, trace))
    return Result(NAME, claims, figures, NOTES, _text(found))


def _month_claims(found: MonthRuns) -> tuple[Claim, ...]:
    """Return claims on the effect of windows on whole months, Figure 4."""
    by_window = [found.values(policy, LONGEST_WAIT.name) for policy in WINDOWS]
    waits = list(zip(*by_window, strict=True))
    return (
        in_nearly_all(
            "The window does not change the average bounded slowdown much",
            _insensitive(found, SLOWDOWN.name),
            origin=Origin.words("section VI, Fig. 4(a) and (b)"),
        ),
        in_nearly_all(
            "The window does not change the average wait much",
            _insensitive(found, "avg_wait_h"),
            origin=Origin.words("section VI", "The paper does not show the average wait."),
        ),
        in_most(
            "Maximum wait shorter with 4 h than with 1 d",
            [h4 < d1 for h4, _, d1, _, _ in waits],
            origin=Origin.words("section VI, Fig. 4(c)"),
        ),
        in_most(
            "Maximum wait shorter with 12 h than with 1 d",
            [h12 < d1 for _, h12, d1, _, _ in waits],
            origin=Origin.words("section VI, Fig. 4(c)"),
        ),
        in_most(
            "Maximum wait longer with 7 d than with 1 d",
            [d7 > d1 for _, _, d1, _, d7 in waits],
            origin=Origin.words("section VI, Fig. 4(d)"),
        ),
        in_most(
            "Maximum wait: a window of 2 d differs less from 1 d than a window of 7 d",
            [abs(d2 - d1) < abs(d7 - d1) for _, _, d1, d2, d7 in waits],
            origin=Origin.words("section VI, Fig. 4(d)"),
        ),
    )


def _insensitive(found: MonthRuns, measure: str) -> list[bool]:
    columns = [found.values(policy, measure) for policy in WINDOWS]
    return [are_comparable(*values) for values in zip(*columns, strict=True)]


def _user_claims(found: MonthRuns, s1: Sequence[Suffering]) -> tuple[Claim, ...]:
    """Return claims on their effect on heavy users, light users and those of type S1."""
    return (
        in_most(
            "Heavy users: longer maximum wait with 7 d than with 1 d",
            _longer(found, D7, _heavy),
            "users",
            origin=Origin.words("section VI, Table VI"),
        ),
        in_most(
            "Heavy users: shorter maximum wait with 4 h than with 1 d",
            _shorter(found, H4, _heavy),
            "users",
            origin=Origin.words("section VI, Table VI"),
        ),
        in_most(
            "Light users: shorter maximum wait with 7 d than with 1 d",
            _shorter(found, D7, _light),
            "users",
            origin=Origin.words("section VI, Table VI"),
        ),
        in_most(
            "Light users: longer maximum wait with 4 h than with 1 d",
            _longer(found, H4, _light),
            "users",
            origin=Origin.words("section VI, Table VI"),
        ),
        in_most(
            f"S1 users of RelShare(1d): maximum wait shorter by over {percent(FALL, 0)} with 2 d",
            [fall > FALL for fall in _falls(found, s1)],
            "users",
            origin=Origin.words("section VI, Table VI", "User #24, from 283.8 to 53.8 h: over 80 %."),
        ),
    )


def _claim_of_two_days(found: MonthRuns) -> Claim:
    return in_most(
        "Heavy users: longer maximum wait with 2 d than with 1 d",
        _longer(found, D2, _heavy),
        "users",
        origin=Origin.words("section VI, Table VI", "User #71 is worse with 2 and with 7 d."),
    )


_Chosen = Callable[[pl.DataFrame], pl.DataFrame]


def _heavy(users: pl.DataFrame) -> pl.DataFrame:
    return users.sort("node_hours", "user", descending=[True, False]).head(HEAVIEST)


def _light(users: pl.DataFrame) -> pl.DataFrame:
    return users.filter(pl.col("node_hours") < pl.col("node_hours").median())


def _longer(found: MonthRuns, policy: BatchPolicy, chosen: _Chosen) -> list[bool]:
    """Return True if the maximum wait is longer than with a day, for each chosen user with another one."""
    waits: list[bool] = []
    for daily, run in found.pairs(DAILY, policy):
        users = chosen(with_jobs(daily.users)).select("user")
        change_s = changes(daily.users, run.users).join(users, on="user")["change_s"]
        waits += [change > 0 for change in change_s.to_list() if change]
    return waits


def _shorter(found: MonthRuns, policy: BatchPolicy, chosen: _Chosen) -> list[bool]:
    return [not is_longer for is_longer in _longer(found, policy, chosen)]


def _falls(found: MonthRuns, s1: Sequence[Suffering]) -> list[float]:
    """Return the relative reduction of each S1 user's maximum wait with a window of two days."""
    shorter = [_max_wait_h(found.of(D2)[one.place], one.user.user) for one in s1]
    return [1 - wait / one.user.max_wait_h for wait, one in zip(shorter, s1, strict=True)]


def _max_wait_h(run: Run, user: str) -> float:
    return float(run.users.filter(pl.col("user") == user)["max_wait_h"][0])


def _figures_4(found: MonthRuns, trace: Trace) -> tuple[FigureSpec, ...]:
    origin = trace.provenance("its whole months")
    caption = "KTH's whole months, RelShare with windows of these lengths."
    return tuple(by_month(spec, caption, origin) for spec in figure_4(found.numbers(), are_brief=True))


def _whole_figures(numbers: StudyNumbers, trace: Trace) -> tuple[FigureSpec, ...]:
    origin = trace.provenance(f"{WHOLE}, {thousands(len(trace.jobs))} jobs")
    waits, slowdown = (over_windows(numbers, WHOLE, measure) for measure in (LONGEST_WAIT, SLOWDOWN))
    others = tuple(
        Expected(float(place), wait, is_papers=False) for place, wait in enumerate(WHOLE_MAX_WAIT_H)
    )
    return (
        replace(
            waits,
            caption="All jobs of KTH's trace. Diamonds: another simulator, not the paper.",
            expected=others,
            provenance=origin,
        ),
        replace(slowdown, caption="All jobs of KTH's trace.", provenance=origin),
    )


def _text(found: MonthRuns) -> str:
    runs = found.policy_runs()
    month = worst_month(runs, FCFS.label, DAILY.label)
    users = notable_users(runs, FCFS.label, DAILY.label, month)
    waits = window_table(runs, month, users, FCFS.label, DAILY.label)
    devs = window_deviation_table(runs, month, users)
    return "\n\n".join([_waits_table(found), _users_table(waits, users), _devs_table(devs, month), ""])


def _waits_table(found: MonthRuns) -> str:
    windows = tuple(map(span, WINDOWS_S))
    headers = ("Month", *(2 * windows))
    groups = (("", 1), ("average bounded slowdown", len(windows)), ("maximum wait, h", len(windows)))
    rows = [
        (
            month,
            *(f"{found.values(policy, SLOWDOWN.name)[place]:.1f}" for policy in WINDOWS),
            *(f"{found.values(policy, LONGEST_WAIT.name)[place]:.0f}" for policy in WINDOWS),
        )
        for place, month in enumerate(found.months)
    ]
    return columns_text("Fig. 4: RelShare by window", headers, rows, groups)


def _users_table(table: Table, users: Sequence[str]) -> str:
    """Return Table VI with two users side by side."""
    parts = []
    for pair in (users[:2], users[2:]):
        names = [f"User {user}" for user in pair]
        headers = ("Policy", *(len(pair) * ("MaxW", "AvgW", "AvgX")))
        groups = (("", 1), *((f"User #{user}", 3) for user in pair))
        rows = [
            (row["policy"], *(cell for name in names for cell in _cells(row, name)))
            for row in table.frame.to_dicts()
        ]
        parts.append(columns_text(f"{table.name}: {table.title}", headers, rows, groups))
    return "\n\n".join(parts)


def _cells(row: dict[str, object], name: str) -> tuple[str, str, str]:
    mark = row[f"{name} mark"] or ""
    wait, mean, slowdown = (row[f"{name} {one.name}"] for one in (LONGEST_WAIT, AVERAGE_WAIT, SLOWDOWN))
    return f"{mark}{wait:.1f}h", f"{mean:.1f}h", f"{slowdown:.1f}"


def _devs_table(table: Table, month: str) -> str:
    headers = ("User", "FCFS", "LXF", *map(span, WINDOWS_S))
    rows = [(f"#{row[0]}", *(f"{value:.1f}" for value in row[1:])) for row in table.frame.iter_rows()]
    return columns_text(f"{table.name}: used minus entitled node-hours in {month}", headers, rows)
