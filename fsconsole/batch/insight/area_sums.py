"""Sums over an area of nodes and time: users' node-seconds and starts in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fsconsole.batch.insight.lanes import Lanes
    from fsconsole.batch.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Area:
    """An interval of time on some lanes: seconds of the trace, and lanes with their fractions."""

    begin_s: float
    end_s: float
    top: float
    bottom: float

    @property
    def node_seconds(self) -> float:
        """Size of the area in node-seconds."""
        return (self.end_s - self.begin_s) * (self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class UserInArea:
    """A user's part of an area.

    Attributes:
        user: index in the job table.
        jobs: number of jobs at least partly in it.
        node_seconds: use inside it.
        part: fraction of the area, 0 to 1.
        started: number of jobs that start in its time on its lanes.
        mean_wait_s: their mean wait; None if none starts.
    """

    user: int
    jobs: int
    node_seconds: float
    part: float
    started: int
    mean_wait_s: float | None


@dataclass(frozen=True, slots=True)
class AreaSums:
    """Sums over an area of all users, those with the most node-seconds first."""

    area: Area
    users: tuple[UserInArea, ...]
    jobs: int
    node_seconds: float
    started: int
    mean_wait_s: float | None

    @property
    def busy_part(self) -> float:
        """Used fraction of the area, 0 to 1."""
        return self.node_seconds / self.area.node_seconds if self.area.node_seconds > 0 else 0.0


def area_sums(schedule: Schedule, lanes: Lanes, area: Area) -> AreaSums:
    """Return sums over an area; spans that reach beyond it count with their part inside."""
    near = lanes.between(int(np.floor(area.begin_s)), int(np.ceil(area.end_s)))
    job, start = lanes.job[near], lanes.start_s[near]
    seconds = np.minimum(schedule.end_s[job], area.end_s) - np.maximum(start, area.begin_s)
    first = lanes.first[near]
    wide = np.minimum(first + lanes.wide[near], area.bottom) - np.maximum(first, area.top)
    inside = (seconds > 0) & (wide > 0)
    job, used = job[inside], (seconds * wide)[inside]
    starts_inside = start[inside] >= area.begin_s
    here, place = np.unique(job, return_inverse=True)  # A job may have several spans.
    used_by_job = np.zeros(len(here))
    np.add.at(used_by_job, place, used)
    begins = np.zeros(len(here), dtype=bool)
    begins[place[starts_inside]] = True
    wait: NDArray[np.float64] = np.where(begins, schedule.wait_s[here], 0).astype(np.float64)
    found, whose = np.unique(schedule.jobs.user[here], return_inverse=True)

    def by_user(values: NDArray[np.float64]) -> list[float]:
        sums: list[float] = np.bincount(whose, weights=values, minlength=len(found)).tolist()
        return sums

    columns = (np.ones(len(here)), used_by_job, begins.astype(np.float64), wait)
    rows = zip(found.tolist(), *(by_user(values) for values in columns), strict=True)
    users = [
        UserInArea(
            user,
            round(jobs),
            used,
            used / area.node_seconds,
            round(started),
            waited / started if started else None,
        )
        for user, jobs, used, started, waited in rows
    ]
    users.sort(key=lambda one: (-one.node_seconds, one.user))
    many = int(begins.sum())
    mean = float(wait.sum()) / many if many else None
    return AreaSums(area, tuple(users), len(here), float(used_by_job.sum()), many, mean)
