"""Tables II and IV: users whose maximum wait grows most, and mixed users whose maximum wait shrinks most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from fsconsole.batch.measures.policy_runs import PolicyRun, labels, users_under, wait_changes
from fsconsole.batch.measures.table_form import (
    AVG_SLOWDOWN,
    AVG_WAIT,
    DEV,
    MAX_WAIT,
    MONTH,
    USER,
    Column,
    Table,
    sizes,
    under,
)

# These are our criteria for a mixture of large and small, or long and short jobs: the paper names users
# without a rule. All users of its Table IV match. They are fractions of the month's largest job, and of the
# user's own.
LARGE_PART = 1 / 4  # A large job has at least a quarter of the nodes of the month's largest one.
SMALL_PART = 1 / 2  # A small job has at most half the nodes of the user's own largest one.
LONG_PART = 1 / 2  # A long job runs for at least half as long as the month's longest one.
SHORT_PART = 1 / 10  # A short job runs for at most a tenth of the user's own longest one.

_MEASURES = (DEV, MAX_WAIT, AVG_WAIT, AVG_SLOWDOWN)
_TYPE = Column("type", "Type")
_WHICH = ("min", "avg", "median", "max")
_JOBS = (Column("jobs", "Jobs"), Column("node_hours", "Total N x T", "node-h"))

Types = Mapping[tuple[str, str], str]  # Keys are month and user, values are S1 or S2.


def suffering_tables(
    runs: Sequence[PolicyRun], base: str, subject: str, *, types: Types | None = None, count: int = 5
) -> tuple[Table, Table]:
    """Return Table II: the users whose maximum wait grows most between two policies, in all months.

    Args:
        runs: users of several policies and months.
        base: label of the first policy (the paper's FCFS-backfill).
        subject: label of the other one (RelShare(1d)).
        types: types of users; None to name none.
        count: number of users at most.

    Returns:
        (a) their values under policies, (b) their jobs.
    """
    grown = wait_changes(runs, base, subject).filter(pl.col("change_s") > 0).head(count)
    title = f"Users whose maximum wait increases most from {base} to {subject}"
    return _tables("Table II", title, "", runs, _shown(runs, subject), grown, types or {})


def benefiting_tables(
    runs: Sequence[PolicyRun], base: str, subject: str, *, count: int = 5
) -> tuple[Table, Table]:
    """Return Table IV: the users with a mixture of jobs whose maximum wait shrinks most.

    A mixture is of large and small jobs or of long and short ones (`is_mixed`).

    Args:
        runs: users of all policies and months.
        base: label of the policy to compare with.
        subject: label of the policy under study.
        count: rows at most.
    """
    shrunk = wait_changes(runs, base, subject).filter(pl.col("change_s") < 0)
    mixed = users_under(runs, subject).filter(is_mixed()).select("month", "user")
    chosen = shrunk.join(mixed, on=["month", "user"]).sort("change_s", maintain_order=True).head(count)
    title = f"Users with a mixture of jobs whose maximum wait decreases most from {base} to {subject}"
    note = (
        "A mixture has two forms. A job of at least 1/4 of the month's most nodes beside a job of at "
        "most 1/2 of the user's own most. Or a job of at least 1/2 of the month's longest runtime "
        "beside a job of at most 1/10 of the user's own longest. This rule is ours. The figures by "
        "day show whether these users spread their jobs out."
    )
    return _tables("Table IV", title, note, runs, _shown(runs, subject), chosen, None)


def is_mixed() -> pl.Expr:
    """Return an expression for whether users of one or several months (column `month`) have mixed jobs."""
    nodes, runtime = pl.col("nodes_max"), pl.col("runtime_max_h")
    large = (nodes >= LARGE_PART * nodes.max().over("month")) & (pl.col("nodes_min") <= SMALL_PART * nodes)
    long = runtime >= LONG_PART * runtime.max().over("month")
    return large | (long & (pl.col("runtime_min_h") <= SHORT_PART * runtime))


def _shown(runs: Sequence[PolicyRun], subject: str) -> tuple[str, ...]:
    """Return the policies without users, and the one under study."""
    others = labels(run for run in runs if not run.is_by_user and run.label != subject)
    return (*others, subject)


def _tables(
    name: str,
    title: str,
    note: str,
    runs: Sequence[PolicyRun],
    shown: Sequence[str],
    chosen: pl.DataFrame,
    types: Types | None,
) -> tuple[Table, Table]:
    who = chosen.select("user", "month")
    sized = users_under(runs, shown[-1])
    columns: list[Column] = [USER, MONTH]
    fare = who
    for label in shown:
        own = [under(label, measure) for measure in _MEASURES]
        names = {measure.name: column.name for measure, column in zip(_MEASURES, own, strict=True)}
        found = users_under(runs, label).select("user", "month", *names).rename(names)
        fare = fare.join(found, on=["user", "month"], how="left", maintain_order="left")
        columns += own
    if types is not None:
        named = [types.get((month, user)) for user, month in who.iter_rows()]
        fare = fare.with_columns(pl.Series(_TYPE.name, named, dtype=pl.String))
        columns.append(_TYPE)
    jobs = (USER, MONTH, *_JOBS, *sizes(_WHICH))
    theirs = who.join(sized, on=["user", "month"], how="left", maintain_order="left")
    return (
        Table(f"{name}(a)", title, tuple(columns), fare, note),
        Table(f"{name}(b)", "Their jobs", jobs, theirs.select(column.name for column in jobs), note),
    )
