"""The paper's tables I to VII for a study, as far as its runs allow."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from fsconsole.batch.measures.change_tables import benefiting_tables, is_mixed, suffering_tables
from fsconsole.batch.measures.policy_runs import PolicyRun, users_under, usual_pair, wait_changes
from fsconsole.batch.measures.policy_tables import (
    benefit_table,
    shared_table,
    window_deviation_table,
    window_table,
)
from fsconsole.batch.measures.table_form import Table
from fsconsole.batch.measures.workload_table import MonthOfJobs, workload_table

_EACH = 2  # Tables VI and VII of the paper have this many users of each sort.


def tables_of(runs: Sequence[PolicyRun], workload: Sequence[MonthOfJobs] = ()) -> tuple[Table, ...]:
    """Return the tables that the runs allow, in the paper's order.

    Args:
        runs: users under policies, month by month; different labels are different policies.
            Without a `usual_pair` of them there are only Tables I and V.
        workload: jobs of months, for Table I.
    """
    made = [workload_table(workload)] if workload else []
    pair = usual_pair(runs)
    if pair is None:
        return (*made, shared_table(runs)) if runs else tuple(made)
    month = worst_month(runs, *pair)
    chosen = notable_users(runs, *pair, month)
    return (
        *made,
        *suffering_tables(runs, *pair),
        benefit_table(runs, *pair),
        *benefiting_tables(runs, *pair),
        shared_table(runs),
        window_table(runs, month, chosen, *pair),
        window_deviation_table(runs, month, chosen),
    )


def worst_month(runs: Sequence[PolicyRun], base: str, subject: str) -> str:
    """Return the month with the largest growth of a user's maximum wait; the first one if none is known."""
    found = wait_changes(runs, base, subject)
    return str(found["month"][0]) if len(found) else runs[0].month


def notable_users(runs: Sequence[PolicyRun], base: str, subject: str, month: str) -> tuple[str, ...]:
    """Return the users of a month for Tables VI and VII.

    The paper has two whose maximum wait grew much, one with a mixture of jobs and one with few, whose maximum
    wait shrank. Here: the two of the largest growth, then the mixed user and the other one of the largest
    decrease (ours). Fewer if there are no such users.
    """
    found = wait_changes(runs, base, subject).filter(pl.col("month") == month)
    grown = found.filter(pl.col("change_s") > 0).head(_EACH)
    mixed = (
        users_under(runs, subject).filter(pl.col("month") == month).select("user", is_mixed().alias("mixed"))
    )
    shrunk = found.filter(pl.col("change_s") < 0).join(mixed, on="user").sort("change_s", maintain_order=True)
    ones = [shrunk.filter(pl.col("mixed") == is_so).head(1) for is_so in (True, False)]
    return (*grown["user"], *(user for one in ones for user in one["user"]))
