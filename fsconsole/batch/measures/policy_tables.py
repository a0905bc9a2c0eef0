"""Tables III, V, VI and VII: months and chosen users under several policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from fsconsole.batch.measures.benefit import benefit
from fsconsole.batch.measures.policy_runs import PolicyRun, family, labels, months, of
from fsconsole.batch.measures.summary import CONSIDERABLE_NH
from fsconsole.batch.measures.table_form import (
    AVG_SLOWDOWN,
    AVG_WAIT,
    DEV,
    MAX_WAIT,
    MONTH,
    USER,
    Column,
    Table,
    under,
)

# These are our criteria for a particularly poor or good window for a user (marks # and * of Table VI): the
# paper has no rule. These fractions of the mean over all windows give every mark of its table.
POOR_PART = 1.2  # A poor wait is also above the user's maximum wait under each policy without users.
GOOD_PART = 0.7  # A good wait is also below the user's maximum wait under the base policy.
POOR, GOOD = "#", "*"

_BENEFITS = (
    Column("benefit_considerably", "Benefit", "fraction", "> 10 h"),
    Column("suffer_considerably", "Suffer", "fraction", "> 10 h"),
    Column("benefit", "Benefit", "fraction", "> 0 h"),
    Column("suffer", "Suffer", "fraction", "> 0 h"),
    Column("neither", "Neither", "fraction"),
)
_USERS = Column("users", "Users")
_POLICY = Column("policy", "Policy")
_MARK = Column("mark", "")
_WAITS = (MAX_WAIT, _MARK, AVG_WAIT, AVG_SLOWDOWN)


def benefit_table(runs: Sequence[PolicyRun], base: str, subject: str) -> Table:
    """Return Table III: the fractions of users who benefit and suffer, by month, for policies by label."""
    rows: list[dict[str, object]] = []
    for month in months(runs):
        before, after = of(runs, month, base), of(runs, month, subject)
        if before is None or after is None:
            continue
        found = benefit(before, after)
        parts = {column.name: found.fraction(getattr(found, column.name)) for column in _BENEFITS}
        rows.append({"month": month, "users": found.users, **parts})
    columns = (MONTH, _USERS, *_BENEFITS)
    note = (
        f"Maximum wait of a user, from {base} to {subject}, for users with measured jobs. Users whose "
        "maximum wait stays equal count as neither. The paper's text says that such users suffer; its "
        "table does not count them."
    )
    return Table("Table III", "Users who benefit and users who suffer", columns, _frame(columns, rows), note)


def shared_table(runs: Sequence[PolicyRun]) -> Table:
    """Return Table V: the fractions of active users under- and over-shared by more than 50 node-hours."""
    every = labels(runs)
    under_columns = [Column(f"{label} under_shared", label, "fraction", "Under-shared") for label in every]
    over_columns = [Column(f"{label} over_shared", label, "fraction", "Over-shared") for label in every]
    rows = [_shared_row(runs, month) for month in months(runs)]
    columns = (MONTH, _USERS, *under_columns, *over_columns)
    note = (
        "By more than 50 node-hours over the month. All users count who have a job waiting or "
        "running in the month under any of the policies. They can be more than the users who submit "
        "jobs in it. This is our reading of the paper."
    )
    title = "Under-shared and over-shared users"
    return Table("Table V", title, columns, _frame(columns, rows), note)


def _shared_row(runs: Sequence[PolicyRun], month: str) -> dict[str, object]:
    own = {run.label: run.users for run in runs if run.month == month}
    active = len({user for users in own.values() for user in users["user"]})
    row: dict[str, object] = {"month": month, "users": active}
    for label, users in own.items():
        dev_nh = users["dev_nh"]
        row[f"{label} under_shared"] = int((dev_nh < -CONSIDERABLE_NH).sum()) / active if active else 0.0
        row[f"{label} over_shared"] = int((dev_nh > CONSIDERABLE_NH).sum()) / active if active else 0.0
    return row


def window_table(
    runs: Sequence[PolicyRun], month: str, users: Sequence[str], base: str, subject: str
) -> Table:
    """Return Table VI: waits and slowdown of some users of a month, a row for each policy.

    Among the policies that differ from `subject` only in their window, `#` marks those that are particularly
    poor for a user's maximum wait, `*` those that are particularly good (`POOR_PART`, `GOOD_PART`).
    """
    own = {run.label: run.users for run in runs if run.month == month}
    others = [run.label for run in runs if run.month == month and not run.is_by_user]
    columns, series = [_POLICY], [pl.Series("policy", list(own), dtype=pl.String)]
    for user in users:
        found = {label: _row_of(table, user) for label, table in own.items()}
        marked = _marks(found, family(runs, subject), others, base)
        own_columns = [under(f"User {user}", measure) for measure in _WAITS]
        columns += own_columns
        series += [
            _series(column.name, measure, found, marked)
            for column, measure in zip(own_columns, _WAITS, strict=True)
        ]
    note = (
        f"{POOR} marks windows with a particularly poor maximum wait: above {POOR_PART:g} x the mean "
        f"over windows, and above policies without users. {GOOD} marks particularly good ones: below "
        f"{GOOD_PART:g} x the mean and below {base}. The rule is ours; it gives the marks that the "
        "paper printed."
    )
    title = f"Effect of the window on users in {month}"
    return Table("Table VI", title, tuple(columns), pl.DataFrame(series), note)


def _series(
    name: str,
    measure: Column,
    found: Mapping[str, Mapping[str, float | None]],
    marked: Mapping[str, str],
) -> pl.Series:
    if measure is _MARK:
        return pl.Series(name, [marked.get(label) for label in found], dtype=pl.String)
    return pl.Series(name, [row.get(measure.name) for row in found.values()], dtype=pl.Float64)


def _row_of(users: pl.DataFrame, user: str) -> Mapping[str, float | None]:
    found = users.filter(pl.col("user") == user).select(MAX_WAIT.name, AVG_WAIT.name, AVG_SLOWDOWN.name)
    return found.row(0, named=True) if len(found) else {}


def _marks(
    found: Mapping[str, Mapping[str, float | None]], windows: Sequence[str], others: Sequence[str], base: str
) -> dict[str, str]:
    """Return the marks of policies for one user."""
    waits = {label: wait for label, row in found.items() if (wait := row.get(MAX_WAIT.name)) is not None}
    own = {label: waits[label] for label in windows if label in waits}
    if len(own) < 2:
        return {}
    mean = sum(own.values()) / len(own)
    worst_other = max((waits[label] for label in others if label in waits), default=0.0)
    before = waits.get(base, float("inf"))
    poor = {label: POOR for label, wait in own.items() if wait > POOR_PART * mean and wait > worst_other}
    good = {label: GOOD for label, wait in own.items() if wait < GOOD_PART * mean and wait < before}
    return poor | good


def window_deviation_table(runs: Sequence[PolicyRun], month: str, users: Sequence[str]) -> Table:
    """Return Table VII: deviation of some users of a month, a column for each policy."""
    own = {run.label: run.users for run in runs if run.month == month}
    columns = [USER]
    frame = pl.DataFrame({"user": list(users)}, schema={"user": pl.String})
    for label, table in own.items():
        column = under(label, DEV)
        found = table.select("user", pl.col(DEV.name).alias(column.name))
        frame = frame.join(found, on="user", how="left", maintain_order="left")
        columns.append(column)
    title = f"Effect of the window on the deviation of users in {month}"
    return Table("Table VII", title, tuple(columns), frame)


def _frame(columns: Sequence[Column], rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    kinds: dict[str, type[pl.DataType]] = {MONTH.name: pl.String, _USERS.name: pl.Int64}
    schema = {column.name: kinds.get(column.name, pl.Float64) for column in columns}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)
