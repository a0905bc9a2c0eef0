"""Results of users under several policies, for comparison in the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from fsconsole.batch.measures.benefit import changes
from fsconsole.batch.policy import BatchPolicy


@dataclass(frozen=True, eq=False, slots=True)
class PolicyRun:
    """The users of one run.

    Attributes:
        month: its workload or month; runs of one month have the same jobs.
        users: table of users (`user_table`).
        policy: the batch policy; None for a schedule from elsewhere.
        label: label of the policy.
    """

    month: str
    users: pl.DataFrame
    policy: BatchPolicy | None
    label: str

    @property
    def is_by_user(self) -> bool:
        """True if the policy has a fair-share window."""
        return self.policy is not None and self.policy.is_by_user


def labels(runs: Iterable[PolicyRun]) -> tuple[str, ...]:
    """Return labels of the policies, in the order of their first occurrence."""
    return tuple(dict.fromkeys(run.label for run in runs))


def months(runs: Iterable[PolicyRun]) -> tuple[str, ...]:
    """Return the months, in the order of their first occurrence."""
    return tuple(dict.fromkeys(run.month for run in runs))


def usual_pair(runs: Sequence[PolicyRun]) -> tuple[str, str] | None:
    """Return the policies that the paper's tables compare, by label: FCFS-backfill and RelShare(1d).

    If one is missing from the runs: another policy without users or a schedule from elsewhere, and another
    policy by users. None if there is no such pair.
    """
    bases = sorted((run for run in runs if not run.is_by_user), key=lambda run: not _is_fcfs(run))
    subjects = sorted((run for run in runs if run.is_by_user), key=lambda run: not _is_relshare_1d(run))
    return (bases[0].label, subjects[0].label) if bases and subjects else None


def family(runs: Sequence[PolicyRun], subject: str) -> tuple[str, ...]:
    """Return labels of the policies that differ from one only in the fair-share window, including itself."""
    own = {run.label: run.policy.family for run in runs if run.policy and run.is_by_user}
    return tuple(label for label, name in own.items() if name == own.get(subject))


def of(runs: Sequence[PolicyRun], month: str, label: str) -> pl.DataFrame | None:
    """Return the users of a run; None for an unknown run."""
    for run in runs:
        if (run.month, run.label) == (month, label):
            return run.users
    return None


def wait_changes(runs: Sequence[PolicyRun], base: str, subject: str) -> pl.DataFrame:
    """Return the change of maximum waits between two policies: `month`, `user`, `change_s`.

    Users are those of months with runs of both; the largest increase is first.
    """
    found = [pl.DataFrame(schema={"month": pl.String, "user": pl.String, "change_s": pl.Int64})]
    for month in months(runs):
        before, after = of(runs, month, base), of(runs, month, subject)
        if before is not None and after is not None:
            found.append(changes(before, after).select(pl.lit(month).alias("month"), "user", "change_s"))
    return pl.concat(found).sort("change_s", descending=True, maintain_order=True)


def users_under(runs: Sequence[PolicyRun], label: str) -> pl.DataFrame:
    """Return the users of all months under a policy, with a column `month`.

    Raises:
        ValueError: there are no such runs.
    """
    found = [
        run.users.select(pl.lit(run.month).alias("month"), pl.all()) for run in runs if run.label == label
    ]
    if not found:
        msg = f"no run with {label}. There are runs with {', '.join(labels(runs)) or 'nothing'}"
        raise ValueError(msg)
    return pl.concat(found)


def _is_fcfs(run: PolicyRun) -> bool:
    return run.policy is not None and run.policy.order == "fcfs"


def _is_relshare_1d(run: PolicyRun) -> bool:
    return run.policy == BatchPolicy("relshare")
