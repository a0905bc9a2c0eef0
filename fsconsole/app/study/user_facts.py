"""Facts about users for a page: the table of users with types, and a user's jobs with lost reservations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from fsconsole.app.study.jobs_compared import with_user_order
from fsconsole.text.numbers import signed, signed_range, thousands

if TYPE_CHECKING:
    from fsconsole.app.study.user_tests import UserTests
    from fsconsole.batch.insight.losses import HeldSpans
    from fsconsole.batch.insight.user_types import UserType
    from fsconsole.batch.months import MonthRun
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.spec import Cell

# The table of users has these columns, from the results of a study.
USER_COLUMNS = (
    "user",
    "jobs",
    "node_hours",
    "usage_nh",
    "entitled_nh",
    "dev_nh",
    "max_wait_h",
    "avg_wait_h",
    "p99_wait_h",
    "avg_bounded_slowdown",
)


@dataclass(frozen=True, eq=False, slots=True)
class Types:
    """Users who suffer under a run, by name, with reasons."""

    cell_key: str
    base: str
    found: dict[str, UserType]

    @property
    def words(self) -> str:
        """Counts such as `2 of type S1, 1 of type S2, compared with FCFS-backfill`."""
        kinds = [user.kind for user in self.found.values()]
        counts = [f"{thousands(kinds.count(kind))} of type {kind}" for kind in ("S1", "S2")]
        return f"{', '.join(counts)}, compared with {self.base}"


def base_of(cells: Iterable[Cell], cell: Cell) -> Cell | None:
    """Return the finished run to compare users' waits with: FCFS on the same jobs.

    None where there is none, and for a run under FCFS.
    """
    if cell.policy.order == "fcfs":
        return None
    same = (cell.workload, cell.seed, "fcfs")
    return next((one for one in cells if (one.workload, one.seed, one.policy.order) == same), None)


def types_by_workload(folder: StudyFolder, policy: str) -> dict[str, Types]:
    """Find users of types S1 and S2 under a policy, workload by workload; it takes seconds.

    Args:
        folder: a study whose finished runs count; those with seeds do not, as their users are made.
        policy: label of the policy that is judged.

    Raises:
        StudyError: a run cannot be read.
    """
    cells, found = folder.finished(), {}
    for cell in cells:
        base = base_of(cells, cell)
        if cell.policy.label == policy and cell.seed is None and base is not None:
            run = folder.month_run(cell, reservations=True)
            found[cell.workload] = types_of(cell.key, folder.month_run(base), run)
    return found


def types_of(cell_key: str, base: MonthRun, run: MonthRun) -> Types:
    """Find users of types S1 and S2; `run` with its reservations. To be called in a thread."""
    from fsconsole.batch.insight.user_types import find_user_types

    period = run.period
    found = find_user_types(base.schedule, run.schedule, run.measured, period, base_measured=base.measured)
    return Types(cell_key, base.schedule.label, {one.user: one for one in found})


def users_frame(
    users: pl.DataFrame,
    types: Types | None,
    reference: pl.DataFrame | None = None,
    tests: UserTests | None = None,
) -> pl.DataFrame:
    """Return a row for each user, with `type` and `reason` (empty for other users) and `user_order`.

    `longer_wait_h` is the average wait less that of the same user in the reference run; null without one.
    `verdict` says whether the average wait is decided to be higher or lower over all of the study,
    `verdict_tip` by what; empty where there are no tests.
    """
    shown = with_user_order(users.select(name for name in USER_COLUMNS if name in users.columns))
    shown = _with_longer_wait(shown, reference)
    shown = _with_verdict(shown, tests)
    found = types.found if types is not None else {}
    named = [found.get(name) for name in shown["user"].to_list()]
    return shown.with_columns(
        pl.Series("type", [one.kind if one is not None else "" for one in named], dtype=pl.String),
        pl.Series("reason", [one.reason if one is not None else "" for one in named], dtype=pl.String),
    )


def _with_verdict(shown: pl.DataFrame, tests: UserTests | None) -> pl.DataFrame:
    rows = {} if tests is None else {row["user"]: row for row in tests.frame.to_dicts()}
    names = shown["user"].to_list()
    verdicts = [rows[name]["verdict"] if name in rows else "" for name in names]
    tips = [_verdict_tip(rows[name], tests) if tests and name in rows else "" for name in names]
    return shown.with_columns(
        pl.Series("verdict", verdicts, dtype=pl.String), pl.Series("verdict_tip", tips, dtype=pl.String)
    )


def _verdict_tip(row: dict[str, Any], tests: UserTests) -> str:
    """Return the basis of a verdict: `+1.20 h (0.31 to 2.90) against FCFS-backfill over 11 of 11 months,
    …`.
    """
    words = f"{signed(row['difference'], 2)} h"
    if row["low"] is not None:
        words += f" ({signed_range(row['low'], row['high'], 2)})"
    words += f" against {tests.against}, jobs in {row['units']} of {tests.unit}"
    if row["p_adjusted"] is None:
        return f"{words}: too few to decide"
    return f"{words}, p {row['p_adjusted']:.4f} corrected for all users (Holm)"


def _with_longer_wait(shown: pl.DataFrame, reference: pl.DataFrame | None) -> pl.DataFrame:
    if reference is None:
        return shown.with_columns(pl.lit(None, pl.Float64).alias("longer_wait_h"))
    before = reference.select("user", pl.col("avg_wait_h").alias("longer_wait_h"))
    joined = shown.join(before, "user", how="left", maintain_order="left")
    return joined.with_columns(longer_wait_h=pl.col("avg_wait_h") - pl.col("longer_wait_h"))


def jobs_frame(run: MonthRun, user: str, spans: HeldSpans | None) -> pl.DataFrame:
    """Return a row for each measured job of a user, by arrival.

    `job_id`, `nodes`, `runtime_s`, `submit_s`, `start_s`, `wait_s`, `slowdown` (bounded, 60 s), and how often
    it lost a reservation, `lost`; null where reservations are not known.
    """
    from fsconsole.batch.measures.slowdown import slowdown

    schedule, jobs = run.schedule, run.schedule.jobs
    rows = np.zeros(0, dtype=np.int64)
    if user in jobs.users:
        rows = np.flatnonzero((jobs.user == jobs.users.index(user)) & run.measured)
    lost: pl.Series = pl.Series([None] * len(rows), dtype=pl.Int64)
    if spans is not None:
        counts = np.bincount(spans.job[spans.is_lost(schedule)], minlength=len(jobs))
        lost = pl.Series(counts[rows], dtype=pl.Int64)
    wait_s = schedule.wait_s[rows]
    return pl.DataFrame(
        {
            "job_id": jobs.job_id[rows],
            "nodes": jobs.nodes[rows],
            "runtime_s": jobs.runtime_s[rows],
            "submit_s": jobs.submit_s[rows],
            "start_s": schedule.start_s[rows],
            "wait_s": wait_s,
            "slowdown": slowdown(wait_s, jobs.runtime_s[rows]),
            "lost": lost,
        }
    )
