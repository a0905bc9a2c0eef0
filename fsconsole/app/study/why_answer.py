"""Explanation of a waiting job: its reasons, the jobs ahead of it, its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fsconsole.batch.clock import Clock
from fsconsole.text.numbers import fixed, thousands

if TYPE_CHECKING:
    from fsconsole.batch.insight.explanation import Explanation
    from fsconsole.batch.insight.losses import JobReservations
    from fsconsole.batch.schedule import Schedule


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """Answer about a job at a time.

    Attributes:
        found: the explanation.
        ahead: who was looked at before it, in that order: `place`, `job_id`, `user`, `nodes`, `runtime_s`,
            `submit_s`, `waited_s`, `start_s`, `held` (words where it holds a reservation).
    """

    found: Explanation
    ahead: pl.DataFrame


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """History of a job's reservations, and a sentence about it."""

    found: JobReservations
    words: str


def answer_of(schedule: Schedule, row: int, at_s: int) -> Answer:
    """Explain; to be called in a thread."""
    from fsconsole.batch.insight.why_waiting import why_waiting

    found = why_waiting(schedule, row, at_s)
    return Answer(found, _ahead(schedule, found))


def history_of(schedule: Schedule, row: int) -> History:
    """Return the history of a job in a schedule with its reservation log. Call it in a thread."""
    from fsconsole.batch.insight.losses import reservations_of
    from fsconsole.batch.insight.why_words import reservation_words

    found = reservations_of(schedule, row)
    return History(found, reservation_words(schedule, found))


def _ahead(schedule: Schedule, found: Explanation) -> pl.DataFrame:
    rows = np.array(found.ahead, dtype=np.int64)
    jobs, time = schedule.jobs, Clock(schedule.jobs)
    held = {item.row: f"from {time.words(item.start_s, is_exact=True)}" for item in found.reservations}
    users = [jobs.users[user] for user in jobs.user[rows].tolist()]
    return pl.DataFrame(
        {
            "place": np.arange(1, len(rows) + 1),
            "job_id": jobs.job_id[rows],
            "user": pl.Series(users, dtype=pl.String),
            "nodes": jobs.nodes[rows],
            "runtime_s": jobs.runtime_s[rows],
            "submit_s": jobs.submit_s[rows],
            "waited_s": found.at_s - jobs.submit_s[rows],
            "start_s": schedule.start_s[rows],
            "held": pl.Series([held.get(row, "") for row in rows.tolist()], dtype=pl.String),
        }
    )


def facts(found: Explanation, time: Clock) -> list[tuple[str, str]]:
    """Return the data behind the explanation, as pairs of name and value."""
    made: list[tuple[str, str]] = []
    if found.free_nodes is not None:
        made.append(("Nodes needed", thousands(found.nodes)))
        made.append(("Nodes free at its turn", thousands(found.free_nodes)))
    if found.position is not None and found.waiting is not None:
        made.append(("Position in the order", f"{thousands(found.position)} of {thousands(found.waiting)}"))
    made.append(("Jobs that came later and started", thousands(found.overtaken_by)))
    if found.delay is not None:
        made.append(("Nodes left beside reservations", thousands(found.delay.left_nodes)))
        made.append(("Reservation begins", time.words(found.delay.at_s, is_full=False)))
        made.append(("Its end if started now", time.words(found.delay.ends_s, is_full=False)))
    if found.planned_start_s is not None:
        made.append(("Start of its own reservation", time.words(found.planned_start_s, is_full=False)))
    if found.fits_from_s is not None:
        made.append(("First fit, if no other job arrives", time.words(found.fits_from_s, is_full=False)))
    if found.slowdown is not None:
        made.append(("Its slowdown, which orders", fixed(found.slowdown, 2)))
    standing = found.standing
    if standing is not None:
        made.append(("Owner's window since", time.words(standing.since_s, is_full=False)))
        made.append(("Owner's usage, node-hours", fixed(standing.used_nh, 1)))
        if standing.expected_nh:
            made.append(("Owner's expected usage, node-hours", fixed(standing.expected_nh, 1)))
        made.append(("Owner's entitled share, node-hours", fixed(standing.entitled_nh, 1)))
        made.append(("Owner's rank among waiting users", f"{standing.rank} of {standing.users_waiting}"))
    return made
