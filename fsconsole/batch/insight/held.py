"""Who held reservations at a time, read from a reservation log."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.schedule import ReservationLog

Held = tuple[tuple[int, int], ...]


def held_at(log: ReservationLog | None, at_s: int) -> Held:
    """(row, planned start) of all reservations after the last pass up to and with `at_s`, first ones first.

    Empty where there is no log.
    """
    return () if log is None else _held(log, int(np.searchsorted(log.at_s, at_s, side="right")))


def held_before(log: ReservationLog | None, at_s: int) -> Held:
    """The same as the pass of `at_s` found it."""
    return () if log is None else _held(log, int(np.searchsorted(log.at_s, at_s, side="left")))


def _held(log: ReservationLog, rows: int) -> Held:
    """What holds after the first so many rows: the last row of each rank."""
    rank = log.rank[:rows]
    last = [np.flatnonzero(rank == each)[-1] for each in np.unique(rank)]
    return tuple((int(log.job[at]), int(log.start_s[at])) for at in last if log.job[at] >= 0)
