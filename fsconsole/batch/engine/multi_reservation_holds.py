"""Holders of several reservations and the log of changes, updated by compiled loops."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.batch.schedule import ReservationLog
from fsconsole.policies.compiled import compiled

# `Holds.mark` has these entries: number of reservations, that number when the log was last written, rows of
# the log, and number of reservations carried from the previous pass.
HELD, NOTED, ROWS, CARRIED = range(4)


class Holds(NamedTuple):
    """Reservations and their log.

    Attributes:
        row: jobs with a reservation in order of rank, the first `mark[HELD]` entries.
        start_s: planned starts of these jobs.
        noted_row: jobs at the last entry of the log.
        noted_start_s: planned starts at the last entry of the log.
        carried_row: jobs whose reservations are carried from the previous pass.
        carried_start_s: planned starts of the carried jobs.
        log: columns of a `ReservationLog`, [4, room]; the room is 0 if no log is wanted.
        mark: scalars; see the constants above.
    """

    row: Ints
    start_s: Ints
    noted_row: Ints
    noted_start_s: Ints
    carried_row: Ints
    carried_start_s: Ints
    log: Ints
    mark: Ints


def no_holds(reservations: int, room: int) -> Holds:
    """Return holds without reservations; a `room` of 0 rows disables the log."""
    columns = np.zeros((6, reservations), dtype=np.int64)
    return Holds._make([*columns, np.zeros((4, room), dtype=np.int64), np.zeros(4, dtype=np.int64)])


def with_more_room(holds: Holds) -> Holds:
    """Return holds with a log twice as long."""
    return holds._replace(log=np.concatenate([holds.log, np.zeros_like(holds.log)], axis=1))


def log_of(holds: Holds) -> ReservationLog:
    """Return the log as a `ReservationLog`."""
    at_s, rank, job, start_s = holds.log[:, : int(holds.mark[ROWS])].copy()
    return ReservationLog(at_s, rank, job, start_s)


@compiled
def is_log_full(holds: Holds) -> bool:
    """Return True if the log may be too short for another pass."""
    room = holds.log.shape[1]
    return bool(room > 0 and holds.mark[ROWS] + len(holds.row) > room)


@compiled
def hold(holds: Holds, row: int, start_s: int) -> None:
    """Give a job the next reservation."""
    rank = holds.mark[HELD]
    holds.row[rank], holds.start_s[rank] = row, start_s
    holds.mark[HELD] = rank + 1


@compiled
def note_holds(holds: Holds, now: int) -> None:
    """Log the reservations that a pass has changed."""
    mark = holds.mark
    for rank in range(max(mark[HELD], mark[NOTED])):
        row, start = (holds.row[rank], holds.start_s[rank]) if rank < mark[HELD] else (-1, -1)
        if rank < mark[NOTED] and row == holds.noted_row[rank] and start == holds.noted_start_s[rank]:
            continue
        holds.noted_row[rank], holds.noted_start_s[rank] = row, start
        at = mark[ROWS]
        holds.log[0, at], holds.log[1, at], holds.log[2, at], holds.log[3, at] = now, rank, row, start
        mark[ROWS] = at + 1
    mark[NOTED] = mark[HELD]
