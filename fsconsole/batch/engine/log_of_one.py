"""The log of reservations where there is one at a time, kept by compiled loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.batch.schedule import ReservationLog
from fsconsole.policies.compiled import compiled


class LogOfOne(NamedTuple):
    """Rows of a log, and how it stands.

    Attributes:
        at_s: as in `ReservationLog`; without room where no log is wanted.
        job: likewise.
        start_s: likewise.
        last: job and planned start of the last row, -1 for nobody; how many rows there are, [3].
    """

    at_s: Ints
    job: Ints
    start_s: Ints
    last: Ints


def log_of_one(room: int) -> LogOfOne:
    """An empty log with room for so many rows; with none, nothing is kept."""
    at_s, job, start_s = (np.empty(room, dtype=np.int64) for _ in range(3))
    return LogOfOne(at_s, job, start_s, np.array([-1, -1, 0], dtype=np.int64))


@compiled
def note(log: LogOfOne, now: int, job: int, start_s: int) -> None:
    """A pass has ended; who holds the reservation, -1 for nobody, and its planned start."""
    last = log.last
    if len(log.at_s) == 0 or (job == last[0] and (job < 0 or start_s == last[1])):
        return
    row = last[2]
    log.at_s[row] = now
    log.job[row] = last[0] = job
    log.start_s[row] = last[1] = start_s if job >= 0 else -1
    last[2] += 1


def reservation_log(log: LogOfOne) -> ReservationLog:
    """What was kept."""
    rows = int(log.last[2])
    rank = np.zeros(rows, dtype=np.int64)
    return ReservationLog(log.at_s[:rows].copy(), rank, log.job[:rows].copy(), log.start_s[:rows].copy())
