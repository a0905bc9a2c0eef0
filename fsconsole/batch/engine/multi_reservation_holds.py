"""Who holds reservations where there are several, and the log of that, kept by compiled loops."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.batch.schedule import ReservationLog
from fsconsole.policies.compiled import compiled

# Of `Holds.mark`: how many hold reservations, how many did when the log was last written, how many rows it
# has, and how many of the pass before are expected to use nodes still.
HELD, NOTED, ROWS, CARRIED = range(4)


class Holds(NamedTuple):
    """Reservations and their log.

    Attributes:
        row: which jobs hold one, the first `mark[HELD]`, in the order of ranks.
        start_s: when they are planned to start.
        noted_row: the same as last noted in the log.
        noted_start_s: likewise.
        carried_row: jobs of the pass before whose reservations are carried.
        carried_start_s: when they were planned to start.
        log: columns of a `ReservationLog`, [4, room]; without room where no log is wanted.
        mark: the rest.
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
    """Nobody holds any of so many reservations; room for rows of a log, 0 if none is wanted."""
    columns = np.zeros((6, reservations), dtype=np.int64)
    return Holds._make([*columns, np.zeros((4, room), dtype=np.int64), np.zeros(4, dtype=np.int64)])


def with_more_room(holds: Holds) -> Holds:
    """Return holds with a log twice as long."""
    return holds._replace(log=np.concatenate([holds.log, np.zeros_like(holds.log)], axis=1))


def log_of(holds: Holds) -> ReservationLog:
    """Return what was noted."""
    at_s, rank, job, start_s = holds.log[:, : int(holds.mark[ROWS])].copy()
    return ReservationLog(at_s, rank, job, start_s)


@compiled
def is_log_full(holds: Holds) -> bool:
    """Return whether another pass might not find room in the log."""
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
    """Log what has changed by the end of a pass."""
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
