"""Keeps the log of reservations: what changed from one pass to the next."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.schedule import ReservationLog

NOBODY = (-1, -1)


class Reserving:
    """Hears after every pass who holds reservations, and remembers what is new."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int]] = []
        self._now: list[tuple[int, int]] = []

    def after_pass(self, at_s: int, held: list[tuple[int, int]]) -> None:
        """A pass has ended; `held` are rows of jobs with planned starts, the first reservation first."""
        for rank in range(max(len(held), len(self._now))):
            is_now = held[rank] if rank < len(held) else NOBODY
            was = self._now[rank] if rank < len(self._now) else NOBODY
            if is_now != was:
                self._rows.append((at_s, rank, *is_now))
        self._now = held

    def log(self) -> ReservationLog:
        """All that was heard."""
        if not self._rows:
            return ReservationLog.empty()
        at_s, rank, job, start_s = np.array(self._rows, dtype=np.int64).T.copy()
        return ReservationLog(at_s, rank, job, start_s)
