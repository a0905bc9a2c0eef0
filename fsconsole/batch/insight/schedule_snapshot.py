"""Running and waiting jobs at a time of a schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fsconsole.batch.job_table import Bools, Ints
from fsconsole.batch.schedule import ReservationLog, Schedule

Held = tuple[tuple[int, int], ...]


def held_at(log: ReservationLog | None, at_s: int) -> Held:
    """Return (row, planned start) of all reservations after the last pass up to and including `at_s`.

    The first reservation is first. Empty without a log.
    """
    return () if log is None else _held(log, int(np.searchsorted(log.at_s, at_s, side="right")))


def held_before(log: ReservationLog | None, at_s: int) -> Held:
    """Return the reservations at the start of the pass of `at_s`."""
    return () if log is None else _held(log, int(np.searchsorted(log.at_s, at_s, side="left")))


def _held(log: ReservationLog, rows: int) -> Held:
    """Return the reservations after the first `rows` rows: the last row of each rank."""
    _, behind = np.unique(log.rank[:rows][::-1], return_index=True)
    last = (rows - 1 - behind).tolist()
    return tuple((int(log.job[at]), int(log.start_s[at])) for at in last if log.job[at] >= 0)


@dataclass(frozen=True, eq=False, slots=True)
class ScheduleSnapshot:
    """The machine and its queue after all events up to and including a second.

    Attributes:
        at_s: that second of the trace.
        running, waiting: rows of jobs, in the order of arrival, int64.
        free_nodes: below 0 if an imported schedule uses more nodes than the machine has.
        waiting_nodes: sum of the nodes of waiting jobs.
        held: (row, planned start) of reservations; empty if the schedule is without their log.
        in_use, asked: nodes in use, and nodes of waiting jobs, of each user, int64 [users].
    """

    at_s: int
    running: Ints
    waiting: Ints
    free_nodes: int
    waiting_nodes: int
    held: Held
    in_use: Ints
    asked: Ints

    @property
    def active_users(self) -> int:
        """Number of users with running or waiting jobs."""
        return int(((self.in_use + self.asked) > 0).sum())

    def to_json(self) -> dict[str, Any]:
        """Return counts, for a line of text or a status bar."""
        return {
            "at_s": self.at_s,
            "running": len(self.running),
            "waiting": len(self.waiting),
            "free_nodes": self.free_nodes,
            "waiting_nodes": self.waiting_nodes,
            "active_users": self.active_users,
        }


def is_running(schedule: Schedule, at_s: int) -> Bools:
    """Return a mask of the jobs that run at a second, bool [jobs]; a job that ends then no longer runs."""
    return (schedule.start_s <= at_s) & (schedule.end_s > at_s)


def is_waiting(schedule: Schedule, at_s: int) -> Bools:
    """Return a mask of the jobs that wait at a second, bool [jobs]; a job that starts then no longer
    waits.
    """
    return (schedule.jobs.submit_s <= at_s) & (schedule.start_s > at_s)


def moment(schedule: Schedule, at_s: int) -> ScheduleSnapshot:
    """Return running and waiting jobs at a second of the trace."""
    jobs = schedule.jobs
    running = np.flatnonzero(is_running(schedule, at_s))
    waiting = np.flatnonzero(is_waiting(schedule, at_s))
    users = len(jobs.users)
    in_use = np.zeros(users, dtype=np.int64)
    asked = np.zeros(users, dtype=np.int64)
    np.add.at(in_use, jobs.user[running], jobs.nodes[running])
    np.add.at(asked, jobs.user[waiting], jobs.nodes[waiting])
    return ScheduleSnapshot(
        at_s,
        running,
        waiting,
        schedule.cluster_nodes - int(in_use.sum()),
        int(asked.sum()),
        held_at(schedule.reservations, at_s),
        in_use,
        asked,
    )
